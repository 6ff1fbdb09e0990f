//! A script for the oracle: its queries, and whether a model of a solver satisfies them.
//!
//! This check is stricter than evaluation. A model proves that a script is satisfiable only if smelt understands every
//! command that can change the meaning of the assertions, and if nothing but the assertions must hold. Otherwise the
//! truth of the model is unknown, which is never a finding.

use crate::{
    cause,
    facts::{facts, lists},
    steps::shortened,
    theory, unsat_core,
};
use smelt_core::Asked;
use smelt_semantics::eval::{Effort, has_meaning};
use smelt_semantics::exhaust::{Exhausted, exhaust};
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_semantics::recursion::endless;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::signature::Row;
use smelt_smtlib::{Arena, Flaw, Literal, Op, Scope, Term, View, parse_script, sym};
use std::{borrow::Cow, collections::BTreeSet};

/// Formulas with at most this many assignments are decided by evaluating all of them.
const MAX_ASSIGNMENTS: usize = 1 << 14;

/// A script, parsed once for any number of judgements.
#[derive(Debug)]
pub struct CaseScript {
    pub(crate) arena: Arena,
    pub(crate) script: Script,
    scope: Scope,
    /// Positions of the `check-sat` commands.
    checks: Vec<usize>,
    /// Whether the declarations in scope differ between its questions.
    layered: bool,
    /// Whether it has recursive definitions: they are axioms that evaluating assertions does not check.
    recursive: bool,
    opaque: Option<String>,
    altered: Option<String>,
    effort: Effort,
}

/// The result of evaluating a script under a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReport {
    /// True if it makes every assertion true, false if it makes one false.
    pub truth: Truth,
    /// The first false assertion: its position among those in force, and its text.
    pub falsified: Option<(usize, String)>,
    /// Why the truth is unknown.
    pub reason: Option<String>,
}

impl ModelReport {
    fn unknown(reason: impl Into<String>) -> ModelReport {
        ModelReport { truth: Truth::Unknown, falsified: None, reason: Some(reason.into()) }
    }
}

/// The operator that a command redefines, if it does. Some releases accept that.
fn redefined(arena: &Arena, command: &Command) -> Option<String> {
    let name = match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) | Command::DefineConst(name, ..) => {
            *name
        }
        Command::DefineFun(header, _) | Command::DefineFunRec(header, _) => header.name,
        _ => return None,
    };
    let table = arena.signatures();
    let standard = table.named(name).any(|op| table.row(op).name == name && table.row(op).dialect.is_none());
    standard.then(|| arena.name(name).into_owned())
}

/// Whether an option changes the meaning of formulas, by its name and the text it is set with.
pub(crate) fn is_altering(name: &str, setting: &str) -> bool {
    let value = setting.trim_end_matches([')', '\n']).rsplit([' ', '=']).next().unwrap_or_default();
    let by_value = |list: &[String]| matches!(list, [part, values @ ..] if name.contains(part.as_str()) && values.iter().any(|v| v == value));
    facts("altering").any(|part| name.contains(part)) || lists("altering-value").any(by_value)
}

fn changes_meaning(name: &str) -> String {
    format!("`{name}` changes the meaning of formulas")
}

/// An argument of a solver that changes the meaning of formulas, such as `smt.arith.ignore_int=true`, if there is one: then
/// no answer of it is comparable.
pub fn altering_argument(arguments: &[String]) -> Option<&str> {
    let setting = |i: &usize| match arguments[*i].split_once('=') {
        Some((name, value)) => is_altering(name, value),
        // The value may be the next word.
        None => {
            let value = arguments.get(i + 1).map_or("", String::as_str);
            arguments[*i].starts_with('-') && is_altering(&arguments[*i], value)
        }
    };
    (0..arguments.len()).find(setting).map(|i| arguments[i].as_str())
}

impl CaseScript {
    /// Parses a script. If that fails, answers can still be compared, but no model can be checked.
    pub fn new(source: &[u8]) -> CaseScript {
        let mut arena = Arena::new();
        match parse_script(&mut arena, source) {
            Ok(parsed) => {
                let bad = parsed.diagnostics.iter().find(|d| d.flaw == Flaw::Malformed);
                let opaque = bad.map(|d| format!("not understood at {}", d.locate(source)));
                CaseScript::from_parsed(arena, parsed.script, parsed.scope, opaque)
            }
            Err(e) => {
                let opaque = Some(format!("not understood at {}", e.locate(source)));
                CaseScript::from_parsed(arena, Script::default(), Scope::default(), opaque)
            }
        }
    }

    fn from_parsed(arena: Arena, mut script: Script, scope: Scope, mut opaque: Option<String>) -> CaseScript {
        if let Some(Command::Plain(sym::EXIT)) = script.commands.last() {
            script.commands.pop();
        }
        let mut checks = Vec::new();
        let mut altered = None;
        let (mut layered, mut recursive) = (false, false);
        for (position, command) in script.commands.iter_mut().enumerate() {
            let harmless = command.is_harmless(&arena);
            if matches!(command, Command::Other(name, _) if arena.text(*name) == b"check-sat-using") {
                *command = Command::CheckSat;
            }
            if let Some(name) = redefined(&arena, command) {
                opaque.get_or_insert_with(|| format!("the script redefines `{name}`, which is an operator"));
            }
            match command {
                Command::CheckSat | Command::CheckSatAssuming(_) => checks.push(position),
                Command::Push(_) | Command::Pop(_) | Command::Plain(sym::RESET | sym::RESET_ASSERTIONS) => {
                    layered = true;
                }
                Command::DefineFunRec(..) | Command::DefineFunsRec(_) => recursive = true,
                Command::SetOption(option) => {
                    let name = arena.name(option.keyword).into_owned();
                    let text = arena
                        .display_script(&Script { commands: vec![command.clone()], comments: Vec::new() });
                    if is_altering(&name, &String::from_utf8_lossy(&text)) {
                        altered.get_or_insert_with(|| changes_meaning(&name));
                    }
                }
                Command::Other(name, _) => {
                    let name = arena.name(*name);
                    if name.starts_with("check-sat") {
                        // Solvers that know it answer once more than there are questions here.
                        altered.get_or_insert_with(|| format!("`({name} ..)` is not a standard query"));
                    } else if facts("altering-command").any(|c| c == name) {
                        altered.get_or_insert_with(|| changes_meaning(&name));
                    } else if !harmless {
                        opaque.get_or_insert_with(|| format!("`{name}` is not understood"));
                    }
                }
                Command::Malformed(_) => {
                    opaque.get_or_insert_with(|| "a command is not well-formed".to_owned());
                }
                _ => {}
            }
        }
        if let Some(name) = endless(&arena, &script) {
            let name = arena.name(name);
            altered.get_or_insert_with(|| format!("the recursive definition of `{name}` may not terminate"));
        }
        CaseScript {
            arena,
            script,
            scope,
            checks,
            layered,
            recursive,
            opaque,
            altered,
            effort: Effort::default(),
        }
    }

    /// With other limits on evaluating one assertion; the truth of an assertion beyond them is unknown.
    #[must_use]
    pub fn with_effort(mut self, effort: Effort) -> CaseScript {
        self.effort = effort;
        self
    }

    /// The limits on evaluating one assertion.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    /// How many `check-sat` commands it has.
    pub fn checks(&self) -> usize {
        self.checks.len()
    }

    /// Where one `check-sat` stands among the commands.
    pub(crate) fn check_position(&self, check: usize) -> Option<usize> {
        self.checks.get(check).copied()
    }

    /// The names in scope at the end of the script.
    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The answer to one `check-sat`, if it is small and finite: every assignment is evaluated.
    pub(crate) fn exhausted(&self, check: usize) -> Option<Exhausted> {
        let is_ours = self.opaque.is_none() && !self.recursive && self.nonstandard_operator(check).is_none();
        if is_ours { exhaust(&self.arena, &self.goal(check), MAX_ASSIGNMENTS) } else { None }
    }

    /// Whether one `check-sat` is unsat for certain: no assignment of a small finite space is a model.
    pub fn is_refuted(&self, check: usize) -> bool {
        self.altered.is_none() && self.exhausted(check).is_some_and(|e| !e.is_sat)
    }

    /// Why smelt does not understand all of it, if so: then no model can be judged.
    pub fn not_understood(&self) -> Option<&str> {
        self.opaque.as_deref()
    }

    /// Why no answers can be compared, if so: an option or command changes the meaning of formulas, or a definition may not end.
    pub fn incomparable(&self) -> Option<&str> {
        self.altered.as_deref()
    }

    /// The options it sets, except those about output, which no answer depends on; and commands outside the standard.
    pub fn options(&self) -> Vec<String> {
        const OUTPUT: [&str; 5] =
            [":produce-", ":print-success", ":verbosity", ":regular-output", ":diagnostic-output"];
        let names = self.script.commands.iter().filter_map(|command| match command {
            Command::SetOption(option) => Some(self.arena.name(option.keyword)),
            Command::Other(name, _) => Some(self.arena.name(*name)).filter(|n| !n.starts_with("get-")),
            _ => None,
        });
        names.filter(|name| !OUTPUT.iter().any(|o| name.starts_with(o))).map(Cow::into_owned).collect()
    }

    /// The status that the script claims: a label, not evidence.
    pub fn label(&self) -> Option<smelt_core::Verdict> {
        match self.arena.text(self.script.status()?) {
            b"sat" => Some(smelt_core::Verdict::Sat),
            b"unsat" => Some(smelt_core::Verdict::Unsat),
            _ => None,
        }
    }

    /// Whether an assertion has a name, so that an unsat core can leave something out.
    pub fn has_names(&self) -> bool {
        self.script.assertions().any(|t| !unsat_core::names(&self.arena, t).is_empty())
    }

    /// Its theory.
    pub fn theory(&self) -> String {
        theory::theory(&self.arena, &self.script)
    }

    /// The question of one `check-sat`; beyond the last one, everything in force at the end of the script.
    pub(crate) fn goal(&self, check: usize) -> Goal {
        let end = self.checks.get(check).map_or(self.script.commands.len(), |p| p + 1);
        let asks = |c: &Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
        let kept = self.script.commands[..end].iter().enumerate();
        let commands = kept.filter(|(i, c)| i + 1 == end || !asks(c)).map(|(_, c)| c.clone()).collect();
        Goal::last(&Script { commands, comments: Vec::new() })
    }

    /// How many assumptions one `check-sat` has: they are the last assertions of its question.
    pub(crate) fn assumptions(&self, check: usize) -> usize {
        match self.checks.get(check).map(|at| &self.script.commands[*at]) {
            Some(Command::CheckSatAssuming(terms)) => terms.len(),
            _ => 0,
        }
    }

    /// The hash of the operators in the question of one `check-sat`.
    pub(crate) fn operators_hash(&self, check: usize) -> smelt_core::SeedHash {
        cause::operators_hash(&self.arena, &self.goal(check).assertions)
    }

    /// The terms that a bug in the question of one `check-sat` may be about: assertions, and terms of other queries.
    fn subjects(&self, check: usize) -> Vec<Term> {
        let queries = self.script.commands.iter().filter(|c| c.is_term_query());
        self.goal(check).assertions.into_iter().chain(queries.flat_map(Command::terms)).collect()
    }

    /// The operators that tell most about a bug in the question of one `check-sat`, and whether they are more than
    /// comparisons. Commands before it that remove assertions count as operators.
    pub fn key_operators(&self, check: usize) -> (Vec<String>, bool) {
        let end = self.checks.get(check).copied().unwrap_or(self.script.commands.len());
        let removals = self.script.commands[..end].iter().filter_map(|c| match c {
            Command::Pop(_) => Some("(pop)"),
            Command::Plain(sym::RESET) => Some("(reset)"),
            Command::Plain(sym::RESET_ASSERTIONS) => Some("(reset-assertions)"),
            _ => None,
        });
        let removals: BTreeSet<&str> = removals.collect();
        let (mut operators, is_function) = cause::key_operators(&self.arena, &self.subjects(check));
        if removals.is_empty() {
            return (operators, is_function);
        }
        if !is_function {
            operators.clear();
        }
        operators.splice(0..0, removals.into_iter().map(str::to_owned));
        (operators, true)
    }

    /// Whether the question of one `check-sat` has no operators and no symbols: its assertions are `true` and `false`.
    pub fn is_bare(&self, check: usize) -> bool {
        let is_constant = |t: &Term| matches!(self.arena.view(*t), View::App(fun, []) if self.arena.fun_view(fun).op.is_some());
        self.subjects(check).iter().all(is_constant)
    }

    /// All operators in the question of one `check-sat` that tell something about a bug.
    pub fn operators(&self, check: usize) -> Vec<String> {
        cause::operators(&self.arena, &self.subjects(check))
    }

    /// Whether the question of one `check-sat` has no free symbols: its assertions have one value each.
    pub fn is_ground(&self, check: usize) -> bool {
        self.exhausted(check).is_some_and(|e| e.assignments == 1)
    }

    /// An operator or a literal in the question of one `check-sat` that is not the standard's, or a name that may have two
    /// meanings. Solvers may read it differently, so that a disagreement alone shows nothing.
    pub fn nonstandard_operator(&self, check: usize) -> Option<String> {
        let goal = self.goal(check);
        if let Some(name) = goal.ambiguous_name(&self.arena) {
            return Some(self.arena.name(name).into_owned());
        }
        if let Some(name) = goal.context.commands.iter().find_map(|c| redefined(&self.arena, c)) {
            return Some(name);
        }
        let is_odd = |t: &Term| matches!(self.arena.view(*t), View::Literal(Literal::String, text) if !self.arena.text(text).is_ascii());
        if let Some(literal) = self.arena.subterms(goal.assertions.iter().copied()).find(is_odd) {
            return Some(self.arena.display_term(literal));
        }
        self.find(&goal, |op, row, args| self.is_foreign(op, row) || self.improper(row, args))
    }

    /// Whether an operator is a solver's own, and not one whose meaning here is that of every solver that has it.
    fn is_foreign(&self, op: Op, row: &Row) -> bool {
        let is_compared = || facts("compared").any(|theory| self.arena.text(row.theory) == theory.as_bytes());
        row.dialect.is_some() && !(has_meaning(op) && is_compared())
    }

    /// Whether solvers that accept this number of arguments may give it different meanings.
    fn improper(&self, row: &Row, args: usize) -> bool {
        let name = self.arena.text(row.name);
        let negated = matches!(name, b"bvxnor" | b"bvnand" | b"bvnor" | b"bvcomp");
        (negated && args != 2) || (args < row.args.len() && facts("unital").all(|u| u.as_bytes() != name))
    }

    /// The first operator in a question for which `holds`, given its row and number of arguments.
    fn find(&self, goal: &Goal, holds: impl Fn(Op, &Row, usize) -> bool) -> Option<String> {
        let arena = &self.arena;
        let defined = goal.context.commands.iter().flat_map(Command::terms);
        let found = arena.subterms(defined.chain(goal.assertions.iter().copied())).find_map(|term| {
            let op = arena.op(term)?;
            let row = arena.signatures().row(op);
            holds(op, row, arena.children(term).len()).then_some(row.name)
        });
        found.map(|name| arena.name(name).into_owned())
    }

    /// Whether a model, as printed and in today's escapes, satisfies the question of one `check-sat`.
    pub fn check_model(&mut self, check: usize, model: &str) -> ModelReport {
        self.with_model(check, model, |case, goal, model| case.model_report(goal, model))
            .unwrap_or_else(ModelReport::unknown)
    }

    /// The assertions of one `check-sat` under a model: the text of each, shortened, and its truth.
    pub fn assertion_truths(&mut self, check: usize, model: &str) -> Vec<(String, Truth)> {
        let truths = self.with_model(check, model, |case, goal, model| {
            let judged = model.check_within(&case.arena, goal, case.effort).assertions;
            let both = goal.assertions.iter().zip(judged);
            both.map(|(t, judgement)| (case.shortened(*t), judgement.verdict)).collect()
        });
        truths.unwrap_or_default()
    }

    /// Reads a model of one `check-sat`, uses it, and takes back the terms that this made.
    pub(crate) fn with_model<T>(
        &mut self,
        check: usize,
        text: &str,
        use_it: impl FnOnce(&mut CaseScript, &Goal, &Model) -> T,
    ) -> Result<T, String> {
        let before = self.arena.checkpoint();
        let result = self.model(check, text).map(|(goal, model)| use_it(self, &goal, &model));
        self.arena.rollback(before);
        result
    }

    /// A model as printed, for the question of one `check-sat`.
    fn model(&mut self, check: usize, text: &str) -> Result<(Goal, Model), String> {
        if let Some(why) = &self.opaque {
            return Err(why.clone());
        }
        let goal = self.goal(check);
        if let Some(operator) = self.find(&goal, |_, row, args| self.improper(row, args)) {
            return Err(format!("`{operator}` has an unusual number of arguments"));
        }
        let mut model = self.read_model(&goal, text)?;
        // A model cannot change what the script defines.
        for command in &goal.context.commands {
            if let Command::DefineConst(name, sort, body) = command {
                model.interpretation.define(*name, &[], *sort, *body);
            }
            for (h, body) in command.definitions() {
                model.interpretation.define(h.name, &h.params, h.result, body);
            }
        }
        Ok((goal, model))
    }

    /// A model or values, as printed, in the scope of a question.
    pub(crate) fn read_model(&mut self, goal: &Goal, text: &str) -> Result<Model, String> {
        let local = self.layered.then(|| {
            let context = self.arena.display_script(&goal.context);
            parse_script(&mut self.arena, &context).ok().map(|parsed| parsed.scope)
        });
        let scope = local.flatten();
        let scope = scope.as_ref().unwrap_or(&self.scope);
        Model::read(&mut self.arena, scope, goal, text.as_bytes(), Escapes::Standard)
            .map_err(|e| e.to_string())
    }

    /// A query by its number among the commands of its name, and its position in the script. One with arguments that we do
    /// not read is counted too, since it has a reply: it is a [`Command::Other`].
    pub(crate) fn query(&self, asked: Asked, index: usize) -> Option<(usize, &Command)> {
        let is_query = |c: &Command| match c {
            Command::GetValue(_) => asked == Asked::Value,
            Command::Simplify(_) => asked == Asked::Simplify,
            Command::Plain(name) => self.arena.text(*name) == asked.as_str().as_bytes(),
            Command::Other(name, _) => self.arena.text(*name) == asked.as_str().as_bytes(),
            _ => false,
        };
        self.script.commands.iter().enumerate().filter(|(_, c)| is_query(c)).nth(index)
    }

    /// Everything in force before a command.
    pub(crate) fn goal_before(&self, position: usize) -> Goal {
        let asks = |c: &&Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
        let commands = self.script.commands[..position].iter().filter(|c| !asks(c)).cloned().collect();
        Goal::last(&Script { commands, comments: Vec::new() })
    }

    /// The `check-sat` before a query: the one whose model it is about.
    pub(crate) fn check_before(&self, position: usize) -> Option<usize> {
        self.checks.iter().filter(|check| **check < position).count().checked_sub(1)
    }

    fn model_report(&self, goal: &Goal, model: &Model) -> ModelReport {
        let judgements = model.check_within(&self.arena, goal, self.effort);
        let truth = judgements.verdict();
        let first = |wanted| judgements.assertions.iter().position(|a| a.verdict == wanted);
        match truth {
            Truth::True if self.recursive => {
                ModelReport::unknown("a model cannot show that recursive definitions hold")
            }
            Truth::True => ModelReport { truth, falsified: None, reason: None },
            Truth::False => {
                let falsified = first(Truth::False).map(|i| (i, self.shortened(goal.assertions[i])));
                ModelReport { truth, falsified, reason: None }
            }
            Truth::Unknown => {
                let reason = first(Truth::Unknown).and_then(|i| {
                    let why = judgements.assertions[i].reason.clone()?;
                    Some(format!("assertion {}: {why}", i + 1))
                });
                ModelReport { truth, falsified: None, reason }
            }
        }
    }

    fn shortened(&self, term: Term) -> String {
        shortened(self.arena.display_term(term))
    }
}

#[cfg(test)]
mod tests;
