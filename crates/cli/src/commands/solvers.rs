//! `smelt solvers`: list solvers, install releases, and check that each does what smelt needs.

use std::io::Write;

use smelt_solvers::{CheckResult, DoctorReport, InstalledSolver, SolverSpec, doctor};

use crate::exit::{Exit, Failure};
use crate::output::print_json;
use crate::setup::{self, Config};

/// List solvers, install releases, examine them
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    config: Config,
    /// Print one JSON document
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Every solver that can be run here
    List,
    /// Install releases from the package index with pip
    Install {
        /// Releases, such as z3@4.8.7 cvc5@1.4.2 bitwuzla@0.9.1 yices@2.6.5
        #[arg(required = true, value_name = "NAME@VERSION")]
        releases: Vec<String>,
    },
    /// Examine solvers: answers, models, cores, sessions, limits. Without names, every one
    Doctor {
        /// Solvers, as after -S
        #[arg(value_name = "SOLVER")]
        solvers: Vec<String>,
    },
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    match &a.action {
        Action::List => list(a),
        Action::Install { releases } => install(a, releases),
        Action::Doctor { solvers } => examine(a, solvers),
    }
}

fn list(a: &Arguments) -> Result<Exit, Failure> {
    let rows = setup::catalog(a.config.file.as_deref())?.list();
    if a.json {
        print_json(&rows)?;
        return Ok(Exit::Ok);
    }
    let version = |row: &InstalledSolver| row.id.version().map_or("?".to_owned(), ToString::to_string);
    let origin = |row: &InstalledSolver| format!("{:?}", row.origin).to_lowercase();
    let width = |of: &dyn Fn(&InstalledSolver) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (name, release) = (width(&|r| r.spec.len()), width(&|r| version(r).len()));
    let mut out = std::io::stdout().lock();
    for row in &rows {
        let sessions = if row.sessions { "sessions" } else { "-" };
        writeln!(
            out,
            "{:name$}  {:release$}  {:7}  {sessions:8}  {}",
            row.spec,
            version(row),
            origin(row),
            row.path.display()
        )?;
    }
    Ok(Exit::Ok)
}

fn install(a: &Arguments, releases: &[String]) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    // All arguments are read before the first download.
    let specs = releases
        .iter()
        .map(|text| match text.parse::<SolverSpec>()? {
            SolverSpec::Release(name, version) => Ok((name, version)),
            _ => Err(Failure::usage(format!("cannot install `{text}`: name a release, such as z3@4.8.7"))),
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut done = Vec::new();
    for (name, version) in &specs {
        writeln!(std::io::stderr(), "installing {name}@{version} ..")?;
        let installed = catalog.install(name, version)?;
        if !a.json {
            let how = if installed.new { "installed" } else { "already installed" };
            writeln!(std::io::stdout(), "{}: {how} in {}", installed.id, installed.folder.display())?;
        }
        done.push(installed);
    }
    if a.json {
        print_json(&done)?;
    }
    Ok(Exit::Ok)
}

fn examine(a: &Arguments, names: &[String]) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let solvers = setup::solvers(&catalog, names)?;
    let mut reports: Vec<DoctorReport> = Vec::new();
    for solver in &solvers {
        writeln!(std::io::stderr(), "examining {} ..", solver.solver.id())?;
        let report = doctor(&solver.solver)?;
        if !a.json {
            print_report(&report)?;
        }
        reports.push(report);
    }
    if a.json {
        print_json(&reports)?;
    }
    let healthy = reports.iter().all(DoctorReport::healthy);
    Ok(if healthy { Exit::Ok } else { Exit::Findings })
}

fn print_report(report: &DoctorReport) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let state = if report.healthy() { "healthy" } else { "not healthy" };
    writeln!(out, "{}: {state}", report.solver)?;
    for check in &report.checks {
        let word = match check.result {
            CheckResult::Pass => "pass",
            CheckResult::Fail => "FAIL",
            CheckResult::Skip => "skip",
        };
        let detail = if check.detail.is_empty() { String::new() } else { format!("  {}", check.detail) };
        writeln!(out, "  {word}  {:12}  {:>6} ms{detail}", check.name, check.wall.as_millis())?;
    }
    Ok(())
}
