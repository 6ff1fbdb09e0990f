//! Searches for an assignment that shows that a reply is wrong. The built-in solver proposes one, and the evaluator decides.

use smelt_semantics::eval::Evaluator;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Model, Truth};
use smelt_semantics::solver::{Answer, Limits, solve};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Parser, Term, sym};

use crate::case_script::CaseScript;
use crate::unsat_core::declares;

/// What the built-in solver finds.
pub(super) enum Found {
    Model(Goal, Box<Model>),
    Nothing,
    Undecided,
}

/// Looks for a model of the one query of a script.
pub(super) fn found(case: &mut CaseScript, steps: u64) -> Found {
    if case.not_understood().is_some() {
        return Found::Nothing;
    }
    let goal = case.goal(0);
    match solve(&mut case.arena, &goal, Limits { steps }) {
        Answer::Sat(model) => Found::Model(goal, model),
        Answer::Unsat => Found::Nothing,
        Answer::Unknown(_) => Found::Undecided,
    }
}

/// A term in the scope of a script.
pub(super) fn read_term(case: &mut CaseScript, text: &str) -> Option<Term> {
    let scope = case.scope().clone();
    let mut parser = Parser::new(&mut case.arena, scope, text.as_bytes()).ok()?;
    let term = parser.next_term().ok()?;
    parser.take_diagnostics().is_empty().then_some(term)
}

/// The place of the first of these conditions that holds under a model, if the model makes every assertion true.
pub(super) fn holding<'a>(
    case: &mut CaseScript,
    goal: &Goal,
    model: &Model,
    conditions: impl IntoIterator<Item = &'a str>,
) -> Option<usize> {
    if model.check(&case.arena, goal).verdict() != Truth::True {
        return None;
    }
    conditions.into_iter().position(|text| {
        let Some(condition) = read_term(case, text) else { return false };
        Evaluator::new(&case.arena, &model.interpretation, &model.domains).holds(condition) == Ok(true)
    })
}

/// The declarations and definitions that are in force in a question, as text.
pub(super) fn declarations(script: &CaseScript, goal: &Goal) -> Vec<u8> {
    let commands = goal.context.commands.iter().filter(|c| declares(c)).cloned().collect();
    script.arena.display_script(&Script { commands, comments: Vec::new() })
}

/// Declarations, and the question whether one of some conditions is possible.
pub(super) fn question(declarations: &[u8], conditions: &[&str]) -> Vec<u8> {
    let one = match conditions {
        [one] => (*one).to_owned(),
        all => format!("(or {})", all.join(" ")),
    };
    [declarations, format!("(assert {one})\n(check-sat)\n").as_bytes()].concat()
}

/// The commands that only ask: a query between an answer and what is judged changes nothing.
pub(super) fn only_asks(script: &CaseScript, commands: &[Command]) -> bool {
    commands.iter().all(|c| match c {
        Command::GetValue(_) | Command::GetInfo(_) | Command::GetOption(_) => true,
        Command::Plain(name) => !matches!(*name, sym::RESET | sym::RESET_ASSERTIONS),
        Command::Other(name, _) => script.arena.text(*name).starts_with(b"get-"),
        _ => false,
    })
}
