//! Generative type-aware mutation: replaces an expression by a new operator applied to expressions of the formula.
//!
//! For each seed, a table of what can make which sort, and from which expressions, is computed once. A step picks a
//! place, an operator of its sort, and for each argument an expression that is locally compatible: everything it
//! uses is declared before, its free variables are bound around the place with the same sorts, and nothing in it is
//! captured. No argument equals the replaced expression, and at least one depends on a symbol that the script does
//! not define. A mutant is the seed's text with such places replaced. With several steps, each uses the places of
//! the previous mutant.

mod chain;
mod config;
mod expressions;
mod makers;
mod mined;
mod step;

use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::script::Command;
use smelt_smtlib::{Sort, View, sym};

use crate::alive::Alive;
use crate::gate::Classes;
use crate::options::{self, Chain, OptionError, OptionRow, OptionText};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, Seed, SeedId};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::samples::{Sampler, sort_sexpr};
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use chain::Chain as Mutant;
use config::Config;
pub(crate) use expressions::{Expressions, NOWHERE, declared_at};
pub(crate) use makers::{Maker, Wanted, makers};
pub(crate) use mined::{Mined, donor};
use step::Donor;
pub(crate) use step::Step;

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "generative",
    aliases: &["typefuzz"],
    about: "replace expressions by new operators applied to expressions of the formula",
    needs: Needs::Seeds,
    options: &[
        options::STEPS,
        options::EVERY_STEP,
        options::POOL,
        OptionRow::switch("constants", "random constants as arguments").by_default(),
        OptionRow::file(
            "operators",
            "file of operators for new expressions, in the format of TypeFuzz's configuration",
        ),
        options::LOGIC,
        options::RECENT,
        options::CLASSES,
    ],
    ways,
    make: |o| Ok(Box::new(Generative::new(o)?)),
};

/// The ways of a campaign: those of `operator`, and two with expressions of other seeds.
fn ways() -> Vec<String> {
    let mut ways = options::steps_and_logic_ways();
    ways.extend(["steps=3 logic=own pool=yes", "steps=12 logic=all pool=yes"].map(str::to_owned));
    ways
}

/// The strategy `generative`.
#[derive(Debug)]
pub(crate) struct Generative {
    chain: Chain,
    data_driven: bool,
    constants: bool,
    wide: bool,
    classes: Classes,
    config: Option<Config>,
    /// By seed, once it was used.
    tables: PerSeed<Table>,
    mined: PerSeed<Mined>,
    alive: Alive,
    edits: Edits,
    made: Vec<(Sort, std::ops::Range<usize>, u32)>,
    /// The chain that the last case was of.
    kept: Kept,
}

/// A chain in the making, so that its next case costs one step.
#[derive(Debug, Default)]
struct Kept {
    /// The seed, the other one, and what the random choices started from.
    of: Option<(SeedId, Option<SeedId>, u64)>,
    mutant: Mutant,
    /// Steps that were tried, and those that changed something.
    tried: u32,
    done: u32,
    rng: Option<Rng>,
    log: Vec<u8>,
}

/// What can be done with a seed.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) expressions: Expressions,
    /// By sort, by operator, its instances.
    makers: Vec<Vec<Vec<Maker>>>,
    /// Places that may change, with the position of their sort.
    sites: Vec<(u32, u32)>,
    /// The assertions: the command, and where its term is in the seed's text.
    roots: Vec<(u32, u32, u32)>,
    /// The position of the sort of truth values.
    truth: Option<u32>,
    /// By sort: its random constants, if it has any.
    samplers: Vec<Option<Sampler>>,
    /// By operator: whether the seed may have it.
    allowed: Vec<bool>,
}

impl Generative {
    /// With these options.
    pub(crate) fn new(options: &OptionText) -> Result<Generative, OptionError> {
        Ok(Generative {
            chain: Chain::of(options, u32::MAX)?,
            data_driven: options.flag("pool", false)?,
            constants: options.flag("constants", true)?,
            wide: options.choice("logic", false, options::LOGICS)?,
            classes: Classes::of(options)?,
            config: match options.file("operators") {
                Some(text) => Some(
                    Config::read(text.as_bytes())
                        .map_err(|e| OptionError::new(format!("operators: {}", e.locate(text.as_bytes()))))?,
                ),
                None => None,
            },
            tables: PerSeed::default(),
            mined: PerSeed::default(),
            alive: Alive::default(),
            edits: Edits::default(),
            made: Vec::new(),
            kept: Kept::default(),
        })
    }

    fn prepare(&mut self, pool: &mut Pool, id: SeedId) {
        let config = self.config.as_ref();
        self.tables.get_or_make(pool, id, |pool| Table::with(pool, id, &self.classes, config));
    }

    /// The seed that lends expressions: the one asked for, or one at random.
    fn donor(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, taker: SeedId) -> Option<SeedId> {
        if !self.data_driven {
            return None;
        }
        let donor = donor(pool, request, taker, self.chain.split(request.number).0)?;
        self.prepare(pool, donor);
        let expressions = &self.tables[donor].expressions;
        self.mined.get_or_make(pool, donor, |pool| Mined::new(pool.arena(), pool.seed(donor), expressions));
        Some(donor)
    }
}

impl Strategy for Generative {
    fn name(&self) -> &'static str {
        "generative"
    }

    fn options(&self) -> String {
        let words = self.chain.words().add_if(self.data_driven, "pool", "yes");
        let words = words.add_if(!self.constants, "constants", "no");
        words.add_if(self.wide, "logic", "all").add_if(self.classes.recent, "recent", "yes").text()
    }

    fn chain(&self) -> u32 {
        self.chain.numbers()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        let id = if self.wide { pool.twin(seed) } else { seed };
        self.prepare(pool, id);
        let donor = self.donor(pool, request, id);
        if self.tables[id].sites.is_empty() {
            return Err(Skip::NothingToChange);
        }
        let (start, steps) = self.chain.split(request.number);
        draft.start(seed);
        draft.seeds.extend(donor);
        if self.chain.is_single() {
            self.one_step(pool, (id, donor), start, &mut draft.log)?;
        } else {
            self.steps(pool, (id, donor), start, steps)?;
            draft.log.extend_from_slice(&self.kept.log);
        }
        draft.header(pool, "generative", &self.options(), request.number);
        if self.chain.is_single() {
            let seed = pool.seed(id);
            self.edits.apply(&seed.text, 0..seed.text.len() as u32, &mut draft.text);
        } else {
            draft.text.extend_from_slice(&self.kept.mutant.text);
        }
        Ok(())
    }
}

impl Generative {
    /// Exchanges one place of the seed.
    fn one_step(
        &mut self,
        pool: &Pool,
        (id, donor): (SeedId, Option<SeedId>),
        start: u64,
        log: &mut Vec<u8>,
    ) -> Result<(), Skip> {
        self.edits.clear();
        self.made.clear();
        let donor = donor.map(|d| Donor { seed: pool.seed(d), mined: &self.mined[d] });
        let mut rng = Rng::new(start);
        let step = Step::new(pool.seed(id), &self.tables[id], &mut self.edits, &mut self.made, &mut rng);
        let mut step = step.with(self.constants, donor);
        // A place may have nothing that fits; others do.
        let done = (0..PLACES).any(|_| step.take(log));
        if done { Ok(()) } else { Err(Skip::NothingToChange) }
    }

    /// Takes steps of a chain until there are this many; those of the last case are not taken again.
    fn steps(
        &mut self,
        pool: &mut Pool,
        (id, donor): (SeedId, Option<SeedId>),
        start: u64,
        steps: u32,
    ) -> Result<(), Skip> {
        let life = self.alive.begin(pool, id);
        let (arena, seed, lender) = pool.parts_with(id, donor);
        let table = &self.tables[id];
        let lender = donor.zip(lender).map(|(d, seed)| Donor { seed, mined: &self.mined[d] });
        let (kept, alive, mut life) = (&mut self.kept, &mut self.alive, life);
        let of = Some((id, donor, start));
        if kept.of == of && kept.tried < steps {
            kept.mutant.resume(arena, seed, alive, &mut life);
        } else {
            kept.mutant.start(seed, table);
            (kept.of, kept.tried, kept.done) = (of, 0, 0);
            kept.rng = Some(Rng::new(start));
            kept.log.clear();
        }
        let rng = kept.rng.get_or_insert_with(|| Rng::new(start));
        let mut done = false;
        while kept.tried < steps {
            let of_step = (seed, table, lender, self.constants);
            done = kept.mutant.step(arena, of_step, (alive, &mut life), (rng, &mut kept.log));
            kept.tried += 1;
            kept.done += u32::from(done);
        }
        alive.end(arena, life);
        match (kept.done, done || self.chain.numbers() == 1) {
            (0, _) => Err(Skip::NothingToChange),
            (_, false) => Err(Skip::Repeats),
            (_, true) => Ok(()),
        }
    }
}

/// How many places are tried for a single step.
const PLACES: usize = 16;

impl Table {
    /// Whether no place may change.
    pub(crate) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    pub(crate) fn new(pool: &mut Pool, id: SeedId, classes: &Classes) -> Table {
        Table::with(pool, id, classes, None)
    }

    fn with(pool: &mut Pool, id: SeedId, classes: &Classes, config: Option<&Config>) -> Table {
        let (arena, seed) = pool.parts(id);
        let expressions = Expressions::new(arena, seed);
        let mut makers = makers(arena, seed, classes, &expressions);
        if let Some(config) = config {
            config.narrow(arena, seed, &expressions, &mut makers);
        }
        let allowed = arena.signatures().ops().map(|(op, _)| seed.gate.allows(arena, classes, op)).collect();
        let mut sites = Vec::new();
        for place in seed.places.all() {
            let command = &seed.script.commands[expressions.command_of[place.index()] as usize];
            if matches!(command, Command::CheckSatAssuming(_)) || expressions.fixed[place.index()] {
                continue;
            }
            if seed.gate.linear && holds_linear(arena, seed, place) {
                continue;
            }
            let difference = seed.gate.logic.is_some_and(|l| l.difference);
            let sort = seed.sort_at(arena, place);
            if difference && sort != Sort::BOOL || !seed.gate.has_sort(sort) {
                continue;
            }
            let index = expressions.sort_index(sort);
            sites.extend(index.filter(|&i| !makers[i].is_empty()).map(|i| (place.index() as u32, i as u32)));
        }
        let is_assertion = |c: u32| matches!(seed.script.commands[c as usize], Command::Assert(_));
        let root = |place: Occurrence| {
            let span = &seed.spans[place.index()];
            (expressions.command_of[place.index()], span.start, span.end)
        };
        let roots = seed.places.all().filter(|&place| seed.places.parent(place).is_none()).map(root);
        let roots = roots.filter(|root| is_assertion(root.0)).collect();
        let samplers = samplers(arena, seed, &expressions);
        let truth = expressions.sort_index(Sort::BOOL).map(|i| i as u32);
        Table { expressions, makers, sites, roots, truth, samplers, allowed }
    }
}

/// The random constants of each sort: not of truth values, of arrays only where the seed has constant ones, and none in a
/// difference logic, which says where numbers may stand.
fn samplers(arena: &smelt_smtlib::Arena, seed: &Seed, expressions: &Expressions) -> Vec<Option<Sampler>> {
    let difference = seed.gate.logic.is_some_and(|l| l.difference);
    let constant_arrays = arena
        .find_symbol(b"const")
        .is_some_and(|name| arena.signatures().named(name).any(|op| seed.gate.uses(op)));
    let sampler = |&(sort, _): &(Sort, Vec<u32>)| {
        let is_array = arena.sort_view(sort).head == sym::ARRAY;
        if difference || sort == Sort::BOOL || is_array && !constant_arrays || !seed.gate.has_sort(sort) {
            return None;
        }
        sort_sexpr(&arena.display_sort(sort)).as_ref().and_then(Sampler::of)
    };
    expressions.sorts.iter().map(sampler).collect()
}

/// Whether a place is a coefficient or next to one: a new term there could make a product of unknowns.
fn holds_linear(arena: &smelt_smtlib::Arena, seed: &Seed, place: Occurrence) -> bool {
    let product = |o: Occurrence| match arena.view(seed.places.term(o)) {
        View::App(fun, _) => {
            let f = arena.fun_view(fun);
            f.op.is_some() && matches!(arena.text(f.name), b"*" | b"/" | b"div" | b"mod")
        }
        _ => false,
    };
    let number = smelt_smtlib::logic::is_number(arena, seed.places.term(place));
    number || seed.places.parent(place).is_some_and(|(p, _)| product(p))
}

#[cfg(test)]
mod tests;
