//! `smelt config`: check `smelt.toml`.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::{output, setup};

/// Check smelt.toml: unknown keys, missing programs
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Read the file, and look for the program of each of its solvers
    Check {
        /// The file; default: smelt.toml in the current folder
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let Action::Check { file, json } = &a.action;
    let path = file.clone().unwrap_or_else(|| setup::CONFIG.into());
    let catalog = setup::catalog(Some(&path))?;
    let mut solvers = Vec::new();
    let mut wrong = Vec::new();
    for name in catalog.profiles().configured() {
        match setup::solver(&catalog, name) {
            Ok(named) => solvers.push(named),
            Err(e) => wrong.push(e.message),
        }
    }
    let rows: Vec<_> = solvers
        .iter()
        .map(|s| json!({"name": s.spec, "solver": s.solver.id(), "program": s.solver.program(), "profile": s.solver.profile().name}))
        .collect();
    let document = json!({"version": 1, "file": path, "solvers": rows, "errors": wrong});
    output::result(*json, &document, |out| {
        for s in &solvers {
            writeln!(out, "{}: {} at {}", s.spec, s.solver.id(), s.solver.program().display())?;
        }
        if wrong.is_empty() { writeln!(out, "{}: no mistake", path.display()) } else { Ok(()) }
    })?;
    match &wrong[..] {
        [] => Ok(Exit::Ok),
        wrong => Err(Failure::usage(format!("{}: {}", path.display(), wrong.join("; ")))),
    }
}
