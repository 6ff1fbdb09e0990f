//! What an oracle calls a bug, and why it is believed. It stays a *finding* until confirmed.

use crate::SolverId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Said unsat, is sat.
    RefutationUnsound,
    /// Said sat, is unsat.
    SolutionUnsound,
    /// Two answers disagree and it is not settled which is wrong.
    Unsound,
    /// The model given does not satisfy the formula.
    InvalidModel,
    /// The unsat core given is satisfiable, or names what was not asserted.
    InvalidCore,
    /// The solver died.
    Crash,
    /// An older release decided what this one does not.
    IncompleteRegression,
    /// A formula implied by a decided one is not decided.
    IncompleteImplication,
    /// An older release was much faster.
    PerfRegression,
    /// No end within many times the usual limit.
    Hang,
}

impl FindingKind {
    /// Every kind, in the order of the design.
    pub const ALL: [FindingKind; 10] = [
        FindingKind::RefutationUnsound,
        FindingKind::SolutionUnsound,
        FindingKind::Unsound,
        FindingKind::InvalidModel,
        FindingKind::InvalidCore,
        FindingKind::Crash,
        FindingKind::IncompleteRegression,
        FindingKind::IncompleteImplication,
        FindingKind::PerfRegression,
        FindingKind::Hang,
    ];

    /// The fixed word.
    pub fn as_str(self) -> &'static str {
        match self {
            FindingKind::RefutationUnsound => "refutation-unsound",
            FindingKind::SolutionUnsound => "solution-unsound",
            FindingKind::Unsound => "unsound",
            FindingKind::InvalidModel => "invalid-model",
            FindingKind::InvalidCore => "invalid-core",
            FindingKind::Crash => "crash",
            FindingKind::IncompleteRegression => "incomplete-regression",
            FindingKind::IncompleteImplication => "incomplete-implication",
            FindingKind::PerfRegression => "perf-regression",
            FindingKind::Hang => "hang",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a finding is believed. The order of the variants is the order of strength, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// A model that smelt's own evaluator finds true on every assertion proves sat.
    Model,
    /// The status is known by how the formula was made.
    Construction,
    /// A checked relation to a formula the same solver answered.
    Metamorphic,
    /// k of n solvers say so.
    Vote,
    /// The solver's own checker says so.
    SelfCheck,
}

impl Evidence {
    /// Every kind of evidence, strongest first.
    pub const ALL: [Evidence; 5] =
        [Evidence::Model, Evidence::Construction, Evidence::Metamorphic, Evidence::Vote, Evidence::SelfCheck];

    /// The fixed word.
    pub fn as_str(self) -> &'static str {
        match self {
            Evidence::Model => "model",
            Evidence::Construction => "construction",
            Evidence::Metamorphic => "metamorphic",
            Evidence::Vote => "vote",
            Evidence::SelfCheck => "self-check",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One finding, as it is stored and as other programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its name within a campaign.
    pub id: String,
    /// What went wrong.
    pub kind: FindingKind,
    /// Which solver.
    pub solver: SolverId,
    /// The strategy that made the case, if one did.
    pub strategy: Option<String>,
    /// The theory at fault, as far as known.
    pub theory: Option<String>,
    /// Why it is believed; `None` where the outcome speaks for itself (a crash, a hang).
    pub evidence: Option<Evidence>,
    /// The identity of the bug behind it.
    pub fingerprint: String,
    /// The script that shows it.
    pub file: String,
    /// The reduced script, once there is one.
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
