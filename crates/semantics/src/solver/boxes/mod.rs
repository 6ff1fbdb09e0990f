//! Branch and prune over floats: formulas whose constants are floats, Booleans and rounding modes are refuted by
//! ranges.
//!
//! A box gives each constant a range. Evaluation over ranges encloses the possible values of each conjunct
//! ([`enclosure`]). A box in which a conjunct cannot be true is dropped; other boxes are cut in two. If no box is
//! left, there is no solution. On the way, points of boxes are tried as solutions; the evaluator checks them.

mod enclosure;
mod program;
mod side;

use std::collections::HashMap;

use smelt_smtlib::{Arena, Sort, Symbol, Term};

use self::enclosure::Enclosure;
use self::program::{Compiler, is_boxed};
use self::side::{Side, samples, split};
use super::search::Decision;
use super::state::State;
use crate::eval::{Meaning, all, format_of};
use crate::float::range::Range;
use crate::value::Value;

struct Boxes<'a, 's> {
    arena: &'a Arena,
    state: &'a mut State<'s>,
    variables: &'a [(Symbol, Sort)],
    conjuncts: &'a [Term],
    enclosure: Enclosure,
    /// The steps that must be left: they are for other methods.
    floor: u64,
}

/// How many parts of one side [`Boxes::shave`] tries to remove in one go.
const MAX_TRIALS: u32 = 400;
/// How many random points are tried, after this many boxes were cut.
const DIVES: u64 = 400;
const DIVE_AFTER: u64 = 1_500;

/// Tries to decide conjuncts whose free constants are `variables`: a solution is assigned. `None` if undecided.
pub(super) fn decide(
    arena: &Arena,
    state: &mut State<'_>,
    variables: &[(Symbol, Sort)],
    conjuncts: &[Term],
) -> Option<Decision> {
    let floats = variables.iter().any(|v| arena.float_format(v.1).is_some());
    if !floats || !variables.iter().all(|v| is_boxed(arena, v.1)) {
        return None;
    }
    let names: HashMap<Symbol, usize> = variables.iter().enumerate().map(|(i, v)| (v.0, i)).collect();
    let mut compiler = Compiler::new(arena, state, &names);
    if !conjuncts.iter().all(|&c| compiler.conjunct(c)) {
        return None;
    }
    compiler.join_denials();
    let program = compiler.program;
    let mut sides = Vec::new();
    for v in variables {
        sides.push(match format_of(arena, v.1) {
            Some(format) => Side::Range(Range::full(format)),
            None => Side::Values(state.domains.values(arena, v.1, 16)?),
        });
    }
    let enclosure = Enclosure::new(program, &sides, state.steps / 8);
    let floor = state.steps / 2;
    Boxes { arena, state, variables, conjuncts, enclosure, floor }.search(sides)
}

impl Boxes<'_, '_> {
    /// Whether a box has no solution.
    fn refutes(&mut self, sides: &[Side]) -> bool {
        let is_refuted = self.enclosure.refutes(sides);
        self.state.charge(self.enclosure.take_cost());
        is_refuted
    }

    fn spent(&self) -> bool {
        self.state.steps <= self.floor
    }

    /// Removes parts of sides that are refuted by themselves; false if nothing is left.
    fn shave(&mut self, sides: &mut [Side], depth: u32) -> bool {
        for v in 0..sides.len() {
            let Side::Range(range) = sides[v] else { continue };
            let mut range = range;
            let part = |boxes: &mut Self, sides: &mut [Side], part: Range| {
                sides[v] = Side::Range(part);
                boxes.refutes(sides)
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
                while share <= depth
                    && trials < MAX_TRIALS
                    && !range.is_empty()
                    && !range.nan
                    && !self.spent()
                {
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

    fn search(&mut self, sides: Vec<Side>) -> Option<Decision> {
        let mut complete = true;
        let mut root = sides.clone();
        let mut count = 0;
        let mut stack = vec![(sides, 64)];
        while let Some((mut sides, depth)) = stack.pop() {
            if self.spent() {
                return None;
            }
            if self.refutes(&sides) || !self.shave(&mut sides, depth) {
                continue;
            }
            for sample in samples(&sides) {
                if !self.refutes(&sample) && self.solves(&sample) == Some(true) {
                    return Some(Decision::Sat);
                }
            }
            if depth == 64 {
                // A part removed from one side may allow removing parts of another.
                if !(0..3).all(|_| self.shave(&mut sides, depth)) {
                    continue;
                }
                root = sides.clone();
            }
            count += 1;
            if count == DIVE_AFTER && self.dive(&root) {
                return Some(Decision::Sat);
            }
            match split(&sides) {
                Some((a, b)) => stack.extend([(b, 3), (a, 3)]),
                None => complete &= self.solves(&sides) == Some(false),
            }
        }
        complete.then_some(Decision::Unsat)
    }

    /// Tries random points: fixes one constant after the other, and narrows the others each time.
    fn dive(&mut self, sides: &[Side]) -> bool {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let least = self.state.steps - (self.state.steps - self.floor.min(self.state.steps)) / 4;
        for n in 0..DIVES {
            if self.state.steps <= least {
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
                if self.refutes(&point) || !self.shave(&mut point, 64) {
                    alive = false;
                    break;
                }
            }
            if alive && self.solves(&point) == Some(true) {
                return true;
            }
        }
        false
    }

    /// Whether the only point of a box is a solution; if so, it is assigned.
    fn solves(&mut self, sides: &[Side]) -> Option<bool> {
        for ((name, _), side) in self.variables.iter().zip(sides) {
            let value = match side {
                Side::Range(r) => Value::Float(r.single()?),
                Side::Values(values) => values.first()?.clone(),
            };
            self.state.interpretation.assign(*name, Meaning::Value(value));
        }
        let result = all(self.conjuncts.iter().map(|&c| self.state.holds(self.arena, c).0)).ok();
        if result != Some(true) {
            self.variables.iter().for_each(|v| self.state.interpretation.clear(v.0));
        }
        result
    }
}
