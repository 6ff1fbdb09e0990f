//! Unsat cores that have a model.

use super::{Runs, Showing, said};
use smelt_core::{Kind, Verdict};

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::InvalidCore,
    may_show: |outcome| said(outcome, Verdict::Unsat),
    runs: Runs::Witnesses,
    stays_sat: false,
};
