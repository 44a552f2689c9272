//! The chart of a group's ratios with their intervals on a logarithmic axis, as SVG.
//!
//! Horizontal places are percentages and vertical ones pixels, so that the chart is as wide as its column while its text keeps
//! the page's size: it reads at 320 px and on a desk alike. Colours come from classes in `report.css`.

use maud::{Markup, html};

use super::axis::Axis;
use super::format::{percent, ratio_estimate, times};
use super::lead::{LIMIT, Lead};
use super::prose::unbroken;
use super::{table, words};
use crate::estimate::{ArmEstimate, Verdict};
use crate::protocol;
use crate::result::{Arm, GroupResult, Role};
use crate::sort;

/// The axis' left and right ends, as parts of the width: its outermost labels and marks need room.
const EDGES: (f64, f64) = (0.05, 0.95);
/// Height of an arm's lane, in pixels: a line of text above its mark.
const LANE: usize = 42;
/// From the top of a lane to its text's baseline, and to its mark.
const TEXT: usize = 15;
const MARK: usize = 28;
/// Where arms differ in their options, lanes have a second line of text for those: cut off, two names would be one.
const OPTIONS: usize = 16;
/// Height of the axis below the lanes: its labels, and which way is faster.
const AXIS: usize = 44;
/// A name longer than this would run into the finding on a narrow phone.
const LONGEST_NAME: usize = 20;

/// An arm that has a ratio.
struct Lane {
    name: String,
    /// What the arm does otherwise than the group says. Empty where it does nothing.
    options: String,
    null: bool,
    class: &'static str,
    label: String,
    lead: Lead,
    log: f64,
}

/// The group's chart. Where no arm has a ratio, a sentence that says so.
pub(super) fn chart(group: &GroupResult) -> Markup {
    let mut compared: Vec<(&Arm, &ArmEstimate)> =
        table::arms(group).into_iter().filter(|(arm, _)| matches!(arm.role, Role::Null | Role::Contender)).collect();
    // What was asked first, and last how much a difference of nothing looks like.
    sort::by_key(&mut compared, |(arm, _)| arm.role == Role::Null);
    let lanes: Vec<Lane> = compared.iter().filter_map(|(arm, estimate)| Lane::of(group, arm, estimate)).collect();
    let drawn = |arm: &Arm, estimate: &ArmEstimate| Lane::of(group, arm, estimate).is_some();
    let without: Vec<String> =
        compared.iter().filter(|(arm, estimate)| !drawn(arm, estimate)).map(|(arm, _)| words::arm(&group.record, arm)).collect();
    html! {
        figure.chart {
            @if !lanes.is_empty() { (svg(group, &lanes)) }
            figcaption { (unbroken(&caption(group, &lanes, &without))) }
        }
    }
}

/// What the marks mean, and which arms have none.
fn caption(group: &GroupResult, lanes: &[Lane], without: &[String]) -> String {
    if lanes.is_empty() {
        return "There is no ratio to draw.".into();
    }
    let bars = lanes.iter().any(|lane| lane.lead.log_interval.is_some());
    let bars = bars.then(|| format!("Bars: {} intervals.", percent(group.estimates.level)));
    let margin = format!("Shaded: within {} of the baseline.", percent(protocol::MARGIN));
    let without = (!without.is_empty()).then(|| format!("Not drawn, for want of a ratio: {}.", without.join(", ")));
    [bars, Some(margin), without].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

impl Lane {
    fn of(group: &GroupResult, arm: &Arm, estimate: &ArmEstimate) -> Option<Self> {
        let lead = Lead::of(estimate);
        let log = lead.log.filter(|log| log.is_finite())?;
        let (class, label) = (lead.class_of(arm), lead.label_of(arm));
        let (name, null) = (words::arm(&group.record, arm), arm.role == Role::Null);
        let options = if null { String::new() } else { arm.method.options().to_string() };
        Some(Self { name, options, null, class, label, lead, log })
    }

    fn class(&self) -> String {
        format!("lane {}{}", self.class, if self.null { " null" } else { "" })
    }

    /// What stands at the right end: `612× faster`, or the verdict. Short, since a phone has room for little more than the name.
    fn finding(&self) -> String {
        match self.lead.verdict {
            Verdict::Faster | Verdict::Slower if self.class != LIMIT => {
                format!("{}{}", times(libm::exp(self.log), self.lead.interval()).short(), self.lead.suffix())
            }
            _ => self.label.clone(),
        }
    }

    /// The name without its options, which have a line of their own.
    fn shortened(&self) -> String {
        let name = self.name.strip_suffix(&self.options).map_or(&*self.name, |name| name.trim_end_matches(':'));
        if name.chars().count() <= LONGEST_NAME {
            return name.to_owned();
        }
        name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
    }

    /// The numbers in words, for those who do not see the chart.
    fn described(&self) -> String {
        let estimate = ratio_estimate(libm::exp(self.log), self.lead.interval());
        let interval = estimate.ends.as_ref().map(|(low, high)| format!(" ({low} to {high})")).unwrap_or_default();
        format!("{}: {}{interval}, {}.", self.name, estimate.point, self.label)
    }
}

/// A place on the axis as a percentage of the width.
fn percentage(position: f64) -> String {
    format!("{:.2}%", (EDGES.0 + position * (EDGES.1 - EDGES.0)) * 100.0)
}

fn svg(group: &GroupResult, lanes: &[Lane]) -> Markup {
    let logs = lanes.iter().flat_map(|lane| {
        let (low, high) = lane.lead.log_interval.unwrap_or((lane.log, lane.log));
        [lane.log, low, high]
    });
    let axis = Axis::over(logs);
    let margin = libm::log1p(protocol::MARGIN);
    let (band_from, band_to) = (axis.position(-margin), axis.position(margin));
    let one = percentage(axis.position(0.0));
    let second = if lanes.iter().any(|lane| !lane.options.is_empty()) { OPTIONS } else { 0 };
    let height = LANE + second;
    let bottom = lanes.len() * height + 4;
    let baseline = &group.record.group.baseline;
    let id = format!("chart-{}", group.record.index);
    let described: Vec<String> = lanes.iter().map(Lane::described).collect();
    html! {
        svg role="img" aria-labelledby={ (id) "-title " (id) "-description" } width="100%" height=(bottom + AXIS) xmlns="http://www.w3.org/2000/svg" {
            title id={ (id) "-title" } { "Time of an op over that of " (baseline) ": " (words::title(&group.record.group)) }
            desc id={ (id) "-description" } { "Below 1 is faster. " (described.join(" ")) }
            rect.margin x=(percentage(band_from)) y="0" width=(width(band_from, band_to)) height=(bottom) {}
            @for tick in &axis.ticks {
                line.grid x1=(percentage(tick.at)) x2=(percentage(tick.at)) y1="0" y2=(bottom) {}
                text.tick x=(percentage(tick.at)) y=(bottom + 16) text-anchor="middle" { (tick.label) }
            }
            line.one x1=(one) x2=(one) y1="0" y2=(bottom) {}
            @for (place, lane) in lanes.iter().enumerate() { (drawn(lane, &axis, place * height, second)) }
            text.direction x="0" y=(bottom + 36) { "← faster than " (baseline) }
            text.direction x="100%" y=(bottom + 36) text-anchor="end" { "slower →" }
        }
    }
}

fn width(from: f64, to: f64) -> String {
    format!("{:.2}%", (to - from) * (EDGES.1 - EDGES.0) * 100.0)
}

/// One arm: its name, what was found, a stem from 1, its interval and its point. A second line of text is so high.
fn drawn(lane: &Lane, axis: &Axis, top: usize, second: usize) -> Markup {
    let (point, one) = (percentage(axis.position(lane.log)), percentage(axis.position(0.0)));
    let y = top + second + MARK;
    html! {
        g class=(lane.class()) {
            text.name x="0" y=(top + TEXT) { (lane.shortened()) }
            @if !lane.options.is_empty() { text.options x="0" y=(top + TEXT + second) { (lane.options) } }
            text.finding x="100%" y=(top + TEXT) text-anchor="end" { (lane.finding()) }
            line.stem x1=(one) x2=(point) y1=(y) y2=(y) {}
            @if let Some((low, high)) = lane.lead.log_interval {
                line.interval x1=(percentage(axis.position(low))) x2=(percentage(axis.position(high))) y1=(y) y2=(y) {}
                circle.point cx=(point) cy=(y) r="4" {}
            } @else {
                circle.point.open cx=(point) cy=(y) r="4" {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::samples;
    use super::*;

    #[test]
    fn what_an_arm_does_otherwise_stands_on_a_line_of_its_own() {
        let mut group = samples::chromium().groups.remove(1);
        assert!(!chart(&group).into_string().contains("options"), "where no arm has any there is no such line");
        let contender = group.record.arms.iter_mut().find(|arm| arm.role == Role::Contender).expect("there");
        contender.method = "main/stream-byob:iodepth=50".parse().expect("a method's name");
        let markup = chart(&group).into_string();
        for text in [">main/stream-byob</text>", r#"class="options""#, ">iodepth=50</text>"] {
            assert!(markup.contains(text), "{text}: {markup}");
        }
    }
}
