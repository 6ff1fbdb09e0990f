//! Crashes. That the place is the same is a part of the predicate, since it is that of one finding.

use super::{Runs, Showing};
use smelt_core::{Kind, OutcomeKind};

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::Crash,
    may_show: |outcome| outcome.kind == OutcomeKind::Crash && outcome.comparable,
    runs: Runs::Accused,
    stays_sat: false,
};
