//! Interpolants that do not separate the two parts that they were made for.

use super::{Runs, Showing};
use smelt_core::Kind;

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::InvalidInterpolant,
    may_show: |outcome| !outcome.replies.is_empty(),
    runs: Runs::Accused,
    stays_sat: false,
};
