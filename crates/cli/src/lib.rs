//! The `smelt` program: arguments, console, exit codes. The work is done in the crates below.
//!
//! A program that adds its own strategies to smelt calls [`run_with`] with their rows.

mod commands;
mod console;
mod exit;
mod folders;
mod help;
mod inputs;
mod output;
#[cfg(feature = "postgres")]
mod password;
mod recipes;
mod request;
mod scripts;
mod setup;
mod style;
mod table;
mod trust;
mod units;
mod view;

use std::io::Write;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
use exit::{Exit, Failure};

/// Find bugs in SMT solvers: generate formulas, run solvers, check every answer.
#[derive(Parser)]
#[command(name = "smelt", version, about, arg_required_else_help = true, after_help = FIRST_STEPS)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Colours: auto, always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto", hide_possible_values = true, help_heading = help::MORE)]
    color: style::When,
}

const FIRST_STEPS: &str = "\
First steps:
  smelt demo                                 a first campaign, offline, one minute
  smelt solvers install z3 cvc5              install the newest releases
  smelt fuzz -S z3 -S cvc5 --time 10m        test them for ten minutes
Exit codes: 0 nothing found, 10 findings, 2 wrong usage or input, 1 internal error";

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::Arguments),
    Fuzz(Box<commands::fuzz::Arguments>),
    Merge(commands::merge::Arguments),
    #[cfg(feature = "postgres")]
    Join(Box<commands::join::Arguments>),
    #[cfg(feature = "postgres")]
    Status(commands::status::Arguments),
    Bugs(commands::bugs::Arguments),
    Replay(commands::replay::Arguments),
    Report(commands::report::Arguments),
    Serve(commands::serve::Arguments),
    Check(commands::check::Arguments),
    Reduce(Box<commands::reduce::Arguments>),
    Bisect(commands::bisect::Arguments),
    #[command(alias = "slow")]
    Evolve(Box<commands::evolve::Arguments>),
    #[command(alias = "compare")]
    Study(Box<commands::study::Arguments>),
    Mutate(commands::mutate::Arguments),
    Generate(Box<commands::generate::Arguments>),
    Enumerate(commands::enumerate::Arguments),
    Strategies(commands::strategies::Arguments),
    Seeds(commands::seeds::Arguments),
    Rules(commands::rules::Arguments),
    Parse(commands::parse::Arguments),
    Eval(commands::eval::Arguments),
    Solve(commands::solve::Arguments),
    Solvers(commands::solvers::Arguments),
    Config(commands::config::Arguments),
    Completions(commands::completions::Arguments),
    Man(commands::completions::ManArguments),
}

/// All commands with all options.
fn whole() -> clap::Command {
    help::tailored(Arguments::command(), &["--help".into()])
}

/// Runs the command given by the process arguments, with these strategies in addition to smelt's own.
pub fn run_with(rows: &'static [smelt_strategies::Row]) -> ExitCode {
    smelt_strategies::register(rows);
    #[cfg(feature = "postgres")]
    if let Err(e) = password::hide() {
        let _ = writeln!(std::io::stderr(), "smelt: cannot hide the password: {e}; use PGPASSFILE instead");
        return Exit::Internal.into();
    }
    // Solvers are started by a helper process, which must be forked while smelt is small and has one thread.
    if let Err(e) = smelt_solvers::nursery::start() {
        let _ = writeln!(std::io::stderr(), "smelt: cannot start the helper that runs solvers: {e}");
        return Exit::Internal.into();
    }
    let words = help::arguments();
    let matches = help::tailored(Arguments::command(), &words).try_get_matches_from(&words);
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(e) => {
            // Help and version go to stdout with code 0, wrong usage to stderr with code 2.
            let _ = match e.kind() {
                DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => e.print(),
                _ => write!(std::io::stderr(), "{}", help::mistake(&e)),
            };
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(Exit::Usage as u8));
        }
    };
    style::set(arguments.color);
    let result = match arguments.command {
        Command::Parse(a) => commands::parse::run(&a),
        Command::Eval(a) => commands::eval::run(&a),
        Command::Check(a) => commands::check::run(&a),
        Command::Solvers(a) => commands::solvers::run(&a),
        Command::Config(a) => commands::config::run(&a),
        Command::Completions(a) => commands::completions::run(&a, whole()),
        Command::Man(a) => commands::completions::man(&a, whole()),
        Command::Solve(a) => commands::solve::run(&a),
        Command::Fuzz(a) => commands::fuzz::run(&a),
        Command::Merge(a) => commands::merge::run(&a),
        #[cfg(feature = "postgres")]
        Command::Join(a) => commands::join::run(&a),
        #[cfg(feature = "postgres")]
        Command::Status(a) => commands::status::run(&a),
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
        Err(Failure { exit: Exit::ClosedPipe, .. }) => Exit::ClosedPipe.into(),
        Err(Failure { exit, message }) => {
            let _ = writeln!(std::io::stderr(), "smelt: {}", output::printable(&message));
            exit.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands in the blocks of a page that stand at the beginning of a line, without the remarks behind them.
    fn commands(page: &str) -> Vec<String> {
        let mut commands = Vec::new();
        let mut is_code = false;
        for line in page.lines() {
            let is_fence = line.starts_with("```");
            is_code ^= is_fence;
            let line = line.strip_prefix("$ ").unwrap_or(line);
            if !is_code || is_fence || !line.starts_with("smelt ") {
                continue;
            }
            let line = line.split("   ").next().unwrap_or(line).split(" | ").next().unwrap_or(line);
            // What may be left out is there, and `..` repeats what is before it.
            commands.push(line.replace(['[', ']'], "").replace("..", "").trim().to_owned());
        }
        commands
    }

    #[test]
    fn commands_in_the_reference_and_in_the_readme_can_be_read() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let reference = std::fs::read_dir(root.join("docs/book/src/reference")).unwrap();
        let pages = reference.map(|entry| entry.unwrap().path()).chain([root.join("README.md")]);
        let mut count = 0;
        for page in pages.filter(|path| path.extension().is_some_and(|e| e == "md")) {
            for command in commands(&std::fs::read_to_string(&page).unwrap()) {
                count += 1;
                let words = shlex::split(&command).unwrap_or_else(|| panic!("{}: {command}", page.display()));
                let words: Vec<std::ffi::OsString> =
                    words.into_iter().map(|w| if w == "N" { "1".into() } else { w.into() }).collect();
                let read = help::tailored(Arguments::command(), &words).try_get_matches_from(&words);
                if let Err(e) = read {
                    panic!("{}: `{command}`: {}", page.display(), help::mistake(&e));
                }
            }
        }
        assert!(count > 30, "{count}");
    }

    #[test]
    fn arguments_and_flags_of_strategies_do_not_collide() {
        Arguments::command().debug_assert();
        help::tailored(Arguments::command(), &["--help".into()]).debug_assert();
    }
}
