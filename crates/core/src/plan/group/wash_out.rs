//! Samples that write leave work behind: caches to be written back, a flash translation layer that tidies up. The next sample
//! waits until the storage is as fast as it was before anything was written, or for a while.

use super::{GroupPlan, Stage};
use crate::protocol;
use crate::stats;
use crate::units::Nanos;

impl GroupPlan {
    /// Takes what the storage sentinel took; None where the browser has none.
    pub(super) fn washed(&mut self, read: Option<Nanos>, now: Nanos) {
        let wash_out = self.record.wash_out.as_mut().expect("groups that write have one");
        match &mut self.stage {
            Stage::AtRest { readings } => {
                readings.extend(read);
                if read.is_none() || readings.len() >= protocol::SENTINEL_LEVEL {
                    let readings: Vec<f64> = readings.iter().copied().map(Nanos::as_f64).collect();
                    wash_out.at_rest_ns = stats::median(&readings).map(|ns| Nanos::from_ms(ns / 1e6));
                    self.pilot_from(0);
                }
            }
            Stage::Round { washing_since, .. } => {
                let since = washing_since.expect("only then is there such a step");
                let still = |(read, at_rest): (Nanos, Nanos)| read.as_f64() <= at_rest.as_f64() * (1.0 + protocol::WASHED_OUT);
                let reached = read.zip(wash_out.at_rest_ns).is_some_and(still);
                if reached || read.is_none() || now.since(since) >= wash_out.limit_ns {
                    wash_out.waits += 1;
                    wash_out.reached += u32::from(reached);
                    *washing_since = None;
                }
            }
            _ => unreachable!("no other stage waits for the storage"),
        }
    }
}
