//! Skeletal approximation: weakens or strengthens literals of a formula, and keeps its Boolean structure.
//!
//! There are two moves on a literal. A rule replaces its predicate (predicate symbol transformation), or a random
//! formula is joined to it by `or` or `and` (live predicate injection). They work on the formula as written, where
//! polarity determines the direction, or on its clauses after Tseitin's transformation, as published.

mod alike;
mod cnf;
mod entries;
mod loan;
mod modelled;
mod refuted;
mod round;
mod snippet;
mod symbols;

use std::collections::HashMap;
use std::sync::Arc;

use smelt_core::{Expectation, Relation, Verdict};
use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::{Arena, View, sym};

use crate::alive::{Alive, DeadWeight, Watch};
use crate::certified::is_usable;
use crate::gate::Classes;
use crate::generative::donor;
use crate::options::{self, Allowance, Chain, OptionError, OptionRow, OptionText, word_of};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, Seed, SeedId};
use crate::query::{Asks, Views, asks, is_flat};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::rules::{Change, Engine, Ground};
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use crate::weaken::{direction_of, rules_of};
use loan::Loans;
use refuted::Core;
use round::{Round, Source};
use snippet::Bank;

/// Which form of a seed is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As it is written.
    Written,
    /// As clauses.
    Clauses,
    /// Clauses one time in four.
    Any,
}

/// What is done to literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moves {
    /// Predicate symbol transformation.
    Rules,
    /// Live predicate injection.
    Snippets,
    /// Either, by chance.
    Both,
    /// Other formulas take the place of literals: random ones of the same value in a model, or stronger ones in a core.
    Exchange,
}

/// The forms by their words in options.
const FORMS: &[(&str, Form)] = &[("written", Form::Written), ("cnf", Form::Clauses), ("any", Form::Any)];

/// The moves by their words in options.
const MOVES: &[(&str, Moves)] =
    &[("pst", Moves::Rules), ("lpi", Moves::Snippets), ("both", Moves::Both), ("exchange", Moves::Exchange)];

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "skeleton",
    aliases: &["sparrow"],
    about: "weaken literals of a satisfiable formula, strengthen those of an unsatisfiable one",
    needs: Needs::Answers,
    options: &[
        options::STEPS,
        options::EVERY_STEP,
        OptionRow::text(
            "form",
            "written, cnf, any",
            "any",
            "form of the seed before mutation; any: cnf one time in four",
        )
        .long(),
        OptionRow::text(
            "moves",
            "pst, lpi, both, exchange",
            "both",
            "changes to literals: pst replaces predicates by rules, lpi adds random formulas, exchange replaces them: in a satisfiable seed by random formulas of the same value in a model, in an unsatisfiable one by stronger literals in a core",
        )
        .long(),
        OptionRow::text(
            "depth",
            "0 to 4",
            "2",
            "depth of terms in random formulas; 0: only variables, small terms of the seed and literals",
        ),
        OptionRow::text(
            "snippets",
            "theory, published",
            "theory",
            "published: use exactly the published algorithm for random formulas",
        ),
        options::POOL,
        options::LOGIC,
        options::RECENT,
        options::CLASSES,
        options::RULES,
    ],
    ways: || {
        // Each step changes up to five literals, all in one direction: many steps leave nothing but true or false.
        let way = |(steps, logic)| format!("steps={steps} logic={logic}");
        let own = [(1, "own"), (2, "own"), (4, "own"), (1, "all"), (2, "all"), (4, "all")];
        own.map(way).into_iter().chain(MORE_WAYS.map(str::to_owned)).collect()
    },
    make: |o| Ok(Box::new(Skeleton::new(o)?)),
};

/// The ways of a campaign besides the usual numbers of steps.
const MORE_WAYS: [&str; 3] =
    ["steps=1 moves=exchange", "steps=1 logic=all pool=yes", "steps=2 logic=own moves=lpi pool=yes"];

/// How often an exchange that simplification decides is made again.
const AGAIN: u64 = 3;

/// At most this many literals change in one step.
const LITERALS: usize = 5;

/// This many operators stand above each other in a term of a random formula, unless an option says otherwise.
const DEPTH: u32 = 2;

/// Whether random formulas are those of the published algorithm, by the words of the option.
const SNIPPETS: &[(&str, bool)] = &[("theory", false), ("published", true)];

/// How often a formula is drawn until it is short enough.
const SHORTER: usize = 4;

/// Longer assertions are not looked at after each step, in bytes.
const WATCHED: u32 = 3 << 10;

/// This many seeds are kept as clauses.
const CLAUSAL: usize = 50;

/// The strategy `skeleton`.
#[derive(Debug)]
pub(crate) struct Skeleton {
    chain: Chain,
    form: Form,
    moves: Moves,
    depth: u32,
    is_published: bool,
    /// Whether other seeds lend formulas.
    borrows: bool,
    wide: bool,
    classes: Classes,
    engine: Engine,
    /// By seed, once it was used: what it lends.
    loans: PerSeed<Loans>,
    /// By seed, once it was used: as written.
    tables: PerSeed<Result<Table, Skip>>,
    /// The same for seeds of `clauses`.
    clause_tables: PerSeed<Table>,
    /// By seed, once it was used: its clauses, a seed of `clauses`.
    clausal: HashMap<SeedId, Result<SeedId, Skip>>,
    clauses: Pool,
    edits: Edits,
    /// By seed, once it was used: a model.
    models: HashMap<SeedId, Option<String>>,
    /// By seed, once it was used: assertions that contradict each other.
    cores: HashMap<SeedId, Core>,
    /// For the scripts between the first and the last.
    arena: Arena,
    alive: Alive,
    /// The same for seeds of `clauses`.
    clause_alive: Alive,
    dead_weight: DeadWeight,
}

/// What can be done with a seed.
#[derive(Debug)]
struct Table {
    ground: Ground,
    /// Literals with their changes by rules, for a weaker and for a stronger formula.
    literals: [Vec<Literal>; 2],
    changes: Vec<Change>,
    /// What snippets are made of; `None` where there is nothing.
    snippets: Option<Bank>,
    asks: Asks,
    views: Arc<Views>,
}

#[derive(Clone, Copy, Debug)]
struct Literal {
    place: Occurrence,
    /// Whether it must get weaker.
    weaker: bool,
    first: u32,
    end: u32,
}

impl Skeleton {
    /// With these options; rules of the user's are checked.
    pub(crate) fn new(options: &OptionText) -> Result<Skeleton, OptionError> {
        Ok(Skeleton {
            chain: Chain::of(options, u32::MAX)?,
            form: options.choice("form", Form::Any, FORMS)?,
            moves: options.choice("moves", Moves::Both, MOVES)?,
            depth: options.within("depth", DEPTH, 0..=4)?,
            is_published: options.choice("snippets", false, SNIPPETS)?,
            borrows: options.flag("pool", false)?,
            wide: options.choice("logic", false, options::LOGICS)?,
            classes: Classes::of(options)?,
            engine: Engine::new(rules_of(options, "skeleton")?),
            loans: PerSeed::default(),
            tables: PerSeed::default(),
            clause_tables: PerSeed::default(),
            clausal: HashMap::new(),
            clauses: Pool::new(),
            edits: Edits::default(),
            models: HashMap::new(),
            cores: HashMap::new(),
            arena: Arena::new(),
            alive: Alive::default(),
            clause_alive: Alive::default(),
            dead_weight: DeadWeight::default(),
        })
    }

    /// Forgets all clauses once they are many: they live in one arena, and cannot go one by one.
    fn make_room(&mut self, id: SeedId) {
        if self.clauses.len() >= CLAUSAL && !self.clausal.contains_key(&id) {
            self.clauses = Pool::new();
            self.clausal.clear();
            self.clause_tables = PerSeed::default();
            self.clause_alive = Alive::default();
        }
    }

    /// Exchanges literals: under a model of a satisfiable seed, in a core of an unsatisfiable one. A mutant that
    /// simplification decides is made again, some times.
    fn exchanged(
        &mut self,
        pool: &mut Pool,
        (own_seed, id, donor): (SeedId, SeedId, Option<SeedId>),
        number: u64,
        draft: &mut Draft,
    ) -> Result<(), Skip> {
        is_usable(pool.arena(), pool.seed(id))?;
        let status = pool.seed(own_seed).status;
        for attempt in 0..=AGAIN {
            let rng = match attempt {
                0 => Rng::new(number),
                again => Rng::fork(number, again),
            };
            let modelled = match status {
                Some(Verdict::Unsat) => Err(Skip::NoModel),
                _ => self.modelled(pool, (own_seed, id, donor), (number, rng.clone()), draft),
            };
            match (modelled, status) {
                (Err(Skip::NoModel), None | Some(Verdict::Unsat)) => {
                    self.refuted(pool, (own_seed, id), (number, rng), draft)?;
                }
                (modelled, _) => modelled?,
            }
            if !self.dead_weight.is_simplified(&draft.text) {
                break;
            }
        }
        Ok(())
    }

    /// Computes what can be done with a seed, in the form that the options or chance choose.
    fn prepare_form(&mut self, pool: &mut Pool, id: SeedId, rng: &mut Rng) -> Result<Option<SeedId>, Skip> {
        let clauses = match self.form {
            Form::Written => false,
            Form::Clauses => true,
            Form::Any => rng.one_in(4),
        };
        match self.prepare(pool, id, clauses) {
            // Some scripts have no clauses for us; as written they do.
            Err(Skip::Unsupported | Skip::NotOneQuery) if self.form == Form::Any => {
                self.prepare(pool, id, false)
            }
            prepared => prepared,
        }
    }

    /// Computes what can be done with a seed, in one of its forms; for clauses, the seed that they are.
    fn prepare(&mut self, pool: &mut Pool, id: SeedId, clauses: bool) -> Result<Option<SeedId>, Skip> {
        self.make_room(id);
        let Skeleton { classes, engine, moves, clauses: own, borrows, .. } = self;
        let snippets = (*moves != Moves::Rules).then_some(*borrows);
        if clauses {
            let made = *self.clausal.entry(id).or_insert_with(|| {
                let seed = pool.seed(id);
                is_flat(pool.arena(), &seed.script)?;
                let text = cnf::clauses(pool.arena(), seed).ok_or(Skip::Unsupported)?;
                own.add(&seed.name, &text, seed.status).map_err(|_| Skip::Unsupported)
            });
            let made = made?;
            let make = |own: &mut Pool| Table::new(own, made, engine, classes, snippets, Asks::Once);
            self.clause_tables.get_or_make(own, made, make);
            return Ok(Some(made));
        }
        let table = self.tables.get_or_make(pool, id, |pool| {
            let asks = asks(pool.arena(), &pool.seed(id).script)?;
            Ok(Table::new(pool, id, engine, classes, snippets, asks))
        });
        table.as_ref().map(|_| None).map_err(|skip| *skip)
    }
}

impl Strategy for Skeleton {
    fn name(&self) -> &'static str {
        "skeleton"
    }

    fn options(&self) -> String {
        let words = self.chain.words().add("form", word_of(FORMS, self.form));
        let words = words.add("moves", word_of(MOVES, self.moves));
        let words = words.add_if(self.depth != DEPTH, "depth", self.depth);
        let words = words.add_if(self.is_published, "snippets", "published");
        let words = words.add_if(self.borrows, "pool", "yes").add_if(self.wide, "logic", "all");
        words.add_if(self.classes.recent, "recent", "yes").text()
    }

    fn chain(&self) -> u32 {
        self.chain.numbers()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let own_seed = request.seed()?;
        let id = if self.wide { pool.twin(own_seed) } else { own_seed };
        let (start, steps) = self.chain.split(request.number);
        let donor = if self.borrows { donor(pool, request, id, start) } else { None };
        if let Some(donor) = donor {
            self.loans.get_or_make(pool, donor, |pool| Loans::of(pool.arena(), pool.seed(donor)));
        }
        if self.moves == Moves::Exchange {
            return self.exchanged(pool, (own_seed, id, donor), request.number, draft);
        }
        let options = self.options();
        let mut rng = Rng::new(start);
        let clauses = self.prepare_form(pool, id, &mut rng)?;
        let own_status = pool.seed(own_seed).status;
        draft.start(own_seed);
        draft.seeds.extend(donor);
        draft.header(pool, "skeleton", &options, request.number);
        let is_chain = !self.chain.is_single();
        let alive =
            is_chain.then_some(if clauses.is_some() { &mut self.clause_alive } else { &mut self.alive });
        let (mut watch, table) = match clauses {
            Some(made) => (Watch::new(&mut self.clauses, made, alive, WATCHED), &self.clause_tables[made]),
            None => {
                let Ok(table) = &self.tables[id] else { return Err(Skip::Unsupported) };
                (Watch::new(pool, id, alive, WATCHED), table)
            }
        };
        let seed = watch.seed;
        // A label is about one query.
        let status = own_status.filter(|_| table.asks == Asks::Once);
        let direction = direction_of(status, start);
        if clauses.is_some() {
            draft.log.extend_from_slice(b"clauses by Tseitin's transformation\n");
        }
        self.edits.clear();
        let mut round = Round {
            engine: &mut self.engine,
            moves: self.moves,
            depth: self.depth,
            is_published: self.is_published,
            loans: donor.and_then(|donor| self.loans.get(donor)),
            edits: &mut self.edits,
            rng: &mut rng,
            direction,
        };
        let first = Source { seed, table };
        if !round.take(None, &mut watch, first, first, &mut draft.log) {
            watch.end();
            return Err(Skip::NothingToChange);
        }
        let at = table.ground.status_at;
        let whole = seed.text.len() as u32;
        if steps == 1 {
            round.edits.apply(&seed.text, 0..at, &mut draft.text);
            Ground::say_status(status, &mut draft.text);
            round.edits.apply(&seed.text, at..whole, &mut draft.text);
        } else {
            let mut text = Vec::new();
            round.edits.apply(&seed.text, 0..whole, &mut text);
            let empty = self.arena.checkpoint();
            let mut allowance = Allowance::new(self.chain);
            for _ in 1..steps {
                if !allowance.take(&text, &mut draft.log) {
                    break;
                }
                let Ok(next) = crate::pool::read_again(&mut self.arena, &text, seed) else { break };
                let ground = Ground::later(&self.arena, &next, &table.ground);
                let query = (table.asks, Arc::clone(&table.views));
                let later = Table::with(&self.arena, &next, round.engine, ground, query);
                round.edits.clear();
                let here = Source { seed: &next, table: &later };
                let taken = round.take(Some(&self.arena), &mut watch, here, first, &mut draft.log);
                if taken {
                    text.clear();
                    round.edits.apply(&next.text, 0..next.text.len() as u32, &mut text);
                }
                self.arena.rollback(empty);
                if !taken {
                    break;
                }
            }
            draft.text.extend_from_slice(&text[..at as usize]);
            Ground::say_status(status, &mut draft.text);
            draft.text.extend_from_slice(&text[at as usize..]);
        }
        watch.end();
        draft.expectation = Expectation::Related(direction);
        draft.each = table.views.expectations(direction);
        Ok(())
    }
}

impl Table {
    /// `snippets` says whether random formulas are made, and then whether other seeds lend some.
    fn new(
        pool: &mut Pool,
        id: SeedId,
        engine: &mut Engine,
        classes: &Classes,
        snippets: Option<bool>,
        asks: Asks,
    ) -> Table {
        let (arena, seed) = (pool.arena(), pool.seed(id));
        let ground = Ground::new(arena, seed, &engine.rules, classes);
        let expressions = &ground.lender.expressions;
        let bank = snippets.map(|borrows| Bank::new(arena, seed, classes, expressions, borrows));
        let views = Arc::new(Views::of(arena, &seed.script, &seed.labels));
        let table = Table::with(arena, seed, engine, ground, (asks, views));
        Table { snippets: bank.filter(|bank| !bank.is_empty()), ..table }
    }

    /// Without what snippets are made of: they come from the first script of a chain.
    fn with(
        arena: &Arena,
        seed: &Seed,
        engine: &mut Engine,
        ground: Ground,
        (asks, views): (Asks, Arc<Views>),
    ) -> Table {
        let mut literals = [Vec::new(), Vec::new()];
        let mut changes = Vec::new();
        let mut here = Vec::new();
        for &place in &ground.formulas {
            let term = seed.places.term(place);
            let kind = kind(arena, term);
            let command = seed.places.root(place).command;
            let wanted = |free| ground.wanted(place, views.at(command, free));
            if kind == Shape::Structure || wanted(Relation::Weaker).is_none() {
                continue;
            }
            here.clear();
            engine.changes(arena, seed, &ground, place, &mut here);
            for (list, direction) in literals.iter_mut().zip([Relation::Weaker, Relation::Stronger]) {
                let wanted = wanted(direction);
                let first = changes.len() as u32;
                changes
                    .extend(here.iter().filter(|c| Some(c.effect) == wanted || c.effect == Relation::Same));
                let end = changes.len() as u32;
                // A negated literal counts by its atom, unless a rule speaks of the two together.
                if kind == Shape::Literal || end > first {
                    list.push(Literal { place, weaker: wanted == Some(Relation::Weaker), first, end });
                }
            }
        }
        Table { ground, literals, changes, snippets: None, asks, views }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Literal,
    /// The negation of an atom.
    Negation,
    Structure,
}

fn kind(arena: &Arena, term: smelt_smtlib::Term) -> Shape {
    match arena.view(term) {
        View::Var(_) | View::Apply(_) => Shape::Literal,
        View::App(fun, args) => {
            let f = arena.fun_view(fun);
            match (f.op.is_some(), f.name) {
                (true, sym::NOT) if args.first().is_some_and(|&a| kind_of_atom(arena, a)) => Shape::Negation,
                (true, sym::NOT | sym::AND | sym::OR | sym::IMPLIES | sym::ITE | sym::TRUE | sym::FALSE) => {
                    Shape::Structure
                }
                _ => Shape::Literal,
            }
        }
        _ => Shape::Structure,
    }
}

fn kind_of_atom(arena: &Arena, term: smelt_smtlib::Term) -> bool {
    match arena.view(term) {
        View::App(fun, _) => {
            let f = arena.fun_view(fun);
            !(f.op.is_some() && matches!(f.name, sym::NOT | sym::AND | sym::OR | sym::IMPLIES | sym::ITE))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
