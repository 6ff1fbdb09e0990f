//! Spells operators as the solver with the bug does, so that a report uses the same names as the script it shows.

use smelt_solvers::Profiles;
use smelt_store::Bug;
use std::collections::BTreeMap;

/// Standard names and the accused solver's own names; empty if the script of the report is in standard syntax.
#[derive(Clone, Debug, Default)]
pub struct Spelling {
    own: BTreeMap<String, String>,
}

impl Spelling {
    /// The names that the report of a bug needs.
    pub fn of(profiles: &Profiles, bug: &Bug) -> Spelling {
        let Some(d) = &bug.dossier else { return Spelling::default() };
        let differs = d.spelled.is_some() || d.culprit.as_ref().is_some_and(|c| c.spelled.is_some());
        let (Some(profile), [accused], true) = (profiles.get(&d.profile), &d.accused[..], differs) else {
            return Spelling::default();
        };
        let dialect = profile.dialect(accused.version());
        let own = dialect.spellings.into_iter().chain(dialect.also).filter(|(_, own)| !own.is_empty());
        Spelling { own: own.collect() }
    }

    /// A text with the solver's own names. Names are whole symbols.
    pub(crate) fn own(&self, text: &str) -> String {
        if self.own.is_empty() {
            return text.to_owned();
        }
        let is_symbol = |c: char| c.is_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| is_symbol(c) != is_symbol(first)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            out += self.own.get(word).map_or(word, String::as_str);
            rest = after;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_replaced() {
        let own = BTreeMap::from([("set.card".to_owned(), "set.size".to_owned())]);
        let spelling = Spelling { own };
        assert_eq!(spelling.own("`set.card` of (set.card a)"), "`set.size` of (set.size a)");
        assert_eq!(spelling.own("(my.set.card set.cardinal)"), "(my.set.card set.cardinal)");
        assert_eq!(Spelling::default().own("set.card"), "set.card");
    }
}
