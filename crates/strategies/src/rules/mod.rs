//! Rules: data that says which formula implies which. Rules are checked, and applied to one place of a seed at a
//! time.
//!
//! A rule file (`data/skeleton.txt`, `data/weaken.txt`, or a user's file) is read by [`read`](mod@read) and used
//! only if [`check`](mod@check) finds no values that refute it. It is then turned into rewrites: patterns to search
//! for and templates to write, in both directions if that makes sense. `polarity` determines the direction for each
//! place of a formula. A mutant is the seed's text with some places replaced; nothing is interned for it.
//!
//! `docs/book/src/reference/rules.md` describes the format, and lists the rules that are printed wrong in the
//! papers.

mod abstraction;
mod apply;
mod check;
mod discover;
mod ground;
mod instance;
mod polarity;
pub mod rare;
mod read;
mod rewrite;
mod steps;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use smelt_core::Relation;
use smelt_smtlib::Error;

pub use check::{Effort, Flaw};
pub use discover::{Discovered, Prover, Search, THEORIES, discover};
pub(crate) use ground::{Change, Engine, Found, Ground};
use instance::Purpose;
pub(crate) use polarity::child_places;
pub use read::Rule;
pub(crate) use read::{Kind, mentions};
use rewrite::Rewrite;
pub use steps::rule_steps;

/// Rules with the rewrites they give.
#[derive(Clone, Debug)]
pub struct RuleSet {
    pub(crate) rules: Vec<Rule>,
    pub(crate) rewrites: Vec<Rewrite>,
    /// Rewrites by the word their pattern starts with.
    by_key: HashMap<String, Vec<usize>>,
    /// Rewrites that look for any formula.
    anywhere: Vec<usize>,
}

/// Why a file of rules is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It is not in the format.
    #[error(transparent)]
    Syntax(#[from] Error),
    /// A rule does not hold, or cannot be used.
    #[error("rule `{name}` {flaw}")]
    Refused {
        /// The rule.
        name: String,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

/// The built-in rule files: a name, and the text.
pub const BUILTIN: [(&str, &[u8]); 3] = [
    ("skeleton", include_bytes!("../../data/skeleton.txt")),
    ("weaken", include_bytes!("../../data/weaken.txt")),
    ("construct", include_bytes!("../../data/construct.txt")),
];

/// Statements that `synthesis` makes formulas of, in the same format: a name, and the text. They give no rewrites.
pub const STATEMENTS: [(&str, &[u8]); 2] = [
    ("equivalences", include_bytes!("../../data/equivalences.txt")),
    ("equalities", include_bytes!("../../data/equalities.txt")),
];

/// Reads a file of rules that are checked, and never used as rewrites.
pub fn statements(text: &[u8]) -> Result<Vec<Rule>, RuleError> {
    Ok(read::read_rules(text)?)
}

/// A built-in file. The tests and `cargo xtask rules` check its rules; this only reads them.
///
/// # Panics
/// If no file has this name.
pub fn builtin(name: &str) -> Arc<RuleSet> {
    static SETS: [OnceLock<Arc<RuleSet>>; BUILTIN.len()] = [const { OnceLock::new() }; BUILTIN.len()];
    let at =
        BUILTIN.iter().position(|b| b.0 == name).unwrap_or_else(|| panic!("there is no rule file {name}"));
    let made = SETS[at].get_or_init(|| match RuleSet::unchecked(BUILTIN[at].1) {
        Ok(set) => Arc::new(set),
        Err(e) => panic!("the built-in rules can be read: {e}"),
    });
    Arc::clone(made)
}

impl RuleSet {
    /// Reads a file, and refuses it if any rule in it can be refuted.
    pub fn read(text: &[u8], effort: Effort) -> Result<RuleSet, RuleError> {
        let set = RuleSet::unchecked(text)?;
        for rule in &set.rules {
            rule.check(effort).map_err(|flaw| RuleError::Refused { name: rule.name.clone(), flaw })?;
        }
        Ok(set)
    }

    /// Reads a file without asking whether its rules hold.
    pub fn unchecked(text: &[u8]) -> Result<RuleSet, RuleError> {
        let rules = read::read_rules(text)?;
        let mut set = RuleSet { rules, rewrites: Vec::new(), by_key: HashMap::new(), anywhere: Vec::new() };
        for (i, rule) in set.rules.iter().enumerate() {
            let rewrites = rewrite::rewrites(rule, i)
                .map_err(|flaw| RuleError::Refused { name: rule.name.clone(), flaw })?;
            for rewrite in rewrites {
                let at = set.rewrites.len();
                match rewrite.key() {
                    Some(key) => set.by_key.entry(key.to_owned()).or_default().push(at),
                    None => set.anywhere.push(at),
                }
                set.rewrites.push(rewrite);
            }
        }
        Ok(set)
    }

    /// The rules, in the order of the file.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

impl Rule {
    /// Looks for values that refute the rule.
    pub fn check(&self, effort: Effort) -> Result<(), Flaw> {
        check::check(self, effort)
    }

    /// Whether it has variables that are to be chosen: then it gives no rewrites.
    pub fn is_chosen(&self) -> bool {
        !self.some.is_empty()
    }

    /// Scripts that are all unsatisfiable if the rule holds at some larger sorts, each with those sorts.
    pub fn obligations(&self) -> Vec<(String, String)> {
        let all = instance::instances(self, Purpose::Proof);
        let scripts = |i: &instance::Instance| {
            let at = i.at.clone();
            i.obligations(self.relation).into_iter().map(move |s| (at.clone(), s)).collect::<Vec<_>>()
        };
        all.iter().flat_map(scripts).collect()
    }

    /// The rule in one line: `from => to`, `from <= to` or `from <=> to`.
    pub fn statement(&self) -> String {
        let arrow = match self.relation {
            Relation::Weaker => "=>",
            Relation::Stronger => "<=",
            Relation::Same => "<=>",
        };
        format!("{} {arrow} {}", crate::template::plain(&self.from), crate::template::plain(&self.to))
    }
}

#[cfg(test)]
mod tests;
