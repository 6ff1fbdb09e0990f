//! Numbers: unbounded integers, exact rationals, and the real algebraic numbers that solvers print.
//!
//! The big integers are those of `dashu-int` (MIT or Apache-2.0), chosen on measured speed. Nanoseconds per
//! operation, release build, this project's machine:
//!
//! | operation | dashu 0.6 | num-bigint 0.4 | ibig 0.3 |
//! | --- | --- | --- | --- |
//! | add, 32 bits | 13 | 27 | 12 |
//! | multiply, 32 bits | 12 | 23 | 3 |
//! | gcd, 32 bits | 51 | 852 | 47 |
//! | multiply, 128 bits | 72 | 98 | 40 |
//! | gcd, 128 bits | 340 | 3766 | 1497 |
//! | gcd, 256 bits | 780 | 5947 | 4406 |
//! | multiply, 2048 bits | 1320 | 1193 | 1285 |
//! | add, 32768 bits | 584 | 342 | 496 |
//!
//! Rational arithmetic lives on gcd, and dashu keeps two machine words inline, so small values never
//! allocate. `rug` and `malachite` are LGPL and were not considered.

mod algebraic;
pub mod int;
mod poly;
mod rational;
mod real;

pub use algebraic::Algebraic;
pub use int::Int;
pub use poly::Poly;
pub use rational::Rational;
pub use real::Real;

/// Unbounded naturals.
pub type Nat = dashu_int::UBig;
