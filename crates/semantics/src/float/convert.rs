//! Conversions between formats, and to and from reals, integers and bit-vectors.

use dashu_base::UnsignedAbs;

use super::arith::quotient;
use super::round::{drop_bits, round};
use super::sig::Unpacked;
use super::{Class, Float, Format, RoundingMode, with_sig};
use crate::Gap;
use crate::bitvec::{BitVec, MAX_WIDTH};
use crate::number::{Int, Nat, Rational, Real, int};

impl Float {
    /// `((_ to_fp eb sb) mode self)`: to another format.
    pub fn to_format(&self, format: Format, mode: RoundingMode) -> Float {
        match self.class() {
            Class::Nan => Float::nan(format),
            Class::Infinite(negative) => Float::infinity(format, negative),
            Class::Zero(negative) => Float::zero(format, negative),
            Class::Finite(_) => with_sig!(self.format.sb.max(format.sb), S => {
                round(format, mode, self.unpack::<S>())
            }),
        }
    }

    /// The rounding of an integer; zero becomes positive zero.
    pub fn from_int(format: Format, mode: RoundingMode, value: &Int) -> Float {
        if value.is_zero() {
            return Float::zero(format, false);
        }
        let sig = value.unsigned_abs();
        round(format, mode, Unpacked { negative: int::is_negative(value), exp: 0, sig })
    }

    /// `((_ to_fp eb sb) mode bits)` for a vector read in two's complement.
    pub fn from_signed(format: Format, mode: RoundingMode, bits: &BitVec) -> Float {
        Float::from_int(format, mode, &bits.to_signed_int())
    }

    /// `((_ to_fp_unsigned eb sb) mode bits)`.
    pub fn from_unsigned(format: Format, mode: RoundingMode, bits: &BitVec) -> Float {
        Float::from_int(format, mode, &bits.to_unsigned_int())
    }

    /// The rounding of a rational; zero becomes positive zero.
    pub fn from_rational(format: Format, mode: RoundingMode, value: &Rational) -> Float {
        if value.is_zero() {
            return Float::zero(format, false);
        }
        let num = Unpacked { negative: value.signum() < 0, exp: 0, sig: value.numerator().unsigned_abs() };
        let den = Unpacked { negative: false, exp: 0, sig: value.denominator().clone() };
        round(format, mode, quotient(format.sb, num, &den))
    }

    /// `((_ to_fp eb sb) mode real)`.
    pub fn from_real(format: Format, mode: RoundingMode, value: &Real) -> Result<Float, Gap> {
        let mut x = match value {
            Real::Rational(r) => return Ok(Float::from_rational(format, mode, r)),
            Real::Algebraic(a) => a.as_ref().clone(),
        };
        // Rounding is monotonic, and an irrational number lies on no boundary of it. Zero lies between the
        // two zeros, so the sign is decided first.
        for _ in 0..20_000 {
            let (lo, hi) = x.interval();
            if lo.signum() * hi.signum() > 0 {
                let rounded = Float::from_rational(format, mode, lo);
                if rounded == Float::from_rational(format, mode, hi) {
                    return Ok(rounded);
                }
            }
            x.refine();
        }
        Err(Gap::TooLarge)
    }

    /// `(fp.to_real self)`: open for infinities and NaN.
    pub fn to_real(&self) -> Result<Rational, Gap> {
        match self.class() {
            Class::Nan | Class::Infinite(_) => Err(Gap::Unspecified),
            Class::Zero(_) => Ok(Rational::ZERO),
            Class::Finite(_) => {
                let x = self.unpack::<Nat>();
                if x.exp.unsigned_abs() > int::MAX_BITS as u64 {
                    return Err(Gap::TooLarge);
                }
                let sig = Int::from(x.sig);
                Ok(Rational::dyadic(if x.negative { -sig } else { sig }, x.exp))
            }
        }
    }

    /// `((_ fp.to_ubv width) mode self)`: open if the rounded value does not fit.
    pub fn to_unsigned(&self, mode: RoundingMode, width: u32) -> Result<BitVec, Gap> {
        self.to_bits(mode, width, BitVec::to_unsigned_int)
    }

    /// `((_ fp.to_sbv width) mode self)`: open if the rounded value does not fit.
    pub fn to_signed(&self, mode: RoundingMode, width: u32) -> Result<BitVec, Gap> {
        self.to_bits(mode, width, BitVec::to_signed_int)
    }

    /// The bits that are read back as the rounded value.
    fn to_bits(&self, mode: RoundingMode, width: u32, read: fn(&BitVec) -> Int) -> Result<BitVec, Gap> {
        let value = self.to_integer(mode, width)?;
        let bits = BitVec::from_int(width, &value)?;
        if read(&bits) == value { Ok(bits) } else { Err(Gap::Unspecified) }
    }

    /// The value rounded to an integer, if it may fit `width` bits.
    fn to_integer(&self, mode: RoundingMode, width: u32) -> Result<Int, Gap> {
        match self.class() {
            Class::Nan | Class::Infinite(_) => Err(Gap::Unspecified),
            Class::Zero(_) => Ok(Int::ZERO),
            Class::Finite(_) if width > MAX_WIDTH => Err(Gap::TooLarge),
            Class::Finite(_) => {
                let x = self.unpack::<Nat>();
                if x.top() > i64::from(width) + 1 {
                    return Err(Gap::Unspecified);
                }
                let sig = match x.exp {
                    up if up >= 0 => x.sig << up as usize,
                    down => drop_bits(mode, x.negative, x.sig, down.unsigned_abs()),
                };
                Ok(if x.negative { -Int::from(sig) } else { sig.into() })
            }
        }
    }
}
