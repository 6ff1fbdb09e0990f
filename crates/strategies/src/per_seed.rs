//! Tables that a strategy computes for a seed, kept for the most recently used seeds.
//!
//! A campaign has thousands of seeds and dozens of strategy variants: for all seeds, these tables would take
//! gigabytes. A table depends only on its seed, so a dropped table is computed again, and no case depends on it.

use std::collections::HashMap;

use crate::pool::{Pool, SeedId};

/// How many places the seeds of all kept tables may have together: some fifty usual seeds. A campaign with more of them
/// seldom comes to a seed again soon, and one with fewer keeps all.
const ROOM: usize = 1 << 14;
/// The same for strategies that look at many seeds to find a partner for one: thousands of usual seeds.
const LARGE_ROOM: usize = 1 << 20;

/// A table for each seed that was used lately.
#[derive(Debug)]
pub(crate) struct PerSeed<T> {
    kept: HashMap<SeedId, Kept<T>>,
    /// How often a table was asked for.
    uses: u64,
    /// The places of all seeds with a table, and how many they may be.
    places: usize,
    room: usize,
}

#[derive(Debug)]
struct Kept<T> {
    table: T,
    last_use: u64,
    places: usize,
}

impl<T> Default for PerSeed<T> {
    fn default() -> Self {
        PerSeed { kept: HashMap::new(), uses: 0, places: 0, room: ROOM }
    }
}

impl<T> PerSeed<T> {
    /// For a strategy that looks for partners.
    pub(crate) fn of_many() -> Self {
        PerSeed { room: LARGE_ROOM, ..PerSeed::default() }
    }

    /// The table of a seed, made if there is none. The table that was asked for before this one is kept in any case.
    pub(crate) fn get_or_make(
        &mut self,
        pool: &mut Pool,
        id: SeedId,
        make: impl FnOnce(&mut Pool) -> T,
    ) -> &mut T {
        self.uses += 1;
        if !self.kept.contains_key(&id) {
            let places = pool.seed(id).places.len();
            self.make_room(places);
            self.places += places;
            self.kept.insert(id, Kept { table: make(pool), last_use: 0, places });
        }
        let kept = self.kept.get_mut(&id).expect("it was made");
        kept.last_use = self.uses;
        &mut kept.table
    }

    /// The table of a seed, if it is kept.
    pub(crate) fn get(&self, id: SeedId) -> Option<&T> {
        self.kept.get(&id).map(|kept| &kept.table)
    }

    /// Drops the half of the tables that were not used for longest, if there are too many.
    fn make_room(&mut self, places: usize) {
        if self.places + places <= self.room || self.kept.is_empty() {
            return;
        }
        let mut uses: Vec<u64> = self.kept.values().map(|kept| kept.last_use).collect();
        uses.sort_unstable();
        let oldest = uses[uses.len() / 2];
        self.kept.retain(|_, kept| kept.last_use >= oldest);
        self.places = self.kept.values().map(|kept| kept.places).sum();
    }
}

impl<T> std::ops::Index<SeedId> for PerSeed<T> {
    type Output = T;

    fn index(&self, id: SeedId) -> &T {
        self.get(id).expect("a table is kept until the one after the next is made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_bounded_and_the_last_two_are_kept() {
        let mut pool = Pool::new();
        let sum = "(+ ".repeat(500) + "x" + &" 1)".repeat(500);
        let text = format!("(declare-const x Int)(assert (= 0 {sum}))(check-sat)");
        for i in 0..100 {
            pool.add(&i.to_string(), text.as_bytes(), None).unwrap();
        }
        let (mut tables, mut made, mut most) = (PerSeed::default(), 0, 0);
        for (i, id) in pool.ids().enumerate().collect::<Vec<_>>() {
            let mut make = |_: &mut Pool| {
                made += 1;
                i
            };
            assert_eq!(*tables.get_or_make(&mut pool, id, &mut make), i);
            assert_eq!(*tables.get_or_make(&mut pool, id, &mut make), i);
            if let Some(before) = i.checked_sub(1).and_then(|i| pool.get(i)) {
                assert_eq!(tables[before], i - 1);
            }
            most = most.max(tables.places);
        }
        assert_eq!(made, 100, "a table that is kept is not made again");
        assert!(most <= ROOM, "{most}");
        assert!(tables.get(pool.get(0).unwrap()).is_none());
    }
}
