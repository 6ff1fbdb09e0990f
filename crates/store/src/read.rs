//! Reads a campaign: its findings, its progress, and the provenance of each finding.

use smelt_core::{Case, Claim, Dossier, FindingRow, Provenance, SeedHash, Verdict};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use super::Store;
use crate::Counts;
use crate::db::{Row, Value, values};
use crate::{Error, ErrorKind, inside, read_inside};

/// A finding as stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The finding as other programs read it; the file is below the store's folder.
    pub finding: FindingRow,
    /// Whether it failed to repeat in one of three fresh runs.
    pub flaky: bool,
    /// In how many of three fresh runs it repeated.
    pub seen: u32,
    /// The claim.
    pub claim: Claim,
    /// How many tests showed it.
    pub triggers: u64,
    /// The number of the case.
    pub number: u64,
    /// The file, relative to the folder.
    pub relative_file: String,
    /// The coarse fingerprint of its trigger; that of the finding is the bug's, once it was examined.
    pub trigger: String,
    /// Whether it was examined.
    pub examined: bool,
    /// How many findings were examined before it.
    pub place: Option<i64>,
    /// The folder of the store.
    pub folder: PathBuf,
    /// The file of the reduced script, relative to it, if there is one.
    pub relative_reduced: Option<String>,
    /// The size of its reduced script, if there is one.
    pub reduced_bytes: Option<u64>,
    /// When it was found, in wall time of the campaign.
    pub at: Option<Duration>,
}

impl Stored {
    /// The size of the smallest script that shows it.
    pub fn smallest(&self) -> u64 {
        self.reduced_bytes.unwrap_or(self.finding.bytes)
    }

    /// The script of its trigger.
    pub fn script(&self) -> Result<Vec<u8>, Error> {
        self.read(&self.relative_file)
    }

    /// The smallest script that shows it: the reduced one, if there is one.
    pub fn smallest_script(&self) -> Result<Vec<u8>, Error> {
        self.read(self.relative_reduced.as_ref().unwrap_or(&self.relative_file))
    }

    /// The reduced script, if there is one.
    pub fn reduced_script(&self) -> Result<Option<Vec<u8>>, Error> {
        self.relative_reduced.as_ref().map(|file| self.read(file)).transpose()
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, Error> {
        let content = read_inside(&self.folder, name)?;
        content.ok_or_else(|| missing(&self.folder.display(), name))
    }
}

/// How to make a finding's script again.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The case, as its strategy made it; its script is the stored one.
    pub case: Case,
    /// The SOLVER arguments of the solvers that ran.
    pub solvers: Vec<String>,
    /// The seeds: name, text and status, in the order of the provenance.
    pub seeds: Vec<(String, Vec<u8>, Option<Verdict>)>,
}

const FINDINGS: &str =
    "SELECT findings.id, findings.claim, findings.strategy, findings.fingerprint, findings.file, findings.reduced,
    findings.bytes, findings.flaky, findings.seen, findings.triggers, findings.number, findings.at_ms,
    triage.fingerprint, triage.bytes, triage.place
    FROM findings LEFT JOIN triage ON triage.finding = findings.id";

impl Store {
    /// All findings, flaky ones included, in the order they were found.
    pub fn stored(&self) -> Result<Vec<Stored>, Error> {
        self.rows(&format!("{FINDINGS} ORDER BY findings.id"), &[])
    }

    /// The findings with numbers above `last`, flaky ones included.
    pub fn stored_after(&self, last: i64) -> Result<Vec<Stored>, Error> {
        let sql = format!("{FINDINGS} WHERE findings.id > ?1 ORDER BY findings.id");
        self.rows(&sql, &values![last])
    }

    /// Findings; those that cannot be read are left out, and [`Store::damage`] names them.
    fn rows(&self, sql: &str, values: &[Value]) -> Result<Vec<Stored>, Error> {
        sound(&self.query(sql, values)?, |row| self.row(row))
    }

    /// What cannot be read of the findings, a line each: whatever one row holds, the others can be used.
    pub fn damage(&self) -> Result<Vec<String>, Error> {
        let mut lines = Vec::new();
        for row in self.query(&format!("{FINDINGS} ORDER BY findings.id"), &[])? {
            if let Err(e) = self.row(&row) {
                let id = row.get::<i64>(0).unwrap_or_default();
                lines.push(format!("skipping finding {id}: {e}"));
            }
        }
        for row in self.query("SELECT finding, dossier FROM triage ORDER BY finding", &[])? {
            let id = row.get::<i64>(0).unwrap_or_default().to_string();
            if let Err(e) = row.get::<String>(1).and_then(|text| dossier_of(&id, &text)) {
                lines.push(format!("the dossier of finding {id} cannot be read: {e}"));
            }
        }
        lines.extend(self.misfits()?);
        Ok(lines)
    }

    /// One of them.
    pub fn finding(&self, id: &str) -> Result<Stored, Error> {
        let missing = || {
            let message = format!("no finding {id} in {}: `smelt bugs` lists all findings", self.place());
            Error::new(ErrorKind::NotFound, message)
        };
        let number: i64 = id.parse().map_err(|_| missing())?;
        let found = self.first(&format!("{FINDINGS} WHERE findings.id = ?1"), &values![number])?;
        self.row(&found.ok_or_else(missing)?)
    }

    fn row(&self, row: &Row) -> Result<Stored, Error> {
        let word = |column: usize| row.get::<String>(column);
        let bad =
            |e: serde_json::Error| Error::new(ErrorKind::Damaged, format!("a finding of the store: {e}"));
        let claim: Claim = serde_json::from_str(&word(1)?).map_err(bad)?;
        let (trigger, file) = (word(3)?, word(4)?);
        let bug: Option<String> = row.get(12)?;
        let path = |file: &str| inside(&self.folder, file).map(|path| path.display().to_string());
        let id = row.get::<i64>(0)?.to_string();
        let reduced: Option<String> = row.get(5)?;
        let finding = FindingRow {
            fingerprint: bug.clone().unwrap_or_else(|| trigger.clone()),
            reduced: reduced.as_deref().map(path).transpose()?,
            ..claim.row(id, Some(word(2)?), path(&file)?, row.get(6)?)
        };
        Ok(Stored {
            finding,
            claim,
            examined: bug.is_some(),
            place: row.get(14)?,
            reduced_bytes: row.get(13)?,
            at: row.get::<Option<i64>>(11)?.map(|ms| Duration::from_millis(ms.unsigned_abs())),
            trigger,
            flaky: row.get(7)?,
            seen: row.get(8)?,
            triggers: count(row, 9)?,
            number: row.get(10)?,
            relative_file: file,
            folder: self.folder.clone(),
            relative_reduced: reduced,
        })
    }

    /// The dossier of a finding; `None` if it was not examined yet.
    pub fn dossier(&self, id: &str) -> Result<Option<Dossier>, Error> {
        let Ok(number) = id.parse::<i64>() else { return Ok(None) };
        let row = self.first("SELECT dossier FROM triage WHERE finding = ?1", &values![number])?;
        let read = row.map(|row| dossier_of(id, &row.get::<String>(0)?)).transpose();
        read.or_else(spare)
    }

    /// All dossiers by finding.
    pub(crate) fn dossiers_by_finding(&self) -> Result<BTreeMap<String, Dossier>, Error> {
        let rows = self.query("SELECT finding, dossier FROM triage", &[])?;
        sound(&rows, |row| {
            let id = row.get::<i64>(0)?.to_string();
            let dossier = dossier_of(&id, &row.get::<String>(1)?)?;
            Ok((id, dossier))
        })
    }

    /// All dossiers, in the order the findings were examined.
    pub fn dossiers(&self) -> Result<Vec<Dossier>, Error> {
        let rows = self.query("SELECT dossier FROM triage ORDER BY place", &[])?;
        let texts = rows.iter().filter_map(|row| row.get::<String>(0).ok());
        Ok(texts.filter_map(|t| serde_json::from_str(&t).ok()).collect())
    }

    /// How to make a finding again.
    pub fn origin(&self, id: &str) -> Result<Origin, Error> {
        let damaged =
            |what: &str| Error::new(ErrorKind::Damaged, format!("the provenance of finding {id}: {what}"));
        let number: i64 = id.parse().map_err(|_| damaged("it has no such number"))?;
        let row = self.first(
            "SELECT strategy, options, files, rng, seeds, steps, expectations, certificate, solvers, before
             FROM provenance WHERE finding = ?1",
            &values![number],
        )?;
        let row = row.ok_or_else(|| damaged("it is missing"))?;
        let words = (0..9).map(|i| row.get::<String>(i)).collect::<Result<Vec<_>, _>>()?;
        let before = row.get(9)?;
        let [strategy, options, files, rng, seeds, steps, expectations, certificate, solvers] =
            <[String; 9]>::try_from(words).map_err(|_| damaged("columns"))?;
        let read =
            |text: &str| serde_json::from_str::<Vec<String>>(text).map_err(|e| damaged(&e.to_string()));
        let files = serde_json::from_str(&files).map_err(|e| damaged(&e.to_string()))?;
        let seeds: Vec<SeedHash> = serde_json::from_str(&seeds).map_err(|e| damaged(&e.to_string()))?;
        let mut texts = Vec::new();
        for hash in &seeds {
            let row = self
                .first("SELECT name, text, status FROM seeds WHERE hash = ?1", &values![hash.to_string()])?;
            let row = row.ok_or_else(|| damaged("a seed is missing"))?;
            let text: Option<Vec<u8>> = row.get(1)?;
            let text = text.ok_or_else(|| damaged("the text of a seed is missing"))?;
            let label: Option<String> = row.get(2)?;
            texts.push((row.get(0)?, text, label.and_then(|l| Verdict::of_status(l.as_bytes()))));
        }
        let rng = u64::from_str_radix(&rng, 16).map_err(|e| damaged(&e.to_string()))?;
        let script = self.file(&self.finding(id)?.relative_file)?;
        let seed = match &texts[..] {
            [(_, text, _)] if *text != script => Some(text.clone()),
            _ => None,
        };
        let case = Case {
            script,
            expectations: serde_json::from_str(&expectations).map_err(|e| damaged(&e.to_string()))?,
            certificate: serde_json::from_str(&certificate).map_err(|e| damaged(&e.to_string()))?,
            seed,
            before,
            provenance: Provenance { seeds, strategy, options, files, rng, steps: read(&steps)? },
        };
        Ok(Origin { case, solvers: read(&solvers)?, seeds: texts })
    }

    /// A value of the campaign.
    pub fn value(&self, key: &str) -> Result<Option<String>, Error> {
        let row = self.first("SELECT value FROM campaign WHERE key = ?1", &values![key])?;
        row.map(|row| row.get(0)).transpose().or_else(spare)
    }

    /// All values of the campaign, by key.
    pub fn values(&self) -> Result<BTreeMap<String, String>, Error> {
        let rows = self.query("SELECT key, value FROM campaign", &[])?;
        sound(&rows, |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Tests by strategy, with the scheduler's counts.
    pub fn tests(&self) -> Result<BTreeMap<String, (u64, Counts)>, Error> {
        let rows = self.query("SELECT strategy, made, tests, useful, found, cost_ms FROM tests", &[])?;
        sound(&rows, |row| Ok((row.get(0)?, (count(row, 1)?, counts(row, 2)?))))
    }

    /// Seeds by hash: whether they were run themselves, and the scheduler's counts.
    pub fn seeds(&self) -> Result<BTreeMap<String, (bool, Counts)>, Error> {
        let rows = self.query("SELECT hash, probed, tests, useful, found, cost_ms FROM seeds", &[])?;
        sound(&rows, |row| Ok((row.get(0)?, (row.get(1)?, counts(row, 2)?))))
    }

    /// A file of the store, such as the script of a finding, by its relative name.
    pub fn file(&self, name: &str) -> Result<Vec<u8>, Error> {
        let content = self.db.borrow_mut().file(name)?;
        content.ok_or_else(|| missing(&self.place(), name))
    }
}

fn missing(place: &dyn Display, name: &str) -> Error {
    Error::new(ErrorKind::Damaged, format!("{place} has no file {name}"))
}

/// What is read of rows; those that cannot be read are left out, and [`Store::damage`] names them.
pub(crate) fn sound<T, C: FromIterator<T>>(
    rows: &[Row],
    read: impl Fn(&Row) -> Result<T, Error>,
) -> Result<C, Error> {
    rows.iter().filter_map(|row| read(row).map(Some).or_else(spare).transpose()).collect()
}

/// Nothing, if what was read is damaged.
fn spare<T>(e: Error) -> Result<Option<T>, Error> {
    if matches!(e.kind(), ErrorKind::Damaged | ErrorKind::Input) { Ok(None) } else { Err(e) }
}

fn dossier_of(id: &str, text: &str) -> Result<Dossier, Error> {
    serde_json::from_str(text)
        .map_err(|e| Error::new(ErrorKind::Damaged, format!("the dossier of finding {id}: {e}")))
}

/// No campaign counts further: sums of stored counts stay in range, regardless of their author.
const LARGEST_COUNT: u64 = 1 << 48;

/// A count of a campaign.
pub(crate) fn count(row: &Row, column: usize) -> Result<u64, Error> {
    row.get::<u64>(column).map(|n| n.min(LARGEST_COUNT))
}

/// A scheduler's counts, from this column on.
fn counts(row: &Row, first: usize) -> Result<Counts, Error> {
    Ok([row.get(first)?, row.get(first + 1)?, row.get(first + 2)?, row.get(first + 3)?])
}
