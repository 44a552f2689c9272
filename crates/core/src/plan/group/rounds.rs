//! The rounds: those that warm up and those that count.

use super::{GroupPlan, RoundChecks, RoundKind, Stage};
use crate::estimate;
use crate::plan::order::order;
use crate::plan::stopping::{self, Decision};
use crate::plan::warm_up::{self, Progress};
use crate::protocol;
use crate::result::{DropCause, Ended, Role, Round, Sentinels, When};
use crate::units::Nanos;

impl GroupPlan {
    pub(super) fn begin_round(&mut self, kind: RoundKind, now: Nanos) {
        let taking_part: Vec<usize> = (0..self.record.arms.len()).filter(|arm| self.record.arms[*arm].takes_part()).collect();
        let has = |role: Role| taking_part.iter().any(|arm| self.record.arms[*arm].role == role);
        // A baseline and its null arm alone are enough where nothing else was to be compared.
        let compares = self.record.arms.iter().any(|arm| arm.role == Role::Contender);
        if !has(Role::Baseline) || compares && !has(Role::Contender) {
            return self.end(Ended::Failed);
        }
        let running: Vec<usize> = match kind {
            RoundKind::WarmUp => taking_part.into_iter().filter(|arm| self.warm_up[*arm] == Progress::Continue).collect(),
            RoundKind::Measured => taking_part,
        };
        let current = Round {
            number: self.next_round,
            at_ns: now,
            order: order(&running, self.seed, self.record.index, self.next_round),
            elapsed_ns: vec![None; self.record.arms.len()],
            dropped: None,
            sentinels: Sentinels::default(),
        };
        self.next_round += 1;
        if kind == RoundKind::Measured {
            self.rounds_began.get_or_insert(now);
        }
        self.stage = Stage::Round { kind, current, position: 0, washing_since: None };
    }

    pub(super) fn sampled(&mut self, arm: usize, checked: Result<(), String>, elapsed: Nanos, bytes: u64, now: Nanos) {
        if let Err(error) = checked {
            return self.failed(arm, error);
        }
        self.failures_on_end[arm] = 0;
        let Stage::Round { kind, current, position, washing_since } = &mut self.stage else { unreachable!("only rounds sample") };
        current.elapsed_ns[arm] = Some(elapsed);
        *position += 1;
        if self.record.arms[arm].writes {
            *washing_since = Some(now);
        }
        if *kind == RoundKind::Measured {
            self.record.arms[arm].bytes += bytes;
        }
    }

    /// The rest of the round does not run: it counts for no arm.
    pub(super) fn failed(&mut self, arm: usize, error: String) {
        self.fails_for_good(arm, error.clone());
        let Stage::Round { current, position, .. } = &mut self.stage else { unreachable!("only rounds sample") };
        current.dropped = Some(DropCause::IoError { arm, error });
        *position = current.order.len();
    }

    pub(super) fn round_over(&mut self, checks: RoundChecks, now: Nanos) {
        let Stage::Round { kind, mut current, .. } = std::mem::replace(&mut self.stage, Stage::Done) else {
            unreachable!("only rounds are over")
        };
        if current.dropped.is_none() && checks.hidden {
            current.dropped = Some(DropCause::PageHidden);
        }
        if current.dropped.is_none() && checks.clock_gap > protocol::SLEEP {
            current.dropped = Some(DropCause::DeviceSlept { gap_ns: checks.clock_gap });
        }
        if current.dropped.is_none() && kind == RoundKind::Measured {
            self.longest_round = self.longest_round.max(now.since(current.at_ns));
        }
        current.sentinels = checks.sentinels;
        self.spacing.record(checks.sentinels);
        self.single_ops.round_over(current.dropped.is_none() && kind == RoundKind::Measured);
        self.keep(current, kind);
        match kind {
            RoundKind::WarmUp => self.after_warm_up_round(now),
            RoundKind::Measured => self.after_round(checks.sentinels, now),
        }
    }

    /// After a rest of so long, for which the group is not charged.
    pub(super) fn rested(&mut self, read: Sentinels, rest: Nanos, now: Nanos) {
        if let Some(over) = self.thermometer.rested(read, rest) {
            self.record.cool_downs.push(over);
            self.begin_round(RoundKind::Measured, now);
        }
    }

    pub(super) fn keep(&mut self, round: Round, kind: RoundKind) {
        match kind {
            RoundKind::WarmUp => self.record.warm_up.rounds.push(round),
            RoundKind::Measured => self.record.rounds.push(round),
        }
    }

    fn after_warm_up_round(&mut self, now: Nanos) {
        let mut more = false;
        let mut steady = true;
        for arm in (0..self.record.arms.len()).filter(|arm| self.record.arms[*arm].takes_part()) {
            if self.warm_up[arm] == Progress::Continue {
                self.warm_up[arm] = if self.record.arms[arm].role == Role::Empty {
                    // A loop that does nothing is warm when the rounds begin, whatever the others take.
                    Progress::Steady
                } else {
                    warm_up::decide(&self.record.warm_up.rounds, arm, self.scheduled(arm), now, self.record.budget_ns)
                };
            }
            more |= self.warm_up[arm] == Progress::Continue;
            steady &= self.warm_up[arm] == Progress::Steady;
        }
        self.record.warm_up.steady = steady;
        self.begin_round(if more { RoundKind::WarmUp } else { RoundKind::Measured }, now);
    }

    fn after_round(&mut self, read: Sentinels, now: Nanos) {
        let kept = self.record.rounds.iter().filter(|round| round.dropped.is_none()).count();
        let kept = u32::try_from(kept).unwrap_or(u32::MAX);
        let half_width = if self.looks.due(kept) { estimate::half_width(&self.record, self.seed) } else { None };
        self.half_width = half_width.or(self.half_width);
        match stopping::decide(kept, half_width, now, self.longest_round, self.record.budget_ns) {
            Decision::Continue if self.thermometer.read(read, now) => self.stage = Stage::CoolDown,
            Decision::Continue => self.begin_round(RoundKind::Measured, now),
            Decision::Width => self.finish(Ended::Width, now),
            Decision::Budget => self.finish(Ended::Budget, now),
        }
    }

    fn finish(&mut self, ended: Ended, now: Nanos) {
        self.record.ended = ended;
        self.verify_from(0, When::After, now);
    }
}
