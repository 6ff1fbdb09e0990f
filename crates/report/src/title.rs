//! A bug in one line: solver, kind, theory, operator and options.

use smelt_core::{Cause, Dossier, Evidence, Kind, SolverId};

/// The name of a solver as people write it: `z3 4.8.7`.
pub(crate) fn name(id: &SolverId) -> String {
    match id.version() {
        Some(version) => format!("{} {version}", id.name()),
        None => id.name().to_owned(),
    }
}

/// The theory, the operator at fault or those that the smallest script has, and the options that the bug needs.
fn about(dossier: &Dossier) -> String {
    const SHOWN: usize = 3;
    let mut parts = vec![dossier.theory.clone()];
    match dossier.cause() {
        Cause::Construct(word) | Cause::Command(word) | Cause::Rule(word) => parts.push(format!("`{word}`")),
        Cause::Shape { .. } => parts.push("place unknown".to_owned()),
        cause => {
            let named = cause.operators();
            parts.extend(named.iter().take(SHOWN).map(|o| format!("`{o}`")));
            parts.extend((named.len() > SHOWN).then(|| "..".to_owned()));
        }
    }
    let needs = &dossier.needs;
    let options: Vec<&str> = needs.flags.iter().chain(&needs.options).map(String::as_str).collect();
    // Whether an option is needed that smelt always gives was not tried.
    if !options.is_empty() {
        parts.push(format!("with {}", options.join(" ")));
    } else if needs.given.is_empty() {
        parts.push("default options".to_owned());
    }
    parts.join(", ")
}

/// The title of an issue about a bug of a kind. What solvers alone say is not called right or wrong.
pub fn title(dossier: &Dossier, kind: Kind) -> String {
    let names: Vec<String> = dossier.accused.iter().map(name).collect();
    let phrase = match (kind, dossier.evidence_of(kind)) {
        (Kind::Crash, _) if dossier.goes_on => "a check of its own fails",
        (kind, Some(Evidence::Vote)) => kind.row().by_vote,
        (kind, _) => kind.row().title,
    };
    format!("{}: {phrase} ({})", names.join(" / "), about(dossier))
}
