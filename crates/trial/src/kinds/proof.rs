//! Proofs with a step that does not follow from its premises.

use super::{Runs, Showing, said};
use smelt_core::{Kind, Verdict};

pub(super) const SHOWING: Showing = Showing {
    kind: Kind::InvalidProof,
    may_show: |outcome| said(outcome, Verdict::Unsat) && !outcome.replies.is_empty(),
    runs: Runs::Accused,
    stays_sat: false,
};
