//! A fixed random generator for law tests, and the switch between short and long loops.
#![allow(dead_code, unreachable_pub)]

/// SplitMix64: same seed, same tests.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// A word with weight on corners: small, large, single bits, runs.
    pub fn word(&mut self) -> u64 {
        let r = self.bits();
        match self.below(6) {
            0 => r % 8,
            1 => (r % 8).wrapping_neg(),
            2 => 1 << (r % 64),
            3 => (1u64 << (r % 64)).wrapping_sub(1),
            4 => r >> (r % 64),
            _ => r,
        }
    }
}

/// `long` in a slow run of the tests, else `short`.
pub fn rounds(short: u64, long: u64) -> u64 {
    if smelt_testing::is_slow() { long } else { short }
}
