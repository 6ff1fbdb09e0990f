//! The limit that pays: what a solver's answers to formulas of one kind cost, and the time limit with most answers for the
//! time.

use smelt_core::{Outcome, OutcomeKind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Times fall into steps, each half as long again as the one before, from a millisecond to ten seconds.
const STEPS: usize = 24;
const GROWTH: f64 = 1.5;
/// No limit is learned from fewer queries.
const ENOUGH: u32 = 24;
/// What every query costs besides, and what it costs to replace a process that was stopped, in milliseconds.
const QUERY: f64 = 2.0;
const RESTART: f64 = 40.0;
/// What it costs if the solver gives up by itself and its process stays.
const GIVEN_UP: f64 = 2.0;
/// A limit is this much longer than the answers that pay: times differ from run to run.
const SLACK: f64 = 1.5;
/// The shortest limit.
const LEAST: Duration = Duration::from_millis(12);

/// How long answers took, and at which times queries were stopped.
#[derive(Debug, Default)]
pub(crate) struct Payoff {
    answered: [AtomicU32; STEPS],
    stopped: [AtomicU32; STEPS],
    gives_up: bool,
}

fn step(time: Duration) -> usize {
    let ms = time.as_secs_f64() * 1e3;
    if ms <= 1.0 { 0 } else { (ms.ln() / GROWTH.ln()) as usize }.min(STEPS - 1)
}

/// The end of a step in milliseconds.
fn end(step: usize) -> f64 {
    GROWTH.powi(step as i32 + 1)
}

impl Payoff {
    /// For a solver that gives up by itself at a soft limit, or does not.
    pub(crate) fn new(gives_up: bool) -> Payoff {
        Payoff { gives_up, ..Payoff::default() }
    }

    /// Whether there were enough queries to learn from.
    pub(crate) fn is_known(&self) -> bool {
        self.answered.iter().chain(&self.stopped).map(|n| n.load(Relaxed)).sum::<u32>() >= ENOUGH
    }

    /// Learns from a query.
    pub(crate) fn learn(&self, outcome: &Outcome) {
        let steps = match outcome.kind {
            OutcomeKind::Sat | OutcomeKind::Unsat | OutcomeKind::Unknown => &self.answered,
            OutcomeKind::Timeout => &self.stopped,
            _ => return,
        };
        steps[step(outcome.usage.time())].fetch_add(1, Relaxed);
    }

    /// Whether most queries are stopped.
    pub(crate) fn is_dear(&self) -> bool {
        let sum = |steps: &[AtomicU32; STEPS]| steps.iter().map(|n| n.load(Relaxed)).sum::<u32>();
        let (answered, stopped) = (sum(&self.answered), sum(&self.stopped));
        answered + stopped >= ENOUGH && stopped > answered
    }

    /// The limit with most answers for the time; `None` if too little is known, or nothing was ever stopped.
    pub(crate) fn limit(&self) -> Option<Duration> {
        let read = |steps: &[AtomicU32; STEPS]| steps.each_ref().map(|n| n.load(Relaxed));
        let (answered, stopped) = (read(&self.answered), read(&self.stopped));
        let all: u32 = answered.iter().chain(&stopped).sum();
        if all < ENOUGH || stopped.iter().all(|n| *n == 0) {
            return None;
        }
        let stop = if self.gives_up { GIVEN_UP } else { RESTART };
        // Answers a millisecond, if every query were stopped at the end of a step.
        let rate = |limit: usize| {
            let (mut answers, mut cost) = (0.0, f64::from(all) * QUERY);
            for i in 0..STEPS {
                let (yes, no) = (f64::from(answered[i]), f64::from(stopped[i]));
                if i <= limit {
                    answers += yes;
                    cost += yes * end(i) + no * (end(i) + stop);
                } else {
                    cost += (yes + no) * (end(limit) + stop);
                }
            }
            answers / cost
        };
        let best = (0..STEPS).max_by(|a, b| rate(*a).total_cmp(&rate(*b)))?;
        Some(Duration::from_secs_f64(end(best) * SLACK / 1e3).max(LEAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::Usage;

    fn payoff(queries: &[(OutcomeKind, u64, u32)]) -> Option<u128> {
        let payoff = Payoff::default();
        for &(kind, ms, count) in queries {
            let time = Duration::from_millis(ms);
            let usage = Usage { wall: time, cpu: time, peak_memory: 0 };
            let outcome = Outcome { usage, ..Outcome::bare(kind, "") };
            (0..count).for_each(|_| payoff.learn(&outcome));
        }
        payoff.limit().map(|d| d.as_millis())
    }

    #[test]
    fn a_limit_covers_what_pays_and_no_more() {
        use OutcomeKind::{Sat, Timeout};
        assert_eq!(payoff(&[(Sat, 5, 10)]), None, "too few");
        assert_eq!(payoff(&[(Sat, 5, 100), (Sat, 900, 10)]), None, "nothing is ever stopped");
        let quick = payoff(&[(Sat, 5, 100), (Timeout, 1000, 20)]).unwrap();
        assert!((10..60).contains(&quick), "{quick}");
        // Answers that take long, but always come, pay.
        let slow = payoff(&[(Sat, 300, 100), (Timeout, 1000, 20)]).unwrap();
        assert!((300..1500).contains(&slow), "{slow}");
        // A few late answers do not pay for many that never come.
        let mixed = payoff(&[(Sat, 5, 100), (Sat, 700, 1), (Timeout, 1000, 50)]).unwrap();
        assert!(mixed < 100, "{mixed}");
    }
}
