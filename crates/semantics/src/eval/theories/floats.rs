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

/// The functions of floats of one format, by their method; then all other rows.
macro_rules! operators {
    (
        $row:expr,
        unary: $($one:literal $f1:ident)*;
        rounded: $($arithmetic:literal $f2:ident)*;
        binary: $($relation:literal $f3:ident)*;
        swapped: $($turned:literal $f4:ident)*;
        $($other:tt)*
    ) => {
        match $row {
            $($one => |_, _, a| Ok(a.float(0)?.$f1().into()),)*
            $($arithmetic => |_, _, a| {
                let (x, y) = same_format(a, 1, 2)?;
                Ok(x.$f2(*a.mode(0)?, y).into())
            },)*
            $($relation => |_, _, a| same_format(a, 0, 1).map(|(x, y)| x.$f3(y).into()),)*
            $($turned => |_, _, a| same_format(a, 0, 1).map(|(x, y)| y.$f4(x).into()),)*
            $($other)*
        }
    };
}

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    if RoundingMode::parse(name).is_some() {
        return Some(|c, _, _| {
            let name = c.arena.name(c.name);
            RoundingMode::parse(&name).map(Value::RoundingMode).ok_or(Unknown::IllSorted)
        });
    }
    Some(operators! { name,
        unary: "fp.abs" abs "fp.neg" neg "fp.isNormal" is_normal "fp.isSubnormal" is_subnormal
            "fp.isZero" is_zero "fp.isInfinite" is_infinite "fp.isNaN" is_nan
            "fp.isNegative" is_negative "fp.isPositive" is_positive;
        rounded: "fp.add" add "fp.sub" sub "fp.mul" mul "fp.div" div;
        binary: "fp.leq" ieee_le "fp.lt" ieee_lt "fp.eq" ieee_eq;
        swapped: "fp.geq" ieee_le "fp.gt" ieee_lt;
        "fp" => |_, _, a| {
            Float::from_parts(a.bits(0)?, a.bits(1)?, a.bits(2)?).map(Value::Float).ok_or(Unknown::TooLarge)
        },
        "+oo" => |c, _, _| Ok(Value::Float(Float::infinity(format(c)?, false))),
        "-oo" => |c, _, _| Ok(Value::Float(Float::infinity(format(c)?, true))),
        "+zero" => |c, _, _| Ok(Value::Float(Float::zero(format(c)?, false))),
        "-zero" => |c, _, _| Ok(Value::Float(Float::zero(format(c)?, true))),
        "NaN" => |c, _, _| Ok(Value::Float(Float::nan(format(c)?))),
        "fp.rem" if row.args.len() == 2 => |_, _, a| same_format(a, 0, 1).map(|(x, y)| x.rem(y).into()),
        "fp.min" => |_, _, a| same_format(a, 0, 1).and_then(|(x, y)| Ok(x.minimum(y)?.into())),
        "fp.max" => |_, _, a| same_format(a, 0, 1).and_then(|(x, y)| Ok(x.maximum(y)?.into())),
        "fp.fma" => |_, _, a| {
            let (x, y) = same_format(a, 1, 2)?;
            let (_, z) = same_format(a, 1, 3)?;
            Ok(Value::Float(x.fma(*a.mode(0)?, y, z)))
        },
        "fp.sqrt" => |_, _, a| Ok(Value::Float(a.float(1)?.sqrt(*a.mode(0)?))),
        "fp.roundToIntegral" => |_, _, a| Ok(Value::Float(a.float(1)?.round_to_integral(*a.mode(0)?))),
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

fn from_bits(c: &Call<'_>, _: &mut Languages, a: &[&Value]) -> Evaluated {
    Float::from_ieee(format(c)?, a.bits(0)?).map(Value::Float).ok_or(Unknown::IllSorted)
}

fn from_real(c: &Call<'_>, _: &mut Languages, a: &[&Value]) -> Evaluated {
    Ok(Float::from_real(format(c)?, *a.mode(0)?, &*a.real(1)?)?.into())
}

fn from_float(c: &Call<'_>, _: &mut Languages, a: &[&Value]) -> Evaluated {
    Ok(a.float(1)?.to_format(format(c)?, *a.mode(0)?).into())
}

fn from_signed(c: &Call<'_>, _: &mut Languages, a: &[&Value]) -> Evaluated {
    Ok(Float::from_signed(format(c)?, *a.mode(0)?, a.bits(1)?).into())
}
