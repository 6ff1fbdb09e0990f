//! Expressions of a seed prepared for other seeds: they have no free symbols, and holes replace the seed's variables.

use std::collections::HashMap;
use std::ops::Range;

use smelt_smtlib::{Arena, Op, Sort, View, sym};

use super::expressions::Expressions;
use crate::gate::is_linear;
use crate::pool::{Pool, Seed, SeedId};
use crate::rng::Rng;
use crate::strategy::CaseRequest;

/// An expression for other seeds.
#[derive(Debug)]
pub(crate) struct MinedExpr {
    /// Where it stands in its seed's text.
    pub(crate) text: Range<u32>,
    /// What is to be filled in, in order, with an expression of the sort.
    pub(crate) holes: Box<[(Range<u32>, Sort)]>,
    /// The operators it uses.
    pub(crate) ops: Box<[Op]>,
    /// Whether it multiplies or divides by something other than a number.
    pub(crate) nonlinear: bool,
}

/// All of a seed, by sort.
#[derive(Debug, Default)]
pub(crate) struct Mined {
    list: Vec<MinedExpr>,
    by_sort: HashMap<Sort, Vec<u32>>,
}

/// How many seeds are drawn until one may lend expressions to another.
const DONORS: usize = 16;

/// The seed that lends expressions to `taker`, which is the requested seed or its twin: the partner of the request, or one at
/// random.
pub(crate) fn donor(pool: &Pool, request: &CaseRequest<'_>, taker: SeedId, start: u64) -> Option<SeedId> {
    let seed = request.seed().ok()?;
    let mut rng = Rng::fork(start, 1);
    let gate = &pool.seed(taker).gate;
    let fits = |id: SeedId| {
        let other = &pool.seed(id).gate;
        id != seed && other.real_numerals == gate.real_numerals && (other.linear || !gate.linear)
    };
    let mut drawn = (0..DONORS).filter_map(|_| pool.get(rng.below(pool.len())));
    request.partner().or_else(|| drawn.find(|&id| fits(id)))
}

/// Larger expressions would make mutants grow without end.
const MAX_PLACES: usize = 40;

impl Mined {
    pub(crate) fn new(arena: &Arena, seed: &Seed, all: &Expressions) -> Mined {
        let mut mined = Mined::default();
        for expr in &all.list {
            let sort = arena.sort_of(expr.term);
            let Some(m) = mine(arena, seed, expr.place as usize) else { continue };
            mined.by_sort.entry(sort).or_default().push(mined.list.len() as u32);
            mined.list.push(m);
        }
        mined
    }

    /// The expressions of a sort.
    pub(crate) fn of_sort(&self, sort: Sort) -> &[u32] {
        self.by_sort.get(&sort).map_or(&[], |v| v)
    }

    pub(crate) fn get(&self, i: u32) -> &MinedExpr {
        &self.list[i as usize]
    }
}

/// The expression at a place; `None` if it has no meaning in other seeds.
fn mine(arena: &Arena, seed: &Seed, place: usize) -> Option<MinedExpr> {
    let o = seed.places.get(place)?;
    let inside = seed.places.inside(o);
    if inside.len() > MAX_PLACES {
        return None;
    }
    let (mut holes, mut ops, mut nonlinear) = (Vec::new(), Vec::new(), false);
    for i in inside {
        let term = seed.places.term(seed.places.get(i)?);
        let sort = arena.sort_of(term);
        if !is_builtin(arena, sort) {
            return None;
        }
        let span = &seed.spans[i];
        match arena.view(term) {
            View::Literal(..) => {}
            View::Var(_) => holes.push((span.start..span.end, sort)),
            View::App(fun, args) => {
                let f = arena.fun_view(fun);
                match f.op {
                    Some(_) if f.ascribed.is_some() => return None,
                    Some(op) => {
                        ops.push(op);
                        nonlinear |= !is_linear(arena, f.name, args);
                    }
                    None if args.is_empty() && f.indices.is_empty() => {
                        holes.push((span.start..span.end, sort))
                    }
                    None if args.is_empty() && arena.text(f.name).starts_with(b"bv") => {}
                    None => return None,
                }
            }
            _ => return None,
        }
    }
    // A hole alone says nothing.
    let span = &seed.spans[place];
    if holes.first().is_some_and(|h| h.0 == (span.start..span.end)) {
        return None;
    }
    ops.sort_unstable();
    ops.dedup();
    Some(MinedExpr { text: span.start..span.end, holes: holes.into(), ops: ops.into(), nonlinear })
}

/// Whether a sort means the same in every script.
fn is_builtin(arena: &Arena, sort: Sort) -> bool {
    arena.sort_heads(sort).all(sym::is_standard_sort)
}
