//! Which samples are discarded: compilers, caches and governors take a while before times settle.
//!
//! Arms warm up in rounds like those that count, but an arm that is warm sits the remaining ones out: where one arm's sample
//! takes 4 ms and another's 30 ms, half a second of the first would otherwise cost four of the second.

use crate::protocol;
use crate::result::Round;
use crate::stats;
use crate::units::Nanos;

/// How many samples a median is taken over.
const WINDOW: usize = 3;
/// What the warm-up of an arm has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It takes part in another round.
    Continue,
    /// It is steady.
    Steady,
    /// It is not, and it has taken long enough.
    Unsteady,
}

/// Decides after a round of warm-up whether the arm takes part in another one; `scheduled` is what a paced sample lasts at least,
/// whatever its ops take of it, and `elapsed` the group's time so far.
#[must_use]
pub fn decide(rounds: &[Round], arm: usize, scheduled: Nanos, elapsed: Nanos, budget: Nanos) -> Progress {
    let share = |share: f64| Nanos::from_ms(budget.as_ms() * share);
    let samples: Vec<Nanos> = rounds.iter().filter(|round| round.dropped.is_none()).filter_map(|round| round.elapsed_ns[arm]).collect();
    let count = u32::try_from(samples.len()).unwrap_or(u32::MAX);
    // The rule's least time must not eat a short budget: half of it is for the rounds that count.
    let enough_time = elapsed >= share(0.5) || samples.iter().map(|sample| scheduled.max(*sample)).sum::<Nanos>() >= protocol::WARM_UP;
    if elapsed >= budget {
        // Whatever keeps it from warming up, too slow a clock or rounds that are all dropped: the budget is all there is.
        return Progress::Unsteady;
    }
    if count < protocol::WARM_UP_ROUNDS || !enough_time {
        return Progress::Continue;
    }
    if steady(&samples) {
        Progress::Steady
    } else if count >= protocol::WARM_UP_ROUNDS_AT_MOST || elapsed >= share(protocol::WARM_UP_SHARE) {
        Progress::Unsteady
    } else {
        Progress::Continue
    }
}

/// Whether the median of the last three samples has moved from that of the three before by no more than 5 %, or by no more
/// than medians of three move by chance, given how much one sample differs from the next: twice their standard deviation.
fn steady(samples: &[Nanos]) -> bool {
    let logs: Vec<f64> = samples.iter().map(|sample| libm::log(sample.as_f64().max(1.0))).collect();
    let Some((before, last)) = logs.len().checked_sub(WINDOW).map(|cut| logs.split_at(cut)) else { return false };
    let (Some(earlier), Some(last)) = (stats::median(&before[before.len().saturating_sub(WINDOW)..]), stats::median(last)) else {
        return false;
    };
    let moved = (last - earlier).abs();
    moved <= libm::log(1.0 + protocol::STEADY) || moved <= 2.0 * stats::MEDIAN_OF_THREE_NOISE * stats::step_deviation(&logs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Sentinels;

    const BUDGET: Nanos = Nanos(20_000_000_000);

    fn rounds(samples_ms: &[u64]) -> Vec<Round> {
        let round = |(number, ms): (usize, &u64)| Round {
            number: u32::try_from(number).expect("few"),
            at_ns: Nanos(0),
            order: vec![0],
            elapsed_ns: vec![Some(Nanos(ms * 1_000_000))],
            dropped: None,
            sentinels: Sentinels::default(),
        };
        samples_ms.iter().enumerate().map(round).collect()
    }

    fn after(samples_ms: &[u64], elapsed_ms: u64) -> Progress {
        decide(&rounds(samples_ms), 0, Nanos(0), Nanos(elapsed_ms * 1_000_000), BUDGET)
    }

    #[test]
    fn steady_samples_still_take_three_rounds_and_half_a_second() {
        assert_eq!(after(&[400, 400], 800), Progress::Continue);
        assert_eq!(after(&[100; 4], 400), Progress::Continue);
        assert_eq!(after(&[100; 6], 600), Progress::Steady);
    }

    #[test]
    fn a_paced_sample_counts_by_its_schedule() {
        let after = |rounds: &[Round]| decide(rounds, 0, Nanos(100_000_000), Nanos(600_000_000), BUDGET);
        assert_eq!(after(&rounds(&[1; 4])), Progress::Continue);
        assert_eq!(after(&rounds(&[1; 5])), Progress::Steady);
    }

    #[test]
    fn falling_samples_go_on() {
        assert_eq!(after(&[200, 200, 200, 150, 150, 150], 1_050), Progress::Continue);
        assert_eq!(after(&[200, 200, 200, 150, 150, 150, 150, 150, 150], 1_500), Progress::Steady);
    }

    #[test]
    fn noise_is_no_movement() {
        // One sample differs from the next by a third; the medians differ by 10 %.
        assert_eq!(after(&[100, 133, 96, 130, 94, 110, 140, 110, 140], 1_000), Progress::Steady);
    }

    #[test]
    fn what_never_settles_ends_by_rounds_or_by_its_share_of_the_budget() {
        let wild: Vec<u64> = (0..12).map(|i| 100 << (i / 3)).collect();
        assert_eq!(after(&wild[..11], 2_000), Progress::Continue);
        assert_eq!(after(&wild, 2_000), Progress::Unsteady);
        assert_eq!(after(&wild[..9], 3_000), Progress::Unsteady);
    }

    #[test]
    fn half_of_a_short_budget_is_left_for_the_rounds() {
        let rounds = rounds(&[100; 3]);
        let budget = Nanos(600_000_000);
        assert_eq!(decide(&rounds, 0, Nanos(0), Nanos(299_000_000), budget), Progress::Continue);
        assert_eq!(decide(&rounds, 0, Nanos(0), Nanos(300_000_000), budget), Progress::Unsteady);
    }

    #[test]
    fn dropped_rounds_warm_nothing_up() {
        let mut rounds = rounds(&[200; 6]);
        for round in &mut rounds {
            round.dropped = Some(crate::result::DropCause::PageHidden);
        }
        assert_eq!(decide(&rounds, 0, Nanos(0), Nanos(0), BUDGET), Progress::Continue);
        assert_eq!(decide(&rounds, 0, Nanos(0), BUDGET, BUDGET), Progress::Unsteady);
    }
}
