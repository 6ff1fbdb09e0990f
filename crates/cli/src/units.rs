//! Values on the command line: durations, sizes and statuses; and numbers of things.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use smelt_core::Verdict;

pub(crate) use smelt_core::units::{duration, size};

/// Reads a status: `sat` or `unsat`.
pub(crate) fn status() -> impl TypedValueParser<Value = Verdict> {
    let words = PossibleValuesParser::new(["sat", "unsat"]);
    words.map(|word| if word == "sat" { Verdict::Sat } else { Verdict::Unsat })
}

/// A number of things: `1 bug`, `2 bugs`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
