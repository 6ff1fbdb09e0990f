//! Contradictions from ranges of floating-point terms: assertions about the parts of a term imply a range of the term,
//! and another assertion contradicts this range.

use smelt_semantics::float::range::{Class, Range};
use smelt_semantics::value::Value;
use smelt_semantics::{Float, Format, RoundingMode};

use crate::construct::corner;
use crate::construct::grow::Grower;
use crate::construct::operator::{Op, op};
use crate::construct::sort::Sort;
use crate::construct::term::{Head, Term};

/// A rounding mode, and which one it is if it is a literal.
fn mode(g: &mut Grower<'_>) -> (Term, Option<RoundingMode>) {
    let t = g.any(Sort::Mode, 0);
    let mode = match (g.terms.head(t), g.terms.value(t)) {
        (Head::Literal, Some(Value::RoundingMode(m))) => Some(*m),
        _ => None,
    };
    (t, mode)
}

/// A term that is never NaN, with its range; `facts` gets the assertions that it follows from.
fn ranged(g: &mut Grower<'_>, format: Format, depth: u32, facts: &mut Vec<Term>) -> Option<(Term, Range)> {
    if depth == 0 || g.rng.one_in(4) {
        return leaf(g, format, facts);
    }
    let below = depth - 1;
    let (x, a) = ranged(g, format, below, facts)?;
    // Infinities and divisors that may be zero make ranges too wide to be of use.
    let mut useful = true;
    let (op, args, range) = match g.rng.below(13) {
        0 => (op!("fp.neg"), vec![x], a.neg()),
        1 => (op!("fp.abs"), vec![x], a.abs()),
        k @ 2..=6 => {
            let (y, b) = ranged(g, format, below, facts)?;
            let (m, mode) = mode(g);
            let finite = |r: &Range| !r.is(Class::Infinite).0;
            useful = finite(&a) && finite(&b) && (k != 5 || !b.is(Class::Zero).0);
            match k {
                2 => (op!("fp.add"), vec![m, x, y], a.add(&b, mode)),
                3 => (op!("fp.sub"), vec![m, x, y], a.add(&b.neg(), mode)),
                4 => (op!("fp.mul"), vec![m, x, y], a.mul(&b, mode)),
                5 => (op!("fp.div"), vec![m, x, y], a.div(&b, mode)),
                _ => {
                    let (z, c) = ranged(g, format, below, facts)?;
                    (op!("fp.fma"), vec![m, x, y, z], a.fma(&b, &c, mode))
                }
            }
        }
        k @ (7 | 8) => {
            let (m, mode) = mode(g);
            match k {
                7 => (op!("fp.sqrt"), vec![m, x], a.sqrt(mode)),
                _ => (op!("fp.roundToIntegral"), vec![m, x], a.round_to_integral(mode)),
            }
        }
        k @ (9 | 10) => {
            let (y, b) = ranged(g, format, below, facts)?;
            match k {
                9 => (op!("fp.min"), vec![x, y], a.min(&b)),
                _ => (op!("fp.max"), vec![x, y], a.max(&b)),
            }
        }
        11 => {
            let (y, b) = ranged(g, format, below, facts)?;
            let c = g.any(Sort::Bool, 1);
            (op!("ite"), vec![c, x, y], a.join(&b))
        }
        _ => {
            let other = g.world.format(&mut g.rng)?;
            let (y, b) = ranged(g, other, below, facts)?;
            let (m, mode) = mode(g);
            (op!("to_fp.float"), vec![m, y], b.convert(mode, format))
        }
    };
    if !useful || range.has_nan() {
        return Some((x, a));
    }
    let indices = if op.row.indices.is_empty() { [0; 2] } else { [format.eb(), format.sb()] };
    Some(g.terms.apply(op, indices, &args).map_or((x, a), |t| (t, range)))
}

impl Grower<'_> {
    fn float_literal(&mut self, value: &Float) -> Term {
        self.terms.literal(Sort::Float(value.format()), value.clone().into())
    }
}

/// A literal, or any term that assertions bound; `None` for formats that ranges do not have.
fn leaf(g: &mut Grower<'_>, format: Format, facts: &mut Vec<Term>) -> Option<(Term, Range)> {
    let number = |g: &mut Grower<'_>| (0..8).map(|_| corner::float(&mut g.rng, format)).find(|f| !f.is_nan());
    let (x, y) = (number(g)?, number(g)?);
    if g.rng.one_in(5) {
        return Some((g.float_literal(&x), Range::between(&x, &x)?));
    }
    let (low, high) = if y.ieee_lt(&x) { (y, x) } else { (x, y) };
    let t = g.any(Sort::Float(format), 1);
    let (l, h) = (g.float_literal(&low), g.float_literal(&high));
    if g.rng.one_in(4) {
        facts.push(g.terms.app(op!("fp.leq"), &[l, t]));
        facts.push(g.terms.app(op!("fp.geq"), &[h, t]));
    } else {
        let both = [g.terms.app(op!("fp.geq"), &[t, l]), g.terms.app(op!("fp.leq"), &[t, h])];
        facts.push(g.terms.app(op!("and"), &both));
    }
    Some((t, Range::between(&low, &high)?))
}

/// The depth of terms with a range.
const DEPTH: u32 = 3;

/// The test of each class.
const TESTS: [(Class, Op); 7] = [
    (Class::Nan, op!("fp.isNaN")),
    (Class::Infinite, op!("fp.isInfinite")),
    (Class::Zero, op!("fp.isZero")),
    (Class::Negative, op!("fp.isNegative")),
    (Class::Positive, op!("fp.isPositive")),
    (Class::Subnormal, op!("fp.isSubnormal")),
    (Class::Normal, op!("fp.isNormal")),
];

/// A term asserted to be outside of its range, or of a class that is not in it.
pub(crate) fn interval(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let format = g.world.format(&mut g.rng)?;
    let mut facts = Vec::new();
    let (t, range) = ranged(g, format, DEPTH, &mut facts)?;
    let [least, greatest] = range.ends();
    let (low, high) = (g.float_literal(&least), g.float_literal(&greatest));
    let contradiction = match g.rng.below(6) {
        0 => g.terms.app(op!("fp.lt"), &[t, low]),
        1 => g.terms.app(op!("fp.gt"), &[t, high]),
        2 => {
            let within = g.terms.app(op!("fp.leq"), &[low, t]);
            g.terms.app(op!("not"), &[within])
        }
        3 => {
            let within = g.terms.app(op!("fp.geq"), &[high, t]);
            g.terms.app(op!("not"), &[within])
        }
        4 => {
            let outside = corner::related(&mut g.rng, &Value::Float(greatest.clone()), Sort::Float(format));
            let outside = outside.as_float().filter(|f| greatest.ieee_lt(f) || f.ieee_lt(&least))?;
            let c = g.float_literal(outside);
            let op = if g.rng.one_in(2) { op!("fp.eq") } else { op!("=") };
            g.terms.app(op, &[t, c])
        }
        _ => {
            let impossible: Vec<&(Class, Op)> =
                TESTS.iter().filter(|(class, _)| !range.is(*class).0).collect();
            let (_, test) = **g.rng.pick(&impossible)?;
            g.terms.app(test, &[t])
        }
    };
    facts.push(contradiction);
    Some(facts)
}
