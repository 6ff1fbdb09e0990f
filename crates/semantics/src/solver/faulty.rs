//! The wrong operators of planted faults.

use smelt_smtlib::Term;

use crate::eval::{Arguments, Call, Evaluated, Evaluator, same_format, same_width};
use crate::regex::Languages;
use crate::value::Value;
use crate::{BitVec, Float, Gap, Int};

type Args<'a> = &'a [&'a Value];

pub(super) fn str_replace(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    let (s, pattern, by) = (a.string(0)?, a.string(1)?, a.string(2)?);
    if pattern.codes().is_empty() {
        return Ok(s.clone().into());
    }
    Ok(s.replace(pattern, by)?.into())
}

pub(super) fn str_to_int(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    let s = a.string(0)?;
    let zeros = s.codes().len() > 1 && s.codes()[0] == u32::from('0');
    Ok(if zeros { Int::NEG_ONE } else { s.to_int() }.into())
}

pub(super) fn fp_rem(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    let (x, y) = same_format(a, 0, 1)?;
    let small = x.abs().ieee_lt(&y.abs());
    Ok(if small { Float::zero(x.format(), false) } else { x.rem(y) }.into())
}

pub(super) fn bvudiv(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    let (x, y) = same_width(a)?;
    Ok(if y.is_zero() { BitVec::zero(x.width()) } else { x.bvudiv(y) }.into())
}

pub(super) fn bvashr(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    let (x, y) = same_width(a)?;
    Ok(x.bvlshr(y).into())
}

pub(super) fn set_minus(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    a.set(0)?;
    Ok(a[0].clone())
}

pub(super) fn bvsub(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    let (x, y) = same_width(a)?;
    Ok(y.bvsub(x).into())
}

pub(super) fn div(_: &Call<'_>, _: &mut Languages, a: Args<'_>) -> Evaluated {
    let (x, y) = (a.int(0)?, a.int(1)?);
    if y.is_zero() {
        return Err(Gap::Unspecified.into());
    }
    Ok((x / y).into())
}

pub(super) fn distinct(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    e.neighbours(args, |e, a, b| e.equal(a, b).map(|same| !same))
}

pub(super) fn equal(e: &mut Evaluator<'_>, args: &[Term]) -> Evaluated {
    e.neighbours(args, |e, a, b| match (a, b) {
        (Value::Array(x), Value::Array(y)) => e.equal(x.default_value(), y.default_value()),
        _ => e.equal(a, b),
    })
}
