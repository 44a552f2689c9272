//! Ladders: groups of a run that differ in one thing only.

use crate::job::{Group, MethodName, Open, Work};
use crate::result::{GroupResult, RunResult};
use crate::sort;
use crate::units::Bytes;

/// With fewer rungs there is no line to speak of.
pub const FEWEST_RUNGS: usize = 3;

/// What the groups of a ladder differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The bytes of a read, of the same files.
    Block,
    /// The bytes of a file that is read whole.
    File,
    /// How many files of one size are read whole.
    Files,
}

/// Groups that differ in one thing only, from the least of it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// What they differ in.
    pub axis: Axis,
    /// How much of it each has (bytes, or files), and the group's place in the result.
    pub rungs: Vec<(u64, usize)>,
}

impl Ladder {
    /// The groups, each with how much it has of what they differ in.
    pub fn groups<'a>(&'a self, run: &'a RunResult) -> impl Iterator<Item = (u64, &'a GroupResult)> {
        self.rungs.iter().filter_map(|(size, place)| Some((*size, run.groups.get(*place)?)))
    }

    /// The choices among the methods that its groups name, the baseline first, each once.
    #[must_use]
    pub fn methods(&self, run: &RunResult) -> Vec<MethodName> {
        let mut methods: Vec<MethodName> = Vec::new();
        for (_, group) in self.groups(run) {
            let Group { baseline, methods: others, .. } = &group.record.group;
            for method in std::iter::once(baseline).chain(others).filter(|method| method.thread().is_choice()) {
                if !methods.contains(method) {
                    methods.push(method.clone());
                }
            }
        }
        methods
    }
}

/// All ladders of a run along this axis with at least [`FEWEST_RUNGS`] rungs, in the order of their first groups.
#[must_use]
pub fn of(run: &RunResult, axis: Axis) -> Vec<Ladder> {
    let mut ladders: Vec<(Group, Ladder)> = Vec::new();
    for (place, result) in run.groups.iter().enumerate() {
        let group = &result.record.group;
        // A result from elsewhere may say 0 files, which a job of our own cannot.
        if group.nrfiles == 0 || group.rw.work() != Work::Read || axis != Axis::Block && !group.whole_files() {
            continue;
        }
        // Own files have all sizes at once.
        if group.own.is_some() && axis != Axis::Block {
            continue;
        }
        let (size, common) = (size(group, axis), common(group, axis));
        let known = ladders.iter().position(|(known, _)| *known == common).unwrap_or_else(|| {
            ladders.push((common, Ladder { axis, rungs: Vec::new() }));
            ladders.len() - 1
        });
        let rungs = &mut ladders[known].1.rungs;
        if !rungs.iter().any(|(known, _)| *known == size) {
            rungs.push((size, place));
        }
    }
    if axis == Axis::File {
        lengthen(&mut ladders);
    }
    let mut ladders: Vec<Ladder> =
        ladders.into_iter().map(|(_, ladder)| ladder).filter(|ladder| ladder.rungs.len() >= FEWEST_RUNGS).collect();
    for ladder in &mut ladders {
        sort::by(&mut ladder.rungs, Ord::cmp);
    }
    ladders
}

fn size(group: &Group, axis: Axis) -> u64 {
    match axis {
        Axis::Block => group.bs.0,
        Axis::File => group.fileset().file_size.0,
        Axis::Files => group.nrfiles.into(),
    }
}

/// The group without what the groups of a ladder may differ in: what it is called, and the methods besides the baseline.
fn common(group: &Group, axis: Axis) -> Group {
    let mut common = Group { name: String::new(), title: String::new(), methods: Vec::new(), ..group.clone() };
    match axis {
        Axis::Block => {
            common.bs = Bytes(0);
            // The same files, of which ends are left out that are shorter than a block.
            common.size = if common.own.is_some() { Bytes(0) } else { common.size };
        }
        Axis::File => (common.bs, common.size) = (Bytes(0), Bytes(0)),
        Axis::Files => (common.size, common.nrfiles) = (Bytes(0), 0),
    }
    common
}

/// Jobs take fewer files of the large sizes, since storage is short. Where that leaves groups over that make no ladder of their own, they
/// become rungs of those that differ from them in the number of files too: an op is one file, however many there are.
fn lengthen(ladders: &mut Vec<(Group, Ladder)>) {
    let but_for_number = |group: &Group| Group { nrfiles: 0, ..group.clone() };
    let (short, mut long): (Vec<_>, Vec<_>) =
        std::mem::take(ladders).into_iter().partition(|(_, ladder)| ladder.rungs.len() < FEWEST_RUNGS);
    let mut left: Vec<(Group, Ladder)> = Vec::new();
    for (group, ladder) in short {
        let alike = |other: &Group| but_for_number(other) == but_for_number(&group);
        let mut found = false;
        for (_, other) in long.iter_mut().filter(|(other, _)| alike(other)) {
            found = true;
            join(&mut other.rungs, &ladder.rungs);
        }
        if !found {
            match left.iter_mut().find(|(other, _)| alike(other)) {
                Some((_, other)) => join(&mut other.rungs, &ladder.rungs),
                None => left.push((group, ladder)),
            }
        }
    }
    long.extend(left);
    *ladders = long;
}

fn join(rungs: &mut Vec<(u64, usize)>, others: &[(u64, usize)]) {
    for (size, place) in others {
        if !rungs.iter().any(|(known, _)| known == size) {
            rungs.push((*size, *place));
        }
    }
}

/// Two groups of a run that differ only in whether a file is opened for every op, as (each, kept), by their places.
#[must_use]
pub fn opened_and_kept(run: &RunResult) -> Vec<(usize, usize)> {
    let common = |group: &Group| Group { open: Open::Kept, ..common(group, Axis::Block) };
    let at = |place: usize| &run.groups[place].record.group;
    let each = (0..run.groups.len()).filter(|place| at(*place).open == Open::Each);
    each.filter_map(|each| {
        let kept = (0..run.groups.len())
            .find(|kept| at(*kept).open == Open::Kept && at(*kept).bs == at(each).bs && common(at(*kept)) == common(at(each)))?;
        Some((each, kept))
    })
    .collect()
}
