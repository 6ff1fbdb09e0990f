//! Reals as in solvers: rationals and irrational algebraic numbers, with exact arithmetic.

use std::cmp::Ordering;
use std::sync::Arc;

use dashu_base::BitTest;

use super::algebraic::{Algebraic, Compose};
use super::{Int, Rational, int};
use crate::Gap;

/// A real number. Rational numbers always take the first form, so equality and hash are those of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Real {
    /// A rational number.
    Rational(Rational),
    /// An irrational root of an integer polynomial.
    Algebraic(Arc<Algebraic>),
}

impl Real {
    /// The number as a rational, if it is one.
    pub fn as_rational(&self) -> Option<&Rational> {
        match self {
            Real::Rational(r) => Some(r),
            Real::Algebraic(_) => None,
        }
    }

    /// Whether the number is an integer (`is_int`).
    pub fn is_integer(&self) -> bool {
        self.as_rational().is_some_and(Rational::is_integer)
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.as_rational().is_some_and(Rational::is_zero)
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match self {
            Real::Rational(r) => r.signum(),
            Real::Algebraic(a) => a.signum(),
        }
    }

    /// The largest integer not above the number (`to_int`).
    pub fn floor(&self) -> Int {
        match self {
            Real::Rational(r) => r.floor(),
            Real::Algebraic(a) => a.floor(),
        }
    }

    /// `(- self)`.
    pub fn neg(&self) -> Real {
        match self {
            Real::Rational(r) => Real::Rational(-r),
            Real::Algebraic(a) => Real::Algebraic(Arc::new(a.neg())),
        }
    }

    /// `(abs self)`.
    pub fn abs(&self) -> Real {
        if self.signum() < 0 { self.neg() } else { self.clone() }
    }

    /// `(+ self other)`.
    pub fn add(&self, other: &Real) -> Result<Real, Gap> {
        match (self, other) {
            (Real::Rational(a), Real::Rational(b)) => Ok(Real::Rational(a + b)),
            (Real::Algebraic(a), Real::Algebraic(b)) if a == b => self.mul(&Rational::from(2).into()),
            (Real::Algebraic(a), b) | (b, Real::Algebraic(a)) => a.compose(b, Compose::Sum),
        }
    }

    /// `(- self other)`.
    pub fn sub(&self, other: &Real) -> Result<Real, Gap> {
        match (self, other) {
            (Real::Rational(a), Real::Rational(b)) => Ok(Real::Rational(a - b)),
            _ if self == other => Ok(Rational::ZERO.into()),
            _ => self.add(&other.neg()),
        }
    }

    /// `(* self other)`.
    pub fn mul(&self, other: &Real) -> Result<Real, Gap> {
        match (self, other) {
            (Real::Rational(a), Real::Rational(b)) => Ok(Real::Rational(a * b)),
            _ if self.is_zero() || other.is_zero() => Ok(Rational::ZERO.into()),
            (Real::Algebraic(a), Real::Algebraic(b)) if a == b => a.pow(2),
            (Real::Algebraic(a), b) | (b, Real::Algebraic(a)) => a.compose(b, Compose::Product),
        }
    }

    /// `(/ self other)`: open for `other = 0`.
    pub fn div(&self, other: &Real) -> Result<Real, Gap> {
        match (self, other) {
            (Real::Rational(a), Real::Rational(b)) => a.div(b).map(Real::Rational),
            (_, Real::Rational(b)) => self.mul(&b.recip()?.into()),
            _ if self == other => Ok(Rational::ONE.into()),
            (_, Real::Algebraic(b)) => self.mul(&Real::Algebraic(Arc::new(b.recip()))),
        }
    }

    /// `(^ self n)` for an integer `n`: open for `0^0` and for negative powers of zero.
    pub fn pow(&self, n: &Int) -> Result<Real, Gap> {
        if int::is_negative(n) {
            return Real::from(Rational::ONE).div(self)?.pow(&-n);
        }
        match self {
            _ if n.is_zero() => (!self.is_zero()).then(|| Rational::ONE.into()).ok_or(Gap::Unspecified),
            Real::Rational(r) => {
                let size = r.numerator().bit_len().max(r.denominator().bit_len());
                match usize::try_from(n) {
                    Ok(n) if n.saturating_mul(size) <= int::MAX_BITS => Ok(r.pow(n).into()),
                    _ if r.is_zero() || *r == Rational::ONE => Ok(self.clone()),
                    _ => Err(Gap::TooLarge),
                }
            }
            Real::Algebraic(a) => a.pow(usize::try_from(n).map_err(|_| Gap::TooLarge)?),
        }
    }

    /// The number in the syntax its solver would read: SMT-LIB for rationals, z3's `root-obj` otherwise.
    pub fn to_smtlib(&self) -> String {
        let a = match self {
            Real::Rational(r) => return r.to_smtlib(),
            Real::Algebraic(a) => a,
        };
        let mut terms = Vec::new();
        for (power, c) in a.polynomial().coefficients().iter().enumerate().rev() {
            let c_text = int::to_smtlib(c);
            let x = if power == 1 { "x".to_string() } else { format!("(^ x {power})") };
            match power {
                _ if c.is_zero() => {}
                0 => terms.push(c_text),
                _ if c.is_one() => terms.push(x),
                _ => terms.push(format!("(* {c_text} {x})")),
            }
        }
        // An irrational root has a polynomial of at least two terms.
        format!("(root-obj (+ {}) {})", terms.join(" "), a.index())
    }
}

impl From<Rational> for Real {
    fn from(r: Rational) -> Self {
        Real::Rational(r)
    }
}

impl From<Int> for Real {
    fn from(n: Int) -> Self {
        Real::Rational(n.into())
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Real::Rational(a), Real::Rational(b)) => a.cmp(b),
            (Real::Algebraic(a), Real::Rational(b)) => a.cmp_rational(b),
            (Real::Rational(a), Real::Algebraic(b)) => b.cmp_rational(a).reverse(),
            (Real::Algebraic(a), Real::Algebraic(b)) => a.cmp(b),
        }
    }
}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Poly;

    fn poly(c: &[i64]) -> Poly {
        Poly::new(c.iter().map(|c| Int::from(*c)).collect())
    }

    fn root(c: &[i64], index: usize) -> Real {
        Real::nth_root_of(&poly(c), index).unwrap().unwrap()
    }

    fn rational(n: i64, d: i64) -> Real {
        Rational::new(n.into(), d.into()).unwrap().into()
    }

    fn samples() -> Vec<Real> {
        vec![
            root(&[-2, 0, 1], 1),
            root(&[-2, 0, 1], 2),
            root(&[-3, 0, 1], 2),
            root(&[-8, 0, 1], 2),
            root(&[-1, -1, 1], 2),
            root(&[-2, 0, 0, 1], 1),
            root(&[6, 0, -5, 0, 1], 3),
            root(&[1, -3, 0, 1], 2),
            rational(0, 1),
            rational(-3, 2),
            rational(7, 5),
        ]
    }

    #[test]
    fn algebraic_arithmetic_obeys_the_field_laws() {
        for a in samples() {
            for b in samples() {
                let sum = a.add(&b).unwrap();
                assert_eq!(sum, b.add(&a).unwrap());
                assert_eq!(sum.sub(&b).unwrap(), a, "{a:?} {b:?}");
                assert_eq!(a.cmp(&b), a.sub(&b).unwrap().signum().cmp(&0));
                let product = a.mul(&b).unwrap();
                if !b.is_zero() {
                    assert_eq!(product.div(&b).unwrap(), a);
                }
                let square = sum.mul(&sum).unwrap();
                let two = rational(2, 1);
                let expanded = a.mul(&a).unwrap().add(&b.mul(&b).unwrap());
                let expanded = expanded.and_then(|s| s.add(&product.mul(&two)?));
                if let Ok(expanded) = expanded {
                    assert_eq!(square, expanded);
                }
            }
        }
    }

    #[test]
    fn roots_satisfy_their_polynomials() {
        let r = root(&[-2, 0, 1], 2);
        assert_eq!(r.mul(&r).unwrap(), rational(2, 1));
        assert_eq!(r.pow(&3.into()).unwrap(), r.mul(&rational(2, 1)).unwrap());
        assert_eq!(r.pow(&(-2).into()).unwrap(), rational(1, 2));
        let eight = root(&[-8, 0, 1], 2);
        assert_eq!(r.add(&r).unwrap(), eight);
        assert_eq!(r.mul(&eight).unwrap(), rational(4, 1));
        assert_eq!(root(&[6, 0, -5, 0, 1], 3), r);
        assert_eq!(r.add(&root(&[-2, 0, 1], 1)).unwrap(), rational(0, 1));
        assert_eq!((r.floor(), r.neg().floor()), (1.into(), (-2).into()));
    }

    #[test]
    fn rational_roots_are_rationals() {
        assert_eq!(root(&[-6, 5, 6], 2), rational(2, 3)); // (2x+3)(3x-2)
        assert_eq!(root(&[-6, 5, 6], 1), rational(-3, 2));
        assert_eq!(Real::nth_root_of(&poly(&[1, 0, 1]), 1), Ok(None));
        assert_eq!(Real::nth_root_of(&poly(&[-2, 0, 1]), 3), Ok(None));
        assert_eq!(Real::nth_root_of(&poly(&[]), 1), Ok(None));
        assert_eq!(Real::nth_root_of(&poly(&[-2, 0, 1]), 0), Ok(None));
    }

    #[test]
    fn an_interval_and_an_index_name_the_same_root() {
        let between = |a, b| Real::root_between(&poly(&[-2, 0, 1]), &a, &b).unwrap();
        let r = between(Rational::parse("1.25").unwrap(), Rational::parse("1.5").unwrap()).unwrap();
        assert_eq!(r, root(&[-2, 0, 1], 2));
        assert_eq!(r.to_smtlib(), "(root-obj (+ (^ x 2) (- 2)) 2)");
        assert_eq!(between((-2).into(), 2.into()), None);
        assert_eq!(between(3.into(), 2.into()), None);
    }

    #[test]
    fn effort_is_bounded() {
        let mut x = root(&[-2, 0, 0, 0, 0, 1], 1);
        let y = root(&[-3, 1, 0, 0, 0, 0, 1], 1);
        x = x.add(&y).unwrap();
        assert_eq!(x.add(&y), Err(Gap::TooLarge));
        assert_eq!(y.pow(&1000.into()), Err(Gap::TooLarge));
        assert_eq!(rational(2, 1).pow(&(Int::ONE << 80)), Err(Gap::TooLarge));
        assert_eq!(rational(1, 1).pow(&(Int::ONE << 80)), Ok(rational(1, 1)));
        assert_eq!(rational(-2, 3).pow(&(-3).into()), Ok(rational(-27, 8)));
        assert_eq!(rational(0, 1).pow(&(-1).into()), Err(Gap::Unspecified));
        assert!(root(&[-2, 0, 1], 1).pow(&199.into()).unwrap().signum() < 0);
    }
}
