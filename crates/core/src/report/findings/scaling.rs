//! Whether reading all files takes time in proportion to their number.

use super::{Finding, heading, of_words, size};
use crate::answers::ladder::Ladder;
use crate::answers::scaling::{self, Growth, LEVEL, Scaling};
use crate::job::Open;
use crate::report::format::{percent, ratio_estimate};
use crate::report::table::{Cell, Detail, Row};
use crate::result::{Role, RunResult};

pub(super) fn of(run: &RunResult) -> Option<Finding> {
    let found = scaling::of(run);
    let in_proportion = found.iter().flat_map(|(_, methods)| methods).all(|scaling| scaling.growth == Growth::InProportion);
    let rows: Vec<Row> = found.iter().flat_map(|(ladder, methods)| methods.iter().map(|scaling| row(run, ladder, scaling))).collect();
    let of_all =
        "The time for all files grows as their number to the power that stands here: 1 is in proportion, so that twice as many files \
                  take twice as long. Its interval is widened where groups scatter about the line more than their samples do."
            .to_owned();
    let summary = in_proportion.then(|| "With every method, time is in proportion to the number of files.".to_owned());
    (!rows.is_empty()).then(|| Finding {
        id: "scaling".into(),
        title: "Time against the number of files".into(),
        sentences: summary.into_iter().chain([of_all]).collect(),
        details: vec![Detail {
            title: "How time grows with the number of files".into(),
            folded: false,
            figure: None,
            columns: vec![
                heading("files", false),
                heading("method", false),
                heading(format!("exponent ({})", percent(LEVEL)), true),
                heading("growth", false),
            ],
            rows,
            legend: Vec::new(),
        }],
    })
}

fn row(run: &RunResult, ladder: &Ladder, scaling: &Scaling) -> Row {
    let group = ladder.groups(run).next().map(|(_, group)| &group.record.group);
    let files = group.zip(ladder.rungs.first().zip(ladder.rungs.last())).map(|(group, ((least, _), (most, _)))| {
        let open = if group.open == Open::Each { "opened each" } else { "kept open" };
        format!("{least} to {most} of {}, {open}", size(group.fileset().file_size.0))
    });
    let estimate = ratio_estimate(scaling.exponent, Some(scaling.interval));
    let growth = match scaling.growth {
        Growth::InProportion => "in proportion",
        Growth::Faster => "more than in proportion",
        Growth::Slower => "less than in proportion",
        Growth::Untold => "cannot be told",
    };
    let cells = vec![
        of_words(files.unwrap_or_default()),
        of_words(scaling.method.to_string()),
        Cell { value: estimate.value(), interval: estimate.interval() },
        of_words(growth),
    ];
    Row { role: Role::Contender, class: "", cells }
}
