//! Ranges of floats of at most 64 bits: all floats between two ends, with or without NaN.
//!
//! Ends are positions in the order `-oo .. -0, +0 .. +oo`, so a range can be cut at any place. Operations enclose
//! every result. Rounding is monotone, so the results at the ends suffice; zeros at the ends count with both signs.

use super::{Float, Format, RoundingMode};
use crate::BitVec;

/// A class of floats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // these are the classes of `fp.isNaN`, `fp.isInfinite` and so on
pub enum Class {
    Nan,
    Infinite,
    Zero,
    Normal,
    Subnormal,
    Negative,
    Positive,
}

/// A set of floats of one format.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub(crate) format: Format,
    pub(crate) lo: i64,
    /// Below `lo`: no number at all.
    pub(crate) hi: i64,
    pub(crate) nan: bool,
}

/// The position of a float that is not NaN.
pub(crate) fn position(f: &Float) -> i64 {
    let bits = f.canonical_bits().to_u64().unwrap_or(0);
    let top = 1u64 << (f.format().width() - 1);
    let magnitude = (bits & (top - 1)) as i64;
    if bits & top != 0 { -magnitude - 1 } else { magnitude }
}

/// The float at a position.
pub(crate) fn at(format: Format, position: i64) -> Float {
    let top = 1u64 << (format.width() - 1);
    let bits = if position < 0 { top | (-(position + 1)) as u64 } else { position as u64 };
    Float::from_ieee(format, &BitVec::new(format.width(), bits)).unwrap_or_else(|| Float::nan(format))
}

/// Both zeros are one number.
fn number(position: i64) -> i64 {
    if position == -1 { 0 } else { position }
}

const DOWN: RoundingMode = RoundingMode::Rtn;
const UP: RoundingMode = RoundingMode::Rtp;

impl Range {
    pub(crate) fn full(format: Format) -> Range {
        let infinity = position(&Float::infinity(format, false));
        Range { format, lo: -infinity - 1, hi: infinity, nan: true }
    }

    /// The set of one float.
    pub fn point(f: &Float) -> Range {
        let format = f.format();
        if f.is_nan() {
            return Range { format, lo: 0, hi: -1, nan: true };
        }
        Range { format, lo: position(f), hi: position(f), nan: false }
    }

    /// All numbers between two, in the order of `fp.leq`, for which both zeros are one; `None` if an end is NaN or the
    /// format has more than 64 bits.
    pub fn between(low: &Float, high: &Float) -> Option<Range> {
        let possible = low.format().width() <= 64 && !low.is_nan() && !high.is_nan();
        possible.then(|| Range::hull(low.format(), &[low.clone(), high.clone()], false))
    }

    /// Whether a member may be of a class, and may not be of it.
    pub fn is(&self, class: Class) -> (bool, bool) {
        let oo = self.infinity();
        let normal = 1i64 << (self.format.sb() - 1);
        // By positions of the positive part; the negative one is its mirror image.
        let (lo, hi) = match class {
            Class::Nan => return (self.nan, !self.is_empty()),
            Class::Infinite => (oo, oo),
            Class::Zero => (0, 0),
            Class::Normal => (normal, oo - 1),
            Class::Subnormal => (1, normal - 1),
            Class::Positive => {
                return (self.overlaps(0, oo), self.nan || self.is_empty() || !self.within(0, oo));
            }
            Class::Negative => {
                return (
                    self.overlaps(-oo - 1, -1),
                    self.nan || self.is_empty() || !self.within(-oo - 1, -1),
                );
            }
        };
        let (mirror_lo, mirror_hi) = (-hi - 1, -lo - 1);
        let may = self.overlaps(lo, hi) || self.overlaps(mirror_lo, mirror_hi);
        let inside = self.within(lo, hi)
            || self.within(mirror_lo, mirror_hi)
            || class == Class::Zero && self.within(-1, 0);
        (may, self.nan || self.is_empty() || !inside)
    }

    /// Whether NaN is a member.
    pub fn has_nan(&self) -> bool {
        self.nan
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lo > self.hi
    }

    /// The only member.
    pub(crate) fn single(&self) -> Option<Float> {
        match (self.nan, self.is_empty()) {
            (true, true) => Some(Float::nan(self.format)),
            (false, false) if self.lo == self.hi => Some(at(self.format, self.lo)),
            _ => None,
        }
    }

    /// The least and the greatest number of a range that has one.
    pub fn ends(&self) -> [Float; 2] {
        [at(self.format, self.lo), at(self.format, self.hi)]
    }

    pub(crate) fn overlaps(&self, lo: i64, hi: i64) -> bool {
        !self.is_empty() && self.lo <= hi && lo <= self.hi
    }

    pub(crate) fn within(&self, lo: i64, hi: i64) -> bool {
        self.is_empty() || lo <= self.lo && self.hi <= hi
    }

    pub(crate) fn infinity(&self) -> i64 {
        position(&Float::infinity(self.format, false))
    }

    pub(crate) fn may_be_zero(&self) -> bool {
        self.overlaps(-1, 0)
    }

    pub(crate) fn may_be_infinite(&self) -> bool {
        let oo = self.infinity();
        self.overlaps(oo, oo) || self.overlaps(-oo - 1, -oo - 1)
    }

    /// What is in one of two.
    pub fn join(&self, other: &Range) -> Range {
        let nan = self.nan || other.nan;
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Range { nan, ..*other },
            (_, true) => Range { nan, ..*self },
            _ => Range { nan, lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), ..*self },
        }
    }

    /// Encloses corners; NaN among them is left out.
    fn hull(format: Format, corners: &[Float], nan: bool) -> Range {
        let mut range = Range { format, lo: i64::MAX, hi: i64::MIN, nan };
        for c in corners.iter().filter(|c| !c.is_nan()) {
            range.lo = range.lo.min(position(c));
            range.hi = range.hi.max(position(c));
        }
        if range.lo > range.hi {
            return Range { format, lo: 0, hi: -1, nan };
        }
        if range.lo == 0 {
            range.lo = -1;
        }
        if range.hi == -1 {
            range.hi = 0;
        }
        range
    }

    fn zeros(&self) -> Range {
        Range { format: self.format, lo: -1, hi: 0, nan: false }
    }

    /// Of `fp.neg`.
    pub fn neg(&self) -> Range {
        if self.is_empty() { *self } else { Range { lo: -self.hi - 1, hi: -self.lo - 1, ..*self } }
    }

    /// Of `fp.abs`.
    pub fn abs(&self) -> Range {
        match self {
            _ if self.is_empty() || self.lo >= 0 => *self,
            _ if self.hi < 0 => self.neg(),
            _ => Range { lo: 0, hi: self.hi.max(-self.lo - 1), ..*self },
        }
    }

    /// A monotone function of one float.
    fn monotone(
        &self,
        mode: Option<RoundingMode>,
        format: Format,
        f: impl Fn(&Float, RoundingMode) -> Float,
    ) -> Range {
        if let (Some(x), Some(mode)) = (self.single(), mode) {
            return Range::point(&f(&x, mode));
        }
        if self.is_empty() {
            return Range { format, ..*self };
        }
        let [lo, hi] = self.ends();
        Range::hull(format, &[f(&lo, mode.unwrap_or(DOWN)), f(&hi, mode.unwrap_or(UP))], self.nan)
    }

    /// Of `to_fp`. Here and below, `None` stands for any rounding mode.
    pub fn convert(&self, mode: Option<RoundingMode>, format: Format) -> Range {
        self.monotone(mode, format, |x, m| x.to_format(format, m))
    }

    /// Of `fp.roundToIntegral`.
    pub fn round_to_integral(&self, mode: Option<RoundingMode>) -> Range {
        self.monotone(mode, self.format, |x, m| x.round_to_integral(m))
    }

    /// Of `fp.sqrt`.
    pub fn sqrt(&self, mode: Option<RoundingMode>) -> Range {
        // Negative numbers have none; -0 has itself.
        let domain =
            Range { lo: self.lo.max(-1), nan: self.nan || self.lo < -1 && !self.is_empty(), ..*self };
        if domain.is_empty() {
            return Range { lo: 0, hi: -1, ..domain };
        }
        domain.monotone(mode, self.format, |x, m| x.sqrt(m))
    }

    /// Sum, product or quotient; `nan` says whether numbers in the ranges can give NaN.
    fn corners(
        &self,
        other: &Range,
        mode: Option<RoundingMode>,
        nan: bool,
        f: impl Fn(&Float, &Float, RoundingMode) -> Float,
    ) -> Range {
        if let (Some(x), Some(y), Some(mode)) = (self.single(), other.single(), mode) {
            return Range::point(&f(&x, &y, mode));
        }
        let nan = nan || self.nan || other.nan;
        if self.is_empty() || other.is_empty() {
            return Range { lo: 0, hi: -1, nan, format: self.format };
        }
        let modes = mode.map_or(vec![DOWN, UP], |m| vec![m]);
        let mut all = Vec::with_capacity(8);
        for x in self.ends() {
            for y in other.ends() {
                all.extend(modes.iter().map(|&m| f(&x, &y, m)));
            }
        }
        Range::hull(self.format, &all, nan)
    }

    /// Of `fp.add`.
    pub fn add(&self, other: &Range, mode: Option<RoundingMode>) -> Range {
        let oo = self.infinity();
        let nan = self.overlaps(oo, oo) && other.overlaps(-oo - 1, -oo - 1)
            || self.overlaps(-oo - 1, -oo - 1) && other.overlaps(oo, oo);
        let range = self.corners(other, mode, nan, |x, y, m| x.add(m, y));
        // Opposite infinities at one end give NaN there, which hides the sums next to them.
        if nan && !self.is_empty() && !other.is_empty() {
            return Range { lo: -oo - 1, hi: oo, ..range };
        }
        range
    }

    /// Of `fp.mul`.
    pub fn mul(&self, other: &Range, mode: Option<RoundingMode>) -> Range {
        let nan =
            self.may_be_zero() && other.may_be_infinite() || self.may_be_infinite() && other.may_be_zero();
        let product = self.corners(other, mode, nan, |x, y, m| x.mul(m, y));
        // Corners that are NaN hide the zeros next to them.
        let hidden = nan && (self.single().is_none() || other.single().is_none());
        if hidden { product.join(&self.zeros()) } else { product }
    }

    /// Of `fp.div`.
    pub fn div(&self, other: &Range, mode: Option<RoundingMode>) -> Range {
        let nan =
            self.may_be_zero() && other.may_be_zero() || self.may_be_infinite() && other.may_be_infinite();
        // By divisors of one sign at a time.
        let quotient = |d: Range| {
            let quotient = self.corners(&d, mode, nan, |x, y, m| x.div(m, y));
            let hidden = nan && (self.single().is_none() || d.single().is_none());
            if hidden { quotient.join(&self.zeros()) } else { quotient }
        };
        if other.overlaps(i64::MIN, -1) && other.overlaps(0, i64::MAX) {
            let below = quotient(Range { hi: -1, ..*other });
            below.join(&quotient(Range { lo: 0, ..*other }))
        } else {
            quotient(*other)
        }
    }

    /// Of `fp.fma`; known only where all three are finite.
    pub fn fma(&self, other: &Range, sum: &Range, mode: Option<RoundingMode>) -> Range {
        if [self, other, sum].iter().any(|r| r.nan || r.is_empty() || r.may_be_infinite()) {
            return Range::full(self.format);
        }
        let mut all = Vec::with_capacity(16);
        for x in self.ends() {
            for y in other.ends() {
                for z in sum.ends() {
                    let modes = mode.map_or([DOWN, UP], |m| [m, m]);
                    all.extend(modes.map(|m| x.fma(m, &y, &z)));
                }
            }
        }
        Range::hull(self.format, &all, false)
    }

    /// Of `fp.min`; of two zeros it may be either.
    pub fn min(&self, other: &Range) -> Range {
        let nan = self.nan && other.nan;
        let mut range = match (self.is_empty(), other.is_empty()) {
            (true, _) => Range { nan, ..*other },
            (_, true) => Range { nan, ..*self },
            _ => Range { nan, lo: self.lo.min(other.lo), hi: self.hi.min(other.hi), ..*self },
        };
        // Where one may be NaN, the other is the result.
        if self.nan && !other.is_empty() {
            range.hi = range.hi.max(other.hi);
        }
        if other.nan && !self.is_empty() {
            range.hi = range.hi.max(self.hi);
        }
        // Of two zeros either may be.
        if range.lo == 0 {
            range.lo = -1;
        }
        if range.hi == -1 && !range.is_empty() {
            range.hi = 0;
        }
        range
    }

    /// Of `fp.max`.
    pub fn max(&self, other: &Range) -> Range {
        self.neg().min(&other.neg()).neg()
    }

    /// Whether `self < other` may hold, and may fail.
    pub(crate) fn lt(&self, other: &Range) -> (bool, bool) {
        let numbers = !self.is_empty() && !other.is_empty();
        let may = numbers && number(self.lo) < number(other.hi);
        let must = numbers && !self.nan && !other.nan && number(self.hi) < number(other.lo);
        (may, !must)
    }

    /// The same for `self <= other`.
    pub(crate) fn le(&self, other: &Range) -> (bool, bool) {
        let numbers = !self.is_empty() && !other.is_empty();
        let may = numbers && number(self.lo) <= number(other.hi);
        let must = numbers && !self.nan && !other.nan && number(self.hi) <= number(other.lo);
        (may, !must)
    }

    /// The same for IEEE equality.
    pub(crate) fn ieee_eq(&self, other: &Range) -> (bool, bool) {
        let numbers = !self.is_empty() && !other.is_empty();
        let may = numbers && number(self.lo) <= number(other.hi) && number(other.lo) <= number(self.hi);
        let one = |r: &Range| !r.nan && !r.is_empty() && number(r.lo) == number(r.hi);
        let must = one(self) && one(other) && number(self.lo) == number(other.lo);
        (may, !must)
    }

    /// The same for `=`.
    pub(crate) fn equal(&self, other: &Range) -> (bool, bool) {
        let may = self.nan && other.nan
            || !self.is_empty() && !other.is_empty() && self.lo <= other.hi && other.lo <= self.hi;
        let must = matches!((self.single(), other.single()), (Some(a), Some(b)) if a == b);
        (may, !must)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(r: &Range) -> Vec<Float> {
        let numbers = (r.lo..=r.hi).map(|p| at(r.format, p));
        numbers.chain(r.nan.then(|| Float::nan(r.format))).collect()
    }

    fn has(r: &Range, f: &Float) -> bool {
        if f.is_nan() { r.nan } else { r.lo <= position(f) && position(f) <= r.hi }
    }

    /// Every range of a format with ends that are `step` apart, with and without NaN.
    fn ranges(format: Format, step: usize) -> Vec<Range> {
        let full = Range::full(format);
        let mut out = vec![Range { lo: 0, hi: -1, ..full }];
        for lo in (full.lo..=full.hi).step_by(step) {
            for hi in (lo..=full.hi).step_by(step) {
                out.extend([true, false].map(|nan| Range { format, lo, hi, nan }));
            }
        }
        // Ends at zeros and infinities, for any step.
        for (lo, hi) in
            [(-1, 0), (0, full.hi), (full.lo, -1), (full.hi, full.hi), (-1, full.hi), (full.lo, full.hi)]
        {
            out.push(Range { format, lo, hi, nan: false });
        }
        out
    }

    fn modes() -> Vec<(Option<RoundingMode>, Vec<RoundingMode>)> {
        let all: Vec<RoundingMode> = RoundingMode::ALL.iter().map(|m| m.0).collect();
        all.iter().map(|&m| (Some(m), vec![m])).chain([(None, all.clone())]).collect()
    }

    #[test]
    fn positions_are_the_order_of_floats() {
        let format = Format::new(3, 3).unwrap();
        let full = Range::full(format);
        for p in full.lo..=full.hi {
            assert_eq!(position(&at(format, p)), p);
            if p > full.lo && p != 0 {
                assert!(at(format, p - 1).ieee_lt(&at(format, p)), "{p}");
            }
        }
    }

    #[test]
    fn operations_on_ranges_enclose_those_on_members() {
        let format = Format::new(2, 3).unwrap();
        let other = Format::new(3, 4).unwrap();
        for a in ranges(format, 3) {
            for f in members(&a) {
                assert!(has(&a.neg(), &f.neg()) && has(&a.abs(), &f.abs()), "{a:?}");
                for (mode, all) in modes() {
                    for m in all {
                        assert!(has(&a.sqrt(mode), &f.sqrt(m)), "sqrt {a:?} {f}");
                        assert!(has(&a.round_to_integral(mode), &f.round_to_integral(m)), "{a:?} {f}");
                        assert!(has(&a.convert(mode, other), &f.to_format(other, m)), "{a:?} {f}");
                    }
                }
            }
            for b in ranges(format, 5) {
                let may = [a.lt(&b), a.le(&b), a.ieee_eq(&b), a.equal(&b)];
                for x in members(&a) {
                    for y in members(&b) {
                        let is = [x.ieee_lt(&y), x.ieee_le(&y), x.ieee_eq(&y), x == y];
                        for ((t, f), is) in may.iter().zip(is) {
                            assert!(if is { *t } else { *f }, "{a:?} {b:?} {x} {y}");
                        }
                        let zeros = [Float::zero(format, false), Float::zero(format, true)];
                        let open = |r: Result<Float, crate::Gap>| r.map_or(zeros.to_vec(), |f| vec![f]);
                        assert!(
                            open(x.minimum(&y)).iter().all(|f| has(&a.min(&b), f)),
                            "min {a:?} {b:?} {x} {y}"
                        );
                        assert!(
                            open(x.maximum(&y)).iter().all(|f| has(&a.max(&b), f)),
                            "max {a:?} {b:?} {x} {y}"
                        );
                    }
                }
                for (mode, all) in modes() {
                    let (sum, product, quotient) = (a.add(&b, mode), a.mul(&b, mode), a.div(&b, mode));
                    for x in members(&a) {
                        for y in members(&b) {
                            for &m in &all {
                                assert!(has(&sum, &x.add(m, &y)), "{a:?} + {b:?}: {x} {y}");
                                assert!(has(&product, &x.mul(m, &y)), "{a:?} * {b:?}: {x} {y}");
                                assert!(has(&quotient, &x.div(m, &y)), "{a:?} / {b:?}: {x} {y}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_of_fma_enclose_those_of_members() {
        let format = Format::new(2, 3).unwrap();
        // The others are not narrowed.
        let few: Vec<Range> =
            ranges(format, 7).into_iter().filter(|r| !r.nan && !r.may_be_infinite()).collect();
        for a in &few {
            for b in &few {
                for c in &few {
                    for (mode, all) in modes() {
                        let range = a.fma(b, c, mode);
                        for (x, y, z) in triples(a, b, c) {
                            let fits = |m: &RoundingMode| has(&range, &x.fma(*m, &y, &z));
                            assert!(all.iter().all(fits), "{a:?} {b:?} {c:?} {x} {y} {z}");
                        }
                    }
                }
            }
        }
    }

    fn triples(a: &Range, b: &Range, c: &Range) -> Vec<(Float, Float, Float)> {
        let mut all = Vec::new();
        for x in members(a) {
            for y in members(b) {
                all.extend(members(c).into_iter().map(|z| (x.clone(), y.clone(), z)));
            }
        }
        all
    }

    #[test]
    fn classes_and_numbers_between_two_are_those_of_members() {
        let format = Format::new(2, 3).unwrap();
        let tests: [(Class, fn(&Float) -> bool); 7] = [
            (Class::Nan, Float::is_nan),
            (Class::Infinite, Float::is_infinite),
            (Class::Zero, Float::is_zero),
            (Class::Normal, Float::is_normal),
            (Class::Subnormal, Float::is_subnormal),
            (Class::Negative, Float::is_negative),
            (Class::Positive, Float::is_positive),
        ];
        let floats = members(&Range::full(format));
        for r in ranges(format, 1) {
            for (class, test) in tests {
                let (may, may_not) = r.is(class);
                assert!(members(&r).iter().all(|f| if test(f) { may } else { may_not }), "{class:?} {r:?}");
            }
        }
        for low in &floats {
            for high in &floats {
                let Some(r) = Range::between(low, high).filter(|_| low.ieee_le(high)) else { continue };
                assert!(
                    floats.iter().all(|f| !(low.ieee_le(f) && f.ieee_le(high)) || has(&r, f)),
                    "{low} {high}"
                );
            }
        }
    }

    /// The rules about order that hold between terms and not between their ranges.
    #[test]
    fn rules_of_order_hold_for_all_floats_of_small_formats() {
        for (eb, sb) in [(2, 3), (3, 3), (3, 4)] {
            let format = Format::new(eb, sb).unwrap();
            let all = members(&Range::full(format));
            let zero = Float::zero(format, false);
            let number = |n: i64| Float::from_int(format, RoundingMode::Rne, &crate::Int::from(n));
            let (one, two) = (number(1), number(2));
            for x in &all {
                for y in &all {
                    for (m, ..) in RoundingMode::ALL {
                        // A sum against zero is its terms against each other.
                        let sum = x.add(m, y);
                        assert_eq!(sum.ieee_lt(&zero), x.ieee_lt(&y.neg()));
                        assert_eq!(zero.ieee_lt(&sum), y.neg().ieee_lt(x));
                        // A zero changes no number.
                        for z in [&zero, &zero.neg()] {
                            assert_eq!(x.add(m, z).compare(y), x.compare(y));
                        }
                        // Quotients of ordered numbers are at most one.
                        let ordered = x.ieee_le(y);
                        if ordered && !x.is_negative() && position(y) >= 1 {
                            let quotient = x.div(m, y);
                            assert!(quotient.is_nan() || quotient.ieee_le(&one), "{x} {y}");
                        }
                        // Means lie between.
                        let nearest = matches!(m, RoundingMode::Rne | RoundingMode::Rna);
                        if nearest
                            && ordered
                            && !sum.is_nan()
                            && !sum.is_infinite()
                            && two.compare(&one).is_some()
                        {
                            let mean = sum.div(m, &two);
                            assert!(x.ieee_le(&mean) && mean.ieee_le(y), "{x} {y} {mean}");
                        }
                    }
                }
            }
        }
    }
}
