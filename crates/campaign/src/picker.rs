//! Picks the next case of a worker: strategy, variant, seed and number.
//!
//! If a case must be a function of its number, earlier results are ignored: the picker does not remember seeds on
//! which a strategy failed, and models of seeds come from the built-in solver.

use smelt_core::Verdict;
use smelt_strategies::{Needs, Rng, Skip, case_seed, toward};
use std::collections::{BTreeSet, HashSet, VecDeque};

use crate::facts::Facts;
use crate::lab::Lab;
use crate::ledger::RETRIES;
use crate::numbers::Taken;
use crate::plan::{Pick, Plan};
use crate::worker::WINDOW;

/// The picks of one worker.
pub(crate) struct Picker<'a> {
    lab: &'a Lab<'a>,
    /// By strategy, the seeds of which it makes no case.
    barren: Vec<HashSet<usize>>,
    /// The next steps of a chain whose first step was made.
    steps: VecDeque<Pick>,
    /// The seed that repeats, and how often.
    seed: Option<(usize, u64)>,
    /// The seeds whose facts were taken in, and those of them with models.
    known: BTreeSet<usize>,
    with_models: BTreeSet<usize>,
    /// Seeds that should be run because a strategy needs their facts, and those of them not known to be done.
    wanted: Vec<usize>,
    pending: HashSet<usize>,
    /// Whether an enumeration had no number at hand since the last case.
    short: bool,
}

/// The answer to a request for a pick.
pub(crate) enum Picked {
    Pick(Pick),
    /// Not this time: try again.
    Nothing,
    /// There is nothing else to try.
    Over,
}

impl<'a> Picker<'a> {
    pub(crate) fn new(lab: &'a Lab<'a>) -> Picker<'a> {
        Picker {
            lab,
            barren: lab.strategies.iter().map(|_| HashSet::new()).collect(),
            steps: VecDeque::new(),
            seed: None,
            known: BTreeSet::new(),
            with_models: BTreeSet::new(),
            wanted: Vec::new(),
            pending: HashSet::new(),
            short: false,
        }
    }

    /// A pick for case `number`; `attempt` counts those that made no case.
    pub(crate) fn pick(&mut self, number: u64, attempt: usize, rng: &mut Rng) -> Picked {
        if attempt == 0 {
            self.short = false;
        }
        let picked = match self.lab.source.numbered() {
            Some(by_number) if attempt == 0 => return Picked::Pick(by_number.pick(number)),
            Some(by_number) => return by_number.other(rng).map_or(Picked::Over, Picked::Pick),
            None => self.steps.pop_front().or_else(|| self.scheduled(number, rng)),
        };
        picked.map_or(Picked::Nothing, Picked::Pick)
    }

    /// A strategy made no case of a pick.
    pub(crate) fn skipped(&mut self, pick: Pick, skip: Skip) {
        let Pick { strategy, way, seed, .. } = pick;
        let turns = self.lab.source.turns(strategy, way);
        if let (Skip::NoMoreCases, Some(turns)) = (skip, turns) {
            return turns.end();
        }
        self.lab.counters.note_skip(strategy, skip);
        self.lab.source.schedule(|schedule| schedule.learn_skip(strategy, None));
        if skip.is_final() && self.lab.source.numbered().is_none() {
            self.barren[strategy].extend(seed);
        }
    }

    /// The next pick of the scheduler.
    fn scheduled(&mut self, number: u64, rng: &mut Rng) -> Option<Pick> {
        let lab = self.lab;
        let (strategy, way) = lab.source.schedule(|schedule| {
            let strategy = schedule.strategy(rng);
            (strategy, schedule.way(strategy, rng))
        })?;
        let plan = &lab.strategies[strategy];
        if plan.row.needs.seeds() {
            let Some(seed) = self.seed_for(plan.row.needs, rng) else {
                // Not the strategy's fault: it is reported, but not learned from.
                lab.counters.note_skip(strategy, Skip::NoModel);
                return None;
            };
            if self.barren[strategy].contains(&seed) {
                return None;
            }
            let chain = u64::from(plan.ways[way].chain.max(1));
            let number = case_seed(lab.config.seed, plan.row.name, number);
            let mut first = number - number % chain;
            if let Some(satisfiable) = self.direction(plan.row.needs, seed) {
                first = toward(first, chain as u32, satisfiable);
            }
            let step = |i: u64| Pick { strategy, way, seed: Some(seed), number: first + i, in_order: false };
            self.steps.extend((1..chain).map(step));
            return Some(step(0));
        }
        let in_order = plan.ways[way].in_order;
        let turns = lab.source.turns(strategy, way).filter(|_| in_order);
        match turns.map_or_else(|| Taken::Number(rng.bits()), |turns| turns.take()) {
            Taken::Number(number) => return Some(Pick { strategy, way, seed: None, number, in_order }),
            Taken::Later => self.short = true,
            Taken::Over => {
                lab.source.schedule(|schedule| schedule.learn_skip(strategy, Some(way)));
            }
        }
        None
    }

    /// Whether mutants of a seed without label should keep it satisfiable or unsatisfiable, by the solvers' answer to it.
    fn direction(&self, needs: Needs, seed: usize) -> Option<bool> {
        if needs != Needs::Answers || self.lab.seeds.is_labelled(seed) {
            return None;
        }
        match self.lab.seeds.answer(seed)? {
            Verdict::Sat => Some(true),
            Verdict::Unsat => Some(false),
            _ => None,
        }
    }

    /// A seed for a strategy. One that needs facts about its seeds gets one of which they are known; another is run for it.
    fn seed_for(&mut self, needs: Needs, rng: &mut Rng) -> Option<usize> {
        let mut last = None;
        for _ in 0..RETRIES {
            let seed = self.next_seed(rng)?;
            let is_ready = match needs {
                Needs::Nothing | Needs::Seeds => true,
                Needs::Answers => self.lab.seeds.is_labelled(seed) || self.known.contains(&seed),
                Needs::Models => self.with_models.contains(&seed),
            };
            if is_ready {
                return Some(seed);
            }
            last = Some(seed);
        }
        let last = last?;
        // The cases of other strategies have seeds run; models alone are a reason where there are no such strategies.
        let runs_seeds = |plan: &Plan| matches!(plan.row.needs, Needs::Seeds | Needs::Answers);
        let is_due = needs != Needs::Models || !self.lab.strategies.iter().any(runs_seeds);
        let is_free = !self.known.contains(&last) && (self.pending.len() as u64) < WINDOW;
        if is_due && is_free && self.pending.insert(last) {
            self.wanted.push(last);
        }
        let ready = if needs == Needs::Models { &self.with_models } else { &self.known };
        // The nearest one after the seed that chance chose.
        ready.range(last..).next().or(ready.first()).copied()
    }

    /// The next seed; each comes as often in a row as the campaign wants mutants of a seed.
    fn next_seed(&mut self, rng: &mut Rng) -> Option<usize> {
        let mut draw = || self.lab.source.schedule(|schedule| schedule.seed(rng));
        let Some(often) = self.lab.config.per_seed else { return draw() };
        let (seed, left) = match self.seed {
            Some((seed, left)) if left > 0 => (seed, left),
            _ => (draw()?, often.max(1)),
        };
        self.seed = Some((seed, left - 1));
        Some(seed)
    }

    /// Takes in that the facts about a seed are known; returns them if they are new here.
    pub(crate) fn know(&mut self, seed: usize) -> Option<&'a Facts> {
        let facts = self.lab.seeds.facts(seed).filter(|_| self.lab.source.numbered().is_none())?;
        self.pending.remove(&seed);
        if !self.known.insert(seed) {
            return None;
        }
        if !facts.models.is_empty() {
            self.with_models.insert(seed);
        }
        Some(facts)
    }

    /// The seeds that should be run for their facts.
    pub(crate) fn take_wanted(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.wanted)
    }

    /// Whether no case was made because a shared store has not given out numbers yet.
    pub(crate) fn is_short(&self) -> bool {
        self.short
    }
}
