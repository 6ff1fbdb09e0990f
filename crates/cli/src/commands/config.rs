//! `smelt config`: checks `smelt.toml`, or trusts it.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::{output, setup, trust};

/// Check smelt.toml, or trust one that you did not write
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Check the file for unknown keys and missing programs
    Check {
        /// File; default: smelt.toml in the current folder
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Print the result as one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Print the programs named in the file, and allow smelt to run them
    Trust {
        /// File; default: smelt.toml in the current folder
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let (Action::Check { file, .. } | Action::Trust { file }) = &a.action;
    let path = file.clone().unwrap_or_else(|| setup::CONFIG.into());
    match a.action {
        Action::Check { json, .. } => check(&path, json),
        Action::Trust { .. } => trust(&path),
    }
}

/// Trusts the file as it is now.
fn trust(path: &Path) -> Result<Exit, Failure> {
    let text = setup::read(path)?;
    let catalog = setup::catalog_of(&text)?;
    let mut out = std::io::stdout().lock();
    for name in catalog.profiles().configured() {
        let profile = catalog.profiles().get(name);
        let runs = match profile.and_then(|p| p.command.as_deref()) {
            Some(command) => output::printable(command).into_owned(),
            None => format!("the built-in profile of {name}, changed"),
        };
        writeln!(out, "{}: {runs}", output::printable(name))?;
    }
    trust::trust_config(catalog.zoo(), &text)?;
    writeln!(out, "{} is trusted until it changes", path.display())?;
    Ok(Exit::Ok)
}

/// Reads the file and looks for its programs, which are asked for their versions: so it must be trusted.
fn check(path: &Path, json: bool) -> Result<Exit, Failure> {
    let catalog = setup::catalog(Some(path))?;
    trust::check_config(catalog.zoo(), path, &setup::read(path)?)?;
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
    output::result(json, &document, |out| {
        for s in &solvers {
            writeln!(out, "{}: {} at {}", s.spec, s.solver.id(), s.solver.program().display())?;
        }
        if wrong.is_empty() { writeln!(out, "{}: ok", path.display()) } else { Ok(()) }
    })?;
    match &wrong[..] {
        [] => Ok(Exit::Ok),
        wrong => Err(Failure::usage(format!("{}: {}", path.display(), wrong.join("; ")))),
    }
}
