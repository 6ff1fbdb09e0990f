//! `smelt join`: joins a campaign in a shared store.

use std::path::PathBuf;
use std::time::Duration;

use smelt_store::shared::Address;

use super::fuzz;
use crate::console::Watch;
use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::trust::Trust;
use crate::{setup, units};

/// Join a campaign that several machines share
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Database: postgres://USER@HOST/DATABASE, optionally followed by #NAME
    #[arg(value_name = "URL")]
    url: String,
    /// Campaign; default: the only one in the database
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Parallel workers; default: one per core
    #[arg(short = 'j', long = "jobs", value_name = "N", value_parser = setup::number_of_jobs)]
    jobs: Option<usize>,
    /// How long to take part; default: until the campaign ends, or Ctrl-C
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// Leave reducing and grouping of findings to other machines
    #[arg(long, help_heading = MORE)]
    no_reduce: bool,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    config: setup::Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    watch: Watch,
}

/// The campaign of an address, with its name.
pub(super) fn place(url: &str, name: Option<&str>) -> Result<PathBuf, Failure> {
    let address: Address = url.parse()?;
    let address = match name {
        Some(name) => address.named(name)?,
        None => address,
    };
    Ok(address.to_string().into())
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let out = place(&a.url, a.name.as_deref())?;
    let request = fuzz::joined(&out, a.jobs, a.time)?;
    let place = out.display().to_string();
    a.trust.check(&catalog, &request.solvers, &place, "use --allow-commands")?;
    let run = fuzz::Run {
        cache: None,
        out,
        resume: true,
        lease: None,
        no_reduce: a.no_reduce,
        save_cases: None,
        json: a.json,
        watch: a.watch,
    };
    fuzz::start(&catalog, request, run)
}
