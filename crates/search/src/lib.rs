//! Hunting slow formulas: a population of scripts is bred towards what a target solver takes long for and a reference
//! does at once.
//!
//! [`run`] goes through generations: individuals are measured ([`measure`]), scored ([`score`], [`coverage`]), kept
//! diverse ([`trace`]) and bred by `smelt_strategies::evolve`. What the target does not finish is a candidate; beside
//! the search candidates are made smaller, confirmed at a longer limit and stored as findings ([`confirm`]). After each
//! generation everything needed to go on is on disk ([`state`]).

mod candidates;
mod confirm;
pub mod coverage;
mod individual;
mod measure;
mod score;
mod search;
mod state;
mod trace;

pub use confirm::Confirmed;
pub use individual::{Individual, Timing};
pub use score::{Crowding, Objective, Selection, time_score};
pub use search::{Config, Start, Summary, run};
pub use state::{Generation, State};
pub use trace::{Trace, TraceBuilder};

/// The name under which an individual is stored, without options. It is its own seed: no number makes it again. The
/// strategy of this name has options.
pub(crate) const EVOLVE: &str = "evolve";
