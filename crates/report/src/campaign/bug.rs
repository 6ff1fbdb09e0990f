//! The page of one bug.

use maud::{Markup, html};
use smelt_oracle::{CaseScript, ValueStep};
use smelt_store::{Bug, Origin};

use super::data::Campaign;
use super::overview::mark;
use super::{INDEX, class};
use crate::diff::difference;
use crate::facts::{
    Affected, Assertion, Exhibit, Facts, Model, Query, Row, SHOWN_FILE, Step, name, seed_name,
};
use crate::highlight;
use crate::page::{Cell, Column, Page, Table, commands, counted, facts, grouped, inline, link};
use crate::plot::duration;

/// At most this many assertions are evaluated on a page, and this many sub-terms of each.
const ASSERTIONS: usize = 6;
const STEPS: usize = 60;
/// A model is folded away if it has more lines.
const LINES: usize = 25;
/// At most this many differences to a seed are shown.
const DIFFERENCES: usize = 30;

/// A part of the page: id, name and content.
type Part = (&'static str, &'static str, Markup);

/// The page of a bug, and the files that it links to.
pub(super) fn page(campaign: &Campaign<'_>, at: usize) -> (String, Vec<String>) {
    let bug = &campaign.bugs[at];
    let f = campaign.facts(bug);
    let origin = campaign.store.origin(&bug.finding.finding.id).ok();
    let files = files(bug);
    let file = files.last().map(|f| format!("../{}", link(f)));
    let lead = html! {
        p.lead { (inline(&f.claim)) }
        @if !f.outside.is_empty() { p { "The maintainers do not accept such reports: " (f.outside.join("; ")) "." } }
    };
    let mut parts: Vec<Part> =
        vec![("formula", "Script", html! { (lead) (script(&f.shown, file.as_deref())) })];
    if !f.shown.actual.is_empty() {
        parts.push(("actual", "Actual", actual(&f.shown, "actual-table")));
    }
    let expected = f.expected_in_words();
    parts.extend(expected.map(|words| ("expected", "Expected", html! { p { (inline(&words)) } })));
    parts.push(("why", f.why(), argument(&f.shown)));
    if let Some(larger) = &f.larger {
        parts.push(("larger", "Larger script", html! {
            p { (inline(&larger.about)) }
            (script(&larger.shown, None)) (actual(&larger.shown, "larger-table")) (argument(&larger.shown))
        }));
    }
    parts.extend(f.affected.as_ref().map(|a| ("affected", "Affected versions", affected(a))));
    parts.extend(
        origin.and_then(|o| seed_part(bug, &o)).map(|shown| ("seed", "Difference to the seed", shown)),
    );
    let last: [Part; 2] = [
        ("commands", "Commands", command_lines(campaign, bug)),
        ("origin", "How it was found", found(campaign, bug, &f, &files)),
    ];
    let body = html! {
        h1 { (inline(&f.title)) }
        (badges(bug, &f))
        @for (i, (id, name, content)) in parts.iter().enumerate() {
            @if i == 0 { section id=(id) { (content) } } @else { h2 id=(id) { (name) } (content) }
        }
        div.two { @for (id, name, content) in &last { section { h2 id=(id) { (name) } (content) } } }
    };
    let named: Vec<(&str, &str)> = parts.iter().chain(&last).map(|p| (p.0, p.1)).collect();
    let neighbour = |i: Option<usize>| i.and_then(|i| campaign.bugs.get(i)).map(|b| format!("{}.html", b.id));
    let page = Page {
        title: &format!("#{} {}", bug.id, f.title.replace('`', "")),
        path: &[(campaign.store.place(), format!("../{INDEX}"))],
        previous: neighbour(at.checked_sub(1)),
        next: neighbour(Some(at + 1)),
        parts: &named,
    };
    (page.around(body), files)
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

fn script(shown: &Exhibit, file: Option<&str>) -> Markup {
    html! {
        (highlight::script(&shown.script, file))
        @if let Some(note) = &shown.note { p.dim { (note) } }
    }
}

fn actual(shown: &Exhibit, id: &str) -> Markup {
    let has_messages = shown.actual.iter().any(|a| a.message.is_some());
    let mut columns = vec![
        Column::new("solver", "Name and version."),
        Column::new("answer", "What it did with the formula."),
        Column::new("command", "A command line that shows it.").wide(),
    ];
    if has_messages {
        columns.push(Column::new("message", "The first line of its message.").wide());
    }
    let rows = shown.actual.iter().map(|a| {
        let answer = highlight::line(&a.answer, 200);
        let badge = html! {
            span class={ "badge" (if a.accused { " wrong" } else { "" }) } { (answer) }
            @if !a.fault.is_empty() { " but " (a.fault) }
        };
        let mut row = vec![
            Cell::text(name(&a.solver)),
            Cell::markup(badge, a.answer.clone()),
            Cell::markup(html! { code { (highlight::line(&a.command, 300)) } }, a.command.clone()),
        ];
        if has_messages {
            row.push(Cell::text(a.message.as_deref().unwrap_or_default()));
        }
        row
    });
    let open = shown.actual.iter().filter(|a| a.accused).count() > 1;
    html! {
        (Table { columns, rows: rows.collect() }.show(id, false))
        p.dim {
            (if open { "Red: one of these answers is wrong." } else { "Red: the solver that is wrong." })
            @if let Some(sentence) = &shown.adapted { " " (sentence) }
        }
    }
}

fn argument(shown: &Exhibit) -> Markup {
    html! {
        ol.why {
            @for step in &shown.steps {
                li {
                    @match step {
                        Step::Text(text) => (inline(text)),
                        Step::Script { about, text } => { (inline(about)) ":" (highlight::script(text, None)) }
                        Step::Output { about, text } => { (inline(about)) ":" (output(text)) }
                        Step::Model(m) => (model(m, shown)),
                        Step::Query(q) => (query(q)),
                    }
                }
            }
        }
    }
}

fn output(text: &str) -> Markup {
    html! { div.code { pre tabindex="0" { (highlight::line(text, 4_000)) } } }
}

fn query(q: &Query) -> Markup {
    html! {
        "The answer to " code { (highlight::line(&q.command, 300)) } ":" (output(&q.printed))
        @if let Some(assignment) = &q.assignment { (Query::AT) ":" (highlight::script(assignment, None)) }
        table.values {
            tr { td { "expected" } td { (highlight::code(&q.expected)) } }
            tr { td { "actual" } td.false { (highlight::code(&q.actual)) } }
        }
    }
}

/// A model, and the assertions under it with the values of their sub-terms.
fn model(m: &Model, shown: &Exhibit) -> Markup {
    let (text, (script, query)) = (&m.text, &shown.stored);
    let mut case = CaseScript::new(script.as_bytes());
    let truths = case.assertion_truths(*query, text);
    let is_same =
        |a: &Assertion| truths.get(a.number - 1).is_some_and(|t| t.0 == a.text && t.1.as_str() == a.truth);
    let same = truths.len() == m.assertions.len() && m.assertions.iter().all(is_same);
    let more = m.assertions.len().saturating_sub(ASSERTIONS);
    html! {
        @if let Some(values) = &m.values {
            details open[values.lines().count() <= LINES] {
                summary { (m.about) ", " (counted(values.matches("(define-fun").count() as u64, "value")) }
                (highlight::script(values, None))
            }
        }
        (m.finds) ":"
        @for (place, a) in m.assertions.iter().take(ASSERTIONS).enumerate() {
            @let steps = if same { case.value_steps(*query, text, a.number - 1, STEPS) } else { Vec::new() };
            details open[place < 2] {
                summary { (truth_badge(&a.truth)) " " code { (highlight::line(&a.text, 160)) } }
                @if steps.is_empty() { p.dim { "Its sub-terms have no values to show." } } @else { (values(&steps)) }
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
fn values(steps: &[ValueStep]) -> Markup {
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
                    td style={ "padding-left:" (step.depth as f64 * 0.9) "rem" } {
                        @if let Some(name) = &step.name { (name) " := " }
                        (highlight::code(&step.term))
                    }
                    td class=[class] { (highlight::code(&step.value)) }
                }
            }
            @if steps.len() >= STEPS { tr { td.unknown colspan="2" { "and more" } } }
        }
    }
}

fn affected(a: &Affected) -> Markup {
    html! {
        p { @if a.of_first { (a.name()) ": " } (a.summary) "." }
        @if !a.versions.is_empty() {
            div.strip {
                @for v in &a.versions { span class=[mark(v.standing)] title=(v.details) { (v.version) } }
            }
            p.dim { "From old to new. Red: shows the bug. Green: right. Grey: could not be judged, or was not run." }
        }
        (facts(&shown_rows(&a.rows)))
    }
}

fn shown_rows(rows: &[Row]) -> Vec<(&str, Markup)> {
    let value = |row: &Row| match row.list.is_empty() {
        true => inline(&row.value),
        false => html! { ol { @for item in &row.list { li { (inline(item)) } } } },
    };
    rows.iter().map(|row| (row.name.as_str(), value(row))).collect()
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
                @for (seed, mutant) in differences.iter().take(DIFFERENCES) {
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
    let finding = &bug.finding.finding;
    let folder = crate::quoted(&campaign.store.place());
    let file = crate::quoted(finding.reduced.as_ref().unwrap_or(&finding.file));
    let id = &finding.id;
    let accused = bug.dossier.iter().flat_map(|d| d.said.iter().filter(|s| s.accused));
    let mut lines: Vec<(String, String)> = accused
        .map(|s| (format!("See it in {}", name(&s.solver)), s.command.replace(SHOWN_FILE, &file)))
        .collect();
    lines.push(("Make the test again and run it again".to_owned(), format!("smelt replay {id} {folder}")));
    lines.push(("The issue for its maintainers".to_owned(), format!("smelt bugs report {id} {folder}")));
    lines.push(match &bug.dossier {
        None => ("Reduce and examine it".to_owned(), format!("smelt bugs examine {id} {folder}")),
        Some(d) => {
            let solver = crate::quoted(&d.profile);
            ("Try all installed releases".to_owned(), format!("smelt bisect {file} -S {solver}"))
        }
    });
    commands(&lines)
}

fn found(campaign: &Campaign<'_>, bug: &Bug, f: &Facts, files: &[String]) -> Markup {
    let mut rows = shown_rows(&f.found);
    if let Some(at) = campaign.found_at(bug) {
        rows.push(("found after", html! { (duration(at.as_secs_f64())) }));
    }
    rows.push(("files", html! {
        @for (i, file) in files.iter().enumerate() {
            @if i > 0 { ", " }
            a href={ "../" (link(file)) } { (if file.ends_with("reduced.smt2") { "reduced script" } else { "trigger" }) }
        }
    }));
    facts(&rows)
}
