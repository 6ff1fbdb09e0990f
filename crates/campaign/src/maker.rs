//! Making cases: which strategy, which way and which seed come next, and the case they make.

use smelt_strategies::{Draft, Pool, Request, Rng, SeedId, Skip, case_seed, generated};
use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::SyncSender;

use crate::entry::{Entry, Origin, Slot, Task};
use crate::lab::Lab;
use crate::make::{Makers, Variants, is_final, variants, witness};
use crate::turns::Turn;
use crate::writer::Record;
use smelt_store::Error;

/// How many (strategy, seed) pairs are tried to make one case.
const TRIES: usize = 200;
/// How many texts are remembered so that none is run twice in a short time.
const REMEMBERED: usize = 1 << 16;

/// Makes the cases of one worker.
pub(crate) struct Maker<'a> {
    lab: &'a Lab<'a>,
    pool: Pool,
    strategies: Vec<Variants>,
    draft: Draft,
    /// By strategy, seeds that it makes nothing of.
    barren: Vec<HashSet<usize>>,
    recent: (HashSet<u64>, VecDeque<u64>),
    results: SyncSender<Record>,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(lab: &'a Lab<'a>, pool: Pool, results: SyncSender<Record>) -> Result<Maker<'a>, Error> {
        let strategies: Vec<Variants> =
            lab.strategies.iter().map(|p| variants(p, &lab.config.options)).collect::<Result<_, _>>()?;
        Ok(Maker {
            lab,
            pool,
            draft: Draft::default(),
            barren: strategies.iter().map(|_| HashSet::new()).collect(),
            strategies,
            recent: (HashSet::new(), VecDeque::new()),
            results,
        })
    }

    /// Makes case `number` of the campaign, which is the worker's case `ordinal`.
    pub(crate) fn make(&mut self, number: u64, ordinal: u64) -> Option<Entry> {
        let lab = self.lab;
        let (strategy, from) = self.choose(number)?;
        let rng = case_seed(lab.config.seed, self.strategies[strategy].name, number);
        let case = match (&self.strategies[strategy].makers, from) {
            (Makers::Seeds(ways), Origin::Seeds { way }) => self.draft.to_case(&self.pool, &*ways[way], rng),
            (Makers::Nothing(ways), Origin::Number { way, number, .. }) => {
                generated(&self.draft, &*ways[way], number)
            }
            _ => unreachable!("a strategy uses seeds or none"),
        };
        let seeds: Vec<usize> = self.draft.seeds.iter().map(|s| s.index()).collect();
        let logic = logic(lab, strategy, from, &seeds);
        let asks = |solver| match lab.asks(solver, logic, number) {
            true => Slot::Waiting,
            false => Slot::Unasked,
        };
        Some(Entry {
            task: Task::Case { number, ordinal, strategy, from },
            script: case.script,
            expectation: case.expectation,
            provenance: case.provenance,
            before: Some(std::mem::take(&mut self.draft.before)).filter(|b| !b.is_empty()),
            witness: witness(&self.draft),
            seeds,
            slots: (0..lab.config.solvers.len()).map(asks).collect(),
        })
    }

    /// The size of a case of a generator that goes by size.
    pub(crate) fn size(&mut self, strategy: usize, way: usize, turn: Option<u64>) -> Option<u64> {
        match &mut self.strategies[strategy].makers {
            Makers::Nothing(ways) => Some(ways[way].layer(turn?)?.size),
            Makers::Seeds(_) => None,
        }
    }

    /// Makes a case into the draft; with which strategy, and how.
    fn choose(&mut self, number: u64) -> Option<(usize, Origin)> {
        let lab = self.lab;
        let mut rng = Rng::new(case_seed(lab.config.seed, "schedule", number));
        for _ in 0..TRIES {
            let strategy = lab.schedule.strategy(&mut rng);
            let ways = match &self.strategies[strategy].makers {
                Makers::Seeds(ways) => ways.len(),
                Makers::Nothing(_) => match self.make_from_nothing(strategy, &mut rng) {
                    Some(from) => return Some((strategy, from)),
                    None => continue,
                },
            };
            let seed = lab.schedule.seed(&mut rng);
            let way = rng.below(ways);
            if self.barren[strategy].contains(&seed) {
                continue;
            }
            let id = self.seed_id(seed);
            let request = Request {
                seed: id,
                partners: &[],
                rng: case_seed(lab.config.seed, self.strategies[strategy].name, number),
            };
            let Makers::Seeds(ways) = &mut self.strategies[strategy].makers else { continue };
            match ways[way].next(&mut self.pool, &request, &mut self.draft) {
                Ok(()) if self.is_new() => return Some((strategy, Origin::Seeds { way })),
                Ok(()) => {}
                Err(skip) => {
                    lab.schedule.learn_skip(strategy);
                    if is_final(skip) {
                        self.barren[strategy].insert(seed);
                    }
                }
            }
        }
        None
    }

    /// Makes the next case of a generator, or one at random.
    fn make_from_nothing(&mut self, strategy: usize, rng: &mut Rng) -> Option<Origin> {
        let lab = self.lab;
        let way = lab.schedule.way(strategy, rng);
        let Makers::Nothing(ways) = &mut self.strategies[strategy].makers else { return None };
        let generator = &mut ways[way];
        let (number, in_order) = match lab.turns[strategy][way].take() {
            Turn::Number(number) => (number, true),
            Turn::Any => (rng.bits(), false),
            Turn::Over => {
                lab.schedule.learn_over(strategy, way);
                return None;
            }
        };
        let made = generator.make(number, &mut self.draft);
        match made {
            Ok(()) if in_order || self.is_new() => return Some(Origin::Number { way, number, in_order }),
            Ok(()) => {}
            Err(Skip::NoMoreCases) => lab.turns[strategy][way].end(),
            Err(_) => {
                lab.schedule.learn_skip(strategy);
                if in_order {
                    let _ = self.results.send(Record::Passed { strategy, way, turn: number });
                }
            }
        }
        None
    }

    fn seed_id(&self, seed: usize) -> SeedId {
        self.pool.ids().nth(seed).unwrap_or_else(|| unreachable!("each seed of the lab is in each pool"))
    }

    /// Whether the draft differs from the last ones, apart from its header.
    fn is_new(&mut self) -> bool {
        let text = &self.draft.text;
        let body = text.iter().position(|b| *b == b'\n').map_or(&text[..], |end| &text[end..]);
        let hash = smelt_core::SeedHash::of(body).0;
        let (set, order) = &mut self.recent;
        if !set.insert(hash) {
            return false;
        }
        order.push_back(hash);
        if order.len() > REMEMBERED
            && let Some(old) = order.pop_front()
        {
            set.remove(&old);
        }
        true
    }
}

/// The number that stands for the logic of a case.
pub(crate) fn logic(lab: &Lab<'_>, strategy: usize, from: Origin, seeds: &[usize]) -> usize {
    match (from, seeds.first()) {
        (Origin::Seeds { .. }, Some(seed)) => lab.logics[*seed],
        (Origin::Number { way, .. }, _) => lab.way_logics[strategy] + way,
        (Origin::Seeds { .. }, None) => unreachable!("a case from seeds has one"),
    }
}
