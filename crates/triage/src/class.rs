//! What two findings of one bug have in common: a wrong operator shows as a wrong unsat, a wrong sat or a wrong
//! model, whatever its trigger happens to be.

use smelt_core::FindingKind;

/// Kinds that one bug can show as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A wrong answer, or a wrong model.
    Wrong,
    /// A wrong unsat core.
    Core,
    /// The solver dies.
    Crash,
    /// It gives up.
    Unknown,
    /// It takes too long, or too much memory.
    Slow,
}

impl Class {
    /// The class of a kind.
    pub fn of(kind: FindingKind) -> Class {
        match kind {
            FindingKind::RefutationUnsound
            | FindingKind::SolutionUnsound
            | FindingKind::Unsound
            | FindingKind::InvalidModel => Class::Wrong,
            FindingKind::InvalidCore => Class::Core,
            FindingKind::Crash => Class::Crash,
            FindingKind::IncompleteRegression | FindingKind::IncompleteImplication => Class::Unknown,
            FindingKind::PerfRegression | FindingKind::Hang => Class::Slow,
        }
    }

    /// As in fingerprints.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Wrong => "wrong",
            Class::Core => "core",
            Class::Crash => "crash",
            Class::Unknown => "unknown",
            Class::Slow => "slow",
        }
    }
}
