//! Significands: the few functions on naturals that the algorithms need, in 128-bit words and unbounded.

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
        self.exp + i64::from(self.sig.bit_len())
    }
}

/// A natural number used as significand. Callers keep words within 128 bits.
pub(super) trait Sig: Clone + Ord {
    fn from_word(word: u64) -> Self;
    fn from_nat(nat: Nat) -> Self;
    fn to_word(&self) -> Option<u64>;
    fn into_nat(self) -> Nat;
    /// A width to compute sums in: at least `need`, or all that there is.
    fn working_width(need: u32) -> u32;
    fn bit_len(&self) -> u32;
    fn is_zero(&self) -> bool;
    fn is_odd(&self) -> bool;
    /// The two lowest bits.
    fn low_two(&self) -> u8;
    fn shl(self, by: u32) -> Self;
    fn shr(self, by: u32) -> Self;
    /// Shifts right; the low bit of the result is set if any one was shifted out.
    fn shr_sticky(self, by: u64) -> Self;
    fn with_sticky(self, sticky: bool) -> Self;
    fn add(self, other: &Self) -> Self;
    /// The difference; `other` is not larger.
    fn sub(self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    /// Quotient and remainder; `other` is not zero.
    fn div_rem(&self, other: &Self) -> (Self, Self);
    /// The floor of the square root, and whether it is exact.
    fn sqrt(&self) -> (Self, bool);
}

impl Sig for u128 {
    #[inline]
    fn from_word(word: u64) -> Self {
        word.into()
    }
    #[inline]
    fn from_nat(nat: Nat) -> Self {
        u128::try_from(nat).unwrap_or(u128::MAX)
    }
    #[inline]
    fn to_word(&self) -> Option<u64> {
        u64::try_from(*self).ok()
    }
    #[inline]
    fn into_nat(self) -> Nat {
        self.into()
    }
    #[inline]
    fn working_width(_need: u32) -> u32 {
        126
    }
    #[inline]
    fn bit_len(&self) -> u32 {
        128 - self.leading_zeros()
    }
    #[inline]
    fn is_zero(&self) -> bool {
        *self == 0
    }
    #[inline]
    fn is_odd(&self) -> bool {
        self & 1 == 1
    }
    #[inline]
    fn low_two(&self) -> u8 {
        (self & 3) as u8
    }
    #[inline]
    fn shl(self, by: u32) -> Self {
        self << by
    }
    #[inline]
    fn shr(self, by: u32) -> Self {
        self >> by
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
    fn add(self, other: &Self) -> Self {
        self + other
    }
    #[inline]
    fn sub(self, other: &Self) -> Self {
        self - other
    }
    #[inline]
    fn mul(&self, other: &Self) -> Self {
        self * other
    }
    #[inline]
    fn div_rem(&self, other: &Self) -> (Self, Self) {
        let quotient = self / other;
        (quotient, self - quotient * other)
    }
    #[inline]
    fn sqrt(&self) -> (Self, bool) {
        let root = self.isqrt();
        (root, root * root == *self)
    }
}

impl Sig for Nat {
    fn from_word(word: u64) -> Self {
        word.into()
    }
    fn from_nat(nat: Nat) -> Self {
        nat
    }
    fn to_word(&self) -> Option<u64> {
        u64::try_from(self).ok()
    }
    fn into_nat(self) -> Nat {
        self
    }
    fn working_width(need: u32) -> u32 {
        need
    }
    fn bit_len(&self) -> u32 {
        BitTest::bit_len(self) as u32
    }
    fn is_zero(&self) -> bool {
        Nat::is_zero(self)
    }
    fn is_odd(&self) -> bool {
        self.bit(0)
    }
    fn low_two(&self) -> u8 {
        u8::from(self.bit(0)) | u8::from(self.bit(1)) << 1
    }
    fn shl(self, by: u32) -> Self {
        self << by as usize
    }
    fn shr(self, by: u32) -> Self {
        self >> by as usize
    }
    fn shr_sticky(self, by: u64) -> Self {
        let by = usize::try_from(by).unwrap_or(usize::MAX);
        let lost = self.trailing_zeros().is_some_and(|zeros| zeros < by);
        if by >= BitTest::bit_len(&self) {
            Nat::ZERO.with_sticky(lost)
        } else {
            (self >> by).with_sticky(lost)
        }
    }
    fn with_sticky(mut self, sticky: bool) -> Self {
        if sticky {
            self.set_bit(0);
        }
        self
    }
    fn add(self, other: &Self) -> Self {
        self + other
    }
    fn sub(self, other: &Self) -> Self {
        self - other
    }
    fn mul(&self, other: &Self) -> Self {
        self * other
    }
    fn div_rem(&self, other: &Self) -> (Self, Self) {
        DivRem::div_rem(self, other)
    }
    fn sqrt(&self) -> (Self, bool) {
        let (root, rest) = self.sqrt_rem();
        (root, rest.is_zero())
    }
}
