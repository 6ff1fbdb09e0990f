//! Tests of the front end: one program, for each costs seconds to link. A new file is a line here.

mod corpus;
mod limits;
mod random_terms;
mod rubbish;
mod solvers_agree;
