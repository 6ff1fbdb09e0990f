//! A study as one static page.

use maud::{Markup, html};
use smelt_core::Class;
use smelt_study::{Study, Trigger};

use super::plots::plots;
use super::tables::{by_grammar, by_release, comparison, reach, repetitions, setting};
use crate::campaign::class;
use crate::highlight;
use crate::page::{Page, commands, counted, facts, inline, script_details};
use crate::plot::figures;

/// The formulas of this many triggers begin the page.
const CARDS: usize = 6;
/// At most this many triggers are listed in full.
const LISTED: usize = 300;

/// The page: needs no other file.
pub fn study_page(study: &Study) -> String {
    let (releases, grammars) = (by_release(study), by_grammar(study));
    let found = headline(study);
    let mut parts = vec![("found", "Results"), ("table", "Releases"), ("plots", "Plots")];
    if !study.triggers.is_empty() {
        parts.push(("triggers", "Triggers"));
    }
    parts.push(("run", "Settings"));
    let body = html! {
        h1 id="found" { (found) }
        p.lead { (inline(&setting(study))) }
        (cards(study))
        h2 id="table" { "Releases" }
        p { (inline(&comparison(study))) }
        (releases.show("release-table", false))
        (releases.legend())
        h3 { "Triggers by grammar" }
        p { "Unsound / invalid model / crash. A dash means none; " q { "not built in" } ": the release crashes on nearly all formulas of the grammar." }
        (grammars.show("grammar-table", false))
        @if let Some(text) = repetitions(study) {
            p { (text) }
        }
        @if let Some(text) = reach(study) {
            p { (text) }
        }
        @if study.unconfirmed > 0 {
            p { (counted(study.unconfirmed, "more trigger")) " did not reproduce in a fresh process and are not counted." }
        }
        h2 id="plots" { "Plots" }
        (figures(&plots(study)))
        @if !study.triggers.is_empty() {
            h2 id="triggers" { "Triggers" }
            p { "Formulas with a wrong answer: the first few of each kind, release and grammar." }
            @for t in study.triggers.iter().take(LISTED) { (trigger(t)) }
            @if study.triggers.len() > LISTED {
                p { (study.triggers.len() - LISTED) " more are in " code { "study.json" } "." }
            }
        }
        h2 id="run" { "Settings" }
        (how(study))
    };
    let title = format!("{found} · smelt study");
    Page { title: &title, parts: &parts, ..Page::default() }.around(body)
}

/// The result in one line.
fn headline(study: &Study) -> String {
    let wrong: Vec<(u64, &str)> = (0..study.releases.len())
        .map(|r| (study.wrong(r) - study.unsettled(r), study.releases[r].solver.as_str()))
        .filter(|(n, _)| *n > 0)
        .collect();
    let all = counted(study.releases.len() as u64, "release");
    let open = (0..study.releases.len()).map(|r| study.unsettled(r)).sum::<u64>();
    match &wrong[..] {
        [] if open > 0 => {
            format!("None of {all} is known to be wrong; {} against a reference", counted(open, "answer"))
        }
        [] => format!("None of {all} gave a wrong answer"),
        [(n, one)] => format!("{one} is wrong on {}", counted(*n, "formula")),
        many => {
            let (n, worst) = many.iter().max().copied().unwrap_or_default();
            format!("{} of {all} are wrong; most often {worst}, on {}", many.len(), counted(n, "formula"))
        }
    }
}

/// One trigger of each release, with its formula; proved ones first.
fn cards(study: &Study) -> Markup {
    let mut chosen: Vec<&Trigger> = Vec::new();
    let mut sorted: Vec<&Trigger> = study.triggers.iter().collect();
    sorted.sort_by_key(|t| (t.evidence.is_none(), t.evidence, t.script.len()));
    for t in sorted {
        if !chosen.iter().any(|c| c.release == t.release && c.kind == t.kind) {
            chosen.push(t);
        }
    }
    html! {
        div.cards {
            @for t in chosen.into_iter().take(CARDS) {
                article class={ "card " (class(t.kind)) } {
                    h3 { (t.release) ": " (t.kind.row().title) }
                    p { (inline(&t.reason)) " " span.dim { "(" (t.grammar) ", formula " (t.index) ")" } }
                    (highlight::script(&t.script, None))
                }
            }
        }
    }
}

fn trigger(t: &Trigger) -> Markup {
    let evidence = match (t.evidence, t.kind.class()) {
        (Some(evidence), _) => format!(" ({})", evidence.as_str()),
        // There is nothing to settle.
        (None, Class::Crash) => String::new(),
        (None, _) => " (not settled)".to_owned(),
    };
    let summary = html! {
        span class={ "badge " (class(t.kind)) } { (t.kind) } " " (t.release) ", " (t.grammar) ", formula " (t.index) (evidence)
    };
    script_details(summary, &t.reason, &t.script, false)
}

fn how(study: &Study) -> Markup {
    let rows: Vec<(&str, Markup)> = vec![
        ("smelt", html! { (study.smelt) }),
        (
            "releases",
            html! { (study.releases.iter().map(|r| r.solver.clone()).collect::<Vec<_>>().join(", ")) },
        ),
        ("limit", html! { (study.timeout_s) " s a query" }),
        ("processes", html! { (if study.fresh { "one for each query" } else { "live sessions" }) }),
    ];
    let specs: Vec<String> =
        study.releases.iter().map(|r| format!("-S {}", crate::quoted(&r.spec))).collect();
    let grammars: Vec<String> = study.grammars.iter().map(|(g, _)| crate::quoted(g)).collect();
    let number = study.grammars.iter().map(|g| g.1).max().unwrap_or(0);
    let again = format!(
        "smelt study {} {} -n {number} --vars {} --asserts {} --timeout {}s{}",
        grammars.join(" "),
        specs.join(" "),
        study.vars,
        study.asserts,
        study.timeout_s,
        if study.fresh { " --fresh" } else { "" }
    );
    let mut lines = vec![("Repeat the study (cached answers are reused)".to_owned(), again)];
    if let Some(t) = study.triggers.first() {
        let line = format!("smelt enumerate {} --from {} -n 1", crate::quoted(&t.grammar), t.index);
        lines.push(("Print the formula of a trigger".to_owned(), line));
    }
    html! { div.two { (facts(&rows)) (commands(&lines)) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::Kind;
    use smelt_study::{Cell, Release};

    #[test]
    fn a_page_begins_with_what_was_found_and_escapes_it() {
        let release = |name: &str| Release {
            solver: name.into(),
            spec: name.into(),
            family: "z3".into(),
            ..Release::default()
        };
        let study = Study {
            grammars: vec![("<g>".into(), 5)],
            releases: vec![release("z3@1"), release("z3@2")],
            cells: vec![vec![Cell { unsound: 2, ..Cell::default() }], vec![Cell::default()]],
            triggers: vec![Trigger {
                grammar: "<img onerror=alert(1)>".into(),
                index: 3.into(),
                release: "z3@1".into(),
                kind: Kind::Unsound,
                evidence: None,
                reason: "<script>".into(),
                script: "(assert (< 1 2))".into(),
            }],
            ..Study::default()
        };
        let page = study_page(&study);
        assert!(page.contains("<h1 id=\"found\">z3@1 is wrong on 2 formulas</h1>"), "{page}");
        assert!(!page.contains("<img") && !page.contains("<g>"));
        assert_eq!(page.matches("<script>").count(), 1, "only the page's own");
        assert!(study_page(&Study::default()).contains("gave a wrong answer"));
        let mut open = study;
        open.cells[0][0].unsettled = 2;
        assert!(
            study_page(&open)
                .contains("None of 2 releases is known to be wrong; 2 answers against a reference")
        );
    }
}
