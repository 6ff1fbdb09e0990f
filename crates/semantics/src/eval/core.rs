//! The Core theory: connectives decide with the operands that are known; equality is equality of values.

use std::collections::BTreeSet;

use smelt_smtlib::Term;

use super::{Evaluated, Evaluator, Unknown, price};
use crate::Real;
use crate::value::{Domain, Value};

/// Whether all facts hold: one that does not decides at once, else one that is unknown.
pub(crate) fn all(facts: impl Iterator<Item = Result<bool, Unknown>>) -> Result<bool, Unknown> {
    let mut open = None;
    for fact in facts {
        match fact {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(u) => open = open.or(Some(u)),
        }
    }
    open.map_or(Ok(true), Err)
}

pub(super) fn and(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    all(args.iter().map(|&t| e.holds(t))).map(Value::Bool)
}

pub(super) fn or(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    let none = all(args.iter().map(|&t| e.holds(t).map(|b| !b)))?;
    Ok(Value::Bool(!none))
}

pub(super) fn implies(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    let Some((&last, premises)) = args.split_last() else { return Err(Unknown::IllSorted) };
    let premises = all(premises.iter().map(|&t| e.holds(t)));
    let holds = premises == Ok(false) || e.holds(last)?;
    Ok(Value::Bool(holds || !premises?))
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
    e.neighbours(args, |e, a, b| e.equal(a, b))
}

pub(super) fn distinct(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    let values: Vec<Evaluated> = args.iter().map(|&t| e.eval(t)).collect();
    if values.len() > 64 {
        return many_distinct(values);
    }
    let pairs = (0..values.len()).flat_map(|i| (i + 1..values.len()).map(move |j| (i, j)));
    let pairs = pairs.map(|(i, j)| (&values[i], &values[j]));
    e.all_related(pairs, |e, a, b| e.equal(a, b).map(|same| !same))
}

/// `distinct` over many values, where comparing all pairs would be quadratic: by order of values.
fn many_distinct(values: Vec<Evaluated>) -> Evaluated {
    let mut seen = BTreeSet::new();
    let new = |value: Evaluated| match value? {
        // Rust may call equal values different.
        Value::Array(_) => Err(Unknown::TooLarge),
        other if other.has_other_forms() => Err(Unknown::TooLarge),
        Value::Int(i) => Ok(seen.insert(Value::Real(Real::from(i)))),
        other => Ok(seen.insert(other)),
    };
    all(values.into_iter().map(new)).map(Value::Bool)
}

/// A relation between two values.
type Relation = fn(&mut Evaluator<'_>, &Value, &Value) -> Result<bool, Unknown>;

impl Evaluator<'_> {
    /// Whether a relation holds between neighbours.
    pub(crate) fn neighbours(&mut self, args: &[Term], related: Relation) -> Evaluated {
        let values: Vec<Evaluated> = args.iter().map(|&t| self.eval(t)).collect();
        self.all_related(values.windows(2).map(|w| (&w[0], &w[1])), related)
    }

    /// Whether a relation holds of all pairs; one pair that is not related decides.
    fn all_related<'v>(
        &mut self,
        pairs: impl Iterator<Item = (&'v Evaluated, &'v Evaluated)>,
        related: Relation,
    ) -> Evaluated {
        let mut count = 0;
        let facts = pairs.map(|pair| match pair {
            (Ok(a), Ok(b)) => {
                count += 1;
                self.charge(u64::from(count % 4 == 0))?;
                related(self, a, b)
            }
            (Err(u), _) | (_, Err(u)) => Err(*u),
        });
        all(facts).map(Value::Bool)
    }

    /// SMT-LIB's `=`.
    pub fn equal(&mut self, a: &Value, b: &Value) -> Result<bool, Unknown> {
        self.charge(price([a, b]))?;
        match (a, b) {
            (Value::Int(i), Value::Real(r)) | (Value::Real(r), Value::Int(i)) => {
                Ok(Real::from(i.clone()) == *r)
            }
            (Value::RegLan(x), Value::RegLan(y)) => {
                if x == y {
                    return Ok(true);
                }
                let (x, y) = (self.languages.language(x)?, self.languages.language(y)?);
                let difference = self.languages.difference(x, y);
                let work = self.languages.take_work();
                self.charge(work)?;
                Ok(difference?.is_none())
            }
            (Value::Array(x), Value::Array(y)) => {
                if x == y {
                    return Ok(true);
                }
                // A difference at a listed index decides. A difference of the defaults alone depends on the number
                // of indices, which is not known for uninterpreted sorts.
                let listed = x.exceptions().chain(y.exceptions()).map(|p| p.0);
                for index in listed {
                    if !self.equal(x.select(index), y.select(index))? {
                        return Ok(false);
                    }
                }
                let exceptions = x.exceptions().len() + y.exceptions().len();
                match (x.domain(), self.equal(x.default_value(), y.default_value())?) {
                    (Domain::Open, false) if exceptions > 0 => Err(Unknown::Quantifier),
                    (_, equal) => Ok(equal),
                }
            }
            (Value::Function(x), Value::Function(y)) if x == y => Ok(true),
            (Value::Function(_), Value::Function(_)) => Err(Unknown::Quantifier),
            _ if std::mem::discriminant(a) != std::mem::discriminant(b) => Err(Unknown::IllSorted),
            _ if a == b => Ok(true),
            _ if !(a.has_other_forms() && b.has_other_forms()) => Ok(false),
            (Value::Datatype(_) | Value::Seq(_), _) => self.equal_parts(a, b),
            _ => Err(Unknown::Quantifier),
        }
    }

    /// The same for values with parts that may be written in several ways. One part that differs decides.
    fn equal_parts(&mut self, a: &Value, b: &Value) -> Result<bool, Unknown> {
        let mut work = vec![(a, b)];
        let mut unknown = None;
        while let Some(pair) = work.pop() {
            let (xs, ys) = match pair {
                (Value::Datatype(x), Value::Datatype(y)) if x.constructor() != y.constructor() => {
                    return Ok(false);
                }
                (Value::Datatype(x), Value::Datatype(y)) => (x.args(), y.args()),
                (Value::Seq(x), Value::Seq(y)) => (&x[..], &y[..]),
                (x, y) => {
                    match self.equal(x, y) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        Err(u) => unknown = Some(u),
                    }
                    continue;
                }
            };
            if xs.len() != ys.len() {
                return Ok(false);
            }
            work.extend(xs.iter().zip(ys));
        }
        unknown.map_or(Ok(true), Err)
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
