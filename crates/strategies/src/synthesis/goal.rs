//! Unsatisfiable formulas: the negation of an operation, its definition, and replacements that keep them
//! contradictory.
//!
//! Let `A` be the operation and `B` its definition, without the quantifiers of existential variables. `(not A)` and
//! `B` contradict each other. They still do if a variable or constant becomes a new variable in `B` and a clause
//! makes both equal. Such a clause is needed for the contradiction; a clause about a variable that occurs only in
//! `B` is noise.

use smelt_smtlib::sexpr::Sexpr;

use super::options::Family;
use super::shape::{abstracted, atom, bound, guarded, list, parts, rename};
use super::statement::{Equality, Equivalence, Statements, Subject};
use crate::rules::mentions;

/// What can be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    /// A free variable of `B`; whether what it stands for is in `A` too.
    Variable { name: String, sort: String, matters: bool },
    /// A variable that a quantifier of `B` binds.
    Bound { name: String, sort: String },
    /// A constant.
    Constant { text: String, sort: String },
}

/// One replacement: which target, by which equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    target: u16,
    equality: u16,
}

/// A clause that a replacement brought in.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) formula: Sexpr,
    pub(super) in_core: bool,
}

/// Why two terms have equal values, for the search of models.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// What is replaced: a variable or a constant.
    pub(super) old: Sexpr,
    pub(super) new: String,
    pub(super) term: Sexpr,
    /// The other variables of the equality, and what to choose for them.
    pub(super) others: Vec<(String, Option<Sexpr>)>,
    pub(super) matters: bool,
    /// The positions of its clause and of its condition, if it has one, among the assertions.
    pub(super) clause: usize,
    pub(super) condition: Option<usize>,
}

/// An unsatisfiable formula.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) declarations: Vec<(String, String)>,
    /// The variables of the operation.
    pub(super) variables: Vec<String>,
    /// The variables that exist, as they are called in `definition`, and a term that is one, if that is known.
    pub(super) some: Vec<(String, Option<Sexpr>)>,
    /// Values for which `definition` holds more often, in order.
    pub(super) often: Vec<(String, Sexpr)>,
    pub(super) operation: Sexpr,
    /// The operation on the variables of the definition.
    pub(super) shadow: Sexpr,
    pub(super) definition: Sexpr,
    /// What `definition` is equivalent to: it has no noise below quantifiers.
    pub(super) plain: Sexpr,
    pub(super) clauses: Vec<Clause>,
    pub(super) links: Vec<Link>,
    pub(super) family: Family,
    /// The names of the rules, in order.
    pub(super) rules: Vec<String>,
    targets: Vec<Target>,
}

impl Goal {
    /// The formula that an equivalence gives.
    pub(super) fn new(equivalence: &Equivalence, statements: &Statements) -> Goal {
        let Equivalence { name, variables, some, often, operation, definition } = equivalence;
        let mut targets = Vec::new();
        let in_definition = |v: &&(String, String)| mentions(definition, &v.0);
        for (name, sort) in variables.iter().filter(in_definition) {
            targets.push(Target::Variable { name: name.clone(), sort: sort.clone(), matters: true });
        }
        for (name, sort, _) in some {
            targets.push(Target::Variable { name: name.clone(), sort: sort.clone(), matters: false });
        }
        let mut quantified = Vec::new();
        bound(definition, &mut quantified);
        targets.extend(quantified.into_iter().map(|(name, sort)| Target::Bound { name, sort }));
        let mut constants: Vec<Target> = Vec::new();
        let mut look = |text: &str| {
            let found = statements.equalities.iter().find_map(|e| match &e.subject {
                Subject::Constant(c, sort) if c == text => Some(sort.clone()),
                _ => None,
            });
            if let Some(sort) = found {
                let target = Target::Constant { text: text.to_owned(), sort };
                if !constants.contains(&target) {
                    constants.push(target);
                }
            }
        };
        parts(operation, &mut look);
        parts(definition, &mut look);
        targets.append(&mut constants);
        let existing = some.iter().map(|s| (s.0.clone(), s.1.clone()));
        Goal {
            declarations: variables.iter().cloned().chain(existing).collect(),
            variables: variables.iter().map(|v| v.0.clone()).collect(),
            some: some.iter().map(|s| (s.0.clone(), s.2.clone())).collect(),
            often: often.clone(),
            operation: operation.clone(),
            shadow: operation.clone(),
            definition: definition.clone(),
            plain: definition.clone(),
            clauses: Vec::new(),
            links: Vec::new(),
            family: Family::Equivalence,
            rules: vec![name.clone()],
            targets,
        }
    }

    /// Every replacement of a target behind the last one: two orders of the same replacements are one formula.
    pub(super) fn moves(&self, statements: &Statements, last: Option<Move>) -> Vec<Move> {
        let first = last.map_or(0, |m| m.target as usize + 1);
        let mut all = Vec::new();
        for (t, target) in self.targets.iter().enumerate().skip(first) {
            for (e, equality) in statements.equalities.iter().enumerate() {
                let fits = match (target, &equality.subject) {
                    (Target::Variable { sort, .. } | Target::Bound { sort, .. }, Subject::Variable(_, s)) => {
                        s == sort
                    }
                    (Target::Constant { text, .. }, Subject::Constant(c, _)) => c == text,
                    _ => false,
                };
                if fits {
                    all.push(Move { target: t as u16, equality: e as u16 });
                }
            }
        }
        all
    }

    /// The formula after one more replacement.
    pub(super) fn replaced(&self, statements: &Statements, step: Move) -> Goal {
        let mut goal = self.clone();
        let equality = &statements.equalities[step.equality as usize];
        let number = self.rules.len();
        goal.rules.push(equality.name.clone());
        let others: Vec<(String, String)> = equality
            .others
            .iter()
            .map(|(name, sort, _)| (format!("{name}_a{number}"), sort.clone()))
            .collect();
        match self.targets[step.target as usize].clone() {
            Target::Variable { name, sort, matters } => {
                let new = format!("{name}_f{number}");
                let parts = Parts::of(equality, &name, number);
                goal.definition = rename(&goal.definition, &name, &new);
                goal.plain = rename(&goal.plain, &name, &new);
                goal.shadow = rename(&goal.shadow, &name, &new);
                for (n, term) in goal.guesses() {
                    if *n == name {
                        n.clone_from(&new);
                    }
                    if let Some(term) = term {
                        *term = rename(term, &name, &new);
                    }
                }
                let clause = list(vec![atom("="), parts.term.clone(), atom(&new)]);
                goal.link(parts, clause, atom(&name), &new, matters);
                goal.family = if matters { Family::Variable } else { Family::Noise };
                goal.declarations.push((new.clone(), sort.clone()));
                goal.declarations.extend(others);
                goal.targets.push(Target::Variable { name: new, sort, matters });
            }
            Target::Bound { name, sort } => {
                let new = format!("{name}_f{number}");
                let parts = Parts::of(equality, &name, number);
                // With the old variable equal to the new one the premise holds, so that the body still must, always.
                let equation = list(vec![atom("="), parts.term.clone(), atom(&new)]);
                let premise = match &parts.condition {
                    Some(condition) => list(vec![atom("=>"), condition.clone(), equation]),
                    None => equation,
                };
                let mut fresh = vec![(new.clone(), sort.clone())];
                fresh.extend(others);
                goal.definition = guarded(&goal.definition, &name, &fresh, &premise, &parts.term);
                goal.family = Family::Noise;
                goal.targets.push(Target::Bound { name: new, sort });
            }
            Target::Constant { text, sort } => {
                let new = format!("c_f{number}");
                let parts = Parts::of(equality, &text, number);
                for formula in [&mut goal.operation, &mut goal.shadow, &mut goal.definition, &mut goal.plain]
                {
                    *formula = abstracted(formula, &text, &new);
                }
                for (_, term) in goal.guesses() {
                    if let Some(term) = term {
                        *term = abstracted(term, &text, &new);
                    }
                }
                let clause = list(vec![atom("="), atom(&new), parts.term.clone()]);
                goal.link(parts, clause, atom(&text), &new, true);
                goal.family = Family::Constant;
                goal.declarations.push((new.clone(), sort.clone()));
                goal.declarations.extend(others);
                goal.targets.push(Target::Variable { name: new, sort, matters: true });
            }
        }
        goal
    }

    /// Names with the terms that give them values.
    fn guesses(&mut self) -> impl Iterator<Item = (&mut String, Option<&mut Sexpr>)> {
        let some = self.some.iter_mut().map(|(name, term)| (name, term.as_mut()));
        some.chain(self.often.iter_mut().map(|(name, term)| (name, Some(term))))
    }

    /// Adds what makes `new` equal to `old`: a clause, and its condition.
    fn link(&mut self, parts: Parts, clause: Sexpr, old: Sexpr, new: &str, matters: bool) {
        let at = self.clauses.len() + 2;
        let condition = parts.condition.as_ref().map(|_| at + 1);
        for formula in [Some(clause), parts.condition].into_iter().flatten() {
            self.clauses.push(Clause { formula, in_core: matters });
        }
        let Parts { term, others, .. } = parts;
        self.links.push(Link { old, new: new.to_owned(), term, others, matters, clause: at, condition });
    }

    /// All assertions, with whether the core has them.
    pub(super) fn assertions(&self) -> Vec<(Sexpr, bool)> {
        let denied = list(vec![atom("not"), self.operation.clone()]);
        let clauses = self.clauses.iter().map(|c| (c.formula.clone(), c.in_core));
        [(denied, true), (self.definition.clone(), true)].into_iter().chain(clauses).collect()
    }
}

/// An equality with the names that a step gives its variables.
struct Parts {
    term: Sexpr,
    condition: Option<Sexpr>,
    others: Vec<(String, Option<Sexpr>)>,
}

impl Parts {
    /// `subject` is the variable that the equality is about.
    fn of(equality: &Equality, subject: &str, number: usize) -> Parts {
        let named = |s: &Sexpr| {
            // All at once: a variable of the equality may be called like the subject.
            let hidden =
                equality.others.iter().fold(s.clone(), |s, (v, ..)| rename(&s, v, &format!("{v}_a{number}")));
            match &equality.subject {
                Subject::Variable(v, _) => rename(&hidden, v, subject),
                Subject::Constant(..) => hidden,
            }
        };
        Parts {
            term: named(&equality.term),
            condition: equality.condition.as_ref().map(named),
            others: equality
                .others
                .iter()
                .map(|(v, _, chosen)| (format!("{v}_a{number}"), chosen.as_ref().map(named)))
                .collect(),
        }
    }
}
