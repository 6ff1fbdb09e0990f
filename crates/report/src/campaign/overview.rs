//! The overview page of a campaign: the most urgent bugs, a table of all bugs, plots, and settings.

use maud::{Markup, html};
use smelt_core::{Kind, Standing};
use smelt_store::Bug;

use std::collections::BTreeMap;

use super::data::Campaign;
use super::plots::plots;
use super::{bug_path, class};
use crate::facts::{name, names, operators};
use crate::highlight;
use crate::page::{Cell, Column, Page, Table, commands, counted, facts, grouped, inline};
use crate::plot::{duration, figures};

/// The formulas of this many bugs are on the overview.
const CARDS: usize = 6;
/// A formula on the overview is cut after this many bytes.
const FORMULA: usize = 1_500;
/// A script of more lines is shown compactly.
const LINES: usize = 8;
/// The table lists at most this many bugs.
const ROWS: usize = 2_000;

/// The page.
pub(super) fn page(campaign: &Campaign<'_>) -> String {
    let shown = plots(campaign);
    let parts: &[(&str, &str)] = &[
        ("found", "Most urgent bugs"),
        ("bugs", "Bugs"),
        ("course", "Plots"),
        ("solvers", "Solvers and strategies"),
        ("run", "Settings"),
    ];
    let headline = headline(campaign);
    let folder = campaign.store.place();
    let body = html! {
        h1 { (headline) }
        (lead(campaign))
        (tiles(campaign))
        (cards(campaign))
        @if !campaign.all.is_empty() {
            h2 id="bugs" { "Bugs" }
            (bug_table(campaign))
        }
        h2 id="course" { "Plots" }
        (figures(&shown))
        h2 id="solvers" { "Solvers and strategies" }
        div.beside {
            div { (solver_table(campaign)) }
            div { (strategy_table(campaign)) }
        }
        h2 id="run" { "Settings" }
        (how(campaign))
    };
    let title = format!("{headline} · smelt");
    let path = [(folder, super::INDEX.to_owned())];
    let parts = if campaign.all.is_empty() { &parts[2..] } else { parts };
    Page { title: &title, path: &path, parts, ..Page::default() }.around(body)
}

/// The result in one line.
fn headline(campaign: &Campaign<'_>) -> String {
    let mut by_solver: BTreeMap<String, u64> = BTreeMap::new();
    for bug in campaign.bugs() {
        *by_solver.entry(names(&bug.as_finding().accused)).or_default() += 1;
    }
    let open = campaign.open().len() as u64;
    let mut solvers: Vec<(String, u64)> = by_solver.into_iter().collect();
    solvers.sort_by_key(|s| std::cmp::Reverse(s.1));
    let rest: u64 = solvers.iter().skip(4).map(|s| s.1).sum();
    let mut parts: Vec<String> = solvers
        .iter()
        .take(4)
        .enumerate()
        .map(
            |(i, (name, n))| {
                if i == 0 { format!("{} in {name}", counted(*n, "bug")) } else { format!("{n} in {name}") }
            },
        )
        .collect();
    if rest > 0 {
        parts.push(format!("{rest} in others"));
    }
    if open > 0 {
        parts.push(format!("{} not examined yet", counted(open, "finding")));
    }
    if parts.is_empty() { "No bug was found".to_owned() } else { parts.join(", ") }
}

fn lead(campaign: &Campaign<'_>) -> Markup {
    let mut kinds: BTreeMap<Kind, u64> = BTreeMap::new();
    for bug in campaign.bugs() {
        *kinds.entry(bug.kind).or_default() += 1;
    }
    let solvers: Vec<String> = campaign.solvers().iter().map(|s| s.replace('@', " ")).collect();
    html! {
        p.lead {
            "In " (duration(campaign.wall.as_secs_f64())) ", " (counted(campaign.tests, "test")) " were run on "
            (solvers.join(", ")) "."
            @if campaign.flaky > 0 {
                " " (counted(campaign.flaky, "more finding")) " did not reproduce in fresh processes and are not counted."
            }
            @if campaign.muted > 0 { " " (counted(campaign.muted, "known bug")) " muted." }
        }
        @if !kinds.is_empty() {
            div.badges {
                @for (kind, n) in kinds {
                    span class={ "badge " (class(kind)) } { (n) " × " (kind.row().title) }
                }
            }
        }
    }
}

fn tiles(campaign: &Campaign<'_>) -> Markup {
    let wall = campaign.wall.as_secs_f64();
    let calls: u64 = campaign.outcomes.values().map(|n| n[0]).sum();
    let cpu: u64 = campaign.outcomes.values().map(|n| n[2]).sum();
    let rate = campaign.tests as f64 / wall.max(1e-3);
    let rows = [
        (grouped(campaign.bugs().len() as u64), "bugs"),
        (grouped(campaign.findings.len() as u64 - campaign.flaky), "findings"),
        (grouped(campaign.tests), "tests"),
        (format!("{rate:.1}"), "tests a second"),
        (grouped(calls), "solver calls"),
        (duration(cpu as f64 / 1e6), "CPU time of solvers"),
        (duration(wall), "wall time"),
    ];
    html! {
        div.tiles {
            @for (value, name) in rows { div { b { (value) } span { (name) } } }
        }
    }
}

/// The most urgent bugs with their formulas; findings that may be one of them come last.
fn cards(campaign: &Campaign<'_>) -> Markup {
    let mut first: Vec<&Bug> = campaign.all.iter().collect();
    first.sort_by_key(|b| (b.dossier.is_none(), !b.outside.is_empty(), b.priority));
    html! {
        @if !campaign.all.is_empty() {
            h2 id="found" { "Most urgent bugs" }
            div.cards {
                @for bug in first.into_iter().take(CARDS) {
                    @let told = campaign.facts(bug);
                    @let (formula, rest) = highlight::start(told.shown.script.trim_end(), FORMULA);
                    @let formula = compact(formula);
                    article class={ "card " (class(bug.kind)) } {
                        h3 { a href=(bug_path(&bug.id)) { "#" (bug.id) " " (inline(&told.title)) } }
                        p { (inline(&told.shown.about)) }
                        div.code {
                            button.copy type="button" title="Copy the script" { "copy" }
                            pre tabindex="0" { code { (highlight::code(&formula)) } }
                        }
                        @if rest > 0 { p.dim { (grouped(rest as u64)) " more bytes: see its page." } }
                    }
                }
            }
            @if campaign.all.len() > CARDS {
                p { a href="#bugs" { "Table of all " (campaign.all.len()) } }
            }
        }
    }
}

/// A script in few lines, so that a card shows its assertions: neighbouring declarations of a long one share a line.
fn compact(script: &str) -> String {
    let is_plain = |l: &str| !l.contains(';') && ['|', '"'].iter().all(|q| l.matches(*q).count() % 2 == 0);
    let is_declaration = |l: &str| l.starts_with("(declare-") && l.ends_with(')') && is_plain(l);
    let is_long = script.lines().nth(LINES).is_some();
    let mut out = String::with_capacity(script.len());
    let mut before = false;
    for line in script.lines() {
        let joins = is_long && is_declaration(line);
        if !out.is_empty() {
            out.push(if before && joins { ' ' } else { '\n' });
        }
        out.push_str(line);
        before = joins;
    }
    out
}

fn bug_table(campaign: &Campaign<'_>) -> Markup {
    let columns = vec![
        Column::new("bug", "Number of the bug, with a link to its page."),
        Column::new("P", "Priority for the maintainers, from 1 (most urgent) to 6."),
        Column::new("kind", "Kind of bug.").choice(),
        Column::new("solver", "The wrong solver, or both if it is not settled which is wrong.").choice(),
        Column::new("theory", "Theory that the bug is about.").choice(),
        Column::new("operator", "Operator at fault, or all operators of the smallest script."),
        Column::new("evidence", "Evidence: `model` and `exhaustive` are proofs by smelt's evaluator; `construction`: the formula was generated with a known answer; `metamorphic`: a checked relation to another answer; `vote`: other solvers agree.").choice().wide(),
        Column::new("bytes", "Size of the smallest script."),
        Column::new("triggers", "Number of test cases that trigger it.").wide(),
        Column::new("found after", "Time until the first trigger was found.").wide(),
        Column::new("affected versions", "Releases from old to new. Red: affected. Green: not affected. Grey: inconclusive.").wide(),
    ];
    let rows = campaign.all.iter().take(ROWS).map(|bug| row(campaign, bug));
    let table = Table { columns, rows: rows.collect() };
    let more = campaign.all.len().saturating_sub(ROWS);
    let open = campaign.open().len() as u64;
    html! {
        @if open > 0 {
            p { (counted(campaign.bugs().len() as u64, "bug")) ", and " (counted(open, "finding"))
                " not examined yet, which may be duplicates." }
        }
        (table.legend())
        (table.show("bug-table", true))
        @if more > 0 {
            p { "The " (ROWS) " most urgent bugs. " code { "smelt bugs" } " also lists the other " (grouped(more as u64)) "." }
        }
    }
}

fn row(campaign: &Campaign<'_>, bug: &Bug) -> Vec<Cell> {
    let kind = bug.kind.as_str();
    let number: f64 = bug.id.parse().unwrap_or(0.0);
    let found = campaign.found_at(bug);
    let seconds = found.map(|d| d.as_secs_f64());
    let words = operators(bug);
    let finding = bug.as_finding();
    let theory = finding.theory.as_deref().unwrap_or_default();
    let evidence = finding.evidence.map_or("-", |e| e.as_str());
    let outside = !bug.outside.is_empty();
    vec![
        Cell::markup(
            html! {
                a href=(bug_path(&bug.id)) { "#" (bug.id) }
                @if bug.dossier.is_none() { span.dim { " not examined" } }
            },
            number.to_string(),
        ),
        Cell::markup(
            html! { "P" (bug.priority) @if outside { span.dim title=(bug.outside.join("; ")) { " out" } } },
            bug.priority.to_string(),
        ),
        Cell::markup(html! { span class={ "badge " (class(bug.kind)) } { (kind) } }, kind),
        Cell::markup(
            html! { @for s in &finding.accused { span.badge.wrong { (name(s)) } " " } },
            names(&finding.accused),
        ),
        Cell::markup(html! { (theory) }, theory),
        Cell::markup(
            html! { @if !words.is_empty() { code { (highlight::line(&words, 60)) } } },
            words.clone(),
        ),
        Cell::markup(html! { (evidence) }, evidence),
        Cell::count(bug.finding.smallest()),
        Cell::count(bug.triggers),
        seconds.map_or_else(|| Cell::text(""), |s| Cell::number(duration(s), s)),
        Cell::markup(mini_strip(bug), releases_rank(bug)),
    ]
}

fn mini_strip(bug: &Bug) -> Markup {
    let Some(d) = bug.dossier.as_ref().filter(|d| !d.history.releases.is_empty()) else { return html! {} };
    html! {
        span.mini role="img" aria-label=(d.history.summary()) title=(d.history.summary()) {
            @for release in &d.history.releases {
                i class=[mark(release.standing)] {}
            }
        }
    }
}

/// The colour of a release.
pub(super) fn mark(standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::Bad => Some("bad"),
        Standing::Good => Some("good"),
        Standing::Unclear | Standing::Untested => None,
    }
}

/// How many releases are bad.
fn releases_rank(bug: &Bug) -> String {
    let bad = bug.dossier.as_ref().map_or(0, |d| d.history.with(Standing::Bad).count());
    bad.to_string()
}

fn solver_table(campaign: &Campaign<'_>) -> Markup {
    let columns = vec![
        Column::new("solver", "Name and version, as reported by the solver."),
        Column::new("queries", "Queries, without confirmations in fresh processes."),
        Column::new("sat", "Queries answered sat."),
        Column::new("unsat", "Queries answered unsat."),
        Column::new("unknown", "Queries answered unknown."),
        Column::new("timeout", "Queries that exceeded the time or memory limit."),
        Column::new("crash", "Queries that crashed the process."),
        Column::new(
            "rejected",
            "Queries that the solver cannot parse, does not support, or answers with another error.",
        ),
        Column::new("CPU", "Total CPU time.").wide(),
        Column::new("ms a call", "Mean wall time per query.").wide(),
    ];
    let rows = campaign.solvers().into_iter().map(|solver| {
        let of = |outcome: &str| {
            campaign.outcomes.get(&(solver.to_owned(), outcome.to_owned())).copied().unwrap_or_default()
        };
        let all = campaign.outcomes.iter().filter(|(k, _)| k.0 == solver).map(|(_, n)| *n);
        let [calls, wall, cpu] = all.fold([0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
        let mean = wall as f64 / 1e3 / calls.max(1) as f64;
        vec![
            Cell::text(solver),
            Cell::count(calls),
            Cell::count(of("sat")[0]),
            Cell::count(of("unsat")[0]),
            Cell::count(of("unknown")[0]),
            Cell::count(of("timeout")[0] + of("memout")[0]),
            Cell::count(of("crash")[0]),
            Cell::count(of("rejected")[0] + of("error")[0]),
            Cell::number(duration(cpu as f64 / 1e6), cpu as f64),
            Cell::number(format!("{mean:.1}"), mean),
        ]
    });
    let table = Table { columns, rows: rows.collect() };
    html! { (table.show("solver-table", false)) (table.legend()) }
}

fn strategy_table(campaign: &Campaign<'_>) -> Markup {
    let columns = vec![
        Column::new("strategy", "How tests are generated; `smelt strategies NAME` describes each."),
        Column::new("tests", "Tests run."),
        Column::new("decided", "Share of tests that a solver answered with sat or unsat."),
        Column::new("with findings", "Tests with a finding, including known bugs."),
    ];
    let rows = campaign.strategies.iter().map(|(name, (made, [tests, useful, found, _]))| {
        let share = 100.0 * f64::from(*useful) / f64::from((*tests).max(1));
        vec![
            Cell::text(name),
            Cell::count(*made),
            if *made == 0 { Cell::text("") } else { Cell::number(format!("{share:.0} %"), share) },
            Cell::count(u64::from(*found)),
        ]
    });
    let table = Table { columns, rows: rows.collect() };
    html! {
        @if !table.rows.is_empty() { (table.show("strategy-table", false)) (table.legend()) }
    }
}

fn how(campaign: &Campaign<'_>) -> Markup {
    let value = |key: &str| campaign.store.value(key).ok().flatten();
    let folder = campaign.store.place();
    let started = value("started").and_then(|v| v.parse().ok()).map(smelt_triage::moment);
    let mut rows: Vec<(&str, Markup)> = Vec::new();
    let mut fact = |name, text: Option<String>| {
        if let Some(text) = text {
            rows.push((name, html! { (text) }));
        }
    };
    fact("started", started);
    fact("machine", value("system"));
    fact("smelt", value("smelt"));
    fact("solvers", Some(campaign.solvers().join(", ")));
    fact("random seed", value("seed"));
    fact("seed formulas", (campaign.seeds > 0).then(|| grouped(campaign.seeds)));
    fact(
        "time in solvers",
        value("solver_share")
            .and_then(|v| v.parse().ok())
            .map(|v: f64| format!("{:.0} % of worker time", v * 100.0)),
    );
    let quoted = crate::quoted(&folder);
    let mut lines = Vec::new();
    if let Some(command) = campaign.request.get("command").and_then(|c| c.as_str()) {
        lines.push(("Command of this campaign".to_owned(), command.to_owned()));
    }
    lines.push(("Continue the campaign".to_owned(), format!("smelt fuzz --resume --out {quoted}")));
    lines.push(("List the bugs in the terminal".to_owned(), format!("smelt bugs {quoted}")));
    if !campaign.open().is_empty() {
        lines.push((
            "Reduce and group the remaining findings".to_owned(),
            format!("smelt bugs examine {quoted}"),
        ));
    }
    lines.push(("Update this page".to_owned(), format!("smelt report {quoted}")));
    html! {
        div.two {
            (facts(&rows))
            (commands(&lines))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_a_long_script_share_a_line_and_nothing_else_changes() {
        let short = "(declare-const a Int)\n(declare-const b Int)\n(check-sat)";
        assert_eq!(compact(short), short);
        let mut long = String::from("(declare-const a Int) ; )\n");
        (0..9).for_each(|i| long.push_str(&format!("(declare-const b{i} Int)\n")));
        long.push_str("(assert true)");
        let shown = compact(&long);
        assert_eq!(shown.lines().count(), 3, "{shown}");
        assert!(
            shown.starts_with("(declare-const a Int) ; )\n(declare-const b0 Int) (declare-const b1 Int) ")
        );
        assert!(shown.ends_with("(declare-const b8 Int)\n(assert true)"), "{shown}");
    }
}
