//! The page and the plots of a search for slow formulas.

use maud::{Markup, html};
use smelt_search::{Confirmed, Generation, Individual, State, Timing, time_score};
use std::time::Duration;

use crate::campaign::bug_path;
use crate::highlight;
use crate::page::{Cell, Column, Page, Table, commands, counted, facts, grouped};
use crate::plot::{Axis, Mark, Plot, Scale, Series, duration, figures, files};

/// What a search was asked to do.
#[derive(Clone, Debug, Default)]
pub struct SearchAbout {
    /// The solver that should be slow.
    pub target: String,
    /// The solver that should be fast.
    pub reference: String,
    /// The CPU time of one run.
    pub limit: Duration,
    /// The CPU time in which the target must not end either.
    pub confirm: Duration,
    /// The command line that started it.
    pub command: Option<String>,
    /// The folder.
    pub folder: String,
    /// The numbers of bugs that have a page.
    pub bugs: Vec<String>,
}

/// The formulas of this many findings begin the page.
const CARDS: usize = 6;

/// All plots of a search that say something: the name of a file without its ending, and the SVG.
pub fn search_plots(state: &State, about: &SearchAbout) -> Vec<(String, String)> {
    files(&plots(state, about))
}

fn plots(state: &State, about: &SearchAbout) -> Vec<Plot> {
    let over_time = |name: &str, f: &dyn Fn(&Generation) -> f64| {
        Series::new(name, Mark::Line, state.history.iter().map(|g| (g.number as f64, f(g))).collect())
    };
    let objectives: [(&str, &dyn Fn(&Individual) -> f64); 3] = [
        ("time score", &|i| time_score(i.target.seconds, i.reference.seconds)),
        ("coverage score", &|i| i.covered),
        ("complexity", &|i| i.complexity as f64),
    ];
    let mut all = vec![
        Plot {
            name: "convergence".into(),
            title: "Time score by generation".into(),
            about: format!(
                "How much longer {} takes than {}; the best and the mean of the population.",
                about.target, about.reference
            ),
            x: Axis::linear("generation"),
            y: Axis::linear("time score"),
            series: vec![over_time("best", &|g| g.best), over_time("mean", &|g| g.mean)],
            ..Plot::default()
        },
        Plot {
            name: "timeouts".into(),
            title: "Timeouts by generation".into(),
            about: format!(
                "Formulas of the population that {} does not finish, and formulas that no other dominates.",
                about.target
            ),
            x: Axis::linear("generation"),
            y: Axis::linear("formulas"),
            series: vec![
                over_time("not finished", &|g| g.timeouts as f64),
                over_time("not dominated", &|g| g.front as f64),
            ],
            ..Plot::default()
        },
    ];
    for (a, b) in [(0, 2), (0, 1), (1, 2)] {
        let ((x, f), (y, g)) = (objectives[a], objectives[b]);
        let dots = |name: &str, colour: &str, kept: &dyn Fn(&Individual) -> bool| {
            let chosen = state.population.iter().filter(|i| kept(i));
            Series::new(name, Mark::Dots, chosen.map(|i| (f(i), g(i))).collect()).coloured(colour)
        };
        all.push(Plot {
            name: format!("{x} {y}").replace(' ', "-"),
            title: format!("{} against {x}", capitalised(y)),
            about: format!(
                "The last population, {} formulas: two of the objectives.",
                state.population.len()
            ),
            x: Axis::linear(x),
            y: Axis::linear(y),
            series: vec![
                dots("target ended", "sat", &|i| !i.target.is_timeout()),
                dots("target did not end", "timeout", &|i| i.target.is_timeout()),
            ],
            ..Plot::default()
        });
    }
    let steps = |name: &str, of: &dyn Fn(&Individual) -> Timing| {
        Series::new(name, Mark::Steps, shares(state, about.limit, of))
    };
    all.push(Plot {
        name: "times".into(),
        title: "Done within a time".into(),
        about: format!(
            "The share of the last population that each solver ends; the limit is {}.",
            duration(about.limit.as_secs_f64())
        ),
        x: Axis::new("CPU time in seconds", Scale::Log),
        y: Axis::linear("share"),
        series: vec![
            steps(&format!("target {}", about.target), &|i| i.target),
            steps(&format!("reference {}", about.reference), &|i| i.reference),
        ],
        ..Plot::default()
    });
    all
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|c| c.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

/// For each time at which a run ended, the share of all runs that had ended by then.
fn shares(state: &State, limit: Duration, of: impl Fn(&Individual) -> Timing) -> Vec<(f64, f64)> {
    let n = state.population.len() as f64;
    let mut ended: Vec<f64> =
        state.population.iter().map(&of).filter(|t| !t.is_timeout()).map(|t| t.seconds.max(1e-3)).collect();
    ended.sort_by(f64::total_cmp);
    let last = (limit.as_secs_f64(), ended.len() as f64 / n);
    let steps = ended.into_iter().enumerate().map(|(k, t)| (t, (k + 1) as f64 / n));
    steps.chain(if n > 0.0 { Some(last) } else { None }).collect()
}

/// The page of a search: needs no other file.
pub fn search_page(state: &State, about: &SearchAbout) -> String {
    let confirmed = &state.candidates.confirmed;
    let found = headline(confirmed, about);
    let mut parts = vec![("found", "Results"), ("plots", "Plots"), ("run", "Settings")];
    if !confirmed.is_empty() || !state.candidates.slow.is_empty() {
        parts.insert(1, ("table", "Formulas"));
    }
    let body = html! {
        h1 id="found" { (found) }
        p.lead {
            "The target is " code { (about.target) } ", the reference " code { (about.reference) } ". "
            (counted(state.generation, "generation")) ", " (counted(state.evaluations, "formula")) " measured in "
            (counted(state.calls, "solver run")) ", " (duration(state.wall_s)) "."
        }
        p { (candidates(state, about)) }
        div.cards {
            @for c in confirmed.iter().take(CARDS) { (card(c, about)) }
            @if confirmed.is_empty() { (slowest(state, about)) }
        }
        @if parts.len() > 3 {
            h2 id="table" { "Formulas" }
            (table(state, about))
        }
        h2 id="plots" { "Plots" }
        (figures(&plots(state, about)))
        h2 id="run" { "Settings" }
        (how(about))
    };
    let title = format!("{found} · smelt evolve");
    let path = [(about.folder.clone(), "index.html".to_owned())];
    Page { title: &title, path: &path, parts: &parts, ..Page::default() }.around(body)
}

/// The number of candidates, and how many were confirmed.
fn candidates(state: &State, about: &SearchAbout) -> String {
    let found = &state.candidates;
    let (limit, longer) = (duration(about.limit.as_secs_f64()), duration(about.confirm.as_secs_f64()));
    let what = format!("that the target did not finish within {limit} and the reference solved at once");
    match found.candidates {
        0 => format!("No candidates: the search found no formula {what}."),
        n => format!(
            "{}, that is, formulas {what}. {} of them also did not finish within {longer} and count as confirmed; {} finished after {limit}.",
            counted(n, "candidate"),
            found.confirmed.len(),
            found.slow.len()
        ),
    }
}

/// The formula of the last population on which the target takes longest, compared with the reference.
fn slowest(state: &State, about: &SearchAbout) -> Markup {
    let longer = |i: &Individual| i.target.seconds - i.reference.seconds;
    let slowest = state.population.iter().filter(|i| !i.known).max_by(|a, b| longer(a).total_cmp(&longer(b)));
    html! {
        @if let Some(i) = slowest.filter(|i| longer(i) > 0.0) {
            article.card.slow {
                h3 { "The slowest formula of the last generation" }
                p { (about.target) ": " (time(&i.target)) ". " (about.reference) ": " (time(&i.reference)) "." }
                (highlight::script(&i.text, None))
            }
        }
    }
}

fn headline(confirmed: &[Confirmed], about: &SearchAbout) -> String {
    match confirmed.len() {
        0 => format!(
            "No formula confirmed on which {} times out and {} does not",
            about.target, about.reference
        ),
        n => {
            let them = if n == 1 { "it" } else { "them" };
            let formulas = counted(n as u64, "formula");
            format!("{} times out on {formulas}; {} solves {them} at once", about.target, about.reference)
        }
    }
}

fn time(t: &Timing) -> String {
    match t.is_timeout() {
        true => format!("not after {}", duration(t.seconds)),
        false => format!("{} after {}", t.outcome, duration(t.seconds)),
    }
}

/// The number of a formula, with a link if it has a page.
fn number(c: &Confirmed, about: &SearchAbout) -> Markup {
    html! {
        @if about.bugs.contains(&c.id) { a href=(bug_path(&c.id)) { "#" (c.id) } }
        @else if !c.id.is_empty() { "#" (c.id) }
    }
}

fn card(c: &Confirmed, about: &SearchAbout) -> Markup {
    html! {
        article.card.slow {
            h3 { (number(c, about)) " " (c.kind.map_or("slow", |k| k.as_str())) ": " code { (c.operators.join(" ")) } }
            p { (about.target) ": " (time(&c.target)) ". " (about.reference) ": " (time(&c.reference)) "." }
            (highlight::script(&c.script, None))
        }
    }
}

fn table(state: &State, about: &SearchAbout) -> Markup {
    let columns = vec![
        Column::new("bug", "Number of the bug, with a link to its page."),
        Column::new("kind", "`perf-regression`: slow compared with another release; `hang`: slow compared with another solver.").choice(),
        Column::new("operators", "Theory operators that distinguish it from the other formulas."),
        Column::new("complexity", "Number of operators and variables in the reduced formula; less is better."),
        Column::new("target", format!("CPU time of {}.", about.target)),
        Column::new("reference", format!("CPU time of {}.", about.reference)),
        Column::new("other releases", "Outcomes of other releases of the target.").wide(),
    ];
    let all = state.candidates.confirmed.iter().chain(&state.candidates.slow);
    let rows = all.map(|c| {
        let kind = c.kind.map_or("slow", |k| k.as_str());
        let releases: Vec<String> =
            c.releases.iter().map(|(name, t)| format!("{name}: {}", time(t))).collect();
        vec![
            Cell::markup(number(c, about), c.id.clone()),
            Cell::markup(html! { span.badge.slow { (kind) } }, kind),
            Cell::markup(
                html! { code { (highlight::line(&c.operators.join(" "), 120)) } },
                c.operators.join(" "),
            ),
            Cell::count(c.complexity),
            Cell::number(time(&c.target), c.target.seconds),
            Cell::number(time(&c.reference), c.reference.seconds),
            Cell::text(releases.join("; ")),
        ]
    });
    let table = Table { columns, rows: rows.collect() };
    html! { (table.legend()) (table.show("formula-table", true)) }
}

fn how(about: &SearchAbout) -> Markup {
    let folder = crate::quoted(&about.folder);
    let rows: Vec<(&str, Markup)> = vec![
        ("target", html! { code { (about.target) } }),
        ("reference", html! { code { (about.reference) } }),
        ("time limit of a run", html! { (duration(about.limit.as_secs_f64())) " of CPU time" }),
        ("time limit of a confirmation", html! { (duration(about.confirm.as_secs_f64())) " of CPU time" }),
        ("bugs with a page", html! { (grouped(about.bugs.len() as u64)) }),
    ];
    let mut lines = Vec::new();
    lines.extend(about.command.clone().map(|c| ("Command of this search".to_owned(), c)));
    lines.push(("Continue the search".to_owned(), format!("smelt evolve --resume --out {folder}")));
    lines.push(("List the findings in the terminal".to_owned(), format!("smelt bugs {folder}")));
    html! { div.two { (facts(&rows)) (commands(&lines)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_formulas_has_a_page_without_plots() {
        let about = SearchAbout { target: "<a>".into(), reference: "b".into(), ..SearchAbout::default() };
        let page = search_page(&State::default(), &about);
        assert_eq!(page.matches("<figure").count(), 0);
        assert!(page.contains("No formula confirmed on which &lt;a&gt; times out and b does not"));
        assert!(page.ends_with("</html>\n") && search_plots(&State::default(), &about).is_empty());
    }
}
