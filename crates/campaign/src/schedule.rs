//! Which strategy and which seed come next: a bandit with a floor.
//!
//! An arm's weight grows with the share of its tests that were useful and with their findings, shrinks with the cost of a
//! test, and never falls below a floor, so nothing starves. Everything that depends on the clock (the cost, timeouts, and
//! findings that need two answers in time) counts in [`Learning::Full`] only; [`Learning::Repeatable`] learns from
//! rejections and from strategies that make nothing, so that equal campaigns make equal cases.
//!
//! Counts are atomic and shared by all workers; nothing waits for anything.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use smelt_strategies::Rng;

use crate::plan::Source;

/// The results that the scheduler learns from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Learning {
    /// All results.
    #[default]
    Full,
    /// Results that do not depend on the clock.
    Repeatable,
    /// None: every strategy and every seed comes equally often.
    Uniform,
}

/// The least weight of an arm; the best arms without findings get 1.
const FLOOR: f64 = 0.01;
/// An arm with findings gets at most this much more.
const BONUS: f64 = 2.0;

/// A test of a seed that costs this many milliseconds is worth half of one that costs nothing.
const HALF_WORTH: f64 = 5.0;

/// Large seeds are slow more often than not: this many bytes count as a millisecond until a seed was tried.
const BYTES_A_MS: f64 = 64.0;

/// The weight of a seed that was never tried, relative to one that is known to be fast.
const UNTRIED: f64 = 0.2;

/// Tests, useful ones, findings, and milliseconds of solvers of an arm.
pub(crate) use smelt_store::Counts;

/// The counts of one arm.
#[derive(Debug, Default)]
pub(crate) struct Arm {
    tests: AtomicU32,
    useful: AtomicU32,
    found: AtomicU32,
    cost_ms: AtomicU32,
    /// The expected cost of a test before any was run.
    prior_ms: f64,
}

/// The result of a test, for the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feedback {
    pub(crate) source: Source,
    /// Enough solvers gave an answer to compare.
    pub(crate) decided: bool,
    /// Every solver that was asked refused it.
    pub(crate) rejected: bool,
    /// It showed something new.
    pub(crate) found: bool,
    /// The time of all solvers together.
    pub(crate) cost: Duration,
}

impl Arm {
    fn weight(&self) -> f64 {
        let tests = f64::from(self.tests.load(Relaxed));
        let useful = f64::from(self.useful.load(Relaxed));
        let found = f64::from(self.found.load(Relaxed));
        // Starts at 1; several bad tests are needed to lower it much.
        let use_rate = (useful + 4.0) / (tests + 4.0);
        // Findings count by their rate, so an exhausted arm loses its bonus again.
        let find_rate = (found * 50.0 / (tests + 50.0)).min(1.0);
        let cost = (f64::from(self.cost_ms.load(Relaxed)) + 4.0 * self.prior_ms) / (tests + 4.0);
        let known = if tests == 0.0 { UNTRIED } else { 1.0 };
        (known * (use_rate + BONUS * find_rate) / (1.0 + cost / HALF_WORTH)).max(FLOOR)
    }

    fn add(&self, useful: bool, found: bool, cost: Duration) {
        self.tests.fetch_add(1, Relaxed);
        self.useful.fetch_add(u32::from(useful), Relaxed);
        self.found.fetch_add(u32::from(found), Relaxed);
        self.cost_ms.fetch_add(u32::try_from(cost.as_millis()).unwrap_or(u32::MAX), Relaxed);
    }

    fn counts(&self) -> Counts {
        [&self.tests, &self.useful, &self.found, &self.cost_ms].map(|n| n.load(Relaxed))
    }

    fn restore(&self, counts: Counts) {
        for (counter, value) in
            [&self.tests, &self.useful, &self.found, &self.cost_ms].into_iter().zip(counts)
        {
            counter.store(value, Relaxed);
        }
    }
}

/// The shared state of the bandit.
#[derive(Debug)]
pub(crate) struct Schedule {
    learning: Learning,
    strategies: Vec<Arm>,
    seeds: Vec<Arm>,
    /// By strategy, its ways. They count for strategies that need no seeds.
    ways: Vec<Vec<Arm>>,
}

impl Schedule {
    /// For strategies with this many ways each, and for seeds of this many bytes.
    pub(crate) fn new(
        learning: Learning,
        strategies: &[usize],
        seeds: impl Iterator<Item = usize>,
    ) -> Schedule {
        let seed = |bytes| Arm { prior_ms: bytes as f64 / BYTES_A_MS, ..Arm::default() };
        Schedule {
            learning,
            strategies: strategies.iter().map(|_| Arm::default()).collect(),
            seeds: seeds.map(seed).collect(),
            ways: strategies.iter().map(|ways| (0..*ways).map(|_| Arm::default()).collect()).collect(),
        }
    }

    /// A strategy, by weight.
    pub(crate) fn strategy(&self, rng: &mut Rng) -> usize {
        pick(&self.strategies, self.learning, rng)
    }

    /// A seed, by weight.
    pub(crate) fn seed(&self, rng: &mut Rng) -> usize {
        pick(&self.seeds, self.learning, rng)
    }

    /// A way of a strategy that needs no seeds, by weight.
    pub(crate) fn way(&self, strategy: usize, rng: &mut Rng) -> usize {
        pick(&self.ways[strategy], self.learning, rng)
    }

    /// How many seeds had no test yet.
    pub(crate) fn untouched(&self) -> usize {
        self.seeds.iter().filter(|a| a.tests.load(Relaxed) == 0).count()
    }

    /// Whether a seed or a way is hard: few of its tests are decided.
    pub(crate) fn is_hard(&self, source: Source) -> bool {
        let arm = self.arm(source);
        let (tests, useful) = (arm.tests.load(Relaxed), arm.useful.load(Relaxed));
        tests >= 4 && useful * 4 < tests
    }

    pub(crate) fn learn(&self, feedback: Feedback) {
        let Feedback { source, decided, rejected, found, cost } = feedback;
        let (useful, found, cost) = match self.learning {
            Learning::Full => (decided || found, found, cost),
            Learning::Repeatable => (!rejected, false, Duration::ZERO),
            Learning::Uniform => (true, false, Duration::ZERO),
        };
        // Cases of a strategy may be slow by nature, and still worth their cost.
        self.strategies[source.strategy].add(useful, found, Duration::ZERO);
        self.arm(source).add(useful, found, cost);
    }

    /// The seed, or the way of a strategy that needs none.
    fn arm(&self, source: Source) -> &Arm {
        match source.seed {
            Some(seed) => &self.seeds[seed],
            None => &self.ways[source.strategy][source.way],
        }
    }

    /// A strategy made no case; this does not depend on the clock.
    pub(crate) fn learn_skip(&self, strategy: usize) {
        if self.learning != Learning::Uniform {
            self.strategies[strategy].add(false, false, Duration::ZERO);
        }
    }

    /// A way has no more cases.
    pub(crate) fn learn_over(&self, strategy: usize, way: usize) {
        if self.learning != Learning::Uniform {
            self.ways[strategy][way].add(false, false, Duration::ZERO);
        }
    }

    /// The counts of each strategy and of each seed, to be stored.
    pub(crate) fn arms(&self) -> [Vec<Counts>; 2] {
        [&self.strategies, &self.seeds].map(|arms| arms.iter().map(Arm::counts).collect())
    }

    /// The counts of a way, to be stored.
    pub(crate) fn way_counts(&self, strategy: usize, way: usize) -> Counts {
        self.ways[strategy][way].counts()
    }

    /// Restores the stored counts of a way.
    pub(crate) fn restore_way(&self, strategy: usize, way: usize, counts: Counts) {
        self.ways[strategy][way].restore(counts);
    }

    /// Restores stored counts.
    pub(crate) fn restore(&self, strategies: &[(usize, Counts)], seeds: &[(usize, Counts)]) {
        for (arms, stored) in [(&self.strategies, strategies), (&self.seeds, seeds)] {
            for (index, counts) in stored {
                if let Some(arm) = arms.get(*index) {
                    arm.restore(*counts);
                }
            }
        }
    }
}

/// Picks by weight among a uniform sample: close enough to the weights of all arms, however many there are.
fn pick(arms: &[Arm], learning: Learning, rng: &mut Rng) -> usize {
    const DRAWN: usize = 64;
    if learning == Learning::Uniform {
        return rng.below(arms.len());
    }
    let mut drawn = [(0, 0.0); DRAWN];
    let mut sum = 0.0;
    for slot in &mut drawn {
        let index = rng.below(arms.len());
        sum += arms[index].weight();
        *slot = (index, sum);
    }
    let bar = rng.below(1 << 30) as f64 / f64::from(1 << 30) * sum;
    drawn.iter().find(|d| d.1 > bar).unwrap_or(&drawn[DRAWN - 1]).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feedback(seed: usize, decided: bool, rejected: bool, found: bool) -> Feedback {
        let source = Source { strategy: 0, way: 0, seed: Some(seed), number: 0, in_order: false };
        Feedback { source, decided, rejected, found, cost: Duration::ZERO }
    }

    fn shares(schedule: &Schedule, seeds: usize) -> Vec<f64> {
        let mut rng = Rng::new(1);
        let mut counts = vec![0.0; seeds];
        (0..20_000).for_each(|_| counts[schedule.seed(&mut rng)] += 1.0 / 20_000.0);
        counts
    }

    #[test]
    fn what_times_out_gets_less_what_finds_gets_more_and_nothing_starves() {
        let schedule = Schedule::new(Learning::Full, &[0], [0; 3].into_iter());
        for i in 0..200 {
            schedule.learn(feedback(0, false, false, false));
            schedule.learn(feedback(1, true, false, false));
            schedule.learn(feedback(2, true, false, i % 10 == 0));
        }
        let shares = shares(&schedule, 3);
        assert!(shares[0] > 0.001 && shares[0] < shares[1] / 5.0, "{shares:?}");
        assert!(shares[2] > 1.5 * shares[1], "{shares:?}");
    }

    #[test]
    fn what_is_slow_gets_fewer_tests() {
        let schedule = Schedule::new(Learning::Full, &[0], [0; 2].into_iter());
        for _ in 0..100 {
            schedule.learn(Feedback { cost: Duration::from_millis(200), ..feedback(0, true, false, false) });
            schedule.learn(feedback(1, true, false, false));
        }
        let shares = shares(&schedule, 2);
        assert!(shares[0] > 0.005 && shares[0] < 0.2, "{shares:?}");
    }

    #[test]
    fn a_repeatable_schedule_does_not_look_at_what_depends_on_the_clock() {
        let arms = |decided, found| {
            let schedule = Schedule::new(Learning::Repeatable, &[0], [0; 2].into_iter());
            (0..100).for_each(|_| schedule.learn(feedback(0, decided, false, found)));
            (0..100).for_each(|_| schedule.learn(feedback(1, false, true, false)));
            schedule.arms()
        };
        assert_eq!(arms(true, true), arms(false, false));
        assert!(arms(true, true)[1][1][1] == 0, "rejections count");
    }

    #[test]
    fn a_uniform_schedule_learns_nothing() {
        let schedule = Schedule::new(Learning::Uniform, &[0], [0; 2].into_iter());
        (0..1000).for_each(|_| schedule.learn(feedback(0, false, true, false)));
        let shares = shares(&schedule, 2);
        assert!((shares[0] - 0.5).abs() < 0.03, "{shares:?}");
    }
}
