//! Floating point and its conversions.

use smelt_smtlib::Sort;
use smelt_smtlib::signature::{Row, SortPattern};

use super::{Arguments, same_format};
use crate::eval::operators::Strict;
use crate::eval::{Call, Evaluated, Unknown};
use crate::regex::Languages;
use crate::value::Value;
use crate::{Float, Format, Real, RoundingMode};

/// The format that the indices name.
fn format(c: &Call<'_>) -> Result<Format, Unknown> {
    Format::new(c.index(0)?, c.index(1)?).ok_or(Unknown::TooLarge)
}

/// A function of one or two floats, perhaps with a rounding mode in front.
macro_rules! floats {
    ($f:ident, rounded) => {
        |_, _, a| {
            let (x, y) = same_format(a, 1, 2)?;
            Ok(x.$f(*a.mode(0)?, y).into())
        }
    };
    ($f:ident) => {
        |_, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            Ok(x.$f(y).into())
        }
    };
    ($f:ident, swapped) => {
        |_, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            Ok(y.$f(x).into())
        }
    };
    ($f:ident, open) => {
        |_, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            Ok(x.$f(y)?.into())
        }
    };
    ($f:ident, unary) => {
        |_, _, a| Ok(a.float(0)?.$f().into())
    };
}

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    if RoundingMode::parse(name).is_some() {
        return Some(|c, _, _| {
            let name = c.arena.name(c.name);
            RoundingMode::parse(&name).map(Value::RoundingMode).ok_or(Unknown::IllSorted)
        });
    }
    Some(match name {
        "fp" => |_, _, a| {
            Float::from_parts(a.bits(0)?, a.bits(1)?, a.bits(2)?).map(Value::Float).ok_or(Unknown::TooLarge)
        },
        "+oo" => |c, _, _| Ok(Value::Float(Float::infinity(format(c)?, false))),
        "-oo" => |c, _, _| Ok(Value::Float(Float::infinity(format(c)?, true))),
        "+zero" => |c, _, _| Ok(Value::Float(Float::zero(format(c)?, false))),
        "-zero" => |c, _, _| Ok(Value::Float(Float::zero(format(c)?, true))),
        "NaN" => |c, _, _| Ok(Value::Float(Float::nan(format(c)?))),
        "fp.abs" => floats!(abs, unary),
        "fp.neg" => floats!(neg, unary),
        "fp.add" => floats!(add, rounded),
        "fp.sub" => floats!(sub, rounded),
        "fp.mul" => floats!(mul, rounded),
        "fp.div" => floats!(div, rounded),
        "fp.fma" => |_, _, a| {
            let (x, y) = same_format(a, 1, 2)?;
            let (_, z) = same_format(a, 1, 3)?;
            Ok(Value::Float(x.fma(*a.mode(0)?, y, z)))
        },
        "fp.sqrt" => |_, _, a| Ok(Value::Float(a.float(1)?.sqrt(*a.mode(0)?))),
        "fp.rem" if row.args.len() == 2 => floats!(rem),
        "fp.roundToIntegral" => |_, _, a| Ok(Value::Float(a.float(1)?.round_to_integral(*a.mode(0)?))),
        "fp.min" => floats!(minimum, open),
        "fp.max" => floats!(maximum, open),
        "fp.leq" => floats!(ieee_le),
        "fp.lt" => floats!(ieee_lt),
        "fp.geq" => floats!(ieee_le, swapped),
        "fp.gt" => floats!(ieee_lt, swapped),
        "fp.eq" => floats!(ieee_eq),
        "fp.isNormal" => floats!(is_normal, unary),
        "fp.isSubnormal" => floats!(is_subnormal, unary),
        "fp.isZero" => floats!(is_zero, unary),
        "fp.isInfinite" => floats!(is_infinite, unary),
        "fp.isNaN" => floats!(is_nan, unary),
        "fp.isNegative" => floats!(is_negative, unary),
        "fp.isPositive" => floats!(is_positive, unary),
        "to_fp" => match &row.args[..] {
            [SortPattern::BitVec(_)] => from_bits,
            [_, SortPattern::Float(..)] => from_float,
            [_, SortPattern::Exact(Sort::REAL | Sort::INT)] => from_real,
            [_, SortPattern::BitVec(_)] => from_signed,
            _ => return None,
        },
        "to_fp_bv" => from_bits,
        "to_fp_real" => from_real,
        "to_fp_fp" => from_float,
        "to_fp_signed" => from_signed,
        "to_fp_unsigned" => {
            |c, _, a| Ok(Value::Float(Float::from_unsigned(format(c)?, *a.mode(0)?, a.bits(1)?)))
        }
        "fp.to_ubv" => |c, _, a| Ok(a.float(1)?.to_unsigned(*a.mode(0)?, c.index(0)?)?.into()),
        "fp.to_sbv" => |c, _, a| Ok(a.float(1)?.to_signed(*a.mode(0)?, c.index(0)?)?.into()),
        "fp.to_real" => |_, _, a| Ok(Real::from(a.float(0)?.to_real()?).into()),
        "fp.to_ieee_bv" => |_, _, a| Ok(a.float(0)?.to_ieee()?.into()),
        _ => return None,
    })
}

fn from_bits(c: &Call<'_>, _: &mut Languages, a: &[Value]) -> Evaluated {
    Float::from_ieee(format(c)?, a.bits(0)?).map(Value::Float).ok_or(Unknown::IllSorted)
}

fn from_real(c: &Call<'_>, _: &mut Languages, a: &[Value]) -> Evaluated {
    Ok(Float::from_real(format(c)?, *a.mode(0)?, &*a.real(1)?)?.into())
}

fn from_float(c: &Call<'_>, _: &mut Languages, a: &[Value]) -> Evaluated {
    Ok(a.float(1)?.to_format(format(c)?, *a.mode(0)?).into())
}

fn from_signed(c: &Call<'_>, _: &mut Languages, a: &[Value]) -> Evaluated {
    Ok(Float::from_signed(format(c)?, *a.mode(0)?, a.bits(1)?).into())
}
