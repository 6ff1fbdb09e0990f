//! Simplified terms, and goals of tactics that promise equivalence: at every assignment they have the value of what they were
//! made of. The built-in solver looks for an assignment at which they differ; the evaluator decides, and what the standard
//! leaves open is unknown.

use smelt_core::{Asked, Cause, Kind, Reason};
use smelt_semantics::eval::{Evaluator, Interpretation};
use smelt_semantics::goal::Goal;
use smelt_semantics::model::Model;
use smelt_semantics::solver::{Answer, Limits, solve};
use smelt_smtlib::script::{Command, Script, equivalent_tactics};
use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::{Arena, parse_script};

use super::{Wrong, is_scalar, printed};
use crate::case_script::CaseScript;
use crate::cause::operators_hash;
use crate::judge::SolverOutcome;
use crate::steps::shortened;
use crate::unsat_core::declares;

/// The steps of the search for an assignment: a search in vain must cost less than a short solver call.
const STEPS: u64 = 100_000;

pub(super) fn check(script: &mut CaseScript, by: &SolverOutcome<'_>) -> Vec<Wrong> {
    let rewrites = by.outcome.replies.iter().filter_map(|reply| {
        let (from, to) = match reply.to {
            Asked::Value => return None,
            Asked::Simplify => (simplified(script, reply.index)?, reply.text.clone()),
            Asked::Apply => (applied(script, reply.index)?, goals(&reply.text)?),
        };
        Some((reply.to, from, to))
    });
    let rewrites: Vec<(Asked, Rewritten, String)> = rewrites.collect();
    rewrites.into_iter().filter_map(|(asked, from, to)| differs(asked, &from, &to)).collect()
}

/// What was rewritten.
struct Rewritten {
    /// The declarations in scope.
    context: Vec<u8>,
    term: String,
    /// The command, if that decides what a bug is about: a tactic is known by its name.
    command: Option<String>,
}

impl Rewritten {
    fn new(arena: &Arena, goal: &Goal, term: String) -> Rewritten {
        let commands = goal.context.commands.iter().filter(|c| declares(c)).cloned().collect();
        let context = arena.display_script(&Script { commands, comments: Vec::new() });
        Rewritten { context, term, command: None }
    }
}

/// The term of a `simplify`, by its number.
fn simplified(script: &CaseScript, index: usize) -> Option<Rewritten> {
    let is_query = |c: &Command| matches!(c, Command::Simplify(_));
    let (position, term) = script.query(is_query, index).map(|(at, command)| (at, command.terms().next()))?;
    let goal = script.goal_before(position);
    Some(Rewritten::new(&script.arena, &goal, script.arena.display_term(term?)))
}

/// The conjunction of the assertions that a tactic is applied to, by the number of the `apply`; `None` if the tactic does
/// not promise equivalence.
fn applied(script: &CaseScript, index: usize) -> Option<Rewritten> {
    let is_query = |c: &Command| matches!(c, Command::Other(name, _) if script.arena.text(*name) == b"apply");
    let (position, command) = script.query(is_query, index)?;
    let Command::Other(_, text) = command else { return None };
    let read = read_all(script.arena.text(*text)).ok()?;
    let [_, tactic] = read.first()?.list("a command").ok()? else { return None };
    let tactic = tactic.atom("a tactic").ok()?;
    if !equivalent_tactics().any(|known| known == tactic) {
        return None;
    }
    let goal = script.goal_before(position);
    let parts: Vec<String> = goal.assertions.iter().map(|t| script.arena.display_term(*t)).collect();
    let rewritten = Rewritten::new(&script.arena, &goal, format!("(and true {})", parts.join(" ")));
    Some(Rewritten { command: Some(format!("(apply {tactic})")), ..rewritten })
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
    text.extend_from_slice(format!("(assert (= {} {to}))(assert (not (= {0} {to})))", from.term).as_bytes());
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, &text).ok().filter(|p| p.diagnostics.is_empty())?;
    let mut goal = Goal::last(&parsed.script);
    let [equation, _] = goal.assertions[..] else { return None };
    let [left, right] = arena.children(equation)[..] else { return None };
    goal.assertions.remove(0);
    let Answer::Sat(found) = solve(&mut arena, &goal, Limits { steps: STEPS }) else {
        return None;
    };
    // Open results that the search chose are not a part of the assignment.
    let mut model = Model { interpretation: Interpretation::of_script(&goal.context), ..*found.clone() };
    let declared = goal.context.commands.iter().flat_map(Command::declared);
    for name in declared {
        if let Some(meaning) = found.interpretation.meaning(name) {
            model.interpretation.assign(name, meaning.clone());
        }
    }
    let eval = |term| {
        let value = Evaluator::new(&arena, &model.interpretation, &model.domains).eval(term).ok();
        value.filter(is_scalar)
    };
    let (correct, given) = (eval(left)?, eval(right)?);
    if correct == given {
        return None;
    }
    let operators = || Cause::Unreduced(operators_hash(&arena, &[left]));
    let cause = from.command.clone().map_or_else(operators, Cause::Command);
    let constants: Vec<_> = goal.context.commands.iter().filter_map(Command::constant).collect();
    let mut assignment = Vec::new();
    for (name, sort) in constants {
        let Some(value) = model.value(name).cloned() else { continue };
        let text = printed(&mut arena, &model, &value, sort)?;
        assignment.push(format!("{} = {text}", arena.name(name)));
    }
    let sort = arena.sort_of(left);
    let reason = Reason::Rewrite {
        command: asked,
        from: shortened(from.term.clone()),
        to: shortened(to.split_whitespace().collect::<Vec<_>>().join(" ")),
        assignment: shortened(assignment.join(", ")),
        correct: printed(&mut arena, &model, &correct, sort)?,
        given: printed(&mut arena, &model, &given, sort)?,
    };
    Some(Wrong { kind: Kind::WrongRewrite, check: None, reason, cause })
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
        ] {
            let script = format!("{declared}(simplify {term})");
            assert_eq!(!reasons(&script, Asked::Simplify, reply).is_empty(), is_wrong, "{term} {reply}");
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
        let unpromised = script.replace("(apply simplify)", "(apply elim-uncnstr)");
        assert!(reasons(&unpromised, Asked::Apply, "(goals)").is_empty());
    }
}
