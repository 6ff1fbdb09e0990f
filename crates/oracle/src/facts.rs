//! Reads `data/facts.txt`: lists of words by kind of fact.

use smelt_smtlib::sexpr::WordLists;
use std::sync::LazyLock;

static LISTS: LazyLock<WordLists> =
    LazyLock::new(|| WordLists::read(include_bytes!("../data/facts.txt")).expect("facts.txt is well-formed"));

/// The lists of this kind.
pub(crate) fn lists(kind: &str) -> impl Iterator<Item = &'static [String]> {
    LISTS.of(kind)
}

/// All words in the lists of this kind.
pub(crate) fn facts(kind: &str) -> impl Iterator<Item = &'static str> {
    lists(kind).flatten().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_a_known_kind_and_words() {
        let kinds = [
            "altering",
            "altering-command",
            "altering-value",
            "unital",
            "abort-frame",
            "theories",
            "sorts",
            "unknown",
            "selective",
        ];
        assert!(kinds.iter().all(|kind| facts(kind).next().is_some()));
        for list in &LISTS.0 {
            assert!(kinds.contains(&list[0].as_str()) && list.len() > 1, "{list:?}");
        }
    }
}
