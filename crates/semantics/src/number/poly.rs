//! Univariate integer polynomials: what real algebraic numbers need, that is sign, square-free part,
//! root counting by Sturm chains, and the composed sums and products of roots by power sums.

use dashu_base::{Abs, Gcd, UnsignedAbs};

use super::{Int, Nat, Rational, int};

/// A polynomial in one variable, coefficients from the constant term up, no leading zeros.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Poly(Vec<Int>);

impl Poly {
    /// The polynomial `c[0] + c[1] x + c[2] x^2 + ..`.
    pub fn new(mut coefficients: Vec<Int>) -> Poly {
        while coefficients.last().is_some_and(|c| c.is_zero()) {
            coefficients.pop();
        }
        Poly(coefficients)
    }

    /// The least integer multiple of a polynomial with rational coefficients.
    pub fn from_rationals(coefficients: &[Rational]) -> Poly {
        let mut common = Nat::ONE;
        for c in coefficients {
            let den = c.denominator();
            common = &common / (&common).gcd(den) * den;
        }
        Poly::new(coefficients.iter().map(|c| c.numerator() * (&common / c.denominator())).collect())
    }

    /// The linear polynomial whose root is `r`.
    pub(crate) fn with_root(r: &Rational) -> Poly {
        Poly(vec![-r.numerator(), r.denominator().clone().into()])
    }

    /// Coefficients from the constant term up.
    pub fn coefficients(&self) -> &[Int] {
        &self.0
    }

    /// Whether all coefficients are zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; zero for the zero polynomial too.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The coefficient of the highest power; zero for the zero polynomial.
    pub(crate) fn leading(&self) -> Int {
        self.0.last().cloned().unwrap_or(Int::ZERO)
    }

    /// The sign of the polynomial's value at `x`.
    pub fn sign_at(&self, x: &Rational) -> i32 {
        let den = Int::from(x.denominator().clone());
        let (mut value, mut scale) = (Int::ZERO, Int::ONE);
        for c in self.0.iter().rev() {
            value = value * x.numerator() + c * &scale;
            scale *= &den;
        }
        int::signum(&value)
    }

    /// The derivative.
    fn derivative(&self) -> Poly {
        Poly::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * Int::from(i)).collect())
    }

    /// Divided by the (positive) greatest common divisor of its coefficients.
    fn primitive(mut self) -> Poly {
        let mut content = Nat::ZERO;
        for c in self.0.iter().filter(|c| !c.is_zero()) {
            content = if content.is_zero() { c.unsigned_abs() } else { content.gcd(&c.unsigned_abs()) };
            if content.is_one() {
                return self;
            }
        }
        if !content.is_zero() {
            self.0.iter_mut().for_each(|c| *c = &*c / &content);
        }
        self
    }

    /// Quotient and remainder of a positive multiple of `self` by a non-zero `other`.
    fn pseudo_divide(&self, other: &Poly) -> (Poly, Poly) {
        let (mut quotient, mut rest) = (vec![Int::ZERO; self.0.len()], self.clone());
        let lead = other.leading();
        let (scale, negative) = ((&lead).abs(), int::is_negative(&lead));
        while !rest.is_zero() && rest.0.len() >= other.0.len() {
            let shift = rest.0.len() - other.0.len();
            let top = if negative { -rest.leading() } else { rest.leading() };
            rest.0.iter_mut().chain(quotient.iter_mut()).for_each(|c| *c *= &scale);
            for (i, c) in other.0.iter().enumerate() {
                rest.0[i + shift] -= c * &top;
            }
            quotient[shift] += top;
            rest = Poly::new(rest.0);
        }
        (Poly::new(quotient), rest)
    }

    /// The greatest common divisor, primitive.
    pub(crate) fn gcd(&self, other: &Poly) -> Poly {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        while !b.is_zero() {
            let rest = a.pseudo_divide(&b).1.primitive();
            a = std::mem::replace(&mut b, rest);
        }
        a
    }

    /// The polynomial with the same roots, each simple, and a positive leading coefficient.
    pub(crate) fn square_free(&self) -> Poly {
        let common = self.gcd(&self.derivative());
        let mut part = if common.degree() == 0 { self.clone() } else { self.pseudo_divide(&common).0 };
        if int::is_negative(&part.leading()) {
            part.0.iter_mut().for_each(|c| *c = -&*c);
        }
        part.primitive()
    }

    /// The polynomial whose roots are the negatives.
    pub(crate) fn negated_roots(&self) -> Poly {
        Poly(self.0.iter().enumerate().map(|(i, c)| if i % 2 == 1 { -c } else { c.clone() }).collect())
    }

    /// The polynomial whose roots are the reciprocals of the non-zero roots.
    pub(crate) fn reciprocal_roots(&self) -> Poly {
        Poly::new(self.0.iter().rev().cloned().collect())
    }

    /// An integer above the absolute value of every root.
    pub(crate) fn root_bound(&self) -> Rational {
        let lead = self.leading().unsigned_abs();
        let largest = self.0.iter().map(|c| c.unsigned_abs()).max().unwrap_or_default();
        if lead.is_zero() { Rational::ONE } else { Int::from(largest / lead + Nat::from(2u8)).into() }
    }

    /// Sums of the 0th to `count`th powers of all complex roots, with multiplicity.
    pub(crate) fn power_sums(&self, count: usize) -> Vec<Rational> {
        let n = self.degree();
        // Monic coefficients from the second highest down: monic[i] belongs to x^(n-1-i).
        let lead = self.leading();
        let monic: Vec<Rational> =
            self.0.iter().rev().skip(1).filter_map(|c| Rational::new(c.clone(), lead.clone())).collect();
        let mut sums = vec![Rational::from(n as i64)];
        for k in 1..=count {
            let mut s = match monic.get(k - 1) {
                Some(c) => &Rational::from(k as i64) * c,
                None => Rational::ZERO,
            };
            for i in 1..=(k - 1).min(n) {
                s = &s + &(&monic[i - 1] * &sums[k - i]);
            }
            sums.push(-&s);
        }
        sums
    }

    /// The polynomial with the given power sums; its degree is their number minus one.
    pub(crate) fn from_power_sums(sums: &[Rational]) -> Poly {
        let mut elementary = vec![Rational::ONE];
        for k in 1..sums.len() {
            let mut total = Rational::ZERO;
            for i in 1..=k {
                let term = &elementary[k - i] * &sums[i];
                total = if i % 2 == 1 { &total + &term } else { &total - &term };
            }
            let share = Rational::new(Int::ONE, Int::from(k)).unwrap_or(Rational::ONE);
            elementary.push(&total * &share);
        }
        let signed = elementary.iter().enumerate().map(|(k, e)| if k % 2 == 1 { -e } else { e.clone() });
        let mut coefficients: Vec<Rational> = signed.collect();
        coefficients.reverse();
        Poly::from_rationals(&coefficients)
    }
}

/// A Sturm chain of a square-free polynomial: counts real roots in intervals.
pub(crate) struct Sturm(Vec<Poly>);

impl Sturm {
    /// The chain of `p`, which is square-free and not zero.
    pub(crate) fn new(p: &Poly) -> Sturm {
        let mut chain = vec![p.clone(), p.derivative().primitive()];
        while let [.., a, b] = chain.as_slice() {
            if b.is_zero() {
                chain.pop();
                break;
            }
            let mut rest = a.pseudo_divide(b).1.primitive();
            rest.0.iter_mut().for_each(|c| *c = -&*c);
            chain.push(rest);
        }
        Sturm(chain)
    }

    fn variations(&self, x: &Rational) -> usize {
        let (mut count, mut last) = (0, 0);
        for sign in self.0.iter().map(|p| p.sign_at(x)).filter(|s| *s != 0) {
            count += usize::from(sign == -last);
            last = sign;
        }
        count
    }

    /// The number of roots in `(lo, hi]`.
    pub(crate) fn count(&self, lo: &Rational, hi: &Rational) -> usize {
        self.variations(lo).saturating_sub(self.variations(hi))
    }

    /// For each real root in ascending order, an interval `(lo, hi]` that holds it and no other.
    pub(crate) fn isolate(&self, bound: Rational) -> Vec<(Rational, Rational)> {
        let mut found = Vec::new();
        let mut todo = vec![(-&bound, bound)];
        while let Some((lo, hi)) = todo.pop() {
            match self.count(&lo, &hi) {
                0 => {}
                1 => found.push((lo, hi)),
                _ => {
                    let mid = lo.midpoint(&hi);
                    todo.push((mid.clone(), hi));
                    todo.push((lo, mid));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(c: &[i64]) -> Poly {
        Poly::new(c.iter().map(|c| Int::from(*c)).collect())
    }

    #[test]
    fn power_sums_determine_the_polynomial() {
        for p in [poly(&[-2, 0, 1]), poly(&[6, -5, 1]), poly(&[1, 2, 3, 4, 5]), poly(&[-7, 3])] {
            let back = Poly::from_power_sums(&p.power_sums(p.degree()));
            assert_eq!(back.primitive(), p);
        }
    }

    #[test]
    fn square_free_part_keeps_the_roots() {
        // (x-1)^2 (x+2)^3 has the square-free part (x-1)(x+2).
        let p = poly(&[8, -4, -10, 1, 4, 1]);
        assert_eq!(p.square_free(), poly(&[-2, 1, 1]));
        assert_eq!(Sturm::new(&p.square_free()).isolate(p.root_bound()).len(), 2);
    }

    #[test]
    fn sturm_counts_roots_in_half_open_intervals() {
        let p = poly(&[0, -2, -1, 1]); // x (x-2) (x+1)
        let chain = Sturm::new(&p);
        for lo in -4..4i64 {
            for hi in lo..5 {
                let expected = [-1, 0, 2].iter().filter(|r| lo < **r && **r <= hi).count();
                assert_eq!(chain.count(&lo.into(), &hi.into()), expected, "({lo}, {hi}]");
            }
        }
    }
}
