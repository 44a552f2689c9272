//! When enough rounds have run. The width of the intervals decides, never what they say: to stop because an interval
//! cleared zero would find differences that are not there.

use crate::protocol;
use crate::units::Nanos;

/// What a look at the intervals tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Another round.
    Continue,
    /// Every interval is narrow enough.
    Width,
    /// The time is used up.
    Budget,
}

/// After which numbers of rounds the intervals are looked at: 12, 16 ... 40, 48 ... 120, then each 25 % more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looks {
    next: u32,
}

impl Default for Looks {
    fn default() -> Self {
        Self { next: protocol::FEWEST_ROUNDS }
    }
}

impl Looks {
    /// Whether `rounds` is the time for a look. Each look is due once.
    pub fn due(&mut self, rounds: u32) -> bool {
        let due = rounds >= self.next;
        while self.next <= rounds {
            self.next += match self.next {
                0..40 => 4,
                40..120 => 8,
                more => more / 4,
            };
        }
        due
    }
}

/// Decides after a round.
///
/// `rounds` count; `half_width` is the widest interval's if this is the time for a look; `next_round` is what another
/// round would take. Too few rounds are no answer at all, so the budget is overrun, up to twice, for the fewest.
#[must_use]
pub fn decide(rounds: u32, half_width: Option<f64>, elapsed: Nanos, next_round: Nanos, budget: Nanos) -> Decision {
    if rounds >= protocol::FEWEST_ROUNDS && half_width.is_some_and(|width| width <= protocol::HALF_WIDTH) {
        return Decision::Width;
    }
    let limit = if rounds < protocol::FEWEST_ROUNDS { Nanos(budget.0.saturating_mul(2)) } else { budget };
    if elapsed + next_round > limit { Decision::Budget } else { Decision::Continue }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_as_the_protocol_says() {
        let mut looks = Looks::default();
        let due: Vec<u32> = (1..300).filter(|rounds| looks.due(*rounds)).collect();
        let expected = [12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 150, 187, 233, 291];
        assert_eq!(due, expected);
    }

    #[test]
    fn a_look_that_was_missed_is_due_once() {
        let mut looks = Looks::default();
        assert!(looks.due(30));
        assert!(!looks.due(31));
        assert!(looks.due(32));
    }

    fn after(rounds: u32, half_width: Option<f64>, elapsed_ms: u64) -> Decision {
        decide(rounds, half_width, Nanos(elapsed_ms * 1_000_000), Nanos(50_000_000), Nanos(1_000_000_000))
    }

    #[test]
    fn narrow_intervals_end_it_and_wide_ones_do_not() {
        assert_eq!(after(12, Some(0.02), 10), Decision::Width);
        assert_eq!(after(12, Some(0.021), 10), Decision::Continue);
        assert_eq!(after(12, None, 10), Decision::Continue);
    }

    #[test]
    fn too_few_rounds_never_end_by_width() {
        assert_eq!(after(11, Some(0.001), 10), Decision::Continue);
    }

    #[test]
    fn the_budget_ends_it_before_a_round_that_would_not_fit() {
        assert_eq!(after(50, Some(0.1), 950), Decision::Continue);
        assert_eq!(after(50, Some(0.1), 951), Decision::Budget);
    }

    #[test]
    fn the_budget_waits_for_the_fewest_rounds_but_not_for_ever() {
        assert_eq!(after(11, None, 1_500), Decision::Continue);
        assert_eq!(after(11, None, 1_951), Decision::Budget);
    }
}
