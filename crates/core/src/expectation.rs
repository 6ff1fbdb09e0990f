//! What a strategy knows about the answer to its test case.

use crate::Verdict;
use serde::{Deserialize, Serialize};

/// What is known of the answer to one query of a test case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expectation {
    /// Known by construction, if the labels of the seeds hold that it was made from.
    Known(Verdict),
    /// Related to the answer to another script, which the case carries.
    Related(Relation),
    /// Nothing is known: compare solvers with each other.
    #[default]
    Open,
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
    /// Satisfiable by construction.
    pub const SAT: Expectation = Expectation::Known(Verdict::Sat);
    /// Unsatisfiable by construction.
    pub const UNSAT: Expectation = Expectation::Known(Verdict::Unsat);

    /// The answer by construction, if that is known.
    pub fn known(self) -> Option<Verdict> {
        match self {
            Expectation::Known(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// The correct answer, given the seed's verdict if that is known; `None` when nothing follows.
    pub fn settle(self, seed: Option<Verdict>) -> Option<Verdict> {
        use Verdict::{Sat, Unsat};
        match (self, seed) {
            (Expectation::Known(verdict), _) => Some(verdict),
            (Expectation::Related(Relation::Same), Some(v @ (Sat | Unsat))) => Some(v),
            (Expectation::Related(Relation::Weaker), Some(Sat)) => Some(Sat),
            (Expectation::Related(Relation::Stronger), Some(Unsat)) => Some(Unsat),
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
            assert_eq!(Expectation::Related(relation).settle(Some(Verdict::Unknown)), None);
            assert_eq!(Expectation::Related(relation).settle(None), None);
        }
    }

    #[test]
    fn weaker_carries_sat_and_stronger_carries_unsat_only() {
        use Verdict::{Sat, Unsat};
        assert_eq!(Expectation::Related(Relation::Weaker).settle(Some(Sat)), Some(Sat));
        assert_eq!(Expectation::Related(Relation::Weaker).settle(Some(Unsat)), None);
        assert_eq!(Expectation::Related(Relation::Stronger).settle(Some(Unsat)), Some(Unsat));
        assert_eq!(Expectation::Related(Relation::Stronger).settle(Some(Sat)), None);
    }
}
