//! Triage: from a finding to a bug that a maintainer can act on.
//!
//! - [`Inquiry`], [`History`]: which releases of a solver show it.

mod class;
mod history;

pub use class::Class;
pub use history::{History, Inquiry, Release, Run, Standing, Symptom, Truth};
