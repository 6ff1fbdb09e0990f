//! The `smelt` program: arguments, console, exit codes. The work is done in the crates below.
//!
//! A program of its own that adds strategies to smelt calls [`run_with`] with their rows.

mod commands;
mod console;
mod exit;
mod folders;
mod inputs;
mod output;
mod recipes;
mod request;
mod scripts;
mod setup;
mod units;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit::{Exit, Failure};

/// Finds bugs in SMT solvers: makes formulas, runs solvers, proves who is wrong.
#[derive(Parser)]
#[command(name = "smelt", version, about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Parse(commands::parse::Arguments),
    Eval(commands::eval::Arguments),
    Check(commands::check::Arguments),
    Solvers(commands::solvers::Arguments),
    Solve(commands::solve::Arguments),
    Fuzz(Box<commands::fuzz::Arguments>),
    Evolve(Box<commands::evolve::Arguments>),
    Bisect(commands::bisect::Arguments),
    Bugs(commands::bugs::Arguments),
    Replay(commands::replay::Arguments),
    Mutate(commands::mutate::Arguments),
    Generate(Box<commands::generate::Arguments>),
    Demo(commands::demo::Arguments),
    Enumerate(commands::enumerate::Arguments),
    Strategies(commands::strategies::Arguments),
    Seeds(commands::seeds::Arguments),
    Rules(commands::rules::Arguments),
    Reduce(Box<commands::reduce::Arguments>),
    Study(Box<commands::study::Arguments>),
    Report(commands::report::Arguments),
    Serve(commands::serve::Arguments),
}

/// Runs the command that the arguments of the process name, with these strategies besides smelt's own.
pub fn run_with(rows: &'static [smelt_strategies::Row]) -> ExitCode {
    smelt_strategies::register(rows);
    // Solvers are started by a helper that must be forked while smelt is small and has one thread.
    if let Err(e) = smelt_solvers::nursery::start() {
        let _ = writeln!(std::io::stderr(), "smelt: cannot start the helper that runs solvers: {e}");
        return Exit::Internal.into();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(e) => {
            // Help and version go to stdout with code 0, wrong usage to stderr with code 2.
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(Exit::Usage as u8));
        }
    };
    let result = match arguments.command {
        Command::Parse(a) => commands::parse::run(&a),
        Command::Eval(a) => commands::eval::run(&a),
        Command::Check(a) => commands::check::run(&a),
        Command::Solvers(a) => commands::solvers::run(&a),
        Command::Solve(a) => commands::solve::run(&a),
        Command::Fuzz(a) => commands::fuzz::run(&a),
        Command::Evolve(a) => commands::evolve::run(&a),
        Command::Bisect(a) => commands::bisect::run(&a),
        Command::Bugs(a) => commands::bugs::run(&a),
        Command::Replay(a) => commands::replay::run(&a),
        Command::Mutate(a) => commands::mutate::run(&a),
        Command::Generate(a) => commands::generate::run(&a),
        Command::Demo(a) => commands::demo::run(&a),
        Command::Enumerate(a) => commands::enumerate::run(&a),
        Command::Strategies(a) => commands::strategies::run(&a),
        Command::Seeds(a) => commands::seeds::run(&a),
        Command::Rules(a) => commands::rules::run(&a),
        Command::Reduce(a) => commands::reduce::run(&a),
        Command::Study(a) => commands::study::run(&a),
        Command::Report(a) => commands::report::run(&a),
        Command::Serve(a) => commands::serve::run(&a),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(Failure { exit, message }) => {
            let _ = writeln!(std::io::stderr(), "smelt: {message}");
            exit.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_and_flags_of_strategies_do_not_collide() {
        Arguments::command().debug_assert();
    }
}
