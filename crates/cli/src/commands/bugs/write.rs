//! Writes issues for maintainers: one issue, or all into a folder.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use smelt_core::{Dossier, Event, EventSink, Kind};
use smelt_report::{Facts, issue};
use smelt_solvers::Limits;
use smelt_store::{Bug, Store, Stored};
use smelt_triage::{Examiner, Mute};
use smelt_trial::NamedSolver;

use super::regress::{self, Regress};
use super::{Campaign, junit, list, machine};
use crate::console::Console;
use crate::exit::Failure;
use crate::{output, setup, units};

/// The time limits for examining a finding that the campaign had no time for, and for one query.
const TIME: Duration = Duration::from_secs(60);
const QUERY: Duration = Duration::from_secs(10);
/// How often an examination is asked to end.
const POLL: Duration = Duration::from_millis(20);

/// The issue of the bug that a finding belongs to.
pub(super) fn report(out: &mut impl Write, case: &Campaign<'_>, id: &str, json: bool) -> Result<(), Failure> {
    let bug = case.bug(id)?;
    let bug = match &bug.dossier {
        Some(_) => bug.clone(),
        None => {
            writeln!(std::io::stderr(), "finding {} is not reduced yet: reducing it ..", bug.id)?;
            let dossier = examine_one(case, &bug.id, (TIME, setup::cores()), &*setup::on_interrupt()?, None)?;
            examined(case, bug, dossier)?
        }
    };
    let facts = case.facts(&bug)?;
    let text = issue(&facts);
    if json {
        let mut value = list::bug(&bug, case.catalog.profiles());
        value["markdown"] = text.into();
        value["facts"] = serde_json::to_value(&facts).unwrap_or_default();
        output::print_json(&value)?;
    } else {
        write!(out, "{}", output::printable(&text))?;
    }
    Ok(())
}

/// The bug that a finding belongs to, now that it was examined: one that was known before, or its own.
fn examined(case: &Campaign<'_>, bug: &Bug, dossier: Dossier) -> Result<Bug, Failure> {
    let bugs = smelt_store::bugs(case.store, case.catalog.profiles(), &Mute::default())?;
    let is_known = |b: &&Bug| b.dossier.as_ref().is_some_and(|d| d.identity == dossier.identity);
    let home = bugs.iter().find(|b| b.members.contains(&bug.id)).filter(|b| b.dossier.is_some());
    // A running campaign prevents other processes from storing the dossier.
    let home = home.or_else(|| bugs.iter().find(is_known).filter(|_| !dossier.is_full()));
    Ok(match home {
        Some(home) => home.clone(),
        // Read again: it was reduced just now.
        None => {
            let finding = case.store.finding(&bug.finding.finding.id)?;
            Bug { kind: dossier.kind, finding, dossier: Some(dossier), ..bug.clone() }
        }
    })
}

/// How much is spent on examining findings.
pub(super) struct Effort {
    /// In all.
    pub(super) time: Option<Duration>,
    /// To reduce one finding.
    pub(super) each: Duration,
    pub(super) jobs: usize,
}

/// Examines one finding, or all that were not examined or not reduced to the end, one after the other. What is done is kept
/// if it is stopped.
pub(super) fn examine(
    case: &Campaign<'_>,
    id: Option<&str>,
    all: bool,
    effort: Effort,
    stop: &AtomicBool,
    console: &Console,
) -> Result<(), Failure> {
    let until = effort.time.map(|time| Instant::now() + time);
    let half: HashSet<&str> = case.half_reduced().map(|b| b.finding.finding.id.as_str()).collect();
    let wanted = |s: &Stored| match id {
        Some(id) => s.finding.id == id,
        None => !s.flaky && (all || !s.examined || half.contains(s.finding.id.as_str())),
    };
    if let Some(id) = id {
        case.store.finding(id)?;
    }
    let mut list: Vec<Stored> = case.store.stored()?.into_iter().filter(wanted).collect();
    list.sort_by_key(|s| (!half.contains(s.finding.id.as_str()), s.finding.bytes));
    let mut failed = 0;
    for (i, stored) in list.iter().enumerate() {
        let Stored { finding, .. } = stored;
        let id = &finding.id;
        console.wait_while_paused(&|| stop.load(Ordering::Relaxed));
        let left = until.map_or(effort.each, |until| until.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            console.say(&format!(
                "--time is over: {} of {} findings not examined",
                list.len() - i,
                list.len()
            ));
            break;
        }
        console.event(&Event::Working { doing: "examining", at: i + 1, of: list.len() });
        console.say(&format!(
            "examining finding {id}, {} of {}: {} in {}, {} bytes (Ctrl-C to stop)",
            i + 1,
            list.len(),
            finding.kind,
            finding.solver,
            finding.bytes
        ));
        match examine_one(case, id, (left.min(effort.each), effort.jobs), stop, until) {
            Err(_) if stop.load(Ordering::Relaxed) => break,
            Err(_) if until.is_some_and(|until| Instant::now() >= until) => continue,
            Err(e) if list.len() == 1 => return Err(e),
            Err(e) => {
                failed += 1;
                console.say(&format!("finding {id}: {}", e.message));
            }
            Ok(_) => console.event(&Event::Found(case.store.finding(id)?.finding)),
        }
    }
    if failed > 0 {
        console.say(&format!("{failed} of {} could not be examined", list.len()));
    }
    Ok(())
}

/// Examines a finding now, with the solvers it was found with; it ends at a moment, if there is one.
fn examine_one(
    case: &Campaign<'_>,
    id: &str,
    (time, jobs): (Duration, usize),
    stop: &AtomicBool,
    until: Option<Instant>,
) -> Result<Dossier, Failure> {
    let origin = case.store.origin(id)?;
    case.trust.check(case.catalog, &origin.solvers, &case.store.place(), "use --allow-commands")?;
    let solvers: Vec<NamedSolver> =
        origin.solvers.iter().filter_map(|spec| setup::solver(case.catalog, spec).ok()).collect();
    let means = setup::means(case.catalog);
    let quit = AtomicBool::new(false);
    let examiner = Examiner { means: &means, limits: Limits::within(QUERY), jobs, time, stop: &quit };
    let examination = std::thread::scope(|scope| {
        let work = scope.spawn(|| Store::examine(case.folder, id, &solvers, &examiner));
        while !work.is_finished() {
            let is_late = until.is_some_and(|until| Instant::now() >= until);
            quit.store(is_late || stop.load(Ordering::Relaxed), Ordering::Relaxed);
            std::thread::sleep(POLL);
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    match examination {
        Some(examination) => Ok(examination.dossier),
        None if quit.into_inner() => Err(Failure::internal("interrupted; nothing was changed")),
        None => Err(Failure::internal(format!("finding {id} could not be examined"))),
    }
}

/// What bugs are exported as.
#[derive(Clone, Copy)]
pub(super) enum Form<'a> {
    /// A script and an issue each, and a list, in a folder.
    Files(&'a Path),
    /// A SARIF file.
    Sarif(&'a Path),
    /// A JUnit file.
    JUnit(&'a Path),
    /// Regression tests in a folder.
    Regress(&'a Path, Regress),
}

/// All bugs, or one, as files in one folder: a script each, an issue of those that were examined, and a list.
pub(super) fn export(
    out: &mut impl Write,
    case: &Campaign<'_>,
    only: Option<&Bug>,
    form: Form<'_>,
    json: bool,
) -> Result<(), Failure> {
    let bugs: Vec<&Bug> = case.bugs.iter().filter(|b| only.is_none_or(|only| only.id == b.id)).collect();
    let facts = bugs.iter().map(|b| case.facts(b)).collect::<Result<Vec<Facts>, Failure>>()?;
    let to = match form {
        Form::Files(to) => to,
        Form::Sarif(file) => {
            let document = machine::sarif(&bugs, &facts);
            output::write(file, format!("{document:#}\n"))?;
            return output::result(json, &document, |out| {
                writeln!(out, "{} in {}", tally(&bugs), file.display())
            });
        }
        Form::JUnit(file) => {
            output::write(file, junit::document(&bugs, &facts))?;
            let document = serde_json::json!({"version": 1, "file": file, "bugs": bugs.len()});
            return output::result(json, &document, |out| {
                writeln!(out, "{} in {}", tally(&bugs), file.display())
            });
        }
        Form::Regress(to, which) => {
            let regress::Made { tests, left } = regress::write(case, &bugs, &facts, which, to)?;
            let ids: Vec<&String> = left.iter().map(|(id, _)| id).collect();
            let reasons: BTreeMap<&String, &String> = left.iter().map(|(id, why)| (id, why)).collect();
            let document = serde_json::json!({
                "version": 1, "tests": tests, "left_out": ids, "reasons": reasons, "folder": to,
            });
            return output::result(json, &document, |out| {
                writeln!(out, "{} in {}", units::count(tests, "regression test"), to.display())?;
                let mut by_reason: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
                left.iter().for_each(|(id, why)| by_reason.entry(why).or_default().push(id));
                by_reason
                    .iter()
                    .try_for_each(|(why, all)| writeln!(out, "left out, because {why}: {}", units::list(all)))
            });
        }
    };
    // Files of an earlier export must not stay beside these; anything else in the folder does.
    let is_ours = |name: &str| {
        let parts = name.split_once('-').and_then(|(number, rest)| Some((number, rest.rsplit_once('.')?)));
        let is_bug = |(number, (kind, ending)): (&str, (&str, &str))| {
            let is_kind = Kind::ALL.iter().any(|k| k.as_str() == kind);
            number.parse::<u64>().is_ok() && is_kind && matches!(ending, "smt2" | "md")
        };
        name == "bugs.json" || parts.is_some_and(is_bug)
    };
    for entry in std::fs::read_dir(to).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    for (bug, facts) in bugs.iter().zip(&facts) {
        let name = format!("{:0>4}-{}", bug.id, bug.kind);
        // The script of the issue: the command that stands there must show the bug on this file.
        output::write(&to.join(format!("{name}.smt2")), &facts.shown.script)?;
        if facts.examined {
            output::write(&to.join(format!("{name}.md")), issue(facts))?;
        }
    }
    let list = Value::from(bugs.iter().map(|b| list::bug(b, case.catalog.profiles())).collect::<Vec<_>>());
    output::write(&to.join("bugs.json"), format!("{list}\n"))?;
    if json {
        writeln!(out, "{list}")?;
    } else {
        writeln!(out, "{} and bugs.json in {}", tally(&bugs), to.display())?;
    }
    Ok(())
}

/// How many bugs there are, known ones apart, and how many findings that may be one of them.
pub(super) fn tally(bugs: &[&Bug]) -> String {
    let (open, examined): (Vec<&Bug>, Vec<&Bug>) = bugs.iter().partition(|b| b.is_open());
    let known = examined.iter().filter(|b| b.muted.is_some()).count();
    let known_too = if known > 0 { format!(", {known} known and muted") } else { String::new() };
    let open = match open.len() {
        0 => String::new(),
        n => format!(", {} not examined", units::count(n, "finding")),
    };
    format!("{}{known_too}{open}", units::count(examined.len() - known, "bug"))
}
