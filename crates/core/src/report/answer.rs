//! The one sentence that answers the run's question: sync handles in a worker, or promises on the main thread?
//!
//! Every group is a clause. The first names the methods in words; those after it say only what changes, so that the
//! sentence stays readable: "reading with sync handles in a worker (worker/sync) was 612 times faster (99 % interval 598 to
//! 627) than promises on the main thread (main/slice) for random 4 KiB reads; and 41 times faster (40 to 42) for a file in order".
//!
//! Where groups are many, a clause counts for each method how its groups came out, and names the ends.

use super::format::{Estimate, percent, ratio_estimate, times};
use super::lead::{Lead, is_limit};
use super::prose::{count, one_line};
use super::verdict::{self, clause};
use super::{table, words};
use crate::estimate::{ArmEstimate, Verdict};
use crate::job::{Group, MethodName, Work};
use crate::protocol;
use crate::result::{Arm, Ended, Environment, GroupResult, Outcome, Role, RunResult};
use crate::sort;

/// The sentence in parts, so that a page can set its clauses apart and stress what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// What comes before the first clause, with its space.
    pub(super) lead: String,
    /// At least one. Between them stand semicolons.
    pub(super) clauses: Vec<Vec<Span>>,
}

/// A piece of the sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Span {
    Plain(String),
    /// What was found, with the verdict's style class.
    Found(&'static str, String),
}

/// Of more groups than this a sentence counts how they came out, since nobody would read it otherwise.
const MOST_CLAUSES: usize = 6;

impl Answer {
    pub(super) fn of(run: &RunResult) -> Self {
        let measured = run.groups.iter().filter(|group| group.record.ended != Ended::Stopped).count();
        let of = run.job.groups.len().max(run.groups.len());
        let how_far = if run.groups.is_empty() {
            "before anything was measured".into()
        } else {
            format!("after {measured} of {}", count(of, "group"))
        };
        let end = match &run.outcome {
            Outcome::Finished => None,
            Outcome::Stopped => Some(format!("the run was stopped {how_far}")),
            Outcome::Failed { error } => Some(format!("the run failed {how_far}: {}", clause(error))),
        };
        if run.groups.is_empty() {
            let end = end.unwrap_or_else(|| "the run measured nothing: it has no groups".into());
            return Self { lead: place(&run.environment), clauses: vec![vec![Span::Plain(end)]] };
        }
        let mut sentence = Sentence::default();
        let mut clauses: Vec<Vec<Span>> = run.groups.iter().find_map(|group| sentence.passed_over(group)).into_iter().collect();
        if run.groups.len() > MOST_CLAUSES {
            clauses.extend(summary(run, &mut sentence));
        } else {
            clauses.extend(run.groups.iter().map(|group| sentence.clause(group)));
        }
        clauses.extend(end.map(|end| vec![Span::Plain(end)]));
        Self { lead: place(&run.environment), clauses }
    }

    /// What stands between two clauses, and after the last.
    pub(super) fn after(&self, clause: usize) -> &'static str {
        match self.clauses.len() - clause {
            0 | 1 => ".",
            2 => "; and ",
            _ => "; ",
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.lead.clone();
        for (place, spans) in self.clauses.iter().enumerate() {
            for span in spans {
                text += match span {
                    Span::Plain(words) | Span::Found(_, words) => words,
                };
            }
            text += self.after(place);
        }
        text
    }
}

/// Where the run took place: `In Chromium 156 on Linux, `.
fn place(environment: &Environment) -> String {
    let (browser, system) = (one_line(&environment.browser), one_line(&environment.system));
    match (browser.as_str(), system.as_str()) {
        ("", "") => "In this browser, ".into(),
        ("", system) => format!("On {system}, "),
        (browser, "") => format!("In {browser}, "),
        (browser, system) => format!("In {browser} on {system}, "),
    }
}

/// What the clauses before have said already.
#[derive(Default)]
struct Sentence {
    subject: Option<(MethodName, Work)>,
    verb: Option<&'static str>,
    /// Methods that were called by these words stay with them; others of the same words need their names.
    said: Vec<(String, MethodName)>,
    level: Option<String>,
}

/// What is said of one group between its subject and its title.
struct Finding {
    class: &'static str,
    /// The verb before what was found; empty where that is a verb itself.
    verb: &'static str,
    found: String,
    /// How much "as fast" leaves open.
    within: Option<f64>,
    /// The interval, said in the finding's own terms.
    interval: Option<String>,
    /// The word between what was found and the baseline.
    link: &'static str,
    because: Option<String>,
}

impl Finding {
    fn of(group: &GroupResult, subject: Option<(&Arm, &ArmEstimate)>) -> Self {
        let unmeasured = Verdict::Withheld { reasons: Vec::new() };
        let lead = subject.map(|(_, estimate)| Lead::of(estimate));
        let verdict = lead.as_ref().map_or(&unmeasured, |lead| &lead.verdict);
        let ratio = lead.as_ref().and_then(|lead| Some((lead.point()?, lead.interval())));
        let suffix = lead.as_ref().map_or("", Lead::suffix);
        let finding = |found: String, interval, link| Self {
            class: verdict::class(verdict),
            verb: "was",
            found,
            within: None,
            interval,
            link,
            because: None,
        };
        match (verdict, ratio) {
            (Verdict::Faster | Verdict::Slower, Some((point, interval))) => {
                let times = times(point, interval);
                finding(times.phrase() + suffix, ends(&times.estimate), "than")
            }
            (Verdict::Same, Some((point, interval))) => {
                let ends = ends(&ratio_estimate(point, interval)).map(|ends| format!("of the ratio {ends}"));
                Self { within: Some(protocol::MARGIN), ..finding(format!("as fast{suffix}"), ends, "as") }
            }
            (Verdict::Inconclusive, Some((_, interval))) => {
                finding(format!("neither clearly faster nor clearly slower{suffix}"), interval.map(spread), "than")
            }
            _ => Self { verb: "", because: Some(reasons(group, subject)), ..finding("could not be judged".into(), None, "against") },
        }
    }
}

/// `598 to 627`.
fn ends(estimate: &Estimate) -> Option<String> {
    estimate.ends.as_ref().map(|(low, high)| format!("{low} to {high}"))
}

/// An interval on both sides of 1: `1.08 times faster to 1.02 times slower`.
fn spread((low, high): (f64, f64)) -> String {
    format!("{} to {}", times(low, None).phrase(), times(high, None).phrase())
}

impl Sentence {
    fn clause(&mut self, group: &GroupResult) -> Vec<Span> {
        let subject = subject(group);
        let title = words::title(&group.record.group);
        let Some(method) = subject.map_or_else(|| planned(&group.record.group), |(arm, _)| Some(arm.method.clone())) else {
            return vec![Span::Plain(format!("nothing was compared for {title}"))];
        };
        let finding = Finding::of(group, subject);
        let work = group.record.group.rw.work();
        let opening = self.opening(method, work, finding.verb);
        let within = finding.within.map(|margin| format!("within {}", percent(margin)));
        let interval = finding.interval.map(|ends| self.with_level(group.estimates.level, &ends));
        let details: Vec<String> = [within, interval].into_iter().flatten().collect();
        let details = if details.is_empty() { String::new() } else { format!(" ({})", details.join("; ")) };
        let baseline = self.name(&group.record.group.baseline, work);
        let because = finding.because.map(|reasons| format!(", because {reasons}")).unwrap_or_default();
        let closing = format!("{details} {} {baseline} for {title}{because}", finding.link);
        vec![Span::Plain(opening), Span::Found(finding.class, finding.found), Span::Plain(closing)]
    }

    /// That this browser has no sync handles, where something else answers in their place.
    fn passed_over(&mut self, group: &GroupResult) -> Option<Vec<Span>> {
        let answers = subject(group).is_some_and(|(arm, _)| arm.absent.is_none());
        let sync = contenders(group).into_iter().map(|(arm, _)| arm).find(|arm| is_sync(&arm.method)).filter(|_| answers)?;
        let missing = clause(sync.absent.as_deref()?);
        let name = self.name(&sync.method, group.record.group.rw.work());
        Some(vec![Span::Plain(format!("{name} cannot be used, since the browser lacks {missing}"))])
    }

    /// "reading with sync handles in a worker (worker/sync) was ", or only what the clause before has not said.
    fn opening(&mut self, method: MethodName, work: Work, verb: &'static str) -> String {
        let same_subject = self.subject.as_ref() == Some(&(method.clone(), work));
        let same_verb = self.verb.replace(verb) == Some(verb);
        let name = match (same_subject, same_verb && verb == "was") {
            (true, true) => return String::new(),
            (true, false) => "it".into(),
            (false, _) => format!("{} with {}", words::doing(work), self.name(&method, work)),
        };
        self.subject = Some((method, work));
        if verb.is_empty() { format!("{name} ") } else { format!("{name} {verb} ") }
    }

    /// In words and by name the first time, by name alone after that.
    fn name(&mut self, method: &MethodName, work: Work) -> String {
        let words = words::method_for(method, work);
        if self.said.iter().any(|(said, known)| *said == words || known == method) {
            return method.to_string();
        }
        self.said.push((words.clone(), method.clone()));
        format!("{words} ({method})")
    }

    /// An interval, with its confidence where that has not been said yet.
    fn with_level(&mut self, level: f64, ends: &str) -> String {
        let level = percent(level);
        if self.level.as_ref() == Some(&level) {
            return ends.to_owned();
        }
        let text = format!("{level} interval {ends}");
        self.level = Some(level);
        text
    }
}

/// What a clause is about, and the groups that it is about.
type Subject<'a> = (Option<(MethodName, Work)>, Vec<&'a GroupResult>);

/// A clause for each method that answers in some groups: in how many it was faster, and between which ends.
fn summary(run: &RunResult, sentence: &mut Sentence) -> Vec<Vec<Span>> {
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for group in &run.groups {
        let method = subject(group).map_or_else(|| planned(&group.record.group), |(arm, _)| Some(arm.method.clone()));
        let of = method.map(|method| (method, group.record.group.rw.work()));
        match subjects.iter_mut().find(|(known, _)| *known == of) {
            Some((_, groups)) => groups.push(group),
            None => subjects.push((of, vec![group])),
        }
    }
    let clause = |(of, groups): Subject<'_>| {
        if let [only] = groups[..] {
            return sentence.clause(only);
        }
        let all = count(groups.len(), "group");
        let Some((method, work)) = of else { return vec![Span::Plain(format!("nothing was compared in {all}"))] };
        let mut spans = vec![Span::Plain(format!("in {all}, {} with {} was ", words::doing(work), sentence.name(&method, work)))];
        let mut kinds = Kinds::default();
        for group in groups {
            kinds.add(group);
        }
        spans.extend(kinds.spans());
        spans
    };
    subjects.into_iter().map(clause).collect()
}

/// Groups by how they came out.
#[derive(Default)]
struct Kinds {
    faster: Vec<(f64, String)>,
    slower: Vec<(f64, String)>,
    same: Vec<String>,
    unclear: Vec<String>,
    unjudged: Vec<String>,
}

impl Kinds {
    fn add(&mut self, group: &GroupResult) {
        let title = words::title(&group.record.group);
        let lead = subject(group).map(|(_, estimate)| Lead::of(estimate));
        let point = lead.as_ref().and_then(Lead::point);
        match (lead.as_ref().map(|lead| &lead.verdict), point) {
            (Some(Verdict::Faster), Some(point)) => self.faster.push((point, title)),
            (Some(Verdict::Slower), Some(point)) => self.slower.push((point, title)),
            (Some(Verdict::Same), _) => self.same.push(title),
            (Some(Verdict::Inconclusive), _) => self.unclear.push(title),
            _ => self.unjudged.push(title),
        }
    }

    /// `faster than the baseline in 9 (1.20 times for ..., to 612 times for ...), as fast in 1 (...)`.
    fn spans(mut self) -> Vec<Span> {
        let mut parts: Vec<(&'static str, String, String)> = Vec::new();
        for (verdict, found, list) in [
            (Verdict::Faster, "faster than the baseline", &mut self.faster),
            (Verdict::Slower, "slower than the baseline", &mut self.slower),
        ] {
            // From the least to the most.
            sort::by(list, |(one, _), (other, _)| libm::log(*one).abs().total_cmp(&libm::log(*other).abs()));
            let told = |(point, title): &(f64, String)| {
                let phrase = times(*point, None).phrase();
                let factor = phrase.trim_end_matches(" faster").trim_end_matches(" slower");
                format!("{factor} for {title}")
            };
            let ends = match list.as_slice() {
                [] => continue,
                [only] => told(only),
                [least, .., most] => format!("{}, to {}", told(least), told(most)),
            };
            parts.push((verdict::class(&verdict), format!("{found} in {}", list.len()), ends));
        }
        for (verdict, found, list) in
            [(Verdict::Same, "as fast", &self.same), (Verdict::Inconclusive, "neither clearly faster nor clearly slower", &self.unclear)]
        {
            if !list.is_empty() {
                parts.push((verdict::class(&verdict), format!("{found} in {}", list.len()), few(list)));
            }
        }
        if !self.unjudged.is_empty() {
            let unjudged = verdict::class(&Verdict::Withheld { reasons: Vec::new() });
            parts.push((unjudged, format!("not judged in {}", self.unjudged.len()), few(&self.unjudged)));
        }
        let mut spans = Vec::new();
        for (place, (class, found, ends)) in parts.into_iter().enumerate() {
            if place > 0 {
                spans.push(Span::Plain(", ".into()));
            }
            spans.extend([Span::Found(class, found), Span::Plain(format!(" ({ends})"))]);
        }
        spans
    }
}

/// Two of them, and how many more there are.
fn few(titles: &[String]) -> String {
    match titles {
        [one, other, rest @ ..] if !rest.is_empty() => format!("{one}; {other}; and {} more", rest.len()),
        titles => titles.join("; "),
    }
}

/// What may answer: what is no choice is no answer, however fast.
fn contenders(group: &GroupResult) -> Vec<(&Arm, &ArmEstimate)> {
    table::arms(group).into_iter().filter(|(arm, _)| arm.role == Role::Contender && !is_limit(arm)).collect()
}

/// The arm that answers the question: `worker/sync` where the browser has it, else the fastest contender with a verdict, else the first.
fn subject(group: &GroupResult) -> Option<(&Arm, &ArmEstimate)> {
    let contenders = contenders(group);
    let judged = contenders.iter().filter(|(_, estimate)| !matches!(estimate.verdict, Verdict::Withheld { .. }));
    let log = |estimate: &ArmEstimate| estimate.ratio.map_or(f64::INFINITY, |ratio| ratio.log);
    let fastest = judged.min_by(|(_, one), (_, other)| log(one).total_cmp(&log(other)));
    contenders.iter().find(|(arm, _)| is_sync(&arm.method) && arm.absent.is_none()).or(fastest).or(contenders.first()).copied()
}

/// The method that would have answered, had anything been measured.
fn planned(group: &Group) -> Option<MethodName> {
    let choices = || group.methods.iter().filter(|method| method.thread().is_choice());
    choices().find(|method| is_sync(method)).or(choices().next()).cloned()
}

fn is_sync(method: &MethodName) -> bool {
    method.thread() == crate::job::Thread::Worker && method.api() == "sync"
}

/// Why the subject has no verdict: the group's reasons, or where it has none its own.
fn reasons(group: &GroupResult, subject: Option<(&Arm, &ArmEstimate)>) -> String {
    let mut reasons: Vec<String> = group.estimates.invalid.iter().map(|reason| verdict::invalid(*reason, &group.record)).collect();
    if reasons.is_empty()
        && let Some((_, ArmEstimate { verdict: Verdict::Withheld { reasons: own }, .. })) = subject
    {
        reasons.extend(own.iter().map(|reason| verdict::withheld(reason, group.estimates.level)));
    }
    // What a link brought says that there is no verdict, and not why.
    let measured = subject.is_some_and(|(_, estimate)| estimate.per_op.is_some());
    match reasons.as_slice() {
        [] if measured => "of a reason that the link does not tell".into(),
        [] => "it was not measured".into(),
        reasons => reasons.join(", and "),
    }
}
