//! The similarity of two runs: the lines that their traces have in common.
//!
//! A trace is the number of occurrences of each line hash. A long trace keeps only hashes with enough low zero bits
//! that a fixed number fits. So memory is bounded, every trace selects the same lines, and two traces are compared
//! on the lines that both kept. Order is ignored: lines are compared as a bag, not as a sequence.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};

/// Most hashes that a trace keeps.
const MOST: usize = 1 << 14;

/// A trace, made small.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Hashes kept, in order, with how often each line occurred.
    lines: Vec<(u64, u64)>,
    /// How many low bits of a hash are zero.
    level: u32,
}

/// Builds a trace line by line.
#[derive(Default)]
pub struct TraceBuilder {
    kept: HashMap<u64, u64>,
    level: u32,
}

fn keeps(level: u32, hash: u64) -> bool {
    hash & ((1 << level) - 1) == 0
}

/// Mixes all bits.
fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 32).wrapping_mul(0x9fb2_1c65_1e98_df25);
    let x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 32
}

/// A hash of a line that is the same on every machine.
fn hash(line: &[u8]) -> u64 {
    let (words, rest) = line.as_chunks::<8>();
    let step = |h: u64, word: [u8; 8]| {
        (h ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    };
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(step(words.iter().fold(line.len() as u64, |h, w| step(h, *w)), last))
}

impl TraceBuilder {
    /// An empty builder.
    pub fn new() -> TraceBuilder {
        TraceBuilder::default()
    }

    /// Adds a line that occurred `count` times.
    pub fn line(&mut self, line: &[u8], count: u64) {
        let hash = hash(line);
        if !keeps(self.level, hash) {
            return;
        }
        *self.kept.entry(hash).or_default() += count;
        while self.kept.len() > MOST {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|h, _| keeps(level, *h));
        }
    }

    /// Adds every line of a file, read in pieces.
    pub fn read(&mut self, from: impl Read, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        let mut from = BufReader::with_capacity(1 << 16, from);
        let mut line = Vec::new();
        // A line without end is cut: memory stays bounded.
        while from.by_ref().take(1 << 20).read_until(b'\n', &mut line)? > 0 {
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            self.line(text, 1);
            each(text);
            line.clear();
        }
        Ok(())
    }

    /// The trace.
    pub fn finish(self) -> Trace {
        let mut lines: Vec<(u64, u64)> = self.kept.into_iter().collect();
        lines.sort_unstable();
        Trace { lines, level: self.level }
    }
}

impl Trace {
    /// Twice what both have in common over what both have: 1 for equal traces, 0 for traces without a common line.
    pub fn similarity(&self, other: &Trace) -> f64 {
        let level = self.level.max(other.level);
        let kept = |l: &&(u64, u64)| keeps(level, l.0);
        let all: u64 = self.lines.iter().chain(&other.lines).filter(kept).map(|l| l.1).sum();
        let in_both = |l: &(u64, u64)| {
            let at = other.lines.binary_search_by_key(&l.0, |o| o.0).ok()?;
            Some(l.1.min(other.lines[at].1))
        };
        let common: u64 = self.lines.iter().filter(kept).filter_map(in_both).sum();
        if all == 0 { 1.0 } else { 2.0 * common as f64 / all as f64 }
    }

    /// How many lines it keeps.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it keeps no line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The first lines of a trace, in their order.
#[derive(Clone, Debug, Default)]
pub struct Sequence(Vec<u64>);

impl Sequence {
    /// Adds a line, unless there are many already.
    pub fn line(&mut self, line: &[u8]) {
        if self.0.len() < MOST {
            self.0.push(hash(line));
        }
    }

    /// Twice the longest common subsequence over what both have: 1 for equal traces.
    pub fn similarity(&self, other: &Sequence) -> f64 {
        let all = self.0.len() + other.0.len();
        if all == 0 { 1.0 } else { 2.0 * common_subsequence(&self.0, &other.0) as f64 / all as f64 }
    }
}

/// The length of the longest common subsequence. A bit of the row is zero where the subsequence of what was read of `b`
/// gets longer in `a`; one addition for each line of `b` updates all of them.
fn common_subsequence(a: &[u64], b: &[u64]) -> usize {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    a.iter().enumerate().for_each(|(i, line)| places.entry(*line).or_default().push(i));
    let mut row = vec![u64::MAX; a.len().div_ceil(64)];
    let mut here = vec![0u64; row.len()];
    for places in b.iter().filter_map(|line| places.get(line)) {
        places.iter().for_each(|i| here[i / 64] |= 1 << (i % 64));
        let mut carry = false;
        for (v, m) in row.iter_mut().zip(&mut here) {
            let (sum, over) = v.overflowing_add(*v & *m);
            let (sum, more) = sum.overflowing_add(u64::from(carry));
            carry = over || more;
            *v = sum | (*v & !*m);
            *m = 0;
        }
    }
    (0..a.len()).filter(|i| row[i / 64] >> (i % 64) & 1 == 0).count()
}

/// The distance of each from the others: one less its mean similarity to them.
pub(crate) fn distances(traces: &[&Trace]) -> Vec<f64> {
    let n = traces.len();
    if n < 2 {
        return vec![f64::INFINITY; n];
    }
    let mut sums = vec![0.0; n];
    for i in 0..n {
        for j in i + 1..n {
            let similarity = traces[i].similarity(traces[j]);
            sums[i] += similarity;
            sums[j] += similarity;
        }
    }
    sums.into_iter().map(|s| 1.0 - s / (n - 1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(lines: impl Iterator<Item = String>) -> Trace {
        let mut builder = TraceBuilder::new();
        lines.for_each(|l| builder.line(l.as_bytes(), 1));
        builder.finish()
    }

    fn words(text: &str) -> Trace {
        trace(text.split(' ').map(str::to_owned))
    }

    #[test]
    fn small_traces_are_compared_exactly() {
        let similarity = |a: &str, b: &str| words(a).similarity(&words(b));
        assert_eq!(similarity("a b c", "a b c"), 1.0);
        assert_eq!(similarity("a b", "c d"), 0.0);
        assert_eq!(similarity("a b c d", "c d e f"), 0.5);
        assert_eq!(similarity("a a a b", "a c"), 2.0 / 6.0, "lines count as often as they occur in both");
        assert_eq!(Trace::default().similarity(&Trace::default()), 1.0);
    }

    fn sequence(text: &str) -> Sequence {
        let mut sequence = Sequence::default();
        text.split(' ').for_each(|line| sequence.line(line.as_bytes()));
        sequence
    }

    #[test]
    fn the_longest_common_subsequence_is_that_of_the_textbook() {
        let textbook = |a: &[u64], b: &[u64]| {
            let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
            for (i, x) in a.iter().enumerate() {
                for (j, y) in b.iter().enumerate() {
                    rows[i + 1][j + 1] = match x == y {
                        true => rows[i][j] + 1,
                        false => rows[i][j + 1].max(rows[i + 1][j]),
                    };
                }
            }
            rows[a.len()][b.len()]
        };
        let mut rng = smelt_strategies::Rng::new(5);
        for length in [0, 1, 7, 63, 64, 65, 130, 200] {
            for letters in [1, 2, 5, 40] {
                let mut word = |n: usize| -> Vec<u64> { (0..n).map(|_| rng.below(letters) as u64).collect() };
                let (a, b) = (word(length), word(length * 2 / 3 + 5));
                assert_eq!(common_subsequence(&a, &b), textbook(&a, &b), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn order_counts_in_a_sequence_and_not_in_a_bag() {
        assert_eq!(words("a b c d").similarity(&words("d c b a")), 1.0);
        assert_eq!(sequence("a b c d").similarity(&sequence("d c b a")), 0.25);
        // The traces of Figure 4.9 of 001: six pairs of lines, and 10 of 11.
        assert_eq!(sequence("a b c d e f").similarity(&sequence("a x c y e z")), 0.5);
        let z3 = sequence("1 2 3 4 5 6 7 8 9 10 11");
        assert_eq!(z3.similarity(&sequence("1 2 3 4 x 6 7 8 9 10 11")), 10.0 / 11.0);
    }

    #[test]
    fn the_distance_is_one_less_the_mean_similarity() {
        let (a, b, c) = (words("a b"), words("a b"), words("x y"));
        assert_eq!(distances(&[&a, &b, &c]), [0.5, 0.5, 1.0]);
        assert_eq!(distances(&[&a]), [f64::INFINITY]);
    }

    #[test]
    fn long_traces_are_compared_nearly_exactly_in_bounded_memory() {
        // The lines of the worked example of the paper, a thousandth of them.
        let (a, b, common) = (455_300, 443_046, 168_094);
        let first = trace((0..a).map(|i| format!("[line] {i}")));
        let second = trace((a - common..a - common + b).map(|i| format!("[line] {i}")));
        assert!(first.len() <= MOST && second.len() <= MOST);
        let similarity = first.similarity(&second);
        assert!((similarity - 0.374).abs() < 0.02, "{similarity}");
        assert_eq!(first.similarity(&first), 1.0);
    }

    #[test]
    fn lines_are_read_in_pieces_as_they_are() {
        let text = "first\nsecond\n".repeat(20_000) + "last";
        let (mut builder, mut seen) = (TraceBuilder::new(), 0);
        builder.read(text.as_bytes(), |_| seen += 1).unwrap();
        assert_eq!(seen, 40_001);
        let whole = trace(text.lines().map(str::to_owned));
        assert_eq!(builder.finish(), whole);
    }
}
