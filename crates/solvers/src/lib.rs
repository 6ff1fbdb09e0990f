//! Runs SMT solvers: any of them, fast, within limits.
//!
//! Text goes in, outcomes come out; nothing here knows terms. What a solver does, however bad, is an
//! [`Outcome`](smelt_core::Outcome); an [`Error`] means that smelt itself failed.
//!
//! - [`Profiles`]: what smelt knows of each solver, as data.
//! - [`SolverSpec`], [`Catalog`]: from a SOLVER argument to a [`Solver`] that runs.
//! - [`Session`], [`SessionPool`]: submit, poll, cancel; live processes or one per query.
//! - [`Zoo`]: releases installed from wheels, each in a folder of its own.
//! - [`doctor`]: checks whether a solver does on this machine what smelt needs.
//!
//! A small helper process, the [`nursery`], starts all others, so that none of them outlives smelt.
//! Linux only: the nursery needs subreapers, memory files and `/proc`.

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
pub use report_policy::{ReportPolicy, SafeMode};
pub use session::Session;
pub use solver::{Catalog, InstalledSolver, Origin, Solver};
pub use spec::{SolverSpec, quote};
pub use zoo::{Installed, Zoo};
