//! Small rewrites: a shorter operator that says the same or nearly so.

use smelt_smtlib::signature::Associativity;
use smelt_smtlib::{Arena, Script, Term, View, sym};

use crate::error::Error;
use crate::propose::{Each, Edit};
use crate::search::Search;
use crate::substitute::{all_terms, transform_script};

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

pub(super) fn run(search: &mut Search<'_>) -> Result<bool, Error> {
    search.explore(&mut Each::new(|arena: &mut Arena, script: &Script| {
        let mut edits: Vec<Edit> = Vec::new();
        for target in all_terms(arena, script) {
            for new in shorter(arena, target) {
                edits.push(Box::new(move |arena, script| {
                    let mut one = |_: &mut Arena, t: Term| (t == target).then_some(new);
                    Some(transform_script(arena, script, &mut one))
                }));
            }
        }
        edits
    }))
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

/// The negation of a relation, as one.
fn negated(arena: &mut Arena, inner: Term, like: Term) -> Option<Term> {
    let View::App(fun, args) = arena.view(inner) else { return None };
    let name = arena.text(arena.fun_view(fun).name);
    let new = NEGATIONS.iter().find(|(old, _)| *old == name).filter(|_| args.len() == 2)?.1;
    let args = args.to_vec();
    named(arena, new, &args, like)
}

/// `(f (f a b) c)` as `(f a b c)`, and `(f a (f b c))` likewise, for operators of which that is so.
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
    let (new, sort) = arena.resolve(name, &[], None, Some(&flat))?;
    (sort == arena.sort_of(term)).then(|| arena.app(new, &flat, sort))
}

/// An operator by name over arguments, if that has the sort of `like`.
fn named(arena: &mut Arena, name: &[u8], args: &[Term], like: Term) -> Option<Term> {
    let name = arena.symbol(name);
    let (fun, sort) = arena.resolve(name, &[], None, Some(args))?;
    (sort == arena.sort_of(like)).then(|| arena.app(fun, args, sort))
}
