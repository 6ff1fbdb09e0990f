//! Tests of processes and sessions: one program, for each costs seconds to link. A new file is a line here.

mod common;
mod hostile;
mod real;
