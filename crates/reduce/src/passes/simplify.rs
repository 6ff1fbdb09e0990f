//! Small rewrites: replaces operators by shorter ones with the same or a similar meaning.

use std::sync::LazyLock;

use smelt_smtlib::sexpr::WordLists;
use smelt_smtlib::signature::Associativity;
use smelt_smtlib::{Arena, Script, Term, View, sym};

use crate::edit::{Edit, rewriting};
use crate::substitute::all_terms;
use crate::values::operation;

/// Operators that stand for others, each `(KIND OLD NEW)`.
static OPERATORS: LazyLock<WordLists> = LazyLock::new(|| {
    WordLists::read(include_bytes!("../../data/operators.txt")).expect("operators.txt is well-formed")
});

/// The operators of this kind that stand for one.
fn instead(kind: &str, old: &[u8]) -> impl Iterator<Item = &'static str> {
    OPERATORS.of(kind).filter(move |row| row[0].as_bytes() == old).map(|row| row[1].as_str())
}

pub(super) fn plan(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut edits = Vec::new();
    for target in all_terms(arena, script) {
        let terms = shorter(arena, target).into_iter();
        edits.extend(terms.map(|new| rewriting(Some(target), move |_, _| Some(new))));
    }
    edits
}

fn shorter(arena: &mut Arena, term: Term) -> Vec<Term> {
    let View::App(fun, args) = arena.view(term) else { return Vec::new() };
    let f = arena.fun_view(fun);
    if f.op.is_none() {
        return Vec::new();
    }
    if let (sym::NOT, [inner]) = (f.name, args) {
        return negated(arena, *inner, term).into_iter().collect();
    }
    if let Some(flat) = flattened(arena, term) {
        return vec![flat];
    }
    let View::App(fun, args) = arena.view(term) else { return Vec::new() };
    let (name, args) = (arena.text(arena.fun_view(fun).name).to_vec(), args.to_vec());
    instead("shorter", &name).filter_map(|new| named(arena, new, &args, term)).collect()
}

/// The negation of a relation as a relation.
fn negated(arena: &mut Arena, inner: Term, like: Term) -> Option<Term> {
    let View::App(fun, args) = arena.view(inner) else { return None };
    let name = arena.text(arena.fun_view(fun).name);
    let new = instead("negation", name).next().filter(|_| args.len() == 2)?;
    let args = args.to_vec();
    named(arena, new, &args, like)
}

/// `(f (f a b) c)` as `(f a b c)`, and `(f a (f b c))` likewise, for operators that are associative that way.
fn flattened(arena: &mut Arena, term: Term) -> Option<Term> {
    let View::App(fun, args) = arena.view(term) else { return None };
    let f = arena.fun_view(fun);
    let (name, row) = (f.name, arena.signatures().row(f.op?));
    let at = match row.associativity {
        Associativity::Left => 0,
        Associativity::Right => args.len().checked_sub(1)?,
        _ => return None,
    };
    let View::App(inner, parts) = arena.view(*args.get(at)?) else { return None };
    if inner != fun || args.len() < 2 || parts.len() < 2 || !f.indices.is_empty() {
        return None;
    }
    let flat = [&args[..at], parts, &args[at + 1..]].concat();
    let sort = arena.sort_of(term);
    operation(arena, name, &flat, sort)
}

/// An operator by name over arguments, if that has the sort of `like`.
fn named(arena: &mut Arena, name: &str, args: &[Term], like: Term) -> Option<Term> {
    let name = arena.symbol(name.as_bytes());
    let sort = arena.sort_of(like);
    operation(arena, name, args, sort)
}
