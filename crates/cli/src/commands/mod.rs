//! One module for each command of the command line.

pub(crate) mod eval;
pub(crate) mod parse;
