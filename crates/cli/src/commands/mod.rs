//! One module for each command of the command line.

pub(crate) mod check;
pub(crate) mod eval;
pub(crate) mod fuzz;
pub(crate) mod parse;
pub(crate) mod solvers;
pub(crate) mod solve;
