//! The facts of `data/facts.txt`: lists of words, each after the kind of fact.

use smelt_smtlib::sexpr::read_all;
use std::sync::LazyLock;

static LISTS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    read(include_bytes!("../data/facts.txt")).unwrap_or_else(|e| panic!("facts.txt can be read: {e}"))
});

fn read(text: &[u8]) -> Result<Vec<Vec<String>>, smelt_smtlib::Error> {
    let lists = read_all(text)?;
    let words = lists.iter().map(|list| {
        let words = list.list("`(KIND WORD ..)`")?.iter();
        words.map(|word| word.atom("a word").map(str::to_owned)).collect()
    });
    words.collect()
}

/// The lists of this kind.
pub(crate) fn lists(kind: &str) -> impl Iterator<Item = &'static [String]> {
    LISTS.iter().filter_map(move |list| list.split_first().filter(|(k, _)| *k == kind).map(|(_, rest)| rest))
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
        let kinds = ["harmless", "altering", "unital", "abort-frame", "unknown"];
        assert!(kinds.iter().all(|kind| facts(kind).next().is_some()));
        for list in LISTS.iter() {
            assert!(kinds.contains(&list[0].as_str()) && list.len() > 1, "{list:?}");
        }
    }
}
