//! How to reproduce a finding of each kind: one row for each kind that the oracle claims about a single script. The
//! texts of a kind are in its row in `core`; missing answers have separate predicates.

mod answer;
mod core;
mod crash;
mod interpolant;
mod model;
mod optimum;
mod proof;
mod rewrite;
mod value;

use smelt_core::{Kind, Outcome, Verdict};

/// Who must run so that the oracle can make the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The accused: its own outcome shows the bug.
    Accused,
    /// Others too, if neither the case nor a search through all assignments shows that the accused is wrong.
    Witnesses,
}

/// How a finding of a kind is shown again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Showing {
    /// The kind.
    pub(crate) kind: Kind,
    /// Whether the outcome of an accused can be such a finding at all.
    pub(crate) may_show: fn(&Outcome) -> bool,
    /// Who must run.
    pub(crate) runs: Runs,
    /// Whether the formula must stay satisfiable, if it was: else another bug would be shown.
    pub(crate) stays_sat: bool,
}

/// The kinds, in the order in which findings are preferred.
const SHOWINGS: [Showing; 11] = [
    answer::REFUTATION,
    answer::SOLUTION,
    answer::DISAGREEMENT,
    model::SHOWING,
    value::SHOWING,
    optimum::SHOWING,
    rewrite::SHOWING,
    core::SHOWING,
    interpolant::SHOWING,
    proof::SHOWING,
    crash::SHOWING,
];

/// How a finding of this kind is shown again, and its rank; `None` for late answers.
pub(crate) fn showing(kind: Kind) -> Option<(usize, &'static Showing)> {
    SHOWINGS.iter().enumerate().find(|(_, row)| row.kind == kind)
}

/// Whether a solver gave this answer to a query.
fn said(outcome: &Outcome, verdict: Verdict) -> bool {
    outcome.verdicts().any(|answer| answer == Some(verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_shown_again_or_is_about_a_late_answer() {
        for kind in Kind::ALL {
            assert_eq!(showing(kind).is_none(), kind.class().is_late(), "{kind}");
        }
    }
}
