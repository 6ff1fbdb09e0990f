//! The expected answer and the argument for it, in steps: models, and the truth of each assertion.

use smelt_core::{Certificate, Claim, Class, Dossier, Evidence, Kind, KindRow, ModelShown, Said, Verdict};
use smelt_oracle::{CaseScript, Truth};
use smelt_store::Bug;

use super::words::{self, at_fault, capital, code, line, name, related, shown_kind, ticked};
use super::{Expected, Model, Source, Step, alone, seed_name};
use crate::page::counted;

/// How strong a kind of evidence is, for a class of findings.
fn strength(evidence: Evidence, class: Class) -> &'static str {
    match evidence {
        Evidence::Model if matches!(class, Class::Value | Class::Rewrite) => {
            "smelt's evaluator computed both values, so this is a proof."
        }
        Evidence::Model if class == Class::Optimum => {
            "smelt's evaluator computed the objective and every assertion for that assignment, so this is a proof."
        }
        Evidence::Model if class == Class::Interpolant => {
            "smelt's evaluator computed the interpolant and both parts for that assignment, so this is a proof."
        }
        Evidence::Model if class == Class::Proof => {
            "smelt's evaluator computed the premises and the conclusion of the step, so this is a proof."
        }
        Evidence::Metamorphic if class == Class::Optimum => {
            "Two answers of the same solver contradict each other."
        }
        Evidence::Model => "smelt's evaluator computed the value of every assertion, so this is a proof.",
        Evidence::Exhaustive => {
            "smelt's evaluator tried every assignment of a finite space, so this is a proof."
        }
        Evidence::Construction => "The formula was generated to have this answer.",
        Evidence::Metamorphic => "A checked rule relates this formula to one that the same solver answered.",
        Evidence::Vote => "Other solvers agree on a different answer; this is not a proof.",
        Evidence::SelfCheck => "The solver's own checker reports this.",
    }
}

/// The common answer of all other solvers that solved it, and these solvers; `None` if they differ.
fn others(d: &Dossier) -> Option<(Verdict, Vec<&Said>)> {
    let decided = |s: &&Said| s.outcome.verdict().is_some_and(|v| v != Verdict::Unknown);
    let all: Vec<&Said> = d.said.iter().filter(|s| !s.accused).filter(decided).collect();
    let verdict = all.first()?.outcome.verdict()?;
    all.iter().all(|s| s.outcome.verdict() == Some(verdict)).then_some((verdict, all))
}

/// The solvers with a different answer, for kinds that do not call the answer of the accused wrong.
pub(super) fn opposed(d: &Dossier, row: &KindRow) -> Option<String> {
    let (verdict, all) = others(d).filter(|(verdict, _)| row.correct.is_some_and(|c| c != *verdict))?;
    let names: Vec<String> = all.iter().map(|s| name(&s.solver)).collect();
    Some(format!(
        "{} {} `{verdict}`",
        names.join(" and "),
        if names.len() == 1 { "returns" } else { "return" }
    ))
}

/// The expected answer: the one that the kind implies, else that of all other solvers.
pub(super) fn expected(bug: &Bug) -> Option<Expected> {
    let row = shown_kind(bug).row();
    let d = bug.dossier.as_ref();
    let is_wrong = row.said.is_some_and(|said| row.correct.is_some_and(|correct| said != correct));
    // An operator that is wrong alone is shown by its value.
    let is_alone = d.is_some_and(|d| alone(d, bug.kind).is_some());
    let is_proved = |answer| is_alone || d.is_some_and(|d| d.proved == Some(answer));
    let by_others = || others(d?).map(|(answer, _)| answer);
    match row.correct {
        // The kind does not call this answer wrong, but other solvers contradict it.
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
                "Numbers of assertions count those active at the `(check-sat)`.".to_owned(),
            ));
        }
        steps.push(model(shown));
    }
    // A rewrite or an interpolant is about its command, so there is no script without it.
    if let Some(word) =
        at_fault(d).filter(|_| !matches!(d.kind.class(), Class::Rewrite | Class::Interpolant | Class::Proof))
    {
        steps.push(Step::Text(format!(
            "Without {}, the equivalent script gives the correct answer.",
            code(word)
        )));
    }
    if let Some(c) = &d.culprit {
        let solver = d.accused.first().map(name).unwrap_or_default();
        let about = format!(
            "A single operator shows the bug: {} is {}, but {solver} returns {} for:",
            code(&c.application),
            code(&c.value),
            code(c.answer.as_str())
        );
        steps.extend([Step::Text(about), Step::Script(c.spelled.as_ref().unwrap_or(&c.script).clone())]);
    }
    if !d.cleared.is_empty() {
        let cleared = d.cleared.iter().map(|o| operator(o)).collect::<Vec<_>>().join(", ");
        let who = d.accused.first().map(name).unwrap_or_default();
        steps.push(Step::Text(format!(
            "Applied to constants, {who} evaluates these operators correctly: {cleared}."
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

/// A crash or a failed internal check.
fn death(goes_on: bool, message: &str) -> Vec<Step> {
    let about =
        if goes_on { "An internal check fails, and the solver continues:" } else { "The process crashes:" };
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
    // The relation to the other script already says it.
    if d.pair.is_some() && class.is_late() {
        let strength = d.evidence.map(|e| Step::Text(strength(e, class).to_owned()));
        return strength.into_iter().collect();
    }
    let reason = capital(&d.reason);
    let words = match (d.evidence, s.origin) {
        (Some(Evidence::Metamorphic), _) if d.pair.is_some() => {
            "The answers to the two scripts cannot both be correct.".to_owned()
        }
        (Some(Evidence::Construction), Some(origin)) => {
            let seeds: Vec<String> = origin.seeds.iter().map(|s| seed_name(&s.0).to_owned()).collect();
            let from = match seeds.is_empty() {
                true => String::new(),
                false => format!(" from {} by steps that preserve the answer", ticked(&seeds, " and ")),
            };
            format!("{reason}: strategy {} generated it{from}.", code(&origin.case.provenance.strategy))
        }
        _ => match &d.model {
            Some(ModelShown { solver: Some(solver), ground: false, .. })
                if d.evidence == Some(Evidence::Model) && d.kind == Kind::RefutationUnsound =>
            {
                format!(
                    "The formula is satisfiable: the model of {}, below, makes every assertion true.",
                    name(solver)
                )
            }
            Some(ModelShown { solver: Some(solver), assertions, .. }) if d.kind == Kind::InvalidModel => {
                match assertions.iter().enumerate().find(|(_, (_, truth))| truth == "false") {
                    Some((i, (text, _))) => {
                        let (who, text) = (name(solver), code(&line(text)));
                        format!("In the model of {who}, assertion {} is false: {text}.", i + 1)
                    }
                    None => format!("{reason}."),
                }
            }
            _ => format!("{reason}."),
        },
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

/// A model, and the values of the assertions in it.
pub(super) fn model(shown: ModelShown) -> Step {
    let count = |truth: &str| shown.assertions.iter().filter(|a| a.1 == truth).count();
    let all = counted(shown.assertions.len() as u64, "assertion");
    let are = |n: usize| if n == 1 { "is" } else { "are" };
    let values = match (count("false"), count("unknown"), shown.assertions.len()) {
        (0, 0, 1) => "the assertion is true".to_owned(),
        (0, 0, 2) => "both assertions are true".to_owned(),
        (0, 0, _) => format!("all {all} are true"),
        (0, open, _) => format!("no assertion is false, but {open} of {all} cannot be evaluated"),
        (1, _, 1) => "the assertion is false".to_owned(),
        (wrong, _, _) => format!("{wrong} of {all} {} false", are(wrong)),
    };
    let under = match (has_values(&shown), shown.ground) {
        (true, _) => "In this model, ",
        (false, true) => "The script has no free symbols; ",
        (false, false) => "The model gives no symbol a value; ",
    };
    let today = if shown.translated { ", with strings in current syntax" } else { "" };
    let of = |solver| format!("of {}", name(solver));
    let whose = shown.solver.as_ref().map_or("known by construction".to_owned(), of);
    let (about, finds) = (format!("The model {whose}{today}"), format!("{under}{values}"));
    Step::Model(Box::new(Model { about, finds, standard: shown.clone(), shown }))
}
