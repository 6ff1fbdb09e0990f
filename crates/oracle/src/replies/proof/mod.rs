//! Checks steps of proofs. A step that needs no context says that its premises imply its conclusion, so no assignment makes
//! the premises true and the conclusion false. The built-in solver searches for one, and the evaluator decides.
//!
//! Steps that introduce names, close a hypothesis, or speak about bound variables are left alone.

mod read;

use smelt_core::{Asked, Cause, Evidence, Kind, Reason, Verdict};
use smelt_semantics::goal::Goal;
use smelt_semantics::model::Truth;
use smelt_semantics::solver::{Answer, Limits, solve};
use smelt_smtlib::script::Command;

use super::search::{declarations, only_asks, read_term};
use super::{Wrong, assignment, settled};
use crate::case_script::CaseScript;
use crate::cause::operators_hash;
use crate::judge::SolverOutcome;
use crate::steps::shortened;
use read::{Step, steps};

/// The step limit of the search for an assignment at which one step of a proof is wrong: proofs have hundreds of them.
const STEPS: u64 = 1_500;

/// At most this many steps of one proof are checked.
const MOST: usize = 400;

pub(super) fn check(script: &mut CaseScript, by: &SolverOutcome<'_>) -> Vec<Wrong> {
    let replies = by.outcome.replies.iter().filter(|reply| reply.to == Asked::Proof);
    let wrong = replies.filter_map(|reply| {
        let (position, _) = script.query(Asked::Proof, reply.index)?;
        let check = script.check_before(position)?;
        let answer = by.outcome.answers.get(check)?;
        let start = script.check_position(check)?;
        let is_unsat = answer.verdict == Some(Verdict::Unsat) && answer.error.is_none();
        if !is_unsat || !only_asks(script, &script.script.commands[start + 1..position]) {
            return None;
        }
        let goal = script.goal(check);
        let names = goal.context.commands.iter().flat_map(Command::declared);
        let names: Vec<&[u8]> = names.map(|name| script.arena.text(name)).collect();
        let proof = steps(&reply.text, &names)?;
        let mut case = CaseScript::new(&[&declarations(script, &goal)[..], b"(check-sat)"].concat());
        if case.not_understood().is_some() {
            return None;
        }
        let (reason, cause) = proof.iter().take(MOST).find_map(|step| refuted(&mut case, step))?;
        let evidence = Some(Evidence::Model);
        Some(Wrong { kind: Kind::InvalidProof, check: Some(check), evidence, reason, cause })
    });
    wrong.collect()
}

/// An assignment at which the premises of a step are true and its conclusion is not.
fn refuted(case: &mut CaseScript, step: &Step) -> Option<(Reason, Cause)> {
    let term = read_term(case, &step.refutation)?;
    let goal = Goal { assertions: vec![term], ..case.goal(0) };
    let Answer::Sat(found) = solve(&mut case.arena, &goal, Limits { steps: STEPS }) else { return None };
    let model = settled(&goal, &found);
    if model.check(&case.arena, &goal).verdict() != Truth::True {
        return None;
    }
    let reason = Reason::Step {
        rule: step.rule.clone(),
        step: shortened(step.text.clone()),
        assignment: assignment(&mut case.arena, &goal, &model)?,
    };
    Some((reason, Cause::Unreduced(operators_hash(&case.arena, &[term]))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::{Answer, Outcome, OutcomeKind, Reply, SolverId};

    fn reasons(script: &str, proof: &str) -> Vec<String> {
        let replies = vec![Reply { to: Asked::Proof, index: 0, text: proof.to_owned() }];
        let answer = Answer { verdict: Some(Verdict::Unsat), ..Answer::default() };
        let outcome = Outcome { answers: vec![answer], replies, ..Outcome::bare(OutcomeKind::Unsat, "") };
        let solver = SolverId::new("s", None);
        let by = SolverOutcome { solver: &solver, family: "s", outcome: &outcome, seed: None };
        check(&mut CaseScript::new(script.as_bytes()), &by).iter().map(|w| w.reason.to_string()).collect()
    }

    const SCRIPT: &str = "(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-fun f (Int) Int)\
        (assert (and p (> x 1)))(assert (not p))(check-sat)(get-proof)";

    #[test]
    fn a_step_of_alethe_is_wrong_if_its_premises_do_not_imply_its_clause() {
        let proof = |step: &str| {
            format!(
                "((assume a0 (! (and p (! (> x 1) :named @p_1)) :named @p_2))(assume a1 (not p))\
                 (step t0 (cl (not @p_2) p) :rule and_pos :args (0)){step})"
            )
        };
        for (step, is_wrong) in [
            ("(step t1 (cl p) :rule resolution :premises (t0 a0))", false),
            ("(step t1 (cl q) :rule resolution :premises (t0 a0))", true),
            ("(step t1 (cl) :rule resolution :premises (t0 a0 a1))", false),
            ("(step t1 (cl) :rule resolution :premises (t0 a0))", true),
            ("(step t1 (cl (= (< x 2) (not @p_1))) :rule hole :args (\"untranslated rewrite\"))", false),
            ("(step t1 (cl (= (< x 1) (not @p_1))) :rule hole :args (\"untranslated rewrite\"))", true),
            ("(step t1 (cl (= (+ x -1) (- x 1))) :rule hole :args (\"untranslated rewrite\"))", false),
            ("(step t1 (cl (= (+ x -1) (+ x 1))) :rule hole :args (\"untranslated rewrite\"))", true),
            ("(step t1 (cl (= (f x) (f (+ x 0)))) :rule cong :premises ())", false),
            // A preprocessing pass may use the assertions.
            ("(step t1 (cl (= (< x 1) (not @p_1))) :rule hole :args (\"preprocess\"))", false),
            // Unknown rules, names that the script does not declare, bound variables, and closed hypotheses.
            ("(step t1 (cl q) :rule sko_ex)", false),
            ("(step t1 (cl (= k x)) :rule refl)", false),
            ("(step t1 (cl (forall ((y Int)) (> y x))) :rule resolution :premises (a0))", false),
            ("(anchor :step t1)(assume t1.a0 q)(step t1 (cl q) :rule subproof :discharge (t1.a0))", false),
            (
                "(anchor :step t1 :args ((y Int) (:= y x)))(step t1.t0 (cl q) :rule refl)(step t1 (cl (= p p)) :rule bind)",
                false,
            ),
            // What cannot be read.
            ("(step t1 (cl q) :rule resolution :premises (t9))", false),
        ] {
            let found = reasons(SCRIPT, &proof(step));
            assert_eq!(!found.is_empty(), is_wrong, "{step} {found:?}");
        }
    }

    #[test]
    fn a_step_of_z3_is_wrong_if_its_premises_do_not_imply_its_conclusion() {
        for (proof, is_wrong) in [
            ("(mp (asserted p) (rewrite (= p p)) p)", false),
            ("(mp (asserted p) (rewrite (= p q)) q)", true),
            ("(unit-resolution (def-axiom (or (not p) p)) (asserted p) p)", false),
            ("(unit-resolution (def-axiom (or q p)) (asserted p) p)", true),
            ("((_ th-lemma arith farkas 1 1) (asserted (> x 1)) (hypothesis (< x 2)) false)", false),
            ("((_ th-lemma arith farkas 1 1) (asserted (> x 1)) (hypothesis (< x 3)) false)", true),
            ("((_ th-lemma seq) (asserted (> x 1)) (hypothesis (< x 3)) false)", false),
            ("(lemma (hypothesis q) (or p q))", false),
            ("(mp~ (asserted p) (sk (~ p q)) q)", false),
            ("(rewrite (= (/0 x) 0))", false),
            ("(rewrite (= (exists ((x Int)) (> x 1)) false))", false),
        ] {
            let text = format!(
                "((set-logic ALL)(proof (let (($x1 (> x 1))) (let ((@x2 (asserted $x1))) {proof}))))"
            );
            let found = reasons(SCRIPT, &text);
            assert_eq!(!found.is_empty(), is_wrong, "{proof} {found:?}");
        }
        // The name of a step, and a chain that is deeper than data files are.
        let deep = (0..3000)
            .fold("(rewrite (= @p0 @p0))".to_owned(), |inner, i| format!("(let (($y{i} p)) {inner})"));
        assert!(reasons(SCRIPT, &format!("((proof {deep}))")).is_empty());
    }
}
