//! Values on the command line: durations, sizes and statuses.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use smelt_core::Verdict;

pub(crate) use smelt_core::units::{duration, size};

/// Reads a status: `sat` or `unsat`.
pub(crate) fn status() -> impl TypedValueParser<Value = Verdict> {
    let words = PossibleValuesParser::new(["sat", "unsat"]);
    words.map(|word| if word == "sat" { Verdict::Sat } else { Verdict::Unsat })
}
