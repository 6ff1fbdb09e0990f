//! Regular languages: expressions as values, and operations on their languages.
//!
//! [`Regex`] is syntax, shared and immutable; its equality and order are structural. [`Languages`] decides
//! membership, emptiness and equality of languages, and implements the string functions that take a regular
//! expression.

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
