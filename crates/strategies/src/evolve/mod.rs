//! Evolution of slow formulas: individuals, start populations, crossover, mutation, complexity, and the selection
//! of NSGA-II.
//!
//! An individual is the text of a script with one `check-sat`. A [`Breeder`] reads it into its arena, changes typed
//! terms there, prints the child and rolls back. So memory stays bounded, and files on disk are exactly what
//! solvers read. Constants are named after their sorts, so that individuals from different seeds share them.
//!
//! Scores are not computed here: the caller, who runs solvers, provides them.

mod breeder;
mod complexity;
mod crossover;
mod genome;
mod mutation;
mod nsga;
mod palette;
mod start;
mod strategy;
mod without;

pub use breeder::{Breeder, Probe};
pub use complexity::{complexity, complexity_of};
pub use mutation::{MUTATIONS, Mutation};
pub use nsga::{crowding, dominates, fronts, select, tournament};
pub use start::{THEORIES, Theory, find_theory};
pub(crate) use strategy::ROW;
