//! Checks values of terms: each must be the value of the term in the solver's own model.

use smelt_core::{Asked, Cause, Evidence, Kind, Reason, Verdict};
use smelt_semantics::eval::Evaluator;
use smelt_smtlib::{Command, Term};

use super::{Wrong, is_scalar, printed};
use crate::case_script::CaseScript;
use crate::cause::operators_hash;
use crate::judge::SolverOutcome;
use crate::steps::shortened;

pub(super) fn check(script: &mut CaseScript, by: &SolverOutcome<'_>) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    for reply in by.outcome.replies.iter().filter(|r| r.to == Asked::Value) {
        let query = script.query(Asked::Value, reply.index);
        let position = query.filter(|(_, c)| matches!(c, Command::GetValue(_))).map(|(position, _)| position);
        let Some(check) = position.and_then(|position| script.check_before(position)) else { continue };
        let answer = by.outcome.answers.get(check).filter(|a| a.verdict == Some(Verdict::Sat));
        // A solver without a printed model still has one: its values of constants are part of it.
        let Some(model) = answer.map(|a| a.model.as_deref().unwrap_or(&reply.text)) else { continue };
        let found = script.with_model(check, model, |case, goal, model| {
            let claims = case.read_model(goal, &reply.text).map(|values| values.claims).unwrap_or_default();
            let effort = case.effort();
            let differs = |&(term, value): &(Term, Term)| {
                let eval = |t| {
                    let mut evaluator = Evaluator::new(&case.arena, &model.interpretation, &model.domains);
                    evaluator = evaluator.with_effort(effort);
                    evaluator.eval(t).ok().filter(is_scalar)
                };
                let (right, given) = (eval(term)?, eval(value)?);
                let same_sort = case.arena.canonical(case.arena.sort_of(term))
                    == case.arena.canonical(case.arena.sort_of(value));
                (same_sort && right != given).then_some((term, right, given))
            };
            let (term, right, given) = claims.iter().find_map(differs)?;
            let cause = Cause::Unreduced(operators_hash(&case.arena, &[term]));
            let sort = case.arena.sort_of(term);
            let reason = Reason::Value {
                term: shortened(case.arena.display_term(term)),
                value: printed(&mut case.arena, model, &given, sort)?,
                correct: printed(&mut case.arena, model, &right, sort)?,
            };
            Some(Wrong {
                kind: Kind::WrongValue,
                check: Some(check),
                evidence: Some(Evidence::Model),
                reason,
                cause,
            })
        });
        wrong.extend(found.ok().flatten());
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::{Answer, Outcome, OutcomeKind, Reply, SolverId};

    fn kinds<'a>(script: &str, model: impl Into<Option<&'a str>>, values: &str) -> Vec<Kind> {
        let model = model.into().map(str::to_owned);
        let answer = Answer { verdict: Some(Verdict::Sat), model, ..Answer::default() };
        let replies = vec![Reply { to: Asked::Value, index: 0, text: values.to_owned() }];
        let outcome = Outcome { answers: vec![answer], replies, ..Outcome::bare(OutcomeKind::Sat, "") };
        let solver = SolverId::new("s", None);
        let by = SolverOutcome { solver: &solver, family: "s", outcome: &outcome, seed: None };
        check(&mut CaseScript::new(script.as_bytes()), &by).iter().map(|w| w.kind).collect()
    }

    #[test]
    fn a_value_must_be_that_of_the_own_model() {
        let script = "(declare-const x Int)(declare-const r Real)(assert (> x 1))(check-sat)(get-value (x))";
        let model = "((define-fun x () Int 2)(define-fun r () Real 0.5))";
        for (values, is_wrong) in [
            ("(((+ x 1) 3))", false),
            ("(((+ x 1) 4))", true),
            ("((x 2) ((* x x) 4) ((- x) (- 1)))", true),
            ("(((> x 2) false))", false),
            ("(((> x 2) true))", true),
            ("(((+ r 1.0) (/ 3 2)))", false),
            ("(((+ r 0.5) 1))", false),
            // Results that the standard leaves open, and what cannot be read.
            ("(((div x 0) 7))", false),
            ("(((+ y 1) 7))", false),
            ("(((+ x 1) smelt!))", false),
            ("(error)", false),
        ] {
            assert_eq!(!kinds(script, model, values).is_empty(), is_wrong, "{values}");
        }
    }

    #[test]
    fn without_a_model_values_must_fit_those_of_constants_and_each_other() {
        let script =
            "(declare-const x Int)(declare-fun f (Int) Int)(assert (> (f x) 1))(check-sat)(get-value (x))";
        for (values, is_wrong) in [
            ("((x 2) ((+ x 1) 3))", false),
            ("((x 2) ((+ x 1) 4))", true),
            ("(((+ 1 1) 3))", true),
            ("(((+ 1 1) 2))", false),
            // What is not given may be anything.
            ("(((+ x 1) 4))", false),
            ("(((> x 2) true) ((< x 2) true))", false),
            ("((x 2) ((f x) 7) ((f 2) 8))", false),
            ("((x 2) ((div x 0) 7))", false),
        ] {
            assert_eq!(!kinds(script, None, values).is_empty(), is_wrong, "{values}");
        }
    }
}
