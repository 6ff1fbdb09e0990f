//! Normal forms of terms, by laws that need no search: constants are folded, connectives flattened and sorted, sums and
//! comparisons brought into one form, and a few laws of each theory applied.
//!
//! Terms with one normal form are equal in every interpretation; terms with two may be equal too. What simplifies to
//! true or false here tests no more of a solver than its simplifier: see [`decided`].
//!
//! Normal forms are nodes in a table of their own, so nothing is built in the arena. They refer to the arena's ids:
//! whoever rolls an arena back rolls back the normal forms of what was made in it.

mod connective;
mod datatype;
mod decide;
mod equality;
mod law;
mod node;
mod range;
mod read;
mod strings;
mod sum;

pub use datatype::Datatypes;
pub use decide::{Decided, decided};
pub use node::{Mark, Normal, Normals};

#[cfg(test)]
mod tests;
