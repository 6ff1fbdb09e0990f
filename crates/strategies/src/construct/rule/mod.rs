//! Semantic rules: the corners of each operator, as a table; and arguments that reach them.
//!
//! A rule says when an application has reached its corner. Arguments that do are searched for once, among values that
//! are likely to matter, and kept; a formula then starts from them. So a new corner is one row.

mod bits;
mod floats;

use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, Format, RoundingMode};

use super::corner;
use super::operator::{Indices, Op, Shape, bits as bits_at, float as float_at};
use super::sort::Sort;
use crate::rng::Rng;

/// What a rule is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Bits,
    Floats,
}

/// One row.
pub(crate) struct Rule {
    /// The operator and the corner, with a dot between.
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) op: Op,
    /// Whether an application is in the corner.
    pub(crate) when: fn(&Case<'_>) -> bool,
}

/// An application of an operator to values.
pub(crate) struct Case<'a> {
    pub(crate) op: Op,
    pub(crate) args: &'a [&'a Value],
    pub(crate) indices: Indices,
    pub(crate) result: &'a Value,
}

impl Case<'_> {
    fn b(&self, i: usize) -> &BitVec {
        bits_at(self.args, i)
    }

    fn f(&self, i: usize) -> &Float {
        float_at(self.args, i)
    }

    /// The last argument, a float.
    fn last(&self) -> &Float {
        self.f(self.args.len() - 1)
    }

    fn mode(&self) -> RoundingMode {
        super::operator::mode(self.args, 0)
    }

    fn bits(&self) -> &BitVec {
        bits_at(&[self.result], 0)
    }

    fn float(&self) -> &Float {
        float_at(&[self.result], 0)
    }

    fn truth(&self) -> bool {
        self.result.as_bool() == Some(true)
    }

    /// The float arguments.
    fn floats(&self) -> impl Iterator<Item = &Float> {
        self.args.iter().filter_map(|a| a.as_float())
    }

    /// The result under another rounding mode.
    fn under(&self, mode: RoundingMode) -> Option<Value> {
        let mode = Value::RoundingMode(mode);
        let mut args = self.args.to_vec();
        *args.first_mut()? = &mode;
        (self.op.apply)(&args, self.indices).ok()
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
        if !self.inexact() || self.float().is_infinite() {
            return false;
        }
        let format = self.float().format();
        let Some(wide) = Format::new(format.eb(), format.sb() + 1) else { return false };
        let convert = self.op.shape == Shape::FromFloat;
        let args: Vec<Value> = self
            .args
            .iter()
            .map(|a| match a {
                Value::Float(f) if !convert => Value::Float(f.to_format(wide, RoundingMode::Rne)),
                other => (*other).clone(),
            })
            .collect();
        let indices = match self.op.shape {
            Shape::FromFloat | Shape::FromInteger => [wide.eb(), wide.sb()],
            _ => self.indices,
        };
        let args: Vec<&Value> = args.iter().collect();
        !Case { args: &args, indices, ..*self }.inexact()
    }
}

/// Every rule.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    bits::GROUPS.iter().chain(floats::GROUPS).flat_map(|g| g.iter())
}

/// Arguments that reach a corner.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    pub(crate) args: Vec<(Sort, Value)>,
    pub(crate) indices: Indices,
}

/// How many arguments are kept for a rule, and how many are tried for them.
const KEPT: usize = 96;
const TRIED: usize = 40_000;

/// Arguments for a rule, over these widths and formats; none if the corner was not found there.
pub(crate) fn witnesses(rule: &Rule, widths: &[u32], formats: &[Format]) -> Vec<Witness> {
    let name = rule.name.bytes().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(b)));
    let mut rng = Rng::fork(name, 9);
    let mut all = Vec::new();
    for tried in 0..TRIED {
        // A corner that is hard to find gets along with what was found.
        if all.len() >= KEPT || (tried > TRIED / 4 && all.len() >= KEPT / 4) {
            break;
        }
        let Some(witness) = propose(rule.op, widths, formats, &mut rng) else { break };
        let args: Vec<&Value> = witness.args.iter().map(|a| &a.1).collect();
        let Ok(result) = (rule.op.apply)(&args, witness.indices) else { continue };
        let case = Case { op: rule.op, args: &args, indices: witness.indices, result: &result };
        if (rule.when)(&case) {
            all.push(witness);
        }
    }
    all
}

/// Arguments for an operator that are likely to matter, and to have to do with each other.
fn propose(op: Op, widths: &[u32], formats: &[Format], rng: &mut Rng) -> Option<Witness> {
    let width = |rng: &mut Rng| rng.pick(widths).copied();
    // Conversions go between all formats; else the first is the one that matters.
    let converts =
        matches!(op.shape, Shape::FromFloat | Shape::FromInteger | Shape::ToInteger | Shape::FromBits);
    let format = |rng: &mut Rng| match formats.first() {
        Some(first) if !converts && !rng.one_in(8) => Some(*first),
        _ => rng.pick(formats).copied(),
    };
    let mut indices = [0; 2];
    let sorts = match op.shape {
        Shape::Bits1 | Shape::BitsTest => vec![Sort::Bits(width(rng)?)],
        Shape::Bits2 | Shape::BitsCompare | Shape::Comp | Shape::Concat => {
            vec![Sort::Bits(width(rng)?); 2]
        }
        Shape::Extract => {
            let w = width(rng)?;
            let low = rng.below(w as usize) as u32;
            indices = [low + rng.below((w - low) as usize) as u32, low];
            vec![Sort::Bits(w)]
        }
        Shape::Extend | Shape::Repeat | Shape::Rotate => {
            let w = width(rng)?;
            indices[0] = match op.shape {
                Shape::Extend => rng.below(w as usize + 1) as u32,
                Shape::Repeat => 1 + rng.below(3) as u32,
                _ => rng.below(3 * w as usize) as u32,
            };
            vec![Sort::Bits(w)]
        }
        Shape::Equal => vec![Sort::Float(format(rng)?); 2],
        Shape::Float1 | Shape::FloatTest => vec![Sort::Float(format(rng)?)],
        Shape::Float2 | Shape::FloatCompare => vec![Sort::Float(format(rng)?); 2],
        Shape::Rounded1 => vec![Sort::Mode, Sort::Float(format(rng)?)],
        Shape::Rounded2 => {
            let f = Sort::Float(format(rng)?);
            vec![Sort::Mode, f, f]
        }
        Shape::Rounded3 => {
            let f = Sort::Float(format(rng)?);
            vec![Sort::Mode, f, f, f]
        }
        Shape::FromBits => {
            let f = format(rng)?;
            indices = [f.eb(), f.sb()];
            vec![Sort::Bits(f.width())]
        }
        Shape::FromFloat => {
            let (from, to) = (format(rng)?, format(rng)?);
            indices = [to.eb(), to.sb()];
            vec![Sort::Mode, Sort::Float(from)]
        }
        Shape::FromInteger => {
            let to = format(rng)?;
            indices = [to.eb(), to.sb()];
            vec![Sort::Mode, Sort::Bits(width(rng)?)]
        }
        Shape::ToInteger => {
            indices[0] = width(rng)?;
            vec![Sort::Mode, Sort::Float(format(rng)?)]
        }
        _ => return None,
    };
    let mut args: Vec<(Sort, Value)> = Vec::with_capacity(sorts.len());
    for sort in sorts {
        let before = args.iter().rev().find(|a| a.0 == sort && sort != Sort::Mode);
        let value = match before {
            Some((_, v)) if rng.one_in(2) => corner::related(rng, &v.clone(), sort),
            _ => corner::value(rng, sort),
        };
        args.push((sort, value));
    }
    Some(Witness { args, indices })
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
