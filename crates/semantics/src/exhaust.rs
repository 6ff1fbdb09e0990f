//! Small finite goals, decided by evaluating every assignment.

use smelt_smtlib::{Arena, Sort, Symbol, View};

use crate::eval::{Allowed, Domains, Effort, Evaluator, Interpretation, Meaning};
use crate::goal::Goal;
use crate::model::{declared, define_named};
use crate::value::Value;

/// The result of evaluating assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted {
    /// Whether one makes every assertion true.
    pub is_sat: bool,
    /// How many assignments there are, each with every value of its open results that was tried.
    pub assignments: usize,
}

/// The bound on all evaluations together.
const STEPS: u64 = 20_000_000;

/// At most this many open results are tried at all of their values, one inside the other.
const MAX_CHOICES: u32 = 3;

/// Decides a goal by evaluating every assignment, if there are at most `limit` and each has a value.
///
/// A result that the standard leaves open is tried at every value that is allowed there. That none of them makes a model
/// refutes the goal; a model that depends on one shows nothing, because solvers choose for themselves.
pub fn exhaust(arena: &Arena, goal: &Goal, limit: usize) -> Option<Exhausted> {
    if goal.unsettled(arena).is_some() {
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
    let mut trying = Trying { arena, goal, domains, interpretation, limit, left: STEPS, more: 0 };
    for number in 0..assignments {
        let mut rest = number;
        for (name, values) in &constants {
            trying.interpretation.assign(*name, Meaning::Value(values[rest % values.len()].clone()));
            rest /= values.len();
        }
        if trying.holds(0)? {
            return Some(Exhausted { is_sat: true, assignments });
        }
    }
    Some(Exhausted { is_sat: false, assignments: assignments + trying.more })
}

struct Trying<'a> {
    arena: &'a Arena,
    goal: &'a Goal,
    domains: Domains,
    interpretation: Interpretation,
    /// Sorts of more values are not listed.
    limit: usize,
    /// The steps that are left.
    left: u64,
    /// Choices that were tried besides the first of each open result.
    more: usize,
}

impl Trying<'_> {
    /// Whether every assertion is true, with this many choices made; `None` if that is not known for certain.
    fn holds(&mut self, choices: u32) -> Option<bool> {
        let mut open = None;
        let mut is_known = true;
        for &assertion in &self.goal.assertions {
            let effort = Effort { steps: self.left, ..Effort::default() };
            let mut evaluator =
                Evaluator::new(self.arena, &self.interpretation, &self.domains).with_effort(effort);
            let holds = evaluator.holds(assertion);
            self.left = self.left.checked_sub(evaluator.steps() + 1)?;
            match holds {
                Ok(true) => {}
                Ok(false) => return Some(false),
                // It is no model for certain only if another assertion is false.
                Err(_) => {
                    is_known = false;
                    open = open.or(evaluator.open_point().cloned());
                }
            }
        }
        if is_known {
            return if choices == 0 { Some(true) } else { None };
        }
        let point = open.filter(|_| choices < MAX_CHOICES)?;
        let values = match point.allowed(self.arena) {
            Allowed::Any => self.domains.values(self.arena, point.sort, self.limit)?,
            Allowed::OneOf(values) => values,
            Allowed::Unknown => return None,
        };
        self.more += values.len().saturating_sub(1);
        let mut refuted = true;
        for value in values {
            self.interpretation.choose(point.clone(), value);
            if self.holds(choices + 1) != Some(false) {
                refuted = false;
                break;
            }
        }
        self.interpretation.unchoose(&point);
        refuted.then_some(false)
    }
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
            // Open results: refuted only if no value that is allowed makes a model.
            ("(assert (not (fp.isZero (fp.max (_ +zero 5 11) (_ -zero 5 11)))))", Some((false, 2))),
            ("(assert (fp.isNegative (fp.max (_ +zero 5 11) (_ -zero 5 11))))", None),
            (
                "(assert (distinct ((_ fp.to_ubv 2) RNE (_ NaN 5 11)) ((_ fp.to_ubv 2) RNE (_ NaN 5 11))))",
                Some((false, 4)),
            ),
            ("(assert (= ((_ fp.to_ubv 2) RNE (_ NaN 5 11)) ((_ fp.to_sbv 2) RNE (_ NaN 5 11))))", None),
            ("(define-fun-rec f ((n Int)) Bool (not (f n)))(declare-const a Bool)(assert a)", None),
        ] {
            assert_eq!(decided(&format!("{text}(check-sat)")), expected, "{text}");
        }
    }
}
