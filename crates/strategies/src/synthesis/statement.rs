//! The equivalences and equalities of a preset, at its sorts.

use smelt_core::Relation;
use smelt_smtlib::sexpr::Sexpr;

use super::preset::Preset;
use super::shape::{bound, fill, items};
use crate::rules::{Effort, Rule, STATEMENTS, mentions, statements};
use crate::template::plain;
use crate::workbench::Workbench;

/// An operation and a formula that says the same.
#[derive(Clone, Debug)]
pub(super) struct Equivalence {
    pub(super) name: String,
    /// The variables of the operation, with their sorts.
    pub(super) variables: Vec<(String, String)>,
    /// The variables that exist: name, sort, and a term that is one, if that is known.
    pub(super) some: Vec<(String, String, Option<Sexpr>)>,
    /// Values for which the definition holds more often than for random ones, in order.
    pub(super) often: Vec<(String, Sexpr)>,
    pub(super) operation: Sexpr,
    pub(super) definition: Sexpr,
}

/// What a term is equal to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// This variable, of this sort.
    Variable(String, String),
    /// This constant, of this sort.
    Constant(String, String),
}

/// A term that equals a variable or a constant, under a condition.
#[derive(Clone, Debug)]
pub(super) struct Equality {
    pub(super) name: String,
    pub(super) subject: Subject,
    pub(super) term: Sexpr,
    pub(super) condition: Option<Sexpr>,
    /// Its other variables, with sorts, and what to choose for them where that matters.
    pub(super) others: Vec<(String, String, Option<Sexpr>)>,
}

/// All statements of a preset.
#[derive(Clone, Debug)]
pub(super) struct Statements {
    pub(super) equivalences: Vec<Equivalence>,
    pub(super) equalities: Vec<Equality>,
}

/// More statements than this are a mistake.
const MAX_STATEMENTS: usize = 10_000;

impl Statements {
    /// The built-in statements of a preset, or all of a user's files instead, if they hold.
    pub(super) fn of(preset: &Preset, files: [Option<&str>; 2]) -> Result<Statements, String> {
        let mut bench = Workbench::new("").expect("nothing is declared");
        let [equivalences, equalities] = [0, 1].map(|i| match files[i] {
            Some(text) => users(STATEMENTS[i].0, text),
            None => Ok(builtin(i).into_iter().filter(|r| preset.rules.contains(&r.theory)).collect()),
        });
        let equalities = equalities?;
        Ok(Statements {
            equivalences: equivalences?.iter().map(|r| equivalence(r, preset)).collect::<Result<_, _>>()?,
            equalities: equalities
                .iter()
                .map(|r| equality(r, preset, &mut bench))
                .collect::<Result<_, _>>()?,
        })
    }
}

fn builtin(file: usize) -> Vec<Rule> {
    let (name, text) = STATEMENTS[file];
    match statements(text) {
        Ok(rules) => rules,
        Err(e) => panic!("the built-in {name} can be read: {e}"),
    }
}

/// The statements of a user's file, each of which was checked.
fn users(name: &str, text: &str) -> Result<Vec<Rule>, String> {
    let rules = statements(text.as_bytes()).map_err(|e| format!("{name}: {e}"))?;
    if rules.len() > MAX_STATEMENTS {
        return Err(format!("{name}: more than {MAX_STATEMENTS} rules"));
    }
    for rule in &rules {
        let refuse = |why: String| format!("{name}: rule `{}` {why}", rule.name);
        fits(rule).map_err(|why| refuse(why.to_owned()))?;
        rule.check(Effort::LOAD).map_err(|flaw| refuse(flaw.to_string()))?;
    }
    Ok(rules)
}

/// Whether formulas can be made of a rule: only variables that stand for terms, no condition beside `from`, and names that
/// are renamed wherever they stand.
fn fits(rule: &Rule) -> Result<(), &'static str> {
    if rule.when.is_some() || rule.vars.len() != rule.variables().count() {
        return Err("has parts that a statement cannot have: it has `var`, `some` and `often` only");
    }
    let mut names: Vec<String> = rule.vars.iter().map(|v| v.name.clone()).collect();
    for side in [&rule.from, &rule.to] {
        if ["let", "match", "exists", "lambda"].iter().any(|word| mentions(side, word)) {
            return Err("binds variables with other words than `forall`");
        }
        let mut quantified = Vec::new();
        bound(side, &mut quantified);
        names.extend(quantified.into_iter().map(|v| v.0));
    }
    let count = names.len();
    names.sort();
    names.dedup();
    if names.len() == count { Ok(()) } else { Err("uses one name for two variables") }
}

/// The variables of a rule with their sorts, and what to choose for them.
fn variables(rule: &Rule, preset: &Preset) -> Result<Vec<(String, String, Option<Sexpr>)>, String> {
    let sorts = rule.variables().map(|(name, sort)| {
        let chosen = rule.some.iter().find(|(n, _)| n == name);
        let chosen = chosen.map(|(_, term)| fill(term, &preset.env)).transpose()?;
        Ok((name.to_owned(), plain(&fill(sort, &preset.env)?), chosen))
    });
    sorts.collect()
}

fn equivalence(rule: &Rule, preset: &Preset) -> Result<Equivalence, String> {
    let all = variables(rule, preset)?;
    if rule.relation == Relation::Weaker {
        return Err(format!(
            "rule `{}` does not say what implies an operation: use `equal` or `stronger`",
            rule.name
        ));
    }
    // What the operation does not mention exists.
    let (free, some): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|v| v.2.is_none() && mentions(&rule.from, &v.0));
    Ok(Equivalence {
        name: rule.name.clone(),
        variables: free.into_iter().map(|v| (v.0, v.1)).collect(),
        some,
        often: rule
            .often
            .iter()
            .map(|(name, term)| Ok((name.clone(), fill(term, &preset.env)?)))
            .collect::<Result<_, String>>()?,
        operation: fill(&rule.from, &preset.env)?,
        definition: fill(&rule.to, &preset.env)?,
    })
}

fn equality(rule: &Rule, preset: &Preset, bench: &mut Workbench) -> Result<Equality, String> {
    let all = variables(rule, preset)?;
    let to = fill(&rule.to, &preset.env)?;
    let wrong = || {
        format!("rule `{}` is not `(weaker (= TERM VARIABLE))` or `(weaker (= TERM CONSTANT))`", rule.name)
    };
    let [equals, term, right] = items(&to) else { return Err(wrong()) };
    if plain(equals) != "=" || rule.relation == Relation::Stronger {
        return Err(wrong());
    }
    let right = plain(right);
    let subject = match all.iter().find(|v| v.0 == right) {
        Some(v) => Subject::Variable(v.0.clone(), v.1.clone()),
        None => {
            let constant = bench.term(&right).map_err(|_| wrong())?;
            let sort = bench.arena.sort_of(constant);
            Subject::Constant(right.clone(), bench.arena.display_sort(sort).to_string())
        }
    };
    let from = fill(&rule.from, &preset.env)?;
    let condition = (plain(&from) != "true").then_some(from);
    Ok(Equality {
        name: rule.name.clone(),
        subject,
        term: term.clone(),
        condition,
        others: all.into_iter().filter(|v| v.0 != right).collect(),
    })
}
