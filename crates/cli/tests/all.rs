//! Tests of the program from the outside: one program, for each costs seconds to link. A new file is a line here.

mod book;
#[cfg(feature = "postgres")]
mod books;
mod check;
mod common;
mod config;
mod enumerate;
mod evolve;
mod faults;
mod figures;
mod fuzz;
mod generate;
mod generate_construct;
mod grammar;
mod honest;
mod hostile;
mod incomplete;
#[cfg(feature = "postgres")]
mod load;
mod page;
mod parse;
mod queries;
mod reduce;
mod reports;
mod rules;
mod shards;
#[cfg(feature = "postgres")]
mod shared;
#[cfg(feature = "postgres")]
mod shared_study;
mod solve;
mod states;
mod texts;
mod triage;
mod useful;
mod view;
