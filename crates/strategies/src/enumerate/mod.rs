//! Grammar-based enumeration: the scripts of a grammar in the order of their size, none stored.
//!
//! A [`Grammar`] is read from a text; an [`Enumerator`] counts its scripts by size, goes to the script of any index,
//! from there to the next ones, and back from a script to its index.
//!
//! - `read`: the text of a grammar. `check`: what is wrong with it. `grammar`: what is left of it for counting.
//! - `count`: how many words of each size. `walk`: the words, one after the other or by number. `parse`: a script's
//!   derivation, `rank` its number.
//! - `classes`: grammars of one script of each class. `catalog`: the built-in grammars.
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
