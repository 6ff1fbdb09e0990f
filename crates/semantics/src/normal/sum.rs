//! Sums of integers, reals and bit-vectors, and comparisons of them with zero.

use smelt_smtlib::{Arena, Sort};

use super::node::{Head, Normal, Normals};
use crate::BitVec;
use crate::number::int::modulo;
use crate::number::{Int, Rational, Real};
use crate::value::Value;

/// A sum in the making: its constant, and terms with their coefficients.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    constant: Rational,
    terms: Vec<(Normal, Rational)>,
}

fn one() -> Rational {
    Rational::from(1)
}

/// The modulus of a sort of bit-vectors.
fn modulus(arena: &Arena, sort: Sort) -> Option<Int> {
    arena.bitvec_width(sort).map(|width| Int::from(1) << width as usize)
}

fn reduced(a: &Rational, modulus: &Int) -> Rational {
    modulo(a.numerator(), modulus).map_or_else(|_| a.clone(), Rational::from)
}

impl Sum {
    fn constant(value: Rational) -> Sum {
        Sum { constant: value, terms: Vec::new() }
    }

    /// The number, if there are no terms.
    fn as_constant(&self) -> Option<&Rational> {
        self.terms.is_empty().then_some(&self.constant)
    }

    fn scale(&mut self, by: &Rational) {
        self.constant = &self.constant * by;
        self.terms.iter_mut().for_each(|(_, c)| *c = &*c * by);
    }

    fn add(&mut self, other: Sum) {
        self.constant = &self.constant + &other.constant;
        self.terms.extend(other.terms);
    }

    /// One coefficient for each term, and none that is zero.
    fn tidy(&mut self, modulus: Option<&Int>) {
        self.terms.sort_by_key(|t| t.0);
        let mut tidy: Vec<(Normal, Rational)> = Vec::with_capacity(self.terms.len());
        for (term, c) in self.terms.drain(..) {
            match tidy.last_mut() {
                Some(last) if last.0 == term => last.1 = &last.1 + &c,
                _ => tidy.push((term, c)),
            }
        }
        if let Some(m) = modulus {
            self.constant = reduced(&self.constant, m);
            tidy.iter_mut().for_each(|(_, c)| *c = reduced(c, m));
        }
        tidy.retain(|(_, c)| !c.is_zero());
        self.terms = tidy;
    }
}

impl Normals {
    /// A number, if the form is one.
    pub(super) fn number(&self, n: Normal) -> Option<Rational> {
        match self.value(n)? {
            Value::Int(i) => Some(Rational::from(i.clone())),
            Value::Real(r) => r.as_rational().cloned(),
            Value::BitVec(b) => Some(Rational::from(b.to_unsigned_int())),
            _ => None,
        }
    }

    /// A form as a sum.
    pub(super) fn as_sum(&self, n: Normal) -> Sum {
        if let Some(number) = self.number(n) {
            return Sum::constant(number);
        }
        match self.head(n) {
            Head::Sum(constant, coefficients) => {
                let terms = self.args(n).iter().copied().zip(coefficients.iter().cloned());
                Sum { constant: constant.clone(), terms: terms.collect() }
            }
            _ => Sum { constant: Rational::from(0), terms: vec![(n, one())] },
        }
    }

    /// The form of a sum.
    pub(super) fn of_sum(&mut self, arena: &Arena, mut sum: Sum, sort: Sort) -> Normal {
        sum.tidy(modulus(arena, sort).as_ref());
        match (&sum.terms[..], sum.constant.is_zero()) {
            ([], _) => {
                let value = match arena.bitvec_width(sort) {
                    Some(width) => BitVec::from_int(width, sum.constant.numerator()).map(Value::BitVec).ok(),
                    None if sort == Sort::INT && sum.constant.is_integer() => {
                        Some(Value::Int(sum.constant.numerator().clone()))
                    }
                    None => Some(Value::Real(Real::from(sum.constant.clone()))),
                };
                match value {
                    Some(value) => self.constant(value, sort),
                    None => self.node(Head::Sum(sum.constant, Box::default()), Box::default(), sort),
                }
            }
            ([(term, c)], true) if *c == one() => *term,
            _ => {
                let (args, coefficients): (Vec<_>, Vec<_>) = sum.terms.into_iter().unzip();
                self.node(Head::Sum(sum.constant, coefficients.into()), args.into(), sort)
            }
        }
    }

    /// The sum of forms, each times a number.
    pub(super) fn total(&self, parts: impl IntoIterator<Item = (Normal, i64)>) -> Sum {
        let mut sum = Sum::constant(Rational::from(0));
        for (part, factor) in parts {
            let mut part = self.as_sum(part);
            if factor != 1 {
                part.scale(&Rational::from(factor));
            }
            sum.add(part);
        }
        sum
    }

    /// A sum of forms with these coefficients.
    pub(super) fn combined(&self, constant: &Rational, coefficients: &[Rational], args: &[Normal]) -> Sum {
        let mut sum = Sum::constant(constant.clone());
        for (arg, c) in args.iter().zip(coefficients) {
            let mut part = self.as_sum(*arg);
            part.scale(c);
            sum.add(part);
        }
        sum
    }

    /// A sum plus a number.
    pub(super) fn plus(&self, mut sum: Sum, number: i64) -> Sum {
        sum.constant = &sum.constant + &Rational::from(number);
        sum
    }

    /// The terms of a sum with the coefficient 1, or -1.
    pub(super) fn isolated(&self, n: Normal) -> Vec<Normal> {
        let sum = self.as_sum(n);
        sum.terms.iter().filter(|(_, c)| c.abs() == one()).map(|t| t.0).collect()
    }

    /// What a term of a sum with the coefficient 1 or -1 equals where the sum is zero.
    pub(super) fn rest(&mut self, arena: &Arena, n: Normal, term: Normal) -> Normal {
        let mut sum = self.as_sum(n);
        let at = sum.terms.iter().position(|t| t.0 == term);
        let positive = at.is_some_and(|at| sum.terms.remove(at).1.signum() > 0);
        if positive {
            sum.scale(&Rational::from(-1));
        }
        let sort = self.sort(term);
        self.of_sum(arena, sum, sort)
    }

    /// The product of forms.
    pub(super) fn product(&mut self, arena: &Arena, parts: &[Normal], sort: Sort) -> Normal {
        let (mut factor, mut factors, mut sum) = (one(), Vec::new(), None);
        for &part in parts {
            let of_part = self.as_sum(part);
            if let Some(c) = of_part.as_constant() {
                factor = &factor * c;
                continue;
            }
            // A term with a coefficient gives it away; a longer sum is a factor as a whole, unless it is alone.
            match &of_part.terms[..] {
                [(term, c)] if of_part.constant.is_zero() => {
                    factor = &factor * c;
                    match self.head(*term) {
                        Head::Product => factors.extend_from_slice(self.args(*term)),
                        _ => factors.push(*term),
                    }
                }
                _ => {
                    factors.push(part);
                    sum = Some(of_part);
                }
            }
        }
        if factor.is_zero() || factors.is_empty() {
            return self.of_sum(arena, Sum::constant(factor), sort);
        }
        let mut product = match (&factors[..], sum) {
            ([_], Some(sum)) => sum,
            ([one], None) => self.as_sum(*one),
            _ => {
                factors.sort_unstable();
                let product = self.node(Head::Product, factors.into(), sort);
                self.as_sum(product)
            }
        };
        product.scale(&factor);
        self.of_sum(arena, product, sort)
    }

    /// Whether every term is a whole number, whatever the sort of the sum.
    fn is_integral(&self, sum: &Sum) -> bool {
        sum.terms.iter().all(|t| self.sort(t.0) == Sort::INT)
    }

    /// Makes all coefficients small: whole numbers without a common divisor for integers, a first one of 1 or -1 for
    /// reals. Returns whether the sum is one of integers.
    fn rescale(&self, sum: &mut Sum) -> bool {
        let Some((_, first)) = sum.terms.first() else { return false };
        if !self.is_integral(sum) {
            if let Ok(by) = first.abs().recip() {
                sum.scale(&by);
            }
            return false;
        }
        let lcm = sum.terms.iter().fold(Int::from(1), |lcm, (_, c)| {
            let d = Int::from(c.denominator().clone());
            let g = gcd(&lcm, &d);
            lcm / g * d
        });
        sum.scale(&Rational::from(lcm));
        let g = sum.terms.iter().fold(Int::from(0), |g, (_, c)| gcd(&g, c.numerator()));
        if let Ok(by) = Rational::from(g).recip() {
            sum.scale(&by);
        }
        true
    }

    /// The signs of a sum whose terms are never negative: whether all coefficients are positive, or all negative.
    fn sign(&self, arena: &Arena, sum: &Sum) -> Option<bool> {
        let positive = sum.terms.first()?.1.signum() > 0;
        let fits = |(t, c): &(Normal, Rational)| (c.signum() > 0) == positive && self.is_natural(arena, *t);
        sum.terms.iter().all(fits).then_some(positive)
    }

    /// Of a sum of one or two choices between numbers: the condition of the first, and the sum in either case.
    fn cases(&self, sum: &Sum) -> Option<(Normal, [Sum; 2])> {
        let choice = |n: Normal| match (self.head(n), self.args(n)) {
            (Head::Ite, &[condition, then, other]) => {
                Some((condition, [self.number(then)?, self.number(other)?]))
            }
            _ => None,
        };
        if sum.terms.is_empty() || sum.terms.len() > 2 || sum.terms.iter().any(|t| choice(t.0).is_none()) {
            return None;
        }
        let (condition, sides) = choice(sum.terms[0].0)?;
        let case = |value: Rational| {
            let constant = &sum.constant + &(&value * &sum.terms[0].1);
            Sum { constant, terms: sum.terms[1..].to_vec() }
        };
        Some((condition, sides.map(case)))
    }

    /// Whether a sum is at most zero, or below zero.
    pub(super) fn compared(&mut self, arena: &Arena, mut sum: Sum, strict: bool) -> Normal {
        sum.tidy(None);
        if let Some(c) = sum.as_constant() {
            return Normal::of_bool(if strict { c.signum() < 0 } else { c.signum() <= 0 });
        }
        if let Some((condition, sides)) = self.cases(&sum) {
            let [then, other] = sides.map(|side| self.compared(arena, side, strict));
            return self.ite(condition, then, other, Sort::BOOL);
        }
        let integral = self.rescale(&mut sum);
        let mut strict = strict;
        if integral {
            // Of whole numbers, `s + c < 0` is `s + c + 1 <= 0` for a whole `c`; then the constant is rounded.
            let floor = Rational::from(sum.constant.floor());
            let whole = floor == sum.constant;
            sum.constant = if whole && !strict { floor } else { &floor + &one() };
            strict = false;
        }
        match self.sign(arena, &sum) {
            Some(true) if sum.constant.signum() > 0 || strict && sum.constant.is_zero() => {
                return Normal::FALSE;
            }
            Some(false) if sum.constant.signum() < 0 || !strict && sum.constant.is_zero() => {
                return Normal::TRUE;
            }
            _ => {}
        }
        let flip = sum.terms[0].1.signum() < 0;
        if flip {
            // -s <= 0 is not s < 0, and of whole numbers not s + 1 <= 0.
            sum.scale(&Rational::from(-1));
            match integral {
                true => sum.constant = &sum.constant + &one(),
                false => strict = !strict,
            }
        }
        let head = if strict { Head::Below } else { Head::AtMost };
        let sort = if integral { Sort::INT } else { Sort::REAL };
        let sum = self.of_sum(arena, sum, sort);
        let node = self.node(head, Box::new([sum]), Sort::BOOL);
        if flip { self.not(node) } else { node }
    }

    /// Whether a sum is zero.
    pub(super) fn zero(&mut self, arena: &Arena, mut sum: Sum, sort: Sort) -> Normal {
        let modulus = modulus(arena, sort);
        sum.tidy(modulus.as_ref());
        if let Some(c) = sum.as_constant() {
            return Normal::of_bool(c.is_zero());
        }
        if let Some(m) = modulus {
            let divisor = sum.terms.iter().fold(m.clone(), |g, (_, c)| gcd(&g, c.numerator()));
            if modulo(sum.constant.numerator(), &divisor).is_ok_and(|rest| rest != Int::from(0)) {
                return Normal::FALSE;
            }
            // Of a sum and its negation the one with the smaller coefficient.
            let m = Rational::from(m);
            if &sum.terms[0].1 + &sum.terms[0].1 > m {
                sum.scale(&Rational::from(-1));
            }
            let sum = self.of_sum(arena, sum, sort);
            return self.node(Head::Zero, Box::new([sum]), Sort::BOOL);
        }
        if let Some((condition, sides)) = self.cases(&sum) {
            let [then, other] = sides.map(|side| self.zero(arena, side, sort));
            return self.ite(condition, then, other, Sort::BOOL);
        }
        let integral = self.rescale(&mut sum);
        if integral && !sum.constant.is_integer() {
            return Normal::FALSE;
        }
        if self
            .sign(arena, &sum)
            .is_some_and(|positive| sum.constant.signum() == if positive { 1 } else { -1 })
        {
            return Normal::FALSE;
        }
        if sum.terms[0].1.signum() < 0 {
            sum.scale(&Rational::from(-1));
        }
        let sort = if integral { Sort::INT } else { Sort::REAL };
        let sum = self.of_sum(arena, sum, sort);
        self.node(Head::Zero, Box::new([sum]), Sort::BOOL)
    }
}

fn gcd(a: &Int, b: &Int) -> Int {
    let (mut a, mut b) = (a.clone(), b.clone());
    while b != Int::from(0) {
        let r = modulo(&a, &b).unwrap_or_default();
        (a, b) = (b, r);
    }
    if crate::number::int::is_negative(&a) { -a } else { a }
}
