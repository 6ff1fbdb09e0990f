//! Normal forms of terms, by laws that need no search: constants are folded, connectives flattened and sorted, sums
//! and comparisons brought into one form, and a few laws of each theory applied.
//!
//! Terms with the same normal form are equal in every interpretation; terms with different forms may also be equal.
//! A script that simplifies to true or false here tests only the simplifier of a solver: see [`decided`].
//!
//! Normal forms are nodes in a separate table, so nothing is built in the arena. They refer to the arena's ids: if
//! you roll back an arena, roll back the normal forms of the new terms too.

mod connective;
mod datatype;
mod decide;
mod equality;
mod law;
mod node;
mod range;
mod read;
mod sequences;
mod strings;
mod sum;

pub use datatype::Datatypes;
pub use decide::{Decided, decided};
pub use node::{Mark, Normal, Normals};

#[cfg(test)]
mod tests;
