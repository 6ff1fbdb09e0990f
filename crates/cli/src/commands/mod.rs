//! One module for each command of the command line.

pub(crate) mod bisect;
pub(crate) mod bugs;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod enumerate;
pub(crate) mod eval;
pub(crate) mod evolve;
pub(crate) mod fuzz;
pub(crate) mod generate;
pub(crate) mod merge;
pub(crate) mod mutate;
pub(crate) mod parse;
pub(crate) mod reduce;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod rules;
pub(crate) mod seeds;
pub(crate) mod serve;
pub(crate) mod solve;
pub(crate) mod solvers;
pub(crate) mod strategies;
pub(crate) mod study;
