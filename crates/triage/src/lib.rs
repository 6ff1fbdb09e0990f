//! Triage: turns a finding into a bug report for maintainers.
//!
//! - [`Examiner`]: reduces a finding and collects all facts for a report in a [`Dossier`].
//! - [`Inquiry`], [`History`]: which releases of a solver are affected.
//! - [`partition`]: which findings are the same bug.
//! - [`system`], [`now`], [`moment`]: the machine and the time.
//! - [`priority`], [`outside`], [`Mute`]: which bugs maintainers want reports on, and in which order.

mod desugar;
mod examine;
mod exchange;
mod group;
mod inquiry;
mod machine;
mod mute;
mod needs;
mod observation;
mod pair;
mod printed;
mod priority;
mod recognise;
mod rules;

pub use examine::{Examination, Examiner, Means, Unexamined};
pub use group::{Group, partition};
pub use inquiry::{Inquiry, Symptom};
pub use machine::{moment, now, system};
pub use mute::{MUTE_FILE, Mute, State, mark};
pub use priority::{Priority, priority};
pub use rules::outside;
