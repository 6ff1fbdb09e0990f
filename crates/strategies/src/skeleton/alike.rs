//! Finds terms that are parts of each other or have the same symbols: predicates over them are often constant.

/// Whether a term as text stands somewhere in another.
pub(super) fn has_part(outer: &[u8], inner: &[u8]) -> bool {
    let is_edge = |b: Option<&u8>| b.is_none_or(|b| matches!(b, b' ' | b'(' | b')'));
    let is_here = |at: usize| {
        outer[at..].starts_with(inner)
            && (at == 0 || is_edge(outer.get(at - 1)))
            && is_edge(outer.get(at + inner.len()))
    };
    (0..outer.len().saturating_sub(inner.len())).any(is_here)
}

/// Whether two atoms are about the same words, in any order: a connective of them is often decided.
pub(super) fn are_alike(one: &[u8], other: &[u8]) -> bool {
    if one.len().abs_diff(other.len()) > 2 {
        return false;
    }
    let words = |text: &'_ [u8]| {
        let words = text.split(|b| matches!(b, b' ' | b'(' | b')')).filter(|w| !w.is_empty());
        let mut words: Vec<Vec<u8>> = words.skip(1).map(<[u8]>::to_vec).collect();
        words.sort_unstable();
        words
    };
    words(one) == words(other)
}
