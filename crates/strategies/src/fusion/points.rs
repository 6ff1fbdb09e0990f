//! The values of a seed's variables and terms in a model of it: shows where a partial inversion is correct.
//!
//! The model comes from the built-in solver, so that a case can be made again from its seeds alone.

use smelt_semantics::Evaluator;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, print_value};
use smelt_semantics::solver::Limits;
use smelt_smtlib::Arena;

use super::check::law;
use super::functions::{Function, Inversion};
use super::side::Side;
use crate::certified;
use crate::pool::Seed;
use crate::query::is_flat;
use crate::template::Env;
use crate::workbench::Workbench;

/// A value as text for each variable of a side that has one.
pub(crate) type Points = Vec<Option<String>>;

/// The effort of the built-in solver for a seed: a few thousandths of a second, for every satisfiable seed is tried.
const SOLVING: Limits = Limits { steps: 30_000 };

/// The values under a model that the built-in solver finds with little effort.
pub(super) fn points(arena: &mut Arena, seed: &Seed, side: &Side) -> Option<Points> {
    is_flat(arena, &seed.script).ok()?;
    let text = certified::solved(arena, seed, SOLVING)?;
    if !certified::satisfies(arena, &seed.text, &text) {
        return None;
    }
    let mark = arena.checkpoint();
    let goal = Goal::last(&seed.script);
    let model = Model::read(arena, &seed.scope, &goal, text.as_bytes(), Escapes::Standard).ok();
    let value = |arena: &mut Arena, model: &Model, origin: Option<u32>| {
        let term = seed.places.term(seed.places.get(origin? as usize)?);
        let evaluator = Evaluator::new(arena, &model.interpretation, &model.domains);
        let value = evaluator.with_effort(certified::EFFORT).eval(term).ok()?;
        let (sort, mut text) = (arena.canonical(arena.sort_of(term)), Vec::new());
        print_value(arena, &model.domains, &value, sort, &mut text).ok()?;
        String::from_utf8(text).ok()
    };
    let all = model.map(|model| side.variables.iter().map(|v| value(arena, &model, v.origin)).collect());
    arena.rollback(mark);
    all
}

/// Whether an inversion gives a variable back at these values, whatever the standard leaves open.
pub(super) fn holds(
    bench: &mut Workbench,
    function: &Function,
    env: &Env,
    at: (&str, &str),
    inversion: (&Inversion, &str),
) -> bool {
    let Some(text) = law(function, env, at, &[inversion]) else { return false };
    let mark = bench.arena.checkpoint();
    let is_true = match bench.term(&text) {
        Ok(term) => bench.evaluator(&bench.base).holds(term) == Ok(true),
        Err(_) => false,
    };
    bench.arena.rollback(mark);
    is_true
}
