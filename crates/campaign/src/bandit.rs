//! A two-level bandit: it draws a group, and then an arm of the group. The scheduler has one bandit for techniques
//! (strategies and their variants) and one for seeds (theories and their seeds).
//!
//! The share of an arm is its expected reward per CPU second: the number of its tests that are decided per second,
//! times the reward of a decided test. Initially an arm counts as tried once with the average result of all arms,
//! and as having earned one bug at the average rate times its prior. So an arm with a bad start recovers slowly, and
//! every arm keeps a small share.

use smelt_store::Sums;
use smelt_strategies::Rng;

/// The reward of a bug that was not known, in new behaviours of solvers. In the unit of rewards a new behaviour is 1. There
/// are some ten times as many behaviours as bugs; so both kinds of reward weigh about the same in sum.
pub(crate) const BUG: f64 = 16.0;

/// After this many tests the counts of an arm are halved, so that an exhausted arm loses what it earned. New
/// bugs come once in hundreds of tests: a shorter memory would have none in it.
const MEMORY: f64 = 1024.0;

/// The result of one test, for an arm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// Whether enough solvers answered.
    pub(crate) decided: bool,
    /// In units of a new behaviour.
    pub(crate) reward: f64,
    /// The price of the test: CPU seconds, or 1 where the clock must not count.
    pub(crate) cost: f64,
}

/// What is known of an arm before it is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    /// The expected reward, relative to the average arm.
    pub(crate) reward: f64,
    /// The size of what its tests are made of; larger ones are expected to cost more.
    pub(crate) size: f64,
    /// How much more the first test is expected to cost than others.
    pub(crate) first: f64,
}

impl Prior {
    pub(crate) fn new(reward: f64) -> Prior {
        Prior { reward, size: 1.0, first: 1.0 }
    }
}

/// Sums over tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    tests: f64,
    decided: f64,
    reward: f64,
    cost: f64,
    size: f64,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome, size: f64) {
        let Outcome { decided, reward, cost } = *outcome;
        self.join(&Tally { tests: 1.0, decided: f64::from(u8::from(decided)), reward, cost, size });
    }

    fn join(&mut self, other: &Tally) {
        self.tests += other.tests;
        self.decided += other.decided;
        self.reward += other.reward;
        self.cost += other.cost;
        self.size += other.size;
    }

    fn scale(&mut self, factor: f64) {
        for sum in [&mut self.tests, &mut self.decided, &mut self.reward, &mut self.cost, &mut self.size] {
            *sum *= factor;
        }
    }
}

/// One choice.
#[derive(Clone, Debug)]
struct Arm {
    prior: Prior,
    recent: Tally,
}

impl Arm {
    fn new(prior: Prior) -> Arm {
        Arm { prior, recent: Tally::default() }
    }

    /// The expected reward for a second, given the sums of all arms.
    fn weight(&self, total: &Tally) -> f64 {
        let tests = total.tests + 1.0;
        let (decided, cost) = ((total.decided + 1.0) / tests, (total.cost + 0.01) / tests);
        let size = if total.tests > 0.0 { total.size / total.tests } else { self.prior.size };
        let first = if self.recent.tests == 0.0 { self.prior.first } else { 1.0 };
        let cost = first * cost * self.prior.size / size;
        let rate = (total.reward + BUG) / (total.decided + BUG);
        let decided_a_second = (self.recent.decided + decided) / (self.recent.cost + cost);
        let reward = (self.recent.reward + BUG * self.prior.reward) / (self.recent.decided + BUG / rate);
        decided_a_second * reward.max(0.0)
    }

    fn learn(&mut self, outcome: &Outcome, fades: bool) {
        self.recent.add(outcome, self.prior.size);
        if fades {
            self.fade();
        }
    }

    fn fade(&mut self) {
        while self.recent.tests >= MEMORY {
            self.recent.scale(0.5);
        }
    }

    /// Adds what others counted to what the weight follows from.
    fn hear(&mut self, heard: &Tally, fades: bool) {
        self.recent.join(heard);
        if fades {
            self.fade();
        }
    }
}

/// Weights that change one by one, to draw from: a Fenwick tree.
#[derive(Clone, Debug, Default)]
struct Weights {
    each: Vec<f64>,
    sums: Vec<f64>,
}

impl Weights {
    fn new(each: Vec<f64>) -> Weights {
        let mut sums = each.clone();
        for i in 1..=sums.len() {
            let parent = i + (i & i.wrapping_neg());
            if parent <= sums.len() {
                sums[parent - 1] += sums[i - 1];
            }
        }
        Weights { each, sums }
    }

    fn set(&mut self, index: usize, weight: f64) {
        let change = weight - std::mem::replace(&mut self.each[index], weight);
        let mut i = index + 1;
        while i <= self.sums.len() {
            self.sums[i - 1] += change;
            i += i & i.wrapping_neg();
        }
    }

    fn draw(&self, rng: &mut Rng) -> usize {
        let (mut total, mut i) = (0.0, self.sums.len());
        while i > 0 {
            total += self.sums[i - 1];
            i -= i & i.wrapping_neg();
        }
        let mut rest = rng.below(1 << 30) as f64 / f64::from(1 << 30) * total;
        let (mut at, mut step) = (0, self.sums.len().next_power_of_two());
        while step > 0 {
            if at + step <= self.sums.len() && self.sums[at + step - 1] <= rest {
                at += step;
                rest -= self.sums[at - 1];
            }
            step /= 2;
        }
        at.min(self.each.len().saturating_sub(1))
    }
}

#[derive(Clone, Debug)]
struct Group {
    arm: Arm,
    arms: Vec<Arm>,
    weights: Weights,
}

/// The bandit.
#[derive(Clone, Debug)]
pub(crate) struct Bandit {
    groups: Vec<Group>,
    total: Tally,
    /// The weights of all arms are computed again at this number of tests.
    refresh: f64,
    /// Whether rewards and the clock count. Else only whether tests are decided does, and nothing fades.
    learns: bool,
}

impl Bandit {
    /// For groups and their arms, with priors in any unit.
    pub(crate) fn new(learns: bool, groups: Vec<(f64, Vec<Prior>)>) -> Bandit {
        let average = |rewards: &mut dyn ExactSizeIterator<Item = f64>| {
            let arms = rewards.len().max(1) as f64;
            rewards.sum::<f64>() / arms
        };
        let of_groups = average(&mut groups.iter().map(|(prior, _)| *prior));
        let group = |(prior, arms): (f64, Vec<Prior>)| {
            let of_arms = average(&mut arms.iter().map(|arm| arm.reward));
            let arm = |prior: Prior| Arm::new(Prior { reward: prior.reward / of_arms, ..prior });
            Group {
                arm: Arm::new(Prior::new(prior / of_groups)),
                arms: arms.into_iter().map(arm).collect(),
                weights: Weights::default(),
            }
        };
        let groups = groups.into_iter().map(group).collect();
        let mut bandit = Bandit { groups, total: Tally::default(), refresh: 1.0, learns };
        bandit.work_out();
        bandit
    }

    fn work_out(&mut self) {
        for group in &mut self.groups {
            group.weights = Weights::new(group.arms.iter().map(|arm| arm.weight(&self.total)).collect());
        }
    }

    /// A group.
    pub(crate) fn group(&self, rng: &mut Rng) -> usize {
        Weights::new(self.groups.iter().map(|g| g.arm.weight(&self.total)).collect()).draw(rng)
    }

    /// An arm of a group.
    pub(crate) fn arm(&self, group: usize, rng: &mut Rng) -> usize {
        self.groups[group].weights.draw(rng)
    }

    /// The share of the next tests of each group.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let weights: Vec<f64> = self.groups.iter().map(|g| g.arm.weight(&self.total)).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / sum.max(f64::MIN_POSITIVE)).collect()
    }

    /// Learns from a test of an arm, or of a group of which no arm was tried.
    pub(crate) fn learn(&mut self, group: usize, arm: Option<usize>, outcome: &Outcome) {
        let Group { arm: of_group, arms, weights } = &mut self.groups[group];
        of_group.learn(outcome, self.learns);
        let size = arm.map_or(1.0, |arm| arms[arm].prior.size);
        self.total.add(outcome, size);
        if let Some(arm) = arm {
            arms[arm].learn(outcome, self.learns);
            weights.set(arm, arms[arm].weight(&self.total));
        }
        if self.total.tests >= self.refresh {
            self.refresh = 2.0 * self.total.tests;
            self.work_out();
        }
    }

    /// Takes back a reward: the bug was known under another key.
    pub(crate) fn withdraw(&mut self, group: usize, arm: usize, reward: f64) {
        let Group { arm: of_group, arms, weights } = &mut self.groups[group];
        for recent in [&mut of_group.recent, &mut arms[arm].recent, &mut self.total] {
            recent.reward = (recent.reward - reward).max(0.0);
        }
        weights.set(arm, arms[arm].weight(&self.total));
    }

    /// Takes in what others counted for a group, or for an arm of it: tests, decided ones, bugs, milliseconds.
    pub(crate) fn hear(&mut self, group: usize, arm: Option<usize>, counts: Sums) {
        let [tests, decided, found, cpu_ms] = counts.map(|n| n as f64);
        let (reward, cost) = if self.learns { (found * BUG, cpu_ms / 1e3) } else { (0.0, tests) };
        let heard = Tally { tests, decided, reward, cost, size: 0.0 };
        let Group { arm: of_group, arms, weights } = &mut self.groups[group];
        match arm.map(|arm| (arm, &mut arms[arm])) {
            None => {
                of_group.hear(&heard, self.learns);
                self.total.join(&heard);
            }
            Some((index, arm)) => {
                arm.hear(&heard, self.learns);
                self.total.size += tests * arm.prior.size;
                weights.set(index, arm.weight(&self.total));
            }
        }
    }

    /// All that earlier runs counted was heard.
    pub(crate) fn heard(&mut self) {
        self.refresh = 2.0 * self.total.tests.max(1.0);
        self.work_out();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Outcome = Outcome { decided: true, reward: 0.0, cost: 0.005 };

    fn bandit(arms: &[f64]) -> Bandit {
        Bandit::new(true, vec![(1.0, arms.iter().map(|prior| Prior::new(*prior)).collect())])
    }

    fn shares(bandit: &Bandit, arms: usize) -> Vec<f64> {
        let mut rng = Rng::new(1);
        let mut counts = vec![0.0; arms];
        (0..20_000).for_each(|_| counts[bandit.arm(0, &mut rng)] += 1.0 / 20_000.0);
        counts
    }

    #[test]
    fn arms_are_drawn_by_their_weights() {
        let mut weights = Weights::new(vec![1.0, 2.0, 0.0, 4.0, 3.0]);
        let mut rng = Rng::new(1);
        let mut drawn = |weights: &Weights| {
            let mut counts = [0; 5];
            (0..10_000).for_each(|_| counts[weights.draw(&mut rng)] += 1);
            counts
        };
        let near = |counts: [i32; 5], expected: [i32; 5]| {
            counts.iter().zip(expected).all(|(count, expected)| (count - expected).abs() < 250)
        };
        assert!(near(drawn(&weights), [1000, 2000, 0, 4000, 3000]));
        weights.set(3, 0.0);
        weights.set(2, 4.0);
        assert!(near(drawn(&weights), [1000, 2000, 4000, 0, 3000]));
    }

    #[test]
    fn what_times_out_gets_less_what_finds_gets_more_and_nothing_starves() {
        let mut bandit = bandit(&[1.0; 3]);
        for i in 0..200 {
            bandit.learn(0, Some(0), &Outcome { decided: false, cost: 0.05, ..USUAL });
            bandit.learn(0, Some(1), &USUAL);
            let reward = if i % 50 == 0 { BUG } else { 0.0 };
            bandit.learn(0, Some(2), &Outcome { reward, ..USUAL });
        }
        let shares = shares(&bandit, 3);
        assert!(shares[0] > 0.0 && shares[0] < shares[1] / 20.0, "{shares:?}");
        assert!(shares[2] > 1.5 * shares[1], "{shares:?}");
    }

    #[test]
    fn equal_arms_have_equal_time_and_what_is_slow_fewer_tests() {
        let mut bandit = bandit(&[1.0; 2]);
        let mut rng = Rng::new(2);
        let (mut tests, mut time) = ([0.0; 2], [0.0; 2]);
        for _ in 0..20_000 {
            let arm = bandit.arm(0, &mut rng);
            let cost = [0.002, 0.02][arm];
            bandit.learn(0, Some(arm), &Outcome { cost, ..USUAL });
            tests[arm] += 1.0;
            time[arm] += cost;
        }
        assert!(tests[0] > 5.0 * tests[1], "{tests:?}");
        assert!((0.5..2.0).contains(&(time[0] / time[1])), "{time:?}");
    }

    #[test]
    fn a_reward_fades_and_is_taken_back_when_the_bug_was_known() {
        let mut bandit = bandit(&[1.0; 2]);
        (0..400).for_each(|i| bandit.learn(0, Some(i % 2), &USUAL));
        let even = shares(&bandit, 2)[1];
        bandit.learn(0, Some(1), &Outcome { reward: BUG, ..USUAL });
        let rewarded = shares(&bandit, 2)[1];
        assert!(rewarded > even + 0.1, "{rewarded} {even}");
        let mut corrected = bandit.clone();
        corrected.withdraw(0, 1, BUG);
        assert!((shares(&corrected, 2)[1] - even).abs() < 0.02);
        (0..8192).for_each(|i| bandit.learn(0, Some(i % 2), &USUAL));
        assert!((shares(&bandit, 2)[1] - even).abs() < 0.05, "what is computed loses its reward");
    }

    #[test]
    fn priors_count_at_first_and_small_ones_come_before_large_ones() {
        let by_prior = shares(&bandit(&[4.0, 1.0]), 2);
        assert!((by_prior[0] - 0.8).abs() < 0.02, "{by_prior:?}");
        let sizes = [100.0, 10_000.0].map(|size| Prior { reward: 1.0, size, first: 1.0 });
        let mut bandit = Bandit::new(true, vec![(1.0, sizes.to_vec()), (1.0, vec![Prior::new(1.0)])]);
        bandit.learn(0, Some(0), &USUAL);
        let by_size = shares(&bandit, 2);
        assert!(by_size[1] < 0.1 && by_size[1] > 0.0, "{by_size:?}");
    }

    #[test]
    fn what_others_counted_changes_shares() {
        let mut bandit = bandit(&[1.0; 2]);
        (0..200).for_each(|i| bandit.learn(0, Some(i % 2), &USUAL));
        bandit.hear(0, Some(0), [100_000_000_000, 10_000_000_000, 0, 500_000_000_000]);
        let heard = shares(&bandit, 2);
        assert!(heard[0] < 0.25 && heard[0] > 0.0, "{heard:?}");
        // What this process sees afterwards counts again.
        (0..8192).for_each(|i| bandit.learn(0, Some(i % 2), &USUAL));
        assert!(shares(&bandit, 2)[0] > 0.4);
    }

    #[test]
    fn without_the_clock_only_decided_tests_count_and_a_resumed_bandit_is_the_same() {
        let new = || Bandit::new(false, vec![(1.0, vec![Prior::new(1.0); 2])]);
        let mut bandit = new();
        for i in 0..2000 {
            bandit.learn(0, Some(i % 2), &Outcome { decided: i % 2 == 0, cost: 1.0, ..USUAL });
        }
        bandit.work_out();
        let before = shares(&bandit, 2);
        assert!(before[1] < before[0] / 5.0, "{before:?}");
        let mut resumed = new();
        resumed.hear(0, None, [2000, 1000, 7, 90_000]);
        resumed.hear(0, Some(0), [1000, 1000, 7, 50_000]);
        resumed.hear(0, Some(1), [1000, 0, 0, 40_000]);
        resumed.heard();
        assert_eq!(shares(&resumed, 2), before);
    }
}
