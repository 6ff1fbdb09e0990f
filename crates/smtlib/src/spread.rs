//! A hash for ids of an arena.

use std::hash::{BuildHasherDefault, Hasher};

/// Ids are small numbers: a product spreads them well enough.
#[derive(Clone, Copy, Debug, Default)]
pub struct Product(u64);

/// For tables by symbol, sort or term.
pub type Spread = BuildHasherDefault<Product>;

impl Hasher for Product {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u32(u32::from(b)));
    }

    fn write_u32(&mut self, n: u32) {
        // The odd number nearest to 2^64 divided by the golden ratio.
        self.0 = (self.0 ^ u64::from(n)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // The product's low bits depend on few bits of the number; a table uses low and high ones.
        self.0.rotate_left(32)
    }
}
