//! The command line of `cargo xtask audit`.
#![allow(clippy::print_stderr, clippy::print_stdout)]

use clap::Parser;
use smelt_audit::audit::Audit;
use smelt_audit::{Tally, liar};
use smelt_campaign::{SeedText, seeds};
use smelt_core::units::duration;
use smelt_solvers::{Catalog, Profiles, Zoo};
use smelt_trial::{NamedSolver, lock};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The newest releases of three families.
const NEWEST: [&str; 3] = ["z3@5.4.0", "cvc5@1.4.2", "bitwuzla@0.9.1"];

/// Checks smelt itself: cases of every strategy against the newest solvers, and a liar beside an honest solver.
#[derive(Parser)]
struct Arguments {
    /// Files and folders of seeds; the embedded seeds if none is given.
    corpus: Vec<String>,
    /// How long it may take.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Duration>,
    /// How many cases are made.
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// What all random choices start from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The solvers; the newest releases of three families if none is given.
    #[arg(short = 'S', value_name = "SOLVER")]
    solvers: Vec<String>,
    /// CPU time for an answer.
    #[arg(long, value_name = "DURATION", default_value = "200ms", value_parser = duration)]
    timeout: Duration,
    /// Threads.
    #[arg(short = 'j', value_name = "N")]
    jobs: Option<usize>,
    /// Where scripts of contradictions are kept.
    #[arg(long, value_name = "DIR", default_value = "audit-out")]
    out: PathBuf,
    /// Puts a liar beside an honest solver on N scripts instead. Without -S the built-in solver is the honest one.
    #[arg(long, value_name = "N")]
    liar: Option<u64>,
    /// Answers on stdin and stdout as a solver that lies.
    #[arg(long, hide = true)]
    as_liar: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Before any seed is in memory: what starts solvers must be small.
    if let Err(e) = smelt_solvers::nursery::start() {
        eprintln!("audit: cannot start solvers: {e}");
        return ExitCode::FAILURE;
    }
    let done = match arguments.liar {
        _ if arguments.as_liar => liar::process(arguments.seed).map(|()| true),
        Some(scripts) => lie(&arguments, scripts),
        None => audit(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(10),
        Err(message) => {
            eprintln!("audit: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The seeds that are named, the cheap ones first.
fn seed_texts(arguments: &Arguments) -> Result<Vec<SeedText>, String> {
    if arguments.corpus.is_empty() {
        return Ok(seeds::bundled());
    }
    let mut set = seeds::collect(&arguments.corpus, seeds::MAX_BYTES).map_err(|e| e.to_string())?;
    set.seeds.sort_by_key(|s| s.text.len());
    Ok(set.seeds)
}

fn solvers(specs: &[String]) -> Result<Vec<NamedSolver>, String> {
    let zoo = Zoo::of_user().map_err(|e| e.to_string())?;
    let catalog = Catalog::new(Profiles::load(None).map_err(|e| e.to_string())?, zoo, None);
    let named = |spec: &String| {
        let parsed = spec.parse().map_err(|e| format!("`{spec}`: {e}"))?;
        let solver = catalog.resolve(&parsed).map_err(|e| e.to_string())?;
        Ok(NamedSolver { spec: spec.clone(), solver })
    };
    specs.iter().map(named).collect()
}

fn jobs(arguments: &Arguments) -> usize {
    arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Runs the work, and regularly prints the progress and saves the results, however the work ends.
fn watched(
    work: &(dyn Fn() -> Result<(), String> + Sync),
    keep: &dyn Fn() -> Result<String, String>,
) -> Result<(), String> {
    let start = Instant::now();
    std::thread::scope(|scope| {
        let work = scope.spawn(work);
        let mut shown = Instant::now();
        while !work.is_finished() {
            std::thread::sleep(Duration::from_millis(100));
            if shown.elapsed() > Duration::from_secs(30) {
                shown = Instant::now();
                eprintln!("{:.0} s: {}", start.elapsed().as_secs_f64(), keep()?);
            }
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Whether no mistake of smelt was found.
fn audit(arguments: &Arguments) -> Result<bool, String> {
    let (start, over) = (Instant::now(), AtomicBool::new(false));
    let is_over = || over.load(Relaxed) || arguments.time.is_some_and(|t| start.elapsed() >= t);
    let newest = || NEWEST.map(str::to_owned).to_vec();
    let specs = if arguments.solvers.is_empty() { newest() } else { arguments.solvers.clone() };
    let (solvers, seeds) = (solvers(&specs)?, seed_texts(arguments)?);
    let audit = Audit {
        solvers: &solvers,
        seeds: &seeds,
        cases: arguments.cases.or_else(|| arguments.time.is_none().then_some(2_000)),
        random: arguments.seed,
        limit: arguments.timeout,
        jobs: jobs(arguments),
        is_over: &is_over,
    };
    let tally = Mutex::new(Tally::default());
    watched(&|| audit.run(&tally).map_err(|e| e.to_string()), &|| {
        let tally = lock(&tally);
        let (made, bad, one) = (tally.made(), tally.failures.len(), tally.single.len());
        tally.save(&arguments.out).map_err(|e| e.to_string())?;
        Ok(format!("{made} cases, {bad} failures, {one} by one family"))
    })?;
    let tally = lock(&tally);
    tally.save(&arguments.out).map_err(|e| e.to_string())?;
    print!("{}", tally.text());
    println!("{:.0} s", start.elapsed().as_secs_f64());
    Ok(tally.failures.is_empty())
}

/// Whether no solver was accused wrongly.
fn lie(arguments: &Arguments, scripts: u64) -> Result<bool, String> {
    let start = Instant::now();
    let is_over = || arguments.time.is_some_and(|t| start.elapsed() >= t);
    let solvers = solvers(&arguments.solvers)?;
    let seeds = seed_texts(arguments)?;
    let lied = Mutex::new(liar::Lied::default());
    let stage = liar::Stage {
        solvers: &solvers,
        seeds: &seeds,
        scripts,
        random: arguments.seed,
        limit: arguments.timeout,
        jobs: jobs(arguments),
        is_over: &is_over,
    };
    let keep = || {
        let lied = lock(&lied);
        for accused in &lied.accused {
            std::fs::create_dir_all(&arguments.out).map_err(|e| e.to_string())?;
            let file = arguments.out.join(format!("liar-{:08}.smt2", accused.number));
            std::fs::write(file, &accused.script).map_err(|e| e.to_string())?;
        }
        Ok(format!("{} scripts, {} accused wrongly", lied.total(), lied.accused.len()))
    };
    watched(&|| stage.run(&lied).map_err(|e| e.to_string()), &keep)?;
    keep()?;
    let lied = lock(&lied);
    print!("{}", lied.text());
    println!("{:.0} s", start.elapsed().as_secs_f64());
    Ok(lied.accused.is_empty())
}
