//! The operators that planted faults put in the place of the right ones.

use crate::eval::{Arguments, Evaluated, Evaluator, Operator, Operators, Unknown};
use crate::value::Value;
use crate::{BitVec, Float, Int};
use smelt_smtlib::Term;

pub(super) fn str_replace(operators: Operators) -> Operators {
    operators.replace(
        "str.replace",
        Operator::Strict(|c, _, a| {
            let (s, pattern, by) = (a.string(0)?, a.string(1)?, a.string(2)?);
            if pattern.codes().is_empty() {
                return Ok(Value::Str(s.clone()));
            }
            s.replace(pattern, by).map(Value::Str).map_err(|g| c.gap(g))
        }),
    )
}

pub(super) fn str_to_int(operators: Operators) -> Operators {
    operators.replace(
        "str.to_int",
        Operator::Strict(|_, _, a| {
            let s = a.string(0)?;
            let zeros = s.codes().len() > 1 && s.codes()[0] == u32::from('0');
            Ok(Value::Int(if zeros { Int::from(-1) } else { s.to_int() }))
        }),
    )
}

pub(super) fn fp_rem(operators: Operators) -> Operators {
    operators.replace(
        "fp.rem",
        Operator::Strict(|_, _, a| {
            let (x, y) = (a.float(0)?, a.float(1)?);
            if x.format() != y.format() {
                return Err(Unknown::IllSorted);
            }
            let small = x.abs().ieee_lt(&y.abs());
            Ok(Value::Float(if small { Float::zero(x.format(), false) } else { x.rem(y) }))
        }),
    )
}

pub(super) fn bvudiv(operators: Operators) -> Operators {
    operators.replace(
        "bvudiv",
        Operator::Strict(|_, _, a| {
            let (x, y) = (a.bits(0)?, a.bits(1)?);
            if x.width() != y.width() {
                return Err(Unknown::IllSorted);
            }
            Ok(Value::BitVec(if y.is_zero() { BitVec::zero(x.width()) } else { x.bvudiv(y) }))
        }),
    )
}

pub(super) fn bvashr(operators: Operators) -> Operators {
    operators.replace(
        "bvashr",
        Operator::Strict(|_, _, a| {
            let (x, y) = (a.bits(0)?, a.bits(1)?);
            if x.width() != y.width() {
                return Err(Unknown::IllSorted);
            }
            Ok(Value::BitVec(x.bvlshr(y)))
        }),
    )
}

pub(super) fn div(operators: Operators) -> Operators {
    operators.replace(
        "div",
        Operator::Strict(|c, _, a| {
            let (x, y) = (a.int(0)?, a.int(1)?);
            if *y == Int::ZERO {
                return Err(Unknown::Unspecified(c.name));
            }
            Ok(Value::Int(x / y))
        }),
    )
}

pub(super) fn hasty(operators: Operators) -> Operators {
    operators.hasty()
}

pub(super) fn distinct(operators: Operators) -> Operators {
    operators.replace(
        "distinct",
        Operator::Lazy(|e, args| {
            let differ = |e: &mut Evaluator<'_>, a: &Value, b: &Value| e.equal(a, b).map(|same| !same);
            neighbours(e, args, differ)
        }),
    )
}

pub(super) fn equal(operators: Operators) -> Operators {
    operators.replace(
        "=",
        Operator::Lazy(|e, args| {
            neighbours(e, args, |e, a, b| match (a, b) {
                (Value::Array(x), Value::Array(y)) => {
                    let (x, y) = (x.default_value().clone(), y.default_value().clone());
                    e.equal(&x, &y)
                }
                _ => e.equal(a, b),
            })
        }),
    )
}

/// Whether a relation holds between neighbours; one pair that is not related decides.
fn neighbours(
    e: &mut Evaluator<'_>,
    args: &[Term],
    related: fn(&mut Evaluator<'_>, &Value, &Value) -> Result<bool, Unknown>,
) -> Evaluated {
    let values: Vec<Evaluated> = args.iter().map(|&t| e.eval(t)).collect();
    let mut open = None;
    for pair in values.windows(2) {
        match (&pair[0], &pair[1]) {
            (Ok(a), Ok(b)) => match related(e, a, b) {
                Ok(true) => {}
                Ok(false) => return Ok(Value::Bool(false)),
                Err(u) => open = open.or(Some(u)),
            },
            (Err(u), _) | (_, Err(u)) => open = open.or(Some(*u)),
        }
    }
    open.map_or(Ok(Value::Bool(true)), Err)
}
