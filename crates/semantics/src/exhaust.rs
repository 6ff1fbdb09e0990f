//! Small finite goals, decided by evaluating every assignment.

use smelt_smtlib::{Arena, Sort, Symbol, View};

use crate::eval::{Domains, Effort, Evaluator, Interpretation, Meaning};
use crate::goal::Goal;
use crate::model::{declared, define_named};
use crate::value::Value;

/// The result of evaluating assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Whether one makes every assertion true.
    pub is_sat: bool,
    /// How many assignments there are.
    pub assignments: usize,
}

/// The bound on all evaluations together.
const STEPS: u64 = 20_000_000;

/// Decides a goal by evaluating every assignment, if there are at most `limit` and each has a value.
pub fn exhaust(arena: &Arena, goal: &Goal, limit: usize) -> Option<Exhausted> {
    if goal.ambiguous_name(arena).is_some() {
        return None;
    }
    let domains = Domains::of_script(&goal.context);
    let mut interpretation = Interpretation::of_script(&goal.context);
    define_named(arena, goal, &mut interpretation);
    let mut constants: Vec<(Symbol, Vec<Value>)> = Vec::new();
    let mut assignments = 1usize;
    for (name, args, sort) in used(arena, goal) {
        if !args.is_empty() {
            return None;
        }
        let values = domains.values(arena, sort, limit)?;
        assignments = assignments.checked_mul(values.len()).filter(|n| *n <= limit)?;
        constants.push((name, values));
    }
    let mut left = STEPS;
    let mut open = false;
    for number in 0..assignments {
        let mut rest = number;
        for (name, values) in &constants {
            interpretation.assign(*name, Meaning::Value(values[rest % values.len()].clone()));
            rest /= values.len();
        }
        let mut all = true;
        for &assertion in &goal.assertions {
            let effort = Effort { steps: left, ..Effort::default() };
            let mut evaluator = Evaluator::new(arena, &interpretation, &domains).with_effort(effort);
            let holds = evaluator.holds(assertion);
            left = left.checked_sub(evaluator.steps() + 1)?;
            match holds {
                Ok(true) => {}
                Ok(false) => {
                    all = false;
                    break;
                }
                // It is no model for certain only if another assertion is false.
                Err(_) => open = true,
            }
        }
        match (all, open) {
            (true, true) => return None,
            (true, false) => return Some(Exhausted { is_sat: true, assignments }),
            (false, _) => open = false,
        }
    }
    Some(Exhausted { is_sat: false, assignments })
}

/// The declarations of a goal that its assertions and definitions use; all, if a name is declared twice.
fn used(arena: &Arena, goal: &Goal) -> Vec<(Symbol, Box<[Sort]>, Sort)> {
    let defined = goal.context.commands.iter().flat_map(smelt_smtlib::Command::terms);
    let names: std::collections::HashSet<Symbol> = arena
        .subterms(defined.chain(goal.assertions.iter().copied()))
        .filter_map(|t| match arena.view(t) {
            View::App(fun, _) => Some(arena.fun_view(fun).name),
            _ => None,
        })
        .collect();
    declared(goal).into_iter().filter(|(name, ..)| names.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    fn decided(text: &str) -> Option<(bool, usize)> {
        let mut arena = Arena::new();
        let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
        exhaust(&arena, &Goal::last(&parsed.script), 1 << 10).map(|e| (e.is_sat, e.assignments))
    }

    #[test]
    fn small_finite_goals_are_decided_and_others_are_not() {
        for (text, expected) in [
            (
                "(declare-const a Bool)(assert (let ((a true) (b (xor (let ((b a)) b) a))) b))",
                Some((false, 2)),
            ),
            ("(declare-const a Bool)(declare-const b Bool)(assert (xor a b))", Some((true, 4))),
            ("(declare-const x (_ BitVec 4))(assert (= (bvmul x x) #x2))", Some((false, 16))),
            (
                "(declare-const x (_ BitVec 4))(declare-const n Int)(assert (= (bvmul x x) #x4))",
                Some((true, 16)),
            ),
            ("(assert (! false :named f))(assert (not f))", Some((false, 1))),
            ("(declare-const x (_ BitVec 12))(assert (= x x))", None),
            ("(declare-const x Int)(assert (= x x))", None),
            ("(declare-fun f (Bool) Bool)(assert (f true))", None),
            (
                "(declare-datatype E ((a) (b) (c)))(declare-const x E)(assert (distinct x a b c))",
                Some((false, 3)),
            ),
            ("(declare-sort U 0)(declare-const x U)(assert (= x x))", None),
            ("(declare-const a Bool)(assert (or a (= (div 1 0) 1)))(assert (not a))", None),
        ] {
            assert_eq!(decided(&format!("{text}(check-sat)")), expected, "{text}");
        }
    }
}
