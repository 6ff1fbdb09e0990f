//! Developer commands: `cargo xtask test [--slow]`, `cargo xtask bench`, `cargo xtask rules`, `cargo xtask audit`,
//! `cargo xtask compare reduce`, `cargo xtask compare evolve`.
#![allow(clippy::print_stderr, clippy::print_stdout)]

mod compare;
mod evolve;
mod needs;
mod test;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

const USAGE: &str = "\
cargo xtask test [--slow] [-p CRATE]..
                            formatting, lints and all tests that can run here; --slow adds the long ones
cargo xtask bench           benchmarks, and comparisons with other tools
cargo xtask rules           evaluate every built-in rule, and have solvers prove it
cargo xtask audit [--time DURATION] [--cases N] [--seed N] [--liar N] [CORPUS..]
                            every strategy against the newest solvers, or a liar beside an honest solver (--help says more)
cargo xtask compare reduce [--triggers N] [--cap SECONDS] [--only NAME] [--alone] [--smelt PROGRAM]
                            smelt reduce against ddSMT on files that old releases get wrong
cargo xtask compare evolve [--time DURATION] [--runs N] [--at-once N] [--only NAME] [--smelt PROGRAM] [-- ARGUMENT..]
                            all variants of the search for slow formulas in equal budgets";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["test", ref options @ ..] => match test_settings(options) {
            Some(settings) => test::test(&settings),
            None => Err(format!("wrong options\n{USAGE}")),
        },
        ["bench"] => bench(),
        ["rules"] => rules(),
        ["audit", ref options @ ..] => audit(options),
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

fn test_settings(options: &[&str]) -> Option<test::Settings> {
    let mut settings = test::Settings { slow: false, packages: Vec::new() };
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        match *option {
            "--slow" => settings.slow = true,
            "-p" => settings.packages.extend(["-p".to_owned(), (*rest.next()?).to_owned()]),
            _ => return None,
        }
    }
    if settings.packages.is_empty() {
        settings.packages.push("--workspace".to_owned());
    }
    Some(settings)
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

/// Where cargo puts what it builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The smelt that is asked for, or else the one that is built here, with optimisation.
fn smelt(named: Option<&PathBuf>) -> Result<PathBuf, String> {
    if let Some(named) = named {
        return Ok(named.clone());
    }
    run(cargo(&["build", "--release", "-p", "smelt"]))?;
    Ok(target().join("release/smelt"))
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

fn bench() -> Result<(), String> {
    run(cargo(&["bench", "--workspace", "--benches"]))?;
    let corpus = root().join("../shared/corpus/seeds");
    if !corpus.is_dir() {
        eprintln!("xtask: left out: the comparison of front ends needs ../shared/corpus");
        return Ok(());
    }
    let mut compare = cargo(&["run", "--release", "--manifest-path", "bench/frontend/Cargo.toml", "--"]);
    compare.arg(corpus).env("CARGO_TARGET_DIR", root().join("target/bench"));
    run(compare)
}

/// The folders of the corpus that an audit uses if none is named.
const CORPORA: [&str; 3] = ["seeds", "regress", "known-bugs"];

fn audit(options: &[&str]) -> Result<(), String> {
    let mut command = cargo(&["run", "--release", "-q", "-p", "smelt-audit", "--"]);
    command.args(options);
    if !options.contains(&"--out") {
        command.arg("--out").arg(target().join("audit"));
    }
    let names_none = !options.iter().any(|o| Path::new(o).exists());
    let corpora = CORPORA.map(|name| root().join("../shared/corpus").join(name));
    if names_none && !options.contains(&"--liar") {
        command.args(corpora.iter().filter(|folder| folder.is_dir()));
    }
    run(command)
}

/// Solvers that prove rules, if they are installed: none of them proves all.
const PROVERS: [&str; 4] = ["z3@5.4.0", "cvc5@1.4.2", "z3@4.8.7", "cvc4"];

fn rules() -> Result<(), String> {
    let smelt = smelt(None)?;
    let list = Command::new(&smelt).args(["solvers", "list", "--json"]).output();
    let list = list.map_err(|e| format!("cannot list solvers: {e}"))?;
    let list: Value =
        serde_json::from_slice(&list.stdout).map_err(|e| format!("cannot list solvers: {e}"))?;
    let is_installed = |p: &&&str| list.as_array().is_some_and(|rows| rows.iter().any(|r| r["spec"] == **p));
    let provers: Vec<&&str> = PROVERS.iter().filter(is_installed).collect();
    if provers.is_empty() {
        eprintln!("xtask: no solver is installed: rules are evaluated only");
    }
    let mut check = Command::new(smelt);
    check.args(["rules", "check", "--timeout", "5s"]);
    check.args(provers.into_iter().flat_map(|p| ["-S", p]));
    run(check)
}
