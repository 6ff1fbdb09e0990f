//! Significands: naturals in 128-bit words or unbounded, and the few functions that the algorithms need.

use std::ops::{Add, Mul, Shl, Shr, Sub};

use dashu_base::{BitTest, DivRem, SquareRootRem};

use crate::number::Nat;

/// A finite non-zero number: `sig * 2^exp`, negated if `negative`. The low bit of `sig` may be sticky.
#[derive(Debug, Clone)]
pub(super) struct Unpacked<S> {
    pub(super) negative: bool,
    pub(super) exp: i64,
    pub(super) sig: S,
}

impl<S: Sig> Unpacked<S> {
    /// The exponent just above the leading bit.
    pub(super) fn top(&self) -> i64 {
        self.exp + i64::from(self.sig.bit_length())
    }
}

/// A natural number used as significand. Callers keep words within 128 bits, and do not subtract the larger number.
pub(super) trait Sig:
    Clone
    + Ord
    + From<u64>
    + Into<Nat>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
    + for<'a> Add<&'a Self, Output = Self>
    + for<'a> Sub<&'a Self, Output = Self>
    + for<'a> Mul<&'a Self, Output = Self>
{
    fn from_nat(nat: Nat) -> Self;
    fn to_word(&self) -> Option<u64>;
    /// A width to compute sums in: at least `need`, or all bits that there are.
    fn working_width(need: u32) -> u32;
    fn bit_length(&self) -> u32;
    /// The two lowest bits.
    fn low_two(&self) -> u8;
    /// Shifts right; the low bit of the result is set if any one was shifted out.
    fn shr_sticky(self, by: u64) -> Self;
    fn with_sticky(self, sticky: bool) -> Self;
    /// Quotient and remainder; `other` is not zero.
    fn quotient(&self, other: &Self) -> (Self, Self);
    /// The floor of the square root, and whether it is exact.
    fn root(&self) -> (Self, bool);

    #[inline]
    fn is_zero(&self) -> bool {
        self.bit_length() == 0
    }

    #[inline]
    fn is_odd(&self) -> bool {
        self.low_two() & 1 == 1
    }
}

impl Sig for u128 {
    #[inline]
    fn from_nat(nat: Nat) -> Self {
        u128::try_from(nat).unwrap_or(u128::MAX)
    }
    #[inline]
    fn to_word(&self) -> Option<u64> {
        u64::try_from(*self).ok()
    }
    #[inline]
    fn working_width(_need: u32) -> u32 {
        126
    }
    #[inline]
    fn bit_length(&self) -> u32 {
        128 - self.leading_zeros()
    }
    #[inline]
    fn low_two(&self) -> u8 {
        (self & 3) as u8
    }
    #[inline]
    fn shr_sticky(self, by: u64) -> Self {
        if by > 127 {
            return u128::from(self != 0);
        }
        let kept = self >> by;
        kept | u128::from(kept << by != self)
    }
    #[inline]
    fn with_sticky(self, sticky: bool) -> Self {
        self | u128::from(sticky)
    }
    #[inline]
    fn quotient(&self, other: &Self) -> (Self, Self) {
        let quotient = self / other;
        (quotient, self - quotient * other)
    }
    #[inline]
    fn root(&self) -> (Self, bool) {
        let root = self.isqrt();
        (root, root * root == *self)
    }
}

impl Sig for Nat {
    fn from_nat(nat: Nat) -> Self {
        nat
    }
    fn to_word(&self) -> Option<u64> {
        u64::try_from(self).ok()
    }
    fn working_width(need: u32) -> u32 {
        need
    }
    fn bit_length(&self) -> u32 {
        self.bit_len() as u32
    }
    fn low_two(&self) -> u8 {
        u8::from(self.bit(0)) | u8::from(self.bit(1)) << 1
    }
    fn shr_sticky(self, by: u64) -> Self {
        let by = usize::try_from(by).unwrap_or(usize::MAX);
        let lost = self.trailing_zeros().is_some_and(|zeros| zeros < by);
        let kept = if by >= self.bit_len() { Nat::ZERO } else { self >> by };
        kept.with_sticky(lost)
    }
    fn with_sticky(mut self, sticky: bool) -> Self {
        if sticky {
            self.set_bit(0);
        }
        self
    }
    fn quotient(&self, other: &Self) -> (Self, Self) {
        self.div_rem(other)
    }
    fn root(&self) -> (Self, bool) {
        let (root, rest) = self.sqrt_rem();
        (root, rest.is_zero())
    }
}
