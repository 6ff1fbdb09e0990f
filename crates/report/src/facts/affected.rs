//! The affected versions of a bug, and the options it needs.

use smelt_core::{Dossier, Doubt, Needs, OutcomeKind, Release, Severity, Standing};
use smelt_store::Bug;

use super::words::{capital, code, is_option, line, name, ticked};
use super::{Affected, Row, Source, alone};

/// Whether a release is affected, in words; empty if it was not tested.
pub(crate) fn standing(release: &Release) -> &'static str {
    match (release.doubt, release.standing, release.outcome) {
        (Some(Doubt::SomeRuns), ..) => "affected in some runs only",
        (Some(Doubt::AnotherCrash), ..) => "crashes differently",
        (Some(Doubt::AnotherAnswer), ..) => "wrong in a different way",
        (Some(Doubt::WrongAnswer), ..) => "does not crash, but its answer contradicts others",
        (None, Standing::Bad, _) => "affected",
        (None, Standing::Good, _) => "not affected",
        (None, Standing::Untested, _) => "",
        (None, Standing::Unclear, Some(OutcomeKind::Rejected | OutcomeKind::Error)) => "rejects the script",
        (
            None,
            Standing::Unclear,
            Some(OutcomeKind::Unknown | OutcomeKind::Timeout | OutcomeKind::Memout),
        ) => "no answer",
        (None, Standing::Unclear, _) => "inconclusive",
    }
}

/// The affected versions in one line; `None` if the bug was not examined.
pub fn versions_in_words(bug: &Bug) -> Option<String> {
    let d = bug.dossier.as_ref()?;
    let history = d.history_of(bug.kind);
    Some(match (history.releases.is_empty(), d.accused.len()) {
        (false, _) => history.summary(),
        (true, 1) => "no other release tested".to_owned(),
        (true, _) => "not determined, because it is not settled which solver is wrong".to_owned(),
    })
}

/// The advice not to file a bug that is fixed in the newest release.
pub(super) fn fixed(bug: &Bug) -> Option<String> {
    let d = bug.dossier.as_ref()?;
    let history = d.history_of(bug.kind);
    let newest = history.releases.last().filter(|r| r.standing == Standing::Good && r.doubt.is_none())?;
    let fixed = history.fixed_in()?;
    // Which model or core a release finds may be luck.
    let is_sure = d.kind.row().severity != Severity::Invalid || alone(d, bug.kind).is_some();
    Some(match is_sure {
        true => format!("Fixed in {}: do not file it.", name(fixed)),
        false => format!(
            "{} is correct on this script: do not file it unless another script triggers the bug there.",
            name(&newest.solver)
        ),
    })
}

/// The options needed to reproduce it. Flags were tested without; options set in the script were not.
fn options(needs: &Needs) -> String {
    let words = |words: &[String]| ticked(words, ", ");
    let set: Vec<String> = needs.options.iter().filter(|o| is_option(o)).cloned().collect();
    let needs_more = !needs.flags.is_empty() || !set.is_empty();
    let mut parts = Vec::new();
    if !needs.given.is_empty() {
        let most = if needs_more { "" } else { "needs at most " };
        let them = if needs.given.len() == 1 { "it" } else { "them" };
        let given = words(&needs.given);
        parts.push(format!("{most}{given}, which smelt always sets (not tested without {them})"));
    }
    if !needs.flags.is_empty() {
        parts.push(format!("requires {}", words(&needs.flags)));
    }
    if !set.is_empty() {
        parts.push(format!("set in the script: {}", words(&set)));
    }
    match parts.is_empty() {
        true => "reproduces with default options".to_owned(),
        false => parts.join("; "),
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
            rows.push(Row::new("note", "a version that is correct on this script may be wrong on others"));
        }
        for (solver, build) in d.builds() {
            // If two solvers are accused, name the solver.
            let whose = if d.accused.len() > 1 { format!(" of {}", name(solver)) } else { String::new() };
            rows.push(Row::new(format!("build{whose}"), code(&line(build))));
        }
        if let (Some(system), Some(date)) = (&d.system, &d.date) {
            rows.push(Row::new("platform", format!("{system}, {date}")));
        }
        rows.push(Row::new("options", options(&d.needs)));
        if let (Some(shows), Some(safe)) = (d.needs.safe, &s.maintainers.safe) {
            let how = if shows { "reproduces" } else { "does not reproduce" };
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
            (&[][..], &[][..], &[][..], "reproduces with default options"),
            (
                &["--strings-exp"],
                &[],
                &[],
                "needs at most `--strings-exp`, which smelt always sets (not tested without it)",
            ),
            (&[], &["--x"], &[":y"], "requires `--x`; set in the script: `:y`"),
            (&[], &[], &["apply"], "reproduces with default options"),
        ] {
            let needs =
                Needs { given: words(given), flags: words(flags), options: words(set), ..Needs::default() };
            assert_eq!(options(&needs), told);
        }
    }
}
