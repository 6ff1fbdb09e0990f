//! What is expected, and why: the argument in steps, with models and the truth of each assertion.

use smelt_core::{Certificate, Claim, Class, Dossier, Evidence, Kind, KindRow, ModelShown, Said, Verdict};
use smelt_oracle::{CaseScript, Truth};
use smelt_store::Bug;

use super::words::{self, at_fault, capital, code, name, related, shown_kind, ticked};
use super::{Expected, Model, Source, Step, alone, seed_name};
use crate::page::counted;

/// What evidence proves, for a class of findings.
fn strength(evidence: Evidence, class: Class) -> &'static str {
    match evidence {
        Evidence::Model if matches!(class, Class::Value | Class::Rewrite) => {
            "This is a proof: smelt's evaluator computes the value of both terms."
        }
        Evidence::Model if class == Class::Optimum => {
            "This is a proof: smelt's evaluator computes the objective and every assertion at that assignment."
        }
        Evidence::Metamorphic if class == Class::Optimum => {
            "Two answers of the same solver contradict each other."
        }
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

/// The answer of all solvers that are not accused and decided it, if it is the same, and who they are.
fn others(d: &Dossier) -> Option<(Verdict, Vec<&Said>)> {
    let decided = |s: &&Said| s.outcome.verdict().is_some_and(|v| v != Verdict::Unknown);
    let all: Vec<&Said> = d.said.iter().filter(|s| !s.accused).filter(decided).collect();
    let verdict = all.first()?.outcome.verdict()?;
    all.iter().all(|s| s.outcome.verdict() == Some(verdict)).then_some((verdict, all))
}

/// The solvers that give the other answer, where the answer of the accused is not called wrong.
pub(super) fn opposed(d: &Dossier, row: &KindRow) -> Option<String> {
    let (verdict, all) = others(d).filter(|(verdict, _)| row.correct.is_some_and(|c| c != *verdict))?;
    let names: Vec<String> = all.iter().map(|s| name(&s.solver)).collect();
    Some(format!("`{verdict}` is the answer of {}", names.join(", ")))
}

/// What is expected: as the kind implies it, else as all others say.
pub(super) fn expected(bug: &Bug) -> Option<Expected> {
    let row = shown_kind(bug).row();
    let d = bug.dossier.as_ref();
    let is_wrong = row.said.is_some_and(|said| row.correct.is_some_and(|correct| said != correct));
    // An operator that is wrong alone is shown by its value.
    let is_alone = d.is_some_and(|d| alone(d, bug.kind).is_some());
    let is_proved = |answer| is_alone || d.is_some_and(|d| d.proved == Some(answer));
    let by_others = || others(d?).map(|(answer, _)| answer);
    match row.correct {
        // Not the answer of the accused is wrong, but others contradict it.
        Some(_) if !is_wrong && d.is_some_and(|d| opposed(d, row).is_some()) => None,
        Some(answer) => Some(Expected { answer, due: row.due, by_others: false, proved: is_proved(answer) }),
        None => by_others().map(|answer| Expected {
            answer,
            due: row.due,
            by_others: true,
            proved: is_proved(answer),
        }),
    }
}

/// The argument of a dossier.
pub(super) fn steps(s: &Source<'_>, d: &Dossier) -> Vec<Step> {
    let mut steps = Vec::new();
    if let Some(pair) = &d.pair {
        steps.extend([Step::Text(format!("{}:", related(pair))), Step::Script(pair.script.clone())]);
    }
    steps.extend(reason(s, d));
    let says_something =
        |m: &ModelShown| has_values(m) || m.assertions.iter().any(|(_, truth)| truth != "unknown");
    let own = || own_model(s, d.kind, d.query);
    if let Some(shown) = d.model.clone().filter(says_something).or_else(own) {
        if ["(pop", "(reset"].iter().any(|command| s.script.contains(command)) {
            steps.push(Step::Text(
                "Assertions are counted among those in force at the `(check-sat)`.".to_owned(),
            ));
        }
        steps.push(model(shown));
    }
    if let Some(word) = at_fault(d) {
        steps.push(Step::Text(format!(
            "It is about {}. The same question without it is answered correctly.",
            code(word)
        )));
    }
    if let Some(c) = &d.culprit {
        let solver = d.accused.first().map(name).unwrap_or_default();
        let about = format!(
            "One operator is enough: {} is {}, but {solver} says {} to:",
            code(&c.application),
            code(&c.value),
            code(c.answer.as_str())
        );
        steps.extend([Step::Text(about), Step::Script(c.spelled.as_ref().unwrap_or(&c.script).clone())]);
    }
    if !d.cleared.is_empty() {
        let cleared = d.cleared.iter().map(|o| operator(o)).collect::<Vec<_>>().join(", ");
        steps.push(Step::Text(format!(
            "It evaluates these operators correctly when each stands alone: {cleared}."
        )));
    }
    steps
}

/// An operator in words. A name such as `=:Int` is an operator of one sort.
fn operator(name: &str) -> String {
    match name.split_once(':') {
        Some((name, sort)) if !name.is_empty() && !sort.is_empty() => format!("{} of {sort}", code(name)),
        _ => code(name),
    }
}

/// How a solver dies, or fails a check of its own.
fn death(goes_on: bool, message: &str) -> Vec<Step> {
    let about = if goes_on { "It fails a check of its own, and goes on:" } else { "The process dies:" };
    vec![Step::Text(about.to_owned()), Step::Output(message.to_owned())]
}

/// The reason of a claim in words.
pub(super) fn of_claim(claim: &Claim) -> Vec<Step> {
    let reason = claim.reason.to_string();
    match claim.kind.class() {
        Class::Crash => death(false, &reason),
        _ => argued(format!("{}.", capital(&reason)), claim.evidence, claim.kind.class()),
    }
}

/// The evidence in words.
fn reason(s: &Source<'_>, d: &Dossier) -> Vec<Step> {
    let class = d.kind.class();
    if class == Class::Crash {
        let said = d.said.iter().find(|s| s.accused);
        // Its own lines have the file, the line and the message.
        let lines = said.map(|s| s.lines.join("\n")).filter(|lines| !lines.is_empty());
        let message = lines.or(said.and_then(|s| s.message.clone()));
        return death(words::fails_check(d, d.kind), &message.unwrap_or_else(|| d.reason.clone()));
    }
    let reason = capital(&d.reason);
    let words = match (d.evidence, s.origin) {
        _ if d.pair.is_some() && class.is_late() => {
            "It decides one of the two formulas, and the answer to the other follows.".to_owned()
        }
        (Some(Evidence::Metamorphic), _) if d.pair.is_some() => {
            "The answers to the two formulas cannot both be right.".to_owned()
        }
        (Some(Evidence::Construction), Some(origin)) => {
            let seeds: Vec<String> = origin.seeds.iter().map(|s| seed_name(&s.0).to_owned()).collect();
            let from = match seeds.is_empty() {
                true => String::new(),
                false => format!(" from {}, and every step keeps that answer", ticked(&seeds, " and ")),
            };
            format!("{reason}: the strategy {} made it{from}.", code(&origin.case.provenance.strategy))
        }
        _ => format!("{reason}."),
    };
    argued(words, d.evidence, class)
}

/// A sentence, and what its evidence proves.
fn argued(words: String, evidence: Option<Evidence>, class: Class) -> Vec<Step> {
    let strength = evidence.map(|e| format!(" {}", strength(e, class))).unwrap_or_default();
    vec![Step::Text(format!("{words}{strength}"))]
}

/// The model that the case was made with, if it shows that a script is satisfiable where a kind says so.
pub(super) fn own_model(s: &Source<'_>, kind: Kind, query: usize) -> Option<ModelShown> {
    let row = kind.row();
    let certificate = s.origin.map(|o| &o.case.certificate).filter(|c| !matches!(c, Certificate::None));
    let text =
        certificate?.model().filter(|_| row.said != row.correct && row.correct == Some(Verdict::Sat))?;
    let mut case = CaseScript::new(s.script.as_bytes());
    let truths = case.assertion_truths(query, text);
    if truths.is_empty() || truths.iter().any(|(_, truth)| *truth != Truth::True) {
        return None;
    }
    Some(ModelShown {
        solver: None,
        text: text.to_owned(),
        translated: false,
        ground: case.is_ground(query),
        assertions: truths.into_iter().map(|(text, truth)| (text, truth.as_str().to_owned())).collect(),
    })
}

fn has_values(model: &ModelShown) -> bool {
    model.text.contains("define-")
}

/// A model, and what the evaluator finds under it.
pub(super) fn model(shown: ModelShown) -> Step {
    let count = |truth: &str| shown.assertions.iter().filter(|a| a.1 == truth).count();
    let all = counted(shown.assertions.len() as u64, "assertion");
    let finds = match (count("false"), count("unknown")) {
        (0, 0) => format!("finds {all} true"),
        (0, open) => format!("finds none of {all} false, and cannot decide {open}"),
        (wrong, _) => format!("finds {wrong} of {all} false"),
    };
    let under = match (has_values(&shown), shown.ground) {
        (true, _) => "Under it, ",
        (false, true) => "",
        (false, false) => "It gives no symbol a value; ",
    };
    let today = if shown.translated { ", its strings in today's spelling" } else { "" };
    let of = |solver| format!("of {}", name(solver));
    let whose = shown.solver.as_ref().map_or("that the case was made with".to_owned(), of);
    Step::Model(Model {
        about: format!("The model {whose}{today}"),
        finds: format!("{under}smelt's evaluator {finds}"),
        shown,
    })
}
