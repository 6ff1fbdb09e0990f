//! Triage: from a finding to a bug that a maintainer can act on.
//!
//! - [`Examiner`]: reduces a finding and finds out all that a report needs; a [`Dossier`] comes of it.
//! - [`Inquiry`], [`History`]: which releases of a solver show it.
//! - `spare`: examining in the spare time of a campaign.
//! - [`Bug`], [`bugs`], [`partition`]: the findings of a campaign that are one bug, the most urgent first.
//! - [`priority`], [`outside`], [`Mute`]: what maintainers want to hear of, and in which order.

mod class;
mod dossier;
mod examine;
mod group;
mod history;
mod mute;
mod priority;
mod rules;
mod spare;

pub use class::Class;
pub use dossier::{Culprit, Dossier, Figures, ModelShown, Needs, Said};
pub use examine::{Examination, Examiner, Means, Patient};
pub use group::{Bug, bugs, partition};
pub use history::{History, Inquiry, Release, Run, Standing, Symptom, Truth};
pub use mute::{MUTE_FILE, Mute};
pub use priority::{Priority, priority};
pub use rules::outside;
pub(crate) use spare::{AtWork, Spare};
