//! Maps a number to a test case that depends only on the campaign's settings, its seeds and the number.
//!
//! Numbers come in blocks with one case per strategy, in an order that differs from block to block. A strategy
//! takes its variants in blocks too, so each variant has turns 0, 1, 2, .. without gaps. An enumeration uses the
//! turn as its index; a variant that needs seeds visits all of them, each time in another order. Each block also
//! runs one seed unchanged, until all seeds were run. Nothing is learned and no other result matters, so any
//! process can make any case.

use smelt_strategies::{Rng, case_number, case_seed};

use crate::focus::FOCUS;
use crate::plan::{Pick, Plan};

/// The order of a campaign.
#[derive(Debug)]
pub(crate) struct ByNumber {
    seed: u64,
    strategies: Vec<Technique>,
    /// The seeds, by position, those in focus several times.
    deck: Vec<usize>,
    /// How many seeds there are.
    seeds: u64,
    /// How many mutants of one seed a way makes in a row.
    per_seed: u64,
}

/// What is needed of a strategy.
#[derive(Debug)]
struct Technique {
    name: String,
    needs_seeds: bool,
    ways: Vec<Variant>,
}

#[derive(Debug)]
struct Variant {
    /// Distinguishes its random choices from those of others.
    key: String,
    in_order: bool,
    chain: u32,
}

impl ByNumber {
    /// The order for strategies and for seeds that meet the focus or do not.
    pub(crate) fn new(
        seed: u64,
        plans: &[Plan],
        seeds: impl Iterator<Item = bool>,
        per_seed: Option<u64>,
    ) -> ByNumber {
        let technique = |plan: &Plan| Technique {
            name: plan.row.name.to_owned(),
            needs_seeds: plan.row.needs.seeds(),
            ways: plan
                .ways
                .iter()
                .map(|way| Variant {
                    key: format!("{} {}", plan.row.name, way.text),
                    in_order: way.in_order,
                    chain: way.chain.max(1),
                })
                .collect(),
        };
        let focus: Vec<bool> = seeds.collect();
        let often = |(i, in_focus): (usize, &bool)| std::iter::repeat_n(i, if *in_focus { FOCUS } else { 1 });
        ByNumber {
            seed,
            strategies: plans.iter().map(technique).collect(),
            deck: focus.iter().enumerate().flat_map(often).collect(),
            seeds: focus.len() as u64,
            per_seed: per_seed.unwrap_or(1).max(1),
        }
    }

    /// How case `number` is made.
    pub(crate) fn pick(&self, number: u64) -> Pick {
        let all = self.strategies.len() as u64;
        let (block, place) = (number / all, number % all);
        let strategy = self.order("strategies", self.strategies.len(), block)[place as usize];
        let Technique { name, ways, needs_seeds } = &self.strategies[strategy];
        let (round, place) = (block / ways.len() as u64, block % ways.len() as u64);
        let way = self.order(name, ways.len(), round)[place as usize];
        let Variant { key, in_order, chain } = &ways[way];
        let number = if *in_order { round } else { case_number(self.seed, key, *chain, round) };
        let seed = needs_seeds.then(|| self.nth_seed(key, *chain, round));
        Pick { strategy, way, seed, number, in_order: *in_order }
    }

    /// The seed that is run itself with this number, if one is.
    pub(crate) fn own_run(&self, number: u64) -> Option<usize> {
        let all = self.strategies.len() as u64;
        let block = number / all;
        if block >= self.seeds {
            return None;
        }
        // Not always the first, or some shards would run them all.
        let place = case_seed(self.seed, "own run", block) % all;
        (number % all == place).then(|| self.walk("own runs", self.seeds, block) as usize)
    }

    /// Another pick, for a case whose own makes none: anything but strategies that go in order.
    pub(crate) fn other(&self, rng: &mut Rng) -> Option<Pick> {
        let is_free = |(_, s): &(usize, &Technique)| s.ways.iter().any(|w| !w.in_order);
        let free: Vec<usize> = self.strategies.iter().enumerate().filter(is_free).map(|(i, _)| i).collect();
        let strategy = *rng.pick(&free)?;
        let Technique { ways, needs_seeds, .. } = &self.strategies[strategy];
        let ways: Vec<usize> = (0..ways.len()).filter(|w| !ways[*w].in_order).collect();
        let way = *rng.pick(&ways)?;
        let seed = if *needs_seeds { Some(*rng.pick(&self.deck)?) } else { None };
        Some(Pick { strategy, way, seed, number: rng.bits(), in_order: false })
    }

    /// How many turns of a way have numbers below this one: as many as there are without gap.
    pub(crate) fn turns_below(&self, strategy: usize, way: usize, number: u64) -> u64 {
        let place_of =
            |order: Vec<usize>, one: usize| order.iter().position(|o| *o == one).unwrap_or(0) as u64;
        let all = self.strategies.len() as u64;
        let (block, rest) = (number / all, number % all);
        let place = place_of(self.order("strategies", self.strategies.len(), block), strategy);
        let turns = block + u64::from(place < rest);
        let Technique { name, ways, .. } = &self.strategies[strategy];
        let (round, rest) = (turns / ways.len() as u64, turns % ways.len() as u64);
        round + u64::from(place_of(self.order(name, ways.len(), round), way) < rest)
    }

    /// The order of `count` things in a block.
    fn order(&self, purpose: &str, count: usize, block: u64) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        Rng::fork(case_seed(self.seed, purpose, block), 1).shuffle(&mut order);
        order
    }

    /// The seed of a way's turn; steps of one chain have the same.
    fn nth_seed(&self, key: &str, chain: u32, turn: u64) -> usize {
        let run = self.per_seed.next_multiple_of(u64::from(chain));
        self.deck[self.walk(key, self.deck.len() as u64, turn / run) as usize]
    }

    /// The `step`-th place of a walk through `count` places, each once before one repeats.
    fn walk(&self, purpose: &str, count: u64, step: u64) -> u64 {
        let mut rng = Rng::fork(case_seed(self.seed, purpose, step / count), 2);
        let (start, mut stride) = (rng.below(count as usize) as u64, rng.below(count as usize) as u64 + 1);
        while gcd(stride, count) != 1 {
            stride += 1;
        }
        ((u128::from(step % count) * u128::from(stride) + u128::from(start)) % u128::from(count)) as u64
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_strategies::parse_recipes;
    use std::collections::{BTreeMap, BTreeSet};

    fn order(seed: u64, strategies: &str, focus: &[bool], per_seed: Option<u64>) -> (ByNumber, Vec<Plan>) {
        let recipes =
            parse_recipes(&[strategies.to_owned()], &[], &mut |_| Err(std::io::Error::other("none")))
                .unwrap();
        let plans = Plan::of(&recipes).unwrap();
        (ByNumber::new(seed, &plans, focus.iter().copied(), per_seed), plans)
    }

    #[test]
    fn every_way_has_its_turns_without_gap_or_repetition() {
        let (by_number, plans) =
            order(7, "enumerate:ints,enumerate:core,fusion,construct,weaken", &[false; 5], None);
        let end = 5000;
        let mut turns: BTreeMap<(usize, usize), Vec<u64>> = BTreeMap::new();
        let mut tests = vec![0usize; plans.len()];
        for number in 0..end {
            let pick = by_number.pick(number);
            tests[pick.strategy] += 1;
            if pick.in_order {
                turns.entry((pick.strategy, pick.way)).or_default().push(pick.number);
            }
        }
        assert!(tests.iter().all(|n| n.abs_diff(end as usize / plans.len()) <= 1), "{tests:?}");
        assert_eq!(turns.len(), 2, "two grammars");
        for ((strategy, way), numbers) in turns {
            assert_eq!(numbers, (0..numbers.len() as u64).collect::<Vec<_>>(), "{strategy} {way}");
            for low in [0, 1, 17, 255, 256, 1000, end] {
                let of_way = |n: &u64| {
                    let pick = by_number.pick(*n);
                    (pick.strategy, pick.way) == (strategy, way)
                };
                let below = (0..low).filter(of_way).count() as u64;
                assert_eq!(by_number.turns_below(strategy, way, low), below, "{low}");
            }
        }
    }

    #[test]
    fn a_case_depends_on_the_campaigns_seed_and_its_number_alone() {
        let one = || order(1, "operator,fusion,construct", &[false; 20], None).0;
        let (first, second) = (one(), one());
        let there: Vec<Pick> = (0..500).map(|n| first.pick(n)).collect();
        let back: Vec<Pick> = (0..500).rev().map(|n| second.pick(n)).collect();
        assert_eq!(there, back.into_iter().rev().collect::<Vec<_>>());
        let other = order(2, "operator,fusion,construct", &[false; 20], None).0;
        assert!((0..500).any(|n| other.pick(n) != there[n as usize]));
    }

    #[test]
    fn all_seeds_come_equally_often_and_those_in_focus_more() {
        let mut focus = [false; 12];
        focus[3] = true;
        for (focus, expected) in [([false; 12], 1), (focus, 8)] {
            let (by_number, plans) = order(3, "operator", &focus, None);
            let ways = plans[0].ways.len() as u64;
            let deck = if expected == 1 { 12 } else { 19 };
            let mut seen = [0; 12];
            (0..deck * ways * 5).for_each(|n| seen[by_number.pick(n).seed.unwrap()] += 1);
            assert_eq!(seen[3], 5 * ways * expected, "{seen:?}");
            assert_eq!(seen[4], 5 * ways, "{seen:?}");
        }
    }

    #[test]
    fn mutants_of_one_seed_follow_each_other_within_a_way() {
        let (by_number, plans) = order(3, "shuffle", &[false; 9], Some(4));
        let ways = plans[0].ways.len() as u64;
        let mut of_way: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for pick in (0..ways * 36).map(|n| by_number.pick(n)) {
            of_way.entry(pick.way).or_default().push(pick.seed.unwrap());
        }
        for seeds in of_way.values() {
            assert!(seeds.chunks(4).all(|c| c.iter().all(|s| *s == c[0])), "{seeds:?}");
            assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), 9);
        }
    }

    #[test]
    fn each_seed_is_run_itself_once() {
        let (by_number, _) = order(3, "operator,fusion,construct", &[false; 50], None);
        let own: Vec<usize> = (0..1000).filter_map(|n| by_number.own_run(n)).collect();
        assert_eq!(own.len(), 50);
        assert_eq!(own.into_iter().collect::<BTreeSet<_>>().len(), 50);
    }

    #[test]
    fn a_number_without_a_case_falls_to_strategies_that_do_not_go_in_order() {
        let (mixed, _) = order(3, "enumerate:core,operator", &[false; 5], None);
        assert!((0..50).all(|n| !mixed.other(&mut Rng::new(n)).unwrap().in_order));
        assert_eq!(order(3, "enumerate:core", &[], None).0.other(&mut Rng::new(1)), None);
    }
}
