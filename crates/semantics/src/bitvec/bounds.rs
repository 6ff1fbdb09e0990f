//! Bounds of bit-vectors: known bits, and an unsigned interval.
//!
//! Bounds may be too wide, but they never exclude a possible value.

use super::BitVec;

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Which bits are known.
    pub known: BitVec,
    /// Their values; zero where nothing is known.
    pub ones: BitVec,
    /// The least value.
    pub low: BitVec,
    /// The greatest value.
    pub high: BitVec,
}

impl Bounds {
    /// All values of a width.
    pub fn any(width: u32) -> Bounds {
        let (zero, ones) = (BitVec::zero(width), BitVec::ones(width));
        Bounds { known: zero.clone(), ones: zero.clone(), low: zero, high: ones }
    }

    /// One value.
    pub fn exactly(value: &BitVec) -> Bounds {
        let known = BitVec::ones(value.width());
        Bounds { known, ones: value.clone(), low: value.clone(), high: value.clone() }
    }

    /// All values with these bits, where `known` has a one.
    pub fn bits(known: BitVec, ones: BitVec) -> Bounds {
        Bounds { ones: ones.bvand(&known), known, ..Bounds::any(ones.width()) }.settled()
    }

    /// All values between two.
    pub fn interval(low: BitVec, high: BitVec) -> Bounds {
        let zero = BitVec::zero(low.width());
        Bounds { known: zero.clone(), ones: zero, low, high }.settled()
    }

    /// The width of the values.
    pub fn width(&self) -> u32 {
        self.low.width()
    }

    /// Narrows the interval by the known bits, and the bits by the interval.
    fn settled(mut self) -> Bounds {
        // The least and the greatest value with these bits.
        let least = self.ones.clone();
        let greatest = self.ones.bvor(&self.known.bvnot());
        if self.low.bvult(&least) {
            self.low = least;
        }
        if greatest.bvult(&self.high) {
            self.high = greatest;
        }
        // The leading bits that both ends have in common.
        let differ = self.low.bvxor(&self.high);
        for i in (0..self.width()).rev() {
            if differ.bit(i) {
                break;
            }
            let bit = BitVec::new(self.width(), 1).rotate_left(i);
            self.known = self.known.bvor(&bit);
            self.ones = self.ones.bvor(&self.low.bvand(&bit));
        }
        self
    }

    fn both(&self, other: &Bounds) -> BitVec {
        self.known.bvand(&other.known)
    }

    /// Of `bvnot`.
    pub fn not(&self) -> Bounds {
        let ones = self.ones.bvnot().bvand(&self.known);
        Bounds { known: self.known.clone(), ones, low: self.high.bvnot(), high: self.low.bvnot() }.settled()
    }

    /// Of `bvand`.
    pub fn and(&self, other: &Bounds) -> Bounds {
        // A known zero decides.
        let zeros = |b: &Bounds| b.known.bvand(&b.ones.bvnot());
        let known = self.both(other).bvor(&zeros(self)).bvor(&zeros(other));
        Bounds::bits(known, self.ones.bvand(&other.ones))
    }

    /// Of `bvor`.
    pub fn or(&self, other: &Bounds) -> Bounds {
        self.not().and(&other.not()).not()
    }

    /// Of `bvxor`.
    pub fn xor(&self, other: &Bounds) -> Bounds {
        Bounds::bits(self.both(other), self.ones.bvxor(&other.ones))
    }

    /// Sum: the low bits up to the first unknown one, and the interval if no sum overflows.
    pub fn add(&self, other: &Bounds) -> Bounds {
        let known = trailing_ones(&self.both(other));
        let low = Bounds::bits(known, self.ones.bvadd(&other.ones));
        if self.high.bvuaddo(&other.high) {
            return low;
        }
        Bounds { low: self.low.bvadd(&other.low), high: self.high.bvadd(&other.high), ..low }.settled()
    }

    /// Product: the interval if nothing overflows.
    pub fn mul(&self, other: &Bounds) -> Bounds {
        let known = trailing_ones(&self.both(other));
        let low = Bounds::bits(known, self.ones.bvmul(&other.ones));
        if self.high.bvumulo(&other.high) {
            return low;
        }
        Bounds { low: self.low.bvmul(&other.low), high: self.high.bvmul(&other.high), ..low }.settled()
    }

    /// Quotient by something that is never zero.
    pub fn udiv(&self, other: &Bounds) -> Option<Bounds> {
        (!other.low.is_zero())
            .then(|| Bounds::interval(self.low.bvudiv(&other.high), self.high.bvudiv(&other.low)))
    }

    /// Remainder of a division by something that is never zero.
    pub fn urem(&self, other: &Bounds) -> Option<Bounds> {
        let below = other.high.bvsub(&BitVec::new(self.width(), 1));
        let high = if below.bvult(&self.high) { below } else { self.high.clone() };
        (!other.low.is_zero()).then(|| Bounds::interval(BitVec::zero(self.width()), high))
    }

    /// Shifted right by a known distance.
    pub fn lshr(&self, by: &BitVec) -> Bounds {
        let vacated = BitVec::ones(self.width()).bvlshr(by).bvnot();
        let known = self.known.bvlshr(by).bvor(&vacated);
        Bounds {
            low: self.low.bvlshr(by),
            high: self.high.bvlshr(by),
            ..Bounds::bits(known, self.ones.bvlshr(by))
        }
        .settled()
    }

    /// Shifted left by a known distance.
    pub fn shl(&self, by: &BitVec) -> Bounds {
        let vacated = BitVec::ones(self.width()).bvshl(by).bvnot();
        Bounds::bits(self.known.bvshl(by).bvor(&vacated), self.ones.bvshl(by))
    }

    /// What is within one of two bounds.
    pub fn join(&self, other: &Bounds) -> Bounds {
        let known = self.both(other).bvand(&self.ones.bvxnor(&other.ones));
        let low = if self.low.bvult(&other.low) { &self.low } else { &other.low };
        let high = if self.high.bvult(&other.high) { &other.high } else { &self.high };
        Bounds { low: low.clone(), high: high.clone(), ..Bounds::bits(known, self.ones.clone()) }.settled()
    }

    /// Of `concat`, with `low` below.
    pub fn concat(&self, low: &Bounds) -> Option<Bounds> {
        Some(Bounds {
            known: self.known.concat(&low.known).ok()?,
            ones: self.ones.concat(&low.ones).ok()?,
            low: self.low.concat(&low.low).ok()?,
            high: self.high.concat(&low.high).ok()?,
        })
    }

    /// Of `extract`.
    pub fn extract(&self, high: u32, low: u32) -> Option<Bounds> {
        Some(Bounds::bits(self.known.extract(high, low)?, self.ones.extract(high, low)?))
    }
}

/// The ones at the low end, and zeros above.
fn trailing_ones(b: &BitVec) -> BitVec {
    // Adding one carries through them.
    b.bvxor(&b.bvadd(&BitVec::new(b.width(), 1))).bvand(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(b: &Bounds, v: u64) -> bool {
        let v = BitVec::new(b.width(), v);
        v.bvand(&b.known) == b.ones && b.low.bvule(&v) && v.bvule(&b.high)
    }

    /// Bounds by bits and by an interval, from all pairs of values; of larger widths every `step`-th.
    fn some(width: u32, step: usize) -> Vec<Bounds> {
        let values = || (0..1 << width).map(|v| BitVec::new(width, v));
        let pairs = values().flat_map(|x| values().map(move |y| (x.clone(), y)));
        let both = |(x, y): (BitVec, BitVec)| [Bounds::interval(x.bvand(&y), x.bvor(&y)), Bounds::bits(x, y)];
        pairs.flat_map(both).step_by(step).collect()
    }

    #[test]
    fn bounds_hold_for_all_values_of_the_parts() {
        type Op = (fn(&Bounds, &Bounds) -> Option<Bounds>, fn(&BitVec, &BitVec) -> BitVec);
        let ops: [Op; 8] = [
            (|a, b| Some(a.and(b)), BitVec::bvand),
            (|a, b| Some(a.or(b)), BitVec::bvor),
            (|a, b| Some(a.xor(b)), BitVec::bvxor),
            (|a, b| Some(a.add(b)), BitVec::bvadd),
            (|a, b| Some(a.mul(b)), BitVec::bvmul),
            (Bounds::udiv, BitVec::bvudiv),
            (Bounds::urem, BitVec::bvurem),
            (|a, b| Some(a.join(b)), |a, _| a.clone()),
        ];
        let pairs = [(1, 1), (2, 1), (3, 3), (4, 19)].into_iter().flat_map(|(width, step)| {
            let all = some(width, step);
            let other = all.clone();
            all.into_iter().flat_map(move |a| other.clone().into_iter().map(move |b| (width, a.clone(), b)))
        });
        for (width, a, b) in pairs {
            for (bound, value) in &ops {
                let Some(c) = bound(&a, &b) else { continue };
                for x in (0..1 << width).filter(|x| contains(&a, *x)) {
                    for y in (0..1 << width).filter(|y| contains(&b, *y)) {
                        let z = value(&BitVec::new(width, x), &BitVec::new(width, y));
                        assert!(contains(&c, z.to_u64().unwrap()), "{a:?} {b:?} {x} {y} {c:?}");
                    }
                }
            }
            for x in (0..1 << width).filter(|x| contains(&a, *x)) {
                let v = BitVec::new(width, x);
                assert!(contains(&a.not(), v.bvnot().to_u64().unwrap()));
                for by in 0..width + 2 {
                    let by = BitVec::new(width, by.into());
                    assert!(contains(&a.lshr(&by), v.bvlshr(&by).to_u64().unwrap()));
                    assert!(contains(&a.shl(&by), v.bvshl(&by).to_u64().unwrap()));
                }
                assert!(contains(&a.extract(width - 1, 0).unwrap(), x));
                let y = (0..1 << width).find(|y| contains(&b, *y)).unwrap();
                let pair = v.concat(&BitVec::new(width, y)).unwrap();
                assert!(contains(&a.concat(&b).unwrap(), pair.to_u64().unwrap()));
            }
        }
    }
}
