//! Why a finding is believed, told step by step, with the value of each sub-term by smelt's evaluator.

use maud::{Markup, html};
use smelt_core::{Dossier, Evidence, Kind, ModelShown};
use smelt_oracle::{CaseScript, ValueStep};
use smelt_store::{Bug, Origin};

use crate::highlight;
use crate::issue::{at_fault, capital, model_of, related, seed_name};
use crate::page::{counted, inline};
use crate::title::name;

/// At most this many assertions are evaluated on a page, and this many sub-terms of each.
const ASSERTIONS: usize = 6;
const STEPS: usize = 60;
/// A model is folded away if it has more lines.
const LINES: usize = 25;

/// What a kind of evidence is worth.
fn meaning(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Model => {
            "This is a proof: smelt's evaluator computes the value of every assertion in a model."
        }
        Evidence::Exhaustive => {
            "This is a proof: smelt's evaluator tried every assignment of a small finite space."
        }
        Evidence::Construction => "The answer is known by how the formula was made.",
        Evidence::Metamorphic => {
            "The formula is related to one that the same solver answered, by a checked rule."
        }
        Evidence::Vote => "Other solvers agree against this one; that is no proof.",
        Evidence::SelfCheck => "The solver's own checker says so.",
    }
}

/// The evidence in steps.
pub(super) fn why(bug: &Bug, script: &str, origin: Option<&Origin>) -> Markup {
    let Some(d) = &bug.dossier else {
        return html! {
            p { (inline(&capital(&bug.finding.claim.reason.to_string()))) "." }
            @if let Some(e) = bug.finding.finding.evidence { p.dim { (meaning(e)) } }
        };
    };
    let model = d.model.as_ref().map(|m| evaluated(m, d.query, script));
    html! {
        ol.why {
            li { (reason(d, origin)) }
            @if let Some(pair) = &d.pair {
                li {
                    (inline(&related(pair))) ":"
                    (highlight::script(&pair.script, None))
                }
            }
            @if let Some(shown) = d.model.as_ref().filter(|m| m.text.contains("define-")) {
                li { (model_text(shown)) }
            }
            @if let Some(model) = model { (model) }
            @if let Some(construct) = at_fault(d) {
                li { "It is about " code { (construct) } ": the same question without it is answered correctly." }
            }
            @if let Some(c) = &d.culprit {
                li {
                    "One operator is enough. " code { (highlight::line(&c.application, 300)) } " is "
                    code { (highlight::line(&c.value, 300)) } ", but "
                    (d.accused.first().map(name).unwrap_or_default()) " says " code { (c.answer) } " to"
                    (highlight::script(c.spelled.as_ref().unwrap_or(&c.script), None))
                }
            }
            @if !d.cleared.is_empty() {
                li.dim { "It evaluates these operators correctly when each stands alone: " (inline(&ticked(&d.cleared))) "." }
            }
        }
    }
}

/// Operators as a list; one that is told apart by its sort, such as `=:Int`, with that sort in words.
fn ticked(operators: &[String]) -> String {
    let word = |o: &String| match o.split_once(':') {
        Some((name, sort)) if !name.is_empty() && !sort.is_empty() => format!("`{name}` of {sort}"),
        _ => format!("`{o}`"),
    };
    operators.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// The evidence in words, and what it is worth.
fn reason(d: &Dossier, origin: Option<&Origin>) -> Markup {
    let seeds = origin.map(|o| o.seeds.iter().map(|s| format!("`{}`", seed_name(&s.0))).collect::<Vec<_>>());
    let message = d.said.iter().find(|s| s.accused).and_then(|s| s.message.as_deref());
    html! {
        @match (d.kind, d.evidence) {
            (Kind::Crash, _) => {
                (if d.goes_on { "It fails a check of its own, and goes on:" } else { "The process dies:" })
                div.code { pre tabindex="0" { (highlight::line(message.unwrap_or(&d.reason), 4_000)) } }
            }
            (_, Some(Evidence::Construction)) => {
                (inline(&capital(&d.reason)))
                @if let Some(o) = origin {
                    ": the strategy " code { (o.case.provenance.strategy) } " made it"
                    @if let Some(seeds) = seeds.filter(|s| !s.is_empty()) {
                        " from " (inline(&seeds.join(" and "))) ", and every step keeps that answer"
                    }
                }
                "."
            }
            (_, Some(Evidence::Metamorphic)) if d.pair.is_some() => {
                "The answers to the two formulas cannot both be right."
            }
            _ => { (inline(&capital(&d.reason))) "." }
        }
        @if let Some(e) = d.evidence { " " span.dim { (meaning(e)) } }
    }
}

fn model_text(model: &ModelShown) -> Markup {
    let values = model.text.matches("(define-fun").count();
    let lines = model.text.lines().count();
    html! {
        details open[lines <= LINES] {
            summary { (model_of(model)) ", " (counted(values as u64, "value")) }
            (highlight::script(&model.text, None))
        }
    }
}

/// The assertions in the model; false ones first, for they show the bug.
fn evaluated(model: &ModelShown, query: usize, script: &str) -> Markup {
    let mut case = CaseScript::new(script.as_bytes());
    let truths = case.assertion_truths(query, &model.text);
    let same = truths.len() == model.assertions.len()
        && truths.iter().zip(&model.assertions).all(|(a, b)| a.0 == b.0 && a.1.as_str() == b.1);
    let check = same.then_some(query);
    let mut order: Vec<usize> = (0..model.assertions.len()).collect();
    order.sort_by_key(|i| model.assertions[*i].1 != "false");
    let wrong = model.assertions.iter().filter(|a| a.1 == "false").count();
    let open = model.assertions.iter().filter(|a| a.1 == "unknown").count();
    let more = order.len().saturating_sub(ASSERTIONS);
    html! {
        li {
            @match (wrong, order.len()) {
                (0, n) if open > 0 => { "Under it, smelt's evaluator finds none of " (counted(n as u64, "assertion")) " false, and cannot tell of " (open) ":" }
                (0, n) => { "Under it, smelt's evaluator finds " (counted(n as u64, "assertion")) " true:" }
                (n, all) => { "Under it, smelt's evaluator finds " (n) " of " (counted(all as u64, "assertion")) " false:" }
            }
            @for (place, i) in order.iter().take(ASSERTIONS).enumerate() {
                @let (text, truth) = &model.assertions[*i];
                @let steps = check.map(|c| case.value_steps(c, &model.text, *i, STEPS)).unwrap_or_default();
                details open[place < 2] {
                    summary { (truth_badge(truth)) " " code { (highlight::line(text, 160)) } }
                    @if steps.is_empty() { p.dim { "Its sub-terms have no values to show." } } @else { (values(&steps)) }
                }
            }
            @if more > 0 { p.dim { (counted(more as u64, "more assertion")) "." } }
        }
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
