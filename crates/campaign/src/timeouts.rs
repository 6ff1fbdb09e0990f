//! Decides which solvers run on a case, when, and with which time limit.
//!
//! The limit of a query follows from the survival curve of the solver on formulas of the same class: the share of
//! queries without an answer after a given time. The chosen limit gives the most answers per CPU second, and is
//! never below the time that most answers need. If cases are functions of their numbers, all limits are the same
//! and every solver runs.

use smelt_core::{Outcome, OutcomeKind};
use smelt_trial::is_decided;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::dispatch::Turn;
use crate::entry::Slot;
use crate::source::Learning;

/// Nothing is concluded from fewer queries.
pub(crate) const ENOUGH: u32 = 24;
/// Steps that nearly always fail are still tried in one of this many cases, so that nothing is given up for good: running a
/// solver that refused this many formulas of a class in a row, or one after another solver was stopped.
pub(crate) const SELDOM: u64 = 16;
/// Before anything is known, a query has one part in this many of the user's limit: of 10 s, a quarter of a second.
const FIRST: u32 = 40;
/// One case in this many has more time than pays: what lies behind a limit would never be seen otherwise.
const LONG: u64 = 512;
/// Long queries that time out may take at most one part in this many of all time.
const LONG_SHARE: u64 = 100;
/// Times that differ by less than this factor count as equal: a mutant gets this much more time than its seed took, and one
/// query in [`SELDOM`] this much more than the curve says, so that the curve sees what comes behind its limit.
const NOISE: u32 = 2;
/// A limit covers at least this share of the answers so far: a rule for the average must not cut off the usual.
const MOST_ANSWERS: f64 = 0.75;
/// What a query costs besides the solver's time, in milliseconds: making the case, sending it, judging it.
pub(crate) const OVERHEAD_MS: f64 = 2.0;
/// What it costs to start a process again after it was stopped, in milliseconds, as measured for z3 and cvc5.
const RESTART_MS: f64 = 40.0;

/// Times fall into steps, each half as long again as the one before, from a millisecond to eleven seconds.
const STEPS: usize = 24;

/// The end of a step in milliseconds.
fn end(step: usize) -> f64 {
    1.5f64.powi(step as i32 + 1)
}

fn step(time: Duration) -> usize {
    let ms = time.as_secs_f64() * 1e3;
    (0..STEPS).find(|step| ms <= end(*step)).unwrap_or(STEPS - 1)
}

/// Whether a query ended at a limit.
pub(crate) fn is_stopped(kind: OutcomeKind) -> bool {
    matches!(kind, OutcomeKind::Timeout | OutcomeKind::Memout)
}

/// How long answers of a solver took, and when queries were stopped.
#[derive(Debug, Default)]
struct Survival {
    answered: [AtomicU32; STEPS],
    stopped: [AtomicU32; STEPS],
}

impl Survival {
    fn learn(&self, outcome: &Outcome) {
        let steps = match outcome.kind {
            OutcomeKind::Sat | OutcomeKind::Unsat | OutcomeKind::Unknown => &self.answered,
            OutcomeKind::Timeout => &self.stopped,
            _ => return,
        };
        steps[step(outcome.usage.time())].fetch_add(1, Relaxed);
    }

    /// How many answers and how many stops each step has; `None` if too little is known.
    fn counts(&self) -> Option<[[u32; STEPS]; 2]> {
        let counts = [&self.answered, &self.stopped].map(|steps| steps.each_ref().map(|n| n.load(Relaxed)));
        (counts.iter().flatten().sum::<u32>() >= ENOUGH).then_some(counts)
    }

    /// Whether most queries are stopped.
    fn is_hopeless(&self) -> bool {
        let sum = |steps: &[u32; STEPS]| steps.iter().sum::<u32>();
        self.counts().is_some_and(|[answered, stopped]| sum(&stopped) > sum(&answered))
    }

    /// The limit with most answers for the time, and at least what most answers took. A query that was stopped early tells
    /// nothing of later steps, so the curve is the estimate of Kaplan and Meier.
    fn limit(&self, restart_ms: f64) -> Option<Duration> {
        let [answered, stopped] = self.counts()?;
        let answers: u32 = answered.iter().sum();
        if answers == 0 {
            return None;
        }
        let mut at_risk: u32 = answers + stopped.iter().sum::<u32>();
        let (mut surviving, mut expected, mut within) = (1.0, 0.0, 0);
        let (mut best, mut best_rate, mut usual) = (0.0, 0.0, None);
        let mut begin = 0.0;
        for i in 0..STEPS {
            if at_risk == 0 {
                break;
            }
            expected += surviving * (end(i) - begin);
            surviving *= 1.0 - f64::from(answered[i]) / f64::from(at_risk);
            at_risk -= answered[i] + stopped[i];
            let rate = (1.0 - surviving) / (OVERHEAD_MS + expected + surviving * restart_ms);
            if rate > best_rate {
                (best, best_rate) = (end(i), rate);
            }
            within += answered[i];
            if usual.is_none() && f64::from(within) >= f64::from(answers) * MOST_ANSWERS {
                usual = Some(end(i));
            }
            begin = end(i);
        }
        let ms = f64::max(best, usual.unwrap_or(0.0));
        Some(Duration::from_secs_f64(ms / 1e3))
    }
}

/// The policy of a campaign.
#[derive(Debug)]
pub(crate) struct Timeouts {
    learning: Learning,
    /// The user's limit.
    most: Duration,
    /// By solver: the curve for each class of formulas, and how many of them it refused in a row.
    curves: Vec<Vec<Survival>>,
    refused: Vec<Vec<AtomicU32>>,
    /// By solver, over all formulas, and what a stop costs.
    of_all: Vec<Survival>,
    restart_ms: Vec<f64>,
    /// CPU time of all queries, and of long queries that timed out, in microseconds.
    spent_us: AtomicU64,
    wasted_us: AtomicU64,
}

/// The question of a limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) solver: usize,
    /// The class of the formula.
    pub(crate) class: usize,
    /// The number of the case; `None` for a seed itself.
    pub(crate) number: Option<u64>,
    /// The time that the solver took for the seeds of the case, if it answered them.
    pub(crate) seeds: Option<Duration>,
}

impl Timeouts {
    /// For solvers that give up by themselves at a soft limit, or do not.
    pub(crate) fn new(
        learning: Learning,
        most: Duration,
        give_up: impl Iterator<Item = bool>,
        classes: usize,
    ) -> Timeouts {
        let restart_ms: Vec<f64> =
            give_up.map(|by_itself| if by_itself { OVERHEAD_MS } else { RESTART_MS }).collect();
        Timeouts {
            learning,
            most,
            curves: restart_ms.iter().map(|_| (0..classes).map(|_| Survival::default()).collect()).collect(),
            refused: restart_ms.iter().map(|_| (0..classes).map(|_| AtomicU32::new(0)).collect()).collect(),
            of_all: restart_ms.iter().map(|_| Survival::default()).collect(),
            restart_ms,
            spent_us: AtomicU64::new(0),
            wasted_us: AtomicU64::new(0),
        }
    }

    /// Where nothing is known.
    pub(crate) fn first(&self) -> Duration {
        self.most / FIRST
    }

    /// The limit of a query.
    pub(crate) fn limit(&self, query: Query) -> Duration {
        let is_long = query.number.is_some_and(|n| n % LONG == LONG - 1);
        // The models and answers of seeds decide which cases are made: where that must be repeatable, their limit is fixed.
        let fixed = match self.learning {
            Learning::Full => false,
            Learning::Repeatable => query.number.is_none(),
            Learning::Uniform => true,
        };
        if fixed {
            return if is_long { self.most } else { self.first() };
        }
        let restart = self.restart_ms[query.solver];
        let of_class = self.curves[query.solver][query.class].limit(restart);
        let learned = of_class.or_else(|| self.of_all[query.solver].limit(restart));
        let of_seeds = query.seeds.unwrap_or_default() * NOISE;
        let long = if is_long { self.allowance() } else { Duration::ZERO };
        let is_look = query.number.is_none_or(|n| n % SELDOM == 0);
        let learned = learned.map(|limit| if is_look { limit * NOISE } else { limit });
        learned.unwrap_or(self.first()).max(of_seeds).max(long).min(self.most)
    }

    /// What is left for long queries.
    fn allowance(&self) -> Duration {
        let allowed = self.spent_us.load(Relaxed) / LONG_SHARE;
        Duration::from_micros(allowed.saturating_sub(self.wasted_us.load(Relaxed)))
    }

    /// Learns from a query on a formula of a class.
    pub(crate) fn learn(&self, query: Query, outcome: &Outcome) {
        let Query { solver, class, number, .. } = query;
        let us = outcome.usage.cpu.as_micros() as u64;
        self.spent_us.fetch_add(us, Relaxed);
        if is_stopped(outcome.kind) && number.is_some_and(|n| n % LONG == LONG - 1) {
            self.wasted_us.fetch_add(us, Relaxed);
        }
        self.curves[solver][class].learn(outcome);
        self.of_all[solver].learn(outcome);
        // A solver that crashes on every formula of a class shows nothing new there either.
        let refused = &self.refused[solver][class];
        match outcome.kind {
            OutcomeKind::Rejected | OutcomeKind::Crash => refused.fetch_add(1, Relaxed),
            _ => refused.swap(0, Relaxed),
        };
    }

    /// Whether a solver is asked about a case of a class at all.
    pub(crate) fn asks(&self, solver: usize, class: usize, number: u64) -> bool {
        self.learning == Learning::Uniform
            || u64::from(self.refused[solver][class].load(Relaxed)) < SELDOM
            || number.is_multiple_of(SELDOM)
    }

    /// When a solver is asked. What stops one solver often stops others too; and where only a comparison can show a bug, one
    /// that is usually stopped comes last, after another one has answered.
    pub(crate) fn turn(&self, solver: usize, class: usize, ask: Ask<'_>) -> Turn {
        let Ask { slots, number, in_order, compared } = ask;
        let others = || slots.iter().enumerate().filter(|(i, _)| *i != solver);
        let done = || others().filter_map(|(_, s)| if let Slot::Done(o) = s { Some(o) } else { None });
        let in_spite = self.learning != Learning::Full || number.is_multiple_of(SELDOM);
        if in_spite || done().any(|outcome| is_decided(outcome)) {
            return Turn::Now;
        }
        // Enumerated cases run on all solvers, as the summary says.
        if !in_order && done().any(|outcome| is_stopped(outcome.kind)) {
            return Turn::Never;
        }
        let is_hopeless = |s: usize| self.curves[s][class].is_hopeless();
        if !compared || !is_hopeless(solver) {
            return Turn::Now;
        }
        // Of several such solvers the first is asked, so that one answers.
        let waits = |(i, slot): (usize, &Slot)| match slot {
            Slot::Waiting => !is_hopeless(i) || i < solver,
            Slot::Running => true,
            _ => false,
        };
        if others().any(waits) {
            return Turn::Later;
        }
        if done().next().is_some() { Turn::Never } else { Turn::Now }
    }
}

/// The question whether a solver is asked now.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) slots: &'a [Slot],
    pub(crate) number: u64,
    /// Whether the case is one of an enumeration.
    pub(crate) in_order: bool,
    /// Whether only a comparison of answers can show a bug.
    pub(crate) compared: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutcomeKind::{Rejected, Sat, Timeout};
    use smelt_core::Usage;

    fn outcome(kind: OutcomeKind, ms: u64) -> Outcome {
        let time = Duration::from_millis(ms);
        Outcome { usage: Usage { wall: time, cpu: time, peak_memory: 0 }, ..Outcome::bare(kind, "") }
    }

    fn survival(queries: &[(OutcomeKind, u64, u32)]) -> Survival {
        let survival = Survival::default();
        for &(kind, ms, count) in queries {
            (0..count).for_each(|_| survival.learn(&outcome(kind, ms)));
        }
        survival
    }

    fn limit(queries: &[(OutcomeKind, u64, u32)]) -> Option<u128> {
        survival(queries).limit(RESTART_MS).map(|d| d.as_millis())
    }

    #[test]
    fn a_limit_covers_what_pays_and_what_most_answers_take() {
        assert_eq!(limit(&[(Sat, 5, 10)]), None, "too few");
        let quick = limit(&[(Sat, 5, 100), (Timeout, 1000, 20)]).unwrap();
        assert!((5..20).contains(&quick), "{quick}");
        // Answers that take long, but always come, pay.
        let slow = limit(&[(Sat, 300, 100), (Timeout, 1000, 20)]).unwrap();
        assert!((300..1000).contains(&slow), "{slow}");
        // A few late answers do not pay for many that never come.
        let mixed = limit(&[(Sat, 5, 100), (Sat, 700, 1), (Timeout, 1000, 50)]).unwrap();
        assert!(mixed < 50, "{mixed}");
        // Half of the answers come at once, and half later: most of them count.
        let late = limit(&[(Sat, 1, 50), (Sat, 200, 50), (Timeout, 400, 100)]).unwrap();
        assert!((200..700).contains(&late), "{late}");
        assert_eq!(limit(&[(Timeout, 100, 50)]), None, "nothing was ever answered");
    }

    /// That queries were stopped early says nothing of what they would have needed.
    #[test]
    fn a_query_that_was_stopped_early_is_not_counted_as_one_that_takes_long() {
        let early = limit(&[(Timeout, 10, 300), (Sat, 100, 40), (Timeout, 400, 2)]).unwrap();
        assert!((100..400).contains(&early), "{early}");
    }

    fn timeouts(learning: Learning) -> Timeouts {
        Timeouts::new(learning, Duration::from_secs(10), [false].into_iter(), 2)
    }

    fn query(class: usize, number: Option<u64>, seeds: Option<u64>) -> Query {
        Query { solver: 0, class, number, seeds: seeds.map(Duration::from_millis) }
    }

    #[test]
    fn limits_follow_the_class_then_the_solver_and_the_seed() {
        let timeouts = timeouts(Learning::Full);
        let ms = |query: Query| timeouts.limit(query).as_millis();
        assert_eq!(ms(query(0, Some(0), None)), 250);
        for _ in 0..100 {
            timeouts.learn(query(0, Some(0), None), &outcome(Sat, 5));
        }
        let learned = ms(query(0, Some(1), None));
        assert!((5..20).contains(&learned), "{learned}");
        assert_eq!(ms(query(0, Some(SELDOM), None)) / learned, 2, "a look behind the limit");
        assert_eq!(ms(query(1, Some(1), None)), learned, "of the solver, while the class is unknown");
        assert_eq!(ms(query(0, Some(1), Some(300))), 600, "as slow as its seed");
        assert_eq!(ms(query(0, Some(1), Some(9000))), 10_000, "the user's limit");
        assert_eq!(ms(query(0, Some(LONG - 1), None)), learned, "little time was spent");
        for _ in 0..100 {
            timeouts.learn(query(1, Some(0), None), &outcome(Sat, 900));
        }
        let long = ms(query(0, Some(LONG - 1), None));
        assert!((800..1000).contains(&long), "a hundredth of 90 s: {long}");
    }

    #[test]
    fn where_cases_are_numbers_limits_are_the_same_for_all() {
        let timeouts = timeouts(Learning::Uniform);
        (0..100).for_each(|_| timeouts.learn(query(0, Some(0), None), &outcome(Rejected, 5)));
        assert_eq!(timeouts.limit(query(0, Some(3), Some(700))).as_millis(), 250);
        assert_eq!(timeouts.limit(query(0, Some(LONG - 1), None)).as_millis(), 10_000);
        assert!(timeouts.asks(0, 0, 7));
    }

    #[test]
    fn a_solver_that_refuses_a_class_is_asked_seldom_until_it_accepts_one() {
        let timeouts = timeouts(Learning::Full);
        (0..SELDOM).for_each(|_| timeouts.learn(query(0, Some(0), None), &outcome(Rejected, 1)));
        assert!(!timeouts.asks(0, 0, 7) && timeouts.asks(0, 0, 2 * SELDOM) && timeouts.asks(0, 1, 7));
        timeouts.learn(query(0, Some(0), None), &outcome(Sat, 1));
        assert!(timeouts.asks(0, 0, 7));
    }
}
