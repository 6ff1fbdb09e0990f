//! A script as the oracle sees it: its questions, and whether a solver's model answers one.
//!
//! Stricter than evaluation alone. A model proves a script sat only if smelt understood every command that could
//! matter, and if nothing but the assertions needs to hold; otherwise the truth is unknown and never a finding.

use crate::{fingerprint, fingerprint::Shape, theory::theory};
use smelt_semantics::eval::Effort;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::signature::Row;
use smelt_smtlib::{Arena, Flaw, Scope, Term, parse_script, sym};
use std::collections::HashSet;

/// A script, read once for any number of judgements.
#[derive(Debug)]
pub struct Reading {
    pub(crate) arena: Arena,
    pub(crate) script: Script,
    scope: Scope,
    /// Positions of the commands that ask.
    checks: Vec<usize>,
    /// Whether what is in scope depends on the place.
    layered: bool,
    /// Whether a part of it defines by recursion: its axioms are not checked by evaluating assertions.
    recursive: bool,
    opaque: Option<String>,
    altered: Option<String>,
    effort: Effort,
}

/// What our evaluator says of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReport {
    /// True if it makes every assertion true, false if it makes one false.
    pub truth: Truth,
    /// The first assertion that it makes false: position among those in force, and text.
    pub falsified: Option<(usize, String)>,
    /// Why the truth is unknown.
    pub reason: Option<String>,
}

impl ModelReport {
    fn unknown(reason: impl Into<String>) -> ModelReport {
        ModelReport { truth: Truth::Unknown, falsified: None, reason: Some(reason.into()) }
    }
}

/// Commands outside the standard that leave the assertions and their meaning alone.
const HARMLESS: [&str; 20] = [
    "simplify",
    "eval",
    "display",
    "help",
    "labels",
    "apply",
    "assert-soft",
    "minimize",
    "maximize",
    "get-objectives",
    "get-user-tactics",
    "get-difficulty",
    "get-learned-literals",
    "get-timeout-core",
    "block-model",
    "block-model-values",
    "get-interpolant",
    "get-abduct",
    "get-qe",
    "dbg-bool-flat-rewriter",
];

/// Parts of options that change what a formula means, or allow wrong answers: no answer under them is a finding.
const ALTERING: [&str; 12] = [
    "hi_div0",
    "ignore_int",
    "hi_fp_unspecified",
    "solve-int-as-bv",
    "solve-real-as-int",
    "strings-alpha-card",
    "encoding",
    "bv-div-zero-const",
    "unsafe",
    "sygus",
    "ackermannization_eager_limit",
    "lambda-encode",
];

/// A name of the standard that a command gives another meaning. Some releases let it pass.
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

/// Operators of which one argument alone, where a solver reads that, is itself.
const UNITAL: [&[u8]; 13] = [
    b"and",
    b"or",
    b"+",
    b"*",
    b"re.union",
    b"re.inter",
    b"re.++",
    b"str.++",
    b"bvand",
    b"bvor",
    b"bvadd",
    b"bvmul",
    b"concat",
];

/// Whether solvers that accept this number of arguments may differ in what they make of it.
fn improper(name: &[u8], row: &Row, args: usize) -> bool {
    let negated = matches!(name, b"bvxnor" | b"bvnand" | b"bvnor" | b"bvcomp");
    (negated && args != 2) || (args < row.args.len() && !UNITAL.contains(&name))
}

impl Reading {
    /// Reads a script. What cannot be read still has answers to compare, but no models to check.
    pub fn new(source: &[u8]) -> Reading {
        let mut arena = Arena::new();
        match parse_script(&mut arena, source) {
            Ok(parsed) => {
                let bad = parsed.diagnostics.iter().find(|d| d.flaw == Flaw::Malformed);
                let opaque = bad.map(|d| format!("not understood at {}", d.locate(source)));
                Reading::over(arena, parsed.script, parsed.scope, opaque)
            }
            Err(e) => {
                let opaque = Some(format!("not understood at {}", e.locate(source)));
                Reading::over(arena, Script::default(), Scope::default(), opaque)
            }
        }
    }

    fn over(arena: Arena, mut script: Script, scope: Scope, mut opaque: Option<String>) -> Reading {
        let exit = script.commands.iter().position(|c| matches!(c, Command::Plain(sym::EXIT)));
        script.commands.truncate(exit.unwrap_or(usize::MAX));
        let mut checks = Vec::new();
        let mut altered = None;
        let (mut layered, mut recursive) = (false, false);
        for (position, command) in script.commands.iter_mut().enumerate() {
            if matches!(command, Command::Other(name, _) if arena.text(*name) == b"check-sat-using") {
                *command = Command::CheckSat;
            }
            if let Some(name) = redefined(&arena, command) {
                opaque.get_or_insert_with(|| {
                    format!("`{name}` is the standard's, and the script makes it its own")
                });
            }
            match command {
                Command::CheckSat | Command::CheckSatAssuming(_) => checks.push(position),
                Command::Push(_) | Command::Pop(_) | Command::Plain(sym::RESET | sym::RESET_ASSERTIONS) => {
                    layered = true;
                }
                Command::DefineFunRec(..) | Command::DefineFunsRec(_) => recursive = true,
                Command::SetOption(option) => {
                    let name = arena.name(option.keyword).into_owned();
                    if ALTERING.iter().any(|part| name.contains(part)) {
                        altered.get_or_insert(name);
                    }
                }
                Command::Other(name, _) => {
                    let name = arena.name(*name);
                    if !HARMLESS.contains(&&*name) && !name.starts_with("get-") {
                        opaque.get_or_insert_with(|| format!("`{name}` is not understood"));
                    }
                }
                Command::Malformed(_) => {
                    opaque.get_or_insert_with(|| "a command is not well-formed".to_owned());
                }
                _ => {}
            }
        }
        Reading {
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

    /// With other bounds on evaluating one assertion; what goes beyond them is unknown.
    #[must_use]
    pub fn with_effort(mut self, effort: Effort) -> Reading {
        self.effort = effort;
        self
    }

    /// How many `check-sat`s it has.
    pub fn checks(&self) -> usize {
        self.checks.len()
    }

    /// The part of it that smelt does not understand, if any: no model can then be judged.
    pub fn opaque(&self) -> Option<&str> {
        self.opaque.as_deref()
    }

    /// An option it sets that changes the meaning of formulas, if any: no answer is then comparable.
    pub fn altered(&self) -> Option<&str> {
        self.altered.as_deref()
    }

    /// The options it sets, without those about output that no answer hangs on, and tactics that it names.
    pub fn options(&self) -> Vec<String> {
        let mut list = Vec::new();
        for command in &self.script.commands {
            match command {
                Command::SetOption(option) => {
                    let name = self.arena.name(option.keyword).into_owned();
                    let plain =
                        ["produce-", "print-success", "verbosity", "regular-output", "diagnostic-output"];
                    if !plain.iter().any(|p| name.trim_start_matches(':').starts_with(p)) {
                        list.push(name);
                    }
                }
                Command::Other(name, _) if !self.arena.text(*name).starts_with(b"get-") => {
                    list.push(self.arena.name(*name).into_owned());
                }
                _ => {}
            }
        }
        list
    }

    /// The status that the file claims. A hint, and no evidence.
    pub fn label(&self) -> Option<smelt_core::Verdict> {
        match self.arena.text(self.script.status()?) {
            b"sat" => Some(smelt_core::Verdict::Sat),
            b"unsat" => Some(smelt_core::Verdict::Unsat),
            _ => None,
        }
    }

    /// Whether an assertion has a name, so that unsat cores say something.
    pub fn has_names(&self) -> bool {
        self.script.assertions().any(|t| crate::core::name(&self.arena, t).is_some())
    }

    /// Whether it uses a theory, `quantifiers`, `recursion`, or an operator of this name.
    pub fn has_feature(&self, feature: &str) -> bool {
        crate::theory::has_feature(&self.arena, &self.script, feature)
    }

    /// What it is about.
    pub fn theory(&self) -> String {
        theory(&self.arena, &self.script)
    }

    /// What one `check-sat` asks; of a script without one, or beyond the last, all that is in force at the end.
    pub(crate) fn goal(&self, check: usize) -> Goal {
        let end = self.checks.get(check).map_or(self.script.commands.len(), |p| p + 1);
        let asks = |c: &Command| matches!(c, Command::CheckSat | Command::CheckSatAssuming(_));
        let kept = self.script.commands[..end].iter().enumerate();
        let commands = kept.filter(|(i, c)| i + 1 == end || !asks(c)).map(|(_, c)| c.clone()).collect();
        Goal::last(&Script { commands, comments: Vec::new() })
    }

    /// The shape of what one `check-sat` asks.
    pub fn shape(&self, check: usize) -> Shape {
        fingerprint::shape(&self.arena, &self.goal(check).assertions)
    }

    /// The operators that tell most about what one `check-sat` asks, and whether they are more than comparisons. What
    /// was taken back before the question is part of that.
    pub fn telling(&self, check: usize) -> (Vec<String>, bool) {
        let end = self.checks.get(check).copied().unwrap_or(self.script.commands.len());
        let levels: Vec<String> = self.script.commands[..end]
            .iter()
            .filter_map(|c| match c {
                Command::Pop(_) => Some("pop"),
                Command::Plain(sym::RESET) => Some("reset"),
                Command::Plain(sym::RESET_ASSERTIONS) => Some("reset-assertions"),
                _ => None,
            })
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .map(|word| format!("({word})"))
            .collect();
        let (mut operators, is_function) = fingerprint::telling(&self.arena, &self.goal(check).assertions);
        if levels.is_empty() {
            return (operators, is_function);
        }
        if !is_function {
            operators.clear();
        }
        operators.splice(0..0, levels);
        (operators, true)
    }

    /// All operators in what one `check-sat` asks that may tell something.
    pub fn operators(&self, check: usize) -> Vec<String> {
        fingerprint::operators(&self.arena, &self.goal(check).assertions)
    }

    /// An operator in what one `check-sat` asks that is a solver's own and not the standard's. Solvers that read it
    /// may mean different things by it, so that a mere disagreement says nothing.
    pub fn private(&self, check: usize) -> Option<String> {
        let goal = self.goal(check);
        self.find(&goal, |arena, row, args| {
            row.dialect.is_some() || improper(arena.text(row.name), row, args)
        })
    }

    /// An operator applied to a number of arguments that the standard gives no meaning to.
    fn improper(&self, goal: &Goal) -> Option<String> {
        self.find(goal, |arena, row, args| improper(arena.text(row.name), row, args))
    }

    /// The first operator in a question of which something holds.
    fn find(&self, goal: &Goal, holds: impl Fn(&Arena, &Row, usize) -> bool) -> Option<String> {
        let arena = &self.arena;
        let mut work: Vec<Term> = goal.context.commands.iter().flat_map(Command::terms).collect();
        work.extend(&goal.assertions);
        let mut seen = HashSet::new();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            let children = arena.children(term);
            if let Some(row) = arena.op(term).map(|op| arena.signatures().row(op))
                && holds(arena, row, children.len())
            {
                return Some(arena.name(row.name).into_owned());
            }
            work.extend(children);
        }
        None
    }

    /// Whether a model, as printed and in today's escapes, satisfies what one `check-sat` asks.
    pub fn examine(&mut self, check: usize, model: &str) -> ModelReport {
        let before = self.arena.checkpoint();
        let report = self.examined(check, model);
        self.arena.rollback(before);
        report
    }

    /// A model as printed, over what one `check-sat` asks. Makes terms, which the caller takes back.
    pub(crate) fn model(&mut self, check: usize, text: &str) -> Result<(Goal, Model), String> {
        if let Some(why) = &self.opaque {
            return Err(why.clone());
        }
        let goal = self.goal(check);
        if let Some(operator) = self.improper(&goal) {
            return Err(format!("`{operator}` has an unusual number of arguments"));
        }
        let local = self.layered.then(|| {
            let context = self.arena.display_script(&goal.context);
            parse_script(&mut self.arena, &context).ok().map(|parsed| parsed.scope)
        });
        let scope = local.flatten();
        let scope = scope.as_ref().unwrap_or(&self.scope);
        let mut model = Model::read(&mut self.arena, scope, &goal, text.as_bytes(), Escapes::Standard)
            .map_err(|e| e.to_string())?;
        // What the script defines is not the model's to say.
        for command in &goal.context.commands {
            match command {
                Command::DefineConst(name, sort, body) => {
                    model.interpretation.define(*name, &[], *sort, *body)
                }
                Command::DefineFun(h, body) | Command::DefineFunRec(h, body) => {
                    model.interpretation.define(h.name, &h.params, h.result, *body);
                }
                Command::DefineFunsRec(definitions) => {
                    for (h, body) in definitions {
                        model.interpretation.define(h.name, &h.params, h.result, *body);
                    }
                }
                _ => {}
            }
        }
        Ok((goal, model))
    }

    /// What each assertion of one `check-sat` is under a model: its text, shortened, and its truth.
    pub fn assess(&mut self, check: usize, model: &str) -> Vec<(String, Truth)> {
        let before = self.arena.checkpoint();
        let list = match self.model(check, model) {
            Ok((goal, model)) => {
                let judged = model.check_within(&self.arena, &goal, self.effort).assertions;
                let both = goal.assertions.iter().zip(judged);
                both.map(|(t, judgement)| (self.shortened(*t), judgement.verdict)).collect()
            }
            Err(_) => Vec::new(),
        };
        self.arena.rollback(before);
        list
    }

    fn examined(&mut self, check: usize, model: &str) -> ModelReport {
        let (goal, model) = match self.model(check, model) {
            Ok(both) => both,
            Err(why) => return ModelReport::unknown(why),
        };
        let judgements = model.check_within(&self.arena, &goal, self.effort);
        let truth = judgements.verdict();
        let first = |wanted| judgements.assertions.iter().position(|a| a.verdict == wanted);
        match truth {
            Truth::True if self.recursive => {
                ModelReport::unknown("recursive definitions are axioms that no model shows")
            }
            Truth::True => ModelReport { truth, falsified: None, reason: None },
            Truth::False => {
                let falsified = first(Truth::False).map(|i| (i, self.shortened(goal.assertions[i])));
                ModelReport { truth, falsified, reason: None }
            }
            Truth::Unknown => {
                let reason = first(Truth::Unknown).and_then(|i| {
                    let why = judgements.assertions[i].reason.clone()?;
                    Some(format!("assertion {i}: {why}"))
                });
                ModelReport { truth, falsified: None, reason }
            }
        }
    }

    fn shortened(&self, term: Term) -> String {
        const WIDTH: usize = 160;
        let text = self.arena.display_term(term);
        match text.char_indices().nth(WIDTH) {
            Some((end, _)) => format!("{}..", &text[..end]),
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examine(script: &str, check: usize, model: &str) -> Truth {
        Reading::new(script.as_bytes()).examine(check, model).truth
    }

    #[test]
    fn a_model_is_held_against_the_assertions_in_force_at_its_check() {
        let script = "(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(declare-const y Int)\
                      (assert (= y (+ x 1)))(check-sat)(pop 1)(assert (> x 5))(check-sat)";
        let one = "((define-fun x () Int 1))";
        let two = "((define-fun x () Int 1) (define-fun y () Int 2))";
        assert_eq!([0, 1, 2].map(|c| examine(script, c, one)), [Truth::True, Truth::Unknown, Truth::False]);
        assert_eq!([0, 1, 2].map(|c| examine(script, c, two)), [Truth::True, Truth::True, Truth::False]);
    }

    #[test]
    fn assumptions_are_part_of_the_question_and_what_follows_exit_is_not() {
        let script =
            "(declare-const p Bool)(check-sat-assuming ((not p)))(check-sat-using smt)(exit)(check-sat)";
        assert_eq!(Reading::new(script.as_bytes()).checks(), 2);
        assert_eq!(examine(script, 0, "((define-fun p () Bool true))"), Truth::False);
        assert_eq!(examine(script, 1, "((define-fun p () Bool true))"), Truth::True);
    }

    #[test]
    fn a_model_cannot_change_what_the_script_defines() {
        let script =
            "(declare-const x Int)(define-fun f ((a Int)) Int (+ a 1))(assert (= (f x) x))(check-sat)";
        let model = "((define-fun x () Int 1) (define-fun f ((a Int)) Int a))";
        assert_eq!(examine(script, 0, model), Truth::False);
    }

    #[test]
    fn what_smelt_does_not_understand_proves_nothing() {
        let model = "((define-fun p () Bool true))";
        for (text, truth) in [
            ("(declare-const p Bool)(assert p)(check-sat)", Truth::True),
            ("(declare-const p Bool)(assert p)(assert-soft (not p))(check-sat)", Truth::True),
            ("(declare-const p Bool)(assert p)(frobnicate p)(check-sat)", Truth::Unknown),
            ("(declare-const p Bool)(assert p)(assert)(check-sat)", Truth::Unknown),
            (
                "(declare-const p Bool)(assert p)(define-fun-rec f ((x Int)) Int (+ 1 (f x)))(check-sat)",
                Truth::Unknown,
            ),
            ("(declare-const p Bool)(assert p", Truth::Unknown),
            ("(declare-const p Bool)(declare-const false Bool)(assert p)(check-sat)", Truth::Unknown),
        ] {
            assert_eq!(examine(text, 0, model), truth, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_model_is_unknown_and_never_false() {
        let script = "(declare-const p Bool)(assert p)(check-sat)";
        for model in ["", "(", "(error \"x\")", "((define-fun q () Bool true))", "((define-fun p () Int 1))"]
        {
            assert_eq!(examine(script, 0, model), Truth::Unknown, "{model}");
        }
    }

    #[test]
    fn operators_of_one_solver_are_noticed_where_they_are_used() {
        let script =
            b"(declare-const x Real)(assert (> x 0.0))(check-sat)(assert (= (^ x 0.0) 1.0))(check-sat)";
        let reading = Reading::new(script);
        assert_eq!((reading.private(0), reading.private(1)), (None, Some("^".to_owned())));
    }

    #[test]
    fn unusual_numbers_of_arguments_are_left_open() {
        for (term, truth) in [
            ("(= (bvxnor p q) #b1)", Truth::True),
            ("(= (bvxnor p) #b1)", Truth::Unknown),
            ("(= (bvxnor p q p) #b1)", Truth::Unknown),
            ("(= (bvsub p) #b0)", Truth::Unknown),
            ("(= (bvand p) #b0)", Truth::True),
            ("(and (= p q))", Truth::True),
            ("(= (bvneg p) #b0)", Truth::True),
        ] {
            let head = "(declare-const p (_ BitVec 1))(declare-const q (_ BitVec 1))";
            let script = format!("{head}(assert {term})(check-sat)");
            let model = "((define-fun p () (_ BitVec 1) #b0) (define-fun q () (_ BitVec 1) #b0))";
            assert_eq!(examine(&script, 0, model), truth, "{term}");
        }
    }

    #[test]
    fn options_that_change_meaning_are_noticed() {
        assert!(Reading::new(b"(set-option :smt.arith.ignore_int true)").altered().is_some());
        assert!(Reading::new(b"(set-option :produce-models true)").altered().is_none());
    }
}
