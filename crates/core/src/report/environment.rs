//! The device, the browser and the run, as labels and values. What a browser does not tell is not shown.

use super::format::{duration, percent, significant};
use super::native;
use super::prose::one_line;
use crate::result::{Fixture, RunResult};

/// One line about the device or the run.
pub(super) struct Fact {
    pub(super) label: &'static str,
    pub(super) value: String,
    /// Where the value leads to: it is then an address.
    pub(super) link: bool,
}

/// The rules and their reasons, for whoever has the report alone.
pub(super) const METHOD: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/method.md");

/// Everything known of where and how the run took place.
pub(super) fn facts(run: &RunResult) -> Vec<Fact> {
    let environment = &run.environment;
    let mut facts = Vec::new();
    let mut add = |label, value: Option<String>| {
        facts.extend(value.filter(|value| !value.is_empty()).map(|value| Fact { label, value, link: false }));
    };
    add("Browser", Some(one_line(&environment.browser)));
    add("System", Some(one_line(&environment.system)));
    add("Cores", environment.cores.map(|cores| format!("{cores}, as the browser reports them")));
    add("Memory", environment.memory_gib.map(|memory| format!("{} GiB or more, as the browser reports it", plain(memory))));
    add(
        "Screen",
        environment.screen.map(|screen| {
            format!("{} × {} CSS pixels, {} device pixels each way", plain(screen.width), plain(screen.height), plain(screen.pixel_ratio))
        }),
    );
    add("Frames", environment.frame_ms.map(|frame| format!("one every {} before the run", duration(frame * 1e6))));
    add(
        "Battery",
        environment
            .battery
            .map(|battery| format!("{}, {} full", if battery.charging { "plugged in" } else { "not plugged in" }, percent(battery.level))),
    );
    add("Cross-origin isolated", Some(yes_no(environment.isolated)));
    add("Driven by a program", Some(yes_no(environment.automated)));
    add(
        "Clock tick",
        run.ticks.map(|ticks| {
            let [main, worker] = [ticks.main_ns, ticks.worker_ns].map(|tick| duration(tick.as_f64()));
            format!("{main} on the main thread, {worker} in the worker")
        }),
    );
    add("Storage", environment.storage.map(|storage| format!("{} used of {} before the run", size(storage.usage), size(storage.quota))));
    add("Files", Some(run.fixtures.iter().map(files).collect::<Vec<_>>().join("; ")));
    add("native/read", native::place(run));
    add("Page", Some(one_line(&environment.address)));
    add("User agent", Some(one_line(&environment.user_agent)));
    add("Job", Some(one_line(&run.job.name)));
    add("Started", Some(one_line(&run.started)));
    add("Took", Some(duration(run.elapsed_ns.as_f64())));
    add("Seed", Some(run.seed.to_string()));
    add("Measured by", Some(format!("opfs-bench {}, protocol {}", one_line(&run.version), run.protocol)));
    facts.push(Fact { label: "How it measures", value: METHOD.into(), link: true });
    facts
}

fn yes_no(holds: bool) -> String {
    if holds { "yes" } else { "no" }.into()
}

/// A number that a browser gives, without zeros that it did not give.
fn plain(number: f64) -> String {
    let text = significant(number, 4);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn files(fixture: &Fixture) -> String {
    let fileset = fixture.fileset;
    let [write, flush] = [fixture.write_ns, fixture.flush_ns].map(|time| duration(time.as_f64()));
    // What runs of own files read can be told apart by it, and by nothing else.
    let own =
        fileset.own.map_or_else(String::new, |own| format!(", {} in all, checksum {}", own.total.rounded(), one_line(&fixture.checksum)));
    format!("{fileset}{own}, written in {write} ({flush} of it flushing)")
}

/// A size that a browser only estimates, rounded to three digits.
fn size(bytes: f64) -> String {
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let unit = units.into_iter().find(|(_, size)| bytes >= *size as f64);
    unit.map_or_else(|| format!("{} B", plain(bytes)), |(unit, size)| format!("{} {unit}", significant(bytes / size as f64, 3)))
}
