//! Developer commands: `cargo xtask test [--slow]`, `cargo xtask count`, `cargo xtask bench`, `cargo xtask rules`, `cargo xtask audit`,
//! `cargo xtask reports`, `cargo xtask findings`, `cargo xtask compare reduce`, `cargo xtask experiment`.
#![allow(clippy::print_stderr, clippy::print_stdout)]

mod compare;
mod count;
mod experiment;
mod findings;
mod options;
mod peers;
mod phrases;
mod reports;
mod source;
mod test;
mod yinyang;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
cargo xtask test [--slow] [-p CRATE]..
                            formatting, phrases, lints and all tests that can run here; --slow adds the long ones
cargo xtask count [--base COMMIT]
                            lines of code by crate, and how they changed; files and functions that are too long
cargo xtask bench           benchmarks, and comparisons with other tools
cargo xtask rules           evaluate every built-in rule, and have solvers prove it
cargo xtask audit [--time DURATION] [--cases N] [--seed N] [--liar N] [CORPUS..]
                            every strategy against the newest solvers, or a liar beside an honest solver (--help says more)
cargo xtask reports DIR [--smelt PROGRAM]
                            run every command of a campaign's reports and pages, and its regression tests; list what is untrue
cargo xtask findings [--smelt PROGRAM]
                            run the commands of every page in docs/findings again
cargo xtask findings add DIR [ID..] [--smelt PROGRAM]
                            make pages of the certified bugs of a campaign; `findings index` writes the index again
cargo xtask experiment NAME [--budget D] [--each D] [--repeat N] [--only UNIT,..] [-S SOLVER].. [--seeds FOLDER] [--sample N]
                       [--smelt PROGRAM] [--out FOLDER] [--work FOLDER]
                            an experiment of a paper again, with its page in docs/experiments; `--list` lists all
cargo xtask compare reduce [--triggers N] [--cap SECONDS] [--only NAME] [--alone] [--smelt PROGRAM]
                            smelt reduce against ddSMT on files that old releases get wrong";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["test", ref options @ ..] => wanted(test::Settings::read(options)).and_then(|s| test::test(&s)),
        ["count", ref options @ ..] => wanted(count::Settings::read(options)).and_then(|s| count::count(&s)),
        ["bench"] => bench(),
        ["rules"] => rules(),
        ["audit", ref options @ ..] => audit(options),
        ["reports", ref options @ ..] => {
            wanted(reports::Settings::read(options)).and_then(|s| reports::reports(&s))
        }
        ["findings", ref options @ ..] => {
            wanted(findings::Settings::read(options)).and_then(|s| findings::findings(&s))
        }
        ["experiment", ref options @ ..] => {
            wanted(experiment::Settings::read(options)).and_then(|s| experiment::experiment(&s))
        }
        ["compare", "reduce", ref options @ ..] => {
            wanted(compare::Settings::read(options)).and_then(|s| compare::reduce(&s))
        }
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

fn wanted<T>(settings: Option<T>) -> Result<T, String> {
    settings.ok_or_else(|| format!("wrong options\n{USAGE}"))
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

fn run(command: Command) -> Result<(), String> {
    run_with(command, |_| {})
}

/// Runs a command that `read` takes the output of.
fn run_with(mut command: Command, read: impl FnOnce(&mut Child)) -> Result<(), String> {
    let shown = format!("{command:?}").replace('"', "");
    eprintln!("xtask: {shown}");
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("cannot run {shown}: {e}"))?;
    read(&mut child);
    let status = child.wait().map_err(|e| format!("cannot run {shown}: {e}"))?;
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
