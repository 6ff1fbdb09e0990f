//! Arithmetic modulo a power of two, division, order, and overflow predicates.

use dashu_base::BitTest;

use super::{BitVec, Bits};
use crate::number::Int;

impl BitVec {
    /// `(bvneg self)`.
    pub fn bvneg(&self) -> BitVec {
        BitVec::zero(self.width).bvsub(self)
    }

    /// `(bvadd self other)`.
    pub fn bvadd(&self, other: &BitVec) -> BitVec {
        self.zip(other, u64::wrapping_add, |a, b| a + b)
    }

    /// `(bvsub self other)`.
    pub fn bvsub(&self, other: &BitVec) -> BitVec {
        let width = self.width as usize;
        self.zip(other, u64::wrapping_sub, |a, b| {
            let mut raised = a.clone();
            raised.set_bit(width);
            raised - b
        })
    }

    /// `(bvmul self other)`.
    pub fn bvmul(&self, other: &BitVec) -> BitVec {
        self.zip(other, u64::wrapping_mul, |a, b| a * b)
    }

    /// `(bvudiv self other)`: all ones for a zero divisor.
    pub fn bvudiv(&self, other: &BitVec) -> BitVec {
        if other.is_zero() {
            return BitVec::ones(self.width);
        }
        self.zip(other, |a, b| a / b, |a, b| a / b)
    }

    /// `(bvurem self other)`: the dividend for a zero divisor.
    pub fn bvurem(&self, other: &BitVec) -> BitVec {
        if other.is_zero() {
            return self.clone();
        }
        self.zip(other, |a, b| a % b, |a, b| a % b)
    }

    /// The absolute value in two's complement; the least value stays itself.
    fn magnitude(&self) -> BitVec {
        if self.msb() { self.bvneg() } else { self.clone() }
    }

    /// `(bvsdiv self other)`: truncating division in two's complement.
    pub fn bvsdiv(&self, other: &BitVec) -> BitVec {
        let quotient = self.magnitude().bvudiv(&other.magnitude());
        if self.msb() == other.msb() { quotient } else { quotient.bvneg() }
    }

    /// `(bvsrem self other)`: the remainder with the sign of the dividend.
    pub fn bvsrem(&self, other: &BitVec) -> BitVec {
        let rest = self.magnitude().bvurem(&other.magnitude());
        if self.msb() { rest.bvneg() } else { rest }
    }

    /// `(bvsmod self other)`: the remainder with the sign of the divisor.
    pub fn bvsmod(&self, other: &BitVec) -> BitVec {
        let rest = self.magnitude().bvurem(&other.magnitude());
        match (self.msb(), other.msb()) {
            _ if rest.is_zero() => rest,
            (false, false) => rest,
            (true, false) => other.bvsub(&rest),
            (false, true) => rest.bvadd(other),
            (true, true) => rest.bvneg(),
        }
    }

    /// `(bvult self other)`.
    pub fn bvult(&self, other: &BitVec) -> bool {
        self < other
    }

    /// `(bvule self other)`.
    pub fn bvule(&self, other: &BitVec) -> bool {
        self <= other
    }

    /// `(bvslt self other)`.
    pub fn bvslt(&self, other: &BitVec) -> bool {
        match (self.msb(), other.msb()) {
            (true, false) => true,
            (false, true) => false,
            _ => self < other,
        }
    }

    /// `(bvsle self other)`.
    pub fn bvsle(&self, other: &BitVec) -> bool {
        !other.bvslt(self)
    }

    /// Whether the vector is the least in two's complement.
    fn is_least(&self) -> bool {
        match &self.bits {
            Bits::Small(v) => self.width > 0 && *v == 1 << (self.width - 1),
            Bits::Big(v) => v.trailing_zeros() == Some(self.width as usize - 1),
        }
    }

    /// Whether the signed result of a function leaves the width.
    fn signed_overflow(
        &self,
        other: &BitVec,
        small: impl Fn(i128, i128) -> i128,
        big: impl Fn(Int, Int) -> Int,
    ) -> bool {
        match (self.small_signed(), other.small_signed()) {
            (Some(a), Some(b)) => {
                let exact = small(a.into(), b.into());
                let bound = 1i128 << self.width.saturating_sub(1);
                exact >= bound || exact < -bound
            }
            _ => {
                let exact = big(self.to_signed_int(), other.to_signed_int());
                // In two's complement n fits w bits exactly if n and its complement need less than w bits.
                let size = if crate::number::int::is_negative(&exact) { !exact } else { exact };
                size.bit_len() >= self.width as usize
            }
        }
    }

    /// `(bvnego self)`: negation overflows.
    pub fn bvnego(&self) -> bool {
        self.is_least()
    }

    /// `(bvuaddo self other)`: unsigned addition overflows.
    pub fn bvuaddo(&self, other: &BitVec) -> bool {
        self.bvadd(other) < *self
    }

    /// `(bvsaddo self other)`: signed addition overflows.
    pub fn bvsaddo(&self, other: &BitVec) -> bool {
        self.signed_overflow(other, |a, b| a + b, |a, b| a + b)
    }

    /// `(bvumulo self other)`: unsigned multiplication overflows.
    pub fn bvumulo(&self, other: &BitVec) -> bool {
        match (&self.bits, &other.bits) {
            (Bits::Small(a), Bits::Small(b)) => (u128::from(*a) * u128::from(*b)) >> self.width != 0,
            _ => (self.to_nat() * other.to_nat()).bit_len() > self.width as usize,
        }
    }

    /// `(bvsmulo self other)`: signed multiplication overflows.
    pub fn bvsmulo(&self, other: &BitVec) -> bool {
        self.signed_overflow(other, |a, b| a * b, |a, b| a * b)
    }

    /// `(bvusubo self other)`: unsigned subtraction overflows.
    pub fn bvusubo(&self, other: &BitVec) -> bool {
        self < other
    }

    /// `(bvssubo self other)`: signed subtraction overflows.
    pub fn bvssubo(&self, other: &BitVec) -> bool {
        self.signed_overflow(other, |a, b| a - b, |a, b| a - b)
    }

    /// `(bvsdivo self other)`: signed division overflows.
    pub fn bvsdivo(&self, other: &BitVec) -> bool {
        self.is_least() && *other == BitVec::ones(other.width)
    }
}
