//! Grammar-based enumeration: the scripts of a grammar in order of size, without storing any.
//!
//! A [`Grammar`] is read from a text. An [`Enumerator`] counts its scripts by size, finds the script of any index
//! and the next ones, and the index of a script.
//!
//! - `read`: the text of a grammar. `check`: errors in it. `grammar`: its form for counting.
//! - `count`: the number of words of each size. `walk`: the words, one after the other or by number. `parse`: the
//!   derivation of a script; `rank`: its number.
//! - `classes`: grammars with one script per class. `catalog`: the built-in grammars.
//! - `strategy`: the strategy `enumerate`.
//!
//! ```
//! use smelt_strategies::enumerate::{Enumerator, Grammar, Params};
//! let grammar = Grammar::read("grammar G; start: '(' x ')'; x: 'a' | x '+' x;", Params::default()).unwrap();
//! let mut all = Enumerator::new(grammar);
//! assert!(all.seek(&2u8.into()));
//! assert_eq!(all.text(), b"(a + a + a)");
//! ```

mod catalog;
mod check;
mod classes;
mod count;
mod enumerator;
mod grammar;
mod header;
mod params;
mod parse;
mod rank;
mod read;
mod strategy;
mod walk;

pub use catalog::{CATALOG, PRINTED, Shipped, shipped};
pub use check::Ambiguity;
pub use classes::Classes;
/// The number of a script: as large as it comes.
pub use dashu_int::UBig as Index;
pub use enumerator::Enumerator;
pub use grammar::Grammar;
pub use header::Header;
pub use params::Params;
pub use read::GrammarError;
pub(crate) use strategy::ROW;
pub use strategy::load;

#[cfg(test)]
mod tests;
