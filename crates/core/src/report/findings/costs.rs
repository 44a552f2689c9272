//! What the steps of a read cost, and whether that explains the rows.

use super::{Finding, and, heading, listed, of_words, title};
use crate::answers::costs::{self, CostModel, FITS, LEVEL, Predicted, RIGHT};
use crate::answers::steps::{self, Step, Way};
use crate::job::Thread;
use crate::report::format::{duration_estimate, percent};
use crate::report::table::{Cell, Detail, Row};
use crate::report::words;
use crate::result::{Role, RunResult};
use crate::sort;

/// What a price of a byte is shown for.
const SHOWN_BYTES: f64 = 1_048_576.0;
/// So many rows that break a model are named in a sentence; the table has all.
const MOST_NAMED: usize = 3;
const MOST_LEFT_OUT: usize = 8;

pub(super) fn of(run: &RunResult) -> Option<Finding> {
    let models = costs::of(run);
    if models.is_empty() {
        return None;
    }
    let mut sentences: Vec<String> = models.iter().map(|model| sentence(run, model)).collect();
    sentences.extend(merged(&models));
    sentences.extend(left_out(run));
    let fitting: Vec<&CostModel> = models.iter().filter(|model| model.fits()).collect();
    let mut details = Vec::new();
    details.extend((!fitting.is_empty()).then(|| prices(&fitting)));
    details.push(predictions(run, &models));
    Some(Finding { id: "costs".into(), title: "What the steps of a read cost".into(), sentences, details })
}

fn name(way: Way) -> String {
    way.example().parse().map_or_else(|_| way.example().to_owned(), |method| words::method(&method))
}

/// A way in a cell.
fn short(way: Way) -> &'static str {
    match way {
        Way::Promises(Thread::Main) => "main, promises",
        Way::Promises(_) => "worker, promises",
        Way::SyncHandles => "worker, sync handles",
        Way::Transferred | Way::Cloned | Way::Shared => way.example(),
    }
}

/// What a step is called, alone and in a heading.
fn step(step: Step) -> (&'static str, &'static str) {
    match step {
        Step::Await => ("an await", "an await"),
        Step::Message => ("a message", "a message"),
        Step::Call => ("a call", "a call"),
        Step::Open => ("an open", "an open"),
        Step::Byte => ("a byte", "a MiB"),
    }
}

fn sentence(run: &RunResult, model: &CostModel) -> String {
    let (right, of) = (model.right(), model.rows.len());
    let name = name(model.way);
    let steps: Vec<String> = model.costs.iter().map(|cost| step(cost.step).0.to_owned()).collect();
    let within = percent(RIGHT);
    if model.fits() {
        let broken: Vec<String> = far_off(run, model);
        let but = if broken.is_empty() { String::new() } else { format!(" Not so: {}.", listed(&broken, MOST_NAMED)) };
        return format!("With {name}, the prices of {} predict {right} of {of} rows within {within}.{but}", and(&steps));
    }
    format!(
        "With {name}, no prices of {} hold: those that suit the other rows best predict {right} of {of} rows within {within}, and {} would be \
         needed. So none are shown. Farthest off: {}.",
        and(&steps),
        percent(FITS),
        listed(&far_off(run, model), MOST_NAMED)
    )
}

/// The rows that the others predict wrongly, worst first.
fn far_off(run: &RunResult, model: &CostModel) -> Vec<String> {
    let mut wrong: Vec<&Predicted> = model.rows.iter().filter(|row| !row.is_right()).collect();
    let by = |row: &Predicted| libm::fabs(libm::log(row.error() + 1.0));
    sort::by(&mut wrong, |one, other| by(other).total_cmp(&by(one)));
    let said = |row: &Predicted| {
        let group = run.groups.get(row.group).map_or_else(String::new, |group| words::title(&group.record.group));
        format!("{} in {group} ({})", row.method, error(row))
    };
    wrong.into_iter().map(said).collect()
}

fn error(row: &Predicted) -> String {
    let percent = row.error() * 100.0;
    if percent.abs() < 0.5 {
        return "within 0.5 %".into();
    }
    format!("{}{:.0} %", if percent < 0.0 { "−" } else { "+" }, percent.abs())
}

/// Steps that no rows tell apart.
fn merged(models: &[CostModel]) -> Vec<String> {
    let merged = models.iter().filter(|model| model.fits() && !model.merged.is_empty());
    let said = merged.map(|model| {
        let steps: Vec<String> = model.merged.iter().map(|merged| step(*merged).0.to_owned()).collect();
        format!(
            "With {}, the rows of this run do not tell the price of {} from the others: it is contained in those.",
            name(model.way),
            and(&steps)
        )
    });
    said.collect()
}

/// What was measured and is in no model, by reason.
fn left_out(run: &RunResult) -> Option<String> {
    let mut unknown: Vec<String> = Vec::new();
    let mut deep = false;
    for arm in run.groups.iter().flat_map(|group| &group.record.arms).filter(|arm| arm.role == Role::Contender && arm.absent.is_none()) {
        let name = arm.method.to_string();
        deep |= arm.iodepth > 1;
        if arm.method.thread().is_choice() && !steps::are_known(&arm.method) && !unknown.contains(&name) {
            unknown.push(name);
        }
    }
    let unknown = (!unknown.is_empty()).then(|| format!("{}, whose steps are not counted", listed(&unknown, MOST_LEFT_OUT)));
    let deep = deep.then(|| "rows with several reads in flight, which overlap".to_owned());
    let reasons: Vec<String> = [unknown, deep].into_iter().flatten().collect();
    (!reasons.is_empty()).then(|| format!("Left out: {}.", reasons.join("; ")))
}

fn prices(models: &[&CostModel]) -> Detail {
    let used: Vec<Step> = Step::ALL.into_iter().filter(|step| models.iter().any(|model| model.cost(*step).is_some())).collect();
    let mut columns = vec![heading("reading with", false)];
    columns.extend(used.iter().map(|used| heading(step(*used).1, true)));
    columns.push(heading("predicted rows", false));
    let rows = models.iter().map(|model| {
        let price = |step: &Step| {
            let factor = if *step == Step::Byte { SHOWN_BYTES } else { 1.0 };
            match model.cost(*step) {
                Some(cost) if cost.ns > 0.0 => {
                    let (low, high) = cost.interval_ns;
                    let estimate = duration_estimate(cost.ns * factor, Some((low * factor, high * factor)));
                    Cell { value: estimate.value(), interval: estimate.interval() }
                }
                Some(_) => of_words("nothing"),
                None if model.merged.contains(step) => of_words("contained"),
                None => of_words("—"),
            }
        };
        let mut cells = vec![of_words(short(model.way))];
        cells.extend(used.iter().map(price));
        cells.push(of_words(format!("{} of {}", model.right(), model.rows.len())));
        Row { role: Role::Contender, class: "", cells }
    });
    Detail {
        title: format!("Prices, with {} intervals", percent(LEVEL)),
        folded: false,
        figure: None,
        columns,
        rows: rows.collect(),
        legend: Vec::new(),
    }
}

/// Every row as measured, and as the others predict it.
fn predictions(run: &RunResult, models: &[CostModel]) -> Detail {
    let rows = models.iter().flat_map(|model| &model.rows).map(|row| {
        let time = |ns: f64| {
            let estimate = duration_estimate(ns, None);
            of_words(estimate.value())
        };
        let group = run.groups.get(row.group).map_or_else(String::new, title);
        let cells =
            vec![of_words(row.method.to_string()), of_words(group), time(row.measured_ns), time(row.predicted_ns), of_words(error(row))];
        Row { role: Role::Contender, class: "", cells }
    });
    Detail {
        title: "Every row, as measured and as predicted by a fit to the others".into(),
        folded: true,
        figure: None,
        columns: vec![
            heading("method", false),
            heading("group", false),
            heading("measured", true),
            heading("predicted", true),
            heading("off by", true),
        ],
        rows: rows.collect(),
        legend: Vec::new(),
    }
}
