//! The trial engine: runs solvers on scripts under limits, judges the outcomes, and confirms findings in fresh
//! processes.
//!
//! Every command that runs solvers uses this crate, so that "no false alarms" has one owner.
//!
//! - [`Lineup`], [`Panel`]: the solvers of a trial and their sessions; the one loop that waits for solvers.
//! - [`Trial`], [`Judged`]: a script with its expectation, and the oracle's judgement of its outcomes.
//! - [`RUNS`], [`repeated`], [`Panel::confirm`]: the confirmation policy.
//! - [`suspicions`], [`Inquest`]: missing answers, compared with another release or with the previous step.
//! - [`established`], [`believed`]: the status of seeds by evidence, and what to expect of their mutants.
//! - [`grade`]: grades every answer to cases of known status.
//! - [`provers`], [`Panel::prove`], [`entailment`]: scripts that solvers must show unsatisfiable.
//! - [`predicates`]: conditions that must stay true while a script is reduced.
//! - [`in_parallel`], [`lock`]: work on several threads.

mod confirm;
mod error;
pub mod grade;
mod incomplete;
mod kinds;
mod panel;
mod parallel;
pub mod predicates;
mod prove;
mod solver;
mod status;
mod trial;

pub use confirm::{RUNS, repeated};
pub use error::{Error, ErrorKind};
pub use incomplete::{AT_ONCE, Inquest, SLOW, Suspicion, is_decided, is_unknown, suspicions};
pub use panel::{IsOver, Lineup, Panel};
pub use parallel::{in_parallel, lock};
pub use prove::{Proof, entailment, provers};
pub use solver::{NamedSolver, labels};
pub use status::{Established, Standing, believed, established};
pub use trial::{Judged, Scrutiny, Trial, answered_claims, query};
