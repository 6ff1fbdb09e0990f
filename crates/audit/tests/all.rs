//! Tests of the adversary: one program, for each costs seconds to link. A new file is a line here.

mod audit;
mod liar;
