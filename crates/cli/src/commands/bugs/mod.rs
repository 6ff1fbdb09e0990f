//! `smelt bugs`: the bugs of a campaign with their findings, most urgent first.

mod diff;
mod fixes;
mod junit;
mod list;
mod machine;
mod mark;
mod regress;
mod write;

use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_core::Dossier;
use smelt_report::Facts;
use smelt_solvers::Catalog;
use smelt_store::{Bug, Store, Stored, bugs};
use smelt_triage::Mute;

use regress::Regress;

use crate::console::{Console, Watch};
use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::trust::Trust;
use crate::{folders, setup, units};

/// List the bugs of a campaign; show, report, mark or export them
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Campaign folder; default: the latest one here
    dir: Option<PathBuf>,
    #[command(subcommand)]
    action: Option<Action>,
    /// File with fingerprints of known bugs, in addition to mute.txt in the campaign folder
    #[arg(long, global = true, value_name = "FILE", help_heading = MORE)]
    mute: Vec<PathBuf>,
    /// Also list known bugs
    #[arg(long, help_heading = MORE)]
    muted: bool,
    /// Also list findings that did not reproduce in fresh processes
    #[arg(long, help_heading = MORE)]
    flaky: bool,
    /// Count bugs by the release that fixed them: run all findings on every release in the zoo
    #[arg(long, help_heading = MORE)]
    by_fix: bool,
    /// List findings instead of bugs; ID is then the number of a finding
    #[arg(long, global = true)]
    findings: bool,
    #[command(flatten)]
    config: setup::GlobalConfig,
    /// Print the result as one JSON document
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show all facts about a bug or finding
    Show(Place),
    /// Print an issue for the solver's maintainers, in Markdown
    Report(Place),
    /// Reduce and group findings that the campaign did not get to
    Examine {
        /// Finding; default: all that are not fully reduced
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// Campaign folder; default: the latest one here
        dir: Option<PathBuf>,
        /// Also examine findings that are fully reduced
        #[arg(long)]
        all: bool,
        /// Total time; default: until all are done
        #[arg(long, value_name = "DURATION", value_parser = units::duration)]
        time: Option<Duration>,
        /// Time to reduce one finding
        #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = units::duration)]
        each: Duration,
        #[command(flatten)]
        jobs: setup::Jobs,
        /// Show one line of progress instead of the live view
        #[arg(long, help_heading = MORE)]
        plain: bool,
        #[command(flatten)]
        trust: Trust,
    },
    /// Mark a bug as known, filed or fixed; marks are stored in mute.txt or the --mute file
    Mark {
        /// Number of the bug
        id: String,
        /// known and filed hide the bug; fixed reports it if it occurs again
        #[arg(value_enum)]
        state: mark::State,
        /// Note, such as a link or a version
        #[arg(value_name = "NOTE")]
        note: Option<String>,
    },
    /// Compare the bugs of two campaigns: new, gone, in both
    Diff {
        /// Folder of the earlier campaign
        old: PathBuf,
        /// Folder of the later campaign
        new: PathBuf,
    },
    /// Write scripts and issues of all bugs, or of one, to a folder
    Export {
        /// Bug; default: all
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// Campaign folder; default: the latest one here
        dir: Option<PathBuf>,
        /// Output folder; default: `export` in the campaign folder
        #[arg(short = 'o', long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Write regression tests in the format of a solver's repository; each fails on the release with the bug
        #[arg(long, value_enum, value_name = "SOLVER")]
        regress: Option<Regress>,
        /// Write a SARIF file, for continuous integration
        #[arg(long, value_name = "FILE", conflicts_with = "regress")]
        sarif: Option<PathBuf>,
        /// Write a JUnit file with one failed test per bug
        #[arg(long, value_name = "FILE", conflicts_with_all = ["regress", "sarif"])]
        junit: Option<PathBuf>,
        #[command(flatten)]
        trust: Trust,
    },
}

/// One bug or finding, and the campaign it is in.
#[derive(clap::Args)]
struct Place {
    /// Number of a bug or finding, as listed by `smelt bugs`
    id: String,
    /// Campaign folder; default: the latest one here
    dir: Option<PathBuf>,
}

/// Which bug or finding, and which folder. DIR may also precede the action, and a single argument that is not a number is a
/// folder.
fn place(before: Option<&Path>, id: Option<&str>, dir: Option<&Path>) -> (PathBuf, Option<String>) {
    let (id, dir) = match (id, dir) {
        (Some(word), None) if before.is_none() && word.parse::<u64>().is_err() => {
            (None, Some(Path::new(word)))
        }
        other => other,
    };
    let folder = dir.or(before).map_or_else(folders::latest, Path::to_owned);
    (folder, id.map(str::to_owned))
}

/// The data of all actions.
struct Campaign<'a> {
    folder: &'a Path,
    catalog: &'a Catalog,
    store: &'a Store,
    trust: Trust,
    bugs: Vec<Bug>,
    /// Findings to list one by one: flaky ones with --flaky, all others with --findings.
    findings: Vec<Stored>,
}

impl Campaign<'_> {
    /// The facts about a bug.
    fn facts(&self, bug: &Bug) -> Result<Facts, Failure> {
        Ok(Facts::of(self.store, self.catalog.profiles(), bug, &smelt_report::script(bug)?))
    }

    /// The bug that a finding belongs to.
    fn bug(&self, id: &str) -> Result<&Bug, Failure> {
        // Fails if there is no such finding.
        self.store.finding(id)?;
        let found = self.bugs.iter().find(|b| b.members.iter().any(|m| m == id));
        found.ok_or_else(|| {
            Failure::usage(format!("finding {id} is flaky: it did not reproduce in fresh processes"))
        })
    }

    /// The bugs whose script was not reduced to the end.
    fn half_reduced(&self) -> impl Iterator<Item = &Bug> {
        let is_half = |b: &&Bug| b.dossier.as_ref().is_some_and(Dossier::is_half_reduced);
        self.bugs.iter().filter(is_half)
    }
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let before = a.dir.as_deref();
    let (folder, id) = match &a.action {
        None => place(before, None, None),
        Some(Action::Diff { old, new }) => return diff::run(old, new, a),
        Some(Action::Mark { id, .. }) => (place(before, None, None).0, Some(id.clone())),
        Some(Action::Show(at) | Action::Report(at)) => place(before, Some(&at.id), at.dir.as_deref()),
        Some(Action::Examine { id, dir, .. } | Action::Export { id, dir, .. }) => {
            place(before, id.as_deref(), dir.as_deref())
        }
    };
    let store = folders::open(&folder)?;
    let catalog = setup::catalog(a.config.file.as_deref())?;
    if a.action.is_some() {
        store.bring_files()?;
    }
    let mute = Mute::read(store.folder(), &a.mute)?;
    let bugs = bugs(&store, catalog.profiles(), &mute)?;
    let wanted = |s: &Stored| if s.flaky { a.flaky } else { a.findings };
    let findings: Vec<Stored> = store.stored()?.into_iter().filter(wanted).collect();
    let news = bugs.iter().any(|b| b.muted.is_none());
    let trust = match &a.action {
        Some(Action::Examine { trust, .. } | Action::Export { trust, .. }) => *trust,
        _ => Trust::default(),
    };
    let case = Campaign { folder: &folder, catalog: &catalog, store: &store, trust, bugs, findings };
    let mut out = std::io::stdout().lock();
    let named =
        || id.clone().ok_or_else(|| Failure::usage("name a bug by its number, as listed by `smelt bugs`"));
    match &a.action {
        None if a.by_fix => fixes::show(&mut out, &case, a.json)?,
        None if a.json => list::json(&mut out, a, &case)?,
        None => list::table(&mut out, a, &case)?,
        Some(Action::Show(_)) => {
            list::show(&mut out, &case, &named()?, a.findings, a.json)?;
        }
        Some(Action::Report(_)) => write::report(&mut out, &case, &named()?, a.json)?,
        Some(Action::Examine { all, time, each, jobs, plain, .. }) => {
            let stop = setup::on_interrupt()?;
            let watch = Watch { plain: *plain, json_lines: false };
            let title = format!("smelt bugs examine  {}", folder.display());
            let console = Console::watch(a.json, watch, &title, &stop);
            let effort = write::Effort { time: *time, each: *each, jobs: jobs.count() };
            write::examine(&case, id.as_deref(), *all, effort, &stop, &console)?;
            console.clear();
            let bugs = smelt_store::bugs(&store, catalog.profiles(), &mute)?;
            let case = Campaign { bugs, ..case };
            if a.json { list::json(&mut out, a, &case)? } else { list::table(&mut out, a, &case)? }
        }
        Some(Action::Mark { state, note, .. }) => {
            mark::run(&mut out, &case, &named()?, *state, note.as_deref(), a)?;
            return Ok(Exit::Ok);
        }
        Some(Action::Diff { .. }) => {}
        Some(Action::Export { out: to, regress, sarif, junit, .. }) => {
            // `smelt bugs DIR export TO` of before.
            let earlier = id.as_deref().filter(|word| word.parse::<u64>().is_err());
            let to = match to.clone().or(earlier.map(PathBuf::from)) {
                Some(to) => to,
                None => smelt_store::inside(store.folder(), "export")?,
            };
            let only = id.as_deref().filter(|_| earlier.is_none()).map(|id| case.bug(id)).transpose()?;
            let form = match (junit, regress, sarif) {
                (Some(file), ..) => write::Form::JUnit(file),
                (_, Some(which), _) => write::Form::Regress(&to, *which),
                (.., Some(file)) => write::Form::Sarif(file),
                _ => write::Form::Files(&to),
            };
            write::export(&mut out, &case, only, form, a.json)?;
        }
    }
    Ok(if news { Exit::Findings } else { Exit::Ok })
}
