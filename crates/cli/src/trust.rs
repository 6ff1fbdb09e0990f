//! Command lines from a campaign run only if the user trusts them.
//!
//! A folder or a database may come from someone else, who decides which solvers it names. A name such as `z3@4.8.7`
//! or `builtin` refers to a solver of this machine and is harmless. Any other command line runs only if the user
//! has used it before on this machine, or allows it now. Known command lines are saved, one per line, in `commands`
//! in the cache folder.
//!
//! The current folder may also contain a `smelt.toml` from someone else. It is read only after the user has trusted
//! its exact text. Trusted texts are saved in `trusted` in the cache folder.

use std::io::Write;
use std::path::{Path, PathBuf};

use smelt_solvers::{Catalog, SolverSpec, Zoo};

use crate::exit::Failure;
use crate::help::MORE;
use crate::output::printable;

/// `--allow-commands`, for commands that run solvers that a campaign names.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct Trust {
    /// Run command lines that come from the campaign and that you never used yourself; prints them first
    #[arg(long, help_heading = MORE)]
    allow_commands: bool,
}

fn file(catalog: &Catalog) -> PathBuf {
    catalog.zoo().root().with_file_name("commands")
}

/// What an argument would run, if its author decides that.
fn command(catalog: &Catalog, spec: &str) -> Option<String> {
    catalog.command_line(&spec.parse::<SolverSpec>().ok()?)
}

fn is_remembered(catalog: &Catalog, command: &str) -> bool {
    std::fs::read_to_string(file(catalog)).is_ok_and(|text| text.lines().any(|line| line == command))
}

/// Keeps in mind that the user named this solver.
pub(crate) fn remember(catalog: &Catalog, spec: &str) {
    let Some(command) = command(catalog, spec).filter(|c| !c.contains(char::is_control)) else { return };
    if is_remembered(catalog, &command) {
        return;
    }
    // If it cannot be kept, the user is asked once more.
    let path = file(catalog);
    let _ = path.parent().map(std::fs::create_dir_all);
    if let Ok(mut file) = std::fs::File::options().create(true).append(true).open(path) {
        let _ = file.write_all(format!("{command}\n").as_bytes());
    }
}

/// Whether a solver that a campaign names may be run without a word of the user.
pub(crate) fn is_trusted(catalog: &Catalog, spec: &str) -> bool {
    command(catalog, spec).is_none_or(|command| is_remembered(catalog, &command))
}

impl Trust {
    /// Fails if a campaign names command lines that its user neither named nor allows; `remedy` says what else helps.
    pub(crate) fn check(
        self,
        catalog: &Catalog,
        specs: &[String],
        place: &str,
        remedy: &str,
    ) -> Result<(), Failure> {
        for spec in specs.iter().filter(|spec| !is_trusted(catalog, spec)) {
            let shown = printable(spec);
            if !self.allow_commands {
                return Err(Failure::usage(format!(
                    "{place} would run a command line that you never used yourself: `{shown}`; if you trust it, {remedy}"
                )));
            }
            writeln!(std::io::stderr(), "running a command line from {place}: {shown}")?;
        }
        Ok(())
    }
}

fn trusted(zoo: &Zoo) -> PathBuf {
    zoo.root().with_file_name("trusted")
}

/// Keeps in mind that the user trusts this text of a `smelt.toml`.
pub(crate) fn trust_config(zoo: &Zoo, text: &str) -> Result<(), Failure> {
    if is_config_trusted(zoo, text) {
        return Ok(());
    }
    let folder = trusted(zoo);
    let number = std::fs::read_dir(&folder).map_or(0, Iterator::count);
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(format!("{number}-{}.toml", std::process::id())), text)?)
}

/// Whether the user trusts this text of a `smelt.toml`; one that says nothing needs no trust.
pub(crate) fn is_config_trusted(zoo: &Zoo, text: &str) -> bool {
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let files = std::fs::read_dir(trusted(zoo)).into_iter().flatten().flatten();
    text.lines().all(says_nothing)
        || files.into_iter().any(|file| std::fs::read_to_string(file.path()).is_ok_and(|kept| kept == text))
}

/// Fails if the user does not trust this text of a `smelt.toml`.
pub(crate) fn check_config(zoo: &Zoo, path: &Path, text: &str) -> Result<(), Failure> {
    if is_config_trusted(zoo, text) {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::usage(format!(
        "{path} is not trusted yet, and it names programs to run: \
         read it and run `smelt config trust`, or pass it with --config"
    )))
}
