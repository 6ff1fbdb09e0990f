//! The adversary: tries to make smelt accuse an honest solver. Developers run it with `cargo xtask audit`; it is
//! not part of the `smelt` program.
//!
//! - [`audit`]: runs cases of every strategy and variant on the newest releases. If two solver families contradict
//!   smelt on one case, smelt is wrong.
//! - [`liar`]: an honest solver next to one that lies. No claim with evidence may accuse the honest one.
//! - [`cases`]: the strategies in turn, each in all its variants.

pub mod audit;
pub mod cases;
pub mod liar;
mod report;

pub use report::{Charge, Row, Tally};
