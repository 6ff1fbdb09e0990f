//! `smelt rules discover`: searches for new rules of a theory that two solvers prove.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use smelt_strategies::rules::{Discovered, Prover, Search, discover};

use smelt_solvers::Limits;
use smelt_trial::{Lineup, Panel, Proof, provers};

use crate::exit::{Exit, Failure};
use crate::setup::{self, Config};
use crate::{output, units};

/// Discover rules of a theory: implications and equivalences of small atoms that evaluation does not refute and two solvers prove
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Theory: strings, bv, arithmetic or fp
    #[arg(long, value_name = "THEORY", value_parser = units::theory)]
    theory: String,
    /// Total time
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = units::duration)]
    time: Duration,
    /// Stop after this many rules
    #[arg(short = 'n', long = "number", value_name = "N", default_value = "100", value_parser = units::positive::<usize>)]
    number: usize,
    /// Solvers that prove rules; two must agree; default: the newest installed z3 and cvc5
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Time limit of one solver on one proof
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = units::duration)]
    timeout: Duration,
    #[command(flatten)]
    jobs: setup::Jobs,
    /// Output file, for use with `-s weaken:rules=FILE` or `-s skeleton:rules=FILE`; default: stdout
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    config: Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// Two solvers must prove every obligation.
struct Two<'a>(Panel<'a>, usize);

impl Prover for Two<'_> {
    fn prove(&mut self, scripts: &[String]) -> Result<Vec<bool>, String> {
        let said = self.0.prove(self.1, scripts).map_err(|e| e.to_string())?;
        let sure = |s: &Vec<Proof>| {
            !s.contains(&Proof::Refuted) && s.iter().filter(|s| **s == Proof::Proved).count() >= 2
        };
        Ok(said.iter().map(sure).collect())
    }
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let specs = if a.solvers.is_empty() { newest(&catalog) } else { a.solvers.clone() };
    if specs.len() < 2 {
        return Err(Failure::usage("rules must be proved by two solvers: name them with -S"));
    }
    let lanes = a.jobs.count();
    let solvers = setup::solvers(&catalog, &specs)?;
    let all = provers(&solvers, lanes);
    let lineup = Lineup { solvers: &all, limits: Limits::within(a.timeout), is_over: &|| false };
    let mut prover = Two(Panel::with_lanes(lineup, lanes), solvers.len());
    let start = Instant::now();
    let mut found: Vec<Discovered> = Vec::new();
    let search = Search { time: a.time, count: a.number };
    let mut progress = std::io::stderr();
    discover(&a.theory, search, &mut prover, |rule| {
        let _ = writeln!(progress, "{:>5.0} s  {}", start.elapsed().as_secs_f64(), rule.statement);
        found.push(rule.clone());
    })
    .map_err(Failure::usage)?;
    let by = specs.join(" and ");
    let mut text = format!("; Rules of {}, found by smelt and proved by {by}.\n", a.theory);
    found.iter().for_each(|rule| text.push_str(&rule.text));
    if let Some(path) = &a.out {
        output::write(path, &text)?;
    }
    let mut out = std::io::stdout().lock();
    if a.json {
        let statements: Vec<&str> = found.iter().map(|r| &*r.statement).collect();
        let seconds = start.elapsed().as_secs_f64();
        let document = serde_json::json!({"theory": a.theory, "seconds": seconds, "rules": statements});
        output::print_json(&document)?;
    } else if a.out.is_some() {
        writeln!(out, "{} rules in {:.0} s", found.len(), start.elapsed().as_secs_f64())?;
    } else {
        out.write_all(text.as_bytes())?;
    }
    Ok(Exit::Ok)
}

/// The newest installed z3 and cvc5.
fn newest(catalog: &smelt_solvers::Catalog) -> Vec<String> {
    let all = catalog.list();
    let best = |name: &str| {
        let own = all.iter().filter(|row| row.spec == name || row.spec.starts_with(&format!("{name}@")));
        let version = |spec: &str| {
            catalog
                .resolve(&spec.parse::<smelt_solvers::SolverSpec>().ok()?)
                .ok()
                .and_then(|s| s.id().version().cloned())
        };
        own.max_by_key(|row| version(&row.spec)).map(|row| row.spec.clone())
    };
    [best("z3"), best("cvc5")].into_iter().flatten().collect()
}
