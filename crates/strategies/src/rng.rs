//! Random choices: one fixed algorithm, so that a case is the same on every machine and in every release.

/// xoshiro256++, started by splitmix64.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

/// One step of splitmix64: mixes all bits of `x`.
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// What the random choices of a case start from: a hash of the campaign's seed, the strategy and the case's number.
pub fn case_seed(campaign: u64, strategy: &str, index: u64) -> u64 {
    let name = strategy.bytes().fold(mix(campaign), |h, b| mix(h ^ u64::from(b)));
    mix(name ^ mix(index))
}

/// The number of case `index` of a strategy whose chains have this many numbers: cases of one chain follow each other.
pub fn case_number(campaign: u64, strategy: &str, chain: u32, index: u64) -> u64 {
    let chain = u64::from(chain.max(1));
    let start = case_seed(campaign, strategy, index / chain);
    (start - start % chain).saturating_add(index % chain)
}

/// Whether a case of this number weakens a seed of unknown status; else it strengthens it.
pub(crate) fn weakens(number: u64) -> bool {
    mix(number) & 1 == 0
}

/// The next number, from `number` on, whose case goes the way that suits an answer to a seed of unknown status: weaker
/// for a satisfiable one. Its place in its chain stays.
pub fn toward(number: u64, chain: u32, satisfiable: bool) -> u64 {
    let chain = u64::from(chain.max(1));
    let step = number % chain;
    let mut start = number - step;
    while weakens(start) != satisfiable {
        start = start.checked_add(chain).unwrap_or(0);
    }
    start.saturating_add(step)
}

impl Rng {
    /// The choices that a number stands for.
    pub fn new(seed: u64) -> Rng {
        let mut x = seed;
        let state = std::array::from_fn(|_| {
            let word = mix(x);
            x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
            word
        });
        Rng { state }
    }

    /// Other choices, which do not depend on how many were made here.
    pub fn fork(seed: u64, purpose: u64) -> Rng {
        Rng::new(mix(seed ^ mix(purpose)))
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `n`, which is not zero.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0, "there is something to choose from");
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// True once in `n` times.
    #[inline]
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a list, if it has any.
    #[inline]
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { Some(&list[self.below(list.len())]) }
    }

    /// Puts a list into random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            let j = self.below(i + 1);
            list.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_never_change() {
        let mut rng = Rng::new(0);
        let first: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(first, [5987356902031041503, 7051070477665621255, 6633766593972829180]);
        assert_eq!(case_seed(1, "operator", 2), case_seed(1, "operator", 2));
    }

    #[test]
    fn seeds_of_cases_differ_by_campaign_strategy_and_index() {
        let mut seen = std::collections::HashSet::new();
        for campaign in 0..10 {
            for strategy in ["operator", "fusion"] {
                for index in 0..100 {
                    assert!(seen.insert(case_seed(campaign, strategy, index)));
                }
            }
        }
    }

    #[test]
    fn every_number_below_is_drawn() {
        let mut rng = Rng::new(7);
        let mut count = [0; 5];
        (0..5000).for_each(|_| count[rng.below(5)] += 1);
        assert!(count.iter().all(|&n| n > 800), "{count:?}");
    }
}
