//! Examines stored findings: passes them from the store to the examiner, and stores the result.

use smelt_core::{Dossier, Figures};
use smelt_triage::{Examination, Examiner, Unexamined};
use smelt_trial::NamedSolver;
use std::path::Path;

use crate::{Error, Store, Stored, Triaged};

/// Examines a stored finding with the installed solvers; what is known already is tried first, which is cheap. A reduction
/// that was stopped before its end is taken up where it was.
pub fn examine_stored(
    folder: &Path,
    stored: &Stored,
    solvers: &[NamedSolver],
    examiner: &Examiner<'_>,
    known: &[Dossier],
) -> Result<Option<Examination>, Error> {
    let store = Store::open(folder)?;
    let origin = store.origin(&stored.finding.id)?;
    let asked: Vec<NamedSolver> =
        solvers.iter().filter(|c| origin.solvers.contains(&c.spec)).cloned().collect();
    let earlier = half_done(&store, stored)?;
    let smaller = earlier.as_ref().map(|(text, _)| origin.case.changed(text));
    let case = smaller.as_ref().unwrap_or(&origin.case);
    let finding = Unexamined { case, claim: &stored.claim, solvers: &asked, reduction: None };
    let mut result = match examiner.recognise(&finding, known)? {
        Some(examination) => Some(examination),
        None => examiner.examine(&finding)?,
    };
    if let (Some(examination), Some((text, figures))) = (&mut result, earlier) {
        go_on(examination, text, figures);
    }
    if let Some(examination) = result.as_mut().filter(|_| stored.examined) {
        // Whatever it shows now, the bug that it names keeps its name.
        examination.dossier.given = store.given(&stored.finding.id)?;
    }
    Ok(result)
}

/// The script and the figures of a reduction that was stopped before its end.
fn half_done(store: &Store, stored: &Stored) -> Result<Option<(Vec<u8>, Figures)>, Error> {
    let Some(dossier) = store.dossier(&stored.finding.id)?.filter(|d| d.is_half_reduced() && !d.of_seed)
    else {
        return Ok(None);
    };
    let text = stored.reduced_script().ok().flatten();
    Ok(text.zip(dossier.reduction))
}

/// Adds an earlier part of a reduction to an examination of the script that came out of it.
fn go_on(examination: &mut Examination, text: Vec<u8>, earlier: Figures) {
    let tried = examination.dossier.reduction_tried;
    let now = examination.dossier.reduction;
    examination.dossier.reduction = Some(Figures {
        bytes_before: earlier.bytes_before,
        bytes_after: now.map_or(text.len(), |now| now.bytes_after),
        checks: earlier.checks + now.map_or(0, |now| now.checks),
        wall_s: earlier.wall_s + now.map_or(0.0, |now| now.wall_s),
        // Nothing smaller was found this time.
        complete: now.map_or(tried, |now| now.complete),
    });
    examination.reduced.get_or_insert(text);
}

impl Store {
    /// Examines a finding that the campaign had no time for, and stores the dossier if no process holds the folder.
    pub fn examine(
        folder: &Path,
        id: &str,
        solvers: &[NamedSolver],
        examiner: &Examiner<'_>,
    ) -> Result<Option<Examination>, Error> {
        let store = Store::open(folder)?;
        let stored = store.finding(id)?;
        // One that was recognised may be examined in full.
        let known = if stored.examined { Vec::new() } else { store.dossiers()? };
        let result = examine_stored(folder, &stored, solvers, examiner, &known)?;
        if let Some(Examination { reduced, dossier }) = &result
            && let Ok(mut store) = Store::resume(folder)
        {
            // One that names no bug takes the last turn.
            if stored.examined && dossier.given.is_none() {
                store.put_last(id)?;
            }
            let (reduced, dossier) = (reduced.clone(), dossier.clone());
            let file = stored.relative_file.clone();
            store.note(Triaged { finding: id.to_owned(), file, reduced, dossier })?;
        }
        Ok(result)
    }
}
