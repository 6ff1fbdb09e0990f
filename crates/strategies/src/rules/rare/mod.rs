//! Checks the rewrite rules of a solver by evaluation, in the format that cvc5 prints (`declare-rule`).
//!
//! A rule has parameters (sorts, widths, terms, lists of terms), premises, and an equation. `ground` makes
//! instances at fixed sorts, widths and indices; the check of smelt's own rules then tries values for the other
//! symbols. One false instance refutes a rule. A rule is never accepted as correct here: the result is a
//! counterexample, or the number of values tried.

mod ground;
mod number;

use std::collections::HashSet;

use smelt_core::Relation;
use smelt_smtlib::Error;
use smelt_smtlib::sexpr::{Sexpr, SexprNode, read_all};

use super::check::{Effort, Flaw, Trial};
use super::instance::Instance;
use crate::rng::Rng;
use crate::template::plain;
use ground::Grounding;

/// At most this many instances of a rule are tried, after at most this many attempts to make one; more if there is none yet,
/// for premises about many numbers.
const INSTANCES: usize = 240;
const ATTEMPTS: usize = 6_000;
const MOST_ATTEMPTS: usize = 100_000;
/// The instances of a rule share this many times the assignments that a check of one instance of ours tries.
const ROUNDS: usize = 12;
/// At least this many assignments for each instance.
const LEAST: usize = 75;

/// A rule of a solver.
#[derive(Clone, Debug)]
pub struct RareRule {
    /// Its name.
    pub name: String,
    params: Vec<Param>,
    premises: Vec<Sexpr>,
    left: Sexpr,
    right: Sexpr,
}

#[derive(Clone, Debug)]
struct Param {
    name: String,
    sort: Sexpr,
    is_list: bool,
}

/// How much a check of a rule tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// Instances at fixed sorts, widths and indices.
    pub instances: usize,
    /// Assignments that satisfied the premises.
    pub assignments: usize,
}

/// Whether a file holds such rules.
pub fn is_rare(text: &[u8]) -> bool {
    text.windows(RULE.len() + 1).any(|w| w[0] == b'(' && &w[1..] == RULE.as_bytes())
}

const RULE: &str = "declare-rule";

/// Reads the rules of a file. A word outside of rules, such as the answer of the solver that printed them, is passed over.
pub fn read(text: &[u8]) -> Result<Vec<RareRule>, Error> {
    let items = read_all(&spelled(text))?;
    let rules = items.iter().filter(|item| matches!(item.node, SexprNode::List(_)));
    rules.map(|item| rule(&joined(item))).collect()
}

/// With quotients of numbers as SMT-LIB writes them: `1/2` is `(/ 1.0 2.0)`.
fn spelled(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut in_string = false;
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let is_start = out.last().is_none_or(|c: &u8| c.is_ascii_whitespace() || matches!(c, b'(' | b')'));
        if is_start
            && !in_string
            && let Some((written, after)) = quotient(rest)
        {
            out.extend_from_slice(written.as_bytes());
            rest = after;
            continue;
        }
        in_string ^= first == b'"';
        out.push(first);
        rest = &rest[1..];
    }
    out
}

/// The quotient that a text begins with, and what follows it.
fn quotient(text: &[u8]) -> Option<(String, &[u8])> {
    let (negative, unsigned) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    let (above, rest) = digits(unsigned)?;
    let (below, rest) = digits(rest.strip_prefix(b"/")?)?;
    let above = if negative { format!("(- {above}.0)") } else { format!("{above}.0") };
    Some((if below == "1" { above } else { format!("(/ {above} {below}.0)") }, rest))
}

fn digits(text: &[u8]) -> Option<(&str, &[u8])> {
    let length = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, rest) = text.split_at(length);
    std::str::from_utf8(number).ok().filter(|n| !n.is_empty()).map(|n| (n, rest))
}

/// With `a::b` as one word: in SMT-LIB these are three.
fn joined(item: &Sexpr) -> Sexpr {
    let SexprNode::List(items) = &item.node else { return item.clone() };
    let mut all: Vec<Sexpr> = Vec::new();
    let mut rest = &items[..];
    while let [first, more @ ..] = rest {
        rest = more;
        if let (Some(start), [colon, name, more @ ..]) = (number::atom(first), more)
            && let (Some(":"), Some(name)) = (number::atom(colon), number::atom(name))
            && name.starts_with(':')
        {
            let node = SexprNode::Atom(format!("{start}:{name}"));
            all.push(Sexpr { offset: first.offset, node });
            rest = more;
        } else {
            all.push(joined(first));
        }
    }
    Sexpr { offset: item.offset, node: SexprNode::List(all) }
}

fn rule(item: &Sexpr) -> Result<RareRule, Error> {
    let (name, parts) = item.entry(RULE)?;
    let Some((params, mut rest)) = parts.split_first() else {
        return Err(item.error("a rule without parameters"));
    };
    let params = params.list("parameters")?.iter().map(param).collect::<Result<_, _>>()?;
    let (mut premises, mut conclusion) = (Vec::new(), None);
    while let [key, value, more @ ..] = rest {
        match key.atom("a keyword")? {
            ":premises" => premises.extend(value.list("premises")?.iter().map(without_let)),
            ":conclusion" => conclusion = Some(without_let(value)),
            ":args" => {}
            other => return Err(key.error(format!("unknown keyword `{other}`"))),
        }
        rest = more;
    }
    let conclusion = conclusion.ok_or_else(|| item.error(format!("rule `{name}` has no conclusion")))?;
    match conclusion.list("an equation")? {
        [equal, left, right] if equal.atom("`=`")? == "=" => {
            Ok(RareRule { name: name.to_owned(), params, premises, left: left.clone(), right: right.clone() })
        }
        _ => Err(conclusion.error(format!("the conclusion of `{name}` is not an equation"))),
    }
}

fn param(item: &Sexpr) -> Result<Param, Error> {
    match item.list("a parameter")? {
        [name, sort, flags @ ..] => {
            let is_list = flags.iter().any(|f| plain(f) == ":list");
            Ok(Param { name: name.atom("a name")?.to_owned(), sort: sort.clone(), is_list })
        }
        _ => Err(item.error("expected `(NAME SORT)`")),
    }
}

/// A term with the variables of `let` replaced by what they stand for.
fn without_let(term: &Sexpr) -> Sexpr {
    expand(term, &mut Vec::new())
}

fn expand(term: &Sexpr, bound: &mut Vec<(String, Sexpr)>) -> Sexpr {
    match &term.node {
        SexprNode::Atom(a) => {
            bound.iter().rev().find(|b| b.0 == *a).map_or_else(|| term.clone(), |b| b.1.clone())
        }
        SexprNode::List(items) => match &items[..] {
            [head, bindings, body] if plain(head) == "let" => {
                let depth = bound.len();
                if let SexprNode::List(pairs) = &bindings.node {
                    let mut new = Vec::new();
                    for pair in pairs {
                        if let SexprNode::List(pair) = &pair.node
                            && let [name, value] = &pair[..]
                        {
                            new.push((plain(name), expand(value, bound)));
                        }
                    }
                    bound.extend(new);
                }
                let body = expand(body, bound);
                bound.truncate(depth);
                body
            }
            items => {
                let items = items.iter().map(|i| expand(i, bound)).collect();
                Sexpr { offset: term.offset, node: SexprNode::List(items) }
            }
        },
    }
}

impl RareRule {
    /// The equation in one line.
    pub fn statement(&self) -> String {
        format!("{} <=> {}", plain(&self.left), plain(&self.right))
    }

    /// Looks for values that refute the rule.
    pub fn check(&self, effort: Effort) -> Result<Tried, Flaw> {
        let (instances, mut why_not) = self.instances();
        let share = Effort((effort.0 * ROUNDS / instances.len().max(1)).max(LEAST));
        let mut tried = Tried::default();
        for instance in &instances {
            match Trial::new(instance, Relation::Same).and_then(|mut trial| trial.run(share)) {
                Ok(0) => {}
                Ok(said) => {
                    tried.instances += 1;
                    tried.assignments += said;
                }
                Err(Flaw::Counterexample(text)) => return Err(Flaw::Counterexample(text)),
                Err(Flaw::Untyped(why) | Flaw::Unchecked(why) | Flaw::Unusable(why)) => why_not = Some(why),
            }
        }
        match tried.instances {
            0 => Err(Flaw::Unchecked(
                why_not.unwrap_or_else(|| "no values were found that satisfy its premises".to_owned()),
            )),
            _ => Ok(tried),
        }
    }

    /// Different instances that can be read, and why others could not be made.
    fn instances(&self) -> (Vec<Instance>, Option<String>) {
        let mut rng = Rng::new(0x2a2e);
        let grounding = Grounding::new(self);
        let (mut seen, mut all, mut why_not) = (HashSet::new(), Vec::new(), None);
        for attempt in 0..MOST_ATTEMPTS {
            match grounding.instance(attempt, &mut rng) {
                Ok(i) if !seen.insert((i.from.clone(), i.when.clone(), i.at.clone())) => {}
                Ok(instance) => match Trial::new(&instance, Relation::Same) {
                    Ok(_) => all.push(instance),
                    Err(flaw) => why_not = Some(flaw.to_string()),
                },
                Err(why) => why_not = why.or(why_not),
            }
            if all.len() == INSTANCES || attempt >= ATTEMPTS && !all.is_empty() {
                break;
            }
        }
        (all, why_not)
    }
}

#[cfg(test)]
mod tests;
