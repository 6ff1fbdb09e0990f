//! The focus of a campaign: names of operators, theories and functions that test cases should contain.
//!
//! It works on the text of cases and therefore applies to every strategy, including those of other programs.

use smelt_smtlib::signature::Signatures;
use std::collections::{BTreeMap, BTreeSet};

/// Names that the cases of a campaign should have in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    names: BTreeSet<Vec<u8>>,
}

/// What is in focus comes this many times as often as the rest: most tests are about it, and some are not.
pub(crate) const FOCUS: usize = 8;

/// Other names of theories, as solvers' profiles have them.
const THEORIES: [(&str, &str); 5] = [
    ("fp", "floatingpoint"),
    ("seq", "sequences"),
    ("ff", "finitefields"),
    ("bv", "bitvectors"),
    ("string", "strings"),
];

/// The operators of a theory, by the theory's name in small letters; and all operators.
struct Known {
    theories: BTreeMap<String, Vec<Vec<u8>>>,
    operators: BTreeSet<Vec<u8>>,
}

fn known() -> Known {
    let signatures = Signatures::builtin();
    let arena = signatures.arena();
    let mut known = Known { theories: BTreeMap::new(), operators: BTreeSet::new() };
    for row in signatures.rows() {
        let theory = String::from_utf8_lossy(arena.text(row.theory)).to_lowercase();
        let name = arena.text(row.name).to_vec();
        known.operators.insert(name.clone());
        known.theories.entry(theory).or_default().push(name);
    }
    known
}

impl Focus {
    /// Adds a name: a theory stands for all its operators, everything else for itself.
    pub fn add(&mut self, name: &str) {
        let low = name.to_lowercase();
        let theory = THEORIES.iter().find(|(other, _)| *other == low).map_or(&*low, |(_, theory)| theory);
        match known().theories.remove(theory) {
            Some(operators) => self.names.extend(operators),
            None => {
                self.names.insert(name.as_bytes().to_vec());
            }
        }
    }

    /// Adds what a text names, such as the notes of a release: a line of one word is a name; in other lines only operators
    /// that cannot be English words are.
    pub fn add_text(&mut self, text: &str) {
        let known = known();
        let is_trim = |c: char| c.is_whitespace() || "`'\",;()*[]".contains(c);
        for line in text.lines() {
            let line = line.trim_start_matches(['-', '*', ' ']).trim_matches(is_trim);
            if line.starts_with('#') || line.is_empty() {
                continue;
            }
            if !line.contains(char::is_whitespace) {
                self.add(line);
                continue;
            }
            for word in line.split(is_trim).map(|w| w.trim_end_matches(['.', ':', '?', '!'])) {
                let telling = word.starts_with("bv")
                    || word.contains(['.', '_'])
                    || word.contains(|c: char| c.is_ascii_digit());
                if telling && known.operators.contains(word.as_bytes()) {
                    self.names.insert(word.as_bytes().to_vec());
                }
            }
        }
    }

    /// Whether it names nothing: every case is as good as another.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a script has one of the names in it.
    pub fn is_met(&self, script: &[u8]) -> bool {
        words(script).any(|word| self.names.contains(word))
    }
}

/// The words of a script, those in strings and comments included.
pub(crate) fn words(script: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b'"' | b'|');
    script.split(ends).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_theories_and_functions_are_names() {
        let mut focus = Focus::default();
        assert!(focus.is_empty() && !focus.is_met(b"(assert (f x))"));
        focus.add("f");
        focus.add("fp");
        focus.add("str.replace_all");
        assert!(focus.is_met(b"(assert (f x))") && focus.is_met(b"(fp.add RNE x y)"));
        assert!(focus.is_met(b"(= (str.replace_all a b c) d)"));
        assert!(!focus.is_met(b"(assert (ff x))") && !focus.is_met(b"(str.replace a b c)"));
    }

    #[test]
    fn the_notes_of_a_release_name_operators_and_not_words() {
        let mut focus = Focus::default();
        focus.add_text(
            "# 1.2\n- Fixed `str.replace_re` and bvsmod, or not.\n- Select is faster and more.\nselect\n",
        );
        for (script, met) in [
            ("(str.replace_re a b c)", true),
            ("(bvsmod a b)", true),
            ("(select a b)", true),
            ("(and a b)", false),
            ("(or (not a) b)", false),
        ] {
            assert_eq!(focus.is_met(script.as_bytes()), met, "{script}");
        }
    }
}
