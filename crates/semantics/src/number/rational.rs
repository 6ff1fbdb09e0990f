//! Exact rationals in lowest terms with a positive denominator, so that `Eq` and `Hash` are equality of numbers.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_base::{Abs, DivRemEuclid, Gcd, UnsignedAbs};

use super::{Int, Nat, int};
use crate::Gap;

/// An exact rational number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    num: Int,
    den: Nat,
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { num: Int::ZERO, den: Nat::ONE };
    /// One.
    pub const ONE: Rational = Rational { num: Int::ONE, den: Nat::ONE };

    /// `num / den`; none for a zero denominator.
    pub fn new(num: Int, den: Int) -> Option<Rational> {
        if den.is_zero() {
            return None;
        }
        let num = if int::is_negative(&den) { -num } else { num };
        Some(Self::reduced(num, den.unsigned_abs()))
    }

    /// `num / den` brought to lowest terms; `den` is not zero.
    fn reduced(num: Int, den: Nat) -> Rational {
        if den.is_one() {
            return Rational { num, den };
        }
        let common = (&num).gcd(&den);
        if common.is_one() {
            Rational { num, den }
        } else {
            Rational { num: num / &common, den: den / common }
        }
    }

    /// The number `m * 2^e`.
    pub(crate) fn dyadic(m: Int, e: i64) -> Rational {
        if e >= 0 {
            Rational { num: m << e as usize, den: Nat::ONE }
        } else {
            Self::reduced(m, Nat::ONE << e.unsigned_abs() as usize)
        }
    }

    /// Reads an SMT-LIB numeral or decimal such as `12` or `0.50`, with an optional leading minus.
    pub fn parse(text: &str) -> Option<Rational> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let decimal = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !decimal(whole) || !decimal(part) || digits.ends_with('.') {
            return None;
        }
        let num: Nat = format!("{whole}{part}").parse().ok()?;
        let num = if negative { -Int::from(num) } else { Int::from(num) };
        Some(Self::reduced(num, Nat::from(10u8).pow(part.len())))
    }

    /// The numerator, with the sign.
    pub fn numerator(&self) -> &Int {
        &self.num
    }

    /// The positive denominator.
    pub fn denominator(&self) -> &Nat {
        &self.den
    }

    /// Whether the number is an integer (`is_int`).
    pub fn is_integer(&self) -> bool {
        self.den.is_one()
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.num.is_zero()
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        int::signum(&self.num)
    }

    /// The largest integer not above the number (`to_int`).
    pub fn floor(&self) -> Int {
        if self.den.is_one() {
            return self.num.clone();
        }
        (&self.num).div_rem_euclid(Int::from(self.den.clone())).0
    }

    /// The absolute value.
    pub fn abs(&self) -> Rational {
        Rational { num: (&self.num).abs(), den: self.den.clone() }
    }

    /// `1 / self`: open for zero.
    pub fn recip(&self) -> Result<Rational, Gap> {
        Rational::new(self.den.clone().into(), self.num.clone()).ok_or(Gap::Unspecified)
    }

    /// `(/ self other)`: open for `other = 0`.
    pub fn div(&self, other: &Rational) -> Result<Rational, Gap> {
        Ok(self * &other.recip()?)
    }

    /// The `k`th power. Powers of coprime numbers are coprime, so nothing is reduced.
    pub(crate) fn pow(&self, k: usize) -> Rational {
        Rational { num: self.num.pow(k), den: self.den.pow(k) }
    }

    /// The mean of two numbers.
    pub(crate) fn midpoint(&self, other: &Rational) -> Rational {
        let sum = self + other;
        Self::reduced(sum.num, sum.den << 1)
    }

    /// The SMT-LIB text of the number: `2.0`, `(- 2.0)`, `(/ 1.0 3.0)`, `(- (/ 1.0 3.0))`.
    pub fn to_smtlib(&self) -> String {
        let size = self.num.clone().unsigned_abs();
        let text =
            if self.is_integer() { format!("{size}.0") } else { format!("(/ {size}.0 {}.0)", self.den) };
        if self.signum() < 0 { format!("(- {text})") } else { text }
    }
}

impl From<Int> for Rational {
    fn from(num: Int) -> Self {
        Rational { num, den: Nat::ONE }
    }
}

impl From<i64> for Rational {
    fn from(num: i64) -> Self {
        Int::from(num).into()
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.den == other.den {
            return self.num.cmp(&other.num);
        }
        (&self.num * &other.den).cmp(&(&other.num * &self.den))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Add for &Rational {
    type Output = Rational;
    fn add(self, other: &Rational) -> Rational {
        if self.den == other.den {
            return Rational::reduced(&self.num + &other.num, self.den.clone());
        }
        Rational::reduced(&self.num * &other.den + &other.num * &self.den, &self.den * &other.den)
    }
}

impl Sub for &Rational {
    type Output = Rational;
    fn sub(self, other: &Rational) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;
    fn mul(self, other: &Rational) -> Rational {
        Rational::reduced(&self.num * &other.num, &self.den * &other.den)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational { num: -&self.num, den: self.den.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Rational> {
        let mut out = Vec::new();
        for n in -9..=9i64 {
            for d in 1..=6i64 {
                out.push(Rational::new(n.into(), d.into()).unwrap());
            }
        }
        out
    }

    #[test]
    fn rationals_form_an_ordered_field() {
        for a in all() {
            assert!(Rational::from(a.floor()) <= a && a < &Rational::from(a.floor()) + &Rational::ONE);
            for b in all() {
                assert_eq!(&(&a - &b) + &b, a);
                assert_eq!(a < b, (&a - &b).signum() < 0);
                match a.div(&b) {
                    Ok(q) => assert_eq!(&q * &b, a),
                    Err(gap) => assert!(b.is_zero() && gap == Gap::Unspecified),
                }
                let m = a.midpoint(&b);
                assert_eq!(&m + &m, &a + &b);
            }
        }
    }

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(Rational::parse("0.50"), Rational::new(1.into(), 2.into()));
        assert_eq!(Rational::parse("-12"), Some((-12).into()));
        for bad in ["", ".", "1.", ".5", "1_0", "1.2.3", "a", "--1", "+1"] {
            assert_eq!(Rational::parse(bad), None, "{bad}");
        }
        assert_eq!(Rational::new(2.into(), (-6).into()).unwrap().to_smtlib(), "(- (/ 1.0 3.0))");
    }
}
