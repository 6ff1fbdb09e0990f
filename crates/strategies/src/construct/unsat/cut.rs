//! Cuts the core of a formula into pieces, so that no piece alone shows the contradiction. Otherwise a simplifier
//! would fold it to `false`, and no theory would be tested.
//!
//! A term `t` in an assertion becomes a new constant `v`, with `(or (= v t) p)` and `(or (= v t) (not p))` for an
//! otherwise unconstrained condition `p`. Together they imply `v = t`, so the core stays unsatisfiable. But neither
//! is an equation that could be solved for `v`, nor a literal that could be propagated: a solver must try both
//! cases of `p`. An assertion that could itself be solved or propagated is split in the same way.

use super::super::script::Assertion;
use crate::construct::grow::Grower;
use crate::construct::operator::op;
use crate::construct::sort::Sort;
use crate::construct::term::{Head, Term};

/// One formula in this many is left as it is: solvers must simplify, too.
const WHOLE: usize = 32;
/// Of an operator with more arguments, only some are cut off.
const FEW: usize = 3;

/// Cuts the core of the assertions of a check. Pieces take the places of assertions that are not of the core, or are joined
/// to others: the number of assertions stays.
pub(crate) fn cut(g: &mut Grower<'_>, check: &mut [Assertion]) {
    if g.rng.one_in(WHOLE) {
        return;
    }
    let core: Vec<usize> = (0..check.len()).filter(|i| check[*i].core).collect();
    for &at in &core {
        let mut pieces = Vec::new();
        let mut own = vec![cut_one(g, check[at].term, &mut pieces)];
        for piece in pieces {
            let free: Vec<usize> = (0..check.len()).filter(|i| !check[*i].core).collect();
            match g.rng.pick(&free).copied().filter(|_| free.len() > 1 && g.rng.one_in(3)) {
                Some(place) => check[place] = Assertion { term: piece, core: true },
                None => own.push(piece),
            }
        }
        check[at].term = match own[..] {
            [one] => one,
            _ => g.terms.app(op!("and"), &own),
        };
    }
}

/// An assertion without the terms under its top; `pieces` gets what they are.
fn cut_one(g: &mut Grower<'_>, assertion: Term, pieces: &mut Vec<Term>) -> Term {
    let (mut top, mut negations) = (assertion, 0);
    while g.terms.head(top) == Head::Operator(op!("not")) {
        (top, negations) = (g.terms.args(top)[0], negations + 1);
    }
    let mut args = g.terms.args(top).to_vec();
    let mut order: Vec<usize> = (0..args.len()).collect();
    g.rng.shuffle(&mut order);
    let mut is_new = vec![false; args.len()];
    for at in order.into_iter().take(FEW) {
        let is_constant = matches!(g.terms.head(args[at]), Head::Variable(_));
        if !is_constant && g.terms.sort(args[at]) != Sort::Mode {
            args[at] = defined(g, args[at], pieces);
            is_new[at] = true;
        }
    }
    // Nothing is known of an order or a predicate of new constants; an equation could be solved, and a formula propagated.
    let is_free = is_new.iter().all(|new| *new)
        && !args.is_empty()
        && args.iter().all(|a| g.terms.sort(*a) != Sort::Bool)
        && g.terms.head(top) != Head::Operator(op!("="));
    let Ok(mut rest) = (if args.is_empty() { Ok(top) } else { g.terms.with_args(top, &args) }) else {
        return assertion;
    };
    for _ in 0..negations {
        rest = g.terms.app(op!("not"), &[rest]);
    }
    if is_free && !g.rng.one_in(4) { rest } else { split(g, rest) }
}

/// A new constant that equals a term; `pieces` gets why.
fn defined(g: &mut Grower<'_>, t: Term, pieces: &mut Vec<Term>) -> Term {
    let v = g.fresh(g.terms.sort(t), None);
    let args = if g.rng.one_in(2) { [v, t] } else { [t, v] };
    let equal = g.terms.app(op!("="), &args);
    pieces.push(split(g, equal));
    v
}

/// A formula in two cases of a condition of which nothing is known.
fn split(g: &mut Grower<'_>, f: Term) -> Term {
    let case = match g.rng.below(3) {
        0 => {
            let sort = g.world.scalar(&mut g.rng);
            let (x, y) = (g.fresh(sort, None), g.any(sort, 1));
            g.terms.app(op!("="), &[x, y])
        }
        _ => g.fresh(Sort::Bool, None),
    };
    let not = g.terms.app(op!("not"), &[case]);
    let cases = [case, not].map(|case| {
        let parts = if g.rng.one_in(2) { [f, case] } else { [case, f] };
        g.terms.app(op!("or"), &parts)
    });
    g.terms.app(op!("and"), &cases)
}
