//! The limit that pays: what a solver's answers to formulas of one kind cost, and the time limit with most answers for the
//! time; and how much shorter limits must be so that stopped queries take a small share of all time.

use smelt_core::{Outcome, OutcomeKind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
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
/// Where nothing was ever stopped, the limit is this much longer than the longest answer.
const WELL_WITHIN: f64 = 3.0;
/// No limit is shorter than this share of answers took: it would stop queries that cost what all cost.
const MOST_ANSWERS: f64 = 0.75;
/// The shortest limit that pays.
const LEAST: Duration = Duration::from_millis(8);

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

    /// The time in which most answers came.
    pub(crate) fn usual(&self) -> Duration {
        let answered = self.answered.each_ref().map(|n| n.load(Relaxed));
        let most = f64::from(answered.iter().sum::<u32>()) * MOST_ANSWERS;
        let mut within = 0;
        let slowest = answered.iter().position(|n| {
            within += n;
            within > 0 && f64::from(within) >= most
        });
        slowest.map_or(Duration::ZERO, |step| Duration::from_secs_f64(end(step) / 1e3))
    }

    /// The limit with most answers for the time; if nothing was ever stopped, one that every answer so far came well within.
    /// `None` if too little is known.
    pub(crate) fn limit(&self) -> Option<Duration> {
        let read = |steps: &[AtomicU32; STEPS]| steps.each_ref().map(|n| n.load(Relaxed));
        let (answered, stopped) = (read(&self.answered), read(&self.stopped));
        let all: u32 = answered.iter().chain(&stopped).sum();
        if all < ENOUGH {
            return None;
        }
        if stopped.iter().all(|n| *n == 0) {
            let longest = answered.iter().rposition(|n| *n > 0)?;
            return Some(Duration::from_secs_f64(end(longest) * WELL_WITHIN / 1e3).max(LEAST));
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

/// Stopped queries should take at most this share of a solver's time.
const STOPPED_SHARE: f64 = 0.07;
/// The share is looked at after this much CPU time of a solver, in microseconds.
const LOOK_US: u64 = 1_000_000;
/// Limits are at least this part of what pays, and no shorter than this.
const SHORTEST: f64 = 0.2;
const SQUEEZED: Duration = Duration::from_millis(5);

/// Makes the limits of a solver shorter while stopped queries take more than their share of its time.
#[derive(Debug)]
pub(crate) struct Squeeze {
    spent_us: AtomicU64,
    stopped_us: AtomicU64,
    /// The part of each limit that is left, in thousandths.
    factor: AtomicU32,
}

impl Default for Squeeze {
    fn default() -> Squeeze {
        Squeeze { spent_us: AtomicU64::new(0), stopped_us: AtomicU64::new(0), factor: AtomicU32::new(1000) }
    }
}

impl Squeeze {
    /// Learns from a query.
    pub(crate) fn learn(&self, time: Duration, stopped: bool) {
        let us = time.as_micros() as u64;
        if stopped {
            self.stopped_us.fetch_add(us, Relaxed);
        }
        if self.spent_us.fetch_add(us, Relaxed) + us < LOOK_US {
            return;
        }
        // Another worker may look at the same time: one step more or less does no harm.
        let (all, lost) = (self.spent_us.swap(0, Relaxed), self.stopped_us.swap(0, Relaxed));
        let is_much = lost as f64 > STOPPED_SHARE * all as f64;
        let factor = f64::from(self.factor.load(Relaxed)) / 1e3 * if is_much { 0.8 } else { 1.1 };
        self.factor.store((factor.clamp(SHORTEST, 1.0) * 1e3) as u32, Relaxed);
    }

    /// A limit, made shorter, but not below what answers usually take.
    pub(crate) fn limit(&self, pays: Duration, usual: Duration) -> Duration {
        (pays * self.factor.load(Relaxed) / 1000).max(pays.min(SQUEEZED.max(usual)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::Usage;

    #[test]
    fn limits_are_shorter_while_much_time_is_lost_and_long_again_after_that() {
        let (squeeze, ms) = (Squeeze::default(), Duration::from_millis);
        let limit = |pays: u64| squeeze.limit(ms(pays), Duration::ZERO);
        assert_eq!(limit(100), ms(100));
        (0..200).for_each(|i| squeeze.learn(ms(50), i % 4 == 0));
        assert!(limit(100) < ms(40), "{:?}", limit(100));
        assert_eq!(squeeze.limit(ms(100), ms(60)), ms(60), "most answers take this long");
        assert_eq!(limit(14), SQUEEZED, "no limit is shorter than the shortest");
        assert_eq!(limit(3), ms(3));
        (0..2000).for_each(|i| squeeze.learn(ms(50), i % 20 == 0));
        assert_eq!(limit(100), ms(100));
    }

    fn learned(queries: &[(OutcomeKind, u64, u32)]) -> Payoff {
        let payoff = Payoff::default();
        for &(kind, ms, count) in queries {
            let time = Duration::from_millis(ms);
            let usage = Usage { wall: time, cpu: time, peak_memory: 0 };
            let outcome = Outcome { usage, ..Outcome::bare(kind, "") };
            (0..count).for_each(|_| payoff.learn(&outcome));
        }
        payoff
    }

    fn payoff(queries: &[(OutcomeKind, u64, u32)]) -> Option<u128> {
        learned(queries).limit().map(|d| d.as_millis())
    }

    #[test]
    fn what_is_usual_covers_most_answers() {
        use OutcomeKind::{Sat, Timeout};
        assert_eq!(learned(&[(Timeout, 50, 9)]).usual(), Duration::ZERO);
        let usual = learned(&[(Sat, 2, 30), (Sat, 10, 50), (Sat, 200, 20), (Timeout, 400, 90)]).usual();
        assert!((10..20).contains(&usual.as_millis()), "{usual:?}");
    }

    #[test]
    fn a_limit_covers_what_pays_and_no_more() {
        use OutcomeKind::{Sat, Timeout};
        assert_eq!(payoff(&[(Sat, 5, 10)]), None, "too few");
        let longest = payoff(&[(Sat, 5, 100), (Sat, 900, 10)]).unwrap();
        assert!((2700..4500).contains(&longest), "nothing is ever stopped: {longest}");
        let quick = payoff(&[(Sat, 5, 100), (Timeout, 1000, 20)]).unwrap();
        assert!((8..60).contains(&quick), "{quick}");
        // Answers that take long, but always come, pay.
        let slow = payoff(&[(Sat, 300, 100), (Timeout, 1000, 20)]).unwrap();
        assert!((300..1500).contains(&slow), "{slow}");
        // A few late answers do not pay for many that never come.
        let mixed = payoff(&[(Sat, 5, 100), (Sat, 700, 1), (Timeout, 1000, 50)]).unwrap();
        assert!(mixed < 100, "{mixed}");
    }
}
