//! Unsat cores: a sufficient set of assertions, found by leaving out others.

use smelt_smtlib::{Arena, Term};

use super::{Answer, solve_with};
use crate::eval::Operators;
use crate::goal::Goal;

/// Positions in `candidates` of a subset that, with the other assertions of a goal, is unsatisfiable too.
///
/// `goal` must be unsatisfiable. The solver refutes every smaller set before it is taken; when the effort is spent, the
/// smallest set so far is the result.
pub(super) fn minimal_core(
    arena: &mut Arena,
    goal: &Goal,
    candidates: &[Term],
    steps: u64,
    operators: Option<&Operators>,
) -> Vec<usize> {
    let mut left = steps;
    let mut kept: Vec<usize> = (0..candidates.len()).collect();
    let others: Vec<Term> = goal.assertions.iter().copied().filter(|a| !candidates.contains(a)).collect();
    let mut unsat = |kept: &[usize], steps: &mut u64| {
        let assertions = others.iter().copied().chain(kept.iter().map(|&i| candidates[i])).collect();
        let part = Goal { assertions, context: goal.context.clone() };
        matches!(solve_with(arena, &part, steps, operators), Answer::Unsat)
    };
    // The whole, then chunks of half the size each time, down to single assertions.
    let mut chunk = kept.len();
    while chunk > 0 {
        let mut at = 0;
        while at < kept.len() {
            if left == 0 {
                return kept;
            }
            let mut fewer = kept.clone();
            fewer.drain(at..(at + chunk).min(kept.len()));
            let share = left.min(steps / 10);
            let mut rest = share;
            let is_enough = unsat(&fewer, &mut rest);
            left -= (share - rest).max(1);
            if is_enough {
                kept = fewer;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    kept
}
