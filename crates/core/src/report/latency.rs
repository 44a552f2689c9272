//! The table of single ops as data, for groups that time them one by one.

use super::format::duration;
use super::lead::Lead;
use super::table::{Cell, Detail, Entry, Heading, Row, lines};
use super::words;
use crate::estimate::{ArmEstimate, LatencyEstimates};
use crate::job::{Group, Timing};
use crate::protocol;
use crate::result::{Arm, GroupRecord, GroupResult};
use crate::sort;
use crate::stats::{Latency, LatencyPercentile};
use crate::units::Nanos;

/// What stands where there are too few ops for a percentile.
const NONE: &str = "—";

/// None where no arm has times of single ops.
pub(super) fn of(group: &GroupResult) -> Option<Detail> {
    let job = &group.record.group;
    let timed: Vec<_> = lines(group)
        .into_iter()
        .filter_map(|(arm, estimate)| Some((arm, estimate, estimate.latencies.as_ref().filter(|_| job.timing == Timing::Ops)?)))
        .collect();
    let number = |text: &str| Heading { text: text.into(), number: true };
    let percentiles = LatencyPercentile::ALL.map(|percentile| number(name(percentile)));
    let mut columns = vec![Heading { text: "method".into(), number: false }];
    columns.extend(percentiles.into_iter().chain([number("max"), number("ops")]));
    (!timed.is_empty()).then(|| Detail {
        title: title(job),
        folded: false,
        figure: None,
        columns,
        rows: timed.iter().map(|(arm, estimate, latencies)| row(&group.record, arm, estimate, latencies)).collect(),
        legend: legend(job, &timed.iter().map(|(_, _, latencies)| *latencies).collect::<Vec<_>>()),
    })
}

fn title(job: &Group) -> String {
    match job.rate_iops {
        None => "Latency of single ops: service time (closed loop)".into(),
        Some(rate) => format!("Latency of single ops: response time at {rate} ops/s (paced)"),
    }
}

/// What a sample is, where it is no batch.
pub(super) fn fact(job: &Group) -> String {
    match (job.timing, job.rate_iops) {
        (Timing::Batches | Timing::Passes, _) => String::new(),
        (Timing::Ops, None) => "A sample is the sum of its ops' service times.".into(),
        (Timing::Ops, Some(_)) => "A sample is the sum of its ops' response times, so \"per op\" and the ratio are of those.".into(),
    }
}

fn row(record: &GroupRecord, arm: &Arm, estimate: &ArmEstimate, latencies: &LatencyEstimates) -> Row {
    let percentiles = LatencyPercentile::ALL.map(|percentile| latencies.percentile(percentile).map_or_else(|| NONE.into(), told));
    let mut cells = vec![words::arm(record, arm)];
    cells.extend(percentiles.into_iter().chain([told(latencies.longest), latencies.ops.to_string()]));
    let cells = cells.into_iter().map(|value| Cell { value, interval: None }).collect();
    Row { role: arm.role, class: Lead::of(estimate).class_of(arm), cells }
}

fn told(latency: Latency) -> String {
    match latency {
        Latency::Time(time) => duration(time.as_f64()),
        Latency::BelowTenTicks(ten_ticks) => below(ten_ticks),
    }
}

/// Ten ticks are a round number, and look measured where they are not written as one.
fn below(ten_ticks: Nanos) -> String {
    let text = duration(ten_ticks.as_f64());
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("< {number} {unit}")
}

fn legend(job: &Group, timed: &[&LatencyEstimates]) -> Vec<Entry> {
    let entry = |term: String, text: String| Entry { term, text };
    let kind = match job.rate_iops {
        None => entry(
            "service time".into(),
            "from an op's beginning to its end. The next op begins when it has ended, so an op that stalls also delays the next ones, \
             and that is not counted"
                .into(),
        ),
        Some(_) => entry(
            "response time".into(),
            "from the moment that an op was due by the rate to its end, one op at a time: where an op stalls, those due meanwhile wait, \
             and that is counted"
                .into(),
        ),
    };
    let mut legend = vec![
        kind,
        entry(
            "p50 to p99.9".into(),
            "the time that so many per cent of the ops did not exceed, rounded up by 0.1 % at most and no finer than the clock's tick"
                .into(),
        ),
    ];
    if timed.iter().any(|latencies| latencies.percentiles.len() < LatencyPercentile::ALL.len()) {
        let wanted = LatencyPercentile::ALL.map(|percentile| format!("{} for {}", percentile.fewest_ops(), name(percentile)));
        legend.push(entry(NONE.into(), format!("too few ops; needed are {}", wanted.join(", "))));
    }
    let mut below: Vec<String> = latencies(timed).filter_map(ten_ticks).map(self::below).collect();
    sort::distinct(&mut below);
    let text = || format!("shorter than {} ticks of the clock: no number", protocol::LATENCY_TICKS);
    legend.extend(below.into_iter().map(|term| entry(term, text())));
    legend
}

/// Every value of the table.
fn latencies<'a>(timed: &'a [&LatencyEstimates]) -> impl Iterator<Item = Latency> + 'a {
    timed.iter().flat_map(|latencies| latencies.percentiles.iter().map(|(_, latency)| *latency).chain([latencies.longest]))
}

fn ten_ticks(latency: Latency) -> Option<Nanos> {
    if let Latency::BelowTenTicks(ten_ticks) = latency { Some(ten_ticks) } else { None }
}

fn name(percentile: LatencyPercentile) -> &'static str {
    match percentile {
        LatencyPercentile::P50 => "p50",
        LatencyPercentile::P90 => "p90",
        LatencyPercentile::P95 => "p95",
        LatencyPercentile::P99 => "p99",
        LatencyPercentile::P999 => "p99.9",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_ticks_are_written_as_a_round_number() {
        for (tick, text) in [(5_000, "< 50 µs"), (20_000, "< 200 µs"), (100_000, "< 1 ms"), (1_000_000, "< 10 ms"), (1_250, "< 12.5 µs")]
        {
            assert_eq!(below(Nanos(tick * protocol::LATENCY_TICKS)), text);
        }
    }
}
