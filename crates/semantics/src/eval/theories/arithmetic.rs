//! Ints, Reals and their mixture.

use dashu_base::{Abs, BitTest};
use smelt_smtlib::Sort;
use smelt_smtlib::signature::{Row, SortPattern};

use super::Arguments;
use crate::eval::Unknown;
use crate::eval::operators::Strict;
use crate::number::int;
use crate::value::Value;
use crate::{Int, Real};

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    let real = row.args.first() == Some(&SortPattern::Exact(Sort::REAL));
    let unary = row.args.len() == 1;
    Some(match (name, real, unary) {
        ("-", false, true) => |_, _, a| Ok(Value::Int(-a.int(0)?.clone())),
        ("-", false, false) => |_, _, a| Ok(Value::Int(a.int(0)? - a.int(1)?)),
        ("+", false, _) => |_, _, a| Ok(Value::Int(a.int(0)? + a.int(1)?)),
        ("*", false, _) => |_, _, a| {
            let (x, y) = (a.int(0)?, a.int(1)?);
            if x.bit_len() + y.bit_len() > 1 << 20 {
                return Err(Unknown::TooLarge);
            }
            Ok(Value::Int(x * y))
        },
        ("div", false, _) => |_, _, a| Ok(int::div(a.int(0)?, a.int(1)?)?.into()),
        ("mod", false, _) => |_, _, a| Ok(int::modulo(a.int(0)?, a.int(1)?)?.into()),
        // z3's `rem` has the sign of the divisor.
        ("rem", false, false) => |_, _, a| {
            let m = int::modulo(a.int(0)?, a.int(1)?)?;
            Ok(Value::Int(if int::is_negative(a.int(1)?) { -m } else { m }))
        },
        ("div_total", _, _) => |_, _, a| Ok(Value::Int(int::div(a.int(0)?, a.int(1)?).unwrap_or_default())),
        ("mod_total", _, _) => |_, _, a| {
            let (x, y) = (a.int(0)?, a.int(1)?);
            Ok(Value::Int(int::modulo(x, y).unwrap_or_else(|_| x.clone())))
        },
        ("abs", false, _) => |_, _, a| Ok(Value::Int(a.int(0)?.abs())),
        ("<=", false, _) => |_, _, a| Ok(Value::Bool(a.int(0)? <= a.int(1)?)),
        ("<", false, _) => |_, _, a| Ok(Value::Bool(a.int(0)? < a.int(1)?)),
        (">=", false, _) => |_, _, a| Ok(Value::Bool(a.int(0)? >= a.int(1)?)),
        (">", false, _) => |_, _, a| Ok(Value::Bool(a.int(0)? > a.int(1)?)),
        ("divisible", false, true) => {
            |c, _, a| Ok(Value::Bool(int::divisible(&Int::from(c.index(0)?), a.int(0)?)))
        }
        ("^", false, _) => |_, _, a| Ok(int::pow(a.int(0)?, a.int(1)?)?.into()),
        ("int.pow2", _, _) => |_, _, a| Ok(int::pow2(a.int(0)?)?.into()),
        ("iand", _, _) => |c, _, a| Ok(Value::Int(int::iand(c.index(0)?, a.int(0)?, a.int(1)?))),

        ("-", true, true) => |_, _, a| Ok(Value::Real(a.real(0)?.neg())),
        ("-", true, false) => |_, _, a| Ok(a.real(0)?.sub(&*a.real(1)?)?.into()),
        ("+", true, _) => |_, _, a| Ok(a.real(0)?.add(&*a.real(1)?)?.into()),
        ("*", true, _) => |_, _, a| Ok(a.real(0)?.mul(&*a.real(1)?)?.into()),
        ("/", true, false) => |_, _, a| Ok(a.real(0)?.div(&*a.real(1)?)?.into()),
        ("/_total", true, _) => |_, _, a| {
            if a.real(1)?.is_zero() {
                return Ok(Value::Real(Real::from(Int::from(0))));
            }
            Ok(a.real(0)?.div(&*a.real(1)?)?.into())
        },
        ("<=", true, _) => |_, _, a| Ok(Value::Bool(a.real(0)? <= a.real(1)?)),
        ("<", true, _) => |_, _, a| Ok(Value::Bool(a.real(0)? < a.real(1)?)),
        (">=", true, _) => |_, _, a| Ok(Value::Bool(a.real(0)? >= a.real(1)?)),
        (">", true, _) => |_, _, a| Ok(Value::Bool(a.real(0)? > a.real(1)?)),
        ("abs", true, _) => |_, _, a| Ok(Value::Real(a.real(0)?.abs())),
        ("^", true, _) => |c, _, a| {
            let exponent = a.real(1)?;
            let whole =
                exponent.as_rational().filter(|r| r.is_integer()).ok_or(Unknown::Unspecified(c.name))?;
            Ok(a.real(0)?.pow(whole.numerator())?.into())
        },
        // On a real that is not an integer, z3 and cvc5 give different results.
        ("to_real", true, _) => |c, _, a| match a.real(0)? {
            r if r.is_integer() => Ok(Value::Real(r.into_owned())),
            _ => Err(Unknown::NoMeaning(c.name)),
        },
        ("to_real", false, _) => |_, _, a| Ok(Value::Real(a.real(0)?.into_owned())),
        ("to_int", _, _) => |_, _, a| Ok(Value::Int(a.real(0)?.floor())),
        ("is_int", _, _) => |_, _, a| Ok(Value::Bool(a.real(0)?.is_integer())),
        _ => return None,
    })
}
