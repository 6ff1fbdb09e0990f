//! Real algebraic numbers as solvers print them.
//!
//! z3: `(root-obj (+ (^ x 2) (- 2)) 1)`. cvc5: `(_ real_algebraic_number <1*x^2 + (-2), (1, 2)>)`, which is no
//! s-expression and is rewritten to `(root-between polynomial lo hi)` before the text is read.

use smelt_smtlib::{Arena, Literal, Symbol, Term, View};

use crate::eval::{Evaluated, Unknown, parse_int};
use crate::number::Poly;
use crate::value::Value;
use crate::{Gap, Int, Rational, Real};

/// The value of `root-obj` or `root-between`; `None` for other names.
pub(crate) fn algebraic(arena: &Arena, name: Symbol, args: &[Term]) -> Option<Evaluated> {
    let found = match (arena.text(name), args) {
        (b"root-obj", &[poly, index]) => {
            let index = constant(arena, index).and_then(|i| usize::try_from(i.numerator()).ok());
            let poly = polynomial(arena, poly).map(|p| Poly::from_rationals(&p));
            match (poly, index) {
                (Some(p), Some(i)) if !p.is_zero() => Real::nth_root_of(&p, i),
                _ => Ok(None),
            }
        }
        (b"root-between", &[poly, lo, hi]) => {
            let poly = polynomial(arena, poly).map(|p| Poly::from_rationals(&p));
            match (poly, constant(arena, lo), constant(arena, hi)) {
                (Some(p), Some(lo), Some(hi)) if !p.is_zero() => Real::root_between(&p, &lo, &hi),
                _ => Ok(None),
            }
        }
        _ => return None,
    };
    Some(match found {
        Ok(Some(r)) => Ok(Value::Real(r)),
        Ok(None) => Err(Unknown::IllSorted),
        Err(Gap::TooLarge | Gap::Unspecified) => Err(Unknown::TooLarge),
    })
}

/// A polynomial without the variable.
fn constant(arena: &Arena, term: Term) -> Option<Rational> {
    match &polynomial(arena, term)?[..] {
        [] => Some(Rational::from(0)),
        [c] => Some(c.clone()),
        _ => None,
    }
}

/// Coefficients, lowest first. A symbol without a meaning is the variable.
fn polynomial(arena: &Arena, term: Term) -> Option<Vec<Rational>> {
    match arena.view(term) {
        View::Literal(Literal::Numeral, text) => Some(vec![Rational::from(parse_int(arena.text(text))?)]),
        View::Literal(Literal::Decimal, text) => {
            Some(vec![Rational::parse(std::str::from_utf8(arena.text(text)).ok()?)?])
        }
        View::App(fun, args) => {
            let name = arena.text(arena.fun_view(fun).name);
            let parts = || args.iter().map(|&a| polynomial(arena, a)).collect::<Option<Vec<_>>>();
            match (name, args.len()) {
                (b"+", 1..) => Some(parts()?.iter().fold(Vec::new(), |a, b| add(&a, b))),
                (b"-", 1) => Some(negated(&polynomial(arena, args[0])?)),
                (b"-", 2..) => {
                    let parts = parts()?;
                    Some(parts[1..].iter().fold(parts[0].clone(), |a, b| add(&a, &negated(b))))
                }
                (b"*", 1..) => Some(parts()?.iter().fold(vec![Rational::from(1)], |a, b| multiply(&a, b))),
                (b"/", 2) => {
                    let d = constant(arena, args[1])?;
                    polynomial(arena, args[0])?.iter().map(|c| c.div(&d).ok()).collect()
                }
                (b"^", 2) => {
                    let n =
                        u32::try_from(constant(arena, args[1])?.numerator()).ok().filter(|&n| n <= 200)?;
                    let base = polynomial(arena, args[0])?;
                    Some((0..n).fold(vec![Rational::from(1)], |a, _| multiply(&a, &base)))
                }
                (_, 0) => Some(vec![Rational::from(0), Rational::from(1)]),
                _ => None,
            }
        }
        _ => None,
    }
}

fn add(a: &[Rational], b: &[Rational]) -> Vec<Rational> {
    let zero = Rational::from(0);
    (0..a.len().max(b.len())).map(|i| a.get(i).unwrap_or(&zero) + b.get(i).unwrap_or(&zero)).collect()
}

fn negated(a: &[Rational]) -> Vec<Rational> {
    a.iter().map(|c| -c).collect()
}

fn multiply(a: &[Rational], b: &[Rational]) -> Vec<Rational> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut out = vec![Rational::from(0); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] = &out[i + j] + &(x * y);
        }
    }
    out
}

/// Rewrites cvc5's notation so that the text is made of s-expressions.
pub(super) fn rewrite(text: &str) -> String {
    const OPEN: &str = "(_ real_algebraic_number <";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        out.push_str(&rest[..start]);
        let body = &rest[start + OPEN.len()..];
        let Some(end) = body.find(">)") else { break };
        match number(&body[..end]) {
            Some(written) => out.push_str(&written),
            None => out.push_str("|no number|"),
        }
        rest = &body[end + 2..];
    }
    out.push_str(rest);
    out
}

/// `1*x^2 + (-2), (1, 2)` or `1*x^2 + (-2), [3, 3]`
fn number(body: &str) -> Option<String> {
    let (poly, interval) = body.split_once(',')?;
    let interval = interval.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
    let (lo, hi) = interval.split_once(',')?;
    let mut terms = String::new();
    for part in poly.split('+') {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')').trim();
        let (factor, power) = match part.split_once('*') {
            Some((factor, power)) => (factor, power),
            None if part.contains('x') => match part.strip_prefix('-') {
                Some(p) => ("-1", p),
                None => ("1", part),
            },
            None => (part, "x^0"),
        };
        let exponent = power.trim().strip_prefix('x')?.strip_prefix('^').unwrap_or("1");
        terms.push_str(&format!(" (* {} (^ x {}))", rational(factor)?, exponent.parse::<u32>().ok()?));
    }
    Some(format!("(root-between (+{terms}) {} {})", rational(lo)?, rational(hi)?))
}

/// `-5/4` as a term.
fn rational(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, digits) = text.strip_prefix('-').map_or((false, text), |d| (true, d));
    let (n, d) = digits.split_once('/').unwrap_or((digits, "1"));
    let valid = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !valid(n) || !valid(d) {
        return None;
    }
    let _: Int = parse_int(n.as_bytes())?;
    Some(if sign { format!("(/ (- {n}) {d})") } else { format!("(/ {n} {d})") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_of_cvc5_becomes_a_term() {
        let out = rewrite("(x (_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>))");
        assert_eq!(out, "(x (root-between (+ (* (/ 1 1) (^ x 2)) (* (/ (- 2) 1) (^ x 0))) (/ 5 4) (/ 3 2)))");
    }
}
