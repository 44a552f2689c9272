//! What the browser costs over the operating system: the same workload read outside of it, beside the group's arms. No verdict follows from
//! that, since it was measured in rounds of its own.

use super::format::ratio;
use super::prose::{capitalised, one_line};
use super::table::{Cell, Detail, Entry, Heading, Row, arms};
use super::verdict::{self, clause};
use super::{lead::Lead, words};
use crate::estimate::{ArmEstimate, PerOp};
use crate::result::{Arm, GroupResult, Native, NativePlace, NativeReads, Role, RunResult};

/// What stands in its verdict's place.
pub(super) const APART: &str = "apart";

/// The arm to show, with what follows for it.
pub(super) fn arm(group: &GroupResult) -> Option<(&Arm, &ArmEstimate)> {
    let NativeReads { record, estimates, .. } = group.native.as_ref()?.reads()?;
    record.arms.iter().zip(&estimates.arms).find(|(arm, _)| arm.role == Role::Baseline)
}

/// How it was measured, in a sentence, or why it was not.
pub(super) fn fact(group: &GroupResult) -> String {
    match &group.native {
        None => String::new(),
        Some(Native::Failed { error }) => format!("{} could not be measured: {}.", capitalised(words::OPERATING_SYSTEM), clause(error)),
        Some(Native::Measured(reads)) => {
            let reasons: Vec<String> = reads.estimates.invalid.iter().map(|reason| verdict::invalid(*reason, &reads.record)).collect();
            let doubt = if reasons.is_empty() { String::new() } else { format!(" It is doubtful, because {}.", reasons.join(", and ")) };
            format!("native/read was measured apart, after the browser had ended: no verdict rests on it.{doubt}")
        }
    }
}

/// Where the operating system read: `Linux 6.12.1, ext4, in /var/tmp`. None where it did not.
pub(super) fn place(run: &RunResult) -> Option<String> {
    let mut reads = run.groups.iter().filter_map(|group| group.native.as_ref()?.reads());
    let NativePlace { system, file_system, folder } = &reads.next()?.place;
    let folder = format!("in {}", one_line(folder));
    Some([Some(one_line(system)), file_system.as_deref().map(one_line), Some(folder)].into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// How many times as long as the operating system each method takes. None where that was not measured.
pub(super) fn of(group: &GroupResult) -> Option<Detail> {
    let native = timed(arm(group)?.1)?;
    let compared = arms(group).into_iter().filter(|(arm, _)| matches!(arm.role, Role::Baseline | Role::Contender));
    let row = |(arm, estimate): (&Arm, &ArmEstimate)| {
        let per_op = estimate.per_op?;
        let times = format!("{}{}×", if per_op.at_most { "≤ " } else { "" }, ratio(per_op.median_ns / native.median_ns));
        let plain = |value: String| Cell { value, interval: None };
        let cells = vec![plain(words::arm(&group.record, arm)), plain(times)];
        Some(Row { role: arm.role, class: Lead::of(estimate).class_of(arm), cells })
    };
    let rows: Vec<Row> = compared.filter_map(row).collect();
    let over = "over native/read";
    (!rows.is_empty()).then(|| Detail {
        figure: None,
        title: "Browser over operating system".into(),
        folded: false,
        columns: vec![Heading { text: "method".into(), number: false }, Heading { text: over.into(), number: true }],
        rows,
        legend: vec![Entry {
            term: over.into(),
            text: format!(
                "what an op typically takes over what {} typically took for it; no interval, since the two were measured apart",
                words::OPERATING_SYSTEM
            ),
        }],
    })
}

/// A time that something can be divided by.
fn timed(estimate: &ArmEstimate) -> Option<PerOp> {
    estimate.per_op.filter(|per_op| !per_op.at_most && per_op.median_ns > 0.0)
}
