//! The meaning of SMT-LIB terms: values, and every theory function over values.
//!
//! There are two layers. The lower one ([`number`] to [`value`] below) knows values only, neither terms nor sorts. The
//! upper one ([`eval`] to [`optimum`]) evaluates terms, and reads and checks models.
//!
//! | module | owns |
//! | --- | --- |
//! | [`eval`] | terms to values, three-valued, under an interpretation of the script's symbols |
//! | [`model`] | what solvers print for `get-model` and `get-value`, and whether it satisfies a script |
//! | [`normal`] | normal forms of terms, by laws that need no search, and the truth values that follow from them |
//! | [`solver`] | the built-in reference solver: a library, and an SMT-LIB process fed with bytes |
//! | [`optimum`] | objectives, and checks of reported optima |
//! | [`number`] | unbounded integers, exact rationals, real algebraic numbers |
//! | [`bitvec`] | bit-vectors of any width |
//! | [`float`] | floating point of any format: exact arithmetic and one rounding step |
//! | [`sequence`] | functions shared by strings and sequences |
//! | [`string`] | strings of code points, literals and escapes |
//! | [`regex`] | regular languages: syntax, derivatives, emptiness, equality |
//! | [`value`] | the union of all values, with arrays, functions and datatypes |
//!
//! Nothing is guessed. Where the standard leaves a result open, or where the exact answer would cost too
//! much, a function returns a [`Gap`] that says which of the two it is.

pub mod bitvec;
pub mod eval;
pub mod exhaust;
pub mod float;
mod gap;
pub mod goal;
pub mod model;
pub mod normal;
pub mod number;
pub mod optimum;
pub mod recursion;
pub mod regex;
pub mod sequence;
pub mod solver;
pub mod string;
pub mod value;

pub use bitvec::BitVec;
pub use eval::{Evaluator, Unknown};
pub use float::{Float, Format, RoundingMode};
pub use gap::Gap;
pub use model::Model;
pub use number::{Int, Rational, Real};
pub use regex::Regex;
pub use string::Str;
pub use value::{Key, Value};

/// Runs a function that recurses as deep as the input makes it: the stack grows on the heap, and has room for the deepest
/// chain of frames between two such calls.
pub(crate) fn with_room<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, f)
}
