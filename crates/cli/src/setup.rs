//! From `-S` and `smelt.toml` to solvers that run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smelt_solvers::{Catalog, Profiles, SolverSpec, Zoo};
use smelt_triage::Means;
use smelt_trial::NamedSolver;

use crate::exit::{Exit, Failure};

/// The file in the current folder that extends profiles and solvers.
const CONFIG: &str = "smelt.toml";

/// All solvers that can be named here; `config` instead of the `smelt.toml` of the current folder.
pub(crate) fn catalog(config: Option<&Path>) -> Result<Catalog, Failure> {
    let text = match config {
        Some(path) => Some(read(path)?),
        None if Path::new(CONFIG).exists() => Some(read(Path::new(CONFIG))?),
        None => None,
    };
    let profiles = Profiles::load(text.as_deref())?;
    Ok(Catalog::new(profiles, Zoo::of_user()?, std::env::current_exe().ok()))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))
}

/// The solvers that arguments name; without arguments, every installed solver.
pub(crate) fn solvers(catalog: &Catalog, specs: &[String]) -> Result<Vec<NamedSolver>, Failure> {
    let every: Vec<String> = match specs {
        [] => catalog.list().into_iter().map(|row| row.spec).collect(),
        specs => specs.to_vec(),
    };
    if every.is_empty() {
        let message = "no solver found: run `smelt solvers install z3@5.4.0`, or name one with -S";
        return Err(Failure::usage(message));
    }
    every.iter().map(|spec| solver(catalog, spec)).collect()
}

/// The solver of one argument.
pub(crate) fn solver(catalog: &Catalog, spec: &str) -> Result<NamedSolver, Failure> {
    let solver = catalog.resolve(&spec.parse::<SolverSpec>()?)?;
    Ok(NamedSolver { spec: spec.to_owned(), solver })
}

/// The file that keeps answers of solvers for later: the one that the user names, or one in the user's cache.
pub(crate) fn cache(catalog: &Catalog, named: Option<&Path>) -> PathBuf {
    named.map_or_else(|| catalog.zoo().root().with_file_name("study.sqlite"), Path::to_owned)
}

/// The solvers that findings are examined with: the reference solver and every release of the zoo.
pub(crate) fn means(catalog: &Catalog) -> Means {
    let resolve = |spec: String| solver(catalog, &spec).ok();
    let releases = catalog.zoo().releases().into_iter().map(|(name, version)| format!("{name}@{version}"));
    Means { reference: resolve("builtin".to_owned()), releases: releases.filter_map(resolve).collect() }
}

/// The default number of jobs.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A flag that Ctrl-C and SIGTERM set; a second one ends at once.
pub(crate) fn on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(Exit::Internal as u8));
        }
    })
    .map_err(|e| Failure::internal(format!("cannot listen for Ctrl-C: {e}")))?;
    Ok(stop)
}

/// `--config`, for every command that runs solvers.
#[derive(clap::Args)]
pub(crate) struct Config {
    /// The file that defines further solvers, instead of smelt.toml in the current folder
    #[arg(long = "config", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
