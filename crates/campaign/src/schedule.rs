//! The scheduler: two bandits, one for techniques (strategies and their variants) and one for seeds (theories and
//! their seeds).
//!
//! Rewards are given for bugs that the ledger did not know and for new behaviour of solvers; the cost is CPU time.
//! If triage shows that two findings are the same bug, the reward of the later one is taken back. See
//! [`crate::bandit`].

use smelt_oracle::theory;
use smelt_store::{Counts, Sums};
use smelt_strategies::{Pool, Rng};
use std::collections::HashMap;

use crate::bandit::{BUG, Bandit, Outcome, Prior};
use crate::focus::{FOCUS, Focus};
use crate::plan::{Pick, Plan};
use crate::priors;
use crate::seeds::SeedText;
use crate::timeouts::{OVERHEAD_MS, SELDOM};

/// Which arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Strategy(usize),
    Way(usize, usize),
    Seed(usize),
}

/// The shared state of the scheduler.
#[derive(Debug)]
pub(crate) struct Schedule {
    techniques: Bandit,
    seeds: Bandit,
    /// By seed: its theory, and its place there.
    places: Vec<(usize, usize)>,
    /// By theory and place, the seed.
    members: Vec<Vec<usize>>,
    tested: Vec<bool>,
    /// Whether rewards and the clock count.
    learns: bool,
}

impl Schedule {
    /// For strategies, and for the first seeds of a pool. A focus replaces what was published.
    pub(crate) fn new(
        learns: bool,
        plans: &[Plan],
        seeds: &[SeedText],
        pool: &Pool,
        focus: &Focus,
    ) -> Schedule {
        // With a focus there are two groups: what is in it, and the rest.
        let theory_of = |seed: usize, id| match focus.is_empty() {
            true => theory(pool.arena(), &pool.seed(id).script),
            false => focus.is_met(&seeds[seed].text).to_string(),
        };
        let (mut numbers, mut names) = (HashMap::new(), Vec::new());
        let (mut places, mut members) = (Vec::new(), Vec::<Vec<usize>>::new());
        for (seed, id) in pool.ids().take(seeds.len()).enumerate() {
            let number = *numbers.entry(theory_of(seed, id)).or_insert_with_key(|name: &String| {
                names.push(name.clone());
                members.push(Vec::new());
                names.len() - 1
            });
            places.push((number, members[number].len()));
            members[number].push(seed);
        }
        // A seed is run itself before its first mutant, and may be hard: with many seeds a new one comes seldom.
        let first = SELDOM as f64;
        let prior = |seed: &usize| Prior { reward: 1.0, size: seeds[*seed].text.len() as f64, first };
        let published = priors::of_theories(names.iter().map(String::as_str));
        let theories = members.iter().zip(&names).zip(published).map(|((members, name), published)| {
            // Between equal shares of theories and equal shares of seeds lies the square root of how many seeds there are.
            let by_theory = published * (members.len() as f64).sqrt();
            let by_focus = if name == "true" { FOCUS as f64 } else { 1.0 };
            (if focus.is_empty() { by_theory } else { by_focus }, members.iter().map(prior).collect())
        });
        let of_plan = |(plan, published): (&Plan, f64)| {
            let variants = priors::of_variants(plan.ways.iter().map(|way| way.text.as_str()));
            (published, variants.into_iter().map(Prior::new).collect())
        };
        let published = priors::of_strategies(plans.iter().map(|plan| plan.row.name));
        Schedule {
            techniques: Bandit::new(learns, plans.iter().zip(published).map(of_plan).collect()),
            seeds: Bandit::new(learns, theories.collect()),
            tested: vec![false; places.len()],
            places,
            members,
            learns,
        }
    }

    /// The next strategy.
    pub(crate) fn strategy(&self, rng: &mut Rng) -> usize {
        self.techniques.group(rng)
    }

    /// The next way of a strategy.
    pub(crate) fn way(&self, strategy: usize, rng: &mut Rng) -> usize {
        self.techniques.arm(strategy, rng)
    }

    /// The next seed: of a theory.
    pub(crate) fn seed(&self, rng: &mut Rng) -> usize {
        let theory = self.seeds.group(rng);
        self.members[theory][self.seeds.arm(theory, rng)]
    }

    /// The share of the next cases of each strategy.
    pub(crate) fn shares(&self) -> Vec<f64> {
        self.techniques.shares()
    }

    /// How many seeds had no test yet.
    pub(crate) fn untouched(&self) -> usize {
        self.tested.iter().filter(|tested| !**tested).count()
    }

    /// Learns from a case.
    pub(crate) fn learn(&mut self, pick: Pick, outcome: &Outcome) {
        self.techniques.learn(pick.strategy, Some(pick.way), outcome);
        if let Some(seed) = pick.seed {
            self.learn_seed(seed, outcome);
            self.tested[seed] = true;
        }
    }

    /// Learns from a run of a seed itself: its mutants are expected to do as it does.
    pub(crate) fn learn_seed(&mut self, seed: usize, outcome: &Outcome) {
        let (theory, place) = self.places[seed];
        self.seeds.learn(theory, Some(place), outcome);
    }

    /// A strategy made no case, or one of its ways has no more.
    pub(crate) fn learn_skip(&mut self, strategy: usize, way: Option<usize>) {
        let cost = if self.learns { OVERHEAD_MS / 1e3 } else { 1.0 };
        self.techniques.learn(strategy, way, &Outcome { cost, ..Outcome::default() });
    }

    /// Takes back the reward for a finding that is a bug known before.
    pub(crate) fn withdraw(&mut self, pick: Pick) {
        self.techniques.withdraw(pick.strategy, pick.way, BUG);
        if let Some((theory, place)) = pick.seed.map(|seed| self.places[seed]) {
            self.seeds.withdraw(theory, place, BUG);
        }
    }

    /// Takes in what other processes of the campaign counted, or earlier runs.
    pub(crate) fn hear(&mut self, place: Place, counts: Sums) {
        match place {
            Place::Strategy(strategy) => self.techniques.hear(strategy, None, counts),
            Place::Way(strategy, way) => self.techniques.hear(strategy, Some(way), counts),
            Place::Seed(seed) => {
                let (theory, place) = self.places[seed];
                self.seeds.hear(theory, None, counts);
                self.seeds.hear(theory, Some(place), counts);
                self.tested[seed] |= counts[0] > 0;
            }
        }
    }

    /// Restores counts of earlier runs.
    pub(crate) fn restore(&mut self, stored: impl Iterator<Item = (Place, Counts)>) {
        for (place, counts) in stored {
            self.hear(place, counts.map(u64::from));
        }
        self.techniques.heard();
        self.seeds.heard();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_strategies::parse_recipes;

    const SCRIPTS: [&str; 6] = [
        "(declare-const a String)(assert (= a \"x\"))(check-sat)",
        "(declare-const b (Seq Int))(assert (= (seq.len b) 1))(check-sat)",
        "(declare-const x Real)(assert (= (* x x) 2.0))(check-sat)",
        "(declare-const n Int)(assert (= (* n n) 4))(check-sat)",
        "(declare-const p Bool)(assert p)(check-sat)",
        "(declare-const c String)(assert (= (str.len c) 3))(check-sat)",
    ];

    fn schedule(focus: &Focus) -> Schedule {
        let mut pool = Pool::new();
        let seeds: Vec<SeedText> = SCRIPTS.iter().map(|s| SeedText::new("s", *s, None)).collect();
        for seed in &seeds {
            pool.add(&seed.name, &seed.text, None).unwrap();
        }
        let recipes = parse_recipes(&["operator,shuffle,enumerate".to_owned()], &[], &mut |_| unreachable!());
        Schedule::new(true, &Plan::of(&recipes.unwrap()).unwrap(), &seeds, &pool, focus)
    }

    #[test]
    fn seeds_of_one_theory_are_one_group_and_a_focus_is_another() {
        let free = schedule(&Focus::default());
        assert_eq!(free.places.iter().map(|p| p.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 0]);
        let mut focus = Focus::default();
        focus.add("seq.len");
        let schedule = schedule(&focus);
        assert_eq!(schedule.places.iter().map(|p| p.0).collect::<Vec<_>>(), [0, 1, 0, 0, 0, 0]);
        let mut rng = Rng::new(1);
        let met = (0..900).filter(|_| schedule.seed(&mut rng) == 1).count();
        assert!((750..850).contains(&met), "8 of 9: {met}");
    }

    #[test]
    fn every_technique_is_tried_soon_and_published_ones_more_often() {
        let mut schedule = schedule(&Focus::default());
        let mut rng = Rng::new(1);
        let mut tests = vec![0; 3];
        for _ in 0..300 {
            let strategy = schedule.strategy(&mut rng);
            let way = schedule.way(strategy, &mut rng);
            tests[strategy] += 1;
            let outcome = Outcome { decided: true, cost: 0.005, ..Outcome::default() };
            schedule.learn(Pick { strategy, way, seed: None, number: 0, in_order: false }, &outcome);
        }
        assert!(tests.iter().all(|n| *n > 20) && tests[0] > tests[1], "{tests:?}");
    }

    #[test]
    fn a_strategy_that_makes_nothing_comes_less_often() {
        let mut schedule = schedule(&Focus::default());
        let before = schedule.shares()[0];
        (0..200).for_each(|_| schedule.learn_skip(0, None));
        assert!(schedule.shares()[0] < before / 2.0);
    }
}
