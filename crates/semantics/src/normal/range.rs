//! Which values a bit-vector may have, as far as its form says.

use smelt_smtlib::Arena;

use super::law::law;
use super::node::{Head, Normal, Normals};
use crate::bitvec::bounds::Bounds;
use crate::value::Value;

/// How many operators are looked through.
const DEPTH: u32 = 6;

impl Normals {
    /// Bounds of a bit-vector; `None` if nothing is known of it.
    fn bounds(&self, arena: &Arena, n: Normal, depth: u32) -> Option<Bounds> {
        if let Some(value) = self.value(n).and_then(Value::as_bitvec) {
            return Some(Bounds::exactly(value));
        }
        let Head::Fun(fun) = self.head(n) else { return None };
        let f = arena.fun_view(*fun);
        let name = &*law(f.op?)?.name;
        if depth == 0 {
            return None;
        }
        let of = |n: Normal| self.bounds(arena, n, depth - 1);
        let any = |n: Normal| arena.bitvec_width(self.sort(n)).map(Bounds::any);
        let or_any = |n: Normal| of(n).or_else(|| any(n));
        match (name, self.args(n)) {
            ("bvand", &[a, b]) if of(a).or(of(b)).is_some() => Some(or_any(a)?.and(&or_any(b)?)),
            ("bvor", &[a, b]) if of(a).or(of(b)).is_some() => Some(or_any(a)?.or(&or_any(b)?)),
            ("concat", &[a, b]) if of(a).or(of(b)).is_some() => or_any(a)?.concat(&or_any(b)?),
            ("zero_extend", &[a]) => {
                let by = f.indices.first()?.as_number().filter(|by| *by > 0)?;
                Bounds::exactly(&crate::BitVec::zero(by)).concat(&or_any(a)?)
            }
            ("bvurem", &[a, b]) if self.value(b).is_some() => or_any(a)?.urem(&of(b)?),
            ("bvudiv", &[a, b]) if self.value(b).is_some() => or_any(a)?.udiv(&of(b)?),
            ("bvlshr", &[a, b]) => Some(or_any(a)?.lshr(self.value(b)?.as_bitvec()?)),
            ("bvshl", &[a, b]) => Some(or_any(a)?.shl(self.value(b)?.as_bitvec()?)),
            _ => None,
        }
    }

    /// Whether one bit-vector is at most another, if their bounds say so.
    pub(super) fn at_most_by_bounds(
        &self,
        arena: &Arena,
        signed: bool,
        a: Normal,
        b: Normal,
    ) -> Option<bool> {
        let (x, y) = self.both_bounds(arena, a, b)?;
        // Without a sign the two orders agree.
        if signed && (x.high.msb() || y.high.msb()) {
            return None;
        }
        match (x.high.bvule(&y.low), y.high.bvult(&x.low)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// Whether two bit-vectors have no value in common.
    pub(super) fn are_apart(&self, arena: &Arena, a: Normal, b: Normal) -> bool {
        let Some((x, y)) = self.both_bounds(arena, a, b) else { return false };
        let known = x.known.bvand(&y.known);
        x.high.bvult(&y.low) || y.high.bvult(&x.low) || !x.ones.bvxor(&y.ones).bvand(&known).is_zero()
    }

    fn both_bounds(&self, arena: &Arena, a: Normal, b: Normal) -> Option<(Bounds, Bounds)> {
        let (x, y) = (self.bounds(arena, a, DEPTH), self.bounds(arena, b, DEPTH));
        let any = |n: Normal| arena.bitvec_width(self.sort(n)).map(Bounds::any);
        match (x, y) {
            (None, None) => None,
            (x, y) => Some((x.or_else(|| any(a))?, y.or_else(|| any(b))?)),
        }
    }
}
