//! Examining stored findings: from the store to the examiner and back.

use smelt_core::Dossier;
use smelt_triage::{Examination, Examiner, Unexamined};
use smelt_trial::NamedSolver;
use std::path::Path;

use crate::{Error, Store, Stored, Triaged};

/// Examines a stored finding with the installed solvers; what is known already is tried first, which is cheap.
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
    let finding = Unexamined { case: &origin.case, claim: &stored.claim, solvers: &asked, reduction: None };
    match examiner.recognise(&finding, known)? {
        Some(examination) => Ok(Some(examination)),
        None => Ok(examiner.examine(&finding)?),
    }
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
        let mut result = examine_stored(folder, &stored, solvers, examiner, &known)?;
        if let Some(Examination { reduced, dossier }) = &mut result
            && let Ok(mut store) = Store::resume(folder)
        {
            if stored.examined {
                // Whatever it shows now, the bug that it names keeps its name; one that names none takes the last turn.
                dossier.given = store.given(id)?;
                if dossier.given.is_none() {
                    store.put_last(id)?;
                }
            }
            let (reduced, dossier) = (reduced.clone(), dossier.clone());
            let file = stored.relative_file.clone();
            store.note(Triaged { finding: id.to_owned(), file, reduced, dossier })?;
        }
        Ok(result)
    }
}
