//! Shows how far a run is: a bar on a terminal, now and then a line elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::page::Poll;

/// Without a terminal: a line this often.
const LINES_EVERY: Duration = Duration::from_secs(5);
/// The bar's resolution.
const STEPS: u64 = 1000;

/// Shows progress on standard error, so that standard output holds the result alone.
pub struct Progress {
    bar: Option<ProgressBar>,
    last_line: Option<Instant>,
    /// Of a run among many: its name. Without a terminal it then has no lines of its own.
    among: Option<String>,
}

impl Progress {
    /// Shows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:28} {percent:>3} %  {wide_msg}").expect("a constant");
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
            bar.set_style(style.progress_chars("=> "));
            bar
        });
        Self { bar, last_line: None, among: None }
    }

    /// For a run among many, of which there is a line each: this one's name is shown with its bar.
    #[must_use]
    pub fn among(name: String) -> Self {
        let mut progress = Self::new();
        progress.among = Some(name);
        progress
    }

    /// Shows a line of text that stays.
    pub fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| crate::tell!("{text}")),
            None => crate::tell!("{text}"),
        }
    }

    /// Shows how far the page is.
    pub fn show(&mut self, poll: &Poll) {
        let fraction = poll.fraction.unwrap_or(0.0).clamp(0.0, 1.0);
        let message = match &self.among {
            Some(name) => format!("{name}, {}", message(poll)),
            None => message(poll),
        };
        match &self.bar {
            Some(bar) => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and STEPS")]
                bar.set_position((fraction * STEPS as f64) as u64);
                bar.set_message(message);
            }
            None if self.among.is_none() && self.last_line.is_none_or(|last| last.elapsed() >= LINES_EVERY) => {
                crate::tell!("{:>3.0} %  {message}", fraction * 100.0);
                self.last_line = Some(Instant::now());
            }
            None => {}
        }
    }

    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// The time left and what runs now: that order, since a narrow terminal cuts the end.
fn message(poll: &Poll) -> String {
    let doing = poll.doing.as_deref().filter(|doing| !doing.is_empty()).map_or_else(|| poll.state.to_string(), str::to_owned);
    match poll.seconds_left {
        Some(seconds) if seconds >= 1.0 => format!("{seconds:.0} s left: {doing}"),
        Some(_) => format!("less than 1 s left: {doing}"),
        None => doing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::State;

    #[test]
    fn a_line_says_what_runs_and_how_long_it_takes() {
        let mut poll =
            Poll { state: State::Running, fraction: Some(0.5), doing: Some("reading".into()), seconds_left: Some(12.4), error: None };
        assert_eq!(message(&poll), "12 s left: reading");
        poll.seconds_left = Some(0.2);
        assert_eq!(message(&poll), "less than 1 s left: reading");
        poll.doing = None;
        poll.seconds_left = None;
        assert_eq!(message(&poll), "running");
    }
}
