//! Writes to the store: one batch, one transaction.

use serde::{Deserialize, Serialize};
use smelt_core::{Case, Claim, Dossier, OutcomeKind};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use super::Store;
use crate::db::{Database, Value, first, values};
use crate::filing::{self, Filing};
use crate::timeline::{self, Answer, LogicCounts};
use crate::{Counts, Error};

/// A finding that was confirmed, or was not and is kept as flaky.
#[derive(Clone, Debug)]
pub struct NewFinding {
    /// The claim.
    pub claim: Claim,
    /// Which case, for the name of the file.
    pub number: u64,
    /// The case that shows it.
    pub case: Case,
    /// In how many of three fresh runs it repeated; `None` if it was known already and not confirmed again.
    pub seen: Option<u32>,
    /// The SOLVER arguments of all solvers that ran, in order.
    pub solvers: Vec<String>,
    /// The outcomes of all solvers, for people.
    pub story: serde_json::Value,
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

/// The changes since the last batch. Counts are those of new tests, and are added to the stored ones.
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
        // One more trigger of what is known can wait, like the counts.
        self.findings.iter().any(|new| new.seen.is_some()) || !self.triaged.is_empty()
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

/// A batch in the form in which it is written, and kept on disk while a shared store is unreachable.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Parcel {
    pub(crate) at_ms: Option<u64>,
    values: Vec<(String, String)>,
    pub(crate) tests: Vec<(String, u64, Counts)>,
    pub(crate) seeds: Vec<(String, Counts)>,
    probed: Vec<(String, Option<String>)>,
    pub(crate) outcomes: Vec<(String, String, [u64; 3])>,
    pub(crate) logics: Vec<(String, LogicCounts)>,
    /// By slot, each once.
    pub(crate) samples: BTreeMap<u64, String>,
    pub(crate) findings: Vec<Filing>,
    pub(crate) triaged: Vec<Note>,
}

/// A dossier in columns of the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    finding: i64,
    file: String,
    reduced: Option<Vec<u8>>,
    fingerprint: String,
    dossier: String,
}

impl From<&Batch> for Parcel {
    fn from(batch: &Batch) -> Parcel {
        let text = |answers: &BTreeMap<String, Answer>| json(answers);
        Parcel {
            at_ms: batch.at.map(|at| at.as_millis() as u64),
            values: batch.values.iter().map(|(k, v)| (k.clone().into_owned(), v.clone())).collect(),
            tests: batch.tests.clone(),
            seeds: batch.seeds.clone(),
            probed: batch.probed.clone(),
            outcomes: batch.outcomes.iter().map(|((s, o), n)| (s.clone(), o.to_string(), *n)).collect(),
            logics: batch.logics.iter().map(|(logic, n)| (logic.clone(), *n)).collect(),
            samples: batch.samples.iter().map(|(slot, answers)| (*slot, text(answers))).collect(),
            findings: batch.findings.iter().map(Filing::from).collect(),
            triaged: batch.triaged.iter().filter_map(Note::of).collect(),
        }
    }
}

impl Note {
    fn of(triaged: &Triaged) -> Option<Note> {
        Some(Note {
            finding: triaged.finding.parse().ok()?,
            file: triaged.file.clone(),
            reduced: triaged.reduced.clone(),
            fingerprint: triaged.dossier.fingerprint(),
            dossier: json(&triaged.dossier),
        })
    }
}

impl Store {
    /// Stores the seeds of a campaign; known seeds keep their counts.
    pub fn add_seeds<'a>(
        &mut self,
        seeds: impl Iterator<Item = (String, &'a str, Option<&'static str>)>,
    ) -> Result<(), Error> {
        let rows = seeds.map(|(hash, name, status)| values![hash, name, status].to_vec()).collect();
        self.transaction(|db| {
            put(
                db,
                "INSERT INTO seeds (hash, name, status)",
                rows,
                "ON CONFLICT (hash) DO UPDATE SET name = excluded.name, status = excluded.status",
            )
        })
    }

    /// Stores the dossier of one finding.
    pub fn note(&mut self, triaged: Triaged) -> Result<(), Error> {
        self.write(&Batch { triaged: vec![triaged], ..Batch::default() }).map(|_| ())
    }

    /// Makes a finding the last one that was examined.
    pub(crate) fn put_last(&mut self, finding: &str) -> Result<(), Error> {
        let Ok(number) = finding.parse::<i64>() else { return Ok(()) };
        let last = "UPDATE triage SET place = (SELECT MAX(place) + 1 FROM triage) WHERE finding = ?1";
        self.transaction(|db| db.execute(last, &values![number]).map(|_| ()))
    }

    /// Writes a batch; returns how each of its findings was filed.
    pub fn write(&mut self, batch: &Batch) -> Result<Vec<Filed>, Error> {
        let parcel = Parcel::from(batch);
        let mut obsolete = Vec::new();
        let filed = self.transaction(|db| parcel.put(db, Account::Counted, &mut obsolete))?;
        self.db.get_mut().remove_files(&obsolete)?;
        Ok(filed)
    }

    /// Does all of something or nothing.
    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Database) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let db = &mut **self.db.get_mut();
        db.begin()?;
        let done = work(db).and_then(|done| db.commit().map(|()| done));
        done.inspect_err(|_| db.roll_back())
    }
}

/// Whether the tests of a parcel count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Account {
    /// They do.
    Counted,
    /// Another process runs them again: only findings are kept, and their triggers do not count.
    #[cfg_attr(not(feature = "postgres"), expect(dead_code))]
    Lost,
}

impl Parcel {
    /// Writes all of it; returns how each finding was filed, and adds the files that are obsolete after the commit.
    pub(crate) fn put(
        &self,
        db: &mut dyn Database,
        account: Account,
        obsolete: &mut Vec<String>,
    ) -> Result<Vec<Filed>, Error> {
        if account == Account::Counted {
            self.put_counts(db)?;
        }
        let filed = filing::file(db, &self.findings, self.at_ms, account, obsolete)?;
        for note in &self.triaged {
            keep(db, note)?;
        }
        Ok(filed)
    }

    fn put_counts(&self, db: &mut dyn Database) -> Result<(), Error> {
        put(
            db,
            "INSERT INTO campaign (key, value)",
            self.values.iter().map(|(key, value)| values![key, value].to_vec()).collect(),
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        )?;
        let row = |(strategy, made, counts): &(String, u64, Counts)| {
            let [tests, useful, found, cost] = *counts;
            values![strategy, *made, tests, useful, found, cost].to_vec()
        };
        put(
            db,
            "INSERT INTO tests (strategy, made, tests, useful, found, cost_ms)",
            self.tests.iter().map(row).collect(),
            "ON CONFLICT (strategy) DO UPDATE SET made = tests.made + excluded.made,
             tests = tests.tests + excluded.tests, useful = tests.useful + excluded.useful,
             found = tests.found + excluded.found, cost_ms = tests.cost_ms + excluded.cost_ms",
        )?;
        let row = |(hash, [tests, useful, found, cost]): &(String, Counts)| {
            values![hash, "", *tests, *useful, *found, *cost].to_vec()
        };
        put(
            db,
            "INSERT INTO seeds (hash, name, tests, useful, found, cost_ms)",
            self.seeds.iter().map(row).collect(),
            "ON CONFLICT (hash) DO UPDATE SET tests = seeds.tests + excluded.tests,
             useful = seeds.useful + excluded.useful, found = seeds.found + excluded.found,
             cost_ms = seeds.cost_ms + excluded.cost_ms",
        )?;
        put(
            db,
            "INSERT INTO seeds (hash, name, probed, disputed)",
            self.probed.iter().map(|(hash, why)| values![hash, "", 1_u64, why.as_deref()].to_vec()).collect(),
            "ON CONFLICT (hash) DO UPDATE SET probed = 1, disputed = excluded.disputed",
        )?;
        timeline::add(db, self, Duration::from_millis(self.at_ms.unwrap_or(0)))
    }
}

/// At most this many rows in a statement.
pub(crate) const CHUNK: usize = 256;

/// This many parameters behind the last one.
pub(crate) fn places(next: &mut usize, count: usize) -> String {
    let mut place = || {
        *next += 1;
        format!("?{next}")
    };
    (0..count).map(|_| place()).collect::<Vec<_>>().join(", ")
}

/// Inserts rows, many at a time; `conflict` says what happens to those that are there already.
pub(crate) fn put(
    db: &mut dyn Database,
    insert: &str,
    rows: Vec<Vec<Value>>,
    conflict: &str,
) -> Result<(), Error> {
    for rows in rows.chunks(CHUNK) {
        let mut next = 0;
        let places: Vec<String> =
            rows.iter().map(|row| format!("({})", places(&mut next, row.len()))).collect();
        let sql = format!("{insert} VALUES {} {conflict}", places.join(", "));
        db.execute(&sql, &rows.concat())?;
    }
    Ok(())
}

/// Stores the dossier of a finding; the reduced script is kept before the row that names it. A dossier of a script that
/// a smaller one has replaced since is dropped: it does not describe the stored script.
fn keep(db: &mut dyn Database, note: &Note) -> Result<(), Error> {
    let Note { finding, file, reduced, fingerprint, dossier } = note;
    let stored = first(db, "SELECT file FROM findings WHERE id = ?1", &values![*finding])?;
    let stored: Option<String> = stored.map(|row| row.get(0)).transpose()?;
    if stored.as_ref() != Some(file) {
        return Ok(());
    }
    let relative = format!("findings/{finding}/reduced.smt2");
    if let Some(script) = reduced {
        db.save_files(&[(relative.clone(), &script[..])])?;
        db.execute("UPDATE findings SET reduced = ?2 WHERE id = ?1", &values![*finding, &relative])?;
    }
    let bytes = reduced.as_ref().map(|r| r.len() as u64);
    db.execute(
        "INSERT INTO triage (finding, fingerprint, bytes, dossier, place)
         VALUES (?1, ?2, ?3, ?4, (SELECT COALESCE(MAX(place), 0) + 1 FROM triage))
         ON CONFLICT (finding) DO UPDATE SET
         fingerprint = excluded.fingerprint, bytes = excluded.bytes, dossier = excluded.dossier",
        &values![*finding, fingerprint, bytes, dossier],
    )?;
    Ok(())
}

pub(crate) fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Writes the whole file or nothing, also if the machine stops: under another name first, then renames it.
pub fn write_whole(path: &Path, content: &[u8]) -> std::io::Result<()> {
    write_with(path, content, true)
}

/// Writes a file that can be made again: whole, but not waiting for the disk. A link of that name is replaced.
pub fn write_over(path: &Path, content: &[u8]) -> std::io::Result<()> {
    write_with(path, content, false)
}

fn write_with(path: &Path, content: &[u8], sync: bool) -> std::io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let readable = fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().permissions(readable).tempfile_in(folder)?;
    finish(NewFile { file, path }, content, sync)
}

/// A file under another name, which takes its own name when it is whole.
trait Unfinished {
    fn fill(&mut self, content: &[u8]) -> std::io::Result<()>;
    /// Waits until the content is on the disk.
    fn sync(&mut self) -> std::io::Result<()>;
    fn rename(self) -> std::io::Result<()>;
}

struct NewFile<'a> {
    file: tempfile::NamedTempFile,
    path: &'a Path,
}

impl Unfinished for NewFile<'_> {
    fn fill(&mut self, content: &[u8]) -> std::io::Result<()> {
        self.file.write_all(content)
    }

    fn sync(&mut self) -> std::io::Result<()> {
        self.file.as_file().sync_data()
    }

    fn rename(self) -> std::io::Result<()> {
        self.file.persist(self.path)?;
        Ok(())
    }
}

/// A name that is on the disk before its content is an empty file after a power failure.
fn finish(mut file: impl Unfinished, content: &[u8], sync: bool) -> std::io::Result<()> {
    file.fill(content)?;
    if sync {
        file.sync()?;
    }
    file.rename()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Recorder<'a>(&'a mut Vec<&'static str>, &'static str);

    impl Recorder<'_> {
        fn step(&mut self, name: &'static str) -> std::io::Result<()> {
            self.0.push(name);
            if name == self.1 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    impl Unfinished for Recorder<'_> {
        fn fill(&mut self, _: &[u8]) -> std::io::Result<()> {
            self.step("fill")
        }
        fn sync(&mut self) -> std::io::Result<()> {
            self.step("sync")
        }
        fn rename(mut self) -> std::io::Result<()> {
            self.step("rename")
        }
    }

    #[test]
    fn a_file_is_on_the_disk_before_it_has_its_name() {
        for (sync, fails, steps) in [
            (true, "", &["fill", "sync", "rename"][..]),
            (false, "", &["fill", "rename"]),
            (true, "fill", &["fill"]),
            (true, "sync", &["fill", "sync"]),
        ] {
            let mut done = Vec::new();
            let result = finish(Recorder(&mut done, fails), b"x", sync);
            assert_eq!((result.is_err(), &done[..]), (!fails.is_empty(), steps));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        write_whole(&path, b"text").unwrap();
        assert_eq!(fs::read(path).unwrap(), b"text");
    }
}
