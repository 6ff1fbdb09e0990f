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
//! Rational arithmetic is mostly gcd, and dashu keeps two machine words inline, so small values never
//! allocate. `rug` and `malachite` are LGPL and were not considered.
//!
//! [`Rational`] is our own: it skips the gcd where denominators are one or equal, as in most formulas. Instructions per
//! operation (callgrind, release build), ours and `dashu-ratio` 0.6's `RBig`:
//!
//! | operands | add | multiply | compare |
//! | --- | --- | --- | --- |
//! | integers | 202, 590 | 269, 1026 | 87, 77 |
//! | twelfths | 510, 1361 | 456, 1034 | 87, 77 |
//! | 3.14159 and 2.5 | 881, 1409 | 674, 1018 | 282, 345 |
//! | 1/3 and 22/7 | 655, 614 | 464, 1034 | 282, 345 |

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
