//! The chart of time against size, or against a number of files: both axes logarithmic, a line for each method, intervals as bars.
//!
//! As in the other charts, horizontal places are percentages and vertical ones pixels. A polyline takes no percentages, so a line is made of
//! straight pieces; a mark stands in a small picture of its own at its place. Colours come from classes in `report.css`; marks have shapes
//! besides, for those who do not tell the colours apart.

use maud::{Markup, html};

use super::format::duration;

/// Height of the plot, in pixels, and of what stands above it and below.
const PLOT: f64 = 260.0;
const TOP: f64 = 14.0;
const AXIS: f64 = 42.0;
/// The axis' left and right ends, as parts of the width: times stand at the left, over the grid.
const EDGES: (f64, f64) = (0.14, 0.95);
/// Labels of sizes keep this distance, as a part of the width: on a phone "256 KiB" needs 50 px.
const DISTANCE: f64 = 0.17;
/// Labels of times keep this distance, in pixels.
const BETWEEN_TIMES: f64 = 34.0;
/// More lines than this cannot be told apart.
pub(super) const MOST_LINES: usize = 8;
/// Colours in `report.css`; where they are used up they begin anew, dashed.
const COLOURS: usize = 6;

/// A method's line.
pub(super) struct Line {
    pub(super) name: String,
    /// From left to right.
    pub(super) points: Vec<Point>,
}

/// A time at a size: above 0, as is the size.
pub(super) struct Point {
    pub(super) size: f64,
    pub(super) ns: f64,
    pub(super) interval: Option<(f64, f64)>,
}

/// What stands along the horizontal axis.
pub(super) struct Scale {
    /// Sizes and their labels, from left to right.
    pub(super) ticks: Vec<(f64, String)>,
    /// What they are of.
    pub(super) title: String,
}

/// A logarithmic axis over some values.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>) -> Option<Self> {
        let logs = values.filter(|value| *value > 0.0 && value.is_finite()).map(libm::log);
        let (low, high) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
        // Times that are all the same still need a height.
        let padding = if high - low < 0.2 { 0.1 } else { 0.0 };
        (low <= high).then_some(Self { low: low - padding, high: high + padding })
    }

    /// From 0 at its low end to 1 at the other.
    fn position(&self, value: f64) -> f64 {
        ((libm::log(value) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// The axes of a chart.
struct Axes {
    x: Axis,
    y: Axis,
}

impl Axes {
    fn x(&self, size: f64) -> String {
        format!("{:.2}%", (EDGES.0 + self.x.position(size) * (EDGES.1 - EDGES.0)) * 100.0)
    }

    fn y(&self, ns: f64) -> f64 {
        TOP + (1.0 - self.y.position(ns)) * PLOT
    }

    /// Whole tens, or twice and five times those too where that leaves room.
    fn times(&self) -> Vec<f64> {
        let (low, high) = (libm::exp(self.y.low), libm::exp(self.y.high));
        let leads: [&[f64]; 4] = [&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0], &[1.0]];
        let steps = [1, 1, 1, 2];
        let mut ticks = Vec::new();
        for (leads, step) in leads.into_iter().zip(steps) {
            let powers = (-6..=18).filter(|power| power % step == 0).map(|power| libm::pow(10.0, f64::from(power)));
            ticks = powers.flat_map(|power| leads.iter().map(move |lead| lead * power)).filter(|ns| (low..=high).contains(ns)).collect();
            if ticks.windows(2).all(|pair: &[f64]| self.y(pair[0]) - self.y(pair[1]) >= BETWEEN_TIMES) {
                break;
            }
        }
        ticks
    }

    /// Those sizes whose labels have room, the first and the last among them.
    fn sizes<'a>(&self, scale: &'a Scale) -> Vec<&'a (f64, String)> {
        let place = |tick: &(f64, String)| self.x.position(tick.0) * (EDGES.1 - EDGES.0);
        let mut shown: Vec<&(f64, String)> = Vec::new();
        let last = scale.ticks.last();
        for tick in &scale.ticks {
            let apart = |other: &(f64, String)| (place(tick) - place(other)).abs() >= DISTANCE;
            let is_last = last.is_some_and(|last| std::ptr::eq(last, tick));
            if is_last || shown.last().is_none_or(|before| apart(before)) && last.is_none_or(apart) {
                shown.push(tick);
            }
        }
        shown
    }
}

/// The chart. None where there is nothing to draw.
pub(super) fn chart(lines: &[Line], scale: &Scale, id: &str, title: &str, caption: &str) -> Option<Markup> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let times = points().flat_map(|point| [Some(point.ns), point.interval.map(|(low, _)| low), point.interval.map(|(_, high)| high)]);
    let axes = Axes { x: Axis::over(points().map(|point| point.size))?, y: Axis::over(times.flatten())? };
    let bottom = TOP + PLOT;
    let described: Vec<String> = lines.iter().filter_map(described).collect();
    Some(html! {
        figure.chart.lines {
            p.keys { @for (place, line) in lines.iter().enumerate() { span { (key(place)) " " (line.name) } " " } }
            svg role="img" aria-labelledby={ (id) "-title " (id) "-description" } width="100%" height=(bottom + AXIS) xmlns="http://www.w3.org/2000/svg" {
                title id={ (id) "-title" } { (title) }
                desc id={ (id) "-description" } { (described.join(" ")) }
                @for ns in axes.times() {
                    line.grid x1="0" x2="100%" y1=(pixels(axes.y(ns))) y2=(pixels(axes.y(ns))) {}
                    text.tick x="0" y=(pixels(axes.y(ns) - 4.0)) { (plain(&duration(ns))) }
                }
                @for (size, label) in axes.sizes(scale) {
                    line.grid x1=(axes.x(*size)) x2=(axes.x(*size)) y1=(TOP) y2=(bottom) {}
                    text.tick x=(axes.x(*size)) y=(bottom + 18.0) text-anchor="middle" { (label) }
                }
                text.direction x="100%" y=(bottom + 36.0) text-anchor="end" { (scale.title) " →" }
                @for (place, line) in lines.iter().enumerate() { (self::line(line, place, &axes)) }
            }
            figcaption { (caption) }
        }
    })
}

fn line(line: &Line, place: usize, axes: &Axes) -> Markup {
    html! {
        g class=(class(place)) {
            @for pair in line.points.windows(2) {
                line.piece x1=(axes.x(pair[0].size)) y1=(pixels(axes.y(pair[0].ns))) x2=(axes.x(pair[1].size)) y2=(pixels(axes.y(pair[1].ns))) {}
            }
            @for point in &line.points {
                @if let Some((low, high)) = point.interval {
                    line.interval x1=(axes.x(point.size)) x2=(axes.x(point.size)) y1=(pixels(axes.y(low))) y2=(pixels(axes.y(high))) {}
                }
                svg.mark x=(axes.x(point.size)) y=(pixels(axes.y(point.ns))) { (mark(place)) }
            }
        }
    }
}

/// A shape about (0, 0).
fn mark(place: usize) -> Markup {
    html! {
        @match place % 4 {
            0 => circle r="4" {},
            1 => rect x="-3.5" y="-3.5" width="7" height="7" {},
            2 => path d="M0-5 5 4H-5Z" {},
            _ => path d="M0-5.5 5.5 0 0 5.5-5.5 0Z" {},
        }
    }
}

fn key(place: usize) -> Markup {
    html! {
        svg.line-key.(class(place)) width="28" height="12" viewBox="-14 -6 28 12" aria-hidden="true" {
            line.piece x1="-14" x2="14" y1="0" y2="0" {}
            (mark(place))
        }
    }
}

fn class(place: usize) -> String {
    format!("series series-{}{}", place % COLOURS, if place < COLOURS { "" } else { " dashed" })
}

fn pixels(value: f64) -> String {
    format!("{value:.1}")
}

/// A round number without the zeros that would say how well it is known.
fn plain(time: &str) -> String {
    time.replace(".00 ", " ").replace(".0 ", " ")
}

/// The ends of a line in words, for those who do not see it.
fn described(line: &Line) -> Option<String> {
    let (first, last) = (line.points.first()?, line.points.last()?);
    Some(format!("{}: from {} to {}.", line.name, duration(first.ns), duration(last.ns)))
}
