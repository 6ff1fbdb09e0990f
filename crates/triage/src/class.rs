//! Classes of kinds: one wrong operator can show as a wrong unsat, a wrong sat or a wrong model, depending on the
//! trigger.

use smelt_core::{FindingKind, Verdict, fixed_words};

fixed_words! {
    /// Kinds that one bug can show as, by their word in fingerprints.
    Class {
        /// A wrong answer, or a wrong model.
        Wrong = "wrong",
        /// A wrong unsat core.
        Core = "core",
        /// The solver crashes.
        Crash = "crash",
        /// It gives up.
        Unknown = "unknown",
        /// It takes too long, or too much memory.
        Slow = "slow",
    }
}

impl Class {
    /// Whether an operator or a construct alone can be at fault: a solver that evaluates one wrongly may also fail to
    /// decide a formula with it, or search in vain.
    pub(crate) fn may_be_of_one_part(self) -> bool {
        matches!(self, Class::Wrong | Class::Unknown | Class::Slow)
    }

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
}

/// The answer that is wrong in a finding of a kind, or that comes with a wrong model, if the kind tells it.
pub(crate) fn wrong_answer(kind: FindingKind) -> Option<Verdict> {
    match kind {
        FindingKind::RefutationUnsound => Some(Verdict::Unsat),
        FindingKind::SolutionUnsound | FindingKind::InvalidModel => Some(Verdict::Sat),
        _ => None,
    }
}
