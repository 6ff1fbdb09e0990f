//! Runs SMT solvers fast and within limits.
//!
//! The input is text and the result is an outcome; nothing here knows terms. Every behaviour of a solver is an
//! [`Outcome`](smelt_core::Outcome); an [`Error`] means that smelt itself failed.
//!
//! - [`Profiles`]: what smelt knows of each solver, as data.
//! - [`SolverSpec`], [`Catalog`]: turn a SOLVER argument into a [`Solver`] that runs.
//! - [`Session`], [`SessionPool`]: submit, poll, cancel; live processes or one per query.
//! - [`Zoo`]: releases installed from wheels, each in its own folder.
//! - [`doctor`]: checks whether a solver on this machine supports what smelt needs.
//!
//! A small helper process, the [`nursery`], starts all solver processes, so that none of them outlives smelt. Linux
//! only: the nursery needs subreapers, memory files and `/proc`.

mod classify;
mod command;
mod dialect;
mod doctor;
mod error;
mod fence;
mod limits;
mod mark;
pub mod nursery;
mod output;
mod pool;
mod prepare;
mod printed;
mod process;
pub mod profile;
mod query;
mod releases;
mod report_policy;
mod rules;
mod script;
mod session;
mod soft;
mod solver;
mod spec;
mod tokens;
mod wear;
mod zoo;

pub use command::{CommandEnd, CommandRun, command_words, run_command};
pub use dialect::{Dialect, Escapes};
pub use doctor::{CheckResult, DoctorCheck, DoctorReport, doctor, doctor_basics};
pub use error::{Error, ErrorKind};
pub use fence::has_fences;
pub use limits::Limits;
pub use pool::{SessionId, SessionPool};
pub use printed::run_on_file;
pub use process::{Launch, find_program};
pub use profile::{ListRule, Profile, Profiles, closest};
pub use query::{Finished, Mode, Query, QueryId, SessionConfig};
pub use releases::Releases;
pub use report_policy::{ReportPolicy, SafeMode};
pub use session::Session;
pub use solver::{Catalog, InstalledSolver, Origin, Solver};
pub use spec::{SolverSpec, quote};
pub use zoo::{Installed, Zoo};
