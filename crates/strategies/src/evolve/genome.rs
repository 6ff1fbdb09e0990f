//! An individual taken apart: what it declares and what it asserts.

use std::collections::HashSet;

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term, View, parse_script};

/// Reads a script; the reason if it is not well-sorted.
pub(super) fn well_sorted(arena: &mut Arena, text: &[u8]) -> Result<Script, String> {
    let parsed = parse_script(arena, text).map_err(|e| e.locate(text))?;
    parsed.diagnostics.first().map_or(Ok(parsed.script), |d| Err(d.locate(text)))
}

/// The parts of an individual, in an arena.
#[derive(Clone, Debug)]
pub(crate) struct Genome {
    pub(crate) logic: Option<Symbol>,
    /// Sorts, constants, functions and definitions, in order.
    pub(crate) declarations: Vec<Command>,
    pub(crate) assertions: Vec<Term>,
}

impl Genome {
    /// Takes a text apart; the reason if it is not well-sorted or is more than declarations and assertions.
    pub(crate) fn read(arena: &mut Arena, text: &[u8]) -> Result<Genome, String> {
        let script = well_sorted(arena, text)?;
        Genome::of(arena, script)
    }

    /// Takes a script apart.
    pub(crate) fn of(arena: &Arena, script: Script) -> Result<Genome, String> {
        let mut genome = Genome { logic: script.logic(), declarations: Vec::new(), assertions: Vec::new() };
        let mut questions = 0;
        for command in script.commands {
            match command {
                Command::Assert(term) => genome.assertions.push(term),
                Command::CheckSat => questions += 1,
                Command::SetLogic(_) | Command::SetInfo(_) | Command::GetInfo(_) | Command::Echo(_) => {}
                Command::SetOption(_) | Command::GetOption(_) => {}
                _ if command.is_term_query() => {}
                Command::Plain(name) if !arena.text(name).starts_with(b"reset") => {}
                Command::DeclareSortParameter(_) => return Err("it declares parameters of sorts".to_owned()),
                _ if !command.declared().is_empty() => genome.declarations.push(command),
                _ => return Err("it is more than declarations and assertions".to_owned()),
            }
        }
        match (questions, genome.assertions.len()) {
            (_, 0) => Err("it asserts nothing".to_owned()),
            (0 | 1, _) => Ok(genome),
            _ => Err("it asks more than once".to_owned()),
        }
    }

    /// As a script with one question.
    pub(crate) fn script(&self) -> Script {
        let logic = self.logic.map(Command::SetLogic);
        let asserts = self.assertions.iter().map(|&t| Command::Assert(t));
        let commands = logic.into_iter().chain(self.declarations.iter().cloned()).chain(asserts);
        Script { commands: commands.chain([Command::CheckSat]).collect(), comments: Vec::new() }
    }

    /// As text.
    pub(crate) fn print(&self, arena: &Arena) -> Vec<u8> {
        arena.display_script(&self.script())
    }

    /// Its constants.
    pub(crate) fn constants(&self) -> impl Iterator<Item = (Symbol, Sort)> + '_ {
        self.declarations.iter().filter_map(Command::constant)
    }

    /// Forgets constants and functions that nothing uses. Sorts stay: they cost a solver nothing.
    pub(crate) fn prune(&mut self, arena: &Arena) {
        loop {
            let before = self.declarations.len();
            let mut used = HashSet::new();
            names_in(arena, self.assertions.iter().copied(), &mut used);
            names_in(arena, self.declarations.iter().flat_map(Command::terms), &mut used);
            self.declarations.retain(|c| match c {
                Command::DeclareConst(name, _)
                | Command::DeclareFun(name, ..)
                | Command::DefineConst(name, ..) => used.contains(name),
                Command::DefineFun(h, _) => used.contains(&h.name),
                _ => true,
            });
            if self.declarations.len() == before {
                return;
            }
        }
    }

    /// Adds what another declares and this one does not; `false` where both declare one name differently.
    pub(crate) fn declare_all(&mut self, scope: &[Command]) -> bool {
        for command in scope {
            let clash = self.declarations.iter().find(|own| shares_a_name(own, command));
            match clash {
                Some(own) if own == command => {}
                Some(_) => return false,
                None => self.declarations.push(command.clone()),
            }
        }
        // Sorts come before symbols of these sorts, from either parent.
        self.declarations.sort_by_key(|c| match c {
            Command::DeclareSort(..) | Command::DefineSort(..) => 0,
            Command::DeclareDatatypes(..) => 1,
            Command::DeclareConst(..) | Command::DeclareFun(..) => 2,
            _ => 3,
        });
        true
    }
}

/// Whether two commands declare the same name.
fn shares_a_name(a: &Command, b: &Command) -> bool {
    let b = b.declared();
    a.declared().iter().any(|n| b.contains(n))
}

fn names_in(arena: &Arena, terms: impl Iterator<Item = Term>, names: &mut HashSet<Symbol>) {
    names.extend(arena.subterms(terms).filter_map(|t| match arena.view(t) {
        View::App(fun, _) => Some(arena.fun_view(fun).name),
        _ => None,
    }));
}

/// The name of the `k`-th constant of a sort.
pub(crate) fn constant_name(arena: &Arena, sort: Sort, k: usize) -> String {
    let letters = arena.display_sort(sort).to_lowercase();
    let word: String = letters.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{word}_{k}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"(set-logic QF_UFLIA)(set-info :status sat)(declare-fun f (Int) Int)(declare-const a Int)
(declare-const b Int)(define-fun g ((x Int)) Int (f x))(assert (> (g a) 1))(check-sat)(exit)";

    #[test]
    fn what_nothing_uses_is_forgotten_and_the_rest_is_printed() {
        let mut arena = Arena::new();
        let mut genome = Genome::read(&mut arena, TEXT).unwrap();
        genome.prune(&arena);
        let text = String::from_utf8(genome.print(&arena)).unwrap();
        assert!(text.contains("(declare-fun f (Int) Int)") && text.contains("define-fun g"), "{text}");
        assert!(!text.contains("declare-const b") && !text.contains("status"), "{text}");
        assert_eq!(Genome::read(&mut arena, text.as_bytes()).unwrap().print(&arena), text.as_bytes());
    }

    #[test]
    fn what_is_more_than_a_list_of_assertions_is_refused() {
        let mut arena = Arena::new();
        for text in ["(assert true)(push 1)(check-sat)", "(assert true)(check-sat)(check-sat)", "(check-sat)"]
        {
            assert!(Genome::read(&mut arena, text.as_bytes()).is_err(), "{text}");
        }
        assert!(Genome::read(&mut arena, b"(assert (+ 1 true))").is_err());
    }
}
