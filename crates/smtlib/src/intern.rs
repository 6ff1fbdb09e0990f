//! The hash table behind every interner: ids found by content, forgotten last-in first-out.
//!
//! Invariant: entries are removed only in the reverse order of their insertion. Linear probing then needs no
//! tombstones: whatever probed past a slot came later, so it is gone before the slot is cleared. Growing
//! re-inserts in id order to keep this true.

/// Ids by hash. Contents and hashes live with the owner.
#[derive(Clone, Debug)]
pub(crate) struct IdTable {
    /// `hash << 32 | id + 1`; zero is empty.
    slots: Vec<u64>,
    len: usize,
}

/// Where a missing entry would go.
pub(crate) struct Vacant(usize);

impl IdTable {
    pub(crate) fn with_capacity(entries: usize) -> Self {
        IdTable { slots: vec![0; (entries * 2).next_power_of_two().max(16)], len: 0 }
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

    /// Puts `id` where [`IdTable::find`] said. `hashes` are those of all entries, `id`'s included, in id order.
    #[inline]
    pub(crate) fn insert(&mut self, vacant: Vacant, id: u32, hashes: &[u32]) {
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            let mut bigger = IdTable { slots: vec![0; self.slots.len() * 2], len: self.len };
            for (id, &hash) in hashes.iter().enumerate() {
                bigger.place(hash, id as u32);
            }
            *self = bigger;
        } else {
            self.slots[vacant.0] = u64::from(hashes[id as usize]) << 32 | u64::from(id + 1);
        }
    }

    fn place(&mut self, hash: u32, id: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = u64::from(hash) << 32 | u64::from(id + 1);
    }

    /// Forgets the newest entry.
    #[inline]
    pub(crate) fn remove_newest(&mut self, hash: u32, id: u32) {
        let wanted = u64::from(hash) << 32 | u64::from(id + 1);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != wanted {
            debug_assert_ne!(self.slots[at], 0, "only what was inserted is removed");
            at = (at + 1) & mask;
        }
        self.slots[at] = 0;
        self.len -= 1;
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
        let hashes: Vec<u32> = (0..1000).map(|i| i % 7).collect();
        let mut table = IdTable::with_capacity(4);
        for id in 0..1000u32 {
            let Err(vacant) = table.find(hashes[id as usize], |other| other == id) else {
                panic!("not yet in")
            };
            table.insert(vacant, id, &hashes[..=id as usize]);
        }
        for id in (500..1000u32).rev() {
            table.remove_newest(hashes[id as usize], id);
        }
        for id in 0..1000u32 {
            assert_eq!(table.find(hashes[id as usize], |other| other == id).is_ok(), id < 500);
        }
    }
}
