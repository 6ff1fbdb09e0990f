//! Strategies: how smelt makes test cases from seeds, one module for each technique.
//!
//! Seeds live in a [`Pool`]; a [`Strategy`] of the [`REGISTRY`] makes the next case into a [`Draft`], or says why it
//! made none. Every choice follows from the request's number, so a case can be made again from its seeds, the
//! strategy's name and options, and that number.
//!
//! ```
//! use smelt_strategies::{Draft, Options, Pool, Request, case_seed, find};
//! let mut pool = Pool::new();
//! let text = b"(declare-const x Int)(assert (> x 1))(check-sat)";
//! let seed = pool.add("example", text, None).unwrap();
//! let mut strategy = (find("operator").unwrap().make)(&Options::default()).unwrap();
//! let mut draft = Draft::default();
//! let request = Request { seed, partners: &[], rng: case_seed(1, strategy.name(), 0) };
//! strategy.next(&mut pool, &request, &mut draft).unwrap();
//! assert!(draft.text.starts_with(b"; smelt strategy=operator seed="));
//! ```

pub mod construct;
pub mod enumerate;
pub mod evolve;
pub mod fusion;
mod gate;
pub mod generative;
mod generator;
pub mod operator;
mod pool;
mod rng;
pub mod rules;
mod samples;
pub mod shuffle;
pub mod skeleton;
mod strategy;
pub mod synthesis;
mod template;
pub mod weaken;
mod widen;

pub use gate::{Classes, Gate};
pub use generator::{GENERATORS, Generator, GeneratorEntry, Layer, find_generator, generated};
pub use pool::{Pool, Seed, SeedId, Unusable};
pub use rng::{Rng, case_seed};
pub use strategy::{Draft, Entry, OptionError, Options, REGISTRY, Request, Skip, Strategy, find};
