//! The search for slow formulas: finds scripts on which a target solver is slow and a reference solver is fast.
//!
//! [`run`] computes generations: individuals are measured ([`measure`]), scored ([`score`], [`coverage`]), kept
//! diverse ([`trace`]) and bred by `smelt_strategies::evolve`. A script on which the target times out is a
//! candidate. During the search, candidates are reduced, confirmed with a longer limit and stored as findings
//! ([`confirm`]). After each generation the state is saved, so that the search can be resumed ([`state`]).

mod candidates;
mod chain;
mod confirm;
pub mod coverage;
mod individual;
mod lacking;
mod measure;
mod paper;
mod score;
mod search;
mod state;
mod trace;

pub use chain::{Along, Chains, Step};
pub use confirm::Confirmed;
pub use individual::{Individual, Timing};
pub use score::{Crowding, Objective, Selection, time_score};
pub use search::{Config, Start, Summary, run};
pub use state::{Generation, Recorded, State};
pub use trace::{Sequence, Trace, TraceBuilder};

/// The strategy name of a stored individual, without options. The individual is its own seed: no number makes it again.
/// The strategy of the same name has options.
pub(crate) const EVOLVE: &str = "evolve";
