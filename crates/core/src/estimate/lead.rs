//! What a row leads with: the typical ratio and its verdict, or, where slow samples surely decide, the ratio of all time.

use super::{ArmEstimate, Note, Verdict, judge};
use crate::stats::Tail;

/// A ratio and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// On the log scale. None where there is none.
    pub log: Option<f64>,
    /// Its interval on the log scale.
    pub log_interval: Option<(f64, f64)>,
    /// What may be said of it.
    pub verdict: Verdict,
    /// Whether it is of all time.
    pub in_total: bool,
}

impl Lead {
    /// What the row of this arm leads with.
    #[must_use]
    pub fn of(estimate: &ArmEstimate) -> Self {
        let judged = !matches!(estimate.verdict, Verdict::Withheld { .. });
        let dominates = estimate.notes.contains(&Note::TailDominated { tail: Tail::Dominates });
        if let Some(total) = estimate.total.filter(|_| judged && dominates) {
            let verdict = judge(total.log_interval);
            return Self { log: Some(total.log), log_interval: Some(total.log_interval), verdict, in_total: true };
        }
        let (log, log_interval) = (estimate.ratio.map(|ratio| ratio.log), estimate.ratio.and_then(|ratio| ratio.log_interval));
        Self { log, log_interval, verdict: estimate.verdict.clone(), in_total: false }
    }

    /// The ratio itself.
    #[must_use]
    pub fn point(&self) -> Option<f64> {
        self.log.map(libm::exp)
    }

    /// The ratio's interval.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.log_interval.map(|(low, high)| (libm::exp(low), libm::exp(high)))
    }
}
