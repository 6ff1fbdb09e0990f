//! Evaluation over ranges: encloses the possible values of each node of a program in a box.
//!
//! A range does not record that two terms share an argument. Therefore the order between terms that conjuncts state
//! is stored next to the ranges, and used for comparisons, quotients and means.

use std::collections::{HashMap, HashSet};

use super::program::{Binary, Id, Node, Program, Unary, range_of};
use super::side::Side;
use crate::float::Format;
use crate::float::range::{Class, Range, position};
use crate::value::Value;
use crate::{Float, Int, Real, RoundingMode};

/// The possible values of a node.
#[derive(Clone, Copy, Debug)]
enum May {
    /// Whether it may be true, and whether it may be false.
    Bool(bool, bool),
    Float(Range),
    Mode(Option<RoundingMode>),
    Unknown,
}

/// A program with the facts that its conjuncts state.
pub(super) struct Enclosure {
    program: Program,
    /// Stated orders: `a < b` (strictly) or `a <= b`; or denials of `b <= a` and `b < a`, which hold unless NaN.
    order: HashMap<(Id, Id), [bool; 4]>,
    /// NaN, -oo and +oo that conjuncts exclude for a node.
    excluded: HashMap<Id, [bool; 3]>,
    /// The format of each constant.
    formats: Vec<Option<Format>>,
    /// The steps that evaluating the program once costs.
    price: usize,
    /// The steps since the last [`Enclosure::take_cost`].
    cost: usize,
}

/// The steps that evaluating a node over a range costs.
const NODE: usize = 2;

const LESS: usize = 0;
const AT_MOST: usize = 1;
const NOT_ABOVE: usize = 2;
const NOT_AT_LEAST: usize = 3;

impl Enclosure {
    /// A program; at most `steps` go into finding out what its conjuncts exclude.
    pub(super) fn new(program: Program, sides: &[Side], steps: u64) -> Self {
        let format = |s: &Side| if let Side::Range(r) = s { Some(r.format) } else { None };
        let formats = sides.iter().map(format).collect();
        let parts = |n: &Node| if let Node::And(parts) | Node::Or(parts) = n { parts.len() / 8 } else { 0 };
        let price = program.nodes.iter().map(|n| NODE + parts(n)).sum();
        let (order, excluded) = (HashMap::new(), HashMap::new());
        let mut enclosure = Enclosure { program, order, excluded, formats, price, cost: 0 };
        enclosure.note_order();
        enclosure.note_exclusions(sides, steps);
        enclosure
    }

    /// The steps since the last call.
    pub(super) fn take_cost(&mut self) -> usize {
        std::mem::take(&mut self.cost)
    }

    /// Whether a box has no solution.
    pub(super) fn refutes(&mut self, sides: &[Side]) -> bool {
        let may = self.evaluate(sides, None);
        // Every node has some value, so a node without any possible value is a contradiction too.
        may.iter().any(|m| matches!(m, May::Float(r) if r.is_empty() && !r.nan))
            || self.program.roots.iter().any(|&r| matches!(may[r], May::Bool(false, _)))
    }

    /// The orders that conjuncts state.
    fn note_order(&mut self) {
        for &root in &self.program.roots {
            let (positive, at) = match self.program.nodes[root] {
                Node::Not(inner) => (false, inner),
                _ => (true, root),
            };
            let (pair, kind) = match (&self.program.nodes[at], positive) {
                (&Node::Lt(a, b), true) => ((a, b), LESS),
                (&Node::Le(a, b), true) => ((a, b), AT_MOST),
                (&Node::Le(b, a), false) => ((a, b), NOT_AT_LEAST),
                (&Node::Lt(b, a), false) => ((a, b), NOT_ABOVE),
                _ => continue,
            };
            self.order.entry(pair).or_default()[kind] = true;
        }
    }

    /// Values that a conjunct about one term alone excludes for it.
    fn note_exclusions(&mut self, sides: &[Side], steps: u64) {
        for root in self.program.roots.clone() {
            if self.cost as u64 > steps {
                return;
            }
            let Some((node, format)) = self.only_subject(root) else { continue };
            let specials =
                [Float::nan(format), Float::infinity(format, true), Float::infinity(format, false)];
            for (i, special) in specials.iter().enumerate() {
                let may = self.evaluate(sides, Some((node, Range::point(special))));
                if matches!(may[root], May::Bool(false, _)) {
                    self.excluded.entry(node).or_default()[i] = true;
                }
            }
        }
    }

    /// The only float that a Boolean node is about.
    fn only_subject(&self, root: Id) -> Option<(Id, Format)> {
        let mut subject = None;
        let mut seen = HashSet::new();
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            let found: &[Id] = match &self.program.nodes[id] {
                Node::Not(a) => {
                    work.push(*a);
                    &[]
                }
                Node::And(parts) | Node::Or(parts) => {
                    work.extend(parts);
                    &[]
                }
                Node::Is(_, a) => &[*a],
                Node::Lt(a, b) | Node::Le(a, b) | Node::IeeeEq(a, b) => &[*a, *b],
                _ => return None,
            };
            for &f in found {
                match &self.program.nodes[f] {
                    Node::Constant(_) => {}
                    _ if subject.is_none_or(|s| s == f) => subject = Some(f),
                    _ => return None,
                }
            }
        }
        let subject = subject?;
        Some((subject, self.format(subject)?))
    }

    fn format(&self, id: Id) -> Option<Format> {
        match &self.program.nodes[id] {
            Node::Unary(Unary::Convert(format, _), _) => Some(*format),
            Node::Unary(_, a) | Node::Binary(_, a, _) | Node::Ite(_, a, _) => self.format(*a),
            Node::Constant(Value::Float(f)) => Some(f.format()),
            Node::Any(_, format) => *format,
            Node::Variable(v) => self.formats[*v],
            _ => None,
        }
    }

    fn states(&self, a: Id, b: Id, kinds: &[usize]) -> bool {
        self.order.get(&(a, b)).is_some_and(|o| kinds.iter().any(|&k| o[k]))
    }

    /// Whether conjuncts state `a < b`, given what both may be.
    fn is_less(&self, may: &[May], a: Id, b: Id) -> bool {
        self.states(a, b, &[LESS]) || self.states(a, b, &[NOT_AT_LEAST]) && no_nan(&may[a]) && no_nan(&may[b])
    }

    fn is_at_most(&self, may: &[May], a: Id, b: Id) -> bool {
        self.is_less(may, a, b)
            || self.states(a, b, &[AT_MOST])
            || self.states(a, b, &[NOT_ABOVE]) && no_nan(&may[a]) && no_nan(&may[b])
    }

    /// What each node may be in a box; the range of the node `fixed` is given.
    fn evaluate(&mut self, sides: &[Side], fixed: Option<(Id, Range)>) -> Vec<May> {
        self.cost += self.price;
        let mut may: Vec<May> = Vec::with_capacity(self.program.nodes.len());
        for (id, node) in self.program.nodes.iter().enumerate() {
            let mut value = self.node(sides, &may, node);
            if let May::Float(range) = &mut value {
                if let Some(&[nan, minus, plus]) = self.excluded.get(&id) {
                    range.nan &= !nan;
                    let oo = range.infinity();
                    range.lo = if minus { range.lo.max(-oo) } else { range.lo };
                    range.hi = if plus { range.hi.min(oo - 1) } else { range.hi };
                }
                if let Some((_, given)) = fixed.filter(|f| f.0 == id) {
                    *range = given;
                }
            }
            may.push(value);
        }
        may
    }

    fn node(&self, sides: &[Side], may: &[May], node: &Node) -> May {
        let float = |id: Id| if let May::Float(r) = may[id] { Some(r) } else { None };
        let mode = |id: Id| if let May::Mode(m) = may[id] { m } else { None };
        let truth = |id: Id| if let May::Bool(t, f) = may[id] { (t, f) } else { (true, true) };
        let pair = |a: Id, b: Id| Some((float(a)?, float(b)?));
        let boolean = |(t, f): (bool, bool)| May::Bool(t, f);
        match node {
            Node::Variable(v) => match &sides[*v] {
                Side::Range(r) => May::Float(*r),
                Side::Values(values) => match &values[..] {
                    [Value::RoundingMode(m)] => May::Mode(Some(*m)),
                    [Value::RoundingMode(_), ..] => May::Mode(None),
                    values => {
                        May::Bool(values.contains(&Value::Bool(true)), values.contains(&Value::Bool(false)))
                    }
                },
            },
            Node::Constant(value) => match value {
                Value::Bool(b) => May::Bool(*b, !*b),
                Value::RoundingMode(m) => May::Mode(Some(*m)),
                value => range_of(value).map_or(May::Unknown, May::Float),
            },
            Node::Any(_, Some(format)) => May::Float(Range::full(*format)),
            Node::Any(_, None) => May::Unknown,
            Node::Not(a) => {
                let (t, f) = truth(*a);
                May::Bool(f, t)
            }
            Node::And(parts) => {
                boolean(parts.iter().map(|&p| truth(p)).fold((true, false), |s, p| (s.0 && p.0, s.1 || p.1)))
            }
            Node::Or(parts) => {
                if let Some(decided) = self.one_of(may, parts) {
                    return decided;
                }
                boolean(parts.iter().map(|&p| truth(p)).fold((false, true), |s, p| (s.0 || p.0, s.1 && p.1)))
            }
            Node::Ite(c, a, b) => match (truth(*c), may[*a], may[*b]) {
                ((true, false), a, _) => a,
                ((false, true), _, b) => b,
                (_, May::Bool(t, f), May::Bool(u, g)) => May::Bool(t || u, f || g),
                (_, May::Float(a), May::Float(b)) => May::Float(a.join(&b)),
                (_, May::Mode(_), May::Mode(_)) => May::Mode(None),
                _ => May::Unknown,
            },
            Node::Equal(a, b) if a == b => May::Bool(true, false),
            Node::Equal(a, b) => match (may[*a], may[*b]) {
                (May::Float(x), May::Float(y)) => boolean(x.equal(&y)),
                (May::Bool(t, f), May::Bool(u, g)) => May::Bool(t && u || f && g, t && g || f && u),
                (May::Mode(Some(x)), May::Mode(Some(y))) => May::Bool(x == y, x != y),
                _ => May::Bool(true, true),
            },
            Node::Lt(a, b) => self.less(may, *a, *b),
            Node::Le(a, b) => self.at_most(may, *a, *b),
            Node::IeeeEq(a, b) if a == b => match float(*a) {
                Some(r) => May::Bool(!r.is_empty(), r.nan),
                None => May::Bool(true, true),
            },
            Node::IeeeEq(a, b) => match pair(*a, *b) {
                Some((x, y)) => {
                    let (t, f) = x.ieee_eq(&y);
                    May::Bool(t && !self.is_less(may, *a, *b) && !self.is_less(may, *b, *a), f)
                }
                None => May::Bool(true, true),
            },
            Node::Is(class, a) => float(*a).map_or(May::Bool(true, true), |r| boolean(r.is(*class))),
            Node::Unary(op, a) => match (op, float(*a)) {
                (Unary::Convert(format, _), None) => May::Float(Range::full(*format)),
                (_, None) => May::Unknown,
                (Unary::Neg, Some(r)) => May::Float(r.neg()),
                (Unary::Abs, Some(r)) => May::Float(r.abs()),
                (Unary::Sqrt(m), Some(r)) => May::Float(r.sqrt(mode(*m))),
                (Unary::Integral(m), Some(r)) => May::Float(r.round_to_integral(mode(*m))),
                (Unary::Convert(format, m), Some(r)) => May::Float(r.convert(mode(*m), *format)),
            },
            Node::Binary(op, a, b) => pair(*a, *b).map_or(May::Unknown, |(x, y)| {
                May::Float(match op {
                    Binary::Add(m) => x.add(&y, mode(*m)),
                    Binary::Mul(m) => x.mul(&y, mode(*m)),
                    Binary::Div(m) => self.quotient(may, (*a, &x), (*b, &y), mode(*m)),
                    Binary::Min => x.min(&y),
                    Binary::Max => x.max(&y),
                })
            }),
        }
    }

    /// A disjunction of classes of one float fails only for the classes that are missing.
    fn one_of(&self, may: &[May], parts: &[Id]) -> Option<May> {
        let mut subject = None;
        let mut missing = vec![Class::Nan, Class::Infinite, Class::Zero, Class::Normal, Class::Subnormal];
        for &p in parts {
            match self.program.nodes[p] {
                Node::Is(class, a) if subject.is_none_or(|s| s == a) => {
                    subject = Some(a);
                    missing.retain(|&c| c != class);
                }
                _ => return None,
            }
        }
        let May::Float(range) = may[subject?] else { return None };
        let holds = parts.iter().any(|&p| matches!(may[p], May::Bool(true, _)));
        Some(May::Bool(holds, missing.iter().any(|&c| range.is(c).0)))
    }

    fn less(&self, may: &[May], a: Id, b: Id) -> May {
        let (May::Float(x), May::Float(y)) = (may[a], may[b]) else { return May::Bool(a != b, true) };
        if a == b {
            return May::Bool(false, true);
        }
        let (t, f) = x.lt(&y);
        May::Bool(t && !self.is_at_most(may, b, a), f && !self.is_less(may, a, b))
    }

    fn at_most(&self, may: &[May], a: Id, b: Id) -> May {
        let (May::Float(x), May::Float(y)) = (may[a], may[b]) else { return May::Bool(true, true) };
        if a == b {
            return May::Bool(!x.is_empty(), x.nan);
        }
        let (t, f) = x.le(&y);
        let holds = self.is_at_most(may, a, b) || self.is_mean_bound(may, a, b);
        May::Bool(t && !self.is_less(may, b, a), f && !holds)
    }

    /// Whether `a <= b` holds because one is the rounded mean of the other and something on the right side of it.
    ///
    /// Let `x <= y` and `s` be their sum rounded to nearest, a finite number. Rounding is monotone and `2x` exact, so
    /// `s >= 2x`: were `2x` beyond the largest number, `s` would be infinite. So the rounding of `s/2` is at
    /// least that of `x`, which is `x`; and at most `y` for the same reason.
    fn is_mean_bound(&self, may: &[May], a: Id, b: Id) -> bool {
        let finite = |id: Id| matches!(may[id], May::Float(r) if !r.nan && !r.may_be_infinite());
        let mean = |id: Id| self.program.mean_of(id).filter(|m| finite(m.2));
        let ordered = |x: Id, y: Id| self.is_at_most(may, x, y);
        let above = mean(b).is_some_and(|(x, y, _)| x == a && ordered(x, y) || y == a && ordered(y, x));
        let below = mean(a).is_some_and(|(x, y, _)| y == b && ordered(x, y) || x == b && ordered(y, x));
        above || below
    }

    /// A quotient of `a <= b` that are not negative is at most one.
    fn quotient(
        &self,
        may: &[May],
        (a, x): (Id, &Range),
        (b, y): (Id, &Range),
        mode: Option<RoundingMode>,
    ) -> Range {
        let mut range = x.div(y, mode);
        if x.within(0, i64::MAX) && y.within(1, i64::MAX) && self.is_at_most(may, a, b) {
            let one = Float::from_real(x.format, RoundingMode::Rne, &Real::from(Int::ONE));
            if let Ok(one) = one {
                range.hi = range.hi.min(position(&one));
            }
        }
        range
    }
}

fn no_nan(may: &May) -> bool {
    matches!(may, May::Float(r) if !r.nan)
}
