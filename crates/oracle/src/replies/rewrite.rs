//! Checks simplified terms, and goals of tactics that promise equivalence: at every assignment, the result must
//! have the value of the original. The built-in solver searches for an assignment at which they differ, and the
//! evaluator decides. Values that the standard leaves open are unknown.

use smelt_core::{Asked, Cause, Evidence, Kind, Reason};
use smelt_semantics::eval::Evaluator;
use smelt_semantics::exhaust::exhaust;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::Truth;
use smelt_semantics::solver::{Answer, Limits, solve};
use smelt_smtlib::script::{Command, Promise, Script};
use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::{Arena, Term, parse_script};
use std::collections::BTreeSet;

use super::{Wrong, assignment, is_scalar, printed, settled};
use crate::case_script::CaseScript;
use crate::cause::operators_hash;
use crate::judge::SolverOutcome;
use crate::steps::shortened;
use crate::unsat_core::declares;

/// The step limit of the search for an assignment: a failed search must cost less than a short solver call.
const STEPS: u64 = 100_000;

/// At most this many assignments are evaluated to show that there is no model.
const MAX_ASSIGNMENTS: usize = 1 << 12;

pub(super) fn check(script: &mut CaseScript, by: &SolverOutcome<'_>) -> Vec<Wrong> {
    let rewrites = by.outcome.replies.iter().filter_map(|reply| {
        let (from, to) = match reply.to {
            Asked::Simplify => (simplified(script, reply.index)?, reply.text.clone()),
            Asked::Apply => (applied(script, reply.index)?, goals(&reply.text)?),
            Asked::Eliminate => (eliminated(script, reply.index)?, reply.text.clone()),
            _ => return None,
        };
        Some((reply.to, from, to))
    });
    let rewrites: Vec<(Asked, Rewritten, String)> = rewrites.collect();
    // Many tactics leave the same goals: what was evaluated once is not evaluated again.
    let (mut right, mut wrong) = (BTreeSet::new(), Vec::new());
    for (asked, from, to) in rewrites {
        let judged = (from.promise, from.context.clone(), from.term.clone(), from.given.clone(), to.clone());
        if right.contains(&judged) {
            continue;
        }
        match differs(asked, &from, &to) {
            Some(found) => wrong.push(found),
            None => drop(right.insert(judged)),
        }
    }
    wrong
}

/// What was rewritten.
struct Rewritten {
    /// The declarations in scope.
    context: Vec<u8>,
    term: String,
    /// What is known of the result.
    promise: Promise,
    /// What holds besides, as text: the result is the same only where it does.
    given: String,
    /// The command, if that decides what a bug is about: a tactic is known by its name.
    command: Option<String>,
}

impl Rewritten {
    fn new(arena: &Arena, goal: &Goal, term: String) -> Rewritten {
        let commands = goal.context.commands.iter().filter(|c| declares(c)).cloned().collect();
        let context = arena.display_script(&Script { commands, comments: Vec::new() });
        Rewritten { context, term, promise: Promise::Equivalent, given: String::new(), command: None }
    }
}

/// The term of a `simplify`, by its number.
fn simplified(script: &CaseScript, index: usize) -> Option<Rewritten> {
    let (position, command) = script.query(Asked::Simplify, index)?;
    let Command::Simplify(term) = command else { return None };
    let goal = script.goal_before(position);
    Some(Rewritten::new(&script.arena, &goal, script.arena.display_term(*term)))
}

/// The conjunction of the assertions that a tactic is applied to, by the number of the `apply`; `None` if the tactic
/// promises nothing.
fn applied(script: &CaseScript, index: usize) -> Option<Rewritten> {
    let (position, command) = script.query(Asked::Apply, index)?;
    let Command::Other(_, text) = command else { return None };
    let text = script.arena.text(*text);
    let read = read_all(text).ok()?;
    let [_, tactic] = read.first()?.list("a command").ok()? else { return None };
    let promise = Promise::of_tactic(tactic)?;
    let goal = script.goal_before(position);
    let parts: Vec<String> = goal.assertions.iter().map(|t| script.arena.display_term(*t)).collect();
    let rewritten = Rewritten::new(&script.arena, &goal, format!("(and true {})", parts.join(" ")));
    Some(Rewritten { promise, command: Some(String::from_utf8_lossy(text).into_owned()), ..rewritten })
}

/// The formula of cvc5's `get-qe`, by its number. Its result is the same where the assertions hold.
fn eliminated(script: &CaseScript, index: usize) -> Option<Rewritten> {
    let (position, command) = script.query(Asked::Eliminate, index)?;
    let Command::Other(_, text) = command else { return None };
    let text = script.arena.text(*text);
    let read = read_all(text).ok()?;
    let [_, formula] = read.first()?.list("a command").ok()? else { return None };
    let formula = std::str::from_utf8(text.get(formula.offset..text.len() - 1)?).ok()?;
    let goal = script.goal_before(position);
    let given =
        goal.assertions.iter().map(|t| format!("(assert {})", script.arena.display_term(*t))).collect();
    let rewritten = Rewritten::new(&script.arena, &goal, formula.trim().to_owned());
    Some(Rewritten { given, command: Some("(get-qe)".to_owned()), ..rewritten })
}

/// Goals as one formula: a disjunction of conjunctions. `None` unless all are precise.
fn goals(reply: &str) -> Option<String> {
    let read = read_all(reply.as_bytes()).ok()?;
    let [list] = &read[..] else { return None };
    let (head, goals) = list.part("goals").ok()?;
    let formula = |goal: &Sexpr| {
        let (head, parts) = goal.part("a goal").ok()?;
        let keyword = parts.iter().position(|p| p.atom("a word") == Ok(":precision"))?;
        let precise = parts.get(keyword + 1)?.atom("a word") == Ok("precise");
        let start = parts.first()?.offset;
        let text = reply.get(start..parts[keyword].offset)?;
        (head == "goal" && precise).then(|| format!("(and true {text})"))
    };
    let all: Option<Vec<String>> = goals.iter().map(formula).collect();
    (head == "goals").then_some(all)?.map(|all| format!("(or false {})", all.join(" ")))
}

/// The claim that a reply differs from what was rewritten, at an assignment.
fn differs(asked: Asked, from: &Rewritten, to: &str) -> Option<Wrong> {
    if from.term == to {
        return None;
    }
    let mut text = from.context.clone();
    let wrong = match from.promise {
        Promise::Equivalent => format!("(not (= {} {to}))", from.term),
        Promise::Implied => format!("(and {} (not {to}))", from.term),
        Promise::SameStatus => return loses_status(asked, from, to),
    };
    text.extend_from_slice(
        format!("(assert (= {} {to}))(assert {wrong}){}", from.term, from.given).as_bytes(),
    );
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, &text).ok().filter(|p| p.diagnostics.is_empty())?;
    let mut goal = Goal::last(&parsed.script);
    let &[equation, _, ..] = &goal.assertions[..] else { return None };
    let [left, right] = arena.children(equation)[..] else { return None };
    goal.assertions.remove(0);
    let Answer::Sat(found) = solve(&mut arena, &goal, Limits { steps: STEPS }) else {
        return None;
    };
    let model = settled(&goal, &found);
    let eval = |term| {
        let value = Evaluator::new(&arena, &model.interpretation, &model.domains).eval(term).ok();
        value.filter(is_scalar)
    };
    let (correct, given) = (eval(left)?, eval(right)?);
    // What holds besides must hold here for certain.
    let holds = |t: &Term| eval(*t).and_then(|v| v.as_bool()) == Some(true);
    let is_promised = from.promise == Promise::Equivalent || correct.as_bool() == Some(true);
    if correct == given || !is_promised || !goal.assertions[1..].iter().all(holds) {
        return None;
    }
    let operators = || Cause::Unreduced(operators_hash(&arena, &[left]));
    let cause = from.command.clone().map_or_else(operators, Cause::Command);
    let assignment = assignment(&mut arena, &goal, &model)?;
    let sort = arena.sort_of(left);
    let reason = Reason::Rewrite {
        command: asked,
        from: shortened(from.term.clone()),
        to: shortened(to.split_whitespace().collect::<Vec<_>>().join(" ")),
        assignment,
        correct: printed(&mut arena, &model, &correct, sort)?,
        given: printed(&mut arena, &model, &given, sort)?,
    };
    Some(Wrong { kind: Kind::WrongRewrite, check: None, evidence: Some(Evidence::Model), reason, cause })
}

/// The claim that a goal is decided otherwise than the assertions: one of them has a model, and the other is `false` in a small
/// finite space, or without symbols.
fn loses_status(asked: Asked, from: &Rewritten, to: &str) -> Option<Wrong> {
    let read = |formula: &str| {
        let mut text = from.context.clone();
        text.extend_from_slice(format!("(assert {formula})").as_bytes());
        let mut arena = Arena::new();
        let parsed = parse_script(&mut arena, &text).ok().filter(|p| p.diagnostics.is_empty())?;
        let goal = Goal::last(&parsed.script);
        Some((arena, goal))
    };
    let (mut before, mut after) = (read(&from.term)?, read(to)?);
    let refuted =
        |(arena, goal): &(Arena, Goal)| exhaust(arena, goal, MAX_ASSIGNMENTS).is_some_and(|e| !e.is_sat);
    let was_unsat = refuted(&before);
    if was_unsat == refuted(&after) {
        return None;
    }
    let (arena, goal) = if was_unsat { &mut after } else { &mut before };
    let Answer::Sat(found) = solve(arena, goal, Limits { steps: STEPS }) else { return None };
    let model = settled(goal, &found);
    if model.check(arena, goal).verdict() != Truth::True {
        return None;
    }
    let (correct, given) = if was_unsat { ("unsat", "sat") } else { ("sat", "unsat") };
    let cause = Cause::Command(from.command.clone()?);
    let reason = Reason::Rewrite {
        command: asked,
        from: shortened(from.term.clone()),
        to: shortened(to.split_whitespace().collect::<Vec<_>>().join(" ")),
        assignment: assignment(arena, goal, &model)?,
        correct: correct.to_owned(),
        given: given.to_owned(),
    };
    Some(Wrong { kind: Kind::WrongRewrite, check: None, evidence: Some(Evidence::Model), reason, cause })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::{Outcome, OutcomeKind, Reply, SolverId};

    fn reasons(script: &str, to: Asked, reply: &str) -> Vec<String> {
        let replies = vec![Reply { to, index: 0, text: reply.to_owned() }];
        let outcome = Outcome { replies, ..Outcome::bare(OutcomeKind::Unknown, "") };
        let solver = SolverId::new("s", None);
        let by = SolverOutcome { solver: &solver, family: "s", outcome: &outcome, seed: None };
        let wrong = check(&mut CaseScript::new(script.as_bytes()), &by);
        wrong.iter().map(|w| w.reason.to_string()).collect()
    }

    #[test]
    fn a_simplified_term_has_the_same_value_everywhere() {
        let declared = "(declare-const x Int)(declare-const b (_ BitVec 8))(declare-const f Float32)";
        for (term, reply, is_wrong) in [
            ("(+ x x)", "(* 2 x)", false),
            ("(+ x x)", "(* 3 x)", true),
            ("(bvadd b #x01)", "(bvadd #x01 b)", false),
            ("(bvadd b #x01)", "(bvor #x01 b)", true),
            ("(and (> x 1) (> x 2))", "(> x 1)", true),
            ("(let ((y x)) (- y x))", "0", false),
            // Open results, and symbols of the solver's own.
            ("(div x 0)", "0", false),
            ("(div x 0)", "(div0 x)", false),
            ("(fp.to_real f)", "(fp.to_real_i f)", false),
            ("(+ x x)", "(* 3", false),
            // The reply is to the first `simplify`, which has an option.
            ("1 :som true) (simplify 2", "1", false),
        ] {
            let script = format!("{declared}(simplify {term})");
            assert_eq!(!reasons(&script, Asked::Simplify, reply).is_empty(), is_wrong, "{term} {reply}");
        }
    }

    #[test]
    fn each_tactic_is_held_to_what_it_promises_and_no_more() {
        let script = |tactic: &str| {
            format!(
                "(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(assert (= x (bvadd y #b001)))(assert (bvult y #b010))(apply {tactic})"
            )
        };
        let goals = |formula: &str| format!("(goals (goal {formula} :precision precise :depth 1))");
        for (tactic, goal, is_wrong) in [
            ("solve-eqs", "(bvult y #b010)", false),
            ("qe", "(bvult y #b010)", true),
            ("solve-eqs", "(bvult y #b001)", true),
            ("elim-uncnstr", "(bvult y #b001)", false),
            ("elim-uncnstr", "(bvult y #b000)", true),
            ("elim-uncnstr", "k!0", false),
            ("(then simplify solve-eqs)", "(bvult y #b010)", false),
            ("(then simplify solve-eqs)", "(bvult y #b001)", true),
            ("(then solve-eqs elim-uncnstr)", "(bvult y #b001)", false),
            ("(or-else simplify qe)", "false", false),
        ] {
            let found = reasons(&script(tactic), Asked::Apply, &goals(goal));
            assert_eq!(!found.is_empty(), is_wrong, "{tactic} {goal} {found:?}");
        }
    }

    #[test]
    fn an_elimination_is_equivalent_where_the_assertions_hold() {
        let script = "(declare-const x (_ BitVec 3))(assert (bvult x #b100))(get-qe (exists ((y (_ BitVec 3))) (and (bvult y x) (distinct y #b000))))";
        for (reply, is_wrong) in
            [("(bvugt x #b001)", false), ("(distinct x #b000 #b001)", false), ("(bvugt x #b010)", true)]
        {
            assert_eq!(!reasons(script, Asked::Eliminate, reply).is_empty(), is_wrong, "{reply}");
        }
    }

    #[test]
    fn precise_goals_are_equivalent_to_the_assertions() {
        let script = "(declare-const x Int)(declare-const p Bool)(assert (> x 1))(assert (or p (< x 9)))(apply simplify)(assert false)";
        for (reply, is_wrong) in [
            ("(goals (goal (not (<= x 1)) (or p (not (<= 9 x))) :precision precise :depth 1))", false),
            ("(goals (goal (not (<= x 1)) :precision precise :depth 1))", true),
            ("(goals (goal (not (<= x 1)) :precision under :depth 1))", false),
            (
                "(goals (goal (> x 1) p :precision precise :depth 1) (goal (> x 1) (< x 9) :precision precise :depth 1))",
                false,
            ),
            ("(goals)", true),
            ("(goals (goal (> x 1) k!0 :precision precise :depth 1))", false),
        ] {
            let found = reasons(script, Asked::Apply, reply);
            assert_eq!(!found.is_empty(), is_wrong, "{reply} {found:?}");
        }
        let unpromised = script.replace("(apply simplify)", "(apply no-such-tactic)");
        assert!(reasons(&unpromised, Asked::Apply, "(goals)").is_empty());
    }
}
