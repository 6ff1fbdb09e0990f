//! The bugs of a campaign as text and as JSON.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};
use smelt_core::{Dossier, Evidence, FindingRow};
use smelt_report::{Spelling, Tone};
use smelt_solvers::Profiles;
use smelt_store::{Bug, Stored};

use super::{Arguments, Campaign};
use crate::exit::Failure;
use crate::table::{Column, Table, column};
use crate::{output, style, units};

/// A finding as JSON, with fields that only the store has.
pub(super) fn finding(s: &Stored) -> Value {
    let mut value = serde_json::to_value(&s.finding).unwrap_or_default();
    value["reason"] = s.claim.reason.to_string().into();
    value["triggers"] = s.triggers.into();
    value["flaky"] = s.flaky.into();
    value["seen"] = s.seen.into();
    value["reduced_bytes"] = s.reduced_bytes.into();
    value["trigger"] = s.trigger.clone().into();
    value
}

/// A bug as JSON: its best finding, and the facts about the bug.
pub(super) fn bug(b: &Bug, profiles: &Profiles) -> Value {
    let mut value = finding(&Stored { finding: b.as_finding(), ..b.finding.clone() });
    value["shown"] = b.finding.finding.id.clone().into();
    value["examined"] = b.dossier.is_some().into();
    value["findings"] = b.members.clone().into();
    value["aliases"] = b.aliases.iter().map(|(number, _)| number.clone()).collect::<Vec<_>>().into();
    value["triggers"] = b.triggers.into();
    value["priority"] = b.priority.into();
    value["outside"] = b.outside.clone().into();
    value["muted"] = b.muted.clone().into();
    if let Some(fixed) = &b.fixed {
        value["fixed"] = fixed.clone().into();
    }
    if let Some(d) = &b.dossier {
        value["reason"] = d.reason.clone().into();
        value["title"] = smelt_report::title(b, &Spelling::of(profiles, b)).into();
        value["releases"] = smelt_report::versions_in_words(b).into();
        value["default_options"] = d.needs.is_default().into();
        value["safe"] = d.needs.safe.into();
    }
    value
}

pub(super) fn json(out: &mut impl Write, a: &Arguments, case: &Campaign<'_>) -> Result<(), Failure> {
    let shown = case.bugs.iter().filter(|b| !a.findings && (a.muted || b.muted.is_none()));
    let profiles = case.catalog.profiles();
    let list: Vec<Value> = shown.map(|b| bug(b, profiles)).chain(case.findings.iter().map(finding)).collect();
    writeln!(out, "{}", Value::from(list))?;
    Ok(())
}

pub(super) fn table(out: &mut impl Write, a: &Arguments, case: &Campaign<'_>) -> Result<(), Failure> {
    if a.findings {
        finding_rows(case)?.write(out)?;
        writeln!(out, "{} findings in {}", case.findings.len(), case.folder.display())?;
        return Ok(());
    }
    let (open, examined): (Vec<&Bug>, Vec<&Bug>) = case.bugs.iter().partition(|b| b.is_open());
    let (offered, rest): (Vec<&Bug>, Vec<&Bug>) = examined.into_iter().partition(|b| b.is_offered());
    let (muted, outside): (Vec<&Bug>, Vec<&Bug>) = rest.into_iter().partition(|b| b.muted.is_some());
    if !offered.is_empty() {
        bug_rows(&offered).write(out)?;
        for (b, fixed) in offered.iter().filter_map(|b| Some((b, b.fixed.as_ref()?))) {
            writeln!(out, "{:>4}: found again, although marked {}", b.id, output::printable(fixed))?;
        }
    }
    if !outside.is_empty() {
        writeln!(out, "not accepted by the solver's maintainers:")?;
        bug_rows(&outside).write(out)?;
        for b in &outside {
            writeln!(out, "{:>4}: {}", b.id, b.outside.join("; "))?;
        }
    }
    if a.muted && !muted.is_empty() {
        writeln!(out, "known:")?;
        bug_rows(&muted).write(out)?;
        for b in &muted {
            writeln!(out, "{:>4}: {}", b.id, output::printable(b.muted.as_deref().unwrap_or_default()))?;
        }
    }
    if !open.is_empty() {
        writeln!(out, "findings not reduced and grouped yet; each may be a duplicate:")?;
        const SHOWN: usize = 10;
        bug_rows(&open[..open.len().min(SHOWN)]).write(out)?;
        if open.len() > SHOWN {
            writeln!(out, "      .. and {} more (--findings lists all)", open.len() - SHOWN)?;
        }
    }
    if !case.findings.is_empty() {
        finding_rows(case)?.write(out)?;
    }
    let examined = offered.iter().chain(&outside).chain(&muted);
    let members: usize = examined.map(|b| b.members.len()).sum();
    let known = if muted.is_empty() { String::new() } else { format!(", {} known and muted", muted.len()) };
    let bugs = units::count(offered.len() + outside.len(), "bug");
    writeln!(out, "{bugs}{known}: {} in {}", units::count(members, "finding"), case.folder.display())?;
    if !open.is_empty() {
        let left = units::count(open.len(), "finding");
        writeln!(out, "run `smelt bugs examine {}` to reduce and group {left}", case.folder.display())?;
    }
    let half: Vec<&str> = case.half_reduced().map(|b| b.id.as_str()).collect();
    if !half.is_empty() {
        let folder = case.folder.display();
        writeln!(
            out,
            "not fully reduced: {}; run `smelt bugs examine {folder}` to continue",
            half.join(", ")
        )?;
    }
    rates(out, case, &offered)
}

/// Warns if there are more bugs than a solver's maintainers accept per week.
fn rates(out: &mut impl Write, case: &Campaign<'_>, offered: &[&Bug]) -> Result<(), Failure> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for d in offered.iter().filter_map(|b| b.dossier.as_ref()) {
        *counts.entry(&d.profile).or_default() += 1;
    }
    for (profile, count) in counts {
        let maintainers = case.catalog.profiles().get(profile).map(|p| &p.maintainers);
        if let Some(most) = maintainers.and_then(|m| m.per_week).filter(|most| count > *most) {
            writeln!(
                out,
                "{profile} accepts at most {most} reports a week: file the first {most} of the {count} above"
            )?;
        }
    }
    Ok(())
}

const COLUMNS: [Column; 8] = [
    column("ID").right(),
    column("KIND"),
    column("SOLVER").gives_way(1),
    column("PRIORITY").gives_way(3),
    column("EVIDENCE"),
    column("BYTES").right(),
    column("TRIGGERS").right().gives_way(4),
    column("FINGERPRINT").gives_way(5),
];

/// A table of bugs; a note replaces the priority.
fn rows<'a>(bugs: impl Iterator<Item = (&'a Bug, Option<String>)>) -> Table<'static> {
    let mut table = Table::new(&COLUMNS);
    for (b, note) in bugs {
        let f = b.as_finding();
        let evidence = f.evidence.map_or("-", Evidence::as_str).to_owned();
        let (bytes, triggers) = (b.finding.smallest().to_string(), b.triggers.to_string());
        let urgency = note.is_none().then_some(b.priority);
        let priority = note.unwrap_or_else(|| format!("P{}", b.priority));
        table.row(
            vec![f.id, f.kind.to_string(), f.solver, priority, evidence, bytes, triggers, f.fingerprint],
            urgency,
        );
    }
    table
}

pub(super) fn bug_rows(bugs: &[&Bug]) -> Table<'static> {
    rows(bugs.iter().map(|b| (*b, None)))
}

/// One row per finding; an examined finding is listed as the bug that its reduced script triggers.
fn finding_rows(case: &Campaign<'_>) -> Result<Table<'static>, Failure> {
    let mut all = Vec::new();
    for s in &case.findings {
        let note = if s.flaky { format!("flaky, {} of 3", s.seen) } else { "-".to_owned() };
        all.push((single(s.clone(), case.store.dossier(&s.finding.id)?, None), note));
    }
    Ok(rows(all.iter().map(|(b, note)| (b, Some(note.clone())))))
}

/// A single finding as a bug, with the fingerprint of the bug that it belongs to.
fn single(stored: Stored, dossier: Option<Dossier>, group: Option<&Bug>) -> Bug {
    let kind = dossier.as_ref().map_or(stored.finding.kind, |d| d.kind);
    let fingerprint = group.map_or(&stored.finding.fingerprint, |b| &b.fingerprint).clone();
    Bug {
        id: stored.finding.id.clone(),
        aliases: Vec::new(),
        fingerprint,
        kind,
        members: group.map(|b| b.members.clone()).unwrap_or_default(),
        triggers: stored.triggers,
        priority: kind.row().priority,
        outside: Vec::new(),
        muted: None,
        fixed: None,
        finding: stored,
        dossier,
    }
}

/// A bug or a single finding, with all facts about it.
pub(super) fn show(
    out: &mut impl Write,
    case: &Campaign<'_>,
    number: &str,
    is_finding: bool,
    as_json: bool,
) -> Result<(), Failure> {
    let bug_named = case.bugs.iter().find(|b| b.is_called(number) && !is_finding);
    // A bug is represented by one of its findings.
    let id = bug_named.map_or(number, |b| &b.finding.finding.id);
    let stored = case.store.finding(id)?;
    let sightings = case.store.sightings(&stored.trigger)?;
    let group = case.bugs.iter().find(|b| b.members.iter().any(|m| m == id));
    let shown = match group {
        // If this finding represents the bug, show the bug.
        Some(b) if b.finding.finding.id == id => b.clone(),
        _ => single(stored.clone(), case.store.dossier(id)?, group),
    };
    let facts = case.facts(&shown)?;
    if as_json {
        let origin = case.store.origin(id)?;
        let profiles = case.catalog.profiles();
        let mut value = bug_named.map_or_else(|| finding(&stored), |b| bug(b, profiles));
        value["provenance"] = serde_json::to_value(&origin.case.provenance).unwrap_or_default();
        value["expectation"] = serde_json::to_value(origin.case.expectation()).unwrap_or_default();
        value["solvers"] = origin.solvers.into();
        value["dossier"] = serde_json::to_value(&shown.dossier).unwrap_or_default();
        value["facts"] = serde_json::to_value(&facts).unwrap_or_default();
        value["sightings"] = serde_json::to_value(&sightings).unwrap_or_default();
        value["bug"] = group.map_or(Value::Null, |b| json!({"id": b.id, "findings": b.members}));
        return output::print_json(&value);
    }
    let mut rows = Vec::new();
    let f = &stored.finding;
    let mut now = shown.as_finding();
    now.solver = output::printable(&now.solver).into_owned();
    match (bug_named, group.filter(|b| b.dossier.is_some())) {
        (Some(b), _) => {
            let findings = units::count(b.members.len(), "finding");
            writeln!(out, "bug {}: {} in {}, {findings}", b.id, now.kind, now.solver)?;
            rows.push(("fingerprint", now.fingerprint.clone()));
            if !b.aliases.is_empty() {
                let aliases: Vec<String> =
                    b.aliases.iter().map(|(n, print)| format!("{n} ({print})")).collect();
                rows.push(("formerly", aliases.join(", ")));
            }
            rows.push(("example", format!("finding {id}")));
        }
        (None, Some(b)) => {
            writeln!(out, "finding {id}: {} in {}", now.kind, now.solver)?;
            let FindingRow { kind, solver, fingerprint, .. } = b.as_finding();
            rows.push(("bug", format!("{}: {kind} in {solver}, {fingerprint}", b.id)));
            if b.finding.finding.id != id {
                rows.push(("example", format!("finding {}", b.finding.finding.id)));
            }
        }
        (None, None) => writeln!(out, "finding {id}: {} in {}", now.kind, now.solver)?,
    }
    if now.kind != f.kind {
        rows.push(("originally", format!("{}: {}", f.kind, stored.claim.reason)));
    }
    rows.push(("evidence", facts.evidence.map_or("-", Evidence::as_str).to_owned()));
    rows.push(("theory", facts.theory.clone().unwrap_or_else(|| "-".to_owned())));
    // Machines of a shared campaign may have other versions.
    for s in sightings.iter().filter(|_| sightings.len() > 1) {
        let triggers = units::count(s.triggers as usize, "trigger");
        rows.push(("found by", format!("smelt {}, {}: {triggers}", s.smelt, s.solvers)));
    }
    rows.push(("file", f.file.clone()));
    rows.extend(f.reduced.iter().map(|reduced| ("reduced", reduced.clone())));
    for (name, value) in rows {
        writeln!(out, "  {name:<12} {}", output::printable(&value))?;
    }
    let paint = |tone: Tone, text: &str| {
        let text = output::printable(text);
        match tone {
            Tone::Plain => text.into_owned(),
            Tone::Heading => style::heading(&text),
            Tone::Wrong => style::urgency(1, &text),
        }
    };
    write!(out, "\n{}", smelt_report::terminal(&facts, &paint))?;
    Ok(())
}
