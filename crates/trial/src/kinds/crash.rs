//! Crashes. The place of the crash is part of the predicate, because a finding is about one place.

use super::{Runs, Showing};
use smelt_core::{Kind, OutcomeKind};

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::Crash,
    may_show: |outcome| outcome.kind == OutcomeKind::Crash && outcome.comparable,
    runs: Runs::Accused,
    stays_sat: false,
};
