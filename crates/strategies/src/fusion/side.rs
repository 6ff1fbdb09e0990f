//! A seed prepared for fusion: renamed apart from the other seed, printed, with lists of its variables and
//! expressions.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use smelt_smtlib::abandon::tick;
use smelt_smtlib::logic::{Logic, is_nonzero_number};
use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::rename::{Renaming, bound_names, declared_names};
use smelt_smtlib::rewrite::{decimal, rewrite};
use smelt_smtlib::script::Command;
use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::{Arena, Printer, Script, Sort, Symbol, Term, View, sym};

use super::frames::{Frames, last_goal};
use crate::pool::{Seed, print};
use crate::query::{Asks, asks, is_flat};
use crate::strategy::Skip;

/// Names that a side declares end in `.1` or `.2`, those of fusion in `.3`; so they can neither clash with each
/// other nor, as no bound variable may end so, be captured.
const SUFFIXES: [&str; 3] = [".1", ".2", ".3"];

/// A sort as the sides of all seeds write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind(u32);

/// All sorts of variables.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    by_text: HashMap<String, Kind>,
    list: Vec<Sexpr>,
}

impl Kinds {
    fn intern(&mut self, text: String) -> Option<Kind> {
        if let Some(&kind) = self.by_text.get(&text) {
            return Some(kind);
        }
        let sort = read_all(text.as_bytes()).ok()?.pop()?;
        let kind = Kind(self.list.len() as u32);
        self.list.push(sort);
        self.by_text.insert(text, kind);
        Some(kind)
    }

    pub(crate) fn sort(&self, kind: Kind) -> &Sexpr {
        &self.list[kind.0 as usize]
    }
}

/// One side of a fusion or a transplant.
#[derive(Debug)]
pub(crate) struct Side {
    /// Declarations and definitions.
    pub(crate) declarations: Vec<u8>,
    /// Commands of solvers that stand beside assertions, such as `assert-soft`.
    pub(crate) extras: Vec<u8>,
    /// The query.
    pub(crate) query: Vec<u8>,
    /// The asserted terms, each in its range.
    pub(crate) text: Vec<u8>,
    pub(crate) assertions: Vec<Range<u32>>,
    /// Constants that stand somewhere in an assertion, and behind them whole terms of assertions.
    pub(crate) variables: Vec<Variable>,
    /// How many of them are constants.
    pub(crate) constants: usize,
    /// The commands around the assertions, where the seed asks often or about frames.
    pub(crate) frames: Option<Frames>,
    /// Whether names are given to parts of assertions.
    pub(crate) named: bool,
    /// Their sorts, each once.
    pub(crate) sorts: Vec<Kind>,
    /// Expressions of the assertions that may be taken out without taking a name along.
    pub(crate) expressions: Vec<Expression>,
    /// What it needs of a logic.
    pub(crate) logic: Logic,
    /// Whether its truth may rest on an operator that the standard leaves open.
    pub(crate) open: bool,
    /// Whether it has recursive definitions, which may contradict themselves.
    pub(crate) recursive: bool,
}

/// An expression of an assertion.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) sort: Kind,
    /// Where it stands in the text of the assertions.
    pub(crate) place: Range<u32>,
    /// Whether it applies something to arguments and has no variables that are bound around it, so that it means the same
    /// elsewhere.
    pub(crate) moves: bool,
}

/// A constant that can be fused, or a term without bound variables.
#[derive(Debug)]
pub(crate) struct Variable {
    /// The constant or term as it is written.
    pub(crate) name: String,
    pub(crate) sort: Kind,
    /// Its first place in the seed itself, if places are the same there.
    pub(crate) origin: Option<u32>,
    /// Where it stands in the text of the assertions.
    pub(crate) places: Vec<Range<u32>>,
}

impl Side {
    /// The seed as side 0 or 1, or why it cannot be one: it asks one query about a flat list of assertions.
    pub(crate) fn new(arena: &mut Arena, seed: &Seed, side: usize, kinds: &mut Kinds) -> Result<Side, Skip> {
        is_flat(arena, &seed.script)?;
        Side::of_script(arena, seed, &seed.script, (side, false), kinds)
    }

    /// The same for a seed that asks often or about frames: side 0 keeps its commands, where their names have one meaning;
    /// side 1 is the goal of its last query.
    pub(crate) fn of_last_query(
        arena: &mut Arena,
        seed: &Seed,
        side: usize,
        kinds: &mut Kinds,
    ) -> Result<Side, Skip> {
        if asks(arena, &seed.script)? == Asks::Once {
            return Side::new(arena, seed, side, kinds);
        }
        // z3's own query command is not a query about a goal.
        if seed.script.commands.iter().any(|c| matches!(c, Command::Other(..)) && c.is_query(arena)) {
            return Err(Skip::NotOneQuery);
        }
        if side == 0 && Frames::can_hold(&seed.script) {
            return Side::of_script(arena, seed, &seed.script, (side, true), kinds);
        }
        let goal = last_goal(&seed.script).ok_or(Skip::Unsupported)?;
        Side::of_script(arena, seed, &goal, (side, false), kinds)
    }

    fn of_script(
        arena: &mut Arena,
        seed: &Seed,
        script: &Script,
        (side, has_frames): (usize, bool),
        kinds: &mut Kinds,
    ) -> Result<Side, Skip> {
        let parameters = |c: &Command| matches!(c, Command::DeclareSortParameter(_));
        if script.commands.iter().any(parameters) {
            return Err(Skip::Unsupported);
        }
        // Non-standard operators are only in the logic `ALL`.
        let logic = Logic::used(arena, script).unwrap_or(Logic::ALL);
        let facts = Facts::of(arena, script);
        if facts.captures {
            return Err(Skip::Capture);
        }
        if facts.unsupported {
            return Err(Skip::Unsupported);
        }
        let mark = arena.checkpoint();
        let mut renaming = Renaming::default();
        for name in declared_names(arena, script) {
            let text = [arena.text(name), SUFFIXES[side].as_bytes()].concat();
            let new = arena.symbol(&text);
            renaming.rename(arena, name, new);
        }
        let mut renamed = renaming.script(arena, script);
        rewrite(arena, &mut renamed, decimal);
        let result = Side {
            declarations: declarations(arena, &renamed),
            extras: lines(arena, &renamed, |c| c.is_harmless(arena) && !c.is_query(arena)),
            query: lines(arena, &renamed, |c| c.is_query(arena)),
            text: Vec::new(),
            assertions: Vec::new(),
            variables: Vec::new(),
            constants: 0,
            frames: has_frames.then(|| Frames::new(arena, &renamed)),
            named: facts.named,
            sorts: Vec::new(),
            expressions: Vec::new(),
            logic,
            open: facts.open,
            recursive: facts.recursive,
        };
        let result = result.with_assertions(arena, renamed, origins(seed, script), kinds);
        arena.rollback(mark);
        Ok(result)
    }

    fn with_assertions(
        mut self,
        arena: &Arena,
        script: Script,
        origins: Option<Vec<u32>>,
        kinds: &mut Kinds,
    ) -> Side {
        let mut index: HashMap<Symbol, usize> = HashMap::new();
        let mut level = 0u32;
        for command in &script.commands {
            match command {
                Command::Push(n) => level = level.saturating_add(*n),
                Command::Pop(n) => level = level.saturating_sub(*n),
                _ => {}
            }
            // What a frame declares is not known outside of it.
            let Some((name, sort)) = command.constant().filter(|_| level == 0) else { continue };
            let Some(sort) = kinds.intern(arena.display_sort(arena.canonical(sort))) else { continue };
            let mut text = Vec::new();
            Printer::new(arena, &mut text).symbol(name);
            index.insert(name, self.variables.len());
            let name = String::from_utf8_lossy(&text).into_owned();
            self.variables.push(Variable { name, sort, origin: None, places: Vec::new() });
        }
        let commands = script.commands.into_iter().filter(|c| matches!(c, Command::Assert(_))).collect();
        let asserted = Script { commands, comments: Vec::new() };
        let places = Occurrences::new(arena, &asserted);
        let (text, spans, commands) = print(arena, &asserted);
        // `(assert ` in front and `)` behind are taken off.
        self.assertions = commands.into_iter().map(|c| c.start + 8..c.end - 1).collect();
        let named =
            with_part(arena, &asserted, |view| matches!(view, View::Annotated(v) if v.name().is_some()));
        let bound = with_part(arena, &asserted, |view| matches!(view, View::Var(_)));
        let varies = with_part(arena, &asserted, |view| match view {
            View::App(fun, _) => arena.fun_view(fun).op.is_none(),
            _ => false,
        });
        let origins = origins.filter(|origins| origins.len() == places.len());
        let origin = |place: usize| origins.as_ref().map(|all| all[place]);
        let mut wholes: HashMap<Term, usize> = HashMap::new();
        let mut terms: Vec<Variable> = Vec::new();
        for (place, span) in places.all().zip(&spans) {
            tick();
            let term = places.term(place);
            let sort = arena.canonical(arena.sort_of(term));
            if !named.contains(&term)
                && let Some(sort) = kinds.intern(arena.display_sort(sort))
            {
                let applies = matches!(arena.view(term), View::App(_, [_, ..]));
                let moves = applies && (!bound.contains(&term) || places.locals(place).next().is_none());
                self.expressions.push(Expression { sort, place: span.start..span.end, moves });
                let at = span.start..span.end;
                let is_whole = applies && varies.contains(&term) && !bound.contains(&term);
                if self.frames.is_none() && is_whole && at.len() <= WHOLE_BYTES {
                    match wholes.get(&term) {
                        Some(&i) => terms[i].places.push(at),
                        None if terms.len() < WHOLES && can_be_declared(arena, arena.sort_of(term)) => {
                            wholes.insert(term, terms.len());
                            let name = String::from_utf8_lossy(&text[at.start as usize..at.end as usize]);
                            let (name, origin) = (name.into_owned(), origin(place.index()));
                            terms.push(Variable { name, sort, origin, places: vec![at] });
                        }
                        None => {}
                    }
                }
            }
            if let View::App(fun, []) = arena.view(places.term(place)) {
                let f = arena.fun_view(fun);
                if let (None, Some(&i)) = (f.op, index.get(&f.name)) {
                    let variable = &mut self.variables[i];
                    variable.origin = variable.origin.or(origin(place.index()));
                    variable.places.push(span.start..span.end);
                }
            }
        }
        self.text = text;
        self.variables.retain(|v| !v.places.is_empty());
        self.constants = self.variables.len();
        self.variables.extend(terms);
        for v in &self.variables {
            if !self.sorts.contains(&v.sort) {
                self.sorts.push(v.sort);
            }
        }
        self
    }
}

/// The terms that are, or have a part that is, of a kind.
fn with_part(arena: &Arena, script: &Script, is_wanted: impl Fn(View<'_>) -> bool) -> HashSet<Term> {
    let mut found = HashSet::new();
    for t in arena.parts_first(script.commands.iter().flat_map(Command::terms)) {
        if is_wanted(arena.view(t)) || arena.children(t).iter().any(|part| found.contains(part)) {
            found.insert(t);
        }
    }
    found
}

/// At most this many terms of a seed are fused whole, and none that is longer.
const WHOLES: usize = 24;
const WHOLE_BYTES: usize = 160;

/// Whether solvers have constants of a sort.
fn can_be_declared(arena: &Arena, sort: Sort) -> bool {
    let sort = arena.canonical(sort);
    !matches!(sort, Sort::REGLAN | Sort::UNKNOWN)
        && !arena.is_parametric(sort)
        && arena.sort_view(sort).head != sym::ARROW
}

/// The places of a seed's assertions, if this is its own script.
fn origins(seed: &Seed, script: &Script) -> Option<Vec<u32>> {
    let is_asserted = |p: &smelt_smtlib::occurrence::Occurrence| {
        let command = seed.places.root(*p).command as usize;
        matches!(seed.script.commands[command], Command::Assert(_))
    };
    let all = || seed.places.all().filter(is_asserted).map(|p| p.index() as u32);
    std::ptr::eq(&seed.script, script).then(|| all().collect())
}

/// What has to be known about the terms of a seed.
#[derive(Default)]
struct Facts {
    open: bool,
    recursive: bool,
    captures: bool,
    unsupported: bool,
    named: bool,
}

impl Facts {
    fn of(arena: &Arena, script: &Script) -> Facts {
        let mut facts = Facts::default();
        let (mut asserted, mut named, mut defined_late) = (false, false, false);
        let mut work: Vec<Term> = Vec::new();
        for command in &script.commands {
            asserted |= matches!(command, Command::Assert(_));
            facts.recursive |= matches!(command, Command::DefineFunRec(..) | Command::DefineFunsRec(_));
            defined_late |= asserted
                && matches!(
                    command,
                    Command::DefineFun(..) | Command::DefineConst(..) | Command::DefineFunRec(..)
                );
            if !command.is_term_query() {
                work.extend(command.terms());
            }
        }
        for t in arena.subterms(work) {
            match arena.view(t) {
                View::App(fun, args) => {
                    if let Some(op) = arena.fun_view(fun).op {
                        let row = arena.signatures().row(op);
                        let divides = matches!(arena.text(row.name), b"/" | b"div" | b"mod");
                        let defined = divides && args[1..].iter().all(|&a| is_nonzero_number(arena, a));
                        facts.open |= row.partial && !defined;
                    }
                }
                View::Annotated(v) => named |= v.name().is_some(),
                _ => {}
            }
        }
        let mut names = bound_names(arena, script).into_iter();
        facts.captures = names.any(|n| SUFFIXES.iter().any(|s| arena.text(n).ends_with(s.as_bytes())));
        // Definitions move in front of the assertions; one of them may use a name that an assertion gives.
        facts.unsupported = named && defined_late;
        facts.named = named;
        facts
    }
}

/// Everything but assertions and questions.
fn declarations(arena: &Arena, script: &Script) -> Vec<u8> {
    lines(arena, script, |c| !c.declared().is_empty())
}

/// The commands of a kind, one a line.
pub(super) fn lines(arena: &Arena, script: &Script, is_wanted: impl Fn(&Command) -> bool) -> Vec<u8> {
    let mut text = Vec::new();
    for command in script.commands.iter().filter(|c| is_wanted(c)) {
        Printer::new(arena, &mut text).command(command);
        text.push(b'\n');
    }
    text
}
