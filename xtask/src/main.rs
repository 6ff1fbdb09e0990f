//! Developer commands: `cargo xtask test [--slow]`, `cargo xtask bench`, `cargo xtask rules`, `cargo xtask compare reduce`,
//! `cargo xtask compare evolve`.
#![allow(clippy::print_stderr, clippy::print_stdout)]

mod compare;
mod evolve;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

const USAGE: &str = "\
cargo xtask test [--slow]   formatting, lints and all tests; --slow adds the long ones
cargo xtask bench           benchmarks, and comparisons with other tools
cargo xtask rules           evaluate every built-in rule, and have solvers prove it
cargo xtask compare reduce [--triggers N] [--cap SECONDS] [--only NAME] [--alone] [--smelt PROGRAM]
                            smelt reduce against ddSMT on files that old releases get wrong
cargo xtask compare evolve [--time DURATION] [--runs N] [--at-once N] [--only NAME] [--smelt PROGRAM] [-- ARGUMENT..]
                            all variants of the search for slow formulas in equal budgets";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["test"] => test(false),
        ["test", "--slow"] => test(true),
        ["bench"] => bench(),
        ["rules"] => rules(),
        ["compare", "reduce", ref options @ ..] => match settings(options) {
            Some(settings) => compare::reduce(&settings),
            None => Err(format!("wrong options\n{USAGE}")),
        },
        ["compare", "evolve", ref options @ ..] => match evolve_settings(options) {
            Some(settings) => evolve::evolve(&settings),
            None => Err(format!("wrong options\n{USAGE}")),
        },
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask: {what}");
            ExitCode::FAILURE
        }
    }
}

fn settings(options: &[&str]) -> Option<compare::Settings> {
    let mut settings = compare::Settings {
        triggers: 40,
        cap: Duration::from_secs(120),
        alone: false,
        only: String::new(),
        smelt: None,
    };
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        match *option {
            "--triggers" => settings.triggers = rest.next()?.parse().ok()?,
            "--cap" => settings.cap = Duration::from_secs(rest.next()?.parse().ok()?),
            "--only" => settings.only = (*rest.next()?).to_owned(),
            "--smelt" => settings.smelt = Some(rest.next()?.into()),
            "--alone" => settings.alone = true,
            _ => return None,
        }
    }
    Some(settings)
}

fn evolve_settings(options: &[&str]) -> Option<evolve::Settings> {
    let mut settings = evolve::Settings {
        time: "20m".to_owned(),
        runs: 3,
        at_once: 1,
        only: String::new(),
        smelt: None,
        more: Vec::new(),
    };
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        match *option {
            "--time" => settings.time = (*rest.next()?).to_owned(),
            "--runs" => settings.runs = rest.next()?.parse().ok().filter(|n| *n > 0)?,
            "--at-once" => settings.at_once = rest.next()?.parse().ok().filter(|n| *n > 0)?,
            "--only" => settings.only = (*rest.next()?).to_owned(),
            "--smelt" => settings.smelt = Some(rest.next()?.into()),
            "--" => settings.more.extend(rest.by_ref().map(|a| (*a).to_owned())),
            _ => return None,
        }
    }
    Some(settings)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_owned()
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

fn run(mut command: Command) -> Result<(), String> {
    let shown = format!("{command:?}").replace('"', "");
    eprintln!("xtask: {shown}");
    let start = Instant::now();
    let status = command.status().map_err(|e| format!("cannot run {shown}: {e}"))?;
    eprintln!("xtask: {:.0} s", start.elapsed().as_secs_f64());
    if status.success() { Ok(()) } else { Err(format!("failed: {shown}")) }
}

/// Whether a component of the toolchain is there; it is skipped with a message if not.
fn has(subcommand: &str) -> bool {
    let there = cargo(&[subcommand, "--version"]).output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("xtask: skipped: cargo {subcommand} is not installed");
    }
    there
}

fn test(slow: bool) -> Result<(), String> {
    if has("fmt") {
        run(cargo(&["fmt", "--all", "--check"]))?;
    }
    if has("clippy") {
        run(cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    }
    let mut tests = cargo(&["test", "--workspace", "--no-fail-fast"]);
    if slow {
        // Slow tests count a lot: with optimisation, and one at a time so that they do not disturb each other.
        tests = cargo(&[
            "test",
            "--workspace",
            "--no-fail-fast",
            "--release",
            "--",
            "--test-threads=1",
            "--nocapture",
        ]);
        tests.env("SMELT_SLOW", "1");
    }
    run(tests)
}

fn bench() -> Result<(), String> {
    run(cargo(&["bench", "--workspace", "--benches"]))?;
    let corpus = root().join("../shared/corpus/seeds");
    if !corpus.is_dir() {
        eprintln!("xtask: skipped: comparison of front ends, there is no corpus");
        return Ok(());
    }
    let mut compare = cargo(&["run", "--release", "--manifest-path", "bench/frontend/Cargo.toml", "--"]);
    compare.arg(corpus).env("CARGO_TARGET_DIR", root().join("target/bench"));
    run(compare)
}

/// Solvers that prove rules, where they are installed: none of them proves all.
const PROVERS: [&str; 4] = ["z3@5.4.0", "cvc5@1.4.2", "z3@4.8.7", "cvc4"];

fn rules() -> Result<(), String> {
    let list = cargo(&["run", "--quiet", "--release", "-p", "smelt", "--", "solvers", "list"]).output();
    let list = list.map_err(|e| format!("cannot list solvers: {e}"))?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let there = |p: &&&str| list.lines().any(|l| l.split_whitespace().next() == Some(p));
    let mut check =
        cargo(&["run", "--quiet", "--release", "-p", "smelt", "--", "rules", "check", "--timeout", "5s"]);
    for prover in PROVERS.iter().filter(there) {
        check.args(["-S", prover]);
    }
    if !PROVERS.iter().any(|p| there(&p)) {
        eprintln!("xtask: no solver is installed: rules are evaluated only");
    }
    run(check)
}
