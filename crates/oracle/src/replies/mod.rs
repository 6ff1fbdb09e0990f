//! Replies to queries other than `check-sat`, each judged by itself: a row for each kind of finding.

mod rewrite;
mod value;

use smelt_core::{Cause, Kind, Reason};
use smelt_semantics::model::{Model, print_value};
use smelt_semantics::value::Value;
use smelt_smtlib::{Arena, Sort};

use crate::case_script::CaseScript;
use crate::judge::SolverOutcome;

/// A reply that is wrong.
pub(crate) struct Wrong {
    /// The kind of finding.
    pub(crate) kind: Kind,
    /// The `check-sat` whose model it is about, if it is about one.
    pub(crate) check: Option<usize>,
    /// Why it is wrong.
    pub(crate) reason: Reason,
    /// What it is about.
    pub(crate) cause: Cause,
}

/// Judges the replies of one solver.
type Check = fn(&mut CaseScript, &SolverOutcome<'_>) -> Vec<Wrong>;

const CHECKS: &[Check] = &[value::check, rewrite::check];

/// The wrong replies of one solver.
pub(crate) fn wrong(script: &mut CaseScript, by: &SolverOutcome<'_>) -> Vec<Wrong> {
    let understood = script.not_understood().is_none() && script.incomparable().is_none();
    if by.outcome.replies.is_empty() || !by.outcome.comparable || !understood {
        return Vec::new();
    }
    CHECKS.iter().flat_map(|check| check(script, by)).collect()
}

/// Whether a value has one text and no names of elements in it.
fn is_scalar(value: &Value) -> bool {
    use Value::{BitVec, Bool, Float, Int, Real, RoundingMode, Str};
    matches!(value, Bool(_) | Int(_) | Real(_) | BitVec(_) | Float(_) | RoundingMode(_) | Str(_))
}

/// A value as text.
fn printed(arena: &mut Arena, model: &Model, value: &Value, sort: Sort) -> Option<String> {
    let mut text = Vec::new();
    print_value(arena, &model.domains, value, sort, &mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}
