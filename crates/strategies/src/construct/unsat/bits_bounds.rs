//! Kernels from what is known of a bit-vector term: some of its bits, and an interval.
//!
//! A term is built from parts that assertions bound; what follows for the whole is computed on the way, and then
//! contradicted. Everything here says less than is true, never more.

use smelt_semantics::BitVec;

use crate::construct::corner;
use crate::construct::grow::Grower;
use crate::construct::operator::op;
use crate::construct::sort::Sort;
use crate::construct::term::Term;

/// What is known of a value.
#[derive(Clone, Debug)]
struct Bounds {
    /// Which bits are known.
    known: BitVec,
    /// Their values; zero where nothing is known.
    ones: BitVec,
    low: BitVec,
    high: BitVec,
}

impl Bounds {
    fn any(width: u32) -> Bounds {
        let (zero, ones) = (BitVec::zero(width), BitVec::ones(width));
        Bounds { known: zero.clone(), ones: zero.clone(), low: zero, high: ones }
    }

    fn exactly(value: &BitVec) -> Bounds {
        let known = BitVec::ones(value.width());
        Bounds { known, ones: value.clone(), low: value.clone(), high: value.clone() }
    }

    fn bits(known: BitVec, ones: BitVec) -> Bounds {
        Bounds { ones: ones.bvand(&known), known, ..Bounds::any(ones.width()) }.settled()
    }

    fn interval(low: BitVec, high: BitVec) -> Bounds {
        let zero = BitVec::zero(low.width());
        Bounds { known: zero.clone(), ones: zero, low, high }.settled()
    }

    fn width(&self) -> u32 {
        self.low.width()
    }

    /// With what bits say of the interval, and the interval of the bits.
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

    fn not(&self) -> Bounds {
        let ones = self.ones.bvnot().bvand(&self.known);
        Bounds { known: self.known.clone(), ones, low: self.high.bvnot(), high: self.low.bvnot() }.settled()
    }

    fn and(&self, other: &Bounds) -> Bounds {
        // A known zero decides.
        let zeros = |b: &Bounds| b.known.bvand(&b.ones.bvnot());
        let known = self.both(other).bvor(&zeros(self)).bvor(&zeros(other));
        Bounds::bits(known, self.ones.bvand(&other.ones))
    }

    fn or(&self, other: &Bounds) -> Bounds {
        self.not().and(&other.not()).not()
    }

    fn xor(&self, other: &Bounds) -> Bounds {
        Bounds::bits(self.both(other), self.ones.bvxor(&other.ones))
    }

    /// Sum: the low bits up to the first unknown one, and the interval if nothing is carried out.
    fn add(&self, other: &Bounds) -> Bounds {
        let known = trailing_ones(&self.both(other));
        let low = Bounds::bits(known, self.ones.bvadd(&other.ones));
        if self.high.bvuaddo(&other.high) {
            return low;
        }
        Bounds { low: self.low.bvadd(&other.low), high: self.high.bvadd(&other.high), ..low }.settled()
    }

    /// Product: the interval if nothing overflows.
    fn mul(&self, other: &Bounds) -> Bounds {
        let known = trailing_ones(&self.both(other));
        let low = Bounds::bits(known, self.ones.bvmul(&other.ones));
        if self.high.bvumulo(&other.high) {
            return low;
        }
        Bounds { low: self.low.bvmul(&other.low), high: self.high.bvmul(&other.high), ..low }.settled()
    }

    /// Quotient by something that is never zero.
    fn udiv(&self, other: &Bounds) -> Option<Bounds> {
        (!other.low.is_zero())
            .then(|| Bounds::interval(self.low.bvudiv(&other.high), self.high.bvudiv(&other.low)))
    }

    /// Rest of a division by something that is never zero.
    fn urem(&self, other: &Bounds) -> Option<Bounds> {
        let below = other.high.bvsub(&BitVec::new(self.width(), 1));
        let high = if below.bvult(&self.high) { below } else { self.high.clone() };
        (!other.low.is_zero()).then(|| Bounds::interval(BitVec::zero(self.width()), high))
    }

    /// Shifted right by a distance that is known.
    fn lshr(&self, by: &BitVec) -> Bounds {
        let vacated = BitVec::ones(self.width()).bvlshr(by).bvnot();
        let known = self.known.bvlshr(by).bvor(&vacated);
        Bounds {
            low: self.low.bvlshr(by),
            high: self.high.bvlshr(by),
            ..Bounds::bits(known, self.ones.bvlshr(by))
        }
        .settled()
    }

    fn shl(&self, by: &BitVec) -> Bounds {
        let vacated = BitVec::ones(self.width()).bvshl(by).bvnot();
        Bounds::bits(self.known.bvshl(by).bvor(&vacated), self.ones.bvshl(by))
    }

    fn join(&self, other: &Bounds) -> Bounds {
        let known = self.both(other).bvand(&self.ones.bvxnor(&other.ones));
        let low = if self.low.bvult(&other.low) { &self.low } else { &other.low };
        let high = if self.high.bvult(&other.high) { &other.high } else { &self.high };
        Bounds { low: low.clone(), high: high.clone(), ..Bounds::bits(known, self.ones.clone()) }.settled()
    }

    fn concat(&self, low: &Bounds) -> Option<Bounds> {
        Some(Bounds {
            known: self.known.concat(&low.known).ok()?,
            ones: self.ones.concat(&low.ones).ok()?,
            low: self.low.concat(&low.low).ok()?,
            high: self.high.concat(&low.high).ok()?,
        })
    }

    fn extract(&self, high: u32, low: u32) -> Option<Bounds> {
        Some(Bounds::bits(self.known.extract(high, low)?, self.ones.extract(high, low)?))
    }
}

/// The ones at the low end, and zeros above.
fn trailing_ones(b: &BitVec) -> BitVec {
    // Adding one carries through them.
    b.bvxor(&b.bvadd(&BitVec::new(b.width(), 1))).bvand(b)
}

impl Grower<'_> {
    fn bits_literal(&mut self, value: BitVec) -> Term {
        let sort = Sort::Bits(value.width());
        self.terms.literal(sort, value.into())
    }
}

/// A term with bounds; `facts` gets the assertions that they rest on.
fn bounded(g: &mut Grower<'_>, width: u32, depth: u32, facts: &mut Vec<Term>) -> Option<(Term, Bounds)> {
    if depth == 0 || g.rng.one_in(5) {
        return Some(leaf(g, width, facts));
    }
    let below = depth - 1;
    Some(match g.rng.below(13) {
        0 => {
            let (t, b) = bounded(g, width, below, facts)?;
            (g.terms.app(op!("bvnot"), &[t]), b.not())
        }
        k @ 1..=5 => {
            let ((x, a), (y, b)) = (bounded(g, width, below, facts)?, bounded(g, width, below, facts)?);
            let (op, bounds) = match k {
                1 => (op!("bvand"), a.and(&b)),
                2 => (op!("bvor"), a.or(&b)),
                3 => (op!("bvxor"), a.xor(&b)),
                4 => (op!("bvadd"), a.add(&b)),
                _ => (op!("bvmul"), a.mul(&b)),
            };
            (g.terms.app(op, &[x, y]), bounds)
        }
        k @ (6 | 7) => {
            let ((x, a), (y, b)) = (bounded(g, width, below, facts)?, bounded(g, width, below, facts)?);
            let (op, bounds) = if k == 6 { (op!("bvudiv"), a.udiv(&b)) } else { (op!("bvurem"), a.urem(&b)) };
            match bounds {
                Some(bounds) => (g.terms.app(op, &[x, y]), bounds),
                None => (x, a),
            }
        }
        k @ (8 | 9) => {
            let (x, a) = bounded(g, width, below, facts)?;
            let by = BitVec::new(width, g.rng.below(width as usize + 2) as u64);
            let distance = g.bits_literal(by.clone());
            let (op, bounds) = if k == 8 { (op!("bvlshr"), a.lshr(&by)) } else { (op!("bvshl"), a.shl(&by)) };
            (g.terms.app(op, &[x, distance]), bounds)
        }
        10 if width > 1 => {
            let low = 1 + g.rng.below(width as usize - 1) as u32;
            let ((x, a), (y, b)) = (bounded(g, width - low, below, facts)?, bounded(g, low, below, facts)?);
            (g.terms.app(op!("concat"), &[x, y]), a.concat(&b)?)
        }
        11 => {
            let more = g.rng.below(4) as u32;
            let low = g.rng.below(more as usize + 1) as u32;
            let (x, a) = bounded(g, width + more, below, facts)?;
            let t = g.terms.apply(op!("extract"), [low + width - 1, low], &[x]).ok()?;
            (t, a.extract(low + width - 1, low)?)
        }
        _ => {
            let ((x, a), (y, b)) = (bounded(g, width, below, facts)?, bounded(g, width, below, facts)?);
            let c = g.any(Sort::Bool, 1);
            (g.terms.app(op!("ite"), &[c, x, y]), a.join(&b))
        }
    })
}

/// A literal, a mask, or any term that an assertion bounds.
fn leaf(g: &mut Grower<'_>, width: u32, facts: &mut Vec<Term>) -> (Term, Bounds) {
    let sort = Sort::Bits(width);
    let value = corner::bits(&mut g.rng, width);
    let c = g.bits_literal(value.clone());
    if g.rng.one_in(5) {
        return (c, Bounds::exactly(&value));
    }
    let t = g.any(sort, 1);
    match g.rng.below(7) {
        0 => (g.terms.app(op!("bvand"), &[t, c]), Bounds::any(width).and(&Bounds::exactly(&value))),
        1 => (g.terms.app(op!("bvor"), &[c, t]), Bounds::any(width).or(&Bounds::exactly(&value))),
        2 | 3 => {
            let bound = corner::bits(&mut g.rng, width);
            let (low, high) = if value.bvult(&bound) { (value, bound) } else { (bound, value) };
            let (l, h) = (g.bits_literal(low.clone()), g.bits_literal(high.clone()));
            facts.push(g.terms.app(op!("bvule"), &[l, t]));
            facts.push(g.terms.app(op!("bvuge"), &[h, t]));
            (t, Bounds::interval(low, high))
        }
        4 => {
            facts.push(g.terms.app(op!("bvuge"), &[c, t]));
            (t, Bounds::interval(BitVec::zero(width), value))
        }
        5 => {
            let mask = corner::any_bits(&mut g.rng, width);
            let m = g.bits_literal(mask.clone());
            let masked = g.terms.app(op!("bvand"), &[t, m]);
            let ones = value.bvand(&mask);
            let right = g.bits_literal(ones.clone());
            facts.push(g.terms.app(op!("="), &[masked, right]));
            (t, Bounds::bits(mask, ones))
        }
        _ => (t, Bounds::any(width)),
    }
}

/// How deep bounded terms are.
const DEPTH: u32 = 3;

fn start(g: &mut Grower<'_>) -> Option<(Term, Bounds, Vec<Term>)> {
    let mut facts = Vec::new();
    let width = g.world.width(&mut g.rng)?;
    let (t, bounds) = bounded(g, width, DEPTH, &mut facts)?;
    Some((t, bounds, facts))
}

/// A bit that is known, asserted to be the other.
pub(crate) fn known_bits(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let (t, bounds, mut facts) = start(g)?;
    let known: Vec<u32> = (0..bounds.width()).filter(|i| bounds.known.bit(*i)).collect();
    let at = *g.rng.pick(&known)?;
    let contradiction = if g.rng.one_in(2) {
        let bit = g.bits_literal(BitVec::from_bool(!bounds.ones.bit(at)));
        let taken = g.terms.apply(op!("extract"), [at, at], &[t]).ok()?;
        g.terms.app(op!("="), &[taken, bit])
    } else {
        // This bit and any others.
        let bit = BitVec::new(bounds.width(), 1).rotate_left(at);
        let mask = corner::any_bits(&mut g.rng, bounds.width()).bvor(&bit);
        let wrong =
            bounds.ones.bvxor(&bit).bvxor(&corner::any_bits(&mut g.rng, bounds.width()).bvand(&bit.bvnot()));
        let (m, w) = (g.bits_literal(mask.clone()), g.bits_literal(wrong.bvand(&mask)));
        let masked = g.terms.app(op!("bvand"), &[m, t]);
        g.terms.app(op!("="), &[masked, w])
    };
    facts.push(contradiction);
    Some(facts)
}

/// A value outside of the interval.
pub(crate) fn interval(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let (t, bounds, mut facts) = start(g)?;
    let below = !bounds.low.is_zero();
    let above = bounds.high != BitVec::ones(bounds.width());
    if !below && !above {
        return None;
    }
    let low = below && (!above || g.rng.one_in(2));
    let (end, beyond, within) = if low {
        (bounds.low, op!("bvult"), op!("bvuge"))
    } else {
        (bounds.high, op!("bvugt"), op!("bvule"))
    };
    let contradiction = match g.rng.below(3) {
        0 => {
            let c = g.bits_literal(end);
            g.terms.app(beyond, &[t, c])
        }
        1 => {
            let c = g.bits_literal(end);
            let inside = g.terms.app(within, &[t, c]);
            g.terms.app(op!("not"), &[inside])
        }
        _ => {
            let one = BitVec::new(end.width(), 1);
            let outside = if low { end.bvsub(&one) } else { end.bvadd(&one) };
            let c = g.bits_literal(outside);
            g.terms.app(op!("="), &[c, t])
        }
    };
    facts.push(contradiction);
    Some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn contains(b: &Bounds, v: u64) -> bool {
        let v = BitVec::new(b.width(), v);
        v.bvand(&b.known) == b.ones && b.low.bvule(&v) && v.bvule(&b.high)
    }

    fn some(rng: &mut Rng, width: u32) -> Bounds {
        let (x, y) = (corner::any_bits(rng, width), corner::any_bits(rng, width));
        if rng.one_in(2) { Bounds::bits(x, y) } else { Bounds::interval(x.bvand(&y), x.bvor(&y)) }
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
        let mut rng = Rng::new(1);
        for round in 0..4000 {
            let width = 1 + round % 4;
            let (a, b) = (some(&mut rng, width), some(&mut rng, width));
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
