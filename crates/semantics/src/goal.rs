//! Goals: the assertions in force at a `check-sat` command, with the declarations and definitions in scope.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Term, sym};

/// One `check-sat` of a script.
#[derive(Clone, Debug, Default)]
pub struct Goal {
    /// The assertions in force, and the assumptions of `check-sat-assuming`.
    pub assertions: Vec<Term>,
    /// The declarations and definitions in scope.
    pub context: Script,
}

impl Goal {
    /// The goals of all checks, in order; the whole script as one goal if it has none.
    pub fn all(script: &Script) -> Vec<Goal> {
        let mut goals = Vec::new();
        let mut goal = Goal::default();
        let mut levels: Vec<(usize, usize)> = Vec::new();
        for command in &script.commands {
            match command {
                Command::Assert(t) => goal.assertions.push(*t),
                Command::CheckSat => goals.push(goal.clone()),
                Command::CheckSatAssuming(terms) => {
                    let mut assuming = goal.clone();
                    assuming.assertions.extend(terms);
                    goals.push(assuming);
                }
                Command::Push(n) => {
                    for _ in 0..(*n).min(1 << 16) {
                        levels.push((goal.assertions.len(), goal.context.commands.len()));
                    }
                }
                Command::Pop(n) => {
                    for _ in 0..*n {
                        let Some((assertions, commands)) = levels.pop() else { break };
                        goal.assertions.truncate(assertions);
                        goal.context.commands.truncate(commands);
                    }
                }
                Command::Plain(sym::RESET) => {
                    goal = Goal::default();
                    levels.clear();
                }
                Command::Plain(sym::RESET_ASSERTIONS) => {
                    goal.assertions.clear();
                    levels.clear();
                }
                other => goal.context.commands.push(other.clone()),
            }
        }
        if goals.is_empty() {
            goals.push(goal);
        }
        goals
    }

    /// The goal of the last check.
    pub fn last(script: &Script) -> Goal {
        Goal::all(script).pop().unwrap_or_default()
    }
}
