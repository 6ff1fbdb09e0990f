//! Makes a case from what the picker chose.

use smelt_store::Error;
use smelt_strategies::{CaseRequest, DeadWeight, Draft, Needs, Pool, Rng, SeedId, Skip, Strategy};
use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::SyncSender;

use crate::counters::REMEMBERED;
use crate::entry::{Entry, Slot, Task};
use crate::focus::FOCUS;
use crate::lab::Lab;
use crate::picker::{Picked, Picker};
use crate::plan::{Pick, Plan};
use crate::writer::Record;

/// How many picks are tried to make one case. Some strategies make a case of few seeds only; after this many there is
/// none to be made.
pub(crate) const TRIES: usize = 200;

/// One in this many cases that simplification alone decides runs anyway: simplifiers have bugs too.
const DEAD: usize = 10;
/// How many other cases are made of the same seed in the same way instead of one that simplification decides.
const INSTEAD: usize = 4;

/// Makes the cases of one worker.
pub(crate) struct Maker<'a> {
    lab: &'a Lab<'a>,
    pub(crate) picker: Picker<'a>,
    pool: Pool,
    /// By strategy and way.
    strategies: Vec<Vec<Box<dyn Strategy>>>,
    draft: Draft,
    dead_weight: DeadWeight,
    /// Hashes of recent texts, so that none is run twice in a short time.
    recent: (HashSet<u64>, VecDeque<u64>),
    results: SyncSender<Record>,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(lab: &'a Lab<'a>, pool: Pool, results: SyncSender<Record>) -> Result<Maker<'a>, Error> {
        Ok(Maker {
            lab,
            picker: Picker::new(lab),
            pool,
            draft: Draft::default(),
            dead_weight: DeadWeight::default(),
            strategies: lab.strategies.iter().map(Plan::make).collect::<Result<_, _>>()?,
            recent: (HashSet::new(), VecDeque::new()),
            results,
        })
    }

    /// Makes case `number` of the campaign, which is the worker's case `ordinal`.
    pub(crate) fn make(&mut self, number: u64, ordinal: u64) -> Option<Entry> {
        let lab = self.lab;
        let pick = self.draw_one(number)?;
        let Pick { strategy, way, .. } = pick;
        let options = &lab.strategies[strategy].ways[way].options;
        let case = self.draft.to_case(&self.pool, &*self.strategies[strategy][way], options, pick.number);
        let seeds: Vec<usize> = self.draft.seeds.iter().map(|s| s.index()).collect();
        let class = lab.class(pick);
        let asks = |solver| {
            let lacks = seeds.iter().any(|seed| lab.seeds.lacks(solver, *seed));
            let asked = !lacks && lab.timeouts.asks(solver, class, number) && lab.says(solver, &case.script);
            if asked { Slot::Waiting } else { Slot::Unasked }
        };
        let slots = (0..lab.config.solvers.len()).map(asks).collect();
        Some(Entry { task: Task::Case { number, ordinal, pick }, case, seeds, slots })
    }

    /// The size of a case of a strategy that goes by size.
    pub(crate) fn size(&mut self, pick: Pick) -> Option<u64> {
        let strategy = &mut self.strategies[pick.strategy][pick.way];
        if pick.in_order { strategy.layer(pick.number).map(|layer| layer.size) } else { None }
    }

    /// Takes in the facts about a seed that was run.
    pub(crate) fn know(&mut self, seed: usize) {
        let Some(facts) = self.picker.know(seed) else { return };
        let id = self.seed_id(seed);
        if !facts.models.is_empty() {
            self.pool.know_models(id, &facts.models);
        }
        if let Some(status) = facts.status {
            self.pool.know_status(id, status);
        }
    }

    /// Makes a case in the draft; returns what it was made of. None at the end of the campaign, too.
    fn draw_one(&mut self, number: u64) -> Option<Pick> {
        let mut rng = self.lab.source.rng(number);
        for attempt in 0..TRIES {
            if self.lab.budget.is_over() {
                return None;
            }
            let pick = match self.picker.pick(number, attempt, &mut rng) {
                Picked::Pick(pick) => pick,
                Picked::Nothing => continue,
                Picked::Over => return None,
            };
            let (pick, drawn) = self.draw_alive(pick, &mut rng);
            match drawn {
                Ok(()) if pick.in_order => return Some(pick),
                Ok(()) if self.is_about_focus(&mut rng) && self.is_new() => return Some(pick),
                Ok(()) => {}
                Err(skip) => {
                    self.picker.skipped(pick, skip);
                    if pick.in_order && skip != Skip::NoMoreCases {
                        let _ = self.results.send(Record::Passed(pick));
                    }
                }
            }
        }
        None
    }

    /// Makes a case of a pick; another one of the same seed and way, if simplification alone decides it and the way has
    /// free numbers. The other numbers come from the choices of this case, so that it can be made again.
    fn draw_alive(&mut self, mut pick: Pick, rng: &mut Rng) -> (Pick, Result<(), Skip>) {
        let mut drawn = self.draw(pick);
        let plan = &self.lab.strategies[pick.strategy];
        // The number of a chain's step, or the direction in that of a mutant of an answered seed, is not free.
        let is_free = !pick.in_order && plan.ways[pick.way].chain <= 1 && plan.row.needs != Needs::Answers;
        for _ in 0..INSTEAD {
            if !is_free || drawn.is_err() || !self.dead_weight.is(&self.draft.text) || rng.below(DEAD) == 0 {
                break;
            }
            let other = Pick { number: rng.bits(), ..pick };
            let again = self.draw(other);
            if again.is_ok() {
                (pick, drawn) = (other, again);
            } else {
                drawn = self.draw(pick);
                break;
            }
        }
        (pick, drawn)
    }

    fn draw(&mut self, pick: Pick) -> Result<(), Skip> {
        let Pick { strategy, way, seed, number, .. } = pick;
        let seeds: Vec<SeedId> = seed.map(|seed| self.seed_id(seed)).into_iter().collect();
        let request = CaseRequest { seeds: &seeds, number };
        self.strategies[strategy][way].next(&mut self.pool, &request, &mut self.draft)
    }

    /// Whether the draft is in the focus of the campaign, or runs anyway.
    fn is_about_focus(&self, rng: &mut Rng) -> bool {
        let focus = &self.lab.config.focus;
        focus.is_empty() || focus.is_met(&self.draft.text) || rng.below(FOCUS) == 0
    }

    fn seed_id(&self, seed: usize) -> SeedId {
        self.pool.ids().nth(seed).unwrap_or_else(|| unreachable!("each seed of the lab is in each pool"))
    }

    /// Whether the draft differs from the last ones, apart from its header. Where a case is a function of its number, what
    /// was made before does not count.
    fn is_new(&mut self) -> bool {
        if self.lab.source.numbered().is_some() {
            return true;
        }
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
