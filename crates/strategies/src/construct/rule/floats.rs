//! Corners of floating-point operators and conversions.

use smelt_semantics::value::Value;
use smelt_semantics::{Float, RoundingMode};

use super::{Case, Family, Rule};
use crate::construct::operator::op;

macro_rules! rule {
    ($key:literal, $corner:literal, $when:expr) => {
        Rule { name: concat!($key, ".", $corner), family: Family::Floats, op: op!($key), when: $when }
    };
}

/// Corners of rounding, which all rounded operators have.
macro_rules! rounded {
    ($key:literal) => {
        &[
            rule!($key, "overflow", overflow),
            rule!($key, "overflow-to-largest", overflow_to_largest),
            rule!($key, "tie-to-even", |c| c.mode() == RoundingMode::Rne && c.tie()),
            rule!($key, "tie-away", |c| c.mode() == RoundingMode::Rna && c.tie()),
            rule!($key, "up", |c| c.mode() == RoundingMode::Rtp && c.inexact()),
            rule!($key, "down", |c| c.mode() == RoundingMode::Rtn && c.inexact()),
            rule!($key, "to-zero", |c| c.mode() == RoundingMode::Rtz && c.inexact()),
        ]
    };
}

/// Corners of results next to zero, which all but conversions from integers have.
macro_rules! tiny {
    ($key:literal) => {
        &[
            rule!($key, "subnormal", |c| c.float().is_subnormal()),
            rule!($key, "subnormal-inexact", |c| c.float().is_subnormal() && c.inexact()),
            rule!($key, "underflow", |c| c.float().is_zero() && c.inexact()),
        ]
    };
}

fn finite(f: &Float) -> bool {
    !f.is_nan() && !f.is_infinite()
}

fn nonzero(f: &Float) -> bool {
    finite(f) && !f.is_zero()
}

/// Infinite from finite arguments.
fn overflow(c: &Case<'_>) -> bool {
    let r = c.float();
    r.is_infinite() && c.floats().all(finite) && c.inexact()
}

/// The largest number, where another rounding mode gives infinity.
fn overflow_to_largest(c: &Case<'_>) -> bool {
    let r = c.float();
    let away = if r.is_negative() { RoundingMode::Rtn } else { RoundingMode::Rtp };
    *r == Float::largest(r.format(), r.is_negative())
        && matches!(c.under(away), Some(Value::Float(f)) if f.is_infinite())
}

fn any_nan(c: &Case<'_>) -> bool {
    c.floats().any(Float::is_nan)
}

/// Not a number from numbers.
fn invalid(c: &Case<'_>) -> bool {
    c.float().is_nan() && !any_nan(c)
}

/// A zero that is the sum of two numbers other than zero.
fn cancelled(c: &Case<'_>) -> bool {
    c.float().is_zero() && !c.inexact() && c.floats().all(nonzero)
}

fn opposite_zeros(c: &Case<'_>) -> bool {
    c.floats().all(Float::is_zero) && c.f(c.args.len() - 2) != c.last()
}

fn negative_zero(f: &Float) -> bool {
    f.is_zero() && f.is_negative()
}

/// A number in the middle of two integers.
fn half(c: &Case<'_>) -> bool {
    let x = c.last();
    if !nonzero(x) {
        return false;
    }
    let (up, down) = (x.round_to_integral(RoundingMode::Rtp), x.round_to_integral(RoundingMode::Rtn));
    let exact = |a: &Float, b: &Float| a.sub(RoundingMode::Rtz, b);
    !up.ieee_eq(&down) && exact(&up, x).ieee_eq(&exact(x, &down))
}

/// A fraction is cut off, and the result is zero.
fn fraction_to_zero(c: &Case<'_>) -> bool {
    nonzero(c.last()) && c.bits().is_zero()
}

fn fraction_lost(c: &Case<'_>) -> bool {
    let x = c.last();
    nonzero(x) && !x.round_to_integral(RoundingMode::Rtz).ieee_eq(x)
}

/// The remainder's quotient is in the middle of two integers: twice the remainder is the divisor.
fn rem_tie(c: &Case<'_>) -> bool {
    let (r, y) = (c.float(), c.f(1));
    nonzero(r) && r.add(RoundingMode::Rtz, r).abs().ieee_eq(&y.abs())
}

fn both_nan(c: &Case<'_>) -> bool {
    c.floats().all(Float::is_nan)
}

fn one_nan(c: &Case<'_>) -> bool {
    c.f(0).is_nan() != c.f(1).is_nan()
}

fn both_infinite(c: &Case<'_>) -> bool {
    c.f(0).is_infinite() && c.f(1).is_infinite()
}

macro_rules! compare {
    ($key:literal) => {
        &[
            rule!($key, "one-nan", one_nan),
            rule!($key, "both-nan", both_nan),
            rule!($key, "opposite-zeros", opposite_zeros),
            rule!($key, "infinities", both_infinite),
            rule!($key, "equal", |c| c.f(0) == c.f(1) && nonzero(c.f(0))),
            rule!($key, "subnormals", |c| c.f(0).is_subnormal() && c.f(1).is_subnormal()),
        ]
    };
}

macro_rules! sum {
    ($key:literal) => {
        &[
            rule!($key, "invalid", invalid),
            rule!($key, "cancelled", cancelled),
            rule!($key, "cancelled-down", |c| cancelled(c) && c.mode() == RoundingMode::Rtn),
            rule!($key, "opposite-zeros", opposite_zeros),
            rule!($key, "nan", any_nan),
            rule!($key, "absorbed", |c| {
                nonzero(c.f(1)) && nonzero(c.f(2)) && c.float() == c.f(1) && c.inexact()
            }),
        ]
    };
}

macro_rules! to_integer {
    ($key:literal) => {
        &[
            rule!($key, "tie-to-even", |c| c.mode() == RoundingMode::Rne && half(c)),
            rule!($key, "tie-away", |c| c.mode() == RoundingMode::Rna && half(c)),
            rule!($key, "fraction-lost", fraction_lost),
            rule!($key, "fraction-to-zero", fraction_to_zero),
            rule!($key, "negative-zero", |c| negative_zero(c.last())),
        ]
    };
}

pub(super) static GROUPS: &[&[Rule]] = &[
    rounded!("fp.add"),
    rounded!("fp.sub"),
    rounded!("fp.mul"),
    rounded!("fp.div"),
    rounded!("fp.fma"),
    rounded!("to_fp.float"),
    rounded!("to_fp.signed"),
    rounded!("to_fp_unsigned"),
    tiny!("fp.mul"),
    tiny!("fp.div"),
    tiny!("fp.fma"),
    tiny!("to_fp.float"),
    sum!("fp.add"),
    sum!("fp.sub"),
    &[
        rule!("fp.add", "subnormal", |c| c.float().is_subnormal()),
        rule!("fp.sub", "subnormal", |c| c.float().is_subnormal()),
        rule!("fp.mul", "invalid", invalid),
        rule!("fp.mul", "signed-zero", |c| negative_zero(c.float()) && !c.inexact()),
        rule!("fp.mul", "infinite", |c| c.floats().any(Float::is_infinite) && !c.float().is_nan()),
        rule!("fp.div", "invalid", invalid),
        rule!("fp.div", "by-zero", |c| nonzero(c.f(1)) && c.f(2).is_zero()),
        rule!("fp.div", "by-infinity", |c| finite(c.f(1)) && c.f(2).is_infinite()),
        rule!("fp.fma", "invalid", invalid),
        rule!("fp.fma", "cancelled", cancelled),
        rule!("fp.fma", "single-rounding", |c| {
            c.floats().all(nonzero)
                && finite(c.float())
                && *c.float() != c.f(1).mul(c.mode(), c.f(2)).add(c.mode(), c.f(3))
        }),
        rule!("fp.fma", "product-overflows", |c| {
            finite(c.float()) && c.floats().all(finite) && c.f(1).mul(c.mode(), c.f(2)).is_infinite()
        }),
    ],
    &[
        rule!("fp.sqrt", "negative", |c| invalid(c) && nonzero(c.f(1))),
        rule!("fp.sqrt", "negative-zero", |c| negative_zero(c.f(1))),
        rule!("fp.sqrt", "subnormal", |c| c.f(1).is_subnormal() && !c.float().is_nan()),
        rule!("fp.sqrt", "inexact", |c| c.inexact()),
        rule!("fp.sqrt", "exact", |c| nonzero(c.float()) && c.float() != c.f(1) && !c.inexact()),
        rule!("fp.sqrt", "infinite", |c| c.float().is_infinite()),
        rule!("fp.rem", "by-zero", |c| !c.f(0).is_nan() && c.f(1).is_zero()),
        rule!("fp.rem", "of-infinity", |c| c.f(0).is_infinite() && !c.f(1).is_nan()),
        rule!("fp.rem", "by-infinity", |c| finite(c.f(0)) && c.f(1).is_infinite()),
        rule!("fp.rem", "tie", rem_tie),
        rule!("fp.rem", "zero-keeps-sign", |c| negative_zero(c.float()) && nonzero(c.f(0))),
        rule!("fp.rem", "sign-changes", |c| nonzero(c.float())
            && c.float().is_negative() != c.f(0).is_negative()),
        rule!("fp.rem", "smaller", |c| nonzero(c.f(0)) && c.float() == c.f(0) && nonzero(c.f(1))),
        rule!("fp.roundToIntegral", "tie-to-even", |c| c.mode() == RoundingMode::Rne && half(c)),
        rule!("fp.roundToIntegral", "tie-away", |c| c.mode() == RoundingMode::Rna && half(c)),
        rule!("fp.roundToIntegral", "negative-zero", |c| negative_zero(c.float()) && !c.f(1).is_zero()),
        rule!("fp.roundToIntegral", "up", |c| c.mode() == RoundingMode::Rtp && c.inexact()),
        rule!("fp.roundToIntegral", "down", |c| c.mode() == RoundingMode::Rtn && c.inexact()),
        rule!("fp.roundToIntegral", "integral", |c| nonzero(c.f(1)) && c.float() == c.f(1)),
        rule!("fp.roundToIntegral", "special", |c| !finite(c.f(1))),
    ],
    &[
        rule!("fp.min", "one-nan", one_nan),
        rule!("fp.min", "both-nan", both_nan),
        rule!("fp.min", "infinite", |c| c.float().is_infinite()),
        rule!("fp.min", "zeros", |c| c.f(0).is_zero() && c.f(1).is_zero()),
        rule!("fp.max", "one-nan", one_nan),
        rule!("fp.max", "both-nan", both_nan),
        rule!("fp.max", "infinite", |c| c.float().is_infinite()),
        rule!("fp.max", "zeros", |c| c.f(0).is_zero() && c.f(1).is_zero()),
        rule!("fp.neg", "nan", any_nan),
        rule!("fp.neg", "zero", |c| c.f(0).is_zero()),
        rule!("fp.abs", "nan", any_nan),
        rule!("fp.abs", "negative-zero", |c| negative_zero(c.f(0))),
    ],
    compare!("fp.eq"),
    compare!("fp.lt"),
    compare!("fp.leq"),
    compare!("fp.gt"),
    compare!("fp.geq"),
    compare!("="),
    &[
        rule!("fp.isSubnormal", "largest", |c| {
            let next =
                c.f(0).canonical_bits().bvadd(&smelt_semantics::BitVec::new(c.f(0).format().width(), 1));
            c.truth() && Float::from_ieee(c.f(0).format(), &next).is_some_and(|f| f.is_normal())
        }),
        rule!("fp.isNormal", "least", |c| {
            let before =
                c.f(0).canonical_bits().bvsub(&smelt_semantics::BitVec::new(c.f(0).format().width(), 1));
            c.truth() && Float::from_ieee(c.f(0).format(), &before).is_some_and(|f| f.is_subnormal())
        }),
        rule!("fp.isNormal", "subnormal", |c| c.f(0).is_subnormal()),
        rule!("fp.isZero", "negative-zero", |c| negative_zero(c.f(0))),
        rule!("fp.isNaN", "nan", any_nan),
        rule!("fp.isInfinite", "largest", |c| {
            finite(c.f(0)) && *c.f(0) == Float::largest(c.f(0).format(), c.f(0).is_negative())
        }),
        rule!("fp.isNegative", "nan", any_nan),
        rule!("fp.isNegative", "negative-zero", |c| negative_zero(c.f(0))),
        rule!("fp.isPositive", "nan", any_nan),
        rule!("fp.isPositive", "zero", |c| c.f(0).is_zero()),
    ],
    &[
        rule!("to_fp.bits", "nan", |c| c.float().is_nan()),
        rule!("to_fp.bits", "nan-payload", |c| c.float().is_nan() && c.float().canonical_bits() != c.b(0)),
        rule!("to_fp.bits", "subnormal", |c| c.float().is_subnormal()),
        rule!("to_fp.signed", "least", |c| c.b(1).msb() && c.b(1).bvneg() == *c.b(1)),
        rule!("to_fp.signed", "zero", |c| c.b(1).is_zero()),
        rule!("to_fp_unsigned", "top-bit", |c| c.b(1).msb()),
        rule!("fp.to_sbv", "least", |c| c.bits().msb() && c.bits().bvneg() == *c.bits()),
        rule!("fp.to_ubv", "top-bit", |c| c.bits().msb()),
        rule!("fp.to_ubv", "negative-fraction", |c| nonzero(c.last()) && c.last().is_negative()),
    ],
    to_integer!("fp.to_ubv"),
    to_integer!("fp.to_sbv"),
];
