//! The page of one bug.

use maud::{Markup, html};
use smelt_core::{Release, release_name};
use smelt_oracle::{CaseScript, ValueStep};
use smelt_store::{Bug, Origin};

use super::data::Campaign;
use super::overview::mark;
use super::{INDEX, class, script_path};
use crate::diff::difference;
use crate::facts::{
    Actual, Block, Exhibit, Facts, LARGER_FILE, Model, Part, Row, SHOWN_FILE, Spelling, name, parts,
    seed_name,
};
use crate::highlight;
use crate::page::{Cell, Column, Page, Table, commands, counted, facts, grouped, inline, link};
use crate::plot::duration;

/// At most this many assertions are evaluated on a page, and this many sub-terms of each.
const ASSERTIONS: usize = 6;
const STEPS: usize = 60;
/// Sub-terms further in than this are not indented more; the style sheet has a class for each depth.
const DEEPEST: usize = 15;
/// A model is folded away if it has more lines.
const LINES: usize = 25;
/// At most this many differences to a seed are shown.
const DIFFERENCES: usize = 30;

/// The page of a bug, and what belongs to it.
pub(super) struct Pages {
    pub(super) page: String,
    /// The scripts that its commands run, with their paths below the folder.
    pub(super) scripts: Vec<(String, String)>,
    /// Other files that it links to.
    pub(super) files: Vec<String>,
}

/// The page of a bug.
pub(super) fn page(campaign: &Campaign<'_>, at: usize) -> Pages {
    let bug = &campaign.all[at];
    let mut f = campaign.facts(bug);
    let scripts = name_scripts(campaign, &bug.id, &mut f);
    let origin = campaign.store.origin(&bug.finding.finding.id).ok();
    let files = files(bug);
    let file = scripts.first().map(|(path, _)| format!("../{}", link(path)));
    let seeds = origin.and_then(|o| seed_part(bug, &o));
    let shown = parts(&f);
    let (last, first) = shown.split_last().expect("how it was found is always a part");
    let mut named: Vec<(&str, &str)> = first.iter().map(|p| (p.0, p.1)).collect();
    named.extend(seeds.as_ref().map(|_| ("seed", "Difference to the seed")));
    named.extend([("commands", "Commands"), (last.0, last.1)]);
    let body = html! {
        h1 { (inline(&f.title)) }
        (badges(bug, &f))
        @for (i, part) in first.iter().enumerate() {
            @if i > 0 { h2 id=(part.0) { (part.1) } (content(part, None)) }
            @else { section id=(part.0) { (content(part, file.as_deref())) } }
        }
        @if let Some(seeds) = seeds { h2 id="seed" { "Difference to the seed" } (seeds) }
        div.two {
            section { h2 id="commands" { "Commands" } (command_lines(campaign, bug, &f)) }
            section { h2 id=(last.0) { (last.1) } (content(last, None)) (more_facts(campaign, bug, &files)) }
        }
    };
    let neighbour = |i: Option<usize>| i.and_then(|i| campaign.all.get(i)).map(|b| format!("{}.html", b.id));
    let page = Page {
        title: &format!("#{} {}", bug.id, f.title.replace('`', "")),
        path: &[(campaign.store.place(), format!("../{INDEX}"))],
        previous: neighbour(at.checked_sub(1)),
        next: neighbour(Some(at + 1)),
        parts: &named,
    };
    Pages { page: page.around(body), scripts, files }
}

/// The scripts of a page as files in the folder; its commands name these files, so that they run as printed.
fn name_scripts(campaign: &Campaign<'_>, id: &str, f: &mut Facts) -> Vec<(String, String)> {
    let shown = (&mut f.shown, SHOWN_FILE, false);
    let all = std::iter::once(shown).chain(f.larger.as_mut().map(|e| (e, LARGER_FILE, true)));
    let one = |(exhibit, name, is_larger): (&mut Exhibit, &str, bool)| {
        let path = script_path(id, is_larger);
        let file = crate::quoted(&campaign.store.folder().join(&path).display().to_string());
        for a in &mut exhibit.actual {
            a.command = a.command.take().map(|command| command.replace(name, &file));
        }
        (path, exhibit.script.clone())
    };
    all.map(one).collect()
}

fn content((id, _, blocks): &Part<'_>, file: Option<&str>) -> Markup {
    html! {
        @for block in blocks {
            @match block {
                Block::Text(text) => p.lead[*id == "script"] { (inline(text)) },
                Block::Script(text) => (highlight::script(text, file)),
                Block::Output(text) if text.lines().count() > LINES => {
                    details { summary { (counted(text.lines().count() as u64, "line")) } (highlight::script(text, None)) }
                }
                Block::Output(text) => (highlight::script(text, None)),
                Block::Actual(all) => (actual(all, id)),
                Block::Assertions(model, shown) => (assertions(model, shown)),
                Block::Versions(all) => (versions(all)),
                Block::Rows(rows) => (facts(&rows.iter().map(row).collect::<Vec<_>>())),
            }
        }
    }
}

/// The files of a bug below the folder: the trigger, and the reduced script if there is one.
fn files(bug: &Bug) -> Vec<String> {
    let finding = &bug.finding.finding;
    let reduced = finding.reduced.as_ref().map(|_| format!("findings/{}/reduced.smt2", finding.id));
    [Some(bug.finding.relative_file.clone()), reduced].into_iter().flatten().collect()
}

fn badges(bug: &Bug, f: &Facts) -> Markup {
    html! {
        div.badges {
            span class={ "badge " (class(f.kind)) } { (f.kind) }
            @for accused in &f.accused { span.badge.wrong { (name(accused)) } }
            span.badge { "bug #" (bug.id) }
            span.badge { "P" (bug.priority) }
            @if let Some(e) = f.evidence { span.badge.good { "evidence: " (e) } }
            @if !f.examined { span.badge { "not examined yet" } }
            span.badge { (counted(bug.triggers, "trigger")) }
            span.badge { (grouped(bug.finding.smallest())) " bytes" }
        }
    }
}

fn actual(all: &[Actual], id: &str) -> Markup {
    let has_messages = all.iter().any(|a| a.message.is_some());
    let mut columns = vec![
        Column::new("solver", "Name and version."),
        Column::new("answer", "Answer or failure."),
        Column::new("command", "Command line that reproduces it; smelt ran it exactly as printed.").wide(),
    ];
    if has_messages {
        columns.push(Column::new("message", "First line of its message.").wide());
    }
    let rows = all.iter().map(|a| {
        let answer = highlight::line(&a.answer, 200);
        let badge = html! {
            span class={ "badge" (if a.accused { " wrong" } else { "" }) } { (answer) }
            @if !a.fault.is_empty() { " but " (a.fault) }
        };
        let command = a.command.as_deref().unwrap_or_default();
        let mut row = vec![
            Cell::text(name(&a.solver)),
            Cell::markup(badge, a.answer.clone()),
            Cell::markup(html! { @if !command.is_empty() { code { (command) } } }, command),
        ];
        if has_messages {
            row.push(Cell::text(a.message.as_deref().unwrap_or_default()));
        }
        row
    });
    let open = all.iter().filter(|a| a.accused).count() > 1;
    html! {
        (Table { columns, rows: rows.collect() }.show(&format!("{id}-table"), false))
        p.dim { (if open { "Red: one of these answers is wrong." } else { "Red: the solver that is wrong." }) }
    }
}

/// The assertions under a model, with the values of their sub-terms.
fn assertions(m: &Model, shown: &Exhibit) -> Markup {
    let (text, query) = (&m.standard.text, shown.query);
    let mut case = CaseScript::new(shown.plain.as_bytes());
    let truths = case.assertion_truths(query, text);
    let same = truths.iter().map(|(text, truth)| (text.as_str(), truth.as_str()));
    let same = same.eq(m.standard.assertions.iter().map(|(text, truth)| (text.as_str(), truth.as_str())));
    let all = m.assertions();
    let more = all.len().saturating_sub(ASSERTIONS);
    html! {
        @for (place, (i, assertion, truth)) in all.iter().take(ASSERTIONS).enumerate() {
            @let steps = if same { case.value_steps(query, text, *i, STEPS) } else { Vec::new() };
            details open[place < 2] {
                summary { (truth_badge(truth)) " " code { (highlight::line(assertion, 160)) } }
                @if steps.is_empty() { p.dim { "No values of sub-terms." } } @else { (values(&steps, &shown.spelling)) }
            }
        }
        @if more > 0 { p.dim { (counted(more as u64, "more assertion")) "." } }
    }
}

fn truth_badge(truth: &str) -> Markup {
    html! {
        span class={ "badge " (match truth { "true" => "good", "false" => "wrong", _ => "" }) } { (truth) }
    }
}

/// Sub-terms from the outside in, each with its value.
fn values(steps: &[ValueStep], spelling: &Spelling) -> Markup {
    html! {
        table.values {
            @for step in steps {
                @let class = match (step.known, step.value.as_str()) {
                    (false, _) => Some("unknown"),
                    (true, "true") => Some("true"),
                    (true, "false") => Some("false"),
                    _ => None,
                };
                tr {
                    td class={ "in" (step.depth.min(DEEPEST)) } {
                        @if let Some(name) = &step.name { (name) " := " }
                        (highlight::code(&spelling.own(&step.term)))
                    }
                    td class=[class] { (highlight::code(&spelling.own(&step.value))) }
                }
            }
            @if steps.len() >= STEPS { tr { td.unknown colspan="2" { "and more" } } }
        }
    }
}

fn versions(all: &[Release]) -> Markup {
    let title = |r: &Release| {
        let (outcome, reason) = (r.outcome.map_or("not run", |o| o.as_str()), r.reason.as_deref());
        format!("{}: {outcome} {}", r.standing, highlight::line(reason.unwrap_or_default(), 200))
    };
    html! {
        @if !all.is_empty() {
            div.strip {
                @for r in all {
                    span class=[mark(r.standing)] title=(title(r)) { (release_name(all, &r.solver)) }
                }
            }
            p.dim { "From old to new. Red: affected. Green: not affected. Grey: inconclusive or not run." }
        }
    }
}

fn row(row: &Row) -> (&str, Markup) {
    let list = || html! { ol { @for item in &row.list { li { (inline(item)) } } } };
    (&row.name, if row.list.is_empty() { inline(&row.value) } else { list() })
}

/// What had to change in the seed, and all that did.
fn seed_part(bug: &Bug, origin: &Origin) -> Option<Markup> {
    let differences = bug.dossier.as_ref().map(|d| &d.differences[..]).unwrap_or_default();
    let trigger = bug.finding.script().ok()?;
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
            p { "The part of the change that triggers the bug:" }
            div.code { pre.diff tabindex="0" {
                @for (seed, mutant) in differences.iter().take(DIFFERENCES) {
                    del { (highlight::line(seed, 600)) } "\n" ins { (highlight::line(mutant, 600)) } "\n"
                }
            } }
        }
        @if let Some(whole) = whole {
            details open[differences.is_empty()] {
                summary { "All changes to " code { (seed_name(&origin.seeds[0].0)) } }
                (whole)
            }
        }
    })
}

fn command_lines(campaign: &Campaign<'_>, bug: &Bug, f: &Facts) -> Markup {
    let finding = &bug.finding.finding;
    let folder = crate::quoted(&campaign.store.place());
    let file = crate::quoted(finding.reduced.as_ref().unwrap_or(&finding.file));
    let id = &finding.id;
    let accused = f.shown.actual.iter().filter(|a| a.accused);
    let see = |a: &Actual| Some((format!("Reproduce it in {}", name(&a.solver)), a.command.clone()?));
    let mut lines: Vec<(String, String)> = accused.filter_map(see).collect();
    lines.push(("Regenerate the test case and run it".to_owned(), format!("smelt replay {id} {folder}")));
    lines.push(("Print an issue for the maintainers".to_owned(), format!("smelt bugs report {id} {folder}")));
    lines.push(match &bug.dossier {
        None => ("Reduce and group it".to_owned(), format!("smelt bugs examine {id} {folder}")),
        Some(d) => {
            let solver = crate::quoted(&d.profile);
            ("Run all installed releases".to_owned(), format!("smelt bisect {file} -S {solver}"))
        }
    });
    commands(&lines)
}

/// What only the page of a campaign says of a bug.
fn more_facts(campaign: &Campaign<'_>, bug: &Bug, files: &[String]) -> Markup {
    let at = campaign.found_at(bug).map(|at| ("found after", html! { (duration(at.as_secs_f64())) }));
    let links = html! {
        @for (i, file) in files.iter().enumerate() {
            @if i > 0 { ", " }
            a href={ "../" (link(file)) } { (if file.ends_with("reduced.smt2") { "reduced script" } else { "trigger" }) }
        }
    };
    facts(&at.into_iter().chain([("files", links)]).collect::<Vec<_>>())
}
