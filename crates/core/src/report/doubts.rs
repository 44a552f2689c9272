//! What makes a run doubtful: each doubt is a conclusion of its own type, with a heading and a sentence. Serious ones come first.

use super::format::{duration, half_width, percent};
use super::lead::is_limit;
use super::prose::{capitalised, count, one_line};
use super::verdict::{self, clause};
use super::{device, drops, words};
use crate::estimate::{Degree, Drift, Verdict, Withheld};
use crate::job::{Open, Thread};
use crate::protocol;
use crate::result::{
    Arm, Ended, EndsUp, Environment, Fixture, GroupRecord, GroupResult, Incident, Outcome, Role, RunResult, Skipped, Ticks,
};
use crate::sort;
use crate::units::{Bytes, Nanos};

/// Flushes that take less than this for each MiB written did not reach a disk: 0.06 to 0.08 ms in Chromium's private windows, 0.5 to
/// 1.1 ms on the disk of the same machine ...
const MEMORY_FLUSH_PER_MIB: u64 = 200_000;
/// ... and where a small sync read then takes longer than this, the bytes live in another process's memory, as in Chromium's
/// private windows: 170 to 207 µs there, against 2 µs from its disk and 46 µs in Firefox.
const MEMORY_READ_NS: f64 = 100_000.0;
/// Reads up to this are small: opening and calling costs more than copying.
const SMALL_READ: Bytes = Bytes(16 << 10);

/// Frames that are further apart than this are fewer than a screen of 60 a second has: in low power mode phones draw 30.
const FEW_FRAMES_MS: f64 = 28.0;
/// A battery below this makes devices save power by themselves.
const LOW_BATTERY: f64 = 0.2;

/// How much a doubt weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Numbers of this run may be wrong or missing.
    Serious,
    /// Numbers hold, but are wider or fewer than they could be.
    Notable,
    /// A circumstance to know of.
    Mild,
}

/// A reason to doubt a run. Groups are named by their titles.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// The run could not go on.
    Failed {
        /// What failed.
        error: String,
        /// Groups that were measured until then.
        measured: usize,
    },
    /// The storage looks like memory.
    MemoryBacked {
        /// How long flushing the files took.
        flush: Nanos,
        /// The bytes that were flushed.
        written: Bytes,
        /// What a small read through a sync handle takes, in nanoseconds.
        read_ns: f64,
        /// The bytes of such a read.
        block: Bytes,
    },
    /// Fixtures that read back as other bytes than were written.
    FixtureDiffers(Vec<String>),
    /// Groups without verdicts, and why.
    InvalidGroups(Vec<(String, String)>),
    /// Methods that read other bytes than the files hold, each with its group.
    WrongBytes(Vec<(String, String)>),
    /// Groups that were not measured, since their files did not fit, and by how much.
    Skipped(Vec<(String, String)>),
    /// Groups and methods that cannot read a person's own files, and why.
    LeftOut(Vec<(String, String)>),
    /// A person stopped the run.
    Stopped {
        /// Groups that were measured to their end.
        measured: usize,
        /// Groups of the job.
        of: usize,
    },
    /// The page was not cross-origin isolated, so the browser coarsens its clocks.
    NotIsolated(Option<Ticks>),
    /// Samples shorter than the protocol wants, in groups, with the ticks of their fastest arm's sample.
    CoarseTimer(Vec<(String, u64)>),
    /// Work that never changes became slower or faster: where, and how much.
    Drifted {
        /// The worst of it.
        worst: Degree,
        /// Each with the group's title, or what else it is of.
        found: Vec<(String, Drift)>,
    },
    /// Flushing became slower or faster in groups that only read.
    StorageDrifted(Vec<(String, Drift)>),
    /// Groups in which the device was given time to cool down.
    CooledDown(Vec<(String, String)>),
    /// Rounds dropped in groups, for causes from outside.
    RoundsDropped(Vec<(String, String)>),
    /// Groups whose time was up before their intervals were narrow enough.
    BudgetFirst(Vec<Unfinished>),
    /// Groups that were measured again, since their null arm had differed from the baseline.
    MeasuredAgain(Vec<String>),
    /// Groups whose samples were still moving when their rounds began.
    NoSteadyState(Vec<String>),
    /// The browser drew half as many frames as usual: so many milliseconds from one to the next.
    FewFrames(f64),
    /// The device ran on its battery, which was so full.
    OnBattery(f64),
    /// A program drove the browser.
    Automated,
    /// A program asked how far the run was.
    Polled(u32),
}

/// A group whose time was up.
#[derive(Clone, Debug, PartialEq)]
pub struct Unfinished {
    /// Its title.
    pub group: String,
    /// The half-width reached on the log scale. None where there is no interval.
    pub half_width: Option<f64>,
    /// How many rounds it was measured.
    pub rounds: usize,
    /// How many rounds the protocol's half-width would take in all.
    pub needed: Option<usize>,
    /// Whether a method is left without an answer for it: neither faster nor slower nor the same.
    pub undecided: bool,
}

/// Everything that makes a run doubtful, serious doubts first.
#[must_use]
pub fn doubts(run: &RunResult) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = [outcome(run), memory_backed(run)].into_iter().flatten().collect();
    doubts.extend(of_environment(&run.environment, run.ticks));
    let differing: Vec<String> = run.fixtures.iter().filter(|fixture| fixture.checksum != fixture.read_back).map(differing).collect();
    doubts.extend((!differing.is_empty()).then_some(Doubt::FixtureDiffers(differing)));
    doubts.extend(per_group(run, invalid, Doubt::InvalidGroups));
    doubts.extend(per_group(run, wrong_bytes, Doubt::WrongBytes));
    let skipped: Vec<_> = run.skipped.iter().map(|skipped| (title_of(run, skipped), shortage(skipped))).collect();
    doubts.extend((!skipped.is_empty()).then_some(Doubt::Skipped(skipped)));
    let left_out: Vec<_> = run.job.left_out.iter().map(|left| (clause(&left.what), clause(&left.why))).collect();
    doubts.extend((!left_out.is_empty()).then_some(Doubt::LeftOut(left_out)));
    doubts.extend(device::drifted(run));
    doubts.extend(per_group(run, device::cooled_down, Doubt::CooledDown));
    doubts.extend(per_group(run, coarse_timer, Doubt::CoarseTimer));
    doubts.extend(per_group(run, dropped, Doubt::RoundsDropped));
    doubts.extend(per_group(run, unfinished, Doubt::BudgetFirst));
    let again: Vec<String> = run.superseded.iter().map(|group| words::title(&group.record.group)).collect();
    doubts.extend((!again.is_empty()).then_some(Doubt::MeasuredAgain(again)));
    doubts.extend(per_group(run, unsteady, Doubt::NoSteadyState));
    doubts.extend(run.environment.automated.then_some(Doubt::Automated));
    doubts.extend((run.polls > 0).then_some(Doubt::Polled(run.polls)));
    sort::by_key(&mut doubts, Doubt::severity);
    doubts
}

/// What makes a run doubtful that has not begun, serious doubts first.
#[must_use]
pub fn beforehand(environment: &Environment) -> Vec<Doubt> {
    let mut doubts = of_environment(environment, None);
    sort::by_key(&mut doubts, Doubt::severity);
    doubts
}

fn of_environment(environment: &Environment, ticks: Option<Ticks>) -> Vec<Doubt> {
    let few = environment.frame_ms.filter(|frame| *frame > FEW_FRAMES_MS).map(Doubt::FewFrames);
    let battery = environment.battery.filter(|battery| !battery.charging).map(|battery| Doubt::OnBattery(battery.level));
    [(!environment.isolated).then_some(Doubt::NotIsolated(ticks)), few, battery].into_iter().flatten().collect()
}

/// The doubts that a reader must know before the answer, and the notes that can stand after the tables.
pub(super) fn before_and_after(run: &RunResult) -> (Vec<Doubt>, Vec<Doubt>) {
    doubts(run).into_iter().partition(|doubt| doubt.severity() != Severity::Mild)
}

/// One doubt for all groups that have cause for it, so that three groups do not make three alarms.
fn per_group<T>(run: &RunResult, of: impl Fn(&GroupResult) -> Option<T>, doubt: impl Fn(Vec<T>) -> Doubt) -> Option<Doubt> {
    let found: Vec<T> = run.groups.iter().filter_map(of).collect();
    (!found.is_empty()).then(|| doubt(found))
}

fn outcome(run: &RunResult) -> Option<Doubt> {
    let measured = run.groups.iter().filter(|group| group.record.ended != Ended::Stopped).count();
    match &run.outcome {
        Outcome::Finished => None,
        Outcome::Stopped => Some(Doubt::Stopped { measured, of: run.job.groups.len().max(run.groups.len()) }),
        Outcome::Failed { error } => Some(Doubt::Failed { error: clause(error), measured }),
    }
}

/// A file from elsewhere may name a group that its job does not have.
fn title_of(run: &RunResult, skipped: &Skipped) -> String {
    run.job.groups.get(skipped.index as usize).map_or_else(|| format!("group {}", skipped.index), words::title)
}

/// How much a group needed, and how much there was.
pub(super) fn shortage(Skipped { needed, free, .. }: &Skipped) -> String {
    format!("{} needed, {} free", needed.rounded(), free.rounded())
}

fn memory_backed(run: &RunResult) -> Option<Doubt> {
    run.groups.iter().find_map(|group| {
        let job = &group.record.group;
        if job.open != Open::Kept || job.bs > SMALL_READ {
            return None;
        }
        let fixture = run.fixtures.iter().find(|fixture| {
            let fileset = fixture.fileset;
            fileset == job.fileset() && fixture.flush_ns.0 < MEMORY_FLUSH_PER_MIB * fileset.bytes().0.div_ceil(1 << 20)
        })?;
        // A pool's ops hold a part of its messages' time.
        let kept = |arm: &Arm| job.of_arm(&arm.method).open == Open::Kept;
        let in_worker = |arm: &Arm| arm.method.thread() == Thread::Worker && arm.ends_up == EndsUp::WorkerWasm && kept(arm);
        let sync = group
            .record
            .arms
            .iter()
            .zip(&group.estimates.arms)
            .find(|(arm, _)| arm.role != Role::Empty && in_worker(arm) && arm.method.api().starts_with("sync"));
        let read_ns = sync.and_then(|(_, estimate)| estimate.per_op)?.median_ns;
        (read_ns > MEMORY_READ_NS).then(|| Doubt::MemoryBacked {
            flush: fixture.flush_ns,
            written: fixture.fileset.bytes(),
            read_ns,
            block: job.bs,
        })
    })
}

fn differing(fixture: &Fixture) -> String {
    let Fixture { fileset, checksum, read_back, .. } = fixture;
    format!("{fileset}: checksum {} written, {} read", one_line(checksum), one_line(read_back))
}

fn title(record: &GroupRecord) -> String {
    words::title(&record.group)
}

fn invalid(group: &GroupResult) -> Option<(String, String)> {
    let reasons: Vec<String> = group.estimates.invalid.iter().map(|reason| verdict::invalid(*reason, &group.record)).collect();
    (!reasons.is_empty()).then(|| (title(&group.record), reasons.join(", and ")))
}

fn wrong_bytes(group: &GroupResult) -> Option<(String, String)> {
    let wrong = |verdict: &Verdict| matches!(verdict, Verdict::Withheld { reasons } if reasons.contains(&Withheld::WrongBytes));
    let arms = group.record.arms.iter().zip(&group.estimates.arms).filter(|(_, estimate)| wrong(&estimate.verdict));
    let arms: Vec<String> = arms.map(|(arm, _)| words::arm(&group.record, arm)).collect();
    (!arms.is_empty()).then(|| (title(&group.record), arms.join(", ")))
}

fn coarse_timer(group: &GroupResult) -> Option<(String, u64)> {
    group.record.incidents.iter().find_map(|incident| match incident {
        Incident::CoarseTimer { ticks } => Some((title(&group.record), *ticks)),
        Incident::ClockSteppedBack => None,
    })
}

fn dropped(group: &GroupResult) -> Option<(String, String)> {
    let causes = drops::by_cause(&group.record);
    let all = group.estimates.rounds + group.estimates.dropped;
    let text = || format!("{} of {} ({})", drops::number(&causes), count(all, "round"), drops::listed(&causes));
    (!causes.is_empty()).then(|| (title(&group.record), text()))
}

fn unfinished(group: &GroupResult) -> Option<Unfinished> {
    let estimates = &group.estimates;
    let short = estimates.half_width.is_none_or(|width| width > protocol::HALF_WIDTH);
    (group.record.ended == Ended::Budget && short).then(|| Unfinished {
        group: title(&group.record),
        half_width: estimates.half_width,
        rounds: estimates.rounds,
        needed: estimates.rounds_needed,
        undecided: group.record.arms.iter().zip(&estimates.arms).any(|(arm, estimate)| {
            arm.role == Role::Contender
                && !is_limit(arm)
                && arm.absent.is_none()
                && matches!(estimate.verdict, Verdict::Inconclusive | Verdict::Withheld { .. })
        }),
    })
}

fn unsteady(group: &GroupResult) -> Option<String> {
    // A group that never reached its rounds has not had the chance to become steady.
    (!group.record.warm_up.steady && group.estimates.rounds > 0).then(|| title(&group.record))
}

impl Doubt {
    /// How much it weighs.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::Failed { .. } | Self::MemoryBacked { .. } | Self::FixtureDiffers(_) | Self::InvalidGroups(_) | Self::WrongBytes(_) => {
                Severity::Serious
            }
            Self::Skipped(_)
            | Self::LeftOut(_)
            | Self::Stopped { .. }
            | Self::NotIsolated(_)
            | Self::CoarseTimer(_)
            | Self::Drifted { .. }
            | Self::RoundsDropped(_)
            | Self::FewFrames(_) => Severity::Notable,
            Self::OnBattery(level) if *level <= LOW_BATTERY => Severity::Notable,
            // Where every method has its verdict, more time would have narrowed the intervals and changed nothing.
            Self::BudgetFirst(groups) if groups.iter().any(|group| group.undecided) => Severity::Notable,
            Self::BudgetFirst(_)
            | Self::CooledDown(_)
            | Self::StorageDrifted(_)
            | Self::MeasuredAgain(_)
            | Self::NoSteadyState(_)
            | Self::OnBattery(_)
            | Self::Automated
            | Self::Polled(_) => Severity::Mild,
        }
    }

    /// A few words.
    #[must_use]
    pub fn heading(&self) -> &'static str {
        match self {
            Self::Failed { .. } => "The run failed",
            Self::MemoryBacked { .. } => "The storage looks memory-backed",
            Self::FixtureDiffers(_) => "The files are not what was written",
            Self::InvalidGroups(_) => "No verdicts",
            Self::WrongBytes(_) => "Wrong bytes",
            Self::Skipped(_) | Self::LeftOut(_) => "Not measured",
            Self::Stopped { .. } => "The run was stopped",
            Self::NotIsolated(_) => "Coarse clocks",
            Self::CoarseTimer(_) => "Short samples",
            Self::Drifted { worst, .. } => device::heading(*worst),
            Self::StorageDrifted(_) => "The storage drifted",
            Self::CooledDown(_) => "Pauses to cool down",
            Self::RoundsDropped(_) => "Rounds were dropped",
            Self::BudgetFirst(_) => "Time was up before the intervals were narrow",
            Self::MeasuredAgain(_) => "Measured twice",
            Self::NoSteadyState(_) => "No steady state",
            Self::FewFrames(_) => "Low power mode, perhaps",
            Self::OnBattery(_) => "On battery",
            Self::Automated => "Driven by a program",
            Self::Polled(_) => "Watched during the run",
        }
    }

    /// What is known and what it means for a reader. Where groups differ, [`Self::items`] follow.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Failed { error, measured: 0 } => format!("{error}."),
            Self::Failed { error, .. } => format!("{error}. What was measured until then is shown."),
            Self::MemoryBacked { flush, written, read_ns, block } => format!(
                "Flushing {written} took {}, too fast for a disk, yet a {block} read through a sync handle takes {}. \
                 Is this a private window? An ordinary window can give other answers.",
                if flush.0 == 0 { "no time that the clock can see".into() } else { duration(flush.as_f64()) },
                duration(*read_ns)
            ),
            Self::FixtureDiffers(_) => {
                "Read back by a sync handle right after writing, they held other bytes: the storage or the browser's sync handles cannot be trusted."
                    .into()
            }
            Self::InvalidGroups(_) => "The numbers of these groups are shown, but nothing follows from them.".into(),
            Self::WrongBytes(_) => "Methods read other bytes than the files hold.".into(),
            Self::Skipped(_) => "These groups' files do not fit into what the browser grants this site. Free storage on the device to measure them, \
                 or choose a smaller job."
                .into(),
            Self::LeftOut(_) => "These groups and methods cannot read the files that were chosen.".into(),
            Self::Stopped { measured, of } => format!("Measured to their end: {measured} of {}.", count(*of, "group")),
            Self::NotIsolated(ticks) => format!(
                "The page is not cross-origin isolated, so the browser makes its clocks coarser{}. \
                 A server that sends the COOP and COEP headers gives finer ones: opfs-bench serve does.",
                ticks.map(ticks_of).unwrap_or_default()
            ),
            Self::CoarseTimer(_) => {
                format!("Measured against the clock's tick, the fastest method's samples are short: {} ticks are wanted.", protocol::TICKS)
            }
            Self::Drifted { worst, .. } => device::sentence(*worst).into(),
            Self::StorageDrifted(_) => "Flushing took another time in the end than at first. What was measured only reads, from the \
                 operating system's memory, so its times need not have moved with it."
                .into(),
            Self::CooledDown(_) => format!("A computation had become over {} slower than at first, so measuring waited.", percent(protocol::HOT)),
            Self::RoundsDropped(_) => "They were dropped for all methods, for causes from outside and never for their values.".into(),
            Self::BudgetFirst(_) => format!("Intervals within {} were wanted.", half_width(protocol::HALF_WIDTH)),
            Self::MeasuredAgain(_) => format!(
                "The first time, two identical arms differed by more than {}. The second measurement is shown; both are in the result file.",
                percent(protocol::NULL_MARGIN)
            ),
            Self::NoSteadyState(_) => "Samples were still moving when the warm-up ended.".into(),
            Self::FewFrames(frame) => format!(
                "The screen was drawn once every {}, half as often as usual. Phones do so in low power mode or to save their battery, and \
                 then everything takes longer. Turn that off, and measure again.",
                duration(frame * 1e6)
            ),
            Self::OnBattery(level) => format!(
                "The device was not plugged in, and its battery {} full. Devices may save power then; plugged in, they need not.",
                percent(*level)
            ),
            Self::Automated => {
                "A program drove the browser (navigator.webdriver), with settings that a person's browser may not have.".into()
            }
            Self::Polled(polls) => format!(
                "A program asked {} how far the run was; each time may have disturbed a sample of the main thread.",
                if *polls == 1 { "once".into() } else { format!("{polls} times") }
            ),
        }
    }

    /// What holds for each group, a line each; empty where the sentence says all.
    #[must_use]
    pub fn items(&self) -> Vec<String> {
        let titled = |groups: &[(String, String)]| groups.iter().map(|(group, text)| item(group, text)).collect();
        match self {
            Self::InvalidGroups(groups)
            | Self::WrongBytes(groups)
            | Self::Skipped(groups)
            | Self::LeftOut(groups)
            | Self::CooledDown(groups)
            | Self::RoundsDropped(groups) => titled(groups),
            Self::Drifted { found, .. } | Self::StorageDrifted(found) => {
                found.iter().map(|(of, drift)| item(of, &device::clause(drift))).collect()
            }
            Self::CoarseTimer(groups) => groups.iter().map(|(group, ticks)| item(group, &format!("{ticks} ticks"))).collect(),
            Self::BudgetFirst(groups) => groups.iter().map(|group| item(&group.group, &group.reached())).collect(),
            Self::FixtureDiffers(fixtures) => fixtures.clone(),
            Self::MeasuredAgain(groups) | Self::NoSteadyState(groups) => groups.iter().map(|group| capitalised(group)).collect(),
            Self::Failed { .. }
            | Self::MemoryBacked { .. }
            | Self::Stopped { .. }
            | Self::NotIsolated(_)
            | Self::FewFrames(_)
            | Self::OnBattery(_)
            | Self::Automated
            | Self::Polled(_) => Vec::new(),
        }
    }
}

fn item(group: &str, text: &str) -> String {
    format!("{}: {text}", capitalised(group))
}

fn ticks_of(ticks: Ticks) -> String {
    let [main, worker] = [ticks.main_ns, ticks.worker_ns].map(|tick| duration(tick.as_f64()));
    format!(": one tick is {main} on the main thread and {worker} in the worker")
}

impl Unfinished {
    fn reached(&self) -> String {
        let reached = self.half_width.map_or("no interval".into(), half_width);
        let needed = self.needed.map(|needed| format!("; about {needed} would be needed")).unwrap_or_default();
        format!("{reached} after {}{needed}", count(self.rounds, "round"))
    }
}
