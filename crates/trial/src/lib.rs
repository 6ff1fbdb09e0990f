//! The trial engine: scripts put to solvers under limits, judged, and confirmed in fresh processes.

mod confirm;
mod court;
mod error;
pub mod exam;
mod imply;
pub mod predicates;
mod regress;

pub use confirm::{Doubt, RUNS, confirm};
pub use court::{Contestant, Matter, is_interesting, query, run_fresh, settle_cores, try_case};
pub use error::{Error, ErrorKind};
pub use imply::{investigate as investigate_implication, silent, tries_key as implication_key};
pub use regress::{Suspicion, investigate as investigate_regression, suspicions, tries_key, tries_key_of};
