//! Branch and prune over floats: formulas whose constants are floats, Booleans and rounding modes are refuted by ranges.
//!
//! A box gives each constant a range. Evaluation over ranges encloses what each conjunct may be; a box in which one
//! cannot be true is done with, others are cut in two. When no box is left there is no solution. Points of boxes are
//! tried as solutions on the way; whether one is a solution says the evaluator.
//!
//! Ranges lose that two terms have the same argument. Order between terms that conjuncts state is therefore kept
//! beside them, and used for comparisons, quotients and means.

mod program;

use std::collections::HashMap;
use std::time::Instant;

use smelt_smtlib::{Arena, Sort, Symbol, Term};

use self::program::{Compiler, Id, Node, Program, Rounded, is_boxed, range_of};
use super::state::State;
use crate::eval::Meaning;
use crate::float::Format;
use crate::float::range::{Class, Range, at, position};
use crate::value::Value;
use crate::{Float, Int, Real, RoundingMode};

/// What came of it.
pub(super) enum Outcome {
    /// No solution.
    Refuted,
    /// A solution, which is assigned now.
    Solved,
    /// Neither.
    Open,
}

/// A side of a box.
#[derive(Clone, Debug)]
enum Side {
    Range(Range),
    Values(Vec<Value>),
}

/// What a node may be.
#[derive(Clone, Copy, Debug)]
enum May {
    Bool(bool, bool),
    Float(Range),
    Mode(Option<RoundingMode>),
    Unknown,
}

struct Boxes {
    program: Program,
    /// Stated orders: `a < b` (strictly) or `a <= b`; or denials of `b <= a` and `b < a`, which hold unless NaN.
    order: HashMap<(Id, Id), [bool; 4]>,
    /// NaN, -oo and +oo that conjuncts exclude for a node.
    excluded: HashMap<Id, [bool; 3]>,
    evaluations: u64,
    /// Of each constant.
    formats: Vec<Option<Format>>,
}

/// Parts of one side that are tried to be taken off in one go.
const MAX_TRIALS: u32 = 400;
/// Random points that are tried, once so many boxes were cut.
const DIVES: u64 = 400;
const DIVE_AFTER: u64 = 1_500;

const LESS: usize = 0;
const AT_MOST: usize = 1;
const NOT_ABOVE: usize = 2;
const NOT_AT_LEAST: usize = 3;

/// Tries to decide conjuncts whose free constants are `variables`.
pub(super) fn decide(
    arena: &Arena,
    state: &mut State<'_>,
    variables: &[(Symbol, Sort)],
    conjuncts: &[Term],
) -> Outcome {
    if variables.is_empty() || !variables.iter().all(|v| is_boxed(arena, v.1)) {
        return Outcome::Open;
    }
    if !variables.iter().any(|v| arena.float_format(v.1).is_some()) {
        return Outcome::Open;
    }
    let names: HashMap<Symbol, usize> = variables.iter().enumerate().map(|(i, v)| (v.0, i)).collect();
    let mut compiler = Compiler::new(arena, state, &names);
    if !conjuncts.iter().all(|&c| compiler.conjunct(c)) {
        return Outcome::Open;
    }
    compiler.join_denials();
    let formats =
        variables.iter().map(|v| arena.float_format(v.1).and_then(|(eb, sb)| Format::new(eb, sb))).collect();
    let mut boxes = Boxes {
        program: compiler.program,
        order: HashMap::new(),
        excluded: HashMap::new(),
        evaluations: 0,
        formats,
    };
    let mut sides = Vec::new();
    for v in variables {
        sides.push(match arena.float_format(v.1).and_then(|(eb, sb)| Format::new(eb, sb)) {
            Some(format) => Side::Range(Range::full(format)),
            None => match state.domains.values(arena, v.1, 16) {
                Some(values) => Side::Values(values),
                None => return Outcome::Open,
            },
        });
    }
    boxes.note_order();
    boxes.note_exclusions(&sides);
    boxes.search(arena, state, variables, conjuncts, sides)
}

impl Boxes {
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
    fn note_exclusions(&mut self, sides: &[Side]) {
        for root in self.program.roots.clone() {
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
        let mut work = vec![root];
        while let Some(id) = work.pop() {
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
            Node::Rounded(_, _, a, _)
            | Node::Sqrt(_, a)
            | Node::Integral(_, a)
            | Node::Neg(a)
            | Node::Abs(a) => self.format(*a),
            Node::Min(a, _) | Node::Max(a, _) | Node::Ite(_, a, _) => self.format(*a),
            Node::Convert(format, ..) => Some(*format),
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

    /// What each node may be in a box; `fixed` is taken as given.
    fn evaluate(&mut self, sides: &[Side], fixed: Option<(Id, Range)>) -> Vec<May> {
        self.evaluations += 1;
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
                let (t, f) =
                    parts.iter().map(|&p| truth(p)).fold((true, false), |s, p| (s.0 && p.0, s.1 || p.1));
                May::Bool(t, f)
            }
            Node::Or(parts) => {
                if let Some(decided) = self.one_of(may, parts) {
                    return decided;
                }
                let (t, f) =
                    parts.iter().map(|&p| truth(p)).fold((false, true), |s, p| (s.0 || p.0, s.1 && p.1));
                May::Bool(t, f)
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
            Node::Neg(a) => float(*a).map_or(May::Unknown, |r| May::Float(r.neg())),
            Node::Abs(a) => float(*a).map_or(May::Unknown, |r| May::Float(r.abs())),
            Node::Rounded(op, m, a, b) => match pair(*a, *b) {
                Some((x, y)) => May::Float(match op {
                    Rounded::Add => x.add(&y, mode(*m)),
                    Rounded::Mul => x.mul(&y, mode(*m)),
                    Rounded::Div => self.quotient(may, (*a, &x), (*b, &y), mode(*m)),
                }),
                None => May::Unknown,
            },
            Node::Sqrt(m, a) => float(*a).map_or(May::Unknown, |r| May::Float(r.sqrt(mode(*m)))),
            Node::Integral(m, a) => {
                float(*a).map_or(May::Unknown, |r| May::Float(r.round_to_integral(mode(*m))))
            }
            Node::Convert(format, m, a) => float(*a)
                .map_or(May::Float(Range::full(*format)), |r| May::Float(r.convert(mode(*m), *format))),
            Node::Min(a, b) => pair(*a, *b).map_or(May::Unknown, |(x, y)| May::Float(x.min(&y))),
            Node::Max(a, b) => pair(*a, *b).map_or(May::Unknown, |(x, y)| May::Float(x.max(&y))),
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

    fn refuted(&mut self, sides: &[Side]) -> bool {
        let may = self.evaluate(sides, None);
        // Every node has some value, so one that has none left is a contradiction too.
        may.iter().any(|m| matches!(m, May::Float(r) if r.is_empty() && !r.nan))
            || self.program.roots.iter().any(|&r| matches!(may[r], May::Bool(false, _)))
    }

    /// Takes parts off the sides that are refuted by themselves; false if nothing is left.
    fn shave(&mut self, sides: &mut [Side], depth: u32) -> bool {
        for v in 0..sides.len() {
            let Side::Range(range) = sides[v] else { continue };
            let mut range = range;
            let part = |boxes: &mut Self, sides: &mut [Side], part: Range| {
                sides[v] = Side::Range(part);
                boxes.refuted(sides)
            };
            if range.nan && !range.is_empty() && part(self, sides, Range { lo: 0, hi: -1, ..range }) {
                range.nan = false;
            }
            if range.nan && !range.is_empty() && part(self, sides, Range { nan: false, ..range }) {
                (range.lo, range.hi) = (0, -1);
            }
            for upper in [false, true] {
                let mut share = 1;
                let mut trials = 0;
                while share <= depth && trials < MAX_TRIALS && !range.is_empty() && !range.nan {
                    trials += 1;
                    let width = (range.hi as i128 - range.lo as i128) >> share;
                    let width = width as i64;
                    let piece = if upper {
                        Range { lo: range.hi - width, ..range }
                    } else {
                        Range { hi: range.lo + width, ..range }
                    };
                    if part(self, sides, piece) {
                        if upper {
                            range.hi = piece.lo - 1;
                        } else {
                            range.lo = piece.hi + 1;
                        }
                        // Behind an obstacle there may be room for larger steps again.
                        share = (share - 1).max(1);
                    } else {
                        share += 1;
                        if width == 0 {
                            break;
                        }
                    }
                }
            }
            sides[v] = Side::Range(range);
            if range.is_empty() && !range.nan {
                return false;
            }
        }
        true
    }

    fn search(
        &mut self,
        arena: &Arena,
        state: &mut State<'_>,
        variables: &[(Symbol, Sort)],
        conjuncts: &[Term],
        sides: Vec<Side>,
    ) -> Outcome {
        let mut complete = true;
        let mut root = sides.clone();
        let mut count = 0;
        let mut stack = vec![(sides, 64)];
        let cost = self.program.nodes.len() as u64;
        let floor = state.steps / 2;
        // Half of the time is for other means.
        let now = Instant::now();
        let deadline = now + state.deadline.saturating_duration_since(now) / 2;
        while let Some((mut sides, depth)) = stack.pop() {
            state.steps = state.steps.saturating_sub(std::mem::take(&mut self.evaluations) * cost);
            if state.spent() || state.steps < floor || Instant::now() > deadline {
                return Outcome::Open;
            }
            if self.refuted(&sides) || !self.shave(&mut sides, depth) {
                continue;
            }
            for sample in samples(&sides) {
                if self.refuted(&sample) {
                    continue;
                }
                if solves(arena, state, variables, conjuncts, &sample) == Some(true) {
                    return Outcome::Solved;
                }
            }
            if depth == 64 {
                // What one side lost may take something off another.
                if !(0..3).all(|_| self.shave(&mut sides, depth)) {
                    continue;
                }
                root = sides.clone();
            }
            count += 1;
            if count == DIVE_AFTER && self.dive(arena, state, variables, conjuncts, &root) {
                return Outcome::Solved;
            }
            match split(&sides) {
                Some((a, b)) => stack.extend([(b, 3), (a, 3)]),
                None => complete &= solves(arena, state, variables, conjuncts, &sides) == Some(false),
            }
        }
        if complete { Outcome::Refuted } else { Outcome::Open }
    }

    /// Tries random points: one constant after the other is fixed, and the others narrowed to what is left for them.
    fn dive(
        &mut self,
        arena: &Arena,
        state: &mut State<'_>,
        variables: &[(Symbol, Sort)],
        conjuncts: &[Term],
        sides: &[Side],
    ) -> bool {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let now = Instant::now();
        let deadline = now + state.deadline.saturating_duration_since(now) / 4;
        for n in 0..DIVES {
            if Instant::now() > deadline {
                return false;
            }
            let mut point = sides.to_vec();
            let mut alive = true;
            for i in 0..point.len() {
                let v = (i + n as usize) % point.len();
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let chance = random >> 16;
                point[v] = match &point[v] {
                    Side::Values(values) => {
                        Side::Values(vec![values[chance as usize % values.len()].clone()])
                    }
                    Side::Range(r) if r.is_empty() => continue,
                    Side::Range(r) => {
                        let width = (r.hi as i128 - r.lo as i128 + 1) as u128;
                        let p = (r.lo as i128
                            + (u128::from(chance) << 16 | u128::from(n)) as i128 % width as i128)
                            as i64;
                        Side::Range(Range { lo: p, hi: p, nan: false, ..*r })
                    }
                };
                if self.refuted(&point) || !self.shave(&mut point, 64) {
                    alive = false;
                    break;
                }
            }
            if alive && solves(arena, state, variables, conjuncts, &point) == Some(true) {
                return true;
            }
        }
        false
    }
}

fn no_nan(may: &May) -> bool {
    matches!(may, May::Float(r) if !r.nan)
}

/// Points of a box.
fn samples(sides: &[Side]) -> Vec<Vec<Side>> {
    let pick = |choose: &dyn Fn(usize, &Range) -> i64| {
        let side = |(i, s): (usize, &Side)| match s {
            Side::Range(r) if r.is_empty() => s.clone(),
            Side::Range(r) => {
                let p = choose(i, r).clamp(r.lo, r.hi);
                Side::Range(Range { lo: p, hi: p, nan: false, ..*r })
            }
            Side::Values(values) => Side::Values(values[..1].to_vec()),
        };
        sides.iter().enumerate().map(side).collect()
    };
    let middle = |r: &Range| ((r.lo as i128 + r.hi as i128) / 2) as i64;
    vec![
        pick(&|_, r| middle(r)),
        pick(&|_, r| r.lo),
        pick(&|_, r| r.hi),
        pick(&|i, r| if i % 2 == 0 { r.lo } else { r.hi }),
        pick(&|i, r| if i % 2 == 1 { r.lo } else { r.hi }),
    ]
}

/// Two halves of a box; none of a point.
fn split(sides: &[Side]) -> Option<(Vec<Side>, Vec<Side>)> {
    let size = |s: &Side| match s {
        Side::Range(r) if r.nan && !r.is_empty() => f64::INFINITY,
        Side::Range(r) if r.hi <= r.lo => -1.0,
        Side::Range(r) => extent(r),
        Side::Values(values) if values.len() > 1 => f64::INFINITY,
        Side::Values(_) => -1.0,
    };
    let (v, _) = sides
        .iter()
        .enumerate()
        .map(|(i, s)| (i, size(s)))
        .filter(|s| s.1 >= 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let (a, b) = match &sides[v] {
        Side::Values(values) => {
            let (a, b) = values.split_at(values.len() / 2);
            (Side::Values(a.to_vec()), Side::Values(b.to_vec()))
        }
        Side::Range(r) if r.nan => {
            (Side::Range(Range { nan: false, ..*r }), Side::Range(Range { lo: 0, hi: -1, ..*r }))
        }
        Side::Range(r) => {
            let middle = if r.lo < 0 && r.hi >= 0 { -1 } else { ((r.lo as i128 + r.hi as i128) >> 1) as i64 };
            (Side::Range(Range { hi: middle, ..*r }), Side::Range(Range { lo: middle + 1, ..*r }))
        }
    };
    let with = |side: Side| {
        let mut sides = sides.to_vec();
        sides[v] = side;
        sides
    };
    Some((with(a), with(b)))
}

/// How far the ends of a range are apart, about.
fn extent(r: &Range) -> f64 {
    let number = |p: i64| -> f64 {
        let bits = at(r.format, p).canonical_bits().to_u64().unwrap_or(0);
        match (r.format.eb(), r.format.sb()) {
            (8, 24) => f64::from(f32::from_bits(bits as u32)),
            (11, 53) => f64::from_bits(bits),
            _ => p as f64,
        }
    };
    let extent = number(r.hi) - number(r.lo);
    if extent.is_nan() { f64::MAX } else { extent }
}

/// Whether the only point of a box is a solution: it is assigned then.
fn solves(
    arena: &Arena,
    state: &mut State<'_>,
    variables: &[(Symbol, Sort)],
    conjuncts: &[Term],
    sides: &[Side],
) -> Option<bool> {
    for ((name, _), side) in variables.iter().zip(sides) {
        let value = match side {
            Side::Range(r) => Value::Float(r.single()?),
            Side::Values(values) => values.first()?.clone(),
        };
        state.interpretation.assign(*name, Meaning::Value(value));
    }
    let mut result = Some(true);
    for &c in conjuncts {
        match state.holds(arena, c).0 {
            Ok(true) => {}
            Ok(false) => {
                result = Some(false);
                break;
            }
            Err(_) => result = None,
        }
    }
    if result != Some(true) {
        variables.iter().for_each(|v| state.interpretation.clear(v.0));
    }
    result
}
