//! Regular languages: expressions as values, and the questions one can ask about them.
//!
//! [`Regex`] is syntax, shared and immutable; equality and order on it are structural. [`Languages`] answers
//! questions about its meaning: membership, emptiness, equality of languages, and the string functions that
//! take an expression.

mod languages;
mod shape;
mod syntax;

pub use languages::{Language, Languages};
pub(crate) use syntax::Kind;
pub use syntax::Regex;

use crate::string::MAX_CODE;

/// Sorted, disjoint and non-adjacent ranges of code points.
pub(crate) type CharSet = Vec<(u32, u32)>;

/// All code points.
pub(crate) const EVERY_CHAR: (u32, u32) = (0, MAX_CODE);
