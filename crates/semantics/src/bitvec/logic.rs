//! Bitwise operations: logic, structure, shifts, rotations, comparison.

use super::{BitVec, Bits, checked_width};
use crate::Gap;
use crate::number::Nat;

impl BitVec {
    /// `(bvnot self)`.
    pub fn bvnot(&self) -> BitVec {
        self.bvxor(&BitVec::ones(self.width))
    }

    /// `(bvand self other)`.
    pub fn bvand(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a & b, |a, b| a & b)
    }

    /// `(bvor self other)`.
    pub fn bvor(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a | b, |a, b| a | b)
    }

    /// `(bvxor self other)`.
    pub fn bvxor(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// `(bvnand self other)`.
    pub fn bvnand(&self, other: &BitVec) -> BitVec {
        self.bvand(other).bvnot()
    }

    /// `(bvnor self other)`.
    pub fn bvnor(&self, other: &BitVec) -> BitVec {
        self.bvor(other).bvnot()
    }

    /// `(bvxnor self other)`.
    pub fn bvxnor(&self, other: &BitVec) -> BitVec {
        self.bvxor(other).bvnot()
    }

    /// `(bvcomp self other)`: one bit.
    pub fn bvcomp(&self, other: &BitVec) -> BitVec {
        BitVec::from_bool(self == other)
    }

    /// `(bvredor self)`: whether any bit is set, one bit.
    pub fn bvredor(&self) -> BitVec {
        BitVec::from_bool(!self.is_zero())
    }

    /// `(bvredand self)`: whether all bits are set, one bit.
    pub fn bvredand(&self) -> BitVec {
        BitVec::from_bool(*self == BitVec::ones(self.width))
    }

    /// `(concat self low)`: `self` takes the high bits.
    pub fn concat(&self, low: &BitVec) -> Result<BitVec, Gap> {
        let width = checked_width(u64::from(self.width) + u64::from(low.width))?;
        Ok(match (&self.bits, &low.bits) {
            (Bits::Small(a), Bits::Small(b)) if width <= 64 => {
                BitVec::new(width, a.checked_shl(low.width).unwrap_or(0) | b)
            }
            _ => BitVec::from_nat(width, (self.to_nat() << low.width as usize) | low.to_nat()),
        })
    }

    /// `((_ extract high low) self)`; none unless `low <= high < width`.
    pub fn extract(&self, high: u32, low: u32) -> Option<BitVec> {
        if low > high || high >= self.width {
            return None;
        }
        let width = high - low + 1;
        Some(self.map(width, |v| v >> low, |v| v >> low as usize))
    }

    /// `((_ repeat times) self)`.
    pub fn repeat(&self, times: u32) -> Result<BitVec, Gap> {
        let width = checked_width(u64::from(self.width) * u64::from(times))?;
        // Doubling: `block` holds 2^k copies, `out` the copies of the low bits of `times` seen so far.
        let (mut out, mut block) = (BitVec::zero(0), self.clone());
        let mut left = times;
        while left > 0 {
            if left & 1 == 1 {
                out = block.concat(&out)?;
            }
            left >>= 1;
            if left > 0 {
                block = block.concat(&block)?;
            }
        }
        debug_assert_eq!(out.width, width);
        Ok(out)
    }

    /// `((_ zero_extend by) self)`.
    pub fn zero_extend(&self, by: u32) -> Result<BitVec, Gap> {
        let width = checked_width(u64::from(self.width) + u64::from(by))?;
        Ok(self.map(width, |v| v, Nat::clone))
    }

    /// `((_ sign_extend by) self)`.
    pub fn sign_extend(&self, by: u32) -> Result<BitVec, Gap> {
        if self.msb() { BitVec::ones(checked_width(by.into())?).concat(self) } else { self.zero_extend(by) }
    }

    /// The shift distance in `self`, if smaller than the width.
    fn distance(&self) -> Option<u32> {
        self.to_u64().filter(|d| *d < u64::from(self.width)).map(|d| d as u32)
    }

    /// `(bvshl self by)`: zeros from a distance of the width on.
    pub fn bvshl(&self, by: &BitVec) -> BitVec {
        match by.distance() {
            None => BitVec::zero(self.width),
            Some(d) => self.map(self.width, |v| v << d, |v| v << d as usize),
        }
    }

    /// `(bvlshr self by)`: zeros from a distance of the width on.
    pub fn bvlshr(&self, by: &BitVec) -> BitVec {
        match by.distance() {
            None => BitVec::zero(self.width),
            Some(d) => self.map(self.width, |v| v >> d, |v| v >> d as usize),
        }
    }

    /// `(bvashr self by)`: copies of the sign from a distance of the width on.
    pub fn bvashr(&self, by: &BitVec) -> BitVec {
        if self.msb() { self.bvnot().bvlshr(by).bvnot() } else { self.bvlshr(by) }
    }

    /// `((_ rotate_left by) self)`.
    pub fn rotate_left(&self, by: u32) -> BitVec {
        let by = by.checked_rem(self.width).unwrap_or(0);
        if by == 0 {
            return self.clone();
        }
        let back = self.width - by;
        self.map(self.width, |v| v << by | v >> back, |v| (v << by as usize) | (v >> back as usize))
    }

    /// `((_ rotate_right by) self)`.
    pub fn rotate_right(&self, by: u32) -> BitVec {
        self.rotate_left(self.width - by.checked_rem(self.width).unwrap_or(0))
    }

    /// `(ext_rotate_left self by)`: the distance is an unsigned vector, modulo the width.
    pub fn ext_rotate_left(&self, by: &BitVec) -> BitVec {
        self.rotate_left(by.modulo_width(self.width))
    }

    /// `(ext_rotate_right self by)`: the distance is an unsigned vector, modulo the width.
    pub fn ext_rotate_right(&self, by: &BitVec) -> BitVec {
        self.rotate_right(by.modulo_width(self.width))
    }

    /// The unsigned value modulo `width`.
    fn modulo_width(&self, width: u32) -> u32 {
        match &self.bits {
            _ if width == 0 => 0,
            Bits::Small(v) => (v % u64::from(width)) as u32,
            Bits::Big(v) => u32::try_from(v % Nat::from(width)).unwrap_or(0),
        }
    }
}
