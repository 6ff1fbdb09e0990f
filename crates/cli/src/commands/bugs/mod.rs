//! `smelt bugs`: the bugs of a campaign, each with its findings, the most urgent first.

mod list;
mod write;

use std::path::{Path, PathBuf};

use smelt_solvers::Catalog;
use smelt_store::{Bug, bugs};
use smelt_store::{Store, Stored};
use smelt_triage::Mute;

use crate::exit::{Exit, Failure};
use crate::{folders, setup};

/// List the bugs a campaign found; show one, write an issue for its maintainers, examine what is left, or export all of them
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// [DIR] [show ID | report ID | examine [ID] | export [TO]]: the folder of the campaign (default: the last in this folder), then what to do
    #[arg(value_name = "DIR|show ID|report ID|examine|export")]
    words: Vec<String>,
    /// A file of fingerprints of known issues, besides mute.txt in the folder of the campaign
    #[arg(long, value_name = "FILE")]
    mute: Vec<PathBuf>,
    /// With examine: findings that were examined too
    #[arg(long)]
    all: bool,
    /// With examine: how long to reduce one finding
    #[arg(long, value_name = "D", default_value = "60s", value_parser = crate::units::duration)]
    time: std::time::Duration,
    /// Also list known issues
    #[arg(long)]
    muted: bool,
    /// Also list findings that did not repeat in fresh processes
    #[arg(long)]
    flaky: bool,
    /// List every finding by itself
    #[arg(long)]
    findings: bool,
    #[command(flatten)]
    config: setup::Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

enum Action {
    List,
    Show(String),
    Report(String),
    Examine(Option<String>),
    Export(PathBuf),
}

/// `[DIR] [show ID | report ID | examine [ID] | export [TO]]`; also with DIR at the end, behind an ID.
fn read(words: &[String]) -> Result<(PathBuf, Action), Failure> {
    let verb = |w: &String| matches!(w.as_str(), "show" | "report" | "examine" | "export");
    let (folder, rest) = match words {
        [first, rest @ ..] if !verb(first) => (PathBuf::from(first), rest),
        rest => (folders::latest(), rest),
    };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let action = match rest[..] {
        [] => Action::List,
        ["show", id] => Action::Show(id.to_owned()),
        ["report", id] => Action::Report(id.to_owned()),
        ["examine"] => Action::Examine(None),
        ["examine", id] => Action::Examine(Some(id.to_owned())),
        [verb @ ("show" | "report" | "examine"), id, folder] if id.parse::<u64>().is_ok() => {
            return read(&[folder.to_owned(), verb.to_owned(), id.to_owned()]);
        }
        ["export"] => Action::Export(folder.join("export")),
        ["export", to] => Action::Export(to.into()),
        _ => {
            return Err(Failure::usage(
                "write `smelt bugs [DIR]`, followed by nothing, `show ID`, `report ID`, `examine [ID]` or `export [TO]`",
            ));
        }
    };
    Ok((folder, action))
}

/// The data of all actions.
struct Campaign<'a> {
    folder: &'a Path,
    catalog: &'a Catalog,
    store: &'a Store,
    bugs: Vec<Bug>,
    /// Findings to list one by one: flaky ones with --flaky, all others with --findings.
    findings: Vec<Stored>,
}

impl Campaign<'_> {
    /// The bug that a finding belongs to.
    fn bug(&self, id: &str) -> Result<&Bug, Failure> {
        // Fails if there is no such finding.
        self.store.finding(id)?;
        let found = self.bugs.iter().find(|b| b.members.iter().any(|m| m == id));
        found.ok_or_else(|| {
            Failure::usage(format!("finding {id} is flaky: it did not come again in fresh processes"))
        })
    }
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let (folder, action) = read(&a.words)?;
    let store = Store::open(&folder)?;
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let mute = Mute::read(&folder, &a.mute)?;
    let bugs = bugs(&store, catalog.profiles(), &mute)?;
    let wanted = |s: &Stored| if s.flaky { a.flaky } else { a.findings };
    let findings: Vec<Stored> = store.stored()?.into_iter().filter(wanted).collect();
    let news = bugs.iter().any(|b| b.muted.is_none());
    let case = Campaign { folder: &folder, catalog: &catalog, store: &store, bugs, findings };
    let mut out = std::io::stdout().lock();
    match action {
        Action::Show(id) => list::show(&mut out, &case, &id, a.json)?,
        Action::Report(id) => write::report(&mut out, &case, &id, a.json)?,
        Action::Examine(id) => {
            write::examine(&case, id.as_deref(), a.all, a.time)?;
            let bugs = smelt_store::bugs(&store, catalog.profiles(), &mute)?;
            let case = Campaign { bugs, ..case };
            if a.json { list::json(&mut out, a, &case)? } else { list::table(&mut out, a, &case)? }
        }
        Action::Export(to) => write::export(&mut out, &case, &to, a.json)?,
        Action::List if a.json => list::json(&mut out, a, &case)?,
        Action::List => list::table(&mut out, a, &case)?,
    }
    Ok(if news { Exit::Findings } else { Exit::Ok })
}
