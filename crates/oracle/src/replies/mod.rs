//! Checks of replies to queries other than `check-sat`, one module per kind of finding.

mod interpolant;
mod optimum;
mod proof;
mod rewrite;
mod search;
mod value;

pub use interpolant::Separation;
pub(crate) use interpolant::judge_separation;
pub use optimum::Doubt;
pub(crate) use optimum::judge_doubt;

use smelt_core::{Cause, Evidence, Kind, Reason};
use smelt_semantics::eval::Interpretation;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Model, print_value};
use smelt_semantics::value::Value;
use smelt_smtlib::{Arena, Command, Sort};

use crate::case_script::CaseScript;
use crate::judge::SolverOutcome;
use crate::question::About;
use crate::steps::shortened;

/// A reply that is wrong.
pub(crate) struct Wrong {
    /// The kind of finding.
    pub(crate) kind: Kind,
    /// The `check-sat` whose model it is about, if it is about one.
    pub(crate) check: Option<usize>,
    /// Why we believe it; `None` if the reply itself shows it.
    pub(crate) evidence: Option<Evidence>,
    /// Why it is wrong.
    pub(crate) reason: Reason,
    /// What it is about.
    pub(crate) cause: Cause,
}

/// A reply that may be wrong; an answer to a script shows it.
pub(crate) struct Open {
    /// The `check-sat` that it is about, counted from 0.
    pub(crate) check: usize,
    /// The script, with one `check-sat`.
    pub(crate) script: Vec<u8>,
    /// What is judged with the answer.
    pub(crate) about: About,
}

/// Judges the replies of one solver.
type Check = fn(&mut CaseScript, &SolverOutcome<'_>) -> Vec<Wrong>;

const CHECKS: &[Check] = &[value::check, rewrite::check, proof::check];

/// The wrong replies of one solver, and questions about others.
pub(crate) fn judge(script: &mut CaseScript, by: &SolverOutcome<'_>) -> (Vec<Wrong>, Vec<Open>) {
    let understood = script.not_understood().is_none() && script.incomparable().is_none();
    if by.outcome.replies.is_empty() || !by.outcome.comparable || !understood {
        return (Vec::new(), Vec::new());
    }
    let mut wrong: Vec<Wrong> = CHECKS.iter().flat_map(|check| check(script, by)).collect();
    let mut open = Vec::new();
    for check in [optimum::check, interpolant::check] {
        let (more, asked) = check(script, by);
        wrong.extend(more);
        open.extend(asked);
    }
    (wrong, open)
}

/// The part of a model that a solver would print: open results that a search chose are not in it.
fn settled(goal: &Goal, found: &Model) -> Model {
    let mut model = Model { interpretation: Interpretation::of_script(&goal.context), ..found.clone() };
    for name in goal.context.commands.iter().flat_map(Command::declared) {
        if let Some(meaning) = found.interpretation.meaning(name) {
            model.interpretation.assign(name, meaning.clone());
        }
    }
    model
}

/// The constants of a goal and their values, shortened.
fn assignment(arena: &mut Arena, goal: &Goal, model: &Model) -> Option<String> {
    let mut parts = Vec::new();
    for (name, sort) in goal.context.commands.iter().filter_map(Command::constant) {
        let Some(value) = model.value(name).cloned() else { continue };
        let text = printed(arena, model, &value, sort)?;
        parts.push(format!("{} = {text}", arena.name(name)));
    }
    Some(shortened(parts.join(", ")))
}

/// Whether a value has one form and no names of elements in it.
fn is_scalar(value: &Value) -> bool {
    use Value::{Bag, BitVec, Bool, Field, Float, Int, Real, RoundingMode, Seq, Set, Str, Tuple};
    match value {
        Bool(_) | Int(_) | Real(_) | BitVec(_) | Float(_) | RoundingMode(_) | Str(_) | Field(_) => true,
        Seq(parts) | Tuple(parts) => parts.iter().all(is_scalar),
        Set(elements) => elements.iter().all(is_scalar),
        Bag(counts) => counts.keys().all(is_scalar),
        _ => false,
    }
}

/// A value as text.
fn printed(arena: &mut Arena, model: &Model, value: &Value, sort: Sort) -> Option<String> {
    let mut text = Vec::new();
    print_value(arena, &model.domains, value, sort, &mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}
