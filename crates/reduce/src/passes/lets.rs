//! `let`: inlines all of them or single ones, and drops unused bindings. Also removes annotations.

use smelt_smtlib::{Arena, Script, Symbol, Term, View};

use crate::edit::{Edit, rewriting};
use crate::substitute::{all_terms, mentions, substitute_all};

/// At most this many are inlined one by one.
const SINGLE: usize = 200;

/// Unused bindings go.
pub(super) fn unused(_: &mut Arena, _: &Script) -> Vec<Edit> {
    vec![rewriting(None, without_unused)]
}

/// Unused bindings go, then all annotations.
pub(super) fn unused_or_annotated(_: &mut Arena, _: &Script) -> Vec<Edit> {
    vec![rewriting(None, without_unused), rewriting(None, bare)]
}

/// All `let`s are inlined, then one by one.
pub(super) fn inlined(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut lets = all_terms(arena, script);
    lets.retain(|t| matches!(arena.view(*t), View::Let(_)));
    let all = (lets.len() > 1).then(|| rewriting(None, inline));
    let single = lets.into_iter().rev().take(SINGLE).map(|target| rewriting(Some(target), inline));
    all.into_iter().chain(single).collect()
}

/// Annotations go one by one.
pub(super) fn annotations(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let annotated = |t: &Term| matches!(arena.view(*t), View::Annotated(_));
    all_terms(arena, script).into_iter().filter(annotated).map(|t| rewriting(Some(t), bare)).collect()
}

/// A `let` without the bindings that its body does not mention.
fn without_unused(arena: &mut Arena, term: Term) -> Option<Term> {
    let View::Let(v) = arena.view(term) else { return None };
    let (bindings, body): (Vec<(Symbol, Term)>, Term) = (v.bindings().collect(), v.body());
    let kept: Vec<_> = bindings.iter().copied().filter(|b| mentions(arena, body, b.0)).collect();
    match kept.len() {
        0 => Some(body),
        n if n < bindings.len() => Some(arena.let_term(&kept, body)),
        _ => None,
    }
}

/// An annotated term without its annotation.
fn bare(arena: &mut Arena, term: Term) -> Option<Term> {
    match arena.view(term) {
        View::Annotated(v) => Some(v.term()),
        _ => None,
    }
}

/// The body of a `let` with its variables replaced by their definitions.
fn inline(arena: &mut Arena, term: Term) -> Option<Term> {
    let View::Let(v) = arena.view(term) else { return None };
    let (bindings, body): (Vec<(Symbol, Term)>, Term) = (v.bindings().collect(), v.body());
    substitute_all(arena, &bindings, body)
}
