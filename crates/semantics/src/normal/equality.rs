//! Equality of two normal forms of any sort.

use smelt_smtlib::{Arena, Sort};

use super::node::{Head, Normal, Normals};

impl Normals {
    /// Whether two forms are equal.
    pub(super) fn equal(&mut self, arena: &Arena, a: Normal, b: Normal) -> Normal {
        let sort = self.sort(a);
        if sort == Sort::BOOL {
            return self.same(a, b);
        }
        if a == b {
            return Normal::TRUE;
        }
        let is_number = |sort: Sort| matches!(sort, Sort::INT | Sort::REAL);
        if is_number(sort) && is_number(self.sort(b)) {
            if let Some(lifted) = self.lifted(arena, a, b) {
                return lifted;
            }
            let difference = self.total([(a, 1), (b, -1)]);
            return self.zero(arena, difference, sort);
        }
        if let (Some(x), Some(y)) = (self.value(a), self.value(b))
            && !x.has_other_forms()
            && !y.has_other_forms()
        {
            return Normal::of_bool(x == y);
        }
        if let Some(lifted) = self.lifted(arena, a, b) {
            return lifted;
        }
        if arena.bitvec_width(sort).is_some() {
            if self.are_apart(arena, a, b) {
                return Normal::FALSE;
            }
            let difference = self.total([(a, 1), (b, -1)]);
            return self.zero(arena, difference, sort);
        }
        if let Some(decided) = self.equal_constructed(arena, a, b) {
            return decided;
        }
        if sort == Sort::STRING
            && let Some(decided) = self.equal_strings(a, b)
        {
            return decided;
        }
        if self.is_sequence(arena, sort)
            && let Some(decided) = self.equal_sequences(arena, a, b)
        {
            return decided;
        }
        self.node(Head::Equal, Box::new([a.min(b), a.max(b)]), Sort::BOOL)
    }

    /// An `ite` of values beside a value: the condition decides.
    fn lifted(&mut self, arena: &Arena, a: Normal, b: Normal) -> Option<Normal> {
        for (ite, value) in [(a, b), (b, a)] {
            self.value(value)?;
            if let (Head::Ite, &[condition, then, other]) = (self.head(ite), self.args(ite))
                && self.value(then).or(self.value(other)).is_some()
            {
                let [then, other] = [then, other].map(|side| self.equal(arena, side, value));
                return Some(self.ite(condition, then, other, Sort::BOOL));
            }
        }
        None
    }

    /// Whether two forms differ in every interpretation.
    pub(super) fn differ(&mut self, arena: &Arena, a: Normal, b: Normal) -> bool {
        self.equal(arena, a, b) == Normal::FALSE
    }
}
