//! Wrong answers, and answers that contradict each other.

use super::{Runs, Showing, said};
use smelt_core::{Kind, Verdict};

pub(super) const REFUTATION: Showing = Showing {
    kind: Kind::RefutationUnsound,
    may_show: |outcome| said(outcome, Verdict::Unsat),
    runs: Runs::Witnesses,
    stays_sat: false,
};

pub(super) const SOLUTION: Showing =
    Showing { kind: Kind::SolutionUnsound, may_show: |outcome| said(outcome, Verdict::Sat), ..REFUTATION };

pub(super) const DISAGREEMENT: Showing = Showing {
    kind: Kind::Unsound,
    may_show: |outcome| said(outcome, Verdict::Sat) || said(outcome, Verdict::Unsat),
    ..REFUTATION
};
