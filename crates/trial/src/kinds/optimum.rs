//! Wrong optima: reported values that are not the best values of their objectives.

use super::{Runs, Showing, said};
use smelt_core::{Kind, Verdict};

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::WrongOptimum,
    may_show: |outcome| said(outcome, Verdict::Sat) && !outcome.replies.is_empty(),
    runs: Runs::Accused,
    stays_sat: false,
};
