//! Irrational real algebraic numbers: a square-free integer polynomial and an interval that isolates one root.
//!
//! Invariant: the root is irrational (rational roots become [`Rational`] when a number is made), the
//! polynomial changes sign between the two end points, and neither end point is a root. The same number has
//! many such descriptions, so equality is decided by comparison and the hash uses the floor alone.
//!
//! Sums and products come from power sums of the roots: no resultants, no factoring.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dashu_base::UnsignedAbs;

use super::poly::Sturm;
use super::{Int, Poly, Rational, Real};
use crate::Gap;

/// Polynomials of a higher degree than this are not computed with.
pub(crate) const MAX_DEGREE: usize = 48;

/// More power sums than this are not computed; bounds the product of degree and exponent.
const MAX_POWER_SUMS: usize = 400;

/// An irrational root of an integer polynomial.
#[derive(Debug, Clone)]
pub struct Algebraic {
    poly: Arc<Poly>,
    lo: Rational,
    hi: Rational,
}

/// The functions of two numbers that power sums can compose.
#[derive(Clone, Copy)]
pub(crate) enum Compose {
    Sum,
    Product,
}

impl Algebraic {
    /// A square-free polynomial that has the number among its roots.
    pub fn polynomial(&self) -> &Poly {
        &self.poly
    }

    /// An open interval in which the number is the only root of its polynomial.
    pub fn interval(&self) -> (&Rational, &Rational) {
        (&self.lo, &self.hi)
    }

    /// The position of the number among the real roots of its polynomial, from 1 (as in z3's `root-obj`).
    pub fn index(&self) -> usize {
        Sturm::new(&self.poly).count(&-&self.poly.root_bound(), &self.hi)
    }

    /// -1 or 1.
    pub fn signum(&self) -> i32 {
        if self.cmp_rational(&Rational::ZERO) == Ordering::Less { -1 } else { 1 }
    }

    /// The largest integer below the number.
    pub fn floor(&self) -> Int {
        let mut x = self.clone();
        loop {
            let (low, high) = (x.lo.floor(), x.hi.floor());
            if low == high || (x.hi.is_integer() && low + 1 == high) {
                return x.lo.floor();
            }
            x.refine();
        }
    }

    /// Comparison with a rational; never equal.
    pub fn cmp_rational(&self, r: &Rational) -> Ordering {
        if *r <= self.lo {
            Ordering::Greater
        } else if *r >= self.hi || self.poly.sign_at(r) != self.poly.sign_at(&self.lo) {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    /// Halves the interval.
    pub(crate) fn refine(&mut self) {
        let mid = self.lo.midpoint(&self.hi);
        match self.cmp_rational(&mid) {
            Ordering::Less => self.hi = mid,
            _ => self.lo = mid,
        }
    }

    pub(crate) fn neg(&self) -> Algebraic {
        Algebraic { poly: Arc::new(self.poly.negated_roots()), lo: -&self.hi, hi: -&self.lo }
    }

    pub(crate) fn recip(&self) -> Algebraic {
        let mut x = self.clone();
        while x.lo.signum() * x.hi.signum() <= 0 {
            x.refine();
        }
        let flip = |r: &Rational| r.recip().unwrap_or(Rational::ZERO);
        Algebraic { poly: Arc::new(x.poly.reciprocal_roots()), lo: flip(&x.hi), hi: flip(&x.lo) }
    }

    /// The sum or product with another number.
    pub(crate) fn compose(&self, other: &Real, how: Compose) -> Result<Real, Gap> {
        let (mut a, mut b) = (self.clone(), other.clone());
        let other_poly = match other {
            Real::Rational(r) => Arc::new(Poly::with_root(r)),
            Real::Algebraic(b) => b.poly.clone(),
        };
        let degree = a.poly.degree() * other_poly.degree();
        if degree > MAX_DEGREE {
            return Err(Gap::TooLarge);
        }
        let (s, t) = (a.poly.power_sums(degree), other_poly.power_sums(degree));
        let sums: Vec<Rational> = (0..=degree)
            .map(|k| match how {
                Compose::Product => &s[k] * &t[k],
                Compose::Sum => binomial_convolution(&s, &t, k),
            })
            .collect();
        let poly = Poly::from_power_sums(&sums);
        select(&poly, || {
            a.refine();
            let (lo, hi) = match &mut b {
                Real::Rational(r) => (&*r, &*r),
                Real::Algebraic(b) => {
                    let b = Arc::make_mut(b);
                    b.refine();
                    (&b.lo, &b.hi)
                }
            };
            match how {
                Compose::Sum => (&a.lo + lo, &a.hi + hi),
                Compose::Product => {
                    let mut corners = [&a.lo * lo, &a.lo * hi, &a.hi * lo, &a.hi * hi];
                    corners.sort();
                    let [lo, _, _, hi] = corners;
                    (lo, hi)
                }
            }
        })
    }

    /// The `k`th power, `k >= 1`; the degree of the polynomial does not grow.
    pub(crate) fn pow(&self, k: usize) -> Result<Real, Gap> {
        let degree = self.poly.degree();
        if k.saturating_mul(degree) > MAX_POWER_SUMS {
            return Err(Gap::TooLarge);
        }
        let all = self.poly.power_sums(k * degree);
        let sums: Vec<Rational> = (0..=degree).map(|i| all[i * k].clone()).collect();
        let mut x = self.clone();
        select(&Poly::from_power_sums(&sums), || {
            x.refine();
            let (a, b) = (x.lo.pow(k), x.hi.pow(k));
            if x.lo.signum() < 0 && x.hi.signum() > 0 && k.is_multiple_of(2) {
                (Rational::ZERO, a.max(b))
            } else if a <= b {
                (a, b)
            } else {
                (b, a)
            }
        })
    }
}

/// `sum over j of C(k, j) s[j] t[k-j]`: the `k`th power sum of all sums of roots.
fn binomial_convolution(s: &[Rational], t: &[Rational], k: usize) -> Rational {
    let (mut total, mut choose) = (Rational::ZERO, Int::ONE);
    for j in 0..=k {
        total = &total + &(&(&s[j] * &t[k - j]) * &Rational::from(choose.clone()));
        choose = choose * Int::from(k - j) / Int::from(j + 1);
    }
    total
}

/// The root of `poly` that stays in the shrinking closed intervals given by `next`.
fn select(poly: &Poly, mut next: impl FnMut() -> (Rational, Rational)) -> Result<Real, Gap> {
    let poly = poly.square_free();
    let chain = Sturm::new(&poly);
    loop {
        let (lo, hi) = next();
        if let Some(root) = only_root(&poly, &chain, lo, hi) {
            return Ok(root);
        }
    }
}

/// The root of square-free `poly` in the closed interval from `lo` to `hi`, if there is exactly one.
fn only_root(poly: &Poly, chain: &Sturm, lo: Rational, hi: Rational) -> Option<Real> {
    match (poly.sign_at(&lo) == 0, chain.count(&lo, &hi)) {
        (true, 0) => Some(lo.into()),
        (false, 1) => Some(settle(poly.clone(), chain, lo, hi)),
        _ => None,
    }
}

/// The only root of square-free `poly` in `(lo, hi]`, as a rational if it is one.
fn settle(poly: Poly, chain: &Sturm, mut lo: Rational, mut hi: Rational) -> Real {
    while poly.sign_at(&hi) != 0 && poly.sign_at(&lo) == 0 {
        let mid = lo.midpoint(&hi);
        if chain.count(&lo, &mid) == 1 {
            hi = mid;
        } else {
            lo = mid;
        }
    }
    if poly.sign_at(&hi) == 0 {
        return hi.into();
    }
    // A rational root has a denominator that divides the leading coefficient.
    let lead = Rational::from(Int::from(poly.leading().unsigned_abs()));
    let mut x = Algebraic { poly: Arc::new(poly), lo, hi };
    while &(&x.hi - &x.lo) * &lead >= Rational::ONE {
        let mid = x.lo.midpoint(&x.hi);
        match x.poly.sign_at(&mid) {
            0 => return mid.into(),
            s if s == x.poly.sign_at(&x.lo) => x.lo = mid,
            _ => x.hi = mid,
        }
    }
    let candidate = Rational::new((&x.hi * &lead).floor(), lead.numerator().clone());
    match candidate {
        Some(r) if r > x.lo && x.poly.sign_at(&r) == 0 => r.into(),
        _ => Real::Algebraic(Arc::new(x)),
    }
}

/// The square-free part of `poly` and its chain; none if it has no roots.
fn prepared(poly: &Poly) -> Result<Option<(Poly, Sturm)>, Gap> {
    match poly.degree() {
        0 => Ok(None),
        1..=MAX_DEGREE => {
            let poly = poly.square_free();
            let chain = Sturm::new(&poly);
            Ok(Some((poly, chain)))
        }
        _ => Err(Gap::TooLarge),
    }
}

impl Real {
    /// The `index`th real root (from 1, ascending, multiplicity ignored) of a polynomial: z3's `root-obj`.
    /// None if there is no such root.
    pub fn nth_root_of(poly: &Poly, index: usize) -> Result<Option<Real>, Gap> {
        let Some((poly, chain)) = prepared(poly)? else { return Ok(None) };
        let interval = index.checked_sub(1).and_then(|i| chain.isolate(poly.root_bound()).into_iter().nth(i));
        Ok(interval.map(|(lo, hi)| settle(poly, &chain, lo, hi)))
    }

    /// The root in the closed interval from `lo` to `hi`: cvc5's `real_algebraic_number`. None unless there is exactly one.
    pub fn root_between(poly: &Poly, lo: &Rational, hi: &Rational) -> Result<Option<Real>, Gap> {
        let prepared = prepared(poly)?.filter(|_| lo <= hi);
        Ok(prepared.and_then(|(poly, chain)| only_root(&poly, &chain, lo.clone(), hi.clone())))
    }
}

impl Ord for Algebraic {
    fn cmp(&self, other: &Self) -> Ordering {
        let common = self.poly.gcd(&other.poly);
        let chain = (common.degree() > 0).then(|| Sturm::new(&common));
        let (mut a, mut b) = (self.clone(), other.clone());
        loop {
            if a.hi <= b.lo {
                return Ordering::Less;
            }
            if b.hi <= a.lo {
                return Ordering::Greater;
            }
            // A common root inside both intervals is the isolated root of both.
            let (lo, hi) = ((&a.lo).max(&b.lo), (&a.hi).min(&b.hi));
            if chain.as_ref().is_some_and(|c| c.count(lo, hi) > 0) {
                return Ordering::Equal;
            }
            a.refine();
            b.refine();
        }
    }
}

impl PartialOrd for Algebraic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Algebraic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Algebraic {}

impl Hash for Algebraic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.floor().hash(state);
    }
}
