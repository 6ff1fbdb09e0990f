//! A seed made ready to be joined with another: renamed apart from it, printed, its variables and expressions listed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use smelt_core::Verdict;
use smelt_smtlib::logic::{Logic, is_nonzero_number};
use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::rename::{Renaming, bound_names, declared_names};
use smelt_smtlib::rewrite::{decimal, rewrite};
use smelt_smtlib::script::Command;
use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::{Arena, Printer, Script, Symbol, Term, View};

use crate::pool::{Seed, print};
use crate::query::is_flat;
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
    /// What is known of it.
    pub(crate) status: Verdict,
    /// Declarations and definitions.
    pub(crate) declarations: Vec<u8>,
    /// Commands of solvers that stand beside assertions, such as `assert-soft`.
    pub(crate) extras: Vec<u8>,
    /// The query.
    pub(crate) query: Vec<u8>,
    /// The asserted terms, each in its range.
    pub(crate) text: Vec<u8>,
    pub(crate) assertions: Vec<Range<u32>>,
    /// Constants that stand somewhere in an assertion.
    pub(crate) variables: Vec<Variable>,
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

/// A constant that can be fused.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) sort: Kind,
    /// Where it stands in the text of the assertions.
    pub(crate) places: Vec<Range<u32>>,
}

impl Side {
    /// The seed as side 0 or 1, or why it cannot be one.
    pub(crate) fn new(arena: &mut Arena, seed: &Seed, side: usize, kinds: &mut Kinds) -> Result<Side, Skip> {
        check_shape(arena, &seed.script)?;
        // What one solver has alone is in no logic with a name but the one that has everything.
        let logic = Logic::used(arena, &seed.script).unwrap_or(Logic::ALL);
        let facts = Facts::of(arena, &seed.script);
        if facts.captures {
            return Err(Skip::Capture);
        }
        if facts.unsupported {
            return Err(Skip::Unsupported);
        }
        let mark = arena.checkpoint();
        let mut renaming = Renaming::default();
        for name in declared_names(arena, &seed.script) {
            let text = [arena.text(name), SUFFIXES[side].as_bytes()].concat();
            let new = arena.symbol(&text);
            renaming.rename(arena, name, new);
        }
        let mut script = renaming.script(arena, &seed.script);
        rewrite(arena, &mut script, decimal);
        let result = Side {
            status: seed.status.unwrap_or(Verdict::Unknown),
            declarations: declarations(arena, &script),
            extras: lines(arena, &script, |c| c.is_harmless(arena) && !c.is_query(arena)),
            query: lines(arena, &script, |c| c.is_query(arena)),
            text: Vec::new(),
            assertions: Vec::new(),
            variables: Vec::new(),
            sorts: Vec::new(),
            expressions: Vec::new(),
            logic,
            open: facts.open,
            recursive: facts.recursive,
        }
        .with_assertions(arena, script, kinds);
        arena.rollback(mark);
        Ok(result)
    }

    fn with_assertions(mut self, arena: &Arena, script: Script, kinds: &mut Kinds) -> Side {
        let mut index: HashMap<Symbol, usize> = HashMap::new();
        for command in &script.commands {
            let Some((name, sort)) = command.constant() else { continue };
            let Some(sort) = kinds.intern(arena.display_sort(arena.canonical(sort))) else { continue };
            let mut text = Vec::new();
            Printer::new(arena, &mut text).symbol(name);
            index.insert(name, self.variables.len());
            let name = String::from_utf8_lossy(&text).into_owned();
            self.variables.push(Variable { name, sort, places: Vec::new() });
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
        for (place, span) in places.all().zip(&spans) {
            let term = places.term(place);
            let sort = arena.canonical(arena.sort_of(term));
            if !named.contains(&term)
                && let Some(sort) = kinds.intern(arena.display_sort(sort))
            {
                let applies = matches!(arena.view(term), View::App(_, [_, ..]));
                let moves = applies && (!bound.contains(&term) || places.locals(place).next().is_none());
                self.expressions.push(Expression { sort, place: span.start..span.end, moves });
            }
            if let View::App(fun, []) = arena.view(places.term(place)) {
                let f = arena.fun_view(fun);
                if let (None, Some(&i)) = (f.op, index.get(&f.name)) {
                    self.variables[i].places.push(span.start..span.end);
                }
            }
        }
        self.text = text;
        self.variables.retain(|v| !v.places.is_empty());
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

/// One query over a flat list of assertions, and no parameters of sorts, which have no names of their own.
fn check_shape(arena: &Arena, script: &Script) -> Result<(), Skip> {
    is_flat(arena, script)?;
    let parameters = |c: &Command| matches!(c, Command::DeclareSortParameter(_));
    if script.commands.iter().any(parameters) { Err(Skip::Unsupported) } else { Ok(()) }
}

/// What has to be known about the terms of a seed.
#[derive(Default)]
struct Facts {
    open: bool,
    recursive: bool,
    captures: bool,
    unsupported: bool,
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
        facts
    }
}

/// Everything but assertions and questions.
fn declarations(arena: &Arena, script: &Script) -> Vec<u8> {
    lines(arena, script, |c| !c.declared().is_empty())
}

/// The commands of a kind, one a line.
fn lines(arena: &Arena, script: &Script, is_wanted: impl Fn(&Command) -> bool) -> Vec<u8> {
    let mut text = Vec::new();
    for command in script.commands.iter().filter(|c| is_wanted(c)) {
        Printer::new(arena, &mut text).command(command);
        text.push(b'\n');
    }
    text
}
