//! Issues for maintainers, one by one or all into a folder.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use smelt_report::{Issue, issue};
use smelt_solvers::Limits;
use smelt_store::Bug;
use smelt_store::{Store, Stored};
use smelt_triage::{Dossier, Examiner};
use smelt_trial::NamedSolver;

use super::{Campaign, list};
use crate::exit::Failure;
use crate::{inputs, output, setup};

/// The time limits for examining a finding that the campaign had no time for, and for one query.
const TIME: Duration = Duration::from_secs(60);
const QUERY: Duration = Duration::from_secs(10);

/// The issue of the bug that a finding belongs to.
pub(super) fn report(out: &mut impl Write, case: &Campaign<'_>, id: &str, json: bool) -> Result<(), Failure> {
    let bug = case.bug(id)?;
    let dossier = match &bug.dossier {
        Some(dossier) => dossier.clone(),
        None => {
            writeln!(std::io::stderr(), "finding {} was not examined yet: reducing it ..", bug.id)?;
            examine_one(case, &bug.id, TIME, &*setup::on_interrupt()?)?
        }
    };
    let text = markdown(case, bug, &dossier)?;
    if json {
        let mut value = list::bug(bug);
        value["title"] = smelt_report::title(&dossier, bug.kind).into();
        value["markdown"] = text.into();
        writeln!(out, "{value}")?;
    } else {
        write!(out, "{text}")?;
    }
    Ok(())
}

/// Examines one finding, or all that were not examined yet, one after the other. What is done is kept if it is stopped.
pub(super) fn examine(
    case: &Campaign<'_>,
    id: Option<&str>,
    all: bool,
    time: Duration,
) -> Result<(), Failure> {
    let wanted = |s: &Stored| match id {
        Some(id) => s.finding.id == id,
        None => !s.flaky && (all || !s.examined),
    };
    if let Some(id) = id {
        case.store.finding(id)?;
    }
    let mut list: Vec<Stored> = case.store.stored()?.into_iter().filter(wanted).collect();
    list.sort_by_key(|s| s.finding.bytes);
    let stop = setup::on_interrupt()?;
    let mut failed = 0;
    for (i, stored) in list.iter().enumerate() {
        let id = &stored.finding.id;
        writeln!(
            std::io::stderr(),
            "examining finding {id}, {} of {}: {} in {}, {} bytes (Ctrl-C ends it)",
            i + 1,
            list.len(),
            stored.finding.kind,
            stored.finding.solver,
            stored.finding.bytes
        )?;
        match examine_one(case, id, time, &stop) {
            Err(_) if stop.load(Ordering::Relaxed) => break,
            Err(e) if list.len() == 1 => return Err(e),
            Err(e) => {
                failed += 1;
                writeln!(std::io::stderr(), "finding {id}: {}", e.message)?;
            }
            Ok(_) => {}
        }
    }
    if failed > 0 {
        writeln!(std::io::stderr(), "{failed} of {} could not be examined", list.len())?;
    }
    Ok(())
}

/// Examines a finding now, with the solvers it was found with.
fn examine_one(case: &Campaign<'_>, id: &str, time: Duration, stop: &AtomicBool) -> Result<Dossier, Failure> {
    let origin = case.store.origin(id)?;
    let solvers: Vec<NamedSolver> =
        origin.solvers.iter().filter_map(|spec| setup::solver(case.catalog, spec).ok()).collect();
    let means = setup::means(case.catalog);
    let jobs = setup::cores();
    let examiner = Examiner { means: &means, limits: Limits::within(QUERY), jobs, time, stop };
    match Store::examine(case.folder, id, &solvers, &examiner)? {
        Some(examination) => Ok(examination.dossier),
        None if stop.load(Ordering::Relaxed) => Err(Failure::internal("interrupted; nothing was changed")),
        None => Err(Failure::internal(format!("finding {id} could not be examined"))),
    }
}

fn markdown(case: &Campaign<'_>, bug: &Bug, dossier: &Dossier) -> Result<String, Failure> {
    // Read again: it may have been reduced just now.
    let shown = &bug.finding.finding.id;
    let finding = case.store.finding(shown)?.finding;
    let file = finding.reduced.as_ref().unwrap_or(&finding.file);
    let script = inputs::read(Path::new(file))?;
    let origin = case.store.origin(shown)?;
    let usual = smelt_solvers::ReportPolicy::default();
    let maintainers = case.catalog.profiles().get(&dossier.profile).map_or(&usual, |p| &p.maintainers);
    Ok(issue(&Issue {
        dossier,
        script: &String::from_utf8_lossy(&script),
        origin: &origin,
        replay: (shown, &case.folder.display().to_string()),
        kind: bug.kind,
        maintainers,
        outside: &bug.outside,
    }))
}

/// All bugs as files in one folder: a script each, an issue of those that were examined, and a list.
pub(super) fn export(
    out: &mut impl Write,
    case: &Campaign<'_>,
    to: &Path,
    json: bool,
) -> Result<(), Failure> {
    // Files of an earlier export must not stay beside these; anything else in the folder does.
    let is_ours = |name: &str| {
        let (number, rest) = name.split_once('-').unwrap_or((name, ""));
        name == "bugs.json"
            || (number.len() >= 4
                && number.parse::<u64>().is_ok()
                && (rest.ends_with(".smt2") || rest.ends_with(".md")))
    };
    for entry in std::fs::read_dir(to).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    for bug in &case.bugs {
        let f = &bug.finding.finding;
        let name = format!("{:0>4}-{}", bug.id, bug.kind);
        let file = f.reduced.as_ref().unwrap_or(&f.file);
        output::write(&to.join(format!("{name}.smt2")), inputs::read(Path::new(file))?)?;
        if let Some(dossier) = &bug.dossier {
            output::write(&to.join(format!("{name}.md")), markdown(case, bug, dossier)?)?;
        }
    }
    let list = Value::from(case.bugs.iter().map(list::bug).collect::<Vec<_>>());
    output::write(&to.join("bugs.json"), format!("{list}\n"))?;
    if json {
        writeln!(out, "{list}")?;
    } else {
        writeln!(out, "{} bugs and bugs.json in {}", case.bugs.len(), to.display())?;
    }
    Ok(())
}
