//! `smelt bisect`: finds the releases of a solver that are affected by a bug.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use smelt_core::{Case, Expectation, History, OutcomeKind, Release, SolverId, Standing, Verdict, Version};
use smelt_solvers::{Catalog, Limits, Solver, SolverSpec, quote};
use smelt_triage::{Inquiry, Symptom};
use smelt_trial::NamedSolver;

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::{inputs, output, setup, units};

/// Find the first and last release affected by a bug
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Script that triggers the bug
    #[arg(value_name = "FILE")]
    script: PathBuf,
    /// Solver whose releases are run, such as z3 or "z3 OPTION.."; more -S solvers only help to decide which answer is correct
    #[arg(short = 'S', long = "solver", value_name = "NAME", required = true)]
    solvers: Vec<String>,
    /// Correct answer, if you know it
    #[arg(long, value_name = "sat|unsat", value_parser = units::status())]
    expect: Option<Verdict>,
    /// Treat this outcome as bad: unknown, timeout, crash, ..
    #[arg(long, value_name = "OUTCOME", value_parser = outcome)]
    bad: Option<OutcomeKind>,
    /// Use binary search instead of running all releases; automatic for more than 16
    #[arg(long, help_heading = MORE)]
    fast: bool,
    /// Install missing releases that narrow down the result
    #[arg(long)]
    install: bool,
    /// Time limit of one release
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory limit of one release
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = units::size, help_heading = MORE)]
    memory: u64,
    #[command(flatten)]
    config: setup::Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// If there are more releases than this, not all of them run.
const MANY: usize = 16;

fn outcome(text: &str) -> Result<OutcomeKind, String> {
    let known = OutcomeKind::ALL.iter().find(|k| k.as_str() == text);
    let names: Vec<_> = OutcomeKind::ALL.iter().map(|k| k.as_str()).collect();
    known.copied().ok_or_else(|| format!("no such outcome: choose one of {}", names.join(", ")))
}

/// The solver whose releases are tried, and the arguments that each of them gets.
struct Target {
    name: String,
    options: Vec<String>,
}

impl Target {
    fn read(catalog: &Catalog, text: &str) -> Result<Target, Failure> {
        let (name, options) = match text.parse::<SolverSpec>()? {
            SolverSpec::Named(name) => (name, Vec::new()),
            SolverSpec::Command(words) if words.len() > 1 && !words[0].contains('/') => {
                (words[0].clone(), words[1..].to_vec())
            }
            SolverSpec::Release(name, _) | SolverSpec::Newest(name) => {
                return Err(Failure::usage(format!(
                    "`{text}` is a single release: use -S {name} to run all installed ones"
                )));
            }
            _ => {
                return Err(Failure::usage(format!(
                    "`{text}` has no installed releases: name a solver such as z3 or cvc5"
                )));
            }
        };
        if catalog.profiles().get(&name).is_none() {
            let known: Vec<&str> = catalog
                .profiles()
                .iter()
                .map(|p| p.name.as_str())
                .filter(|n| !matches!(*n, "generic" | "builtin"))
                .collect();
            return Err(Failure::usage(format!("no solver `{name}`: choose one of {}", known.join(", "))));
        }
        Ok(Target { name, options })
    }

    fn named(&self, solver: Solver) -> NamedSolver {
        let solver = solver.with_args(&self.options);
        NamedSolver { spec: solver.id().to_string(), solver }
    }

    fn release(&self, catalog: &Catalog, version: &Version) -> Result<NamedSolver, Failure> {
        let spec = SolverSpec::Release(self.name.clone(), version.clone());
        Ok(self.named(catalog.resolve(&spec)?))
    }
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let script = inputs::read(&a.script)?;
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let (first, others) = a.solvers.split_first().ok_or_else(|| Failure::usage("name a solver with -S"))?;
    let target = Target::read(&catalog, first)?;
    let mut references = setup::solvers(&catalog, &["builtin".to_owned()]).unwrap_or_default();
    for spec in others {
        references.push(setup::solver(&catalog, spec)?);
    }
    let case = Case::expecting(&script[..], a.expect.map_or(Expectation::Open, Expectation::Known));
    let symptom = a.bad.map_or(Symptom::Finding, Symptom::Outcome);
    let limits = Limits { memory: a.memory, ..Limits::within(a.timeout) };
    let mut inquiry = Inquiry::new(&case, symptom, references, limits);
    if a.expect.is_some() {
        inquiry = inquiry.told();
    }
    for (name, version) in catalog.zoo().releases() {
        if name == target.name {
            inquiry.add(target.release(&catalog, &version)?);
        }
    }
    // The solver on PATH is a release too.
    if let Ok(solver) = catalog.resolve(&SolverSpec::Named(target.name.clone()))
        && solver.id().version().is_some_and(|v| !inquiry.has(v))
    {
        inquiry.add(target.named(solver));
    }
    let stop = setup::on_interrupt()?;
    let is_over = || stop.load(Ordering::Relaxed);
    let mut missing = Missing::new(&catalog, &target);
    if inquiry.is_empty() && a.install {
        missing.ends(&mut inquiry)?;
    }
    if inquiry.is_empty() {
        let name = &target.name;
        let installable = catalog.profiles().get(name).is_some_and(|p| p.is_installable());
        return Err(Failure::usage(match installable {
            true => format!(
                "no release of {name} is installed: run `smelt solvers install {name}@VERSION`, or add --install"
            ),
            false => {
                format!("no release of {name} is installed, and smelt cannot install one: put one on PATH")
            }
        }));
    }
    if a.fast || inquiry.len() > MANY {
        inquiry.search(&is_over)?;
    } else {
        inquiry.ask_all(&is_over)?;
    }
    while a.install && !is_over() && missing.narrow(&mut inquiry)? {
        inquiry.ask_all(&is_over)?;
    }
    if is_over() {
        return Err(Failure::internal("interrupted before all releases were run"));
    }
    if let Some(witness) = inquiry.refuted() {
        return Err(Failure::usage(format!(
            "--expect unsat is wrong: every assertion evaluates to true in the model of {witness}"
        )));
    }
    let history = inquiry.history();
    output::result(a.json, &document(a, &target, &history), |out| show(out, a, &target, &history))?;
    Ok(if history.first_bad().is_some() { Exit::Findings } else { Exit::Ok })
}

/// Releases that could be installed.
struct Missing<'a> {
    catalog: &'a Catalog,
    target: &'a Target,
    /// Releases of the package index, oldest first; fetched once.
    available: Option<Vec<Version>>,
}

impl<'a> Missing<'a> {
    fn new(catalog: &'a Catalog, target: &'a Target) -> Missing<'a> {
        Missing { catalog, target, available: None }
    }

    fn available(&mut self) -> Result<&mut Vec<Version>, Failure> {
        if self.available.is_none() {
            let mut all = self.catalog.zoo().available(self.catalog.profiles(), &self.target.name)?;
            all.sort();
            self.available = Some(all);
        }
        Ok(self.available.get_or_insert_default())
    }

    /// Installs a release and adds it; a release that cannot be installed is no longer available.
    fn add(&mut self, version: &Version, inquiry: &mut Inquiry) -> Result<bool, Failure> {
        let name = &self.target.name;
        writeln!(std::io::stderr(), "installing {name}@{version} ..")?;
        self.available()?.retain(|v| v != version);
        if let Err(e) = self.catalog.install(name, version) {
            writeln!(std::io::stderr(), "skipped: {e}")?;
            return Ok(false);
        }
        inquiry.add(self.target.release(self.catalog, version)?);
        Ok(true)
    }

    /// Adds the newest and the oldest release that can be installed.
    fn ends(&mut self, inquiry: &mut Inquiry) -> Result<(), Failure> {
        let ends: [fn(&[Version]) -> Option<&Version>; 2] = [<[Version]>::last, <[Version]>::first];
        for end in ends {
            while let Some(version) = end(self.available()?).cloned() {
                if self.add(&version, inquiry)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Adds a release between a good and a bad one, or one older than the oldest if that is bad; `false` if there is none.
    fn narrow(&mut self, inquiry: &mut Inquiry) -> Result<bool, Failure> {
        loop {
            let history = inquiry.history();
            let runs = history.runs();
            let all = self.available()?;
            // The release in the middle between two that differ, else the oldest one before a bad one.
            let between = runs.windows(2).find_map(|pair| {
                let (from, to) = (pair[0].last.version()?, pair[1].first.version()?);
                let inside: Vec<&Version> =
                    all.iter().filter(|v| *v > from && *v < to && !inquiry.has(v)).collect();
                inside.get(inside.len() / 2).copied()
            });
            let older = || {
                let oldest = runs.first().filter(|r| r.bad)?.first.version()?;
                all.first().filter(|v| *v < oldest && !inquiry.has(v))
            };
            let Some(next) = between.or_else(older).cloned() else { return Ok(false) };
            if self.add(&next, inquiry)? {
                return Ok(true);
            }
        }
    }
}

fn document(a: &Arguments, target: &Target, history: &History) -> serde_json::Value {
    let version = |id: Option<&SolverId>| id.and_then(SolverId::version).map(ToString::to_string);
    let list = |standing| -> Vec<String> {
        history.with(standing).filter_map(|r| version(Some(&r.solver))).collect()
    };
    serde_json::json!({
        "file": a.script.display().to_string(),
        "solver": target.name,
        "bad": list(Standing::Bad),
        "good": list(Standing::Good),
        "unclear": list(Standing::Unclear),
        "last_good": version(history.last_good()),
        "first_bad": version(history.first_bad()),
        "last_bad": version(history.last_bad()),
        "fixed_in": version(history.fixed_in()),
        "monotone": history.is_monotone(),
        "summary": history.summary(),
        "releases": history.releases,
    })
}

fn show(out: &mut impl Write, a: &Arguments, target: &Target, history: &History) -> std::io::Result<()> {
    let width = history.releases.iter().map(|r| r.solver.to_string().len()).max().unwrap_or(0);
    for release in history.releases.iter().filter(|r| r.standing != Standing::Untested) {
        writeln!(out, "{}", line(release, width).trim_end())?;
    }
    let untested = history.with(Standing::Untested).count();
    if untested > 0 {
        writeln!(out, "{untested} more not run, assumed to behave like their neighbours")?;
    }
    writeln!(out, "{}: {}", target.name, history.summary())?;
    for (what, id) in [
        ("last good", history.last_good()),
        ("first bad", history.first_bad()),
        ("last bad", history.last_bad()),
        ("fixed in", history.fixed_in()),
    ] {
        if let Some(id) = id {
            writeln!(out, "  {what:<10}  {id}")?;
        }
    }
    hint(out, a, history)
}

fn line(r: &Release, width: usize) -> String {
    let outcome = r.outcome.map_or("-", OutcomeKind::as_str);
    let kind = r.kind.map(|k| k.to_string()).unwrap_or_default();
    let evidence = r.evidence.map(|e| format!(" [{e}]")).unwrap_or_default();
    let reason = r.reason.as_deref().and_then(|t| t.lines().next()).unwrap_or_default();
    let reason: String = reason.chars().take(140).collect();
    let colon = if kind.is_empty() || reason.is_empty() { "" } else { ": " };
    format!(
        "{:<width$}  {:<7}  {outcome:<8} {:>6.0} ms  {kind}{evidence}{colon}{reason}",
        r.solver.to_string(),
        r.standing.as_str(),
        r.wall_ms
    )
}

/// Hints on how to find out more.
fn hint(out: &mut impl Write, a: &Arguments, history: &History) -> std::io::Result<()> {
    let unsettled = history.with(Standing::Unclear).any(|r| r.kind.is_some());
    if unsettled {
        writeln!(
            out,
            "releases disagree, and it is unknown which answer is correct: use --expect, or another solver with -S"
        )?;
    }
    let runs = history.runs();
    let open = runs.len() > 1 || runs.first().is_some_and(|r| r.bad);
    if open && !a.install {
        let words: Vec<String> = std::env::args().skip(1).map(|w| quote(&w)).collect();
        writeln!(out, "to include releases that are not installed: smelt {} --install", words.join(" "))?;
    }
    Ok(())
}
