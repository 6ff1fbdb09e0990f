//! Evolution of slow formulas: individuals, start populations, crossover, mutation, complexity, and the selection of
//! NSGA-II.
//!
//! An individual is the text of a script with one `check-sat`. A [`Breeder`] reads it into its arena, changes typed
//! terms there, prints the child and rolls back: a search of any length stays small, and what is kept on disk is what
//! solvers read. Constants are named after their sorts, so that individuals of different seeds share them.
//!
//! What an individual is worth is not decided here: scores come in from whoever runs solvers.

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
