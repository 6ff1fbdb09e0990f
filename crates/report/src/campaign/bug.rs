//! The page of one bug: the formula, what solvers say, why it is wrong, affected versions, and how it was found.

use maud::{Markup, html};
use smelt_core::{Dossier, Kind, Said};
use smelt_store::{Bug, Error, Origin};

use super::data::{Campaign, evidence, solver_names, tell};
use super::evidence::why;
use super::overview::mark;
use super::{INDEX, class};
use crate::diff::difference;
use crate::highlight;
use crate::issue::{adapted, options, releases_in_words, seed_name};
use crate::page::{Cell, Column, Page, Table, commands, counted, facts, grouped, inline, link};
use crate::plot::duration;
use crate::title::name;

/// The parts of the page: id and name.
const PARTS: &[(&str, &str)] = &[
    ("formula", "Formula"),
    ("said", "What solvers say"),
    ("why", "Why it is wrong"),
    ("releases", "Affected versions"),
    ("seed", "Difference to the seed"),
    ("commands", "Commands"),
    ("origin", "How it was found"),
];
/// At most this many differences to a seed, steps and numbers of findings are listed.
const LISTED: usize = 30;

/// The page of a bug, and the files that it links to.
pub(super) fn page(campaign: &Campaign<'_>, at: usize) -> Result<(String, Vec<String>), Error> {
    let bug = &campaign.bugs[at];
    let script = campaign.script(bug);
    let told = tell(bug, &script);
    let origin = campaign.store.origin(&bug.finding.finding.id).ok();
    let files = files(bug);
    let file = files.last().map(|f| format!("../{}", link(f)));
    let seeds = origin.as_ref().and_then(|o| seed_part(bug, o));
    let body = html! {
        h1 { (inline(&told.title)) }
        (badges(bug))
        section id="formula" {
            p.lead { (inline(&told.sentence)) }
            @if !bug.outside.is_empty() {
                p { "The maintainers do not accept such reports: " (bug.outside.join("; ")) "." }
            }
            (highlight::script(&told.formula, file.as_deref()))
        }
        @if let Some(d) = &bug.dossier {
            h2 id="said" { "What solvers say" }
            (said(&d.said))
        }
        h2 id="why" { "Why it is wrong" }
        (why(bug, &script, origin.as_ref()))
        @if let Some(d) = &bug.dossier {
            h2 id="releases" { "Affected versions" }
            (releases(campaign, d, bug.kind))
        }
        @if let Some(seeds) = &seeds {
            h2 id="seed" { "Difference to the seed" }
            (seeds)
        }
        div.two {
            section {
                h2 id="commands" { "Commands" }
                (command_lines(campaign, bug))
            }
            section {
                h2 id="origin" { "How it was found" }
                (found(campaign, bug, origin.as_ref(), &files))
            }
        }
    };
    let parts: Vec<(&str, &str)> = PARTS
        .iter()
        .filter(|(id, _)| match *id {
            "said" | "releases" => bug.dossier.is_some(),
            "seed" => seeds.is_some(),
            _ => true,
        })
        .copied()
        .collect();
    let neighbour = |i: Option<usize>| i.and_then(|i| campaign.bugs.get(i)).map(|b| format!("{}.html", b.id));
    let folder = campaign.store.place();
    let path = [(folder, format!("../{INDEX}"))];
    let page = Page {
        title: &format!("#{} {}", bug.id, told.title.replace('`', "")),
        path: &path,
        previous: neighbour(at.checked_sub(1)),
        next: neighbour(Some(at + 1)),
        parts: &parts,
    };
    Ok((page.around(body), files))
}

/// The files of a bug below the folder: the trigger, and the reduced script if there is one.
fn files(bug: &Bug) -> Vec<String> {
    let reduced = bug
        .finding
        .finding
        .reduced
        .as_ref()
        .map(|_| format!("findings/{}/reduced.smt2", bug.finding.finding.id));
    [Some(bug.finding.relative_file.clone()), reduced].into_iter().flatten().collect()
}

fn badges(bug: &Bug) -> Markup {
    let proof = evidence(bug);
    html! {
        div.badges {
            span class={ "badge " (class(bug.kind)) } { (bug.kind) }
            span.badge { "bug #" (bug.id) }
            span.badge { "P" (bug.priority) }
            @if let Some(e) = proof { span.badge.good { "evidence: " (e) } }
            @if bug.dossier.is_none() { span.badge { "not examined yet" } }
            span.badge { (counted(bug.triggers, "trigger")) }
            span.badge { (grouped(bug.finding.smallest())) " bytes" }
        }
    }
}

fn said(all: &[Said]) -> Markup {
    let message = |s: &Said| -> Option<String> {
        s.message.as_deref()?.lines().find(|l| !l.trim().is_empty()).map(str::to_owned)
    };
    let has_messages = all.iter().any(|s| message(s).is_some());
    let mut columns = vec![
        Column::new("solver", "Name and version."),
        Column::new("answer", "What it did with the formula."),
        Column::new("command", "A command line that shows it.").wide(),
    ];
    if has_messages {
        columns.push(Column::new("message", "The first line of its message.").wide());
    }
    let rows = all.iter().map(|s| {
        let answer = if s.answers.is_empty() { s.outcome.to_string() } else { s.answers.join(", ") };
        let shown = highlight::line(&answer, 200).into_owned();
        let mut row = vec![
            Cell::text(name(&s.solver)),
            Cell::markup(
                html! { @if s.accused { span.badge.wrong { (shown) } } @else { span.badge { (shown) } } },
                answer,
            ),
            Cell::markup(html! { code { (highlight::line(&s.command, 300)) } }, s.command.clone()),
        ];
        if has_messages {
            row.push(Cell::text(highlight::line(&message(s).unwrap_or_default(), 300)));
        }
        row
    });
    html! {
        (Table { columns, rows: rows.collect() }.show("said-table", false))
        p.dim {
            @if all.iter().filter(|s| s.accused).count() > 1 { "Red: one of these answers is wrong." }
            @else { "Red: the solver that is wrong." }
            @if let Some(sentence) = adapted(all) { " " (sentence) }
        }
    }
}

fn releases(campaign: &Campaign<'_>, d: &Dossier, kind: Kind) -> Markup {
    let history = d.history_of(kind);
    let needs = &d.needs;
    let maintainers = campaign.maintainers(d);
    html! {
        p { "Releases: " (releases_in_words(d, kind)) "." }
        @if !history.releases.is_empty() {
            div.strip {
                @for r in &history.releases {
                    @let version = r.solver.version().map_or_else(|| r.solver.to_string(), ToString::to_string);
                    @let outcome = r.outcome.map_or("not run", |o| o.as_str());
                    @let reason = r.reason.as_deref().map(|t| highlight::line(t, 200)).unwrap_or_default();
                    span class=[mark(r.standing)] title={ (r.standing) ": " (outcome) " " (reason) } {
                        (version)
                    }
                }
            }
            p.dim { "From old to new. Red: shows the bug. Green: right. Grey: could not be judged, or was not run." }
        }
        ul {
            @for (solver, build) in d.builds() {
                li {
                    "Build"
                    @if d.accused.len() > 1 { " of " (solver) }
                    ": " code { (highlight::line(build, 300)) }
                }
            }
            @if let (Some(system), Some(date)) = (&d.system, &d.date) { li { "Seen on " (system) ", " (date) "." } }
            li { "Options: " (inline(&options(needs))) "." }
            @if let (Some(shows), Some(safe)) = (needs.safe, &maintainers.safe) {
                li { "It shows " (if shows { "also" } else { "not" }) " under " code { (safe.args.join(" ")) } "." }
            }
        }
    }
}

/// What had to change in the seed, and all that did.
fn seed_part(bug: &Bug, origin: &Origin) -> Option<Markup> {
    let differences = bug.dossier.as_ref().map(|d| &d.differences[..]).unwrap_or_default();
    let trigger = std::fs::read(&bug.finding.finding.file).ok()?;
    let trigger = String::from_utf8_lossy(&trigger);
    let whole = match &origin.seeds[..] {
        [(_, text, _)] => difference(&String::from_utf8_lossy(text), &trigger),
        _ => None,
    };
    if differences.is_empty() && whole.is_none() {
        return None;
    }
    Some(html! {
        @if !differences.is_empty() {
            p { "Enough for the bug, in the seed and in the trigger:" }
            div.code { pre.diff tabindex="0" {
                @for (seed, mutant) in differences.iter().take(LISTED) {
                    del { (highlight::line(seed, 600)) } "\n" ins { (highlight::line(mutant, 600)) } "\n"
                }
            } }
        }
        @if let Some(whole) = whole {
            details open[differences.is_empty()] {
                summary { "All that the strategy changed in " code { (seed_name(&origin.seeds[0].0)) } }
                (whole)
            }
        }
    })
}

fn command_lines(campaign: &Campaign<'_>, bug: &Bug) -> Markup {
    let f = &bug.finding.finding;
    let folder = crate::quoted(&campaign.store.place());
    let file = crate::quoted(f.reduced.as_ref().unwrap_or(&f.file));
    let mut lines = Vec::new();
    if let Some(d) = &bug.dossier {
        for s in d.said.iter().filter(|s| s.accused).take(2) {
            lines.push((format!("See it in {}", name(&s.solver)), s.command.replace("bug.smt2", &file)));
        }
    }
    lines
        .push(("Make the test again and run it again".to_owned(), format!("smelt replay {} {folder}", f.id)));
    lines.push(("The issue for its maintainers".to_owned(), format!("smelt bugs report {} {folder}", f.id)));
    if bug.dossier.is_none() {
        lines.push(("Reduce and examine it".to_owned(), format!("smelt bugs examine {} {folder}", f.id)));
    }
    if let Some(d) = &bug.dossier {
        lines.push((
            "Try all installed releases".to_owned(),
            format!("smelt bisect {file} -S {}", crate::quoted(&d.profile)),
        ));
    }
    commands(&lines)
}

fn found(campaign: &Campaign<'_>, bug: &Bug, origin: Option<&Origin>, files: &[String]) -> Markup {
    let mut rows: Vec<(&str, Markup)> = Vec::new();
    if let Some(o) = origin {
        let p = &o.case.provenance;
        rows.push(("strategy", html! { code { (p.strategy) } " " (p.options) }));
        let seeds = o.seeds.iter().map(|s| seed_name(&s.0)).collect::<Vec<_>>().join(" and ");
        if !seeds.is_empty() {
            rows.push(("seed", html! { (seeds) }));
        }
        if p.strategy != "seed" {
            rows.push(("random choices", html! { code { (format!("{:016x}", p.rng)) } }));
        }
        if !p.steps.is_empty() {
            rows.push(("steps", html! {
                ol { @for step in p.steps.iter().take(LISTED) { li { code { (highlight::line(step, 300)) } } } }
            }));
        }
        rows.push(("solvers asked", html! { (o.solvers.join(", ")) }));
    }
    if let Some(at) = campaign.found_at(bug) {
        rows.push(("found after", html! { (duration(at.as_secs_f64())) }));
    }
    rows.push(("confirmed", html! { "in " (bug.finding.seen) " of 3 fresh runs" }));
    if let Some(r) = bug.dossier.as_ref().and_then(|d| d.reduction) {
        rows.push((
            "reduced",
            html! {
                "from " (grouped(r.bytes_before as u64)) " to " (grouped(r.bytes_after as u64)) " bytes in "
                (counted(r.checks, "check")) @if !r.complete { "; stopped before the end" }
            },
        ));
    }
    if bug.members.len() > 1 {
        let others: Vec<&str> = bug.members.iter().take(LISTED).map(String::as_str).collect();
        let more = bug.members.len().saturating_sub(LISTED);
        rows.push(("findings", html! { (others.join(", ")) @if more > 0 { " and " (more) " more" } }));
    }
    rows.push(("kind", html! { (bug.kind) ": " (bug.kind.row().title) " in " (solver_names(bug)) }));
    rows.push(("fingerprint", html! { code { (bug.fingerprint) } }));
    rows.push(("files", html! {
        @for (i, file) in files.iter().enumerate() {
            @if i > 0 { ", " }
            a href={ "../" (link(file)) } { (if file.ends_with("reduced.smt2") { "reduced script" } else { "trigger" }) }
        }
    }));
    facts(&rows)
}
