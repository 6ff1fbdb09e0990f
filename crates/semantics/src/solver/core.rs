//! Unsat cores: assertions that are enough, found by leaving out others.

use smelt_smtlib::{Arena, Term};

use super::{Answer, Limits, solve_with};
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
    limits: Limits,
    operators: Option<&Operators>,
) -> Vec<usize> {
    let deadline = std::time::Instant::now() + limits.time;
    let mut kept: Vec<usize> = (0..candidates.len()).collect();
    let others: Vec<Term> = goal.assertions.iter().copied().filter(|a| !candidates.contains(a)).collect();
    let mut unsat = |kept: &[usize], limits: Limits| {
        let assertions = others.iter().copied().chain(kept.iter().map(|&i| candidates[i])).collect();
        let part = Goal { assertions, context: goal.context.clone() };
        matches!(solve_with(arena, &part, limits, operators), Answer::Unsat)
    };
    // The whole, then chunks of half the size each time, down to single assertions.
    let mut chunk = kept.len();
    while chunk > 0 {
        let mut at = 0;
        while at < kept.len() {
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return kept;
            }
            let mut fewer = kept.clone();
            fewer.drain(at..(at + chunk).min(kept.len()));
            let share = Limits { time: left.min(limits.time / 4), steps: limits.steps / 10 };
            if unsat(&fewer, share) {
                kept = fewer;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    kept
}
