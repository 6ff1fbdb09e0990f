//! Kernels from intervals of floating-point terms: rounding is monotonic, so the ends of an interval go where its
//! members go.
//!
//! An interval says that a term is a number (not NaN) between two numbers in the order of `fp.leq`, for which both
//! zeros are one. Everything here says less than is true, never more.

use smelt_semantics::value::Value;
use smelt_semantics::{Float, Format, RoundingMode};

use crate::construct::corner;
use crate::construct::grow::Grower;
use crate::construct::operator::{Op, op};
use crate::construct::sort::Sort;
use crate::construct::term::{Head, Term};

/// A number between two.
#[derive(Clone, Debug)]
struct Range {
    low: Float,
    high: Float,
}

fn least(all: impl IntoIterator<Item = Float>) -> Option<Float> {
    all.into_iter().reduce(|a, b| if b.ieee_lt(&a) { b } else { a })
}

fn greatest(all: impl IntoIterator<Item = Float>) -> Option<Float> {
    all.into_iter().reduce(|a, b| if a.ieee_lt(&b) { b } else { a })
}

/// The rounding modes for the low and the high end.
type Modes = (RoundingMode, RoundingMode);

impl Range {
    /// `None` if an end is not a number: then nothing is known.
    fn new(low: Float, high: Float) -> Option<Range> {
        (!low.is_nan() && !high.is_nan()).then_some(Range { low, high })
    }

    fn finite(&self) -> bool {
        !self.low.is_infinite() && !self.high.is_infinite()
    }

    fn positive(&self) -> bool {
        Float::zero(self.low.format(), false).ieee_lt(&self.low)
    }

    fn negative(&self) -> bool {
        self.high.ieee_lt(&Float::zero(self.low.format(), false))
    }

    fn neg(&self) -> Range {
        Range { low: self.high.neg(), high: self.low.neg() }
    }

    fn abs(&self) -> Range {
        if self.positive() {
            return self.clone();
        }
        if self.negative() {
            return self.neg();
        }
        let high = if self.high.ieee_lt(&self.low.neg()) { self.low.neg() } else { self.high.clone() };
        Range { low: Float::zero(high.format(), false), high }
    }

    /// A monotonic function of one argument.
    fn monotonic(&self, modes: Modes, f: impl Fn(&Float, RoundingMode) -> Float) -> Option<Range> {
        Range::new(f(&self.low, modes.0), f(&self.high, modes.1))
    }

    /// A function of two numbers that is least and greatest at ends of the intervals.
    fn corners(
        &self,
        other: &Range,
        modes: Modes,
        f: impl Fn(RoundingMode, &Float, &Float) -> Float,
    ) -> Option<Range> {
        if !self.finite() || !other.finite() {
            return None;
        }
        let pairs = [
            (&self.low, &other.low),
            (&self.low, &other.high),
            (&self.high, &other.low),
            (&self.high, &other.high),
        ];
        let low = pairs.map(|(x, y)| f(modes.0, x, y));
        let high = pairs.map(|(x, y)| f(modes.1, x, y));
        if low.iter().chain(&high).any(Float::is_nan) {
            return None;
        }
        Range::new(least(low)?, greatest(high)?)
    }

    fn div(&self, other: &Range, modes: Modes) -> Option<Range> {
        if !other.positive() && !other.negative() {
            return None;
        }
        self.corners(other, modes, |m, x, y| x.div(m, y))
    }

    fn sqrt(&self, modes: Modes) -> Option<Range> {
        if !self.positive() && !self.low.is_zero() {
            return None;
        }
        self.monotonic(modes, |x, m| x.sqrt(m))
    }

    fn fma(&self, other: &Range, sum: &Range, modes: Modes) -> Option<Range> {
        if !sum.finite() {
            return None;
        }
        let low = self.corners(other, modes, |m, x, y| x.fma(m, y, &sum.low))?;
        let high = self.corners(other, modes, |m, x, y| x.fma(m, y, &sum.high))?;
        Range::new(low.low, high.high)
    }

    fn join(&self, other: &Range) -> Option<Range> {
        Range::new(
            least([self.low.clone(), other.low.clone()])?,
            greatest([self.high.clone(), other.high.clone()])?,
        )
    }

    /// Of `fp.min`, or with `greater` of `fp.max`; which zero it gives does not matter.
    fn extreme(&self, other: &Range, greater: bool) -> Option<Range> {
        let pick = if greater { greatest } else { least };
        let ends = |a: &Float, b: &Float| pick([a.clone(), b.clone()]);
        Range::new(ends(&self.low, &other.low)?, ends(&self.high, &other.high)?)
    }
}

/// A rounding mode and the modes of the ends: its own if it is a literal.
fn mode(g: &mut Grower<'_>) -> (Term, Modes) {
    let t = g.any(Sort::Mode, 0);
    let modes = match (g.terms.head(t), g.terms.value(t)) {
        (Head::Literal, Some(Value::RoundingMode(m))) => (*m, *m),
        _ => (RoundingMode::Rtn, RoundingMode::Rtp),
    };
    (t, modes)
}

/// A term in an interval; `facts` gets the assertions that it rests on.
fn ranged(g: &mut Grower<'_>, format: Format, depth: u32, facts: &mut Vec<Term>) -> Option<(Term, Range)> {
    if depth == 0 || g.rng.one_in(4) {
        return leaf(g, format, facts);
    }
    let below = depth - 1;
    let (x, a) = ranged(g, format, below, facts)?;
    let binary = |g: &mut Grower<'_>, facts: &mut Vec<Term>| ranged(g, format, below, facts);
    let made: Option<(Term, Range)> = match g.rng.below(13) {
        0 => Some((g.terms.app(op!("fp.neg"), &[x]), a.neg())),
        1 => Some((g.terms.app(op!("fp.abs"), &[x]), a.abs())),
        k @ 2..=6 => {
            let (y, b) = binary(g, facts)?;
            let (m, modes) = mode(g);
            let (op, range) = match k {
                2 => (op!("fp.add"), a.corners(&b, modes, |m, x, y| x.add(m, y))),
                3 => (op!("fp.sub"), a.corners(&b, modes, |m, x, y| x.sub(m, y))),
                4 => (op!("fp.mul"), a.corners(&b, modes, |m, x, y| x.mul(m, y))),
                5 => (op!("fp.div"), a.div(&b, modes)),
                _ => {
                    let (z, c) = binary(g, facts)?;
                    let fma = a.fma(&b, &c, modes);
                    return Some(match fma {
                        Some(range) => (g.terms.app(op!("fp.fma"), &[m, x, y, z]), range),
                        None => (x, a),
                    });
                }
            };
            range.map(|r| (g.terms.app(op, &[m, x, y]), r))
        }
        k @ (7 | 8) => {
            let (m, modes) = mode(g);
            let (op, range) = match k {
                7 => (op!("fp.sqrt"), a.sqrt(modes)),
                _ => (op!("fp.roundToIntegral"), a.monotonic(modes, |x, m| x.round_to_integral(m))),
            };
            range.map(|r| (g.terms.app(op, &[m, x]), r))
        }
        k @ (9 | 10) => {
            let (y, b) = binary(g, facts)?;
            let op = if k == 9 { op!("fp.min") } else { op!("fp.max") };
            a.extreme(&b, k == 10).map(|r| (g.terms.app(op, &[x, y]), r))
        }
        11 => {
            let (y, b) = binary(g, facts)?;
            let c = g.any(Sort::Bool, 1);
            a.join(&b).map(|r| (g.terms.app(op!("ite"), &[c, x, y]), r))
        }
        _ => {
            let other = g.world.format(&mut g.rng)?;
            let (y, b) = ranged(g, other, below, facts)?;
            let (m, modes) = mode(g);
            let range = b.monotonic(modes, |x, m| x.to_format(format, m));
            range.and_then(|r| {
                let t = g.terms.apply(op!("to_fp.float"), [format.eb(), format.sb()], &[m, y]).ok()?;
                Some((t, r))
            })
        }
    };
    Some(made.unwrap_or((x, a)))
}

impl Grower<'_> {
    fn float_literal(&mut self, value: &Float) -> Term {
        self.terms.literal(Sort::Float(value.format()), value.clone().into())
    }
}

/// A literal, or any term that assertions bound.
fn leaf(g: &mut Grower<'_>, format: Format, facts: &mut Vec<Term>) -> Option<(Term, Range)> {
    let number = |g: &mut Grower<'_>| (0..8).map(|_| corner::float(&mut g.rng, format)).find(|f| !f.is_nan());
    let (x, y) = (number(g)?, number(g)?);
    if g.rng.one_in(5) {
        return Some((g.float_literal(&x), Range::new(x.clone(), x)?));
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
    Some((t, Range::new(low, high)?))
}

/// How deep terms with intervals are.
const DEPTH: u32 = 3;

/// Tests that cannot be true of any number in a range.
fn impossible(r: &Range) -> Vec<Op> {
    let large = |f: &Float| f.is_normal() || f.is_infinite();
    let small = |f: &Float| f.is_zero() || f.is_subnormal();
    let mut all = vec![op!("fp.isNaN")];
    if r.finite() {
        all.push(op!("fp.isInfinite"));
    }
    if r.positive() || r.negative() {
        all.push(op!("fp.isZero"));
    }
    if r.positive() {
        all.push(op!("fp.isNegative"));
    }
    if r.negative() {
        all.push(op!("fp.isPositive"));
    }
    if (r.positive() && large(&r.low)) || (r.negative() && large(&r.high)) {
        all.push(op!("fp.isSubnormal"));
    }
    if small(&r.low) && small(&r.high) {
        all.push(op!("fp.isNormal"));
    }
    all
}

/// A term outside of its interval, or not of its class.
pub(crate) fn interval(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let format = g.world.format(&mut g.rng)?;
    let mut facts = Vec::new();
    let (t, range) = ranged(g, format, DEPTH, &mut facts)?;
    let (low, high) = (g.float_literal(&range.low), g.float_literal(&range.high));
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
            let outside = corner::related(&mut g.rng, &Value::Float(range.high.clone()), Sort::Float(format));
            let outside = outside.as_float().filter(|f| range.high.ieee_lt(f) || f.ieee_lt(&range.low))?;
            let c = g.float_literal(outside);
            let op = if g.rng.one_in(2) { op!("fp.eq") } else { op!("=") };
            g.terms.app(op, &[t, c])
        }
        _ => {
            let tests = impossible(&range);
            let test = *g.rng.pick(&tests)?;
            g.terms.app(test, &[t])
        }
    };
    facts.push(contradiction);
    Some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn contains(r: &Range, x: &Float) -> bool {
        r.low.ieee_le(x) && x.ieee_le(&r.high)
    }

    #[test]
    fn ranges_hold_for_all_members() {
        let format = Format::new(2, 3).unwrap();
        let sort = Sort::Float(format);
        let all: Vec<Float> =
            (0..sort.count().unwrap()).map(|n| sort.value(n).unwrap().as_float().unwrap().clone()).collect();
        let mut rng = Rng::new(5);
        let mut some = || loop {
            let (x, y) = (corner::float(&mut rng, format), corner::float(&mut rng, format));
            if x.ieee_le(&y) {
                return Range::new(x, y).unwrap();
            }
        };
        for _ in 0..400 {
            let (a, b, c) = (some(), some(), some());
            let members = |r: &Range| all.iter().filter(|x| contains(r, x)).cloned().collect::<Vec<_>>();
            for (mode, ..) in RoundingMode::ALL {
                for modes in [(mode, mode), (RoundingMode::Rtn, RoundingMode::Rtp)] {
                    let binary: [(Option<Range>, fn(RoundingMode, &Float, &Float) -> Float); 4] = [
                        (a.corners(&b, modes, |m, x, y| x.add(m, y)), |m, x, y| x.add(m, y)),
                        (a.corners(&b, modes, |m, x, y| x.sub(m, y)), |m, x, y| x.sub(m, y)),
                        (a.corners(&b, modes, |m, x, y| x.mul(m, y)), |m, x, y| x.mul(m, y)),
                        (a.div(&b, modes), |m, x, y| x.div(m, y)),
                    ];
                    for x in members(&a) {
                        for (range, f) in [
                            (a.sqrt(modes), x.sqrt(mode)),
                            (a.monotonic(modes, |x, m| x.round_to_integral(m)), x.round_to_integral(mode)),
                            (
                                a.monotonic(modes, |x, m| x.to_format(Format::F16, m)),
                                x.to_format(Format::F16, mode),
                            ),
                            (Some(a.abs()), x.abs()),
                            (Some(a.neg()), x.neg()),
                        ] {
                            assert!(range.is_none_or(|r| contains(&r, &f)), "{a:?} {x:?}");
                        }
                        for y in members(&b) {
                            for (range, f) in &binary {
                                let z = f(mode, &x, &y);
                                assert!(
                                    range.as_ref().is_none_or(|r| contains(r, &z)),
                                    "{a:?} {b:?} {x:?} {y:?}"
                                );
                            }
                            for (greater, z) in [(false, x.minimum(&y)), (true, x.maximum(&y))] {
                                let range = a.extreme(&b, greater).unwrap();
                                assert!(z.is_err() || contains(&range, &z.unwrap()));
                            }
                            let z = members(&c).pop().unwrap();
                            let range = a.fma(&b, &c, modes);
                            assert!(range.is_none_or(|r| contains(&r, &x.fma(mode, &y, &z))));
                        }
                    }
                }
            }
        }
    }
}
