//! Checks a rule by evaluation: no assignment may make it false, whatever values partial operators have.

use std::sync::Arc;

use smelt_core::Relation;
use smelt_semantics::eval::{Allowed, Interpretation, Meaning, Point};
use smelt_semantics::value::{Function, Value};
use smelt_semantics::{Evaluator, Unknown};
use smelt_smtlib::{Symbol, Term};

use super::instance::{Instance, Purpose, instances};
use super::read::Rule;
use crate::rng::Rng;
use crate::samples::{sort_sexpr, values};
use crate::workbench::Workbench;

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// It cannot be read at these sorts.
    #[error("is not well-sorted: {0}")]
    Untyped(String),
    /// It is false for these values.
    #[error("does not hold: {0}")]
    Counterexample(String),
    /// It says nothing anybody could check.
    #[error("cannot be checked: {0}")]
    Unchecked(String),
    /// It cannot be used: a variable is never bound, or a part stands where it must not.
    #[error("cannot be used: {0}")]
    Unusable(String),
}

/// How many assignments are tried for each choice of sorts.
#[derive(Clone, Copy, Debug)]
pub struct Effort(pub usize);

impl Effort {
    /// When a file is loaded.
    pub const LOAD: Effort = Effort(1500);
    /// In tests and for `xtask rules`.
    pub const THOROUGH: Effort = Effort(20_000);
}

/// How many open results are varied in one evaluation, and over how many values beyond the first of them, which is
/// tried at every value.
const OPEN_DEPTH: u32 = 3;
const OPEN_VALUES: usize = 4;

/// Checks a rule at several sorts.
pub(crate) fn check(rule: &Rule, effort: Effort) -> Result<(), Flaw> {
    let all = instances(rule, Purpose::Evaluation);
    let mut checked = 0;
    let mut trouble = None;
    for instance in &all {
        match Trial::new(instance, rule.relation)?.run(effort) {
            Ok(0) => {}
            Ok(_) => checked += 1,
            Err(Flaw::Unchecked(m)) => trouble = Some(m),
            Err(flaw) => return Err(flaw),
        }
    }
    match (checked, trouble) {
        (0, Some(m)) => Err(Flaw::Unchecked(m)),
        (0, None) => Err(Flaw::Unchecked("no values were found for which it says anything".to_owned())),
        _ => Ok(()),
    }
}

/// An instance, read and ready to be evaluated.
pub(super) struct Trial<'a> {
    instance: &'a Instance,
    relation: Relation,
    bench: Workbench,
    symbols: Vec<(Symbol, Vec<Meaning>)>,
    from: Term,
    to: Term,
    when: Option<Term>,
    some: Vec<(Symbol, Term)>,
    often: Vec<(Symbol, Term)>,
}

/// What is asked at some values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Whether the rule holds.
    Rule,
    /// What can be chosen was chosen: then the two sides of an equivalence are equal, and a condition is true.
    Chosen,
    /// What can be chosen is anything: then an equivalence holds in one direction only.
    Unchosen,
}

impl<'a> Trial<'a> {
    pub(super) fn new(instance: &'a Instance, relation: Relation) -> Result<Self, Flaw> {
        let untyped = |m: String| Flaw::Untyped(format!("{m}, with {}", instance.at));
        let mut bench = Workbench::new(&instance.declarations()).map_err(untyped)?;
        let from = bench.term(&instance.from).map_err(untyped)?;
        let to = bench.term(&instance.to).map_err(untyped)?;
        let when = instance.when.as_ref().map(|w| bench.term(w).map_err(untyped)).transpose()?;
        let mut defined = |list: &[(String, String)]| -> Result<Vec<(Symbol, Term)>, Flaw> {
            let each =
                list.iter().map(|(name, text)| Ok((bench.arena.symbol(name.as_bytes()), bench.term(text)?)));
            each.collect::<Result<_, _>>().map_err(untyped)
        };
        let (some, often) = (defined(&instance.some)?, defined(&instance.often)?);
        for t in [from, to].into_iter().chain(when) {
            if bench.arena.sort_of(t) != smelt_smtlib::Sort::BOOL {
                return Err(untyped(format!("{} is not a formula", bench.arena.display_term(t))));
            }
        }
        let mut symbols = Vec::new();
        let mut rng = Rng::new(0x5eed);
        for (name, args, sort) in &instance.symbols {
            let symbol = bench.arena.symbol(name.as_bytes());
            // The terms of the values are not needed again.
            let mark = bench.arena.checkpoint();
            let results = bench.samples(sort, 3).map_err(Flaw::Untyped)?;
            let meanings = match &args[..] {
                [] => results.into_iter().map(Meaning::Value).collect(),
                [arg] => {
                    let points = bench.samples(arg, 3).map_err(Flaw::Untyped)?;
                    functions(&points, &results, &mut rng)
                }
                _ => return Err(untyped(format!("`{name}` has several arguments"))),
            };
            bench.arena.rollback(mark);
            symbols.push((symbol, meanings));
        }
        Ok(Trial { instance, relation, bench, symbols, from, to, when, some, often })
    }

    /// Tries all assignments, or many; how many said anything.
    pub(super) fn run(&mut self, effort: Effort) -> Result<usize, Flaw> {
        let mut rng = Rng::new(0xa551);
        let sizes: Vec<usize> = self.symbols.iter().map(|s| s.1.len()).collect();
        let all = sizes.iter().try_fold(1usize, |n, &s| n.checked_mul(s)).unwrap_or(usize::MAX);
        let mut said = 0;
        let mut unknown = None;
        let mut interpretation = self.bench.base.clone();
        let ways: &[(Question, bool)] = match (self.some.is_empty(), self.often.is_empty()) {
            (true, true) => &[(Question::Rule, false)],
            (true, false) => &[(Question::Rule, false), (Question::Rule, true)],
            (false, true) => &[(Question::Chosen, false), (Question::Unchosen, false)],
            (false, false) => {
                &[(Question::Chosen, false), (Question::Unchosen, false), (Question::Unchosen, true)]
            }
        };
        for k in 0..all.min(effort.0) {
            let mut rest = k;
            let mut chosen: Vec<usize> = Vec::with_capacity(sizes.len());
            for &size in &sizes {
                chosen.push(if all <= effort.0 { rest % size } else { rng.below(size) });
                rest /= size;
            }
            // Equal values are a corner of their own.
            if all > effort.0 && chosen.len() > 1 && k % 4 == 3 {
                let (i, j) = (rng.below(chosen.len()), rng.below(chosen.len()));
                if sizes[i] == sizes[j] {
                    chosen[i] = chosen[j];
                }
            }
            for &(question, often) in ways {
                for (&(name, ref meanings), &i) in self.symbols.iter().zip(&chosen) {
                    interpretation.assign(name, meanings[i].clone());
                }
                if often && !self.define(&self.often, &mut interpretation)
                    || question == Question::Chosen && !self.define(&self.some, &mut interpretation)
                {
                    continue;
                }
                match self.holds(&mut interpretation, question, OPEN_DEPTH) {
                    Ok(None) => {}
                    Ok(Some(true)) => said += 1,
                    Ok(Some(false)) => return Err(Flaw::Counterexample(self.show(&interpretation))),
                    Err(u) => unknown = Some(u),
                }
            }
        }
        match unknown {
            Some(u) if said == 0 => {
                Err(Flaw::Unchecked(format!("{}, with {}", u.describe(&self.bench.arena), self.instance.at)))
            }
            _ => Ok(said),
        }
    }

    /// Gives symbols the values of terms, one after the other; whether all have one.
    fn define(&self, list: &[(Symbol, Term)], interpretation: &mut Interpretation) -> bool {
        list.iter().all(|&(name, term)| {
            let value = self.bench.evaluator(interpretation).eval(term);
            value.map(|v| interpretation.assign(name, Meaning::Value(v))).is_ok()
        })
    }

    /// Whether the rule holds here; `None` where it says nothing. Open results are tried with several values.
    fn holds(
        &self,
        interpretation: &mut Interpretation,
        question: Question,
        depth: u32,
    ) -> Result<Option<bool>, Unknown> {
        let (verdict, open) = self.once(interpretation, question);
        let (Err(Unknown::Unspecified(_)), Some(point)) = (&verdict, open) else { return verdict };
        if depth == 0 {
            return Ok(None);
        }
        let mut any = None;
        for value in self.open_values(&point, depth) {
            interpretation.choose(point.clone(), value);
            let verdict = self.holds(interpretation, question, depth - 1);
            if verdict != Ok(Some(false)) {
                interpretation.unchoose(&point);
            }
            match verdict? {
                Some(false) => return Ok(Some(false)),
                verdict => any = any.or(verdict),
            }
        }
        Ok(any)
    }

    fn once(
        &self,
        interpretation: &Interpretation,
        question: Question,
    ) -> (Result<Option<bool>, Unknown>, Option<Point>) {
        let mut evaluator = self.bench.evaluator(interpretation);
        let verdict = self.judge(&mut evaluator, question);
        (verdict, evaluator.open_point().cloned())
    }

    fn judge(&self, evaluator: &mut Evaluator<'_>, question: Question) -> Result<Option<bool>, Unknown> {
        if let Some(when) = self.when
            && !evaluator.holds(when)?
        {
            return Ok(None);
        }
        // A side that is decided may decide the whole, whatever the other is.
        let (from, to) = (evaluator.holds(self.from), evaluator.holds(self.to));
        let implied = |strong: Result<bool, Unknown>, weak: Result<bool, Unknown>| match (strong, weak) {
            (Ok(false), _) | (_, Ok(true)) => Ok(true),
            (Ok(true), Ok(false)) => Ok(false),
            (Err(u), _) | (_, Err(u)) => Err(u),
        };
        // Where the stronger side is false, the rule says nothing.
        let said =
            |strong: Result<bool, Unknown>, holds: bool| (!holds || strong == Ok(true)).then_some(holds);
        match self.relation {
            Relation::Same if question == Question::Unchosen => Ok(said(to, implied(to, from)?)),
            Relation::Weaker | Relation::Stronger if question == Question::Chosen && !from? => {
                Ok(Some(false))
            }
            Relation::Weaker => Ok(said(from, implied(from, to)?)),
            Relation::Stronger => Ok(said(to, implied(to, from)?)),
            Relation::Same => Ok(Some(from? == to?)),
        }
    }

    /// Values to try where the standard leaves a result open.
    fn open_values(&self, point: &Point, depth: u32) -> Vec<Value> {
        if let Allowed::OneOf(values) = point.allowed(&self.bench.arena) {
            return values;
        }
        let sort = self.bench.arena.display_sort(point.sort);
        let texts = sort_sexpr(&sort).and_then(|s| values(&s, 2));
        let mut bench = self.bench.clone();
        let many = depth < OPEN_DEPTH;
        let step = texts.as_ref().filter(|_| many).map_or(1, |t| (t.len() / OPEN_VALUES).max(1));
        texts.into_iter().flatten().step_by(step).filter_map(|text| bench.value(&text).ok()).collect()
    }

    fn show(&mut self, interpretation: &Interpretation) -> String {
        let mut parts = Vec::new();
        let symbols: Vec<(String, Value)> = self
            .symbols
            .iter()
            .map(|&(name, _)| {
                let value = match interpretation.meaning(name) {
                    Some(Meaning::Value(v)) => v.clone(),
                    Some(Meaning::Table(f)) => Value::Function(Arc::clone(f)),
                    Some(Meaning::Definition { .. }) | None => Value::Bool(false),
                };
                (self.bench.arena.name(name).into_owned(), value)
            })
            .collect();
        for ((name, value), (_, _, sort)) in symbols.into_iter().zip(&self.instance.symbols) {
            let shown = match value {
                Value::Function(f) => format!("a function that differs at {} points", f.entries().len()),
                value => self.print(&value, sort).unwrap_or_else(|_| "?".to_owned()),
            };
            parts.push(format!("{name} = {shown}"));
        }
        let open: Vec<String> = interpretation
            .choices()
            .into_iter()
            .map(|(point, _)| format!("and some value where `{}` is open", self.bench.arena.name(point.name)))
            .collect();
        let relation = match self.relation {
            Relation::Weaker => "does not imply",
            Relation::Stronger => "is not implied by",
            Relation::Same => "is not",
        };
        let Instance { from, to, .. } = self.instance;
        format!("{from} {relation} {to} for {}{}", parts.join(", "), open.join(" "))
    }

    fn print(&mut self, value: &Value, sort: &str) -> Result<String, String> {
        let sort = self.bench.sort(sort)?;
        self.bench.print(value, sort)
    }
}

/// Functions: all over few points, some at random over many, constant ones always.
fn functions(points: &[Value], results: &[Value], rng: &mut Rng) -> Vec<Meaning> {
    let table = |f: Function| Meaning::Table(Arc::new(f));
    let mut all: Vec<Meaning> = results.iter().take(4).map(|r| table(Function::new(r.clone(), []))).collect();
    let many = results.len().checked_pow(points.len() as u32).filter(|n| *n <= 64);
    for k in 0..many.unwrap_or(16) {
        let mut rest = k;
        let entries: Vec<(Vec<Value>, Value)> = points
            .iter()
            .map(|p| {
                let i = if many.is_some() { rest % results.len() } else { rng.below(results.len()) };
                rest /= results.len();
                (vec![p.clone()], results[i].clone())
            })
            .collect();
        all.push(table(Function::new(results[k % results.len()].clone(), entries)));
    }
    all
}
