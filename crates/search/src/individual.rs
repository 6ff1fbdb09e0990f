//! An individual: a script with its measurements.

use serde::{Deserialize, Serialize};
use smelt_core::{Outcome, OutcomeKind};
use std::time::Duration;

use super::coverage::Behaviour;

/// How many times slower than another a solver must be to be called slow, and how long it must have worked at least.
pub(crate) const TIMES: f64 = 20.0;
pub(crate) const SLOW: Duration = Duration::from_millis(500);

/// A script of the population.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Individual {
    /// Its text.
    pub text: String,
    /// How complex it is.
    pub complexity: u64,
    /// How long the target took.
    pub target: Timing,
    /// How long the reference took.
    pub reference: Timing,
    /// What the target did, as far as coverage shows it.
    pub behaviour: Option<Behaviour>,
    /// Its coverage score, against all individuals before it.
    pub covered: f64,
    /// Whether it only repeats a known bug: its time then counts as zero.
    #[serde(default)]
    pub known: bool,
}

/// CPU time of one solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// In seconds, at most the limit. Of several runs the fastest: noise only ever adds.
    pub seconds: f64,
    /// How it ended.
    pub outcome: OutcomeKind,
    /// How often it was run.
    pub runs: u32,
}

impl Timing {
    /// The time of one run within a limit.
    pub(crate) fn of(outcome: &Outcome, limit: Duration) -> Timing {
        let cpu = outcome.usage.cpu.min(limit).as_secs_f64();
        Timing { seconds: cpu, outcome: outcome.kind, runs: 1 }
    }

    /// The time of a release that triage ran.
    pub(crate) fn released(release: &smelt_core::Release) -> Option<Timing> {
        Some(Timing { seconds: release.wall_ms / 1e3, outcome: release.outcome?, runs: 1 })
    }

    /// This time combined with another run. Of two that were stopped, the one that had more of its time says more.
    pub(crate) fn with(self, other: Timing) -> Timing {
        let is_better = match self.is_timeout() && other.is_timeout() {
            true => other.seconds > self.seconds,
            false => other.seconds < self.seconds,
        };
        let best = if is_better { other } else { self };
        Timing { runs: self.runs + other.runs, ..best }
    }

    /// The time of solvers that work side by side: that of the fastest that decides, or of the slowest if none does.
    pub(crate) fn together(timings: impl Iterator<Item = Timing>) -> Option<Timing> {
        timings.reduce(|a, b| {
            let is_better = match (a.is_decided(), b.is_decided()) {
                (true, true) => b.seconds < a.seconds,
                (false, false) => b.seconds > a.seconds,
                (_, decides) => decides,
            };
            if is_better { b } else { a }
        })
    }

    /// Whether it said sat or unsat.
    pub fn is_decided(&self) -> bool {
        matches!(self.outcome, OutcomeKind::Sat | OutcomeKind::Unsat)
    }

    /// Whether it could not work on the script.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self.outcome, OutcomeKind::Rejected | OutcomeKind::Error | OutcomeKind::Crash)
    }

    /// Whether it was stopped at the limit.
    pub fn is_timeout(&self) -> bool {
        matches!(self.outcome, OutcomeKind::Timeout)
    }

    /// Whether it used up a limit, and was not just kept waiting by a busy machine.
    pub fn has_reached(&self, limit: Duration) -> bool {
        self.seconds >= limit.as_secs_f64() * 0.95
    }

    /// Whether it says nothing: the clock of a busy machine stopped it before it had used its CPU time, or [`TIMES`] that of
    /// the reference.
    pub fn is_starved(&self, limit: Duration, reference: Timing) -> bool {
        let enough = (reference.seconds * TIMES).max(SLOW.as_secs_f64());
        self.is_timeout() && !self.has_reached(limit) && self.seconds < enough
    }
}

impl Individual {
    /// Whether the target does not finish within a limit what the reference does at once.
    pub fn is_candidate(&self, limit: Duration, at_once: Duration) -> bool {
        self.target.is_timeout()
            && !self.target.is_starved(limit, self.reference)
            && self.reference.is_decided()
            && self.reference.seconds <= at_once.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_side_by_side_are_as_fast_as_the_fastest_that_decides() {
        let timing = |seconds, outcome| Timing { seconds, outcome, runs: 1 };
        let (fast, slow) = (timing(0.1, OutcomeKind::Sat), timing(2.0, OutcomeKind::Sat));
        let (late, vague) = (timing(5.0, OutcomeKind::Timeout), timing(0.01, OutcomeKind::Unknown));
        let together = |list: &[Timing]| Timing::together(list.iter().copied());
        assert_eq!(together(&[late, slow, vague, fast]), Some(fast));
        assert_eq!(together(&[vague, late]), Some(late), "nobody decides");
        assert_eq!(together(&[]), None);
    }

    #[test]
    fn a_busy_machine_does_not_hide_a_slow_target() {
        let timing = |seconds, outcome| Timing { seconds, outcome, runs: 1 };
        let (limit, fast) = (Duration::from_secs(5), timing(0.09, OutcomeKind::Sat));
        let stopped = |seconds| timing(seconds, OutcomeKind::Timeout);
        assert!(!stopped(4.3).is_starved(limit, fast), "48 times the reference");
        assert!(
            stopped(1.0).is_starved(limit, fast)
                && stopped(0.2).is_starved(limit, timing(0.001, OutcomeKind::Sat))
        );
        assert!(!stopped(5.0).is_starved(limit, timing(2.0, OutcomeKind::Sat)));
        assert_eq!(stopped(1.0).with(stopped(4.3)).seconds, 4.3);
        assert_eq!(stopped(4.3).with(fast).seconds, 0.09);
    }
}
