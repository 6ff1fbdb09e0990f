//! Finds the solvers for `-S` and `smelt.toml`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::iterator::Signals;
use smelt_oracle::REFERENCE;
use smelt_semantics::solver::fault::{self, Fault};
use smelt_solvers::{Catalog, Profiles, SolverSpec, Zoo, closest};
use smelt_triage::Means;
use smelt_trial::NamedSolver;

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::{trust, units};

/// The file in the current folder that extends profiles and solvers.
pub(crate) const CONFIG: &str = "smelt.toml";

/// All solvers that can be named here; `config` instead of the `smelt.toml` of the current folder, which must be trusted.
pub(crate) fn catalog(config: Option<&Path>) -> Result<Catalog, Failure> {
    let path = config.unwrap_or(Path::new(CONFIG));
    if config.is_none() && !path.exists() {
        return catalog_of("");
    }
    let text = read(path)?;
    let catalog = catalog_of(&text)?;
    if config.is_none() {
        trust::check_config(catalog.zoo(), path, &text)?;
    }
    Ok(catalog)
}

/// All solvers, with this text of a `smelt.toml`.
pub(crate) fn catalog_of(text: &str) -> Result<Catalog, Failure> {
    Ok(Catalog::new(Profiles::load(Some(text))?, Zoo::of_user()?, std::env::current_exe().ok()))
}

pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    if path.metadata().is_ok_and(|m| !m.is_file()) {
        return Err(Failure::usage(format!("{} is not a file", path.display())));
    }
    std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))
}

/// Every solver that can be run here, the built-in one included.
pub(crate) fn every(catalog: &Catalog) -> Result<Vec<String>, Failure> {
    // One that smelt.toml names and that is not there is a mistake, not one solver fewer.
    for name in catalog.profiles().configured() {
        solver(catalog, name)?;
    }
    Ok(catalog.list().into_iter().map(|row| row.spec).collect())
}

/// The solvers that arguments name; without arguments, every installed solver.
pub(crate) fn solvers(catalog: &Catalog, specs: &[String]) -> Result<Vec<NamedSolver>, Failure> {
    let every = if specs.is_empty() { every(catalog)? } else { specs.to_vec() };
    // Alone, the built-in solver finds nothing: it is there to compare with.
    if specs.is_empty() && every.iter().all(|spec| spec == REFERENCE) {
        let how = "run `smelt solvers install z3`, or name one with -S (`-S builtin` is the built-in solver)";
        return Err(Failure::usage(format!("no solver found: {how}")));
    }
    specs.iter().for_each(|spec| trust::remember(catalog, spec));
    every.iter().map(|spec| solver(catalog, spec)).collect()
}

/// The solver of one argument.
pub(crate) fn solver(catalog: &Catalog, spec: &str) -> Result<NamedSolver, Failure> {
    let read = spec.parse::<SolverSpec>()?;
    if let SolverSpec::Builtin(Some(fault)) = &read
        && Fault::named(fault).is_none()
    {
        let meant = closest(fault, fault::FAULTS.iter().map(|f| f.name));
        let meant = meant.map(|name| format!("did you mean `builtin:{name}`? ")).unwrap_or_default();
        let message = format!(
            "no solver `{spec}`: {meant}`smelt solve --list-faults` lists the faults that can follow `builtin:`"
        );
        return Err(Failure::usage(message));
    }
    let solver = catalog.resolve(&read)?;
    let spec = match read {
        // A later release must not be taken for this one.
        SolverSpec::Newest(_) => solver.id().to_string(),
        _ => spec.to_owned(),
    };
    Ok(NamedSolver { spec, solver })
}

/// Solvers that check their own models, cores and proofs, as far as their profiles say how; the others stay as they are.
pub(crate) fn self_checking(
    catalog: &Catalog,
    solvers: Vec<NamedSolver>,
) -> Result<Vec<NamedSolver>, Failure> {
    let switch_on = |named: NamedSolver| match &named.solver.profile().enable.self_check[..] {
        [] => Ok(named),
        words => {
            let words: Vec<String> = words.iter().map(|w| smelt_solvers::quote(w)).collect();
            solver(catalog, &format!("{} {}", named.spec, words.join(" ")))
        }
    };
    solvers.into_iter().map(switch_on).collect()
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

/// The number of cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Reads `-j`.
pub(crate) fn number_of_jobs(text: &str) -> Result<usize, String> {
    units::positive(text).map_err(|_| "use -j 1 or more".to_owned())
}

/// More workers for each core than this only wait for each other.
const MOST_PER_CORE: usize = 4;

/// `-j`, for every command that runs several solvers at a time.
#[derive(clap::Args)]
pub(crate) struct Jobs {
    /// Parallel workers; default: one per core
    #[arg(short = 'j', long = "jobs", value_name = "N", value_parser = number_of_jobs)]
    jobs: Option<usize>,
}

impl Jobs {
    /// How many there are, no more than the machine can bear.
    pub(crate) fn count(&self) -> usize {
        jobs(self.jobs)
    }
}

/// The number of workers that was asked for, no more than the machine can bear; without one, the number of cores.
pub(crate) fn jobs(number: Option<usize>) -> usize {
    let most = cores() * MOST_PER_CORE;
    let wanted = number.unwrap_or_else(cores).max(1);
    if wanted > most {
        let cores = units::count(cores(), "core");
        let _ = writeln!(std::io::stderr(), "-j {wanted} is too many for {cores}: using {most} workers");
    }
    wanted.min(most)
}

/// A flag that Ctrl-C, SIGTERM and, except under `nohup`, SIGHUP set; a second one ends at once.
pub(crate) fn on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let mut wanted = vec![libc::SIGINT, libc::SIGTERM];
    if !ignores_hangup() {
        wanted.push(libc::SIGHUP);
    }
    let mut signals =
        Signals::new(wanted).map_err(|e| Failure::internal(format!("cannot listen for Ctrl-C: {e}")))?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            #[cfg(feature = "postgres")]
            smelt_store::shared::hurry();
            if flag.swap(true, Ordering::Relaxed) {
                crate::view::restore();
                std::process::exit(i32::from(Exit::Internal as u8));
            }
        }
    });
    Ok(stop)
}

/// Whether smelt should continue when its terminal is closed, as with `nohup`.
fn ignores_hangup() -> bool {
    // SAFETY: without a new action `sigaction` only writes the present one, for which zeros are a valid value.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    }
}

/// `--config`, for commands with further commands below them.
#[derive(clap::Args)]
pub(crate) struct GlobalConfig {
    /// Configuration file; default: ./smelt.toml
    #[arg(long = "config", global = true, value_name = "FILE", help_heading = MORE)]
    pub(crate) file: Option<PathBuf>,
}

/// `--config`, for every command that runs solvers.
#[derive(clap::Args)]
pub(crate) struct Config {
    /// Configuration file; default: ./smelt.toml
    #[arg(long = "config", value_name = "FILE", help_heading = MORE)]
    pub(crate) file: Option<PathBuf>,
}
