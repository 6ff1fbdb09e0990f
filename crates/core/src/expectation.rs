//! What a strategy knows about the answer to its test case.

use crate::Verdict;
use serde::{Deserialize, Serialize};

/// The answer a test case should get, and how firmly that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// Satisfiable by construction.
    Sat,
    /// Unsatisfiable by construction.
    Unsat,
    /// Related to the answer for its seed.
    Seed(Relation),
    /// Nothing is known: compare solvers with each other.
    #[default]
    None,
}

/// How the answer for a test case depends on the answer for its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// The same answer as the seed.
    Same,
    /// Implied by the seed: if the seed is sat, so is the case.
    Weaker,
    /// Implies the seed: if the seed is unsat, so is the case.
    Stronger,
}

impl Expectation {
    /// The correct answer, given the seed's verdict if that is known; `None` when nothing follows.
    pub fn settle(self, seed: Option<Verdict>) -> Option<Verdict> {
        use Verdict::{Sat, Unsat};
        match (self, seed) {
            (Expectation::Sat, _) => Some(Sat),
            (Expectation::Unsat, _) => Some(Unsat),
            (Expectation::Seed(Relation::Same), Some(v @ (Sat | Unsat))) => Some(v),
            (Expectation::Seed(Relation::Weaker), Some(Sat)) => Some(Sat),
            (Expectation::Seed(Relation::Stronger), Some(Unsat)) => Some(Unsat),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_seed_settles_no_relation() {
        for relation in [Relation::Same, Relation::Weaker, Relation::Stronger] {
            assert_eq!(Expectation::Seed(relation).settle(Some(Verdict::Unknown)), None);
            assert_eq!(Expectation::Seed(relation).settle(None), None);
        }
    }

    #[test]
    fn weaker_carries_sat_and_stronger_carries_unsat_only() {
        use Verdict::{Sat, Unsat};
        assert_eq!(Expectation::Seed(Relation::Weaker).settle(Some(Sat)), Some(Sat));
        assert_eq!(Expectation::Seed(Relation::Weaker).settle(Some(Unsat)), None);
        assert_eq!(Expectation::Seed(Relation::Stronger).settle(Some(Unsat)), Some(Unsat));
        assert_eq!(Expectation::Seed(Relation::Stronger).settle(Some(Sat)), None);
    }
}
