//! Replies to queries other than `check-sat`, each judged by itself: a row for each kind of finding.

mod value;

use smelt_core::{Kind, Reason, SeedHash};

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
    /// The operators that it is about, as a hash.
    pub(crate) operators: SeedHash,
}

/// Judges the replies of one solver.
type Check = fn(&mut CaseScript, &SolverOutcome<'_>) -> Vec<Wrong>;

const CHECKS: &[Check] = &[value::check];

/// The wrong replies of one solver.
pub(crate) fn wrong(script: &mut CaseScript, by: &SolverOutcome<'_>) -> Vec<Wrong> {
    let understood = script.not_understood().is_none() && script.incomparable().is_none();
    if by.outcome.replies.is_empty() || !by.outcome.comparable || !understood {
        return Vec::new();
    }
    CHECKS.iter().flat_map(|check| check(script, by)).collect()
}
