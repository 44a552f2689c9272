//! How many ops make a sample.

use crate::protocol;
use crate::result::Batch;
use crate::sort;
use crate::units::Nanos;

/// What the pilot found of an arm that reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// What an op takes, in nanoseconds.
    pub per_op_ns: f64,
    /// The tick of its clock.
    pub tick: Nanos,
    /// How many of its reads are in flight.
    pub in_flight: u64,
}

/// The number of ops of every arm, and how many ticks the shortest sample holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Batches {
    /// In the order of the paces.
    pub arms: Vec<(u64, Batch)>,
    /// The ticks that each sample was sized for.
    pub ticks: u64,
}

/// Chooses the ops of each arm: the fastest arm's number for all whom it does not take too long; the rest choose among
/// themselves in the same way, so that slow arms too are compared over equal batches.
///
/// `rounds_within` is the time in which the fewest rounds must fit; `extra` counts further arms that are as slow as the
/// first pace (the null arm). Where the rounds do not fit, samples hold fewer ticks.
#[must_use]
pub fn choose(paces: &[Pace], extra: usize, rounds_within: Nanos) -> Batches {
    let rounds = f64::from(protocol::FEWEST_ROUNDS + protocol::WARM_UP_ROUNDS);
    let cost = |arms: &[(u64, Batch)]| -> f64 {
        let samples: Vec<f64> = arms.iter().zip(paces).map(|((n, _), pace)| *n as f64 * pace.per_op_ns).collect();
        rounds * (samples.iter().sum::<f64>() + extra as f64 * samples.first().copied().unwrap_or(0.0))
    };
    let sized = |ticks: u64| Batches { arms: tiers(paces, ticks), ticks };
    // A pilot is off by some: samples that are to hold the least number of ticks are sized for a quarter more.
    let [fewest, coarse] = [protocol::FEWEST_TICKS, protocol::COARSE_TICKS].map(|ticks| ticks + ticks / 4);
    [protocol::TICKS, fewest]
        .into_iter()
        .map(sized)
        .find(|batches| cost(&batches.arms) <= rounds_within.as_f64())
        .unwrap_or_else(|| sized(coarse))
}

fn tiers(paces: &[Pace], ticks: u64) -> Vec<(u64, Batch)> {
    let by_pace = sort::places(paces.len(), &|one, other| paces[one].per_op_ns.total_cmp(&paces[other].per_op_ns));
    let mut arms = vec![(0, Batch::Shared); paces.len()];
    let mut tier: Option<(u64, Batch)> = None;
    for place in by_pace {
        let pace = paces[place];
        let chosen = match tier {
            None => (ops(pace, ticks), Batch::Shared),
            Some((n, batch)) if n >= filling(pace) && n as f64 * pace.per_op_ns <= longest_sample(pace, ticks) => (n, batch),
            Some(_) => (ops(pace, ticks), Batch::Own),
        };
        tier = Some(chosen);
        arms[place] = chosen;
    }
    arms
}

/// max(ticks x r, 2 ms), in nanoseconds; 100 ticks and 2 ms are the rule, fewer ticks scale the 2 ms down with them.
fn sample(pace: Pace, ticks: u64) -> f64 {
    let least = protocol::SAMPLE.as_f64() * ticks as f64 / protocol::TICKS as f64;
    (pace.tick.as_f64() * ticks as f64).max(least)
}

/// A round is as long as its longest samples: one of 230 ms beside four of 2 ms leaves a tenth of the rounds.
fn longest_sample(pace: Pace, ticks: u64) -> f64 {
    let wanted = sample(pace, ticks).max(filling(pace) as f64 * pace.per_op_ns);
    (wanted * protocol::LONGEST_SAMPLE_TIMES).min(protocol::LONGEST_SAMPLE.as_f64())
}

/// N = ceil(sample / t), and no fewer than keep the reads in flight.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates; an op takes a nanosecond or more
fn ops(pace: Pace, ticks: u64) -> u64 {
    ((sample(pace, ticks) / pace.per_op_ns).ceil() as u64).max(filling(pace)).max(1)
}

/// The fewest ops that keep several reads in flight for most of a sample, as far as they do not take longer than any sample may.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn filling(pace: Pace) -> u64 {
    let wanted = if pace.in_flight > 1 { pace.in_flight.saturating_mul(protocol::OPS_IN_FLIGHT) } else { 0 };
    wanted.min((protocol::LONGEST_SAMPLE.as_f64() / pace.per_op_ns) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Nanos = Nanos(5_000);
    const AMPLE: Nanos = Nanos(u64::MAX);

    fn pace(per_op_ns: f64) -> Pace {
        Pace { per_op_ns, tick: TICK, in_flight: 1 }
    }

    #[test]
    fn the_fastest_arm_chooses_for_all() {
        let batches = choose(&[pace(20_000.0), pace(10_000.0)], 1, AMPLE);
        assert_eq!(batches, Batches { arms: vec![(200, Batch::Shared), (200, Batch::Shared)], ticks: 100 });
    }

    #[test]
    fn slow_arms_choose_among_themselves() {
        // 1 µs asks for 2 000 ops, which 1.5 µs does in 3 ms, but 500 µs in 1 s; of the slow two, the faster one chooses.
        let batches = choose(&[pace(640_000.0), pace(1_000.0), pace(500_000.0), pace(1_500.0)], 1, AMPLE);
        assert_eq!(batches.arms, [(4, Batch::Own), (2_000, Batch::Shared), (4, Batch::Own), (2_000, Batch::Shared)]);
        assert_eq!(choose(&[pace(1_000_000.0), pace(3_000_000.0)], 1, AMPLE).arms, [(2, Batch::Shared), (1, Batch::Own)]);
    }

    #[test]
    fn a_coarse_clock_asks_for_longer_samples() {
        let coarse = Pace { per_op_ns: 50_000.0, tick: Nanos(1_000_000), in_flight: 1 };
        assert_eq!(choose(&[coarse], 1, AMPLE).arms, [(2_000, Batch::Shared)]);
    }

    #[test]
    fn a_short_budget_halves_then_coarsens() {
        let coarse = Pace { per_op_ns: 50_000.0, tick: Nanos(1_000_000), in_flight: 1 };
        // 15 rounds of two arms at 100 ms are 3 s.
        let n = |budget_ms: u64| {
            let batches = choose(&[coarse], 1, Nanos(budget_ms * 1_000_000));
            (batches.arms[0].0, batches.ticks)
        };
        assert_eq!(n(3_000), (2_000, 100));
        assert_eq!(n(2_999), (1_240, 62));
        assert_eq!(n(1_859), (500, 25));
    }

    #[test]
    fn a_queue_is_full_for_most_of_a_sample() {
        let deep = |per_op_ns: f64| Pace { in_flight: 16, ..pace(per_op_ns) };
        // 50 µs ask for 40 ops, 16 reads in flight for 128; what is a little slower takes as many.
        let batches = choose(&[deep(50_000.0), deep(60_000.0), pace(1_000.0)], 1, AMPLE);
        assert_eq!(batches.arms, [(128, Batch::Own), (128, Batch::Own), (2_000, Batch::Shared)]);
        // 128 ops of 4 ms would take half a second.
        assert_eq!(choose(&[deep(4_000_000.0)], 1, AMPLE).arms, [(62, Batch::Shared)]);
        assert_eq!(choose(&[deep(1_000.0)], 1, AMPLE).arms, [(2_000, Batch::Shared)]);
        // What suits the fastest is too little for an arm with more reads in flight.
        let deeper = Pace { in_flight: 64, ..pace(60_000.0) };
        assert_eq!(choose(&[deep(50_000.0), deeper], 1, AMPLE).arms, [(128, Batch::Shared), (512, Batch::Own)]);
    }

    #[test]
    fn an_op_longer_than_a_sample_is_one_op() {
        assert_eq!(choose(&[pace(3e9)], 1, AMPLE).arms, [(1, Batch::Shared)]);
    }
}
