//! Values of terms that differ from those in the solver's own model.

use super::{Runs, Showing, said};
use smelt_core::{Kind, Verdict};

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::WrongValue,
    may_show: |outcome| said(outcome, Verdict::Sat) && !outcome.replies.is_empty(),
    runs: Runs::Accused,
    stays_sat: true,
};
