//! The versions that show a bug, and the options it needs.

use smelt_core::{Dossier, Doubt, Needs, OutcomeKind, Release, Severity, Standing};
use smelt_store::Bug;

use super::words::{capital, code, line, name, ticked};
use super::{Affected, Row, Source, alone};

/// What is known of a release, in words; empty if it was not tried.
pub(crate) fn standing(release: &Release) -> &'static str {
    match (release.doubt, release.standing, release.outcome) {
        (Some(Doubt::SomeRuns), ..) => "bad in some runs only",
        (Some(Doubt::AnotherCrash), ..) => "crashes in another way",
        (Some(Doubt::AnotherAnswer), ..) => "wrong in another way",
        (Some(Doubt::WrongAnswer), ..) => "does not crash, but its answer contradicts others",
        (None, Standing::Bad, _) => "bad",
        (None, Standing::Good, _) => "good",
        (None, Standing::Untested, _) => "",
        (None, Standing::Unclear, Some(OutcomeKind::Rejected | OutcomeKind::Error)) => "cannot read it",
        (
            None,
            Standing::Unclear,
            Some(OutcomeKind::Unknown | OutcomeKind::Timeout | OutcomeKind::Memout),
        ) => "gives no answer",
        (None, Standing::Unclear, _) => "could not be judged",
    }
}

/// The versions that show a bug, in one line; `None` if it was not examined.
pub fn versions_in_words(bug: &Bug) -> Option<String> {
    let d = bug.dossier.as_ref()?;
    let history = d.history_of(bug.kind);
    Some(match (history.releases.is_empty(), d.accused.len()) {
        (false, _) => history.summary(),
        (true, 1) => "no other release was tried".to_owned(),
        (true, _) => "not compared, since it is not settled which solver is wrong".to_owned(),
    })
}

/// The advice not to file a bug that the newest release does not show.
pub(super) fn fixed(bug: &Bug) -> Option<String> {
    let d = bug.dossier.as_ref()?;
    let history = d.history_of(bug.kind);
    let newest = history.releases.last().filter(|r| r.standing == Standing::Good && r.doubt.is_none())?;
    let fixed = history.fixed_in()?;
    // Which model or core a release finds may be a matter of luck.
    let is_sure = d.kind.row().severity != Severity::Invalid || alone(d, bug.kind).is_some();
    Some(match is_sure {
        true => format!("Fixed in {}: do not file it.", name(fixed)),
        false => format!(
            "{} is right on this script: do not file it unless another script shows it there.",
            name(&newest.solver)
        ),
    })
}

/// The options under which it shows. What the script sets may be more than it needs; flags were tried without.
fn options(needs: &Needs) -> String {
    let words = |words: &[String]| ticked(words, ", ");
    let mut parts = Vec::new();
    if !needs.given.is_empty() {
        let given = words(&needs.given);
        parts.push(format!("smelt gives {given} to every such script, and did not try without"));
    }
    if !needs.flags.is_empty() {
        parts.push(format!("it needs {}", words(&needs.flags)));
    }
    if !needs.options.is_empty() {
        parts.push(format!("the script has {}", words(&needs.options)));
    }
    match (needs.flags.is_empty() && needs.options.is_empty(), needs.given.is_empty()) {
        (true, true) => "it reproduces with default options".to_owned(),
        (true, false) => format!("{}; no other option is needed", parts.join("; ")),
        (false, _) => parts.join("; "),
    }
}

impl Affected {
    pub(super) fn of(s: &Source<'_>, d: &Dossier) -> Affected {
        let releases = &d.history_of(s.bug.kind).releases;
        let of_first = alone(d, s.bug.kind).is_some();
        let mut rows = Vec::new();
        let is_lucky = releases.iter().any(|r| r.standing == Standing::Good)
            && d.kind.row().severity == Severity::Invalid
            && !of_first;
        if is_lucky {
            rows.push(Row::new("good versions", "one that is right here may still be wrong elsewhere"));
        }
        for (solver, build) in d.builds() {
            // Who it is, where two are accused.
            let whose = if d.accused.len() > 1 { format!(" of {}", name(solver)) } else { String::new() };
            rows.push(Row::new(format!("build{whose}"), code(&line(build))));
        }
        if let (Some(system), Some(date)) = (&d.system, &d.date) {
            rows.push(Row::new("seen on", format!("{system}, {date}")));
        }
        rows.push(Row::new("options", options(&d.needs)));
        if let (Some(shows), Some(safe)) = (d.needs.safe, &s.maintainers.safe) {
            let how = if shows { "it reproduces" } else { "it does not reproduce" };
            rows.push(Row::new("safe options", format!("{how} with {}", code(&safe.args.join(" ")))));
        }
        Affected {
            summary: capital(&versions_in_words(s.bug).unwrap_or_default()),
            versions: releases.clone(),
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_needed_only_if_it_was_tried_without() {
        let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect();
        for (given, flags, set, told) in [
            (&[][..], &[][..], &[][..], "it reproduces with default options"),
            (
                &["--strings-exp"],
                &[],
                &[],
                "smelt gives `--strings-exp` to every such script, and did not try without; no other option is needed",
            ),
            (&[], &["--x"], &[":y"], "it needs `--x`; the script has `:y`"),
        ] {
            let needs =
                Needs { given: words(given), flags: words(flags), options: words(set), ..Needs::default() };
            assert_eq!(options(&needs), told);
        }
    }
}
