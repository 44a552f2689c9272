//! The one source of chance: a 64-bit seed, from which every fixture, order, dither and offset of a run follows.

use std::fmt;
use std::str::FromStr;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A run's seed. Text form: 16 hexadecimal digits, since a JSON number cannot hold 64 bits in a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

/// What a stream of random numbers is for. Streams of different purposes never share a number, so that adding a draw
/// to one of them changes none of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The bytes of a fixture file: its number.
    Fixture(u32),
    /// The order of the arms in a pair of rounds.
    Order {
        /// The group's number in the job.
        group: u32,
        /// The number of the pair.
        pair: u32,
    },
    /// Which blocks a round reads, in which order.
    Ops {
        /// The group's number in the job.
        group: u32,
        /// The round.
        round: u32,
    },
    /// Which blocks a verification reads.
    Verification {
        /// The group's number in the job.
        group: u32,
    },
    /// What the ops of a round write.
    Written {
        /// The group's number in the job.
        group: u32,
        /// The round.
        round: u32,
    },
    /// The wait of less than a tick before a sample.
    Dither {
        /// The group's number in the job.
        group: u32,
        /// The round.
        round: u32,
    },
    /// The fraction of a tick that is added to a coarse reading before its logarithm.
    Dequantisation {
        /// The group's number in the job.
        group: u32,
        /// The round.
        round: u32,
    },
    /// What a simulated device does.
    Simulation,
}

impl Seed {
    /// The random numbers for one purpose. The generator's key is (seed, kind of purpose, group or file, round or pair).
    #[must_use]
    pub fn stream(self, purpose: Purpose) -> ChaCha8Rng {
        let (kind, first, second): (u64, u32, u32) = match purpose {
            Purpose::Fixture(file) => (1, file, 0),
            Purpose::Order { group, pair } => (2, group, pair),
            Purpose::Ops { group, round } => (3, group, round),
            Purpose::Verification { group } => (4, group, 0),
            Purpose::Dither { group, round } => (5, group, round),
            Purpose::Dequantisation { group, round } => (6, group, round),
            Purpose::Simulation => (7, 0, 0),
            Purpose::Written { group, round } => (8, group, round),
        };
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.0.to_le_bytes());
        key[8..16].copy_from_slice(&kind.to_le_bytes());
        key[16..20].copy_from_slice(&first.to_le_bytes());
        key[20..24].copy_from_slice(&second.to_le_bytes());
        ChaCha8Rng::from_seed(key)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Text that is no seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a seed: write 1 to 16 hexadecimal digits, as in a result file")]
pub struct BadSeed(String);

impl FromStr for Seed {
    type Err = BadSeed;

    fn from_str(text: &str) -> Result<Self, BadSeed> {
        let hexadecimal = !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit());
        let number = u64::from_str_radix(text, 16).ok().filter(|_| hexadecimal);
        number.map(Self).ok_or_else(|| BadSeed(text.to_owned()))
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn text_form_round_trips() {
        for seed in [Seed(0), Seed(1), Seed(u64::MAX), Seed(0x0123_4567_89ab_cdef)] {
            assert_eq!(seed.to_string().parse(), Ok(seed));
        }
    }

    #[test]
    fn what_is_no_seed_is_named() {
        for text in ["", "xyz", "+1", "12345678901234567"] {
            assert!(text.parse::<Seed>().expect_err(text).to_string().contains(&format!("`{text}`")));
        }
    }

    #[test]
    fn purposes_share_no_stream() {
        let purposes = [
            Purpose::Fixture(1),
            Purpose::Order { group: 1, pair: 0 },
            Purpose::Ops { group: 1, round: 0 },
            Purpose::Ops { group: 0, round: 1 },
            Purpose::Verification { group: 1 },
            Purpose::Written { group: 1, round: 0 },
            Purpose::Written { group: 0, round: 1 },
            Purpose::Dither { group: 1, round: 0 },
            Purpose::Dequantisation { group: 1, round: 0 },
            Purpose::Simulation,
        ];
        let mut firsts: Vec<u64> = purposes.iter().map(|purpose| Seed(7).stream(*purpose).next_u64()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), purposes.len());
    }
}
