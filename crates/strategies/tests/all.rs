//! Tests of strategies over seeds and solvers: one program, for each costs seconds to link. A new file is a line here.

mod common;
mod corpus;
mod rules;
mod snippets;
