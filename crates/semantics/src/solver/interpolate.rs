//! Interpolants: the first part of a contradiction, with its own constants quantified away.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::{Arena, Parser, Scope, Symbol, Term, View};
use std::collections::BTreeSet;

use super::eliminate::eliminate;
use super::{Answer, Limits, solve};
use crate::goal::Goal;

/// What a planted fault does to an interpolant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It keeps the constants that only the first part has.
    Private,
    /// It holds only if the first part is true whatever these constants are.
    Everywhere,
}

/// Makes interpolants of the assertions in force.
pub(super) struct Interpolator<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) scope: &'a Scope,
    pub(super) context: &'a Script,
    pub(super) cut: Option<Cut>,
    /// The effort to decide whether assertions imply a conjecture.
    pub(super) limits: Limits,
}

const NOT_SUPPORTED: &str = "not supported: ";

impl Interpolator<'_> {
    /// Whether there is a query for interpolants of this name.
    pub(super) fn has(name: &[u8]) -> bool {
        matches!(name, b"get-interpolant" | b"get-interpolants")
    }

    /// The reply to a query. Only after unsat can assertions be moved from one part to the other.
    pub(super) fn reply(
        &mut self,
        name: &[u8],
        assertions: &[Term],
        command: &[u8],
        is_unsat: bool,
    ) -> Result<String, String> {
        match name {
            b"get-interpolant" => self.conjecture(assertions, command),
            _ if is_unsat => self.sequence(assertions, command),
            _ => Err("the last check did not answer unsat".to_owned()),
        }
    }

    /// An interpolant of two parts.
    fn between(&mut self, first: &[Term], second: &[Term]) -> Result<String, String> {
        let (own, others) = (self.symbols(first)?, self.symbols(second)?);
        let private: Vec<Symbol> = own.difference(&others).copied().collect();
        let formulas: Vec<String> =
            first.iter().map(|t| self.arena.display_term(bare(self.arena, *t))).collect();
        let mut text = format!("(and true {})", formulas.join(" "));
        if !private.is_empty() && self.cut != Some(Cut::Private) {
            let sorts: Vec<String> = private
                .iter()
                .map(|name| self.variable(*name))
                .collect::<Option<_>>()
                .ok_or_else(|| format!("{NOT_SUPPORTED}a function in one part only"))?;
            let binder = if self.cut == Some(Cut::Everywhere) { "forall" } else { "exists" };
            text = format!("({binder} ({}) {text})", sorts.join(" "));
        }
        let term = self.read(&text)?;
        let reduced = eliminate(self.arena, self.context, &[term], false);
        Ok(self.arena.display_term(reduced[0]))
    }

    /// A constant as a variable of a quantifier.
    fn variable(&self, name: Symbol) -> Option<String> {
        let (_, sort) = self.context.commands.iter().filter_map(Command::constant).find(|c| c.0 == name)?;
        Some(format!("({} {})", self.arena.name(name), self.arena.display_sort(sort)))
    }

    fn read(&mut self, text: &str) -> Result<Term, String> {
        let parser = Parser::new(self.arena, self.scope.clone(), text.as_bytes());
        let mut parser = parser.map_err(|e| e.message.clone())?;
        let term = parser.next_term().map_err(|e| e.message.clone())?;
        match parser.take_diagnostics().first() {
            None => Ok(term),
            Some(flaw) => Err(flaw.message.clone()),
        }
    }

    /// The declared symbols in some terms. A definition hides symbols, so there must not be one.
    fn symbols(&self, terms: &[Term]) -> Result<BTreeSet<Symbol>, String> {
        let commands = &self.context.commands;
        let mut symbols = BTreeSet::new();
        for term in self.arena.subterms(terms.iter().copied()) {
            let View::App(fun, _) = self.arena.view(term) else { continue };
            let view = self.arena.fun_view(fun);
            if view.op.is_some() {
                continue;
            }
            let Some(command) = commands.iter().find(|c| c.declared().contains(&view.name)) else { continue };
            match command {
                Command::DeclareConst(..) | Command::DeclareFun(..) => drop(symbols.insert(view.name)),
                Command::DeclareDatatypes(..) => {}
                _ => return Err(format!("{NOT_SUPPORTED}`{}` is defined", self.arena.name(view.name))),
            }
        }
        Ok(symbols)
    }

    /// The reply to a query that moves named assertions from the second part to the first, list by list.
    fn sequence(&mut self, assertions: &[Term], command: &[u8]) -> Result<String, String> {
        let read = read_all(command).map_err(|e| e.to_string())?;
        let lists = read.first().and_then(|c| c.list("a command").ok()).unwrap_or_default();
        let (mut first, mut second) = (Vec::new(), assertions.to_vec());
        let mut text = "(\n".to_owned();
        for list in lists.iter().skip(1) {
            for name in list.list("names").map_err(|e| e.to_string())? {
                let at = second.iter().position(|t| self.is_named(*t, name));
                first.push(second.remove(at.ok_or("expected names of assertions")?));
            }
            text += &self.between(&first, &second)?;
            text.push('\n');
        }
        Ok(text + ")\n")
    }

    fn is_named(&self, term: Term, name: &Sexpr) -> bool {
        let View::Annotated(v) = self.arena.view(term) else { return false };
        name.atom("a name").is_ok_and(|name| v.names().any(|n| self.arena.text(n) == name.as_bytes()))
    }

    /// The reply to a query for an interpolant of the assertions and a conjecture.
    fn conjecture(&mut self, assertions: &[Term], command: &[u8]) -> Result<String, String> {
        let read = read_all(command).map_err(|e| e.to_string())?;
        let Ok([_, name, conjecture]) = read[0].list("a command") else {
            return Err(format!("{NOT_SUPPORTED}expected a name and a term"));
        };
        let name = name.atom("a name").map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&command[conjecture.offset..command.len() - 1]).into_owned();
        let conjecture = self.read(&text)?;
        let negated = self.read(&format!("(not {text})"))?;
        let assertions_and_negation = assertions.iter().copied().chain([negated]).collect();
        let goal = Goal { assertions: assertions_and_negation, context: self.context.clone() };
        if !matches!(solve(self.arena, &goal, self.limits), Answer::Unsat) {
            return Ok("fail\n".to_owned());
        }
        Ok(format!("(define-fun {name} () Bool {})\n", self.between(assertions, &[conjecture])?))
    }
}

/// A term without its name.
fn bare(arena: &Arena, term: Term) -> Term {
    match arena.view(term) {
        View::Annotated(v) => v.term(),
        _ => term,
    }
}
