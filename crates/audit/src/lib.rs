//! The adversary: tries to make smelt accuse an honest solver. Developers run it with `cargo xtask audit`; the program of
//! users has none of it.
//!
//! - [`audit`]: cases of every strategy and way against the newest releases. Two families of solvers that contradict smelt
//!   on one case show a mistake of smelt.
//! - [`liar`]: an honest solver beside one that lies. No claim with evidence may accuse the honest one.
//! - [`cases`]: the strategies in turn, each in all its ways.

pub mod audit;
pub mod cases;
pub mod liar;
mod report;

pub use report::{Charge, Row, Tally};
