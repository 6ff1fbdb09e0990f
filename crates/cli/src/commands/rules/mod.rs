//! `smelt rules`: checks files of rules, and searches for new ones.

mod check;
mod discover;

use crate::exit::{Exit, Failure};

/// Check rewrite and mutation rules, or discover new ones
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Check(check::Arguments),
    Discover(discover::Arguments),
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    match &a.command {
        Command::Check(a) => check::run(a),
        Command::Discover(a) => discover::run(a),
    }
}
