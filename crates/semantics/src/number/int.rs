//! Integer functions of SMT-LIB `Ints` and its common extensions, over the unbounded [`Int`].
//!
//! Sum, product and comparison are the operators of [`Int`] itself.

use dashu_base::{BitTest, DivRemEuclid, UnsignedAbs};
use dashu_int::{IBig, Sign};

use super::Nat;
use crate::Gap;

/// Unbounded integers.
pub type Int = IBig;

/// Results of more bits than this are not computed.
pub const MAX_BITS: usize = 1 << 24;

/// Quotient and remainder with `0 <= remainder < |b|`.
pub fn div_mod(a: &Int, b: &Int) -> Result<(Int, Int), Gap> {
    if b.is_zero() {
        return Err(Gap::Unspecified);
    }
    let (q, r) = a.div_rem_euclid(b);
    Ok((q, r.into()))
}

/// `(div a b)`: open for `b = 0`.
pub fn div(a: &Int, b: &Int) -> Result<Int, Gap> {
    div_mod(a, b).map(|(q, _)| q)
}

/// `(mod a b)`: open for `b = 0`.
pub fn modulo(a: &Int, b: &Int) -> Result<Int, Gap> {
    div_mod(a, b).map(|(_, r)| r)
}

/// `((_ divisible n) a)`; nothing but zero is divisible by zero.
pub fn divisible(n: &Int, a: &Int) -> bool {
    modulo(a, n).map_or(a.is_zero(), |r| r.is_zero())
}

/// `((_ iand k) a b)`: the bitwise and of the low `k` bits of both, read as a natural.
pub fn iand(k: u32, a: &Int, b: &Int) -> Int {
    low_bits(&(a & b), k as usize).into()
}

/// `(int.pow2 a)`: zero for negative `a`.
pub fn pow2(a: &Int) -> Result<Int, Gap> {
    if is_negative(a) {
        return Ok(Int::ZERO);
    }
    match usize::try_from(a) {
        Ok(n) if n <= MAX_BITS => Ok(Int::ONE << n),
        _ => Err(Gap::TooLarge),
    }
}

/// `(^ a n)`: open for negative `n` and for `0^0`.
pub fn pow(a: &Int, n: &Int) -> Result<Int, Gap> {
    if is_negative(n) || (n.is_zero() && a.is_zero()) {
        return Err(Gap::Unspecified);
    }
    if a.is_zero() || a.is_one() {
        return Ok(a.clone());
    }
    if *a == Int::NEG_ONE {
        return Ok(if n.bit(0) { Int::NEG_ONE } else { Int::ONE });
    }
    match usize::try_from(n) {
        Ok(n) if n.saturating_mul(a.bit_len()) <= MAX_BITS => Ok(a.pow(n)),
        _ => Err(Gap::TooLarge),
    }
}

/// The residue of `a` modulo `2^k`.
pub fn low_bits(a: &Int, k: usize) -> Nat {
    let mut low = a.unsigned_abs();
    low.clear_high_bits(k);
    if is_negative(a) && !low.is_zero() { (Nat::ONE << k) - low } else { low }
}

/// Whether `a < 0`.
pub fn is_negative(a: &Int) -> bool {
    a.sign() == Sign::Negative && !a.is_zero()
}

/// -1, 0 or 1.
pub fn signum(a: &Int) -> i32 {
    a.cmp(&Int::ZERO) as i32
}

/// The SMT-LIB text of an integer: `7` or `(- 7)`.
pub fn to_smtlib(a: &Int) -> String {
    if is_negative(a) { format!("(- {})", a.unsigned_abs()) } else { a.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(n: i64) -> Int {
        Int::from(n)
    }

    #[test]
    fn quotient_and_remainder_are_euclidean() {
        for a in -20..=20 {
            for b in (-7..=7).filter(|b| *b != 0) {
                let (q, r) = div_mod(&int(a), &int(b)).unwrap();
                assert_eq!((q, r), (int(a.div_euclid(b)), int(a.rem_euclid(b))), "{a} {b}");
            }
        }
        assert_eq!(div(&int(1), &int(0)), Err(Gap::Unspecified));
    }

    #[test]
    fn low_bits_are_the_residue() {
        for a in -70..=70i64 {
            for k in 0..8 {
                assert_eq!(low_bits(&int(a), k), Nat::from(a.rem_euclid(1 << k) as u64), "{a} {k}");
                assert_eq!(iand(k as u32, &int(a), &int(-3)), int((a & -3).rem_euclid(1 << k)));
            }
        }
    }

    #[test]
    fn powers_are_bounded_and_total_where_defined() {
        assert_eq!(pow2(&int(-1)), Ok(int(0)));
        assert_eq!(pow2(&int(10)), Ok(int(1024)));
        assert_eq!(pow2(&(Int::ONE << 70)), Err(Gap::TooLarge));
        assert_eq!(pow(&int(-1), &((Int::ONE << 90) + 1)), Ok(int(-1)));
        assert_eq!(pow(&int(3), &int(4)), Ok(int(81)));
        assert_eq!(pow(&int(2), &int(-1)), Err(Gap::Unspecified));
        assert!(divisible(&int(3), &int(-9)) && !divisible(&int(3), &int(4)) && divisible(&int(0), &int(0)));
    }
}
