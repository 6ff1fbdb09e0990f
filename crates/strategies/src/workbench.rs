//! Reads and evaluates terms of data files, to check and make rules, fusion functions and formulas.

use smelt_semantics::eval::{Domains, Interpretation};
use smelt_semantics::model::print_value;
use smelt_semantics::{Evaluator, Value};
use smelt_smtlib::{Arena, Parser, Scope, Sort, Term, parse_script};

use crate::samples::{sort_sexpr, values};

/// Declarations, and terms over them.
#[derive(Clone, Debug)]
pub(crate) struct Workbench {
    pub(crate) arena: Arena,
    pub(crate) scope: Scope,
    pub(crate) domains: Domains,
    /// What the definitions among the declarations mean.
    pub(crate) base: Interpretation,
}

impl Workbench {
    /// With these declarations; the error says what is wrong with them, as it does below with a term.
    pub(crate) fn new(declarations: &str) -> Result<Workbench, String> {
        let mut arena = Arena::new();
        let parsed = parse_script(&mut arena, declarations.as_bytes()).map_err(|e| e.to_string())?;
        if let Some(d) = parsed.diagnostics.first() {
            return Err(d.message.to_string());
        }
        let (base, domains) = (Interpretation::of_script(&parsed.script), Domains::of_script(&parsed.script));
        Ok(Workbench { arena, scope: parsed.scope, domains, base })
    }

    /// Reads a term.
    pub(crate) fn term(&mut self, text: &str) -> Result<Term, String> {
        let parser = Parser::new(&mut self.arena, self.scope.clone(), text.as_bytes());
        let mut parser = parser.map_err(|e| e.to_string())?;
        let term = parser.next_term().map_err(|e| format!("{e} in {text}"))?;
        match parser.take_diagnostics().first() {
            Some(d) => Err(format!("{} in {text}", d.message)),
            None => Ok(term),
        }
    }

    /// Reads a sort.
    pub(crate) fn sort(&mut self, text: &str) -> Result<Sort, String> {
        let parser = Parser::new(&mut self.arena, self.scope.clone(), text.as_bytes());
        parser.and_then(|mut parser| parser.next_sort()).map_err(|e| e.to_string())
    }

    /// The value of a term.
    pub(crate) fn value(&mut self, text: &str) -> Result<Value, String> {
        let term = self.term(text)?;
        let value = self.evaluator(&self.base).eval(term);
        value.map_err(|u| format!("{}: {text}", u.describe(&self.arena)))
    }

    /// Sample values of a sort, and of what it is made of down to a depth.
    pub(crate) fn samples(&mut self, sort: &str, depth: u32) -> Result<Vec<Value>, String> {
        let texts = sort_sexpr(sort).and_then(|s| values(&s, depth));
        let texts = texts.ok_or_else(|| format!("no values are known for sort {sort}"))?;
        texts.iter().map(|text| self.value(text)).collect()
    }

    /// Evaluates with these meanings.
    pub(crate) fn evaluator<'a>(&'a self, interpretation: &'a Interpretation) -> Evaluator<'a> {
        Evaluator::new(&self.arena, interpretation, &self.domains)
    }

    /// The value of a closed term of a sort as text.
    pub(crate) fn literal(&mut self, text: &str, sort: &str) -> Result<String, String> {
        let term = self.term(text)?;
        let actual = self.arena.sort_of(term);
        if self.arena.display_sort(actual) != sort {
            return Err(format!("{text} is not of sort {sort}"));
        }
        let value = self.evaluator(&self.base).eval(term);
        let value = value.map_err(|u| format!("{}: {text}", u.describe(&self.arena)))?;
        self.print(&value, actual).map_err(|e| format!("{e}: {text}"))
    }

    /// A value as text.
    pub(crate) fn print(&mut self, value: &Value, sort: Sort) -> Result<String, String> {
        let mut out = Vec::new();
        print_value(&mut self.arena, &self.domains, value, sort, &mut out).map_err(|e| e.to_string())?;
        String::from_utf8(out).map_err(|e| e.to_string())
    }
}
