//! Simplified terms and goals of tactics that are not equivalent to the original.

use super::{Runs, Showing};
use smelt_core::Kind;

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::WrongRewrite,
    may_show: |outcome| !outcome.replies.is_empty(),
    runs: Runs::Accused,
    stays_sat: false,
};
