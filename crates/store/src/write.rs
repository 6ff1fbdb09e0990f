//! Writing: one batch, one transaction.

use rusqlite::{Connection, OptionalExtension, params};
use smelt_core::{Expectation, OutcomeKind, Provenance};
use smelt_oracle::Claim;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use super::Store;
use crate::timeline::{self, Answer, LogicCounts};
use crate::{Counts, Error};
use smelt_triage::Dossier;

/// A finding that was confirmed, or was not and is kept as flaky.
#[derive(Clone, Debug)]
pub struct NewFinding {
    /// The claim.
    pub claim: Claim,
    /// Which case, for the name of the file.
    pub number: u64,
    /// The script that shows it.
    pub script: Vec<u8>,
    /// How the script was made.
    pub provenance: Provenance,
    /// The expectation.
    pub expectation: Expectation,
    /// In how many of three fresh runs it repeated; `None` if it was known already and not confirmed again.
    pub seen: Option<u32>,
    /// The SOLVER arguments of all solvers that ran, in order.
    pub solvers: Vec<String>,
    /// The outcomes of all solvers, for people.
    pub story: serde_json::Value,
    /// The formula one step before, if the finding is about both.
    pub before: Option<Vec<u8>>,
    /// The seeds it was made from: hash, name, text.
    pub seeds: Vec<(String, String, Vec<u8>)>,
}

/// A finding that was examined.
#[derive(Clone, Debug)]
pub struct Triaged {
    /// Its number.
    pub finding: String,
    /// The file of the script that was examined, relative to the folder.
    pub file: String,
    /// The reduced script, if there is one.
    pub reduced: Option<Vec<u8>>,
    /// Its dossier.
    pub dossier: Dossier,
}

/// The changes since the last batch. Counts are absolute unless a field says otherwise.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The wall time of the campaign, earlier runs included, if it has one.
    pub at: Option<Duration>,
    /// Values of the campaign by key.
    pub values: BTreeMap<Cow<'static, str>, String>,
    /// By strategy: made, then the scheduler's counts.
    pub tests: Vec<(String, u64, Counts)>,
    /// By seed: the scheduler's counts.
    pub seeds: Vec<(String, Counts)>,
    /// Seeds that were run themselves, and why their label is not used.
    pub probed: Vec<(String, Option<String>)>,
    /// New calls: number, wall and CPU time in microseconds.
    pub outcomes: BTreeMap<(String, OutcomeKind), [u64; 3]>,
    /// New tests by logic.
    pub logics: BTreeMap<String, LogicCounts>,
    /// New samples, each by its slot: what each solver did with a test.
    pub samples: Vec<(u64, BTreeMap<String, Answer>)>,
    /// New findings, and new triggers of known ones.
    pub findings: Vec<NewFinding>,
    /// Findings that were examined.
    pub triaged: Vec<Triaged>,
}

impl Batch {
    /// Whether it must be written at once.
    pub fn is_urgent(&self) -> bool {
        !self.findings.is_empty() || !self.triaged.is_empty()
    }
}

/// How the store filed a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filed {
    /// It has a new row, confirmed or flaky.
    New(i64),
    /// One more trigger.
    Known,
}

impl Store {
    /// Stores the seeds of a campaign; known seeds keep their counts.
    pub fn add_seeds<'a>(
        &mut self,
        seeds: impl Iterator<Item = (String, &'a str, Option<&'static str>)>,
    ) -> Result<(), Error> {
        let tx = self.db.transaction()?;
        {
            let mut insert = tx.prepare(
                "INSERT INTO seeds (hash, name, status) VALUES (?1, ?2, ?3)
                 ON CONFLICT (hash) DO UPDATE SET name = excluded.name, status = excluded.status",
            )?;
            for (hash, name, status) in seeds {
                insert.execute(params![hash, name, status])?;
            }
        }
        Ok(tx.commit()?)
    }

    /// Stores the dossier of one finding.
    pub fn note(&mut self, triaged: Triaged) -> Result<(), Error> {
        self.write(&Batch { triaged: vec![triaged], ..Batch::default() }).map(|_| ())
    }

    /// Writes a batch; returns how each of its findings was filed.
    pub fn write(&mut self, batch: &Batch) -> Result<Vec<Filed>, Error> {
        let folder = self.folder.clone();
        let mut obsolete = Vec::new();
        let mut filed = Vec::new();
        let tx = self.db.transaction()?;
        {
            let mut set = tx.prepare_cached("INSERT OR REPLACE INTO campaign VALUES (?1, ?2)")?;
            for (key, value) in &batch.values {
                set.execute(params![key, value])?;
            }
            let mut set =
                tx.prepare_cached("INSERT OR REPLACE INTO tests VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for (strategy, made, [tests, useful, found, cost]) in &batch.tests {
                set.execute(params![strategy, *made as i64, tests, useful, found, cost])?;
            }
            let mut set = tx.prepare_cached(
                "UPDATE seeds SET tests = ?2, useful = ?3, found = ?4, cost_ms = ?5 WHERE hash = ?1",
            )?;
            for (hash, [tests, useful, found, cost]) in &batch.seeds {
                set.execute(params![hash, tests, useful, found, cost])?;
            }
            let mut set = tx.prepare_cached("UPDATE seeds SET probed = 1, disputed = ?2 WHERE hash = ?1")?;
            for (hash, disputed) in &batch.probed {
                set.execute(params![hash, disputed])?;
            }
            timeline::add(&tx, batch)?;
            for finding in &batch.findings {
                filed.push(file(&tx, &folder, finding, batch.at, &mut obsolete)?);
            }
            for triaged in &batch.triaged {
                note(&tx, &folder, triaged)?;
            }
        }
        tx.commit()?;
        for path in obsolete {
            let _ = fs::remove_file(folder.join(&path));
            let _ = fs::remove_file(folder.join(path).with_extension("json"));
        }
        Ok(filed)
    }
}

/// Files a finding under its fingerprint; the smallest confirmed trigger is the one that is kept, until it is examined: a
/// dossier tells of the script that it was made of.
fn file(
    db: &Connection,
    folder: &Path,
    new: &NewFinding,
    at: Option<Duration>,
    obsolete: &mut Vec<String>,
) -> Result<Filed, Error> {
    let claim = &new.claim;
    let bytes = new.script.len() as i64;
    let flaky = new.seen.is_some_and(|n| n < 3);
    let known = known(db, new, flaky)?;
    if let Some((id, _, _, _)) = known {
        db.execute("UPDATE findings SET triggers = triggers + 1 WHERE id = ?1", [id])?;
    }
    let keep = match &known {
        Some((id, smallest, _, known_flaky)) => {
            *known_flaky == flaky
                && (bytes, new.number as i64) < *smallest
                && new.seen.is_some()
                && !is_examined(db, *id)?
        }
        None => true,
    };
    if !keep {
        return Ok(Filed::Known);
    }
    let is_new = known.is_none();
    let id = match &known {
        Some((id, ..)) => *id,
        None => {
            let last: Option<i64> = db
                .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'findings'", [], |r| r.get(0))
                .optional()?;
            last.unwrap_or(0) + 1
        }
    };
    let relative = format!("findings/{id}/case-{}-{}.smt2", new.provenance.strategy, new.number);
    save(&folder.join(&relative), &new.script)?;
    let story = serde_json::to_vec_pretty(&new.story).unwrap_or_default();
    save(&folder.join(&relative).with_extension("json"), &story)?;
    let evidence = claim.evidence.map(|e| e.as_str());
    let seen = new.seen.unwrap_or(0);
    let strategy = &new.provenance.strategy;
    let reason = claim.reason.to_string();
    if let Some((id, _, old, _)) = known {
        db.execute(
            "UPDATE findings SET file = ?2, bytes = ?3, strategy = ?4, reason = ?5, number = ?6, evidence = ?7,
             seen = ?8 WHERE id = ?1",
            params![id, relative, bytes, strategy, reason, new.number as i64, evidence, seen],
        )?;
        if old != relative {
            obsolete.push(old);
        }
    } else {
        db.execute(
            "INSERT INTO findings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, NULL, 1, ?13, ?14)",
            params![
                id,
                claim.fingerprint,
                flaky,
                seen,
                claim.kind.as_str(),
                claim.solver.to_string(),
                strategy,
                claim.theory,
                evidence,
                reason,
                relative,
                bytes,
                new.number as i64,
                at.map(|at| at.as_millis() as i64)
            ],
        )?;
    }
    let p = &new.provenance;
    db.execute(
        "INSERT OR REPLACE INTO provenance VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            id,
            p.strategy,
            p.options,
            json(&p.files),
            format!("{:016x}", p.rng),
            json(&p.seeds),
            json(&p.steps),
            json(&new.expectation),
            json(&new.solvers),
            new.before
        ],
    )?;
    for (hash, name, text) in &new.seeds {
        db.execute(
            "INSERT INTO seeds (hash, name, text) VALUES (?1, ?2, ?3)
             ON CONFLICT (hash) DO UPDATE SET text = excluded.text",
            params![hash, name, text],
        )?;
    }
    Ok(if is_new { Filed::New(id) } else { Filed::Known })
}

/// The row that a finding is one more trigger of: its id, bytes and number of its script, the file, and whether it is flaky.
type KnownRow = (i64, (i64, i64), String, bool);

fn known(db: &Connection, new: &NewFinding, flaky: bool) -> Result<Option<KnownRow>, Error> {
    let mut query = db.prepare_cached(
        "SELECT id, bytes, number, file, flaky FROM findings WHERE fingerprint = ?1 ORDER BY flaky",
    )?;
    let rows = query.query_map([&new.claim.fingerprint], |r| {
        Ok((r.get(0)?, (r.get(1)?, r.get(2)?), r.get(3)?, r.get(4)?))
    })?;
    Ok(rows.filter_map(Result::ok).find(|row: &KnownRow| flaky || !row.3 || new.seen.is_none()))
}

fn is_examined(db: &Connection, id: i64) -> Result<bool, Error> {
    let row = db.query_row("SELECT 1 FROM triage WHERE finding = ?1", [id], |_| Ok(())).optional()?;
    Ok(row.is_some())
}

/// Stores the dossier of a finding; the reduced script is on disk before the row that names it. A dossier of a script that
/// a smaller one has replaced since is dropped: it does not tell of the script that is stored.
fn note(db: &Connection, folder: &Path, triaged: &Triaged) -> Result<(), Error> {
    let Triaged { finding, file, reduced, dossier } = triaged;
    let stored: Option<String> =
        db.query_row("SELECT file FROM findings WHERE id = ?1", [finding], |r| r.get(0)).optional()?;
    if stored.as_ref() != Some(file) {
        return Ok(());
    }
    let relative = format!("findings/{finding}/reduced.smt2");
    if let Some(script) = reduced {
        save(&folder.join(&relative), script)?;
        db.execute("UPDATE findings SET reduced = ?2 WHERE id = ?1", params![finding, relative])?;
    }
    let bytes = reduced.as_ref().map(|r| r.len() as i64);
    db.execute(
        "INSERT INTO triage VALUES (?1, ?2, ?3, ?4, (SELECT COALESCE(MAX(place), 0) + 1 FROM triage))
         ON CONFLICT (finding) DO UPDATE SET
         fingerprint = excluded.fingerprint, bytes = excluded.bytes, dossier = excluded.dossier",
        params![finding, dossier.fingerprint, bytes, json(dossier)],
    )?;
    Ok(())
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn save(path: &Path, content: &[u8]) -> Result<(), Error> {
    write_whole(path, content).map_err(|e| Error::io(format!("cannot write {}", path.display()), e))
}

/// Writes the whole file or nothing: under another name first, then renames it.
pub fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let readable = fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().permissions(readable).tempfile_in(folder)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}
