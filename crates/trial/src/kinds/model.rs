//! Models that make an assertion false.

use super::{Runs, Showing, said};
use smelt_core::{Kind, Verdict};

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::InvalidModel,
    may_show: |outcome| said(outcome, Verdict::Sat),
    runs: Runs::Accused,
    stays_sat: true,
};
