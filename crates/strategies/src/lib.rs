//! Strategies: how smelt makes test cases, one module per technique.
//!
//! A [`Row`] of the registry describes a strategy and its options, and creates it. Seeds are in a [`Pool`]. A
//! [`Strategy`] makes the next case into a [`Draft`], or gives a reason why it made none. Every choice follows from
//! the number of the request, so [`remake`] makes a case again from its seeds, the strategy's name and options, and
//! that number.
//!
//! ```
//! use smelt_strategies::{CaseRequest, Draft, Pool, case_seed, find};
//! let mut pool = Pool::new();
//! let text = b"(declare-const x Int)(assert (> x 1))(check-sat)";
//! let seed = pool.add("example", text, None).unwrap();
//! let row = find("operator").unwrap();
//! let mut strategy = row.make(&row.read("steps=3").unwrap()).unwrap();
//! let mut draft = Draft::default();
//! let request = CaseRequest { seeds: &[seed], number: case_seed(1, strategy.name(), 0) };
//! strategy.next(&mut pool, &request, &mut draft).unwrap();
//! assert!(draft.text.starts_with(b"; smelt strategy=operator seed="));
//! ```

mod alive;
mod certified;
mod collections;
pub mod construct;
mod eliminate;
pub mod enumerate;
pub mod evolve;
mod fusion;
mod gate;
mod generative;
mod interpolate;
mod operator;
mod optimize;
mod options;
mod per_seed;
mod pool;
mod probes;
mod queries;
mod query;
mod registry;
mod remake;
mod rng;
pub mod rules;
mod samples;
mod shuffle;
mod skeleton;
mod small;
mod strategy;
mod synthesis;
mod template;
#[cfg(test)]
mod tests;
mod transplant;
mod weaken;
mod widen;
mod workbench;

pub use alive::DeadWeight;
pub use gate::{Classes, Gate};
pub use options::{
    FileReader, LongFlag, OptionError, OptionKind, OptionRow, OptionText, Recipe, Way, Words, long_flags,
    parse_recipes,
};
pub use pool::{Pool, Seed, SeedId, Unusable};
pub use probes::{OperatorProbes, operator_probes};
pub use registry::{Needs, Row, find, names, register, rows, strategy};
pub use remake::remake;
pub use rng::{Rng, case_number, case_seed, toward};
pub use strategy::{CaseRequest, Draft, Layer, Skip, Strategy};
