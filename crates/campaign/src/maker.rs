//! Making cases: which strategy, which way and which seed come next, and the case they make.

use smelt_core::{Expectation, Relation, Verdict};
use smelt_strategies::{CaseRequest, Draft, Needs, Pool, Rng, SeedId, Skip, Strategy, case_seed, toward};
use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::SyncSender;

use crate::deal::Deal;
use crate::entry::{Entry, Slot, Task};
use crate::lab::Lab;
use crate::numbers::Taken;
use crate::plan::{Plan, Source};
use crate::schedule::Learning;
use crate::writer::Record;
use smelt_store::Error;

/// How many (strategy, seed) pairs are tried to make one case.
const TRIES: usize = 200;
/// One in this many cases that the focus does not mention is run all the same.
const OUTSIDE: usize = 8;
/// How many seeds are run at a time only because a strategy needs their models.
const WANTED: usize = 4;
/// How many recent texts are remembered, so that none is run twice in a short time.
const REMEMBERED: usize = 1 << 16;

/// Makes the cases of one worker.
///
/// Where a case is a function of its number ([`Lab::deal`]), nothing that was made or learned before counts: neither texts
/// nor seeds that were of no use are remembered, and models of seeds are those of the built-in solver.
pub(crate) struct Maker<'a> {
    lab: &'a Lab<'a>,
    pool: Pool,
    /// By strategy and way.
    strategies: Vec<Vec<Box<dyn Strategy>>>,
    draft: Draft,
    /// By strategy, the seeds of which it makes no case.
    barren: Vec<HashSet<usize>>,
    recent: (HashSet<u64>, VecDeque<u64>),
    /// The next steps of a chain whose first step was made.
    steps: VecDeque<Source>,
    /// The seed that comes again, and how often.
    seed: Option<(usize, u64)>,
    /// The seeds whose facts were taken in, and those of them with models.
    known: HashSet<usize>,
    with_models: Vec<usize>,
    /// Seeds that should be run for their models, and those of them that are not known to be done.
    wanted: Vec<usize>,
    pending: HashSet<usize>,
    /// Whether a strategy in order had no number at hand since the last case.
    short: bool,
    results: SyncSender<Record>,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(lab: &'a Lab<'a>, pool: Pool, results: SyncSender<Record>) -> Result<Maker<'a>, Error> {
        let strategies: Vec<_> = lab.strategies.iter().map(Plan::make).collect::<Result<_, _>>()?;
        Ok(Maker {
            lab,
            pool,
            draft: Draft::default(),
            barren: strategies.iter().map(|_| HashSet::new()).collect(),
            strategies,
            recent: (HashSet::new(), VecDeque::new()),
            steps: VecDeque::new(),
            seed: None,
            known: HashSet::new(),
            with_models: Vec::new(),
            wanted: Vec::new(),
            pending: HashSet::new(),
            short: false,
            results,
        })
    }

    /// Makes case `number` of the campaign, which is the worker's case `ordinal`.
    pub(crate) fn make(&mut self, number: u64, ordinal: u64) -> Option<Entry> {
        let lab = self.lab;
        self.short = false;
        let source = match &lab.deal {
            Some(deal) => self.choose_dealt(deal, number)?,
            None => self.choose(number)?,
        };
        let Source { strategy, way, .. } = source;
        let options = &lab.strategies[strategy].ways[way].options;
        let case = self.draft.to_case(&self.pool, &*self.strategies[strategy][way], options, source.number);
        let seeds: Vec<usize> = self.draft.seeds.iter().map(|s| s.index()).collect();
        let logic = logic(lab, source);
        let asks = |solver| {
            let lacks = seeds.iter().any(|seed| lab.lacks(solver, *seed));
            let asked = !lacks && lab.asks(solver, logic, number) && lab.says(solver, &case.script);
            if asked { Slot::Waiting } else { Slot::Unasked }
        };
        let slots = (0..lab.config.solvers.len()).map(asks).collect();
        Some(Entry { task: Task::Case { number, ordinal, source }, case, seeds, slots })
    }

    /// Whether no case was made because a shared store has not given out numbers yet.
    pub(crate) fn is_short(&self) -> bool {
        self.short
    }

    /// The size of a case of a strategy that goes by size.
    pub(crate) fn size(&mut self, source: Source) -> Option<u64> {
        let strategy = &mut self.strategies[source.strategy][source.way];
        if source.in_order { strategy.layer(source.number).map(|layer| layer.size) } else { None }
    }

    /// The same for a case that is a function of its number.
    fn choose_dealt(&mut self, deal: &Deal, number: u64) -> Option<Source> {
        let mut rng = Rng::new(case_seed(self.lab.config.seed, "case", number));
        let mut source = deal.source(number);
        for _ in 0..TRIES {
            match self.draw(source) {
                Ok(()) if source.in_order || self.is_about_focus(&mut rng) => return Some(source),
                Ok(()) => {}
                Err(skip) => self.lab.note_skip(source.strategy, skip),
            }
            source = deal.other(&mut rng)?;
        }
        None
    }

    /// Makes a case in the draft.
    fn draw(&mut self, source: Source) -> Result<(), Skip> {
        let Source { strategy, way, seed, number, .. } = source;
        let seeds: Vec<SeedId> = seed.map(|seed| self.seed_id(seed)).into_iter().collect();
        let request = CaseRequest { seeds: &seeds, number };
        self.strategies[strategy][way].next(&mut self.pool, &request, &mut self.draft)
    }

    /// Whether the draft is about the focus of the campaign, or is run all the same.
    fn is_about_focus(&self, rng: &mut Rng) -> bool {
        let focus = &self.lab.config.focus;
        focus.is_empty() || focus.is_met(&self.draft.text) || rng.below(OUTSIDE) == 0
    }

    /// Makes a case in the draft; returns its source.
    fn choose(&mut self, number: u64) -> Option<Source> {
        let lab = self.lab;
        let mut rng = Rng::new(case_seed(lab.config.seed, "schedule", number));
        for _ in 0..TRIES {
            let source = match self.steps.pop_front() {
                Some(step) => step,
                None => {
                    let strategy = lab.schedule.strategy(&mut rng);
                    let Some(source) = self.source(strategy, number, &mut rng) else { continue };
                    source
                }
            };
            let Source { strategy, way, seed, .. } = source;
            match self.draw(source) {
                Ok(()) if source.in_order => return Some(source),
                Ok(()) => {
                    let pays = lab.config.learning != Learning::Full
                        || lab.operators.keeps(&self.draft.text, &mut rng);
                    if self.is_about_focus(&mut rng) && pays && self.is_new() {
                        return Some(source);
                    }
                }
                Err(Skip::NoMoreCases) => lab.numbers[strategy][way].end(),
                Err(skip) => {
                    lab.schedule.learn_skip(strategy);
                    lab.note_skip(strategy, skip);
                    if skip.is_final() {
                        self.barren[strategy].extend(seed);
                    }
                    if source.in_order {
                        let _ = self.results.send(Record::Passed(source));
                    }
                }
            }
        }
        None
    }

    /// The source of a strategy's next case: random, or the next number in order. `None` if it makes no case.
    fn source(&mut self, strategy: usize, number: u64, rng: &mut Rng) -> Option<Source> {
        let lab = self.lab;
        let plan = &lab.strategies[strategy];
        if plan.row.needs.seeds() {
            let seed = match plan.row.needs {
                Needs::Models => {
                    let seed = self.seed_with_model(rng);
                    if seed.is_none() {
                        // Not the strategy's fault: it is told, but not learned from.
                        lab.note_skip(strategy, Skip::NoModel);
                    }
                    seed?
                }
                _ => self.next_seed(rng),
            };
            let way = lab.schedule.way(strategy, rng);
            if self.barren[strategy].contains(&seed) {
                return None;
            }
            let chain = u64::from(self.strategies[strategy][way].chain());
            let number = case_seed(lab.config.seed, plan.row.name, number);
            let first = number - number % chain;
            let step =
                |i: u64| Source { strategy, way, seed: Some(seed), number: first + i, in_order: false };
            self.steps.extend((1..chain).map(step));
            return Some(step(0));
        }
        let way = lab.schedule.way(strategy, rng);
        let in_order = plan.ways[way].in_order;
        let taken = if in_order { lab.numbers[strategy][way].take() } else { Taken::Number(rng.bits()) };
        match taken {
            Taken::Number(number) => return Some(Source { strategy, way, seed: None, number, in_order }),
            Taken::Later => self.short = true,
            Taken::Over => lab.schedule.learn_over(strategy, way),
        }
        None
    }

    /// A seed with a known model.
    fn seed_with_model(&mut self, rng: &mut Rng) -> Option<usize> {
        let lab = self.lab;
        // The cases of other strategies have seeds run. Without such strategies, that is done for the models alone.
        let alone = lab.strategies.iter().all(|plan| plan.row.needs != Needs::Seeds);
        if alone && self.pending.len() < WANTED && (self.with_models.is_empty() || rng.one_in(4)) {
            let (first, all) = (lab.schedule.seed(rng), lab.seeds.len());
            let mut seeds = (first..all).chain(0..first);
            let new = seeds.find(|seed| !self.known.contains(seed) && !self.pending.contains(seed));
            self.wanted.extend(new);
            self.pending.extend(new);
        }
        let mut drawn = (0..8).map(|_| lab.schedule.seed(rng));
        let seed = drawn.find(|seed| self.with_models.contains(seed));
        seed.or_else(|| rng.pick(&self.with_models).copied())
    }

    /// Takes in the facts about a seed that was run.
    pub(crate) fn know(&mut self, seed: usize) {
        let Some(facts) = self.lab.facts[seed].get().filter(|_| self.lab.deal.is_none()) else { return };
        self.pending.remove(&seed);
        if self.known.insert(seed) && !facts.models.is_empty() {
            let id = self.seed_id(seed);
            self.pool.know_models(id, &facts.models);
            self.with_models.push(seed);
        }
    }

    /// The seeds that should be run for their models.
    pub(crate) fn take_wanted(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.wanted)
    }

    /// The next seed; each comes as often in a row as the campaign wants mutants of a seed.
    fn next_seed(&mut self, rng: &mut Rng) -> usize {
        let Some(often) = self.lab.config.per_seed else { return self.lab.schedule.seed(rng) };
        let (seed, left) = match self.seed {
            Some((seed, left)) if left > 0 => (seed, left),
            _ => (self.lab.schedule.seed(rng), often.max(1)),
        };
        self.seed = Some((seed, left - 1));
        seed
    }

    /// Makes an entry again so that it goes the way that suits the solvers' answers to its seed, which has no label.
    pub(crate) fn redirect(&mut self, entry: &mut Entry) {
        if self.lab.deal.is_some() {
            return;
        }
        let Task::Case { number, ordinal, source } = entry.task else { return };
        let (Expectation::Related(way), Some(seed)) = (entry.case.expectation(), source.seed) else { return };
        let satisfiable = match self.lab.answer(seed) {
            Some(Verdict::Sat) => true,
            Some(Verdict::Unsat) => false,
            _ => return,
        };
        let wanted = if satisfiable { Relation::Weaker } else { Relation::Stronger };
        if way == wanted || way == Relation::Same || self.pool.seed(self.seed_id(seed)).status.is_some() {
            return;
        }
        let seeds = [self.seed_id(seed)];
        let made_by = &mut self.strategies[source.strategy][source.way];
        let source = Source { number: toward(source.number, made_by.chain(), satisfiable), ..source };
        let request = CaseRequest { seeds: &seeds, number: source.number };
        if made_by.next(&mut self.pool, &request, &mut self.draft).is_err() {
            return;
        }
        let options = &self.lab.strategies[source.strategy].ways[source.way].options;
        entry.case = self.draft.to_case(&self.pool, &**made_by, options, source.number);
        entry.task = Task::Case { number, ordinal, source };
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
pub(crate) fn logic(lab: &Lab<'_>, source: Source) -> usize {
    match source.seed {
        Some(seed) => lab.logics[seed],
        None => lab.way_logics[source.strategy] + source.way,
    }
}
