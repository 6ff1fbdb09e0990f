//! Findings: outcomes that an oracle calls a bug, with the evidence. It is a *finding* until confirmed.

use crate::SolverId;
use crate::word::fixed_words;
use serde::{Deserialize, Serialize};

fixed_words! {
    /// The kind of a finding.
    FindingKind {
        /// The solver said unsat; the formula is sat.
        RefutationUnsound = "refutation-unsound",
        /// The solver said sat; the formula is unsat.
        SolutionUnsound = "solution-unsound",
        /// Two answers disagree and it is not settled which is wrong.
        Unsound = "unsound",
        /// The model given does not satisfy the formula.
        InvalidModel = "invalid-model",
        /// The unsat core given is satisfiable, or has a name that was not asserted.
        InvalidCore = "invalid-core",
        /// The solver died.
        Crash = "crash",
        /// An older release decided what this one does not.
        IncompleteRegression = "incomplete-regression",
        /// A formula implied by a decided one is not decided.
        IncompleteImplication = "incomplete-implication",
        /// An older release was much faster.
        PerfRegression = "perf-regression",
        /// The solver did not end within many times the usual limit.
        Hang = "hang",
    }
}

fixed_words! {
    /// Why we believe a finding. The order of the variants is the order of strength, strongest first.
    Evidence {
        /// A model that smelt's own evaluator finds true on every assertion proves sat.
        Model = "model",
        /// Every assignment of a small finite formula was evaluated.
        Exhaustive = "exhaustive",
        /// The status is known by how the formula was made.
        Construction = "construction",
        /// A checked relation to a formula the same solver answered.
        Metamorphic = "metamorphic",
        /// k of n solvers say so.
        Vote = "vote",
        /// The solver's own checker says so.
        SelfCheck = "self-check",
    }
}

/// One finding, as it is stored and as other programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its id within a campaign.
    pub id: String,
    /// What went wrong.
    pub kind: FindingKind,
    /// Which solver.
    pub solver: SolverId,
    /// The strategy that made the case, if one did.
    pub strategy: Option<String>,
    /// The theory at fault, if known.
    pub theory: Option<String>,
    /// Why we believe it; `None` for an outcome that needs no evidence (a crash, a hang).
    pub evidence: Option<Evidence>,
    /// The identity of the bug behind it.
    pub fingerprint: String,
    /// The script that shows it.
    pub file: String,
    /// The reduced script, if it was reduced.
    pub reduced: Option<String>,
    /// Size of the smallest script that shows it.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serialised_word_of_each_kind_is_the_word_people_read() {
        for kind in FindingKind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
        for evidence in Evidence::ALL {
            assert_eq!(serde_json::to_string(&evidence).unwrap(), format!("\"{evidence}\""));
        }
    }

    #[test]
    fn stronger_evidence_sorts_first() {
        assert!(Evidence::ALL.is_sorted());
    }

    #[test]
    fn a_finding_has_the_fields_other_programs_read() {
        let finding = Finding {
            id: "1".into(),
            kind: FindingKind::Crash,
            solver: SolverId::new("z3", Some("4.8.7".parse().unwrap())),
            strategy: None,
            theory: None,
            evidence: None,
            fingerprint: "f".into(),
            file: "a.smt2".into(),
            reduced: None,
            bytes: 3,
        };
        let json = serde_json::to_value(&finding).unwrap();
        for key in [
            "id",
            "kind",
            "solver",
            "strategy",
            "theory",
            "evidence",
            "fingerprint",
            "file",
            "reduced",
            "bytes",
        ] {
            assert!(json.get(key).is_some(), "{key}");
        }
        assert_eq!(json["solver"], "z3@4.8.7");
        assert_eq!(serde_json::from_value::<Finding>(json).unwrap(), finding);
    }
}
