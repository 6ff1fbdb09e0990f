//! Determines which assertions a contradiction needs: for each, it searches for a model of all the others.
//!
//! If every assertion of a core is needed, it is the only minimal core. Models are searched for among sample
//! values, mostly with values that follow from others, and every model is evaluated.

use std::collections::HashMap;

use smelt_semantics::Evaluator;
use smelt_semantics::eval::{Effort, Interpretation, Meaning};
use smelt_semantics::value::Value;
use smelt_smtlib::sexpr::Sexpr;
use smelt_smtlib::{Sort, Symbol, Term};

use super::goal::{Goal, Link};
use super::shape::{atom, items, parts};
use crate::rng::Rng;
use crate::template::plain;
use crate::workbench::Workbench;

/// Assignments that are tried.
const TRIES: usize = 3000;
/// As many at least, so that a formula with a model is noticed.
const LEAST: usize = 32;
/// For one evaluation; samples are small.
const EFFORT: Effort = Effort { steps: 200_000, assignments: 5_000, depth: 100 };

/// What was found out about a formula.
#[derive(Clone, Debug, Default)]
pub(super) struct Needed {
    /// By assertion, a model of all the others, as a solver would print it.
    pub(super) models: Vec<Option<String>>,
    /// Values for which everything holds: then the formula is not a contradiction, and a rule is wrong.
    pub(super) refuted: bool,
}

/// How a variable gets its value, while a model of all but one assertion is looked for.
enum Step {
    Sample(usize),
    /// The result of the operation.
    Result(usize, Term),
    /// The same on the variables of the definition: what contradicts the operation may agree with it on other values.
    Shadow(usize, Term),
    /// What is equal to something old because of a term; the assertions that say so.
    Link {
        at: usize,
        old: Term,
        term: Term,
        clause: usize,
        condition: Option<usize>,
    },
    /// What a condition wants.
    Chosen {
        at: usize,
        term: Term,
        condition: Option<usize>,
    },
    /// What there is if the definition holds.
    Follow(usize, Term),
    /// What makes the definition hold, if what there is was not made to follow.
    Lead(usize, Term),
}

struct Search {
    bench: Workbench,
    interpretation: Interpretation,
    /// Name, sort, samples, and samples that are likely to matter.
    variables: Vec<(Symbol, Sort, Vec<Value>, Vec<Value>)>,
    steps: Vec<Step>,
    assertions: Vec<Term>,
}

/// Looks for models; `None` if the formula is not what this knows how to read.
pub(super) fn needed(goal: &Goal) -> Option<Needed> {
    let mut search = Search::new(goal)?;
    let mut found = Needed { models: vec![None; search.assertions.len()], refuted: false };
    let in_core: Vec<bool> = goal.assertions().into_iter().map(|a| a.1).collect();
    let mut rng = Rng::new(0x6e65_6564);
    for k in 0..TRIES {
        let missing: Vec<usize> =
            (0..in_core.len()).filter(|&i| in_core[i] && found.models[i].is_none()).collect();
        let victim = match missing.get(k % missing.len().max(1)) {
            Some(&victim) => victim,
            None if k < LEAST => k % in_core.len(),
            None => break,
        };
        if !search.assign(victim, &mut rng) {
            continue;
        }
        // At most one assertion may fail; where it is unknown, the others still hold.
        let mut failing = None;
        let mut count = 0;
        for (i, &assertion) in search.assertions.iter().enumerate() {
            if search.evaluator().holds(assertion) != Ok(true) {
                (failing, count) = (Some(i), count + 1);
                if count > 1 || found.models[i].is_some() {
                    break;
                }
            }
        }
        match (count, failing) {
            (0, _) => {
                found.refuted = true;
                return Some(found);
            }
            (1, Some(i)) if found.models[i].is_none() => found.models[i] = search.model(),
            _ => {}
        }
    }
    Some(found)
}

impl Search {
    fn new(goal: &Goal) -> Option<Search> {
        let declare = |(name, sort): &(String, String)| format!("(declare-const {name} {sort})");
        let text: String = goal.declarations.iter().map(declare).collect();
        let bench = Workbench::new(&text).ok()?;
        let interpretation = bench.base.clone();
        let mut search = Search {
            bench,
            interpretation,
            variables: Vec::new(),
            steps: Vec::new(),
            assertions: Vec::new(),
        };
        let mut samples: HashMap<&str, Vec<Value>> = HashMap::new();
        for (name, sort) in &goal.declarations {
            if !samples.contains_key(&**sort) {
                samples.insert(sort, search.bench.samples(sort, 3).ok()?);
            }
            let symbol = search.bench.arena.symbol(name.as_bytes());
            let parsed = search.bench.sort(sort).ok()?;
            let likely = search.likely(goal, parsed);
            search.variables.push((symbol, parsed, samples[&**sort].clone(), likely));
        }
        search.plan(goal)?;
        for (i, (assertion, _)) in goal.assertions().iter().enumerate() {
            // What the definition is equivalent to is easier to evaluate.
            let term = search.term(if i == 1 { &goal.plain } else { assertion })?;
            search.assertions.push(term);
        }
        Some(search)
    }

    /// In which order variables get values: each after those that it may follow from.
    fn plan(&mut self, goal: &Goal) -> Option<()> {
        let at = |name: &str| goal.declarations.iter().position(|d| d.0 == name);
        for name in &goal.variables {
            self.steps.push(Step::Sample(at(name)?));
        }
        if let [_, operation, result] = items(&goal.operation)
            && let Some(i) = at(&plain(result))
        {
            let term = self.term(operation)?;
            self.steps.push(Step::Result(i, term));
        }
        for link in goal.links.iter().filter(|l| l.matters) {
            self.others(link, &at)?;
            let (old, term) = (self.term(&link.old)?, self.term(&link.term)?);
            let Link { clause, condition, .. } = *link;
            self.steps.push(Step::Link { at: at(&link.new)?, old, term, clause, condition });
        }
        if let [_, operation, result] = items(&goal.shadow)
            && let Some(i) = at(&plain(result))
        {
            let term = self.term(operation)?;
            self.steps.push(Step::Shadow(i, term));
        }
        for (name, chosen) in &goal.some {
            let step = match chosen {
                Some(term) => Step::Follow(at(name)?, self.term(term)?),
                None => Step::Sample(at(name)?),
            };
            self.steps.push(step);
        }
        for (name, term) in &goal.often {
            let term = self.term(term)?;
            self.steps.push(Step::Lead(at(name)?, term));
        }
        for link in goal.links.iter().filter(|l| !l.matters).rev() {
            let new = self.term(&atom(&link.new))?;
            self.steps.push(Step::Follow(at(&plain(&link.old))?, new));
            self.others(link, &at)?;
        }
        Some(())
    }

    fn others(&mut self, link: &Link, at: &impl Fn(&str) -> Option<usize>) -> Option<()> {
        for (name, chosen) in &link.others {
            let at = at(name)?;
            let step = match chosen {
                Some(term) => Step::Chosen { at, term: self.term(term)?, condition: link.condition },
                None => Step::Sample(at),
            };
            self.steps.push(step);
        }
        Some(())
    }

    /// The constants of a sort in a formula, and small numbers.
    fn likely(&mut self, goal: &Goal, sort: Sort) -> Vec<Value> {
        let mut texts: Vec<String> =
            if sort == Sort::INT { vec!["0".into(), "1".into(), "2".into()] } else { Vec::new() };
        for (assertion, _) in goal.assertions() {
            parts(&assertion, &mut |part| {
                if part.starts_with(|c: char| c == '"' || c == '#' || c.is_ascii_digit())
                    || part.starts_with("(- ")
                    || part.starts_with("(_ bv")
                {
                    texts.push(part.to_owned());
                }
            });
        }
        texts.sort();
        texts.dedup();
        let mut all = Vec::new();
        for text in texts {
            let Ok(term) = self.bench.term(&text) else { continue };
            if self.bench.arena.sort_of(term) == sort {
                all.extend(self.evaluator().eval(term));
            }
        }
        all
    }

    fn term(&mut self, s: &Sexpr) -> Option<Term> {
        self.bench.term(&plain(s)).ok()
    }

    fn evaluator(&self) -> Evaluator<'_> {
        self.bench.evaluator(&self.interpretation).with_effort(EFFORT)
    }

    /// Gives every variable a value; false if one that was to follow has none.
    fn assign(&mut self, victim: usize, rng: &mut Rng) -> bool {
        let leads = rng.one_in(3) && self.steps.iter().any(|s| matches!(s, Step::Lead(..)));
        for k in 0..self.steps.len() {
            let mostly = |rng: &mut Rng, term| (!rng.one_in(8)).then_some(term);
            let (at, term) = match self.steps[k] {
                Step::Sample(at) => (at, None),
                Step::Result(at, term) => (at, rng.one_in(2).then_some(term)),
                Step::Shadow(..) if rng.one_in(2) => continue,
                Step::Shadow(at, term) => (at, Some(term)),
                Step::Link { at, clause, .. } if victim == clause => (at, None),
                Step::Link { at, term, condition, .. } if Some(victim) == condition => (at, Some(term)),
                Step::Link { at, old, .. } => (at, mostly(rng, old)),
                Step::Chosen { at, condition, .. } if Some(victim) == condition => (at, None),
                Step::Lead(at, term) if leads => (at, Some(term)),
                Step::Lead(..) => continue,
                Step::Follow(at, _) if leads => (at, None),
                Step::Chosen { at, term, .. } | Step::Follow(at, term) => (at, mostly(rng, term)),
            };
            let (name, _, samples, likely) = &self.variables[at];
            let value = match term {
                Some(term) => self.evaluator().eval(term).ok(),
                None if rng.one_in(2) && !likely.is_empty() => rng.pick(likely).cloned(),
                None if rng.one_in(4) => self.other_value(at, rng),
                None => rng.pick(samples).cloned(),
            };
            let Some(value) = value else { return false };
            let name = *name;
            self.interpretation.assign(name, Meaning::Value(value));
        }
        true
    }

    /// The value of a variable of the same sort: equal values are a corner of their own.
    fn other_value(&self, at: usize, rng: &mut Rng) -> Option<Value> {
        let same: Vec<Symbol> =
            self.variables.iter().filter(|v| v.1 == self.variables[at].1).map(|v| v.0).collect();
        match self.interpretation.meaning(*rng.pick(&same)?)? {
            Meaning::Value(value) => Some(value.clone()),
            _ => None,
        }
    }

    fn model(&mut self) -> Option<String> {
        let mut out = "(\n".to_owned();
        for (name, sort, ..) in self.variables.clone() {
            let Some(Meaning::Value(value)) = self.interpretation.meaning(name).cloned() else { return None };
            let value = self.bench.print(&value, sort).ok()?;
            let arena = &self.bench.arena;
            out += &format!("(define-fun {} () {} {value})\n", arena.name(name), arena.display_sort(sort));
        }
        Some(out + ")\n")
    }
}
