//! Arithmetic: each function handles special operands first, then computes the exact result and rounds it once.

use std::cmp::Ordering;

use super::round::{drop_bits, round};
use super::sig::{Sig, Unpacked};
use super::{Class, Float, Format, RoundingMode, with_sig};
use crate::Gap;
use crate::bitvec::BitVec;

impl Float {
    /// `fp.neg`: NaN stays NaN.
    pub fn neg(&self) -> Float {
        if self.is_nan() {
            return self.clone();
        }
        let sign = BitVec::new(self.format.width(), 1).rotate_right(1);
        Float { format: self.format, bits: self.bits.bvxor(&sign) }
    }

    /// `fp.abs`.
    pub fn abs(&self) -> Float {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// `fp.add`.
    pub fn add(&self, mode: RoundingMode, other: &Float) -> Float {
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => Float::nan(self.format),
            (Class::Infinite(a), Class::Infinite(b)) if a != b => Float::nan(self.format),
            (Class::Infinite(_), _) => self.clone(),
            (_, Class::Infinite(_)) => other.clone(),
            (Class::Zero(a), Class::Zero(b)) => Float::zero(self.format, zero_sum_sign(mode, a, b)),
            (Class::Zero(_), _) => other.clone(),
            (_, Class::Zero(_)) => self.clone(),
            _ => {
                with_sig!(self.format.sb, S => sum(self.format, mode, self.unpack::<S>(), other.unpack::<S>()))
            }
        }
    }

    /// `fp.sub`.
    pub fn sub(&self, mode: RoundingMode, other: &Float) -> Float {
        self.add(mode, &other.neg())
    }

    /// `fp.mul`.
    pub fn mul(&self, mode: RoundingMode, other: &Float) -> Float {
        let negative = self.sign() != other.sign();
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => Float::nan(self.format),
            (Class::Infinite(_), Class::Zero(_)) | (Class::Zero(_), Class::Infinite(_)) => {
                Float::nan(self.format)
            }
            (Class::Infinite(_), _) | (_, Class::Infinite(_)) => Float::infinity(self.format, negative),
            (Class::Zero(_), _) | (_, Class::Zero(_)) => Float::zero(self.format, negative),
            _ => with_sig!(self.format.sb, S => {
                round(self.format, mode, product(&self.unpack::<S>(), &other.unpack()))
            }),
        }
    }

    /// `fp.div`.
    pub fn div(&self, mode: RoundingMode, other: &Float) -> Float {
        let negative = self.sign() != other.sign();
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => Float::nan(self.format),
            (Class::Infinite(_), Class::Infinite(_)) | (Class::Zero(_), Class::Zero(_)) => {
                Float::nan(self.format)
            }
            (Class::Infinite(_), _) | (_, Class::Zero(_)) => Float::infinity(self.format, negative),
            (Class::Zero(_), _) | (_, Class::Infinite(_)) => Float::zero(self.format, negative),
            _ => with_sig!(self.format.sb, S => {
                round(self.format, mode, quotient(self.format.sb, self.unpack::<S>(), &other.unpack()))
            }),
        }
    }

    /// `fp.fma`: `self * factor + addend`, rounded once.
    pub fn fma(&self, mode: RoundingMode, factor: &Float, addend: &Float) -> Float {
        match (self.class(), factor.class(), addend.class()) {
            (Class::Finite(_), Class::Finite(_), Class::Nan | Class::Infinite(_)) => addend.clone(),
            (Class::Finite(_), Class::Finite(_), c) => with_sig!(self.format.sb, S => {
                let exact = product(&self.unpack::<S>(), &factor.unpack());
                match c {
                    Class::Zero(_) => round(self.format, mode, exact),
                    _ => sum(self.format, mode, exact, addend.unpack()),
                }
            }),
            // The product is zero, infinite or NaN: rounding does not change it.
            _ => self.mul(mode, factor).add(mode, addend),
        }
    }

    /// `fp.sqrt`.
    pub fn sqrt(&self, mode: RoundingMode) -> Float {
        match self.class() {
            Class::Nan | Class::Infinite(true) | Class::Finite(true) => Float::nan(self.format),
            Class::Zero(_) | Class::Infinite(false) => self.clone(),
            Class::Finite(false) => with_sig!(self.format.sb, S => {
                round(self.format, mode, square_root(self.format.sb, self.unpack::<S>()))
            }),
        }
    }

    /// `fp.rem`, the IEEE remainder: `self - other * n` with `n` the integer nearest to the quotient, ties to even.
    pub fn rem(&self, other: &Float) -> Float {
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => Float::nan(self.format),
            (Class::Infinite(_), _) | (_, Class::Zero(_)) => Float::nan(self.format),
            (Class::Zero(_), _) | (_, Class::Infinite(_)) => self.clone(),
            _ => with_sig!(self.format.sb, S => {
                match remainder(self.unpack::<S>(), other.unpack()) {
                    // Exact, so that any mode will do.
                    Some(exact) => round(self.format, RoundingMode::Rne, exact),
                    None => Float::zero(self.format, self.sign()),
                }
            }),
        }
    }

    /// `fp.roundToIntegral`.
    pub fn round_to_integral(&self, mode: RoundingMode) -> Float {
        if !matches!(self.class(), Class::Finite(_)) {
            return self.clone();
        }
        with_sig!(self.format.sb, S => {
            let x = self.unpack::<S>();
            if x.exp >= 0 {
                return self.clone();
            }
            let sig = drop_bits(mode, x.negative, x.sig, x.exp.unsigned_abs());
            if sig.is_zero() {
                return Float::zero(self.format, x.negative);
            }
            round(self.format, mode, Unpacked { negative: x.negative, exp: 0, sig })
        })
    }

    /// `fp.min`: open for zeros of opposite sign.
    pub fn minimum(&self, other: &Float) -> Result<Float, Gap> {
        self.pick(other, other.ieee_lt(self))
    }

    /// `fp.max`: open for zeros of opposite sign.
    pub fn maximum(&self, other: &Float) -> Result<Float, Gap> {
        self.pick(other, self.ieee_lt(other))
    }

    fn pick(&self, other: &Float, second: bool) -> Result<Float, Gap> {
        match (self.class(), other.class()) {
            (Class::Zero(a), Class::Zero(b)) if a != b => Err(Gap::Unspecified),
            (Class::Nan, _) => Ok(other.clone()),
            _ => Ok(if second { other } else { self }.clone()),
        }
    }
}

/// The sign of a zero that is the sum of two zeros or of opposite numbers.
fn zero_sum_sign(mode: RoundingMode, a: bool, b: bool) -> bool {
    if a == b { a } else { mode == RoundingMode::Rtn }
}

/// The rounded sum of two exact non-zero values.
fn sum<S: Sig>(format: Format, mode: RoundingMode, a: Unpacked<S>, b: Unpacked<S>) -> Float {
    let (a, b) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    let (a_len, b_len) = (a.sig.bit_length(), b.sig.bit_length());
    // Raise the larger to the working width and align the smaller. Where that cuts off bits of the smaller,
    // the sum cancels at most one leading bit, so the sticky bit stays far below the rounding position.
    let raise = S::working_width(a_len.max(b_len) + format.sb + 4) - a_len;
    let exp = a.exp - i64::from(raise);
    let big = a.sig << raise as usize;
    let small = match b.exp - exp {
        up if up >= 0 => b.sig << up as usize,
        down => b.sig.shr_sticky(down.unsigned_abs()),
    };
    let (negative, sig) = match big.cmp(&small) {
        _ if a.negative == b.negative => (a.negative, big + &small),
        Ordering::Equal => return Float::zero(format, zero_sum_sign(mode, true, false)),
        Ordering::Greater => (a.negative, big - &small),
        Ordering::Less => (b.negative, small - &big),
    };
    round(format, mode, Unpacked { negative, exp, sig })
}

/// The exact product.
fn product<S: Sig>(a: &Unpacked<S>, b: &Unpacked<S>) -> Unpacked<S> {
    Unpacked { negative: a.negative != b.negative, exp: a.exp + b.exp, sig: a.sig.clone() * &b.sig }
}

/// The quotient to at least three bits beyond the precision, the last sticky.
pub(super) fn quotient<S: Sig>(precision: u32, a: Unpacked<S>, b: &Unpacked<S>) -> Unpacked<S> {
    let raise = (precision + 3 + b.sig.bit_length()).saturating_sub(a.sig.bit_length());
    let (q, rest) = (a.sig << raise as usize).quotient(&b.sig);
    Unpacked {
        negative: a.negative != b.negative,
        exp: a.exp - b.exp - i64::from(raise),
        sig: q.with_sticky(!rest.is_zero()),
    }
}

/// The square root to at least two bits beyond the precision, the last sticky.
fn square_root<S: Sig>(precision: u32, a: Unpacked<S>) -> Unpacked<S> {
    let mut raise = (2 * precision + 3).saturating_sub(a.sig.bit_length());
    raise += u32::from((a.exp - i64::from(raise)) % 2 != 0);
    let (root, exact) = (a.sig << raise as usize).root();
    Unpacked { negative: false, exp: (a.exp - i64::from(raise)) / 2, sig: root.with_sticky(!exact) }
}

/// The exact IEEE remainder; none for zero.
///
/// Exponents may be as far apart as the format allows: a power of two is never formed, only its residue.
fn remainder<S: Sig>(x: Unpacked<S>, y: Unpacked<S>) -> Option<Unpacked<S>> {
    let (exp, x_sig, y_sig) = match x.exp - y.exp {
        // |x| < |y| / 4: the nearest integer is zero.
        up if up < 0 && x.top() + 2 < y.top() => return Some(x),
        up if up < 0 => (x.exp, x.sig, y.sig << up.unsigned_abs() as usize),
        up => {
            // Modulo 2|y|, which keeps the parity of the quotient.
            let double = y.sig.clone() << 1;
            let residue = power_of_two_mod(up as u64, &double) * &x.sig.quotient(&double).1;
            (y.exp, residue.quotient(&double).1, y.sig)
        }
    };
    let (quotient, rest) = x_sig.quotient(&y_sig);
    let twice = rest.clone() << 1;
    let up = twice > y_sig || (twice == y_sig && quotient.is_odd());
    let sig = if up { y_sig - &rest } else { rest };
    (!sig.is_zero()).then_some(Unpacked { negative: x.negative != up, exp, sig })
}

/// `2^n mod m` by repeated squaring.
fn power_of_two_mod<S: Sig>(n: u64, m: &S) -> S {
    let mut power = S::from(1);
    for i in (0..64 - n.leading_zeros()).rev() {
        power = (power.clone() * &power).quotient(m).1;
        if n >> i & 1 == 1 {
            power = (power << 1).quotient(m).1;
        }
    }
    power.quotient(m).1
}
