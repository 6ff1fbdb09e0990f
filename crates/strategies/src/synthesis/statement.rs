//! The equivalences and equalities of a preset, at its sorts.

use smelt_smtlib::sexpr::Sexpr;

use super::preset::Preset;
use super::shape::{fill, items};
use crate::rules::{Rule, STATEMENTS, statements};
use crate::template::plain;

/// An operation and a formula that says the same.
#[derive(Clone, Debug)]
pub(super) struct Equivalence {
    pub(super) name: String,
    /// The variables of the operation, with their sorts.
    pub(super) variables: Vec<(String, String)>,
    /// The variables that exist: name, sort, and a term that is one.
    pub(super) some: Vec<(String, String, Sexpr)>,
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
    /// Whether it holds for every value of the subject, if the other variables are chosen well.
    pub(super) is_total: bool,
}

/// All statements of a preset.
#[derive(Clone, Debug)]
pub(super) struct Statements {
    pub(super) equivalences: Vec<Equivalence>,
    pub(super) equalities: Vec<Equality>,
}

impl Statements {
    pub(super) fn of(preset: &Preset) -> Result<Statements, String> {
        let [equivalences, equalities] = STATEMENTS.map(|(name, text)| match statements(text) {
            Ok(rules) => rules,
            Err(e) => panic!("the built-in {name} can be read: {e}"),
        });
        let wanted = |r: &&Rule| preset.rules.contains(&r.theory);
        Ok(Statements {
            equivalences: equivalences
                .iter()
                .filter(wanted)
                .map(|r| equivalence(r, preset))
                .collect::<Result<_, _>>()?,
            equalities: equalities
                .iter()
                .filter(wanted)
                .map(|r| equality(r, preset))
                .collect::<Result<_, _>>()?,
        })
    }
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
    let free = all.iter().filter(|v| v.2.is_none()).map(|v| (v.0.clone(), v.1.clone()));
    let some = all.iter().filter_map(|v| Some((v.0.clone(), v.1.clone(), v.2.clone()?)));
    Ok(Equivalence {
        name: rule.name.clone(),
        variables: free.collect(),
        some: some.collect(),
        often: rule
            .often
            .iter()
            .map(|(name, term)| Ok((name.clone(), fill(term, &preset.env)?)))
            .collect::<Result<_, String>>()?,
        operation: fill(&rule.from, &preset.env)?,
        definition: fill(&rule.to, &preset.env)?,
    })
}

fn equality(rule: &Rule, preset: &Preset) -> Result<Equality, String> {
    let all = variables(rule, preset)?;
    let to = fill(&rule.to, &preset.env)?;
    let [_, term, right] = items(&to) else { return Err(format!("rule `{}` is not an equality", rule.name)) };
    let right = plain(right);
    let subject = match all.iter().find(|v| v.0 == right) {
        Some(v) => Subject::Variable(v.0.clone(), v.1.clone()),
        None => Subject::Constant(right.clone(), sort_of(&right)),
    };
    let from = fill(&rule.from, &preset.env)?;
    let condition = (plain(&from) != "true").then_some(from);
    Ok(Equality {
        name: rule.name.clone(),
        is_total: condition.is_none() || !rule.some.is_empty(),
        subject,
        term: term.clone(),
        condition,
        others: all.into_iter().filter(|v| v.0 != right).collect(),
    })
}

/// The sort of a constant as the data files write them.
fn sort_of(constant: &str) -> String {
    let inside = constant.strip_prefix('(').and_then(|c| c.strip_suffix(')')).unwrap_or(constant);
    let words: Vec<&str> =
        if constant.starts_with('"') { vec![constant] } else { inside.splitn(3, ' ').collect() };
    match words[..] {
        ["true" | "false"] => "Bool".to_owned(),
        ["_", value, width] if value.starts_with("bv") => format!("(_ BitVec {width})"),
        ["as", _, sort] => sort.to_owned(),
        [text] if text.starts_with('"') => "String".to_owned(),
        [text] if text.starts_with("#b") => format!("(_ BitVec {})", text.len() - 2),
        _ => "Int".to_owned(),
    }
}
