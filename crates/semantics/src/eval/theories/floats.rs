//! Floating point and its conversions.

use smelt_smtlib::Sort;
use smelt_smtlib::signature::{Row, SortPattern};

use super::Arguments;
use crate::eval::operators::Strict;
use crate::eval::{Call, Unknown};
use crate::value::Value;
use crate::{Float, Format, Real, RoundingMode};

/// The format that the indices name.
fn format(c: &Call<'_>) -> Result<Format, Unknown> {
    Format::new(c.index(0)?, c.index(1)?).ok_or(Unknown::TooLarge)
}

fn same_format<'a>(args: &[&'a Value], i: usize, j: usize) -> Result<(&'a Float, &'a Float), Unknown> {
    let (a, b) = (args.float(i)?, args.float(j)?);
    if a.format() == b.format() { Ok((a, b)) } else { Err(Unknown::IllSorted) }
}

macro_rules! rounded {
    ($f:ident) => {
        |_, _, a| {
            let (x, y) = same_format(a, 1, 2)?;
            Ok(Value::Float(x.$f(a.mode(0)?, y)))
        }
    };
}

macro_rules! compared {
    ($f:ident) => {
        |_, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            Ok(Value::Bool(x.$f(y)))
        }
    };
    ($f:ident, swapped) => {
        |_, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            Ok(Value::Bool(y.$f(x)))
        }
    };
}

macro_rules! is {
    ($f:ident) => {
        |_, _, a| Ok(Value::Bool(a.float(0)?.$f()))
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
        "fp.abs" => |_, _, a| Ok(Value::Float(a.float(0)?.abs())),
        "fp.neg" => |_, _, a| Ok(Value::Float(a.float(0)?.neg())),
        "fp.add" => rounded!(add),
        "fp.sub" => rounded!(sub),
        "fp.mul" => rounded!(mul),
        "fp.div" => rounded!(div),
        "fp.fma" => |_, _, a| {
            let (x, y) = same_format(a, 1, 2)?;
            let (_, z) = same_format(a, 1, 3)?;
            Ok(Value::Float(x.fma(a.mode(0)?, y, z)))
        },
        "fp.sqrt" => |_, _, a| Ok(Value::Float(a.float(1)?.sqrt(a.mode(0)?))),
        "fp.rem" if row.args.len() == 2 => |_, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            Ok(Value::Float(x.rem(y)))
        },
        "fp.roundToIntegral" => |_, _, a| Ok(Value::Float(a.float(1)?.round_to_integral(a.mode(0)?))),
        "fp.min" => |c, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            x.minimum(y).map(Value::Float).map_err(|g| c.gap(g))
        },
        "fp.max" => |c, _, a| {
            let (x, y) = same_format(a, 0, 1)?;
            x.maximum(y).map(Value::Float).map_err(|g| c.gap(g))
        },
        "fp.leq" => compared!(ieee_le),
        "fp.lt" => compared!(ieee_lt),
        "fp.geq" => compared!(ieee_le, swapped),
        "fp.gt" => compared!(ieee_lt, swapped),
        "fp.eq" => compared!(ieee_eq),
        "fp.isNormal" => is!(is_normal),
        "fp.isSubnormal" => is!(is_subnormal),
        "fp.isZero" => is!(is_zero),
        "fp.isInfinite" => is!(is_infinite),
        "fp.isNaN" => is!(is_nan),
        "fp.isNegative" => is!(is_negative),
        "fp.isPositive" => is!(is_positive),
        "to_fp" => match &row.args[..] {
            [SortPattern::BitVec(_)] => from_bits,
            [_, SortPattern::Float(..)] => {
                |c, _, a| Ok(Value::Float(a.float(1)?.to_format(format(c)?, a.mode(0)?)))
            }
            [_, SortPattern::Exact(Sort::REAL | Sort::INT)] => from_real,
            [_, SortPattern::BitVec(_)] => {
                |c, _, a| Ok(Value::Float(Float::from_signed(format(c)?, a.mode(0)?, a.bits(1)?)))
            }
            _ => return None,
        },
        "to_fp_bv" => from_bits,
        "to_fp_real" => from_real,
        "to_fp_fp" => |c, _, a| Ok(Value::Float(a.float(1)?.to_format(format(c)?, a.mode(0)?))),
        "to_fp_signed" => |c, _, a| Ok(Value::Float(Float::from_signed(format(c)?, a.mode(0)?, a.bits(1)?))),
        "to_fp_unsigned" => {
            |c, _, a| Ok(Value::Float(Float::from_unsigned(format(c)?, a.mode(0)?, a.bits(1)?)))
        }
        "fp.to_ubv" => |c, _, a| {
            a.float(1)?.to_unsigned(a.mode(0)?, c.index(0)?).map(Value::BitVec).map_err(|g| c.gap(g))
        },
        "fp.to_sbv" => {
            |c, _, a| a.float(1)?.to_signed(a.mode(0)?, c.index(0)?).map(Value::BitVec).map_err(|g| c.gap(g))
        }
        "fp.to_real" => {
            |c, _, a| a.float(0)?.to_real().map(|r| Value::Real(Real::from(r))).map_err(|g| c.gap(g))
        }
        "fp.to_ieee_bv" => |c, _, a| a.float(0)?.to_ieee().map(Value::BitVec).map_err(|g| c.gap(g)),
        _ => return None,
    })
}

fn from_bits(c: &Call<'_>, _: &mut crate::regex::Languages, a: &[&Value]) -> super::super::Evaluated {
    Float::from_ieee(format(c)?, a.bits(0)?).map(Value::Float).ok_or(Unknown::IllSorted)
}

fn from_real(c: &Call<'_>, _: &mut crate::regex::Languages, a: &[&Value]) -> super::super::Evaluated {
    Float::from_real(format(c)?, a.mode(0)?, &*a.real(1)?).map(Value::Float).map_err(|g| c.gap(g))
}
