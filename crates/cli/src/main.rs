//! The `smelt` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    smelt::run_with(&[])
}
