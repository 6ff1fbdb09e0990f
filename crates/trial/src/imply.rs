//! Implications: what a solver decided one step before, and does not decide now.
//!
//! A strategy whose steps weaken or strengthen hands over the script before its last step. Where a solver says unknown
//! to a case, it is asked about that script and the case again, in fresh processes with more time.

use smelt_core::{Outcome, OutcomeKind, Verdict};
use smelt_oracle::{Charge, Reading, Silent, implication, trivial};
use smelt_solvers::Limits;
use std::time::Duration;

use crate::confirm::RUNS;
use crate::court::{Contestant, query, run_fresh};
use crate::error::Error;

/// What is not decided by then is not decided, as far as we can tell.
const PATIENCE: Duration = Duration::from_secs(5);

/// Solvers that say unknown.
pub fn silent(outcomes: &[Option<Outcome>]) -> Vec<usize> {
    let unknown =
        |o: &Option<Outcome>| o.as_ref().is_some_and(|o| o.comparable && o.kind == OutcomeKind::Unknown);
    (0..outcomes.len()).filter(|i| unknown(&outcomes[*i])).collect()
}

/// Under which name tries are counted, so that the same is not looked into for ever.
pub fn tries_key(solvers: &[Contestant], accused: usize, theory: &str) -> String {
    format!("?{}/implied/{theory}", solvers[accused].family())
}

/// Looks into it: in each of three fresh runs it decides the one and says unknown to the other.
pub fn investigate(
    solvers: &[Contestant],
    accused: usize,
    (before, after): (&[u8], &[u8]),
    step: Option<&str>,
    limits: Limits,
    is_over: impl Fn() -> bool,
) -> Result<Option<Charge>, Error> {
    let contestant = &solvers[accused];
    let mut said = None;
    for _ in 0..RUNS {
        if is_over() {
            return Ok(None);
        }
        let first = run_fresh(contestant, query(before, PATIENCE), limits)?.outcome;
        let verdict = match first.kind {
            OutcomeKind::Sat => Verdict::Sat,
            OutcomeKind::Unsat => Verdict::Unsat,
            _ => return Ok(None),
        };
        let then = run_fresh(contestant, query(after, PATIENCE), limits)?.outcome;
        if then.kind != OutcomeKind::Unknown || said.is_some_and(|s| s != verdict) {
            return Ok(None);
        }
        said = Some(verdict);
    }
    let Some(said) = said else { return Ok(None) };
    let reading = Reading::new(after);
    if trivial(&reading, contestant.family(), said).is_some() {
        return Ok(None);
    }
    let silent = Silent { position: accused, solver: contestant.solver.id(), family: contestant.family() };
    Ok(Some(implication(&reading, silent, said, step)))
}
