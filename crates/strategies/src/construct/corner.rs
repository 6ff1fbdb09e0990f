//! Random values that are likely to matter: ends of ranges, neighbours, powers of two, and sometimes any value.

use smelt_semantics::number::{Int, Nat, Rational};
use smelt_semantics::value::{Array, Domain, Value};
use smelt_semantics::{BitVec, Float, Format, RoundingMode};

use super::sort::Sort;
use crate::rng::Rng;

/// A value of a sort.
pub(crate) fn value(rng: &mut Rng, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(rng.one_in(2)),
        Sort::Mode => Value::RoundingMode(RoundingMode::ALL[rng.below(5)].0),
        Sort::Bits(w) => Value::BitVec(bits(rng, w)),
        Sort::Float(f) => Value::Float(float(rng, f)),
        Sort::Int => Value::Int(int(rng)),
        Sort::Real => real(rng),
        Sort::Array(w, e) => {
            let default = value(rng, e.into());
            let entries: Vec<(Value, Value)> =
                (0..rng.below(3)).map(|_| (value(rng, Sort::Bits(w)), value(rng, e.into()))).collect();
            let array = Array::new(domain(w), default.clone(), entries);
            Value::Array(array.unwrap_or_else(|_| Array::constant(domain(w), default)))
        }
    }
}

/// The indices of arrays over bit-vectors.
fn domain(width: u32) -> Domain {
    match width {
        0..=6 => Domain::Listed((0..1u64 << width).map(|i| BitVec::new(width, i).into()).collect()),
        7..=62 => Domain::Large(1 << width),
        _ => Domain::Large(u64::MAX),
    }
}

/// An integer: small, or near a power of two that is a bound of a width.
fn int(rng: &mut Rng) -> Int {
    let near = Int::from(rng.below(5)) - Int::from(2);
    let power = match rng.below(4) {
        0 => Int::from(0),
        _ => Int::from(1) << rng.below(MOST_BITS),
    };
    let sum = power + near;
    if rng.one_in(3) { -sum } else { sum }
}

/// The bits of large integers.
const MOST_BITS: usize = 66;

/// A real: an integer, or a fraction that a float may have or not.
fn real(rng: &mut Rng) -> Value {
    let denominator = [1, 2, 4, 1024, 3, 10][rng.below(6)];
    let ratio = Rational::new(int(rng), Int::from(denominator)).expect("it is not zero");
    Value::Real(ratio.into())
}

/// Random bits.
pub(crate) fn any_bits(rng: &mut Rng, width: u32) -> BitVec {
    if width <= 64 {
        return BitVec::new(width, rng.bits());
    }
    let mut all = Nat::ZERO;
    for _ in 0..width.div_ceil(64) {
        all = (all << 64) + Nat::from(rng.bits());
    }
    BitVec::from_nat(width, all)
}

/// A power of two, below the width.
fn power(rng: &mut Rng, width: u32) -> BitVec {
    BitVec::new(width, 1).rotate_left(rng.below(width as usize) as u32)
}

/// A bit-vector.
pub(crate) fn bits(rng: &mut Rng, width: u32) -> BitVec {
    let small = |rng: &mut Rng| BitVec::new(width, rng.below(4) as u64);
    let base = match rng.below(10) {
        0 => BitVec::zero(width),
        1 => BitVec::new(width, 1),
        2 => BitVec::ones(width),
        3 => BitVec::least(width),
        4 => BitVec::greatest(width),
        5 => power(rng, width),
        // Near the width, as distances of shifts.
        6 => BitVec::new(width, u64::from(width)).bvadd(&small(rng)).bvsub(&BitVec::new(width, 1)),
        7 => small(rng),
        _ => return any_bits(rng, width),
    };
    match rng.below(6) {
        0 => base.bvadd(&BitVec::new(width, 1)),
        1 => base.bvsub(&BitVec::new(width, 1)),
        _ => base,
    }
}

/// A bit-vector related to another: equal, opposite, a neighbour, or different in one bit.
fn related_bits(rng: &mut Rng, to: &BitVec) -> BitVec {
    let one = BitVec::new(to.width(), 1);
    match rng.below(6) {
        0 => to.clone(),
        1 => to.bvneg(),
        2 => to.bvnot(),
        3 => to.bvadd(&one),
        4 => to.bvsub(&one),
        _ => to.bvxor(&power(rng, to.width())),
    }
}

/// A significand with few bits: products and sums of such are exact, or ties.
fn few_bits(rng: &mut Rng, width: u32) -> BitVec {
    let keep = rng.below(width as usize + 1) as u32;
    if keep == 0 {
        return BitVec::zero(width);
    }
    let mut bits = any_bits(rng, width);
    bits = bits.bvlshr(&BitVec::new(width, u64::from(width - keep)));
    bits.bvor(&BitVec::new(width, 1)).rotate_right(keep)
}

/// A float.
pub(crate) fn float(rng: &mut Rng, format: Format) -> Float {
    let (e, m) = (format.eb(), format.sb() - 1);
    let negative = rng.one_in(2);
    let one = BitVec::new(e, 1);
    // The exponent field of one.
    let bias = BitVec::greatest(e);
    let pack = |field: &BitVec, stored: &BitVec| Float::of_fields(format, negative, field, stored);
    match rng.below(20) {
        0 => Float::zero(format, negative),
        1 => Float::infinity(format, negative),
        2 => Float::nan(format),
        3 => Float::largest(format, negative),
        4 => Float::least_subnormal(format, negative),
        5 => Float::largest_subnormal(format, negative),
        6 => Float::least_normal(format, negative),
        // Any subnormal.
        7 => pack(&BitVec::zero(e), &any_bits(rng, m)),
        8 => Float::one(format, negative),
        // Around one, with few bits: small integers and halves.
        9..=11 => {
            let near = BitVec::new(e, rng.below(5) as u64);
            pack(&bias.bvadd(&near).bvsub(&one), &few_bits(rng, m))
        }
        // Around where units and halves are the last bit: ties of rounding to an integer.
        12 | 13 => {
            let up = BitVec::new(e, u64::from(m)).bvsub(&BitVec::new(e, rng.below(4) as u64));
            pack(&bias.bvadd(&up), &any_bits(rng, m))
        }
        14 | 15 => pack(&any_bits(rng, e), &few_bits(rng, m)),
        // Near the ends of the exponents.
        16 => pack(&BitVec::new(e, rng.below(4) as u64), &any_bits(rng, m)),
        17 => {
            let down = BitVec::new(e, 1 + rng.below(4) as u64);
            pack(&BitVec::ones(e).bvsub(&down), &any_bits(rng, m))
        }
        _ => Float::from_ieee(format, &any_bits(rng, format.width())).expect("the width fits"),
    }
}

/// A float related to another: equal, opposite, a neighbour, or so small that their sum is near a tie.
fn related_float(rng: &mut Rng, to: &Float) -> Float {
    let format = to.format();
    let (e, m) = (format.eb(), format.sb() - 1);
    let bits = to.canonical_bits();
    let one = BitVec::new(format.width(), 1);
    match rng.below(8) {
        0 => to.clone(),
        1 => to.neg(),
        2 => Float::from_ieee(format, &bits.bvadd(&one)).expect("the width fits"),
        3 => Float::from_ieee(format, &bits.bvsub(&one)).expect("the width fits"),
        _ => {
            // Half a unit in the last place, about.
            let field = bits.extract(format.width() - 2, m).expect("within the width");
            let down = BitVec::new(e, u64::from(m) + rng.below(4) as u64);
            let field = if field.bvult(&down) && rng.one_in(2) {
                BitVec::new(e, rng.below(2) as u64)
            } else {
                field.bvsub(&down)
            };
            Float::of_fields(format, rng.one_in(2), &field, &few_bits(rng, m))
        }
    }
}

/// A value related to another of the same sort.
pub(crate) fn related(rng: &mut Rng, to: &Value, sort: Sort) -> Value {
    match to {
        Value::BitVec(b) => Value::BitVec(related_bits(rng, b)),
        Value::Float(f) => Value::Float(related_float(rng, f)),
        _ => value(rng, sort),
    }
}
