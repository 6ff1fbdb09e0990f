//! Bit-vectors of any width: the functions of SMT-LIB `FixedSizeBitVectors` and the extensions solvers share.
//!
//! Invariant: up to 64 bits the value is one machine word, above that a natural number; bits beyond the width are
//! zero. So `Eq` and `Hash` are equality of bit-vectors, and the derived order is that of (width, unsigned value).
//!
//! All operands of a function have the same width; typing checks this before values are made. A width of zero is
//! harmless. Functions that widen a vector are bounded by [`MAX_WIDTH`].

mod arith;
pub mod bounds;
mod logic;

use std::fmt;

use dashu_base::BitTest;

use crate::Gap;
use crate::number::{Int, Nat, int};

/// Vectors wider than this are not made.
pub const MAX_WIDTH: u32 = 1 << 24;

/// A bit-vector.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitVec {
    width: u32,
    bits: Bits,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Bits {
    /// Width at most 64.
    Small(u64),
    /// Width above 64.
    Big(Nat),
}

/// The `width` low bits of a word set, for widths up to 64.
fn mask(width: u32) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width.min(64)) }
}

fn checked_width(width: u64) -> Result<u32, Gap> {
    if width <= u64::from(MAX_WIDTH) { Ok(width as u32) } else { Err(Gap::TooLarge) }
}

impl BitVec {
    /// The vector of the low bits of `value`, extended by zeros.
    #[inline]
    pub fn new(width: u32, value: u64) -> BitVec {
        let bits = if width <= 64 { Bits::Small(value & mask(width)) } else { Bits::Big(value.into()) };
        BitVec { width, bits }
    }

    /// The vector of `width` zeros.
    pub fn zero(width: u32) -> BitVec {
        BitVec::new(width, 0)
    }

    /// The vector of `width` ones.
    pub fn ones(width: u32) -> BitVec {
        let bits = if width <= 64 { Bits::Small(mask(width)) } else { Bits::Big(Nat::ones(width as usize)) };
        BitVec { width, bits }
    }

    /// The least number in the signed order: a one and zeros.
    pub fn least(width: u32) -> BitVec {
        BitVec::new(width, 1).rotate_right(1)
    }

    /// The greatest number in the signed order: a zero and ones.
    pub fn greatest(width: u32) -> BitVec {
        BitVec::least(width).bvnot()
    }

    /// One bit: `#b1` for true.
    pub fn from_bool(value: bool) -> BitVec {
        BitVec::new(1, value.into())
    }

    /// The residue of `value` modulo two to the `width`.
    pub fn from_nat(width: u32, mut value: Nat) -> BitVec {
        value.clear_high_bits(width as usize);
        let bits = match u64::try_from(&value) {
            Ok(small) if width <= 64 => Bits::Small(small),
            _ => Bits::Big(value),
        };
        BitVec { width, bits }
    }

    /// `((_ int_to_bv width) value)`: the residue of `value` modulo two to the `width`.
    pub fn from_int(width: u32, value: &Int) -> Result<BitVec, Gap> {
        let width = checked_width(width.into())?;
        Ok(BitVec::from_nat(width, int::low_bits(value, width as usize)))
    }

    /// Reads `#b..` or `#x..`.
    pub fn parse(literal: &str) -> Option<BitVec> {
        let (digits, radix, per_digit) = match literal.as_bytes() {
            [b'#', b'b', ..] => (&literal[2..], 2, 1),
            [b'#', b'x', ..] => (&literal[2..], 16, 4),
            _ => return None,
        };
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return None;
        }
        let width = checked_width(digits.len() as u64 * per_digit).ok()?;
        Some(BitVec::from_nat(width, Nat::from_str_radix(digits, radix).ok()?))
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Bit `index`, counted from the least significant; false beyond the width.
    #[inline]
    pub fn bit(&self, index: u32) -> bool {
        match &self.bits {
            Bits::Small(v) => index < 64 && v >> index & 1 == 1,
            Bits::Big(v) => v.bit(index as usize),
        }
    }

    /// The most significant bit.
    #[inline]
    pub fn msb(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Small(v) => *v == 0,
            Bits::Big(v) => v.is_zero(),
        }
    }

    /// The unsigned value, if it fits one word.
    #[inline]
    pub fn to_u64(&self) -> Option<u64> {
        match &self.bits {
            Bits::Small(v) => Some(*v),
            Bits::Big(v) => u64::try_from(v).ok(),
        }
    }

    /// The unsigned value.
    pub fn to_nat(&self) -> Nat {
        match &self.bits {
            Bits::Small(v) => (*v).into(),
            Bits::Big(v) => v.clone(),
        }
    }

    /// `(ubv_to_int self)`.
    pub fn to_unsigned_int(&self) -> Int {
        self.to_nat().into()
    }

    /// `(sbv_to_int self)`: two's complement.
    pub fn to_signed_int(&self) -> Int {
        if let Some(v) = self.small_signed() {
            return v.into();
        }
        let value = self.to_unsigned_int();
        if self.msb() { value - (Int::ONE << self.width as usize) } else { value }
    }

    /// The two's complement value of a vector of at most 64 bits.
    fn small_signed(&self) -> Option<i64> {
        match self.bits {
            Bits::Small(_) if self.width == 0 => Some(0),
            Bits::Small(v) => Some((v << (64 - self.width)) as i64 >> (64 - self.width)),
            Bits::Big(_) => None,
        }
    }

    /// The vector of a width whose bits are a function of these; excess bits of the result are dropped.
    fn map(&self, width: u32, small: impl Fn(u64) -> u64, big: impl Fn(&Nat) -> Nat) -> BitVec {
        match &self.bits {
            Bits::Small(v) => BitVec::new(width, small(*v)),
            Bits::Big(v) => BitVec::from_nat(width, big(v)),
        }
    }

    /// Applies a function to the bits of two vectors of one width; excess bits of the result are dropped.
    fn zip(
        &self,
        other: &BitVec,
        small: impl Fn(u64, u64) -> u64,
        big: impl Fn(&Nat, &Nat) -> Nat,
    ) -> BitVec {
        debug_assert_eq!(self.width, other.width, "typing gives both operands one width");
        match (&self.bits, &other.bits) {
            (Bits::Small(a), Bits::Small(b)) => BitVec::new(self.width, small(*a, *b)),
            (Bits::Big(a), Bits::Big(b)) => BitVec::from_nat(self.width, big(a, b)),
            _ => BitVec::from_nat(self.width, big(&self.to_nat(), &other.to_nat())),
        }
    }
}

/// SMT-LIB text: hexadecimal where the width allows it, else binary.
impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.width as usize;
        match &self.bits {
            // Literals are printed in large numbers: without the machinery of formats.
            Bits::Small(v) => {
                let (step, prefix) = if width.is_multiple_of(4) { (4, b'x') } else { (1, b'b') };
                let digits = width / step;
                let mut text = [b'#'; 66];
                text[1] = prefix;
                for (i, digit) in text[2..2 + digits].iter_mut().enumerate() {
                    let at = (digits - 1 - i) * step;
                    *digit = b"0123456789abcdef"[(v >> at) as usize & ((1 << step) - 1)];
                }
                f.write_str(std::str::from_utf8(&text[..2 + digits]).map_err(|_| fmt::Error)?)
            }
            Bits::Big(v) => {
                let (prefix, digits, text) = if width.is_multiple_of(4) {
                    ("#x", width / 4, v.in_radix(16).to_string())
                } else {
                    ("#b", width, v.in_radix(2).to_string())
                };
                write!(f, "{prefix}{:0>pad$}{text}", "", pad = digits - text.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read_and_printed_back() {
        for text in ["#b0", "#b10101", "#x0f", "#xdeadbeefdeadbeef", "#x00000000000000001"] {
            assert_eq!(BitVec::parse(text).unwrap().to_string(), text);
        }
        let wide = format!("#b{}", "01".repeat(51) + "1");
        assert_eq!(BitVec::parse(&wide).unwrap().to_string(), wide);
        for bad in ["", "#", "#b", "#x", "#b2", "#xg", "#b1_0", "0b1", "#b-1", "#x+1", "bv3"] {
            assert_eq!(BitVec::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn integers_are_taken_modulo_the_width() {
        for width in [1, 7, 63, 64, 65, 130] {
            for n in -5..5i64 {
                let v = BitVec::from_int(width, &n.into()).unwrap();
                assert_eq!(v.to_unsigned_int(), Int::from(int::low_bits(&n.into(), width as usize)));
                if width > 3 {
                    assert_eq!(v.to_signed_int(), n.into());
                }
            }
        }
        assert_eq!(BitVec::from_int(u32::MAX, &1.into()), Err(Gap::TooLarge));
        assert_eq!(BitVec::zero(0).to_signed_int(), Int::ZERO);
    }
}
