//! Tests of values, evaluation and the built-in solver: one program, for each costs seconds to link. A new file is a line here.

mod bitvec;
mod common;
mod faults;
mod finite;
mod float_hardware;
mod float_tiny;
mod float_wide;
mod fp_crafted;
mod models;
mod open;
mod operators_agree;
mod regex;
mod session;
mod solver_models;
