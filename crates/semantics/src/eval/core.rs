//! The Core theory: connectives decide with what is known, equality is that of values.

use std::collections::BTreeSet;

use smelt_smtlib::Term;

use super::{Evaluated, Evaluator, Unknown};
use crate::value::{Domain, Value};
use crate::{Gap, Real};

/// Connective over terms: `stop` decides at once; otherwise `!stop` if all are known.
fn connective(e: &mut Evaluator<'_>, args: &[Term], stop: bool) -> Evaluated {
    let mut open = None;
    for &t in args {
        match e.holds(t) {
            Ok(v) if v == stop => return Ok(Value::Bool(stop)),
            Ok(_) => {}
            Err(u) => open = open.or(Some(u)),
        }
    }
    open.map_or(Ok(Value::Bool(!stop)), Err)
}

pub(super) fn and(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    connective(e, args, false)
}

pub(super) fn or(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    connective(e, args, true)
}

pub(super) fn implies(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    let Some((&last, premises)) = args.split_last() else { return Err(Unknown::IllSorted) };
    let mut open = None;
    for &t in premises {
        match e.holds(t) {
            Ok(false) => return Ok(Value::Bool(true)),
            Ok(true) => {}
            Err(u) => open = open.or(Some(u)),
        }
    }
    match (e.holds(last), open) {
        (Ok(true), _) => Ok(Value::Bool(true)),
        (Ok(false), None) => Ok(Value::Bool(false)),
        (Ok(false), Some(u)) | (Err(u), _) => Err(u),
    }
}

pub(super) fn ite(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    let &[condition, yes, no] = args else { return Err(Unknown::IllSorted) };
    match e.holds(condition) {
        Ok(c) => e.eval(if c { yes } else { no }),
        Err(u) => {
            // Both the same: the condition does not matter.
            let (yes, no) = (e.eval(yes)?, e.eval(no)?);
            if e.equal(&yes, &no)? { Ok(yes) } else { Err(u) }
        }
    }
}

pub(super) fn equal(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    pairs(e, args, false)
}

pub(super) fn distinct(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    pairs(e, args, true)
}

/// `=` over neighbours, or `distinct` over every two; one that fails decides.
fn pairs(e: &mut Evaluator<'_>, args: &[Term], distinct: bool) -> Evaluated {
    let values: Vec<Evaluated> = args.iter().map(|&t| e.eval(t)).collect();
    if let (true, true) = (distinct, args.len() > 64) {
        return many_distinct(values);
    }
    let mut open = None;
    for i in 0..values.len() {
        let others = if distinct { i + 1..values.len() } else { i + 1..(i + 2).min(values.len()) };
        for j in others {
            match (&values[i], &values[j]) {
                (Ok(a), Ok(b)) => match e.equal(a, b) {
                    Ok(same) if same == distinct => return Ok(Value::Bool(false)),
                    Ok(_) => {}
                    Err(u) => open = open.or(Some(u)),
                },
                (Err(u), _) | (_, Err(u)) => open = open.or(Some(*u)),
            }
        }
    }
    open.map_or(Ok(Value::Bool(true)), Err)
}

/// `distinct` over many values, where comparing all pairs would be quadratic: by order of values.
fn many_distinct(values: Vec<Evaluated>) -> Evaluated {
    let mut seen = BTreeSet::new();
    let mut open = None;
    for v in values {
        match v {
            // Of these, equal values may differ as Rust compares them.
            Ok(Value::Array(_) | Value::RegLan(_) | Value::Function(_)) => {
                open = open.or(Some(Unknown::TooLarge))
            }
            Ok(Value::Int(i)) => {
                if !seen.insert(Value::Real(Real::from(i))) {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(v) => {
                if !seen.insert(v) {
                    return Ok(Value::Bool(false));
                }
            }
            Err(u) => open = open.or(Some(u)),
        }
    }
    open.map_or(Ok(Value::Bool(true)), Err)
}

impl Evaluator<'_> {
    /// SMT-LIB's `=`.
    pub fn equal(&mut self, a: &Value, b: &Value) -> Result<bool, Unknown> {
        match (a, b) {
            (Value::Int(i), Value::Real(r)) | (Value::Real(r), Value::Int(i)) => {
                Ok(Real::from(i.clone()) == *r)
            }
            (Value::RegLan(x), Value::RegLan(y)) => {
                if x == y {
                    return Ok(true);
                }
                let (x, y) = (self.languages.language(x), self.languages.language(y));
                let difference = match (x, y) {
                    (Ok(x), Ok(y)) => self.languages.difference(x, y),
                    _ => Err(Gap::TooLarge),
                };
                difference.map(|d| d.is_none()).map_err(|_| Unknown::TooLarge)
            }
            (Value::Array(x), Value::Array(y)) => {
                if x == y {
                    return Ok(true);
                }
                // Different somewhere that is listed: different. Different by default only: that depends on how many
                // indices there are, which is not known for uninterpreted sorts.
                let listed = x.exceptions().chain(y.exceptions()).map(|p| p.0);
                for index in listed {
                    let (p, q) = (x.select(index).clone(), y.select(index).clone());
                    if !self.equal(&p, &q)? {
                        return Ok(false);
                    }
                }
                let open =
                    x.exceptions().chain(y.exceptions()).any(|(i, _)| matches!(i, Value::Element { .. }));
                match (x.domain(), open) {
                    (Domain::Infinite, true) => Err(Unknown::Quantifier),
                    _ => {
                        let (p, q) = (x.default_value().clone(), y.default_value().clone());
                        self.equal(&p, &q)
                    }
                }
            }
            (Value::Function(x), Value::Function(y)) => {
                if x == y {
                    Ok(true)
                } else {
                    Err(Unknown::Quantifier)
                }
            }
            _ if std::mem::discriminant(a) == std::mem::discriminant(b) => Ok(a == b),
            _ => Err(Unknown::IllSorted),
        }
    }
}

pub(super) fn not(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    let &[t] = args else { return Err(Unknown::IllSorted) };
    Ok(Value::Bool(!e.holds(t)?))
}

pub(super) fn xor(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    let mut odd = false;
    for &t in args {
        odd ^= e.holds(t)?;
    }
    Ok(Value::Bool(odd))
}
