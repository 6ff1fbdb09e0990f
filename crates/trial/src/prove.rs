//! Solvers as provers: many scripts, each to be shown unsatisfiable.

use smelt_core::OutcomeKind;
use smelt_semantics::goal::Goal;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Term, parse_script, sym};
use smelt_solvers::{Mode, Query};

use crate::error::Error;
use crate::panel::Panel;
use crate::solver::NamedSolver;

/// The answer of a solver to a script that should be unsatisfiable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It is unsatisfiable.
    Proved,
    /// It is satisfiable.
    Refuted,
    /// The solver gave up, or does not know the language.
    Open,
}

/// Each solver as often as fills the lanes, for [`Panel::prove`].
pub fn provers(solvers: &[NamedSolver], lanes: usize) -> Vec<NamedSolver> {
    let each = lanes.div_ceil(solvers.len().max(1));
    solvers.iter().flat_map(|named| std::iter::repeat_n(named.clone(), each)).collect()
}

/// A script that is unsatisfiable exactly if every model of one script is a model of another. `None` if they do not have
/// the same declarations and definitions, or more than one check.
pub fn entailment(premise: &[u8], conclusion: &[u8]) -> Option<Vec<u8>> {
    let mut arena = Arena::new();
    let mut goal = |text: &[u8]| -> Option<(Vec<Command>, Vec<Term>)> {
        let script = parse_script(&mut arena, text).ok()?.script;
        let [goal] = <[Goal; 1]>::try_from(Goal::all(&script)).ok()?;
        let mut context = goal.context.commands;
        context.retain(|c| !matches!(c, Command::SetInfo(_)));
        Some((context, goal.assertions))
    };
    let (context, holds) = goal(premise)?;
    let (other, follows) = goal(conclusion)?;
    if context != other || follows.is_empty() {
        return None;
    }
    let mut operation = |name, args: &[Term]| {
        let op = arena.signatures().named(name).next()?;
        arena.apply_op(op, &[], args)
    };
    let all = if let [one] = follows[..] { one } else { operation(sym::AND, &follows)? };
    let fails = operation(sym::NOT, &[all])?;
    let mut commands = context;
    commands.extend(holds.into_iter().chain([fails]).map(Command::Assert));
    commands.push(Command::CheckSat);
    Some(arena.display_script(&Script { commands, comments: Vec::new() }))
}

impl Panel<'_> {
    /// The answers of `solvers` to each script: first by script, then by solver. The lineup is that of [`provers`].
    pub fn prove(&mut self, solvers: usize, scripts: &[String]) -> Result<Vec<Vec<Proof>>, Error> {
        let mut said = vec![vec![Proof::Open; solvers]; scripts.len()];
        let lanes = self.lineup().solvers.len();
        let each = lanes / solvers.max(1);
        let queues = (0..lanes).map(|lane| (lane % each..scripts.len()).step_by(each).collect()).collect();
        let wall = self.lineup().limits.time;
        let query = |script: &usize| Query::new(scripts[*script].clone()).with_limit(wall);
        self.run(Mode::Reuse, queues, query, |lane, script, finished| {
            said[script][lane / each] = match finished.outcome.kind {
                OutcomeKind::Unsat => Proof::Proved,
                OutcomeKind::Sat => Proof::Refuted,
                _ => Proof::Open,
            };
            Ok(())
        })?;
        Ok(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_implication_is_one_question() {
        let script = |assertion: &str| format!("(declare-const x Int)(assert {assertion})(check-sat)");
        let (premise, conclusion) = (script("(> x 1)"), script("(> x 0)"));
        let question = entailment(premise.as_bytes(), conclusion.as_bytes()).unwrap();
        let text = String::from_utf8(question).unwrap().replace('\n', "");
        assert_eq!(text, "(declare-const x Int)(assert (> x 1))(assert (not (> x 0)))(check-sat)");
        let other = "(declare-const y Int)(assert (> y 0))(check-sat)";
        assert_eq!(entailment(premise.as_bytes(), other.as_bytes()), None, "other symbols");
        let twice = format!("{conclusion}(check-sat)");
        assert_eq!(entailment(premise.as_bytes(), twice.as_bytes()), None, "two questions");
    }
}
