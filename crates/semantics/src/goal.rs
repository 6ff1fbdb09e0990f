//! Goals: the assertions in force at a `check-sat` command, with the declarations and definitions in scope.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term, sym};
use std::collections::HashMap;

use crate::eval::OPEN;
use crate::recursion::endless;

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

    /// Why nothing can be decided about the goal, if so: a name may have more than one meaning, or a definition none.
    pub fn unsettled(&self, arena: &Arena) -> Option<String> {
        if let Some(name) = self.ambiguous_name(arena) {
            return Some(format!("`{}` may have more than one meaning", arena.name(name)));
        }
        let name = endless(arena, &self.context)?;
        Some(format!("the recursive definition of `{}` may not terminate", arena.name(name)))
    }

    /// A name in scope that may be taken for another: one with two meanings, as some solvers allow, or one under which
    /// solvers print what they choose where the standard leaves a value open.
    pub fn ambiguous_name(&self, arena: &Arena) -> Option<Symbol> {
        let mut meanings: HashMap<Symbol, Meaning> = HashMap::new();
        let mut number = 0;
        for command in &self.context.commands {
            number += 1;
            let mut names = Vec::new();
            match command {
                Command::DeclareConst(name, sort) => names.push((*name, rank(arena, &[], *sort))),
                Command::DeclareFun(name, args, sort) => names.push((*name, rank(arena, args, *sort))),
                Command::DefineConst(name, ..) => names.push((*name, Meaning::Given(number))),
                Command::DeclareDatatypes(_, datatypes) => {
                    for datatype in datatypes {
                        // Constructors of one datatype may share a selector.
                        number += 1;
                        let selectors = datatype.constructors.iter().flat_map(|c| &c.selectors);
                        names.extend(selectors.map(|s| (s.0, Meaning::Given(number))));
                        for constructor in &datatype.constructors {
                            number += 1;
                            names.push((constructor.name, Meaning::Given(number)));
                        }
                    }
                }
                _ => {
                    for (header, _) in command.definitions() {
                        number += 1;
                        names.push((header.name, Meaning::Given(number)));
                    }
                }
            }
            for (name, meaning) in names {
                let is_of_solvers = OPEN.iter().any(|o| o.1.as_bytes() == arena.text(name));
                if is_of_solvers || *meanings.entry(name).or_insert_with(|| meaning.clone()) != meaning {
                    return Some(name);
                }
            }
        }
        None
    }
}

/// What a name stands for.
#[derive(Clone, PartialEq, Eq)]
enum Meaning {
    /// A symbol of these arguments and this result. The same declaration may reproduce after a `reset-assertions`.
    Free(Vec<Sort>, Sort),
    /// What the script says, by the number of the place where it does.
    Given(usize),
}

fn rank(arena: &Arena, args: &[Sort], result: Sort) -> Meaning {
    Meaning::Free(args.iter().map(|s| arena.canonical(*s)).collect(), arena.canonical(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    #[test]
    fn names_that_may_be_taken_for_others_are_found() {
        for (text, name) in [
            ("(declare-fun f (Int) Int)(declare-const g Int)", None),
            ("(declare-const f Int)(reset-assertions)(declare-const f Int)", None),
            ("(push 1)(declare-const f Int)(pop 1)(declare-const f Bool)", None),
            ("(declare-datatypes ((T 0)) (((a (s Int)) (b (s Int)))))", None),
            ("(declare-fun f (Int) Int)(declare-fun f (Bool) Int)", Some("f")),
            ("(declare-datatypes ((T 0)) (((a (s Int)))))(declare-fun s (Int) Int)", Some("s")),
            ("(define-fun div0 ((x Int)) Int 5)", Some("div0")),
            ("(declare-fun seq.nth_u (Int) Int)", Some("seq.nth_u")),
        ] {
            let mut arena = Arena::new();
            let script = parse_script(&mut arena, format!("{text}(check-sat)").as_bytes()).unwrap().script;
            let found = Goal::last(&script).ambiguous_name(&arena);
            assert_eq!(found.map(|n| arena.name(n).into_owned()).as_deref(), name, "{text}");
        }
    }
}
