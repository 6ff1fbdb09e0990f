//! The hash table behind every interner: ids found by content, removed last-in first-out.
//!
//! Invariant: entries are removed only in the reverse order of their insertion. So linear probing needs no
//! tombstones: an entry that probed past a slot is newer, so it is removed before the slot is cleared. Growing
//! re-inserts in id order to keep this true.

/// Declares ids: positions in a table, small and copied freely.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Its position, for tables that it indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

pub(crate) use ids;

/// Ids by hash, counted from 0. The owner keeps the contents.
#[derive(Clone, Debug)]
pub(crate) struct IdTable {
    /// `hash << 32 | id + 1`; zero is empty.
    slots: Vec<u64>,
    /// The hash of each id.
    hashes: Vec<u32>,
}

/// Where a missing entry would go.
pub(crate) struct Vacant(usize);

impl IdTable {
    pub(crate) fn with_capacity(entries: usize) -> Self {
        let slots = vec![0; (entries * 2).next_power_of_two().max(16)];
        IdTable { slots, hashes: Vec::with_capacity(entries) }
    }

    /// The id whose content satisfies `same`, or the place for it.
    #[inline]
    pub(crate) fn find(&self, hash: u32, mut same: impl FnMut(u32) -> bool) -> Result<u32, Vacant> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(Vacant(at));
            }
            if (slot >> 32) as u32 == hash && same(slot as u32 - 1) {
                return Ok(slot as u32 - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Gives the next id to the content that [`IdTable::find`] did not find.
    #[inline]
    pub(crate) fn insert(&mut self, vacant: Vacant, hash: u32) -> u32 {
        let id = self.hashes.len() as u32;
        self.hashes.push(hash);
        if self.hashes.len() * 2 > self.slots.len() {
            self.grow();
        } else {
            self.slots[vacant.0] = u64::from(hash) << 32 | u64::from(id + 1);
        }
        id
    }

    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for (id, &hash) in self.hashes.iter().enumerate() {
            let mut at = hash as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = u64::from(hash) << 32 | (id as u64 + 1);
        }
        self.slots = slots;
    }

    /// Forgets all ids from `len` on, the newest first.
    pub(crate) fn truncate(&mut self, len: usize) {
        let mask = self.slots.len() - 1;
        while self.hashes.len() > len {
            let id = self.hashes.len() as u64;
            let hash = self.hashes.pop().expect("longer than len");
            let wanted = u64::from(hash) << 32 | id;
            let mut at = hash as usize & mask;
            while self.slots[at] != wanted {
                debug_assert_ne!(self.slots[at], 0, "only what was inserted is removed");
                at = (at + 1) & mask;
            }
            self.slots[at] = 0;
        }
    }
}

const K: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide >> 64) as u64 ^ wide as u64
}

/// Hash of a byte string.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut h = K ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        h = fold(h ^ u64::from_le_bytes(chunk.try_into().expect("chunks of 8")), K);
    }
    let tail = chunks.remainder();
    let mut last = 0u64;
    for &b in tail {
        last = last << 8 | u64::from(b);
    }
    finish(fold(h ^ last, K))
}

/// Hash of a head and a list of words.
#[inline]
pub(crate) fn hash_words(a: u32, b: u32, words: impl IntoIterator<Item = u32>) -> u32 {
    let mut h = fold(u64::from(a) << 32 | u64::from(b), K);
    for w in words {
        h = (h ^ u64::from(w)).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(29);
    }
    finish(fold(h, K))
}

#[inline]
fn finish(h: u64) -> u32 {
    (h ^ h >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_growth_and_leave_last_in_first_out() {
        // Few hashes, many entries: long probe sequences across growth.
        let hash = |id: u32| id % 7;
        let mut table = IdTable::with_capacity(4);
        for id in 0..1000u32 {
            let Err(vacant) = table.find(hash(id), |other| other == id) else { panic!("not yet in") };
            assert_eq!(table.insert(vacant, hash(id)), id);
        }
        table.truncate(500);
        for id in 0..1000u32 {
            assert_eq!(table.find(hash(id), |other| other == id).is_ok(), id < 500);
        }
    }
}
