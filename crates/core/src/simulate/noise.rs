//! What makes the same work take longer or shorter.
//!
//! A [`Noise`] is put together from parts, each a process with parameters that have a unit; a [`NoiseKind`] is a set of them
//! that validation asks for by name. Most parts are common to all arms: they happen to the machine.
//!
//! The sizes are near what was seen of batches of 2 ms in Chromium and Firefox on a shared machine: promise reads spread by
//! 0.15 to 0.2 on the log scale, with a correlation of about 0.6 between a sample and the next; sync reads by 0.03 to 0.15;
//! spikes of 2 to 20 ms came in one sample of a hundred. Bursts, drift and heat are assumptions, worse than what was seen.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::estimate::unit;
use crate::seed::{Purpose, Seed};
use crate::units::Nanos;

/// The parts of a device's noise. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// The standard deviation of a sample's logarithm, drawn anew for each sample.
    pub independent: f64,
    /// The machine wanders.
    pub wander: Option<Wander>,
    /// Each arm wanders for itself.
    pub own_wander: Option<Wander>,
    /// The machine slows down, without end.
    pub drift: Option<Drift>,
    /// The machine is busy now and then.
    pub bursts: Option<Bursts>,
    /// The machine gets warm.
    pub heat: Option<Heat>,
    /// Single samples are interrupted.
    pub spikes: Option<Spikes>,
}

/// A stationary process on the log scale that forgets exponentially (Ornstein and Uhlenbeck's).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wander {
    /// Its standard deviation.
    pub deviation: f64,
    /// After this long, the correlation is down to 1/e.
    pub memory: Nanos,
}

/// A trend that is linear on the log scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// By how much the logarithm rises in a second.
    pub per_second: f64,
}

/// A machine that is either calm or busy, in continuous time: a Markov process of two states. A sample that a burst begins in
/// is slowed down from there on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bursts {
    /// The mean time from the end of a burst to the next one.
    pub apart: Nanos,
    /// The mean length of a burst.
    pub length: Nanos,
    /// How many times as long work takes in one.
    pub factor: f64,
}

/// Slower and slower, up to a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heat {
    /// By which share of its time work is slower at the end: 0.3 is 30 %.
    pub rise: f64,
    /// After this long, 1 - 1/e of the rise is reached.
    pub over: Nanos,
}

/// Samples that something else interrupts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spikes {
    /// The share of samples.
    pub share: f64,
    /// The shortest interruption; their logarithms are spread evenly.
    pub shortest: Nanos,
    /// The longest.
    pub longest: Nanos,
}

/// The kinds of noise that verdicts are tried in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoiseKind {
    /// Log-normal, each sample for itself: a spread of 0.06, as of sync reads.
    Independent,
    /// The same on a machine that gets 3 % slower each second.
    Drifting,
    /// The same with bursts of 60 ms in which all takes 1.6 times as long, 400 ms apart. A round lasts about 10 ms, so
    /// most bursts begin in one round and end in another.
    Bursty,
    /// Half of the variance wanders, in each arm for itself, and is forgotten after 20 ms: what a round says of two arms depends
    /// on the round before, with a correlation of 0.3. In browsers that was about 0, and below 0.2 in nine comparisons of ten.
    Dependent,
    /// Promise reads on a phone: a spread of 0.18, most of it wandering so that samples next to each other are correlated by
    /// 0.6, bursts, a spike in one sample of a hundred, and heat.
    Phone,
    /// Independent, with a spread of 0.04, on a clock with a tick of 0.1 ms: Chromium without cross-origin isolation.
    Tick100us,
    /// Independent, with a spread of 0.04, on a clock with a tick of 1 ms: Firefox and Safari without cross-origin isolation.
    Tick1ms,
}

impl NoiseKind {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Independent, Self::Drifting, Self::Bursty, Self::Dependent, Self::Phone, Self::Tick100us, Self::Tick1ms];

    /// Its name, for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Drifting => "drifting",
            Self::Bursty => "bursty",
            Self::Dependent => "dependent",
            Self::Phone => "phone",
            Self::Tick100us => "tick 0.1 ms",
            Self::Tick1ms => "tick 1 ms",
        }
    }

    /// The tick of the clocks: 5 µs, as in an isolated Chromium, where the kind is not about ticks.
    #[must_use]
    pub fn tick(self) -> Nanos {
        match self {
            Self::Tick100us => Nanos(100_000),
            Self::Tick1ms => Nanos(1_000_000),
            _ => Nanos(5_000),
        }
    }

    /// The parts.
    #[must_use]
    pub fn noise(self) -> Noise {
        let sync_reads = Noise { independent: 0.06, ..Noise::default() };
        match self {
            Self::Independent => sync_reads,
            Self::Drifting => Noise { drift: Some(Drift { per_second: 0.03 }), ..sync_reads },
            Self::Bursty => {
                let bursts = Bursts { apart: Nanos(400_000_000), length: Nanos(60_000_000), factor: 1.6 };
                Noise { bursts: Some(bursts), ..sync_reads }
            }
            Self::Dependent => Noise { own_wander: Some(Wander { deviation: 0.06, memory: Nanos(20_000_000) }), ..sync_reads },
            Self::Phone => Noise {
                // 0.7 of the variance wanders, and 0.7 * exp(-2/13) = 0.6 is left of it after a sample of 2 ms.
                independent: 0.10,
                wander: Some(Wander { deviation: 0.15, memory: Nanos(13_000_000) }),
                bursts: Some(Bursts { apart: Nanos(2_000_000_000), length: Nanos(100_000_000), factor: 1.8 }),
                heat: Some(Heat { rise: 0.3, over: Nanos(10_000_000_000) }),
                spikes: Some(Spikes { share: 0.01, shortest: Nanos(2_000_000), longest: Nanos(20_000_000) }),
                ..Noise::default()
            },
            Self::Tick100us | Self::Tick1ms => Noise { independent: 0.04, ..Noise::default() },
        }
    }
}

/// A place and when it was taken.
type Wandered = (f64, f64);
/// Before the first sample nothing is remembered.
const NOWHERE: Wandered = (0.0, f64::NEG_INFINITY);

/// A noise as it happens.
#[derive(Clone, Debug)]
pub struct Chance {
    noise: Noise,
    rng: ChaCha8Rng,
    /// The second of a pair of normal numbers.
    spare: Option<f64>,
    /// What the machine has wandered to, and when it was there.
    wandered: Wandered,
    /// The same of each arm.
    own_wandered: Vec<Wandered>,
    /// Whether a burst is under way, and until when that stays as it is.
    burst: (bool, f64),
}

impl Chance {
    /// From the beginning of the device's time.
    #[must_use]
    pub fn new(noise: Noise, seed: Seed) -> Self {
        let mut chance = Self {
            noise,
            rng: seed.stream(Purpose::Simulation),
            spare: None,
            wandered: NOWHERE,
            own_wandered: Vec::new(),
            burst: (false, 0.0),
        };
        if let Some(bursts) = noise.bursts {
            chance.burst.1 = chance.exponential(bursts.apart);
        }
        chance
    }

    /// How long work of an arm takes that would take `work_ns` on a quiet machine and begins at `at_ns`; moments never go back.
    pub fn elapsed_ns(&mut self, arm: usize, at_ns: f64, work_ns: f64) -> f64 {
        let Noise { independent, wander, own_wander, drift, heat, spikes, .. } = self.noise;
        let mut log = 0.0;
        if independent > 0.0 {
            log += independent * self.normal();
        }
        if let Some(wander) = wander {
            self.wandered = self.wander(wander, self.wandered, at_ns);
            log += self.wandered.0;
        }
        if let Some(wander) = own_wander {
            self.own_wandered.resize(self.own_wandered.len().max(arm + 1), NOWHERE);
            self.own_wandered[arm] = self.wander(wander, self.own_wandered[arm], at_ns);
            log += self.own_wandered[arm].0;
        }
        if let Some(drift) = drift {
            log += drift.per_second * at_ns / 1e9;
        }
        let mut work = work_ns;
        if log != 0.0 {
            work *= libm::exp(log);
        }
        if let Some(heat) = heat {
            work *= 1.0 - heat.rise * libm::expm1(-at_ns / heat.over.as_f64());
        }
        let mut elapsed = self.through_bursts(at_ns, work);
        if let Some(spikes) = spikes
            && unit(&mut self.rng) < spikes.share
        {
            let [shortest, longest] = [spikes.shortest, spikes.longest].map(|end| libm::log(end.as_f64()));
            elapsed += libm::exp(shortest + (longest - shortest) * unit(&mut self.rng));
        }
        elapsed
    }

    fn wander(&mut self, wander: Wander, (was, when): Wandered, at_ns: f64) -> Wandered {
        let kept = libm::exp((when - at_ns) / wander.memory.as_f64());
        (was * kept + wander.deviation * libm::sqrt(1.0 - kept * kept) * self.normal(), at_ns)
    }

    fn through_bursts(&mut self, at_ns: f64, work_ns: f64) -> f64 {
        let Some(bursts) = self.noise.bursts else { return work_ns };
        let (mut now, mut left) = (at_ns, work_ns);
        loop {
            let (busy, until) = self.burst;
            let factor = if busy { bursts.factor } else { 1.0 };
            let end = now + left * factor;
            if end <= until {
                return end - at_ns;
            }
            if until > now {
                left -= (until - now) / factor;
                now = until;
            }
            let length = self.exponential(if busy { bursts.apart } else { bursts.length });
            self.burst = (!busy, until + length);
        }
    }

    fn exponential(&mut self, mean: Nanos) -> f64 {
        -libm::log(1.0 - unit(&mut self.rng)) * mean.as_f64()
    }

    /// Marsaglia's polar method.
    fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (x, y) = (signed_unit(&mut self.rng), signed_unit(&mut self.rng));
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let scale = libm::sqrt(-2.0 * libm::log(square) / square);
                self.spare = Some(y * scale);
                return x * scale;
            }
        }
    }
}

fn signed_unit(rng: &mut impl Rng) -> f64 {
    2.0 * unit(rng) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats;

    const SAMPLE: f64 = 2e6;

    /// Logarithms of samples, one after another.
    fn back_to_back(noise: Noise, count: usize) -> Vec<f64> {
        let mut chance = Chance::new(noise, Seed(3));
        let mut now = 0.0;
        let sample = |_| {
            let elapsed = chance.elapsed_ns(0, now, SAMPLE);
            now += elapsed;
            libm::log(elapsed / SAMPLE)
        };
        (0..count).map(sample).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn deviation(values: &[f64]) -> f64 {
        let mean = mean(values);
        (values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64).sqrt()
    }

    #[test]
    fn without_parts_there_is_no_noise() {
        assert!(back_to_back(Noise::default(), 100).iter().all(|log| *log == 0.0));
    }

    #[test]
    fn independent_noise_has_its_spread() {
        let logs = back_to_back(NoiseKind::Independent.noise(), 20_000);
        assert!((deviation(&logs) - 0.06).abs() < 0.002 && mean(&logs).abs() < 0.002);
        assert!(stats::lag_one_autocorrelation(&logs).expect("defined").abs() < 0.03);
    }

    #[test]
    fn a_phone_is_near_what_was_seen_of_promise_reads() {
        let logs = back_to_back(Noise { bursts: None, heat: None, spikes: None, ..NoiseKind::Phone.noise() }, 20_000);
        assert!((0.15..0.2).contains(&deviation(&logs)), "{}", deviation(&logs));
        let correlation = stats::lag_one_autocorrelation(&logs).expect("defined");
        assert!((0.55..0.65).contains(&correlation), "{correlation}");
    }

    #[test]
    fn spikes_come_in_one_sample_of_a_hundred() {
        let spikes = NoiseKind::Phone.noise().spikes;
        let logs = back_to_back(Noise { spikes, ..Noise::default() }, 20_000);
        let lengths: Vec<f64> = logs.iter().filter(|log| **log > 0.0).map(|log| (libm::exp(*log) - 1.0) * 2.0).collect();
        assert!((150..250).contains(&lengths.len()), "{}", lengths.len());
        assert!(lengths.iter().all(|ms| (1.999..20.001).contains(ms)));
    }

    #[test]
    fn bursts_take_their_share_of_time() {
        let bursts = NoiseKind::Bursty.noise().bursts;
        let mut chance = Chance::new(Noise { bursts, ..Noise::default() }, Seed(3));
        // An hour of work: 60 ms of each 460 ms are bursts, in which 37.5 ms of work are done.
        let elapsed = chance.elapsed_ns(0, 0.0, 3.6e12);
        let expected = 460.0 / (400.0 + 37.5);
        assert!((elapsed / 3.6e12 - expected).abs() < 0.01, "{} for {expected}", elapsed / 3.6e12);
    }

    #[test]
    fn drift_and_heat_rise_as_they_say() {
        let drift = Noise { drift: Some(Drift { per_second: 0.03 }), ..Noise::default() };
        assert!((libm::log(Chance::new(drift, Seed(1)).elapsed_ns(0, 1e10, 1.0)) - 0.3).abs() < 1e-12);
        let heat = Noise { heat: Some(Heat { rise: 0.3, over: Nanos::from_s(10.0) }), ..Noise::default() };
        let mut chance = Chance::new(heat, Seed(1));
        assert!((chance.elapsed_ns(0, 0.0, 1.0) - 1.0).abs() < 1e-12);
        assert!((chance.elapsed_ns(0, 1e12, 1.0) - 1.3).abs() < 1e-12);
    }
}
