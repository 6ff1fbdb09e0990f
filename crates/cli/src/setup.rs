//! From `-S` and `smelt.toml` to solvers that run.

use std::path::{Path, PathBuf};

use smelt_solvers::{Catalog, Error, Profiles, Solver, SolverSpec, Zoo};

use crate::exit::{Exit, Failure};

/// The file in the current folder that extends profiles and solvers.
const CONFIG: &str = "smelt.toml";

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        let exit = if e.kind().is_usage() { Exit::Usage } else { Exit::Internal };
        let message = e.to_string().trim_end().replace('\n', "; ");
        Failure { exit, message }
    }
}

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

/// The solvers that arguments name; without arguments, every one there is.
pub(crate) fn solvers(catalog: &Catalog, specs: &[String]) -> Result<Vec<Solver>, Failure> {
    let every: Vec<String> = match specs {
        [] => catalog.list().into_iter().map(|row| row.spec).collect(),
        specs => specs.to_vec(),
    };
    if every.is_empty() {
        let message = "no solver found: run `smelt solvers install z3@5.4.0`, or name one with -S";
        return Err(Failure::usage(message));
    }
    every.iter().map(|spec| Ok(catalog.resolve(&spec.parse::<SolverSpec>()?)?)).collect()
}

/// `--config`, for every command that runs solvers.
#[derive(clap::Args)]
pub(crate) struct Config {
    /// The file that defines further solvers, instead of smelt.toml in the current folder
    #[arg(long = "config", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}
