//! Which strategy and which seed come next: a bandit with a floor.
//!
//! An arm's weight grows with the share of its tests that were useful, with their findings and with behaviour of solvers
//! that was not seen before, shrinks with the cost of a test, and never falls below a floor, so nothing starves. Strategies,
//! their ways, the subjects of seeds and the seeds of a subject are arms of their own. Old results fade: what is worked out loses its bonus. Everything that
//! depends on the clock (the cost, timeouts, behaviour, and findings that need two answers in time) counts in
//! [`Learning::Full`] only; [`Learning::Repeatable`] learns from rejections and from strategies that make nothing, so that
//! equal campaigns make equal cases. In [`Learning::Uniform`] results are counted and nothing is chosen by them: the
//! number of a case says how it is made, see [`crate::deal`].
//!
//! Counts are atomic and shared by all workers; nothing waits for anything.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use smelt_strategies::Rng;

use crate::plan::Source;
use crate::subject::Subjects;

/// The results that the scheduler learns from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Learning {
    /// All results.
    #[default]
    Full,
    /// Results that do not depend on the clock.
    Repeatable,
    /// None: every strategy and every seed comes equally often, and a case is a function of its number, whatever else
    /// is run, and by however many workers.
    Uniform,
}

/// The least weight of an arm; the best arms without findings get 1.
const FLOOR: f64 = 0.01;
/// An arm with findings gets at most this much more.
const BONUS: f64 = 2.0;
/// An arm whose tests all show new behaviour gets this much more.
const NOVELTY: f64 = 1.0;
/// After this many tests of an arm its recent counts are halved.
const FADED: u32 = 256;
/// The weight of a seed that nobody answers, relative to others.
const LEFT: f64 = 0.05;

/// A test that costs this many milliseconds is worth half of one that costs nothing.
const HALF_WORTH: f64 = 3.0;

/// Large seeds are slow more often than not: this many bytes count as a millisecond until a seed was tried.
const BYTES_A_MS: f64 = 64.0;

/// The weight of a seed that was never tried, relative to one that is known to be fast. There are many seeds; of strategies,
/// ways and subjects there are few, and each is tried soon.
const UNTRIED: f64 = 0.2;

/// Tests, useful ones, findings, and milliseconds of solvers of an arm.
pub(crate) use smelt_store::Counts;
use smelt_store::Sums;

/// The counts of one arm.
#[derive(Debug)]
pub(crate) struct Arm {
    all: Tally,
    /// The same with old results faded, for the weight.
    recent: Tally,
    /// Recent tests that showed new behaviour.
    novel: AtomicU32,
    /// Whether nobody answers it.
    left: AtomicBool,
    /// The expected cost of a test before any was run, in microseconds, and the expected share of useful ones, in thousandths.
    prior_us: AtomicU32,
    prior_useful: AtomicU32,
    /// What a test of it is worth before anything is known.
    worth: f64,
    /// Its weight as long as it was never tried, relative to the one it has afterwards.
    untried: f64,
}

impl Default for Arm {
    fn default() -> Arm {
        Arm {
            all: Tally::default(),
            recent: Tally::default(),
            novel: AtomicU32::new(0),
            left: AtomicBool::new(false),
            prior_us: AtomicU32::new(0),
            prior_useful: AtomicU32::new(1000),
            worth: 1.0,
            untried: 1.0,
        }
    }
}

/// Tests, useful ones, findings, and milliseconds of solvers.
#[derive(Debug, Default)]
struct Tally {
    tests: AtomicU32,
    useful: AtomicU32,
    found: AtomicU32,
    cost_ms: AtomicU32,
}

impl Tally {
    fn counters(&self) -> [&AtomicU32; 4] {
        [&self.tests, &self.useful, &self.found, &self.cost_ms]
    }

    fn counts(&self) -> Counts {
        self.counters().map(|n| n.load(Relaxed))
    }

    fn set(&self, counts: Counts) {
        self.counters().into_iter().zip(counts).for_each(|(counter, value)| counter.store(value, Relaxed));
    }

    fn add(&self, useful: bool, found: bool, cost: Duration) {
        let cost = u32::try_from(cost.as_millis()).unwrap_or(u32::MAX);
        for (counter, more) in self.counters().into_iter().zip([1, u32::from(useful), u32::from(found), cost])
        {
            counter.fetch_add(more, Relaxed);
        }
    }
}

/// The result of a test, for the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feedback {
    pub(crate) source: Source,
    /// Enough solvers gave an answer to compare.
    pub(crate) decided: bool,
    /// Every solver that was asked refused it.
    pub(crate) rejected: bool,
    /// It showed a bug that was not known.
    pub(crate) found: bool,
    /// It is unlike most of the findings before it.
    pub(crate) credit: bool,
    /// Solvers behaved as they never did before.
    pub(crate) novel: bool,
    /// The time of all solvers together; that of stopped queries counts more.
    pub(crate) cost: Duration,
}

impl Arm {
    fn weight(&self) -> f64 {
        let [tests, useful, found, cost_ms] = self.recent.counts().map(f64::from);
        // Starts at what is expected; several bad tests are needed to lower it much.
        let expected = f64::from(self.prior_useful.load(Relaxed)) / 1e3;
        let use_rate = (useful + 4.0 * expected) / (tests + 4.0);
        // Findings count by their rate, so an exhausted arm loses its bonus again.
        let find_rate = (found * 50.0 / (tests + 50.0)).min(1.0);
        let novelty = f64::from(self.novel.load(Relaxed)) / (tests + 4.0);
        let prior_ms = f64::from(self.prior_us.load(Relaxed)) / 1e3;
        let cost = (cost_ms + 4.0 * prior_ms) / (tests + 4.0);
        let known = if tests == 0.0 { self.untried } else { 1.0 };
        let left = if self.left.load(Relaxed) { LEFT } else { 1.0 };
        // A test without an answer shows nothing and costs most: an arm with many of them is worth less than their share.
        let value = use_rate.powi(3) + BONUS * find_rate + NOVELTY * novelty;
        self.worth * left * (known * value / (1.0 + cost / HALF_WORTH)).max(FLOOR)
    }

    /// Counts a test; `learned` is what the weight learns of whether it found something.
    fn add(&self, useful: bool, found: bool, learned: bool, cost: Duration) {
        self.all.add(useful, found, cost);
        self.recent.add(useful, learned, cost);
    }

    /// Halves the recent counts once there are many. Another worker may count at the same time: a test more or less in a
    /// weight does no harm.
    fn fade(&self) {
        if self.recent.tests.load(Relaxed) >= FADED {
            self.recent.set(self.recent.counts().map(|n| n / 2));
            self.novel.store(self.novel.load(Relaxed) / 2, Relaxed);
        }
    }

    /// Adds what others counted to what the weight follows from, as if it had come one by one. How often behaviour was new
    /// is not told by others: its rate stays.
    fn hear(&self, counts: Sums) {
        let recent = self.recent.counts();
        let mut sums: [f64; 4] = std::array::from_fn(|i| f64::from(recent[i]) + counts[i] as f64);
        while sums[0] >= f64::from(FADED) {
            sums = sums.map(|n| n / 2.0);
        }
        self.recent.set(sums.map(|n| n as u32));
        let novel = f64::from(self.novel.load(Relaxed)) / f64::from(recent[0].max(1)) * sums[0];
        self.novel.store(novel as u32, Relaxed);
    }

    fn counts(&self) -> Counts {
        self.all.counts()
    }

    fn restore(&self, counts: Counts, learning: Learning) {
        self.all.set(counts);
        let [tests, useful, found, cost] = counts;
        self.recent.set([tests, useful, if learning == Learning::Repeatable { 0 } else { found }, cost]);
    }
}

/// Which arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Strategy(usize),
    Way(usize, usize),
    Seed(usize),
}

/// A seed, before anything is known of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    pub(crate) bytes: usize,
    /// What a test of it is worth, relative to other seeds of its subject.
    pub(crate) worth: f64,
}

/// A subject with its seeds.
#[derive(Debug)]
struct Shelf {
    arm: Arm,
    seeds: Vec<usize>,
}

/// The shared state of the bandit.
#[derive(Debug)]
pub(crate) struct Schedule {
    learning: Learning,
    strategies: Vec<Arm>,
    seeds: Vec<Arm>,
    shelves: Vec<Shelf>,
    /// By seed, its shelf.
    shelf_of: Vec<usize>,
    /// By strategy, its ways.
    ways: Vec<Vec<Arm>>,
}

impl Schedule {
    /// For strategies and their ways, each of this worth, and for these seeds with their subjects.
    pub(crate) fn new(
        learning: Learning,
        strategies: &[(f64, Vec<f64>)],
        seeds: &[Candidate],
        subjects: Subjects,
    ) -> Schedule {
        let seed = |c: &Candidate| Arm {
            prior_us: AtomicU32::new(to_us(c.bytes as f64 / BYTES_A_MS / 1e3)),
            worth: c.worth,
            untried: UNTRIED,
            ..Arm::default()
        };
        let of_worth = |worth: &f64| Arm { worth: *worth, ..Arm::default() };
        let shelf = |(number, worth): (usize, &f64)| {
            let members: Vec<usize> = (0..seeds.len()).filter(|s| subjects.of[*s] == number).collect();
            // A subject with many seeds has more to try than one with few, but not in proportion.
            let sum: f64 = members.iter().map(|s| seeds[*s].worth).sum();
            let worth = worth * sum / (members.len() as f64).sqrt().max(1.0);
            Shelf { arm: Arm { worth, ..Arm::default() }, seeds: members }
        };
        Schedule {
            learning,
            strategies: strategies.iter().map(|(worth, _)| of_worth(worth)).collect(),
            seeds: seeds.iter().map(seed).collect(),
            shelves: subjects.worth.iter().enumerate().map(shelf).collect(),
            shelf_of: subjects.of,
            ways: strategies.iter().map(|(_, ways)| ways.iter().map(of_worth).collect()).collect(),
        }
    }

    /// A strategy, by weight.
    pub(crate) fn strategy(&self, rng: &mut Rng) -> usize {
        pick(self.strategies.len(), |i| &self.strategies[i], rng)
    }

    /// A seed, by weight: a subject, and a seed of it.
    pub(crate) fn seed(&self, rng: &mut Rng) -> usize {
        let seeds = &self.shelves[pick(self.shelves.len(), |i| &self.shelves[i].arm, rng)].seeds;
        seeds[pick(seeds.len(), |i| &self.seeds[seeds[i]], rng)]
    }

    /// A way of a strategy, by weight.
    pub(crate) fn way(&self, strategy: usize, rng: &mut Rng) -> usize {
        let ways = &self.ways[strategy];
        pick(ways.len(), |i| &ways[i], rng)
    }

    /// The share of the next cases of each strategy.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let weight = |arm: &Arm| if self.learning == Learning::Uniform { 1.0 } else { arm.weight() };
        let weights: Vec<f64> = self.strategies.iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / sum.max(f64::MIN_POSITIVE)).collect()
    }

    /// How many seeds had no test yet.
    pub(crate) fn untouched(&self) -> usize {
        self.seeds.iter().filter(|a| a.recent.tests.load(Relaxed) == 0).count()
    }

    /// Whether a seed or a way is hard: few of its tests are decided.
    pub(crate) fn is_hard(&self, source: Source) -> bool {
        let arm = self.arm(source);
        let [tests, useful, ..] = arm.recent.counts();
        tests >= 4 && useful * 4 < tests
    }

    pub(crate) fn learn(&self, feedback: Feedback) {
        let Feedback { source, decided, rejected, found, credit, novel, cost } = feedback;
        let (useful, learned, cost) = match self.learning {
            Learning::Full | Learning::Uniform => (decided || found, credit, cost),
            Learning::Repeatable => (!rejected, false, Duration::ZERO),
        };
        let arms = [&self.strategies[source.strategy], &self.ways[source.strategy][source.way]];
        arms[0].add(useful, found, learned, cost);
        arms[1].add(useful, found, learned, if source.seed.is_some() { Duration::ZERO } else { cost });
        let of_seed = source.seed.map(|seed| [&self.seeds[seed], self.subject(seed)]).into_iter().flatten();
        of_seed.clone().for_each(|arm| arm.add(useful, found, learned, cost));
        if self.learning == Learning::Full {
            for arm in arms.into_iter().chain(of_seed) {
                arm.novel.fetch_add(u32::from(novel), Relaxed);
                arm.fade();
            }
        }
    }

    /// A seed itself was run: its mutants are expected to cost as much, and to be decided by as many solvers.
    pub(crate) fn expect(&self, seed: usize, cost: Duration, decided: f64) {
        if self.learning == Learning::Full {
            let arm = &self.seeds[seed];
            arm.prior_us.store(to_us(cost.as_secs_f64()), Relaxed);
            arm.prior_useful.store((decided * 1e3) as u32, Relaxed);
        }
    }

    /// Takes in what other processes of the campaign counted.
    pub(crate) fn hear(&self, place: Place, counts: Sums) {
        if self.learning == Learning::Full {
            match place {
                Place::Strategy(strategy) => self.strategies[strategy].hear(counts),
                Place::Way(strategy, way) => self.ways[strategy][way].hear(counts),
                Place::Seed(seed) => {
                    self.seeds[seed].hear(counts);
                    self.subject(seed).hear(counts);
                }
            }
        }
    }

    /// Nobody answers a seed.
    pub(crate) fn leave(&self, seed: usize) {
        if self.learning == Learning::Full {
            self.seeds[seed].left.store(true, Relaxed);
        }
    }

    /// How many seeds nobody answers.
    pub(crate) fn left(&self) -> usize {
        self.seeds.iter().filter(|a| a.left.load(Relaxed)).count()
    }

    /// The subject of a seed.
    fn subject(&self, seed: usize) -> &Arm {
        &self.shelves[self.shelf_of[seed]].arm
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
            self.strategies[strategy].add(false, false, false, Duration::ZERO);
        }
    }

    /// A way has no more cases.
    pub(crate) fn learn_over(&self, strategy: usize, way: usize) {
        if self.learning != Learning::Uniform {
            self.ways[strategy][way].add(false, false, false, Duration::ZERO);
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
        self.ways[strategy][way].restore(counts, self.learning);
    }

    /// Restores stored counts.
    pub(crate) fn restore(&self, strategies: &[(usize, Counts)], seeds: &[(usize, Counts)]) {
        for (arms, stored) in [(&self.strategies, strategies), (&self.seeds, seeds)] {
            for (index, counts) in stored {
                if let Some(arm) = arms.get(*index) {
                    arm.restore(*counts, self.learning);
                }
            }
        }
        for shelf in &self.shelves {
            let add = |sum: Counts, seed: &usize| {
                let counts = self.seeds[*seed].counts();
                std::array::from_fn(|i| sum[i].saturating_add(counts[i]))
            };
            shelf.arm.restore(shelf.seeds.iter().fold([0; 4], add), self.learning);
        }
    }
}

/// Seconds as whole microseconds.
fn to_us(seconds: f64) -> u32 {
    (seconds * 1e6) as u32
}

/// Picks by weight among a uniform sample: close enough to the weights of all arms, however many there are.
fn pick<'a>(count: usize, arm: impl Fn(usize) -> &'a Arm, rng: &mut Rng) -> usize {
    const DRAWN: usize = 64;
    let mut drawn = [(0, 0.0); DRAWN];
    let mut sum = 0.0;
    for slot in &mut drawn {
        let index = rng.below(count);
        sum += arm(index).weight();
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
        Feedback { source, decided, rejected, found, credit: found, novel: false, cost: Duration::ZERO }
    }

    /// A schedule with one strategy, and with seeds of one subject of these worths.
    fn schedule(learning: Learning, worths: &[f64]) -> Schedule {
        let seeds: Vec<_> = worths.iter().map(|worth| Candidate { bytes: 0, worth: *worth }).collect();
        Schedule::new(
            learning,
            &[(1.0, vec![1.0])],
            &seeds,
            Subjects { of: vec![0; seeds.len()], worth: vec![1.0] },
        )
    }

    fn shares(schedule: &Schedule, seeds: usize) -> Vec<f64> {
        let mut rng = Rng::new(1);
        let mut counts = vec![0.0; seeds];
        (0..20_000).for_each(|_| counts[schedule.seed(&mut rng)] += 1.0 / 20_000.0);
        counts
    }

    #[test]
    fn what_times_out_gets_less_what_finds_gets_more_and_nothing_starves() {
        let schedule = schedule(Learning::Full, &[1.0; 3]);
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
    fn every_strategy_is_tried_soon() {
        let subjects = Subjects { of: Vec::new(), worth: Vec::new() };
        let (schedule, mut rng) =
            (Schedule::new(Learning::Full, &vec![(1.0, vec![1.0]); 12], &[], subjects), Rng::new(1));
        for _ in 0..100 {
            let source = Source {
                strategy: schedule.strategy(&mut rng),
                way: 0,
                seed: None,
                number: 0,
                in_order: false,
            };
            schedule.learn(Feedback { source, ..feedback(0, true, false, false) });
        }
        assert!(schedule.arms()[0].iter().all(|counts| counts[0] >= 2), "{:?}", schedule.arms()[0]);
    }

    #[test]
    fn what_is_slow_gets_fewer_tests() {
        let schedule = schedule(Learning::Full, &[1.0; 2]);
        for _ in 0..100 {
            schedule.learn(Feedback { cost: Duration::from_millis(200), ..feedback(0, true, false, false) });
            schedule.learn(feedback(1, true, false, false));
        }
        let shares = shares(&schedule, 2);
        assert!(shares[0] > 0.005 && shares[0] < 0.2, "{shares:?}");
    }

    #[test]
    fn a_seed_that_a_solver_did_not_decide_comes_less_often() {
        let schedule = schedule(Learning::Full, &[1.0; 2]);
        schedule.expect(0, Duration::from_millis(5), 1.0);
        schedule.expect(1, Duration::from_millis(5), 0.5);
        (0..2).for_each(|seed| schedule.learn(feedback(seed, true, false, false)));
        let shares = shares(&schedule, 2);
        assert!(shares[1] < 0.6 * shares[0] && shares[1] > 0.1, "{shares:?}");
    }

    #[test]
    fn new_behaviour_counts_and_what_is_worked_out_fades() {
        let schedule = schedule(Learning::Full, &[1.0; 3]);
        for _ in 0..200 {
            schedule.learn(feedback(0, true, false, false));
            schedule.learn(Feedback { novel: true, ..feedback(1, true, false, false) });
            schedule.learn(feedback(2, true, false, true));
        }
        let before = shares(&schedule, 3);
        assert!(before[1] > 1.5 * before[0] && before[2] > 2.0 * before[0], "{before:?}");
        for _ in 0..3000 {
            (0..3).for_each(|seed| schedule.learn(feedback(seed, true, false, false)));
        }
        let after = shares(&schedule, 3);
        assert!(after.iter().all(|s| (s - 1.0 / 3.0).abs() < 0.03), "{after:?}");
        assert_eq!(schedule.arms()[1][2][2], 200, "what was found stays counted");
    }

    #[test]
    fn seeds_in_focus_come_more_often_and_those_nobody_answers_hardly() {
        let schedule = schedule(Learning::Full, &[8.0, 1.0, 1.0]);
        schedule.leave(2);
        let shares = shares(&schedule, 3);
        assert!(shares[0] > 5.0 * shares[1] && shares[1] > 5.0 * shares[2] && shares[2] > 0.0, "{shares:?}");
        assert_eq!(schedule.left(), 1);
    }

    #[test]
    fn a_subject_has_its_share_however_many_seeds_others_have_and_more_if_it_finds() {
        let seeds = [Candidate { bytes: 0, worth: 1.0 }; 101];
        let of = (0..101).map(|seed| usize::from(seed == 100)).collect();
        let schedule = Schedule::new(
            Learning::Full,
            &[(1.0, vec![1.0])],
            &seeds,
            Subjects { of, worth: vec![1.0, 2.0] },
        );
        let before = shares(&schedule, 101)[100];
        assert!(
            (0.1..0.25).contains(&before),
            "one of two subjects, of twice the worth, with one of 101 seeds: {before}"
        );
        (0..200).for_each(|i| schedule.learn(feedback(i % 100, true, false, false)));
        (0..200).for_each(|i| schedule.learn(feedback(100, true, false, i % 8 == 0)));
        assert!(shares(&schedule, 101)[100] > 1.5 * before);
    }

    #[test]
    fn what_others_counted_changes_weights_and_not_the_own_counts() {
        let schedule = schedule(Learning::Full, &[1.0; 2]);
        let all = |schedule: &Schedule| schedule.seeds.iter().map(Arm::counts).collect::<Vec<_>>();
        (0..200).for_each(|i| schedule.learn(feedback(i % 2, true, false, false)));
        let own = all(&schedule);
        schedule.hear(Place::Seed(0), [100_000_000_000, 10_000_000_000, 0, 0]);
        assert_eq!(all(&schedule), own);
        let heard = shares(&schedule, 2);
        assert!(heard[0] < 0.2 && heard[0] > 0.005, "{heard:?}");
        // What this process sees afterwards counts again.
        (0..2000).for_each(|_| schedule.learn(feedback(0, true, false, false)));
        assert!(shares(&schedule, 2)[0] > 0.4);
    }

    #[test]
    fn a_repeatable_schedule_does_not_look_at_what_depends_on_the_clock() {
        let learned = |decided, found| {
            let schedule = schedule(Learning::Repeatable, &[1.0; 2]);
            (0..100).for_each(|_| schedule.learn(feedback(0, decided, false, found)));
            (0..100).for_each(|_| schedule.learn(feedback(1, false, true, false)));
            schedule
        };
        let (one, other) = (learned(true, true), learned(false, false));
        assert_eq!(shares(&one, 2), shares(&other, 2));
        assert_eq!([one.arms()[1][0][2], other.arms()[1][0][2]], [100, 0], "what was found is told");
        assert!(one.arms()[1][1][1] == 0, "rejections count");
        // The same after a stop.
        let resumed = schedule(Learning::Repeatable, &[1.0; 2]);
        let counts: Vec<(usize, Counts)> = one.arms()[1].iter().copied().enumerate().collect();
        resumed.restore(&[], &counts);
        assert_eq!(shares(&resumed, 2), shares(&one, 2));
    }

    #[test]
    fn a_uniform_schedule_counts_and_learns_nothing() {
        let seeds = [Candidate { bytes: 0, worth: 1.0 }; 2];
        let schedule = Schedule::new(
            Learning::Uniform,
            &[(1.0, vec![1.0]), (1.0, vec![1.0])],
            &seeds,
            Subjects { of: vec![0; 2], worth: vec![1.0] },
        );
        (0..1000).for_each(|i| schedule.learn(feedback(0, i % 2 == 0, true, i % 4 == 0)));
        assert_eq!(schedule.shares(), [0.5, 0.5]);
        assert_eq!(schedule.arms()[0][0], [1000, 500, 250, 0]);
    }
}
