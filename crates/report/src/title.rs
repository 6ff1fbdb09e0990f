//! A bug in one line: solver, kind, theory, operator and options.

use smelt_core::{Evidence, FindingKind, SolverId};
use smelt_triage::Dossier;

/// A kind in the words of issue trackers.
pub(crate) fn phrase(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::RefutationUnsound => "unsat for a satisfiable formula",
        FindingKind::SolutionUnsound => "sat for an unsatisfiable formula",
        FindingKind::Unsound => "contradicting answers",
        FindingKind::InvalidModel => "invalid model",
        FindingKind::InvalidCore => "invalid unsat core",
        FindingKind::Crash => "crash",
        FindingKind::IncompleteRegression => "unknown where another release decides",
        FindingKind::IncompleteImplication => "unknown, though a related formula is decided",
        FindingKind::PerfRegression => "much slower than another release",
        FindingKind::Hang => "does not end where another solver or release does",
    }
}

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
    let at_fault = dossier.culprit.as_ref().map(|c| &c.operator).or(dossier.construct.as_ref());
    match at_fault {
        Some(operator) => parts.push(format!("`{operator}`")),
        None => {
            // Where others of a theory can take an operator's place, the word for the theory stands for it.
            let is_theory = |o: &&String| o.starts_with('(') && dossier.cleared.contains(o);
            let named: Vec<&String> = dossier.operators.iter().filter(|o| !is_theory(o)).collect();
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
pub fn title(dossier: &Dossier, kind: FindingKind) -> String {
    let names: Vec<String> = dossier.accused.iter().map(name).collect();
    let phrase = match (kind, dossier.evidence_of(kind)) {
        (FindingKind::RefutationUnsound, Some(Evidence::Vote)) => "unsat where other solvers say sat",
        (FindingKind::SolutionUnsound, Some(Evidence::Vote)) => "sat where other solvers say unsat",
        (FindingKind::Crash, _) if dossier.goes_on => "a check of its own fails",
        _ => phrase(kind),
    };
    format!("{}: {phrase} ({})", names.join(" / "), about(dossier))
}
