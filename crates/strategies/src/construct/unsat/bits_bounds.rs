//! Contradictions from known bits and intervals of bit-vector terms: assertions bound the parts of a term, which gives
//! bounds of the whole term, and another assertion contradicts these bounds.

use smelt_semantics::BitVec;
use smelt_semantics::bitvec::bounds::Bounds;

use crate::construct::corner;
use crate::construct::grow::Grower;
use crate::construct::operator::op;
use crate::construct::sort::Sort;
use crate::construct::term::Term;

impl Grower<'_> {
    fn bits_literal(&mut self, value: BitVec) -> Term {
        let sort = Sort::Bits(value.width());
        self.terms.literal(sort, value.into())
    }
}

/// A term with bounds; `facts` gets the assertions that imply them.
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

/// The depth of terms with bounds.
const DEPTH: u32 = 3;

fn start(g: &mut Grower<'_>) -> Option<(Term, Bounds, Vec<Term>)> {
    let mut facts = Vec::new();
    let width = g.world.width(&mut g.rng)?;
    let (t, bounds) = bounded(g, width, DEPTH, &mut facts)?;
    Some((t, bounds, facts))
}

/// Asserts that a known bit has the other value.
pub(crate) fn known_bits(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let (t, bounds, mut facts) = start(g)?;
    let known: Vec<u32> = (0..bounds.width()).filter(|i| bounds.known.bit(*i)).collect();
    let at = *g.rng.pick(&known)?;
    let contradiction = if g.rng.one_in(2) {
        let bit = g.bits_literal(BitVec::from_bool(!bounds.ones.bit(at)));
        let taken = g.terms.apply(op!("extract"), [at, at], &[t]).ok()?;
        g.terms.app(op!("="), &[taken, bit])
    } else {
        // The bit together with any others.
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

/// Asserts that a term is outside of its interval.
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
