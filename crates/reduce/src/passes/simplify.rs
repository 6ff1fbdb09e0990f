//! Small rewrites: shorter operators with the same meaning, or nearly so.

use smelt_smtlib::signature::Associativity;
use smelt_smtlib::{Arena, Script, Term, View, sym};

use crate::edit::{Edit, rewriting};
use crate::substitute::all_terms;
use crate::values::operation;

/// Relations and their negations.
const NEGATIONS: &[(&[u8], &[u8])] = &[
    (b"<", b">="),
    (b"<=", b">"),
    (b">", b"<="),
    (b">=", b"<"),
    (b"bvult", b"bvuge"),
    (b"bvule", b"bvugt"),
    (b"bvugt", b"bvule"),
    (b"bvuge", b"bvult"),
    (b"bvslt", b"bvsge"),
    (b"bvsle", b"bvsgt"),
    (b"bvsgt", b"bvsle"),
    (b"bvsge", b"bvslt"),
];

/// Operators and shorter ones, where they fit the sorts.
const SHORTER: &[(&[u8], &[u8])] = &[
    (b"distinct", b"="),
    (b"distinct", b"<"),
    (b"distinct", b"fp.lt"),
    (b"distinct", b"fp.gt"),
    (b"distinct", b"bvult"),
    (b"distinct", b"str.<"),
    (b"xor", b"="),
    (b"str.<=", b"str.<"),
    (b"fp.leq", b"fp.lt"),
    (b"fp.geq", b"fp.gt"),
    (b">=", b">"),
    (b"<=", b"<"),
];

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
    let others = SHORTER.iter().filter(|(old, _)| *old == name);
    others.filter_map(|(_, new)| named(arena, new, &args, term)).collect()
}

/// The negation of a relation as a relation.
fn negated(arena: &mut Arena, inner: Term, like: Term) -> Option<Term> {
    let View::App(fun, args) = arena.view(inner) else { return None };
    let name = arena.text(arena.fun_view(fun).name);
    let new = NEGATIONS.iter().find(|(old, _)| *old == name).filter(|_| args.len() == 2)?.1;
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
fn named(arena: &mut Arena, name: &[u8], args: &[Term], like: Term) -> Option<Term> {
    let name = arena.symbol(name);
    let sort = arena.sort_of(like);
    operation(arena, name, args, sort)
}
