//! Semantic rules: the corner cases of each operator, read from `data/corners.txt`, and arguments that reach them.
//!
//! A rule says when an application is in its corner case. Arguments that reach it are searched for once, among
//! values that are likely to matter, and cached; formulas then start from them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, Format, RoundingMode};
use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::signature::{Bindings, Variables};

use super::corner;
use super::grow::Plan;
use super::operator::{Indices, Op, is_float};
use super::sort::{Binding, Sort};
use super::template::Template;
use crate::rng::Rng;

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Bits,
    Floats,
}

/// A corner of an operator.
pub(crate) struct Rule {
    /// The operator and the corner, with a dot between.
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) op: Op,
    when: Template,
}

/// Every rule.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    static RULES: LazyLock<Vec<Rule>> =
        LazyLock::new(|| read(include_bytes!("../../data/corners.txt")).expect("the corners can be read"));
    RULES.iter()
}

/// Reads a file of corners.
fn read(text: &[u8]) -> Option<Vec<Rule>> {
    let mut rules = Vec::new();
    for item in read_all(text).ok()? {
        let [_, family, ops, corners @ ..] = item.list("corners").ok()? else { return None };
        let family = if family.atom("a family").ok()? == "bits" { Family::Bits } else { Family::Floats };
        for key in ops.list("operators").ok()? {
            let key = key.atom("an operator").ok()?;
            let op = Op::all().find(|op| op.key == key)?;
            for corner in corners {
                rules.push(rule(family, op, corner)?);
            }
        }
    }
    Some(rules)
}

fn rule(family: Family, op: Op, corner: &Sexpr) -> Option<Rule> {
    let [name, when] = corner.list("a corner").ok()? else { return None };
    let name = String::leak(format!("{}.{}", op.key, name.atom("a name").ok()?));
    let mut numbers =
        Variables { sorts: Vec::new(), numbers: ["m", "n", "e", "s", "k"].map(str::to_owned).to_vec() };
    let var = |name: &str| VARIABLES.iter().position(|v| *v == name);
    Some(Rule { name, family, op, when: Template::read(when, &var, &mut numbers)? })
}

/// The variables of conditions; [`Application::variable`] gives their values by position.
#[rustfmt::skip]
const VARIABLES: [&str; 18] = [
    "x", "y", "z", "mode", "r", "i", "j", "w", "width", "up", "down", "canonical",
    "inexact", "tie", "finite", "nonzero", "nan", "largest",
];

impl Rule {
    /// Whether an application is in the corner.
    pub(crate) fn holds(&self, case: &Application<'_>) -> bool {
        let bits = |v: Option<&&Value>| v.and_then(|v| v.as_bitvec()).map(BitVec::width);
        let own = case.own();
        let format = own.first().and_then(|v| v.as_float()).map(Float::format);
        let mut b = Bindings::default();
        b.numbers[..5].copy_from_slice(&[
            bits(own.first()),
            bits(own.get(1)),
            format.map(|f| f.eb()),
            format.map(|f| f.sb()),
            bits(Some(&case.result)),
        ]);
        self.when.value(&b, &|v| case.variable(v)) == Some(Value::Bool(true))
    }
}

/// An application of an operator to values.
pub(crate) struct Application<'a> {
    pub(crate) op: Op,
    pub(crate) args: &'a [&'a Value],
    pub(crate) indices: Indices,
    pub(crate) result: &'a Value,
}

impl Application<'_> {
    /// The arguments without the rounding mode.
    fn own(&self) -> &[&Value] {
        let rounded = self.args.first().is_some_and(|a| a.as_rounding_mode().is_some());
        &self.args[usize::from(rounded)..]
    }

    /// The value of one of the [`VARIABLES`].
    fn variable(&self, v: usize) -> Option<Value> {
        let long = |n: u32| Some(BitVec::new(64, u64::from(n)).into());
        let width = || self.own()[0].as_bitvec().map(BitVec::width);
        let all = |test: fn(&Float) -> bool| {
            Some(Value::Bool(self.args.iter().filter_map(|a| a.as_float()).all(test)))
        };
        match v {
            0..=2 => self.own().get(v).map(|&v| v.clone()),
            3 => Some(self.args[0].clone()),
            4 => Some(self.result.clone()),
            5 | 6 => long(self.indices[v - 5]),
            7 => long(width()?),
            8 => Some(BitVec::new(width()?, u64::from(width()?)).into()),
            9 => self.under(RoundingMode::Rtp),
            10 => self.under(RoundingMode::Rtn),
            11 => self.result.as_float().map(|f| f.canonical_bits().clone().into()),
            12 => Some(Value::Bool(self.inexact())),
            13 => Some(Value::Bool(self.tie())),
            14 => all(|f| !f.is_nan() && !f.is_infinite()),
            15 => all(|f| f.is_normal() || f.is_subnormal()),
            16 => Some(Value::Bool(all(|f| !f.is_nan()) == Some(Value::Bool(false)))),
            17 => self.result.as_float().map(|f| (*f == Float::largest(f.format(), f.is_negative())).into()),
            _ => None,
        }
    }

    /// The result under another rounding mode.
    fn under(&self, mode: RoundingMode) -> Option<Value> {
        let mode = Value::RoundingMode(mode);
        let mut args = self.args.to_vec();
        *args.first_mut()? = &mode;
        self.op.apply(&args, self.indices).ok()
    }

    /// Whether the rounding mode matters for more than the sign of a zero.
    fn inexact(&self) -> bool {
        match (self.under(RoundingMode::Rtp), self.under(RoundingMode::Rtn)) {
            (Some(Value::Float(up)), Some(Value::Float(down))) => up != down && !up.ieee_eq(&down),
            _ => false,
        }
    }

    /// Whether the exact result lies in the middle of two floats: it needs one more bit, and no more.
    fn tie(&self) -> bool {
        let Some(result) = self.result.as_float().filter(|f| !f.is_infinite() && self.inexact()) else {
            return false;
        };
        let Some(wide) = Format::new(result.format().eb(), result.format().sb() + 1) else { return false };
        let args: Vec<Value> = self
            .args
            .iter()
            .map(|a| match a {
                Value::Float(f) if self.op.key != "to_fp.float" => {
                    Value::Float(f.to_format(wide, RoundingMode::Rne))
                }
                other => (*other).clone(),
            })
            .collect();
        let converts = !self.op.row.indices.is_empty();
        let indices = if converts { [wide.eb(), wide.sb()] } else { self.indices };
        let args: Vec<&Value> = args.iter().collect();
        !Application { args: &args, indices, ..*self }.inexact()
    }
}

/// Arguments that reach a corner.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    pub(crate) args: Vec<(Sort, Value)>,
    pub(crate) indices: Indices,
}

/// How many lists of arguments are kept for a rule, and how many are tried.
const KEPT: usize = 96;
const TRIED: usize = 40_000;

/// Arguments for a rule, over these widths and formats; none if the corner was not found there. They are searched for once in
/// a process: a campaign has dozens of generators over the same few lists of sorts.
pub(crate) fn witnesses(rule: &Rule, widths: &[u32], formats: &[Format]) -> Arc<[Witness]> {
    type Key = (&'static str, Vec<u32>, Vec<Format>);
    static FOUND: LazyLock<Mutex<HashMap<Key, Arc<[Witness]>>>> = LazyLock::new(Mutex::default);
    let found = || FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (rule.name, widths.to_vec(), formats.to_vec());
    if let Some(known) = found().get(&key) {
        return Arc::clone(known);
    }
    // Another thread may search at the same time, and finds the same.
    let all = search(rule, widths, formats);
    Arc::clone(found().entry(key).or_insert(all.into()))
}

fn search(rule: &Rule, widths: &[u32], formats: &[Format]) -> Vec<Witness> {
    let name = rule.name.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
    let mut rng = Rng::fork(name, 9);
    let mut all = Vec::new();
    for tried in 0..TRIED {
        // For a corner that is hard to reach, fewer are enough.
        if all.len() >= KEPT || (tried > TRIED / 4 && all.len() >= KEPT / 4) {
            break;
        }
        let Some(witness) = propose(rule.op, widths, formats, &mut rng) else { break };
        let args: Vec<&Value> = witness.args.iter().map(|a| &a.1).collect();
        let Ok(result) = rule.op.apply(&args, witness.indices) else { continue };
        let case = Application { op: rule.op, args: &args, indices: witness.indices, result: &result };
        if rule.holds(&case) {
            all.push(witness);
        }
    }
    all
}

/// Random arguments for an operator, likely to matter and often related to each other.
fn propose(op: Op, widths: &[u32], formats: &[Format], rng: &mut Rng) -> Option<Witness> {
    let width = |rng: &mut Rng| rng.pick(widths).copied();
    // Conversions go between all formats; else the first is the one that matters.
    let converts = !op.row.indices.is_empty() && op.mentions(is_float);
    let format = |rng: &mut Rng| match formats.first() {
        Some(first) if !converts && !rng.one_in(8) => Some(*first),
        _ => rng.pick(formats).copied(),
    };
    let plan = match op.key {
        "concat" => Plan::new(&[Sort::Bits(width(rng)?); 2], [0; 2]),
        "=" => Plan::new(&[Sort::Float(format(rng)?); 2], [0; 2]),
        "extract" => {
            let w = width(rng)?;
            let low = rng.below(w as usize) as u32;
            let high = low + rng.below((w - low) as usize) as u32;
            Plan::new(&[Sort::Bits(w)], [high, low])
        }
        "zero_extend" | "sign_extend" | "repeat" | "rotate_left" | "rotate_right" => {
            let w = width(rng)?;
            let index = match op.key {
                "repeat" => 1 + rng.below(3),
                "rotate_left" | "rotate_right" => rng.below(3 * w as usize),
                _ => rng.below(w as usize + 1),
            };
            Plan::new(&[Sort::Bits(w)], [index as u32, 0])
        }
        "to_fp.bits" => {
            let f = format(rng)?;
            Plan::new(&[Sort::Bits(f.width())], [f.eb(), f.sb()])
        }
        "to_fp.float" => {
            let (from, to) = (format(rng)?, format(rng)?);
            Plan::new(&[Sort::Mode, Sort::Float(from)], [to.eb(), to.sb()])
        }
        _ => Plan::of_row(op, Binding::default(), rng, width, format),
    }?;
    let mut args: Vec<(Sort, Value)> = Vec::with_capacity(op.arity());
    for &sort in plan.sorts() {
        let before = args.iter().rev().find(|a| a.0 == sort && sort != Sort::Mode);
        let value = match before {
            Some((_, v)) if rng.one_in(2) => corner::related(rng, &v.clone(), sort),
            _ => corner::value(rng, sort),
        };
        args.push((sort, value));
    }
    Some(Witness { args, indices: plan.indices })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_named_after_its_operator_and_once() {
        let mut names = std::collections::HashSet::new();
        for rule in rules() {
            assert!(names.insert(rule.name), "{}", rule.name);
            assert!(rule.name.starts_with(&format!("{}.", rule.op.key)), "{}", rule.name);
        }
    }
}
