//! Equality propagation: a conjunct `(= x t)` fixes `x`, a Boolean conjunct fixes itself.
//!
//! If `t` has a value, `x` gets it; otherwise `x` is defined as `t`, unless `t` depends on `x`. Conjuncts that
//! evaluate to true under the fixed constants are dropped, and one that evaluates to false is a contradiction: both
//! hold for all values of the other constants.

use smelt_smtlib::{Arena, Sort, Symbol, Term, View, sym};

use super::state::State;
use super::symbols::Symbols;
use crate::eval::{Interpretation, Meaning, coerce};
use crate::value::Value;

/// A constant is not defined by a term that costs more than this to evaluate.
const MAX_COST: u64 = 20_000;

/// The conjuncts that are still open; none if one is false.
pub(super) fn propagate(
    arena: &mut Arena,
    state: &mut State<'_>,
    symbols: &mut Symbols,
    mut conjuncts: Vec<Term>,
) -> Option<Vec<Term>> {
    loop {
        let before = conjuncts.len();
        conjuncts.retain(|&c| state.spent() || !fix(arena, state, symbols, c));
        let fixed = conjuncts.len() < before;
        let mut contradiction = false;
        conjuncts.retain(|&c| {
            let value = if contradiction || state.spent() { None } else { state.holds(arena, c).0.ok() };
            contradiction |= value == Some(false);
            value != Some(true)
        });
        if contradiction {
            return None;
        }
        if !fixed {
            return Some(conjuncts);
        }
    }
}

/// Fixes the constant that a conjunct determines, if it has that form; the conjunct is then no longer needed.
fn fix(arena: &mut Arena, state: &mut State<'_>, symbols: &mut Symbols, conjunct: Term) -> bool {
    if let Some((x, value)) = literal(arena, conjunct)
        && is_free(symbols, &state.interpretation, x)
    {
        state.interpretation.assign(x, Meaning::Value(Value::Bool(value)));
        return true;
    }
    for (x, t) in equations(arena, conjunct) {
        if !is_free(symbols, &state.interpretation, x) {
            continue;
        }
        let Some(sort) = symbols.constant(x) else { continue };
        let other = arena.sort_of(t);
        if other != sort && !(sort == Sort::REAL && other == Sort::INT) {
            continue;
        }
        if let Ok(value) = state.eval(arena, t) {
            state.interpretation.assign(x, Meaning::Value(coerce(arena, value, sort)));
            return true;
        }
        let (free, cost) = symbols.free(arena, state, t);
        if !free.contains(&x) && cost < MAX_COST {
            state.interpretation.define(x, &[], sort, t);
            return true;
        }
    }
    false
}

fn is_free(symbols: &Symbols, i: &Interpretation, name: Symbol) -> bool {
    symbols.constant(name).is_some() && i.meaning(name).is_none()
}

fn constant(arena: &Arena, term: Term) -> Option<Symbol> {
    match arena.view(term) {
        View::App(fun, []) => {
            let f = arena.fun_view(fun);
            (f.op.is_none() && f.indices.is_empty() && f.ascribed.is_none()).then_some(f.name)
        }
        View::Annotated(v) => constant(arena, v.term()),
        _ => None,
    }
}

/// A Boolean constant, or the negation of one.
fn literal(arena: &Arena, conjunct: Term) -> Option<(Symbol, bool)> {
    if let Some(x) = constant(arena, conjunct) {
        return Some((x, true));
    }
    match arena.view(conjunct) {
        View::App(fun, &[t]) if arena.fun_view(fun).name == sym::NOT => Some((constant(arena, t)?, false)),
        _ => None,
    }
}

/// The equations `x = t` a conjunct states; `t` gets the `let` bindings around the equation.
pub(super) fn equations(arena: &mut Arena, conjunct: Term) -> Vec<(Symbol, Term)> {
    let mut wraps: Vec<Vec<(Symbol, Term)>> = Vec::new();
    let mut body = conjunct;
    loop {
        match arena.view(body) {
            View::Let(v) => {
                wraps.push(v.bindings().collect());
                body = v.body();
            }
            View::Annotated(v) => body = v.term(),
            _ => break,
        }
    }
    let View::App(fun, &[a, b]) = arena.view(body) else { return Vec::new() };
    let f = arena.fun_view(fun);
    if f.name != sym::EQUAL || f.op.is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (x, t) in [(a, b), (b, a)] {
        if let Some(x) = constant(arena, x) {
            let wrapped = wraps.iter().rev().fold(t, |t, bindings| arena.let_term(bindings, t));
            found.push((x, wrapped));
        }
    }
    found
}
