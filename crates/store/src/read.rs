//! Reading a campaign: its findings, its progress, and how to make a finding again.

use rusqlite::{OptionalExtension, Row};
use smelt_core::{Expectation, Finding, Provenance, SeedHash, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

use super::Store;
use crate::Counts;
use crate::{Error, ErrorKind};
use smelt_triage::Dossier;

/// A finding as stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The finding as other programs read it; the file is below the store's folder.
    pub finding: Finding,
    /// Whether it failed to repeat in one of three fresh runs.
    pub flaky: bool,
    /// In how many of three fresh runs it repeated.
    pub seen: u32,
    /// Why it is believed, in words.
    pub reason: String,
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
}

/// How to make a finding's script again.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Seeds, strategy, options, random choices.
    pub provenance: Provenance,
    /// The expectation.
    pub expectation: Expectation,
    /// The SOLVER arguments of the solvers that ran.
    pub solvers: Vec<String>,
    /// The formula one step before, if the finding is about both.
    pub before: Option<Vec<u8>>,
    /// The seeds: name, text and status, in the order of the provenance.
    pub seeds: Vec<(String, Vec<u8>, Option<Verdict>)>,
}

const FINDINGS: &str =
    "SELECT findings.*, triage.fingerprint AS bug, triage.bytes AS reduced_bytes, triage.place AS place FROM findings
    LEFT JOIN triage ON triage.finding = findings.id";

impl Store {
    /// All findings, flaky ones included, in the order they were found.
    pub fn stored(&self) -> Result<Vec<Stored>, Error> {
        let mut query = self.db.prepare(&format!("{FINDINGS} ORDER BY id"))?;
        let rows = query.query_map([], |row| self.row(row))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One of them.
    pub fn finding(&self, id: &str) -> Result<Stored, Error> {
        let found = self.db.query_row(&format!("{FINDINGS} WHERE id = ?1"), [id], |row| self.row(row));
        found.optional()?.ok_or_else(|| {
            let message = format!("no finding {id} in {}: `smelt bugs` lists them", self.folder.display());
            Error::new(ErrorKind::NotFound, message)
        })
    }

    fn row(&self, row: &Row<'_>) -> rusqlite::Result<Stored> {
        let word = |column: &str| row.get::<_, String>(column);
        let file = word("file")?;
        let fixed = |text: String| serde_json::Value::String(text);
        let bad = |e: serde_json::Error| rusqlite::Error::ToSqlConversionFailure(e.into());
        let evidence: Option<String> = row.get("evidence")?;
        let solver: String = word("solver")?;
        let trigger = word("fingerprint")?;
        let bug: Option<String> = row.get("bug")?;
        Ok(Stored {
            finding: Finding {
                id: row.get::<_, i64>("id")?.to_string(),
                kind: serde_json::from_value(fixed(word("kind")?)).map_err(bad)?,
                solver: serde_json::from_value(fixed(solver)).map_err(bad)?,
                strategy: Some(word("strategy")?),
                theory: Some(word("theory")?),
                evidence: evidence.map(|e| serde_json::from_value(fixed(e)).map_err(bad)).transpose()?,
                fingerprint: bug.clone().unwrap_or_else(|| trigger.clone()),
                file: self.folder.join(&file).display().to_string(),
                reduced: row
                    .get::<_, Option<String>>("reduced")?
                    .map(|f| self.folder.join(f).display().to_string()),
                bytes: row.get::<_, i64>("bytes")? as u64,
            },
            examined: bug.is_some(),
            place: row.get("place")?,
            reduced_bytes: row.get::<_, Option<i64>>("reduced_bytes")?.map(|n| n as u64),
            at: row.get::<_, Option<i64>>("at_ms")?.map(|ms| Duration::from_millis(ms.unsigned_abs())),
            trigger,
            flaky: row.get("flaky")?,
            seen: row.get("seen")?,
            reason: word("reason")?,
            triggers: row.get::<_, i64>("triggers")? as u64,
            number: row.get::<_, i64>("number")? as u64,
            relative_file: file,
        })
    }

    /// The dossier of a finding; `None` if it was not examined yet.
    pub fn dossier(&self, id: &str) -> Result<Option<Dossier>, Error> {
        let text: Option<String> = self
            .db
            .query_row("SELECT dossier FROM triage WHERE finding = ?1", [id], |r| r.get(0))
            .optional()?;
        text.map(|t| serde_json::from_str(&t))
            .transpose()
            .map_err(|e| Error::new(ErrorKind::Damaged, format!("the dossier of finding {id}: {e}")))
    }

    /// All dossiers, in the order the findings were examined.
    pub fn dossiers(&self) -> Result<Vec<Dossier>, Error> {
        let mut query = self.db.prepare("SELECT dossier FROM triage ORDER BY place")?;
        let texts = query.query_map([], |r| r.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(texts.iter().filter_map(|t| serde_json::from_str(t).ok()).collect())
    }

    /// How to make a finding again.
    pub fn origin(&self, id: &str) -> Result<Origin, Error> {
        let damaged =
            |what: &str| Error::new(ErrorKind::Damaged, format!("the provenance of finding {id}: {what}"));
        let words = self.db.query_row(
            "SELECT strategy, options, files, rng, seeds, steps, expectation, solvers FROM provenance WHERE finding = ?1",
            [id],
            |r| (0..8).map(|i| r.get::<_, String>(i)).collect::<Result<Vec<_>, _>>(),
        )?;
        let before =
            self.db.query_row("SELECT before FROM provenance WHERE finding = ?1", [id], |r| r.get(0))?;
        let [strategy, options, files, rng, seeds, steps, expectation, solvers] =
            <[String; 8]>::try_from(words).map_err(|_| damaged("columns"))?;
        let read =
            |text: &str| serde_json::from_str::<Vec<String>>(text).map_err(|e| damaged(&e.to_string()));
        let files = serde_json::from_str(&files).map_err(|e| damaged(&e.to_string()))?;
        let seeds: Vec<SeedHash> = serde_json::from_str(&seeds).map_err(|e| damaged(&e.to_string()))?;
        let mut texts = Vec::new();
        for hash in &seeds {
            let row: Option<(String, Option<Vec<u8>>, Option<String>)> = self
                .db
                .query_row("SELECT name, text, status FROM seeds WHERE hash = ?1", [hash.to_string()], |r| {
                    Ok((r.get(0)?, r.get(1)?, r.get(2)?))
                })
                .optional()?;
            let (name, text, label) = row.ok_or_else(|| damaged("a seed is missing"))?;
            let text = text.ok_or_else(|| damaged("the text of a seed is missing"))?;
            texts.push((name, text, label.and_then(|l| Verdict::of_status(l.as_bytes()))));
        }
        let rng = u64::from_str_radix(&rng, 16).map_err(|e| damaged(&e.to_string()))?;
        Ok(Origin {
            provenance: Provenance { seeds, strategy, options, files, rng, steps: read(&steps)? },
            expectation: serde_json::from_str(&expectation).map_err(|e| damaged(&e.to_string()))?,
            solvers: read(&solvers)?,
            before,
            seeds: texts,
        })
    }

    /// A value of the campaign.
    pub fn value(&self, key: &str) -> Result<Option<String>, Error> {
        Ok(self.db.query_row("SELECT value FROM campaign WHERE key = ?1", [key], |r| r.get(0)).optional()?)
    }

    /// All values of the campaign, by key.
    pub fn values(&self) -> Result<BTreeMap<String, String>, Error> {
        let mut query = self.db.prepare("SELECT key, value FROM campaign")?;
        Ok(query.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?.collect::<Result<_, _>>()?)
    }

    /// Tests by strategy, with the scheduler's counts.
    pub fn tests(&self) -> Result<BTreeMap<String, (u64, Counts)>, Error> {
        let mut query = self.db.prepare("SELECT strategy, made, tests, useful, found, cost_ms FROM tests")?;
        let rows = query.query_map([], |r| {
            Ok((r.get(0)?, (r.get::<_, i64>(1)? as u64, [r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?])))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Seeds by hash: whether they were run themselves, and the scheduler's counts.
    pub fn seeds(&self) -> Result<BTreeMap<String, (bool, Counts)>, Error> {
        let mut query = self.db.prepare("SELECT hash, probed, tests, useful, found, cost_ms FROM seeds")?;
        let rows = query
            .query_map([], |r| Ok((r.get(0)?, (r.get(1)?, [r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?]))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
