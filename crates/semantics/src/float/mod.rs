//! Floating-point numbers of any format: exact arithmetic and one rounding step.
//!
//! Invariant: a [`Float`] is its IEEE 754 interchange bits, with one bit pattern for NaN, so `Eq` and `Hash` are
//! SMT-LIB's `=` (the two zeros differ, NaN equals itself). IEEE comparison is [`Float::compare`].
//!
//! Every operation computes the exact result as sign, significand and exponent, and rounds it once (`round.rs`). A
//! *sticky* low bit may represent all bits far below the rounding position. The algorithms are written once for two
//! kinds of significand (`sig.rs`): a 128-bit word for formats of up to 62 bits of precision, and naturals for all
//! others.
//!
//! Some solvers deviate from these results, all in tiny formats, for which every result here is checked against the
//! definition. z3 4.8.12 rounds `fp.fma` wrongly with at most three significand bits, and `fp.roundToIntegral` of a
//! tie in (2, 2). cvc5 1.0.3 refuses two significand bits, and is wrong in some sums, remainders and conversions
//! with two exponent bits or into (4, 3), (3, 4) and (3, 5). If rounding to an integral leaves the range of the
//! format, the result is the rounded value of that integer.

mod arith;
mod convert;
pub mod range;
mod round;
mod sig;

use std::cmp::Ordering;
use std::fmt;

use crate::Gap;
use crate::bitvec::{self, BitVec};
use crate::number::Nat;
use sig::{Sig, Unpacked};

/// Precisions up to this are computed in 128-bit words.
const MAX_WORD_PRECISION: u32 = 62;

/// Runs a generic body with the significand type that suits a precision.
macro_rules! with_sig {
    ($precision:expr, $S:ident => $body:expr) => {
        if $precision <= $crate::float::MAX_WORD_PRECISION {
            type $S = u128;
            $body
        } else {
            type $S = $crate::number::Nat;
            $body
        }
    };
}
use with_sig;

/// A floating-point format: exponent bits, and significand bits with the hidden bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format {
    eb: u32,
    sb: u32,
}

impl Format {
    /// Half precision.
    pub const F16: Format = Format { eb: 5, sb: 11 };
    /// Single precision.
    pub const F32: Format = Format { eb: 8, sb: 24 };
    /// Double precision.
    pub const F64: Format = Format { eb: 11, sb: 53 };
    /// Quadruple precision.
    pub const F128: Format = Format { eb: 15, sb: 113 };

    /// The most exponent bits that are supported.
    pub const MAX_EB: u32 = 60;

    /// The format `(_ FloatingPoint eb sb)`; none below two bits of either, and for formats that are not supported.
    pub fn new(eb: u32, sb: u32) -> Option<Format> {
        let supported =
            (2..=Self::MAX_EB).contains(&eb) && (2..=bitvec::MAX_WIDTH - Self::MAX_EB).contains(&sb);
        supported.then_some(Format { eb, sb })
    }

    /// Bits of the exponent.
    pub fn eb(self) -> u32 {
        self.eb
    }

    /// Bits of the significand, the hidden bit included.
    pub fn sb(self) -> u32 {
        self.sb
    }

    /// Bits of the interchange encoding.
    pub fn width(self) -> u32 {
        self.eb + self.sb
    }

    /// The exponent of the largest numbers, which is the bias too.
    fn emax(self) -> i64 {
        (1 << (self.eb - 1)) - 1
    }

    /// The exponent of the least normal number.
    fn emin(self) -> i64 {
        1 - self.emax()
    }

    /// The exponent field of infinities and NaN.
    fn top_field(self) -> u64 {
        (1 << self.eb) - 1
    }
}

/// The five rounding modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoundingMode {
    /// To nearest, ties to even.
    Rne,
    /// To nearest, ties away from zero.
    Rna,
    /// Toward positive infinity.
    Rtp,
    /// Toward negative infinity.
    Rtn,
    /// Toward zero.
    Rtz,
}

impl RoundingMode {
    /// Every mode with its short and long SMT-LIB name.
    pub const ALL: [(RoundingMode, &'static str, &'static str); 5] = [
        (RoundingMode::Rne, "RNE", "roundNearestTiesToEven"),
        (RoundingMode::Rna, "RNA", "roundNearestTiesToAway"),
        (RoundingMode::Rtp, "RTP", "roundTowardPositive"),
        (RoundingMode::Rtn, "RTN", "roundTowardNegative"),
        (RoundingMode::Rtz, "RTZ", "roundTowardZero"),
    ];

    /// The mode of a short or long SMT-LIB name.
    pub fn parse(name: &str) -> Option<RoundingMode> {
        Self::ALL.iter().find(|(_, short, long)| name == *short || name == *long).map(|row| row.0)
    }
}

impl fmt::Display for RoundingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = Self::ALL.iter().find(|row| row.0 == *self);
        f.write_str(row.map_or("", |row| row.1))
    }
}

/// A floating-point number, infinity or NaN of some format.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Float {
    format: Format,
    /// The interchange encoding.
    bits: BitVec,
}

/// The classes of floats that operations treat differently; the flag is the sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Nan,
    Infinite(bool),
    Zero(bool),
    Finite(bool),
}

impl Float {
    /// The float of an interchange encoding; none if the width is wrong.
    pub fn from_ieee(format: Format, bits: &BitVec) -> Option<Float> {
        if bits.width() != format.width() {
            return None;
        }
        let float = Float { format, bits: bits.clone() };
        Some(if float.is_nan() { Float::nan(format) } else { float })
    }

    /// `(fp sign exponent significand)`; none if the widths make no format.
    pub fn from_parts(sign: &BitVec, exponent: &BitVec, significand: &BitVec) -> Option<Float> {
        let format = Format::new(exponent.width(), significand.width().checked_add(1)?)?;
        let bits = sign.concat(exponent).ok()?.concat(significand).ok()?;
        Float::from_ieee(format, &bits)
    }

    /// `to_ieee_bv`: open for NaN, which has many encodings.
    pub fn to_ieee(&self) -> Result<BitVec, Gap> {
        if self.is_nan() { Err(Gap::Unspecified) } else { Ok(self.bits.clone()) }
    }

    /// The encoding, with one fixed pattern for NaN.
    pub fn canonical_bits(&self) -> &BitVec {
        &self.bits
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Not a number.
    pub fn nan(format: Format) -> Float {
        with_sig!(format.sb, S => {
            Float::pack(format, false, format.top_field(), S::from(1u64) << (format.sb as usize - 2))
        })
    }

    /// An infinity.
    pub fn infinity(format: Format, negative: bool) -> Float {
        Float::pack(format, negative, format.top_field(), 0u128)
    }

    /// A zero.
    pub fn zero(format: Format, negative: bool) -> Float {
        Float::pack(format, negative, 0, 0u128)
    }

    /// The finite number of greatest magnitude.
    pub fn largest(format: Format, negative: bool) -> Float {
        let magnitude = Float::infinity(format, false).bits.bvsub(&BitVec::new(format.width(), 1));
        let float = Float { format, bits: magnitude };
        if negative { float.neg() } else { float }
    }

    /// The number other than zero of least magnitude.
    pub fn least_subnormal(format: Format, negative: bool) -> Float {
        Float::zero(format, false).next(negative)
    }

    /// The subnormal number of greatest magnitude.
    pub fn largest_subnormal(format: Format, negative: bool) -> Float {
        let (field, stored) = (BitVec::zero(format.eb), BitVec::ones(format.sb - 1));
        Float::of_fields(format, negative, &field, &stored)
    }

    /// The normal number of least magnitude.
    pub fn least_normal(format: Format, negative: bool) -> Float {
        Float::largest_subnormal(format, false).next(negative)
    }

    /// One, or minus one.
    pub fn one(format: Format, negative: bool) -> Float {
        Float::of_fields(format, negative, &BitVec::greatest(format.eb), &BitVec::zero(format.sb - 1))
    }

    /// The positive float after a positive one, with a sign.
    pub fn next(&self, negative: bool) -> Float {
        let float =
            Float { format: self.format, bits: self.bits.bvadd(&BitVec::new(self.format.width(), 1)) };
        if negative { float.neg() } else { float }
    }

    /// The float of a sign, an exponent field and a stored significand of the widths that the format has.
    pub fn of_fields(format: Format, negative: bool, field: &BitVec, stored: &BitVec) -> Float {
        let float = Float::from_parts(&BitVec::from_bool(negative), field, stored);
        float.unwrap_or_else(|| Float::zero(format, negative))
    }

    /// The encoding `sign, field * 2^(sb-1) + significand`: a significand with the hidden bit raises the field.
    fn pack<S: Sig>(format: Format, negative: bool, field: u64, significand: S) -> Float {
        let width = format.width();
        let bits = match significand.to_word() {
            Some(low) if width <= 64 => {
                let bits = (u64::from(negative) << (width - 1)) | ((field << (format.sb - 1)) + low);
                BitVec::new(width, bits)
            }
            _ => {
                let mut all = (Nat::from(field) << (format.sb as usize - 1)) + significand.into();
                if negative {
                    all.set_bit(width as usize - 1);
                }
                BitVec::from_nat(width, all)
            }
        };
        Float { format, bits }
    }

    /// The sign bit, also of NaN.
    fn sign(&self) -> bool {
        self.bits.msb()
    }

    /// The encoding, if it is one word.
    #[inline]
    fn word(&self) -> Option<u64> {
        if self.format.width() <= 64 { self.bits.to_u64() } else { None }
    }

    /// The exponent field and the stored part of the significand.
    #[inline]
    fn fields<S: Sig>(&self) -> (u64, S) {
        let stored = self.format.sb - 1;
        match self.word() {
            Some(bits) => (bits >> stored & self.format.top_field(), S::from(bits & ((1 << stored) - 1))),
            None => {
                let (low, mut high) = self.bits.to_nat().split_bits(stored as usize);
                high.clear_high_bits(self.format.eb as usize);
                (u64::try_from(high).unwrap_or(0), S::from_nat(low))
            }
        }
    }

    /// The exponent field, and whether the stored part of the significand is zero.
    #[inline]
    fn field_and_zero(&self) -> (u64, bool) {
        with_sig!(self.format.sb, S => {
            let (field, low) = self.fields::<S>();
            (field, low.is_zero())
        })
    }

    fn class(&self) -> Class {
        let negative = self.sign();
        match self.field_and_zero() {
            (0, true) => Class::Zero(negative),
            (f, true) if f == self.format.top_field() => Class::Infinite(negative),
            (f, false) if f == self.format.top_field() => Class::Nan,
            _ => Class::Finite(negative),
        }
    }

    /// The exact value of a finite non-zero number.
    #[inline]
    fn unpack<S: Sig>(&self) -> Unpacked<S> {
        let (field, low) = self.fields::<S>();
        let stored = self.format.sb - 1;
        let sig = if field == 0 { low } else { low + &(S::from(1) << stored as usize) };
        let exp = self.format.emin() - i64::from(stored) + field.max(1) as i64 - 1;
        Unpacked { negative: self.sign(), exp, sig }
    }

    /// `fp.isNaN`.
    pub fn is_nan(&self) -> bool {
        self.class() == Class::Nan
    }

    /// `fp.isInfinite`.
    pub fn is_infinite(&self) -> bool {
        matches!(self.class(), Class::Infinite(_))
    }

    /// `fp.isZero`.
    pub fn is_zero(&self) -> bool {
        matches!(self.class(), Class::Zero(_))
    }

    /// `fp.isNormal`.
    pub fn is_normal(&self) -> bool {
        matches!(self.class(), Class::Finite(_)) && self.field_and_zero().0 != 0
    }

    /// `fp.isSubnormal`.
    pub fn is_subnormal(&self) -> bool {
        matches!(self.class(), Class::Finite(_)) && self.field_and_zero().0 == 0
    }

    /// `fp.isNegative`: false for NaN.
    pub fn is_negative(&self) -> bool {
        self.sign() && !self.is_nan()
    }

    /// `fp.isPositive`: false for NaN.
    pub fn is_positive(&self) -> bool {
        !self.sign() && !self.is_nan()
    }

    /// The IEEE order: zeros are equal, NaN compares with nothing.
    pub fn compare(&self, other: &Float) -> Option<Ordering> {
        match (self.class(), other.class()) {
            (Class::Nan, _) | (_, Class::Nan) => None,
            (Class::Zero(_), Class::Zero(_)) => Some(Ordering::Equal),
            _ => Some(match (self.sign(), other.sign()) {
                (false, true) => Ordering::Greater,
                (true, false) => Ordering::Less,
                (false, false) => self.bits.cmp(&other.bits),
                (true, true) => other.bits.cmp(&self.bits),
            }),
        }
    }

    /// `fp.eq`.
    pub fn ieee_eq(&self, other: &Float) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }

    /// `fp.lt`.
    pub fn ieee_lt(&self, other: &Float) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }

    /// `fp.leq`.
    pub fn ieee_le(&self, other: &Float) -> bool {
        matches!(self.compare(other), Some(Ordering::Less | Ordering::Equal))
    }
}

/// SMT-LIB text.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (eb, sb) = (self.format.eb, self.format.sb);
        let sign = |negative| if negative { '-' } else { '+' };
        match self.class() {
            Class::Nan => write!(f, "(_ NaN {eb} {sb})"),
            Class::Infinite(n) => write!(f, "(_ {}oo {eb} {sb})", sign(n)),
            Class::Zero(n) => write!(f, "(_ {}zero {eb} {sb})", sign(n)),
            Class::Finite(n) => {
                let part = |high, low| self.bits.extract(high, low).map_or(String::new(), |b| b.to_string());
                write!(f, "(fp #b{} {} {})", u8::from(n), part(eb + sb - 2, sb - 1), part(sb - 2, 0))
            }
        }
    }
}
