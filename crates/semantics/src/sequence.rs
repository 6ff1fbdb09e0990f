//! Functions on finite sequences, shared by strings and the theory of sequences.
//!
//! Indices are unbounded integers, as in terms. Corner cases are those of SMT-LIB strings. The length of results is
//! bounded by [`MAX_LENGTH`].

use crate::Gap;
use crate::number::{Int, int};

/// Longer sequences are not made.
pub const MAX_LENGTH: usize = 1 << 24;

/// Checks a length before a sequence is made.
pub(crate) fn checked_length(length: usize) -> Result<usize, Gap> {
    if length <= MAX_LENGTH { Ok(length) } else { Err(Gap::TooLarge) }
}

/// An index as a position; none if it is negative or beyond every sequence.
pub fn position(index: &Int) -> Option<usize> {
    usize::try_from(index).ok()
}

/// The concatenation of many sequences.
pub fn concat<T: Clone>(parts: &[&[T]]) -> Result<Vec<T>, Gap> {
    checked_length(parts.iter().map(|p| p.len()).fold(0, usize::saturating_add))?;
    Ok(parts.concat())
}

/// `substr`, `extract`: at most `length` elements from `start`; empty where either is out of range.
pub fn extract<'a, T>(s: &'a [T], start: &Int, length: &Int) -> &'a [T] {
    match position(start) {
        Some(start) if start < s.len() && int::signum(length) > 0 => {
            let available = s.len() - start;
            let length = position(length).unwrap_or(available).min(available);
            &s[start..start + length]
        }
        _ => &[],
    }
}

/// `at`: the sequence of the one element at an index, or empty.
pub fn at<'a, T>(s: &'a [T], index: &Int) -> &'a [T] {
    extract(s, index, &Int::ONE)
}

/// The first occurrence of `pattern` at or after `from`, in linear time.
pub fn find<T: Eq>(s: &[T], pattern: &[T], from: usize) -> Option<usize> {
    if from > s.len() {
        return None;
    }
    // border[i]: length of the longest proper border of pattern[..=i] (Knuth, Morris, Pratt).
    let mut border = vec![0; pattern.len()];
    let mut matched = 0;
    for i in 1..pattern.len() {
        while matched > 0 && pattern[i] != pattern[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(pattern[i] == pattern[matched]);
        border[i] = matched;
    }
    if pattern.is_empty() {
        return Some(from);
    }
    matched = 0;
    for (i, c) in s.iter().enumerate().skip(from) {
        while matched > 0 && *c != pattern[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(*c == pattern[matched]);
        if matched == pattern.len() {
            return Some(i + 1 - matched);
        }
    }
    None
}

/// `contains`.
pub fn contains<T: Eq>(s: &[T], pattern: &[T]) -> bool {
    find(s, pattern, 0).is_some()
}

/// `indexof`: the first occurrence at or after `from`, or -1, also for `from` outside `s`.
pub fn index_of<T: Eq>(s: &[T], pattern: &[T], from: &Int) -> Int {
    position(from).and_then(|from| find(s, pattern, from)).map_or(Int::NEG_ONE, Int::from)
}

/// `replace`: the first occurrence; an empty pattern occurs at the front.
pub fn replace<T: Clone + Eq>(s: &[T], pattern: &[T], by: &[T]) -> Result<Vec<T>, Gap> {
    match find(s, pattern, 0) {
        Some(i) => concat(&[&s[..i], by, &s[i + pattern.len()..]]),
        None => Ok(s.to_vec()),
    }
}

/// `replace_all`: all occurrences from left to right; an empty pattern has none.
pub fn replace_all<T: Clone + Eq>(s: &[T], pattern: &[T], by: &[T]) -> Result<Vec<T>, Gap> {
    if pattern.is_empty() {
        return Ok(s.to_vec());
    }
    // One pass: the search state restarts behind each occurrence.
    replace_each(s, by, |from| Ok(find(s, pattern, from).map(|i| (i, i + pattern.len()))))
}

/// Replaces parts from left to right; `next` finds the start and end of the first part at or after a position.
pub(crate) fn replace_each<T: Clone>(
    s: &[T],
    by: &[T],
    mut next: impl FnMut(usize) -> Result<Option<(usize, usize)>, Gap>,
) -> Result<Vec<T>, Gap> {
    let (mut out, mut done) = (Vec::new(), 0);
    while let Some((start, end)) = next(done)? {
        checked_length(out.len() + (start - done) + by.len())?;
        out.extend_from_slice(&s[done..start]);
        out.extend_from_slice(by);
        done = end;
    }
    checked_length(out.len() + s.len() - done)?;
    out.extend_from_slice(&s[done..]);
    Ok(out)
}

/// `update`: overwrites from an index on, keeping the length; nothing changes for an index outside.
pub fn update<T: Clone>(s: &[T], index: &Int, by: &[T]) -> Vec<T> {
    let mut out = s.to_vec();
    if let Some(i) = position(index).filter(|i| *i < s.len()) {
        let end = s.len().min(i.saturating_add(by.len()));
        out[i..end].clone_from_slice(&by[..end - i]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sequences over two letters up to a length.
    fn words(max: usize) -> Vec<Vec<u8>> {
        let mut out = vec![vec![]];
        let mut last = out.clone();
        for _ in 0..max {
            last = last.iter().flat_map(|w| [0, 1].map(|c| [w.as_slice(), &[c]].concat())).collect();
            out.extend(last.iter().cloned());
        }
        out
    }

    #[test]
    fn search_finds_the_first_occurrence() {
        for s in words(6) {
            for t in words(3) {
                for from in 0..=s.len() + 1 {
                    let naive = (from..=s.len()).find(|i| s[*i..].starts_with(&t));
                    assert_eq!(find(&s, &t, from), naive, "{s:?} {t:?} {from}");
                    assert_eq!(index_of(&s, &t, &from.into()), naive.map_or(Int::NEG_ONE, Int::from));
                }
            }
        }
        assert_eq!(index_of(&[1], &[], &Int::NEG_ONE), Int::NEG_ONE);
    }

    #[test]
    fn corner_cases_follow_the_standard() {
        let s = [1, 2, 3];
        assert_eq!(extract(&s, &1.into(), &100.into()), [2, 3]);
        assert_eq!(extract(&s, &1.into(), &(Int::ONE << 100)), [2, 3]);
        for (start, length) in [(-1, 2), (3, 1), (0, 0), (0, -1)] {
            assert!(extract(&s, &start.into(), &length.into()).is_empty());
        }
        assert_eq!(replace(&s, &[], &[9]).unwrap(), [9, 1, 2, 3]);
        assert_eq!(replace_all(&s, &[], &[9]).unwrap(), s);
        assert_eq!(replace_all(&[1, 1, 1], &[1, 1], &[2]).unwrap(), [2, 1]);
        assert_eq!(update(&s, &1.into(), &[7, 8, 9]), [1, 7, 8]);
        assert_eq!(update(&s, &3.into(), &[7]), s);
        assert_eq!(update(&s, &Int::NEG_ONE, &[7]), s);
    }

    #[test]
    fn growth_is_bounded() {
        let long = vec![0u8; 1 << 13];
        assert_eq!(replace_all(&long, &[0], &long), Err(Gap::TooLarge));
        assert!(replace(&long, &[0], &long).is_ok());
    }
}
