//! The state of shared campaigns: participating processes, leased numbers, findings.

use serde::Serialize;
use std::collections::BTreeMap;

use super::{Address, CATALOG, campaigns, connect};
use crate::db::postgres::Postgres;
use crate::db::{Row, Value, values};
use crate::write::{CHUNK, places};
use crate::{Error, Sighting, Store, inside};

/// The stream of the numbers of a campaign's cases.
pub const CASES: &str = "cases";

/// A process that takes part, or did.
#[derive(Clone, Debug, Serialize)]
pub struct MachineRow {
    /// Its id.
    pub id: String,
    /// The name of its machine.
    pub host: String,
    /// The version of smelt.
    pub smelt: String,
    /// The solvers, with their versions.
    pub solvers: String,
    /// Whether it left, or was declared gone.
    pub gone: bool,
    /// When it was last seen, in seconds before now.
    pub seen_s: u64,
    /// How many numbers it finished.
    pub cases: u64,
}

/// The state of a shared campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// Its name.
    pub name: String,
    /// How many numbers were given out.
    pub given: u64,
    /// How many of them are done.
    pub done: u64,
    /// Ranges that are not done.
    pub ranges: u64,
    /// Unfinished ranges that no process holds.
    pub free_ranges: u64,
    /// How many tests were run.
    pub tests: u64,
    /// How many findings there are.
    pub findings: u64,
    /// Findings that were not examined, apart from flaky ones.
    pub unexamined: u64,
    /// Seconds since the first process joined.
    pub age_s: u64,
    /// The processes that take part now.
    pub machines: Vec<MachineRow>,
    /// How many took part and are gone.
    pub gone: u64,
}

impl Status {
    /// The names of all campaigns of a database.
    pub fn names(address: &Address) -> Result<Vec<String>, Error> {
        let mut db = Postgres::new(connect(address)?, CATALOG);
        Ok(campaigns(&mut db)?.into_iter().map(|(name, _)| name).collect())
    }

    /// The state of one.
    pub fn read(store: &Store) -> Result<Status, Error> {
        let name = store.shared.as_ref().and_then(|a| a.name.clone()).unwrap_or_default();
        let row = store.first(
            "SELECT COALESCE((SELECT next FROM streams WHERE stream = ?1), 0),
             COALESCE((SELECT CAST(SUM(past - low) AS BIGINT) FROM ranges WHERE stream = ?1), 0),
             (SELECT COUNT(*) FROM ranges WHERE stream = ?1),
             (SELECT COUNT(*) FROM ranges r JOIN machines m ON m.id = r.holder WHERE r.stream = ?1 AND m.gone),
             COALESCE((SELECT CAST(SUM(made) AS BIGINT) FROM tests), 0),
             (SELECT COUNT(*) FROM findings),
             (SELECT COUNT(*) FROM findings f LEFT JOIN triage t ON t.finding = f.id WHERE t.finding IS NULL AND f.flaky = 0),
             COALESCE((SELECT CAST(EXTRACT(EPOCH FROM now() - MIN(joined)) AS BIGINT) FROM machines), 0),
             (SELECT COUNT(*) FROM machines WHERE gone)",
            &values![CASES],
        )?;
        let row = row.unwrap_or(Row(Vec::new()));
        let lists = store.query("SELECT done FROM ranges WHERE stream = ?1", &values![CASES])?;
        let count = |row: &Row| {
            let text: String = row.get(0).unwrap_or_default();
            serde_json::from_str::<Vec<u64>>(&text).map_or(0, |list| list.len() as u64)
        };
        let above: u64 = lists.iter().map(count).sum();
        let given: u64 = row.get(0)?;
        let open: u64 = row.get(1)?;
        let rows = store.query(
            "SELECT id, host, smelt, solvers, gone, CAST(EXTRACT(EPOCH FROM now() - seen) AS BIGINT), cases
             FROM machines WHERE NOT gone ORDER BY joined, id",
            &[],
        )?;
        let machine = |row: &Row| {
            Ok(MachineRow {
                id: row.get(0)?,
                host: row.get(1)?,
                smelt: row.get(2)?,
                solvers: row.get(3)?,
                gone: row.get(4)?,
                seen_s: row.get(5)?,
                cases: row.get(6)?,
            })
        };
        Ok(Status {
            name,
            given,
            done: given - open.saturating_sub(above).min(given),
            ranges: row.get(2)?,
            free_ranges: row.get(3)?,
            tests: row.get(4)?,
            findings: row.get(5)?,
            unexamined: row.get(6)?,
            age_s: row.get(7)?,
            gone: row.get(8)?,
            machines: rows.iter().map(machine).collect::<Result<_, Error>>()?,
        })
    }
}

impl Store {
    /// Of a shared campaign, all numbers of a stream below this one are done.
    pub fn low(&self, stream: &str) -> Result<u64, Error> {
        Ok(self.lows()?.get(stream).copied().unwrap_or(0))
    }

    /// The same for all streams of which numbers were given out.
    pub fn lows(&self) -> Result<BTreeMap<String, u64>, Error> {
        let rows = self.query(
            "SELECT s.stream, COALESCE(MIN(r.low), s.next) FROM streams s LEFT JOIN ranges r ON r.stream = s.stream
             GROUP BY s.stream, s.next",
            &[],
        )?;
        rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
    }

    /// Of a shared campaign, by way, size and solver: cases that it was asked, and that it decided.
    pub fn sizes(&self) -> Result<Vec<(String, u64, String, [u64; 2])>, Error> {
        let rows = self.query("SELECT way, size, solver, asked, decided FROM sizes", &[])?;
        rows.iter().map(|r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, [r.get(3)?, r.get(4)?]))).collect()
    }

    /// Keeps the texts of all seeds of a shared campaign, for those that join.
    pub fn keep_seeds<'a>(
        &mut self,
        seeds: impl Iterator<Item = (String, &'a str, &'a [u8], Option<&'static str>)>,
    ) -> Result<(), Error> {
        let rows =
            seeds.map(|(hash, name, text, status)| values![hash, name, text, status].to_vec()).collect();
        self.transaction(|db| {
            crate::write::put(
                db,
                "INSERT INTO seeds (hash, name, text, status)",
                rows,
                "ON CONFLICT (hash) DO UPDATE SET text = excluded.text",
            )
        })
    }

    /// The seeds of a shared campaign by hash: name and text.
    pub fn seed_texts(&self) -> Result<BTreeMap<String, (String, Vec<u8>)>, Error> {
        let rows = self.query("SELECT hash, name, text FROM seeds WHERE text IS NOT NULL", &[])?;
        rows.iter().map(|r| Ok((r.get(0)?, (r.get(1)?, r.get(2)?)))).collect()
    }

    /// Which versions showed a finding, by the fingerprint of its trigger, those that showed it most first. A folder has one
    /// version of each solver.
    pub fn sightings(&self, fingerprint: &str) -> Result<Vec<Sighting>, Error> {
        if self.shared.is_none() {
            return Ok(Vec::new());
        }
        let rows = self.query(
            "SELECT smelt, solvers, triggers FROM sightings WHERE fingerprint = ?1 ORDER BY triggers DESC, smelt, solvers",
            &values![fingerprint],
        )?;
        let one = |r: &Row| Ok(Sighting { smelt: r.get(0)?, solvers: r.get(1)?, triggers: r.get(2)? });
        rows.iter().map(one).collect()
    }

    /// Puts the files of a shared campaign where its findings say they are; those of a folder are there.
    pub fn bring_files(&self) -> Result<(), Error> {
        if self.shared.is_none() {
            return Ok(());
        }
        let names = self.query("SELECT name FROM files", &[])?;
        let names = names.iter().map(|row| row.get(0)).collect::<Result<Vec<String>, _>>()?;
        // The script of a finding never changes under its name; a reduced one may.
        let is_missing = |name: &String| {
            // Nothing else has a place there: not what mutes bugs, nor what waits to be delivered.
            name.starts_with("findings/")
                && inside(&self.folder, name)
                    .is_ok_and(|path| name.ends_with("/reduced.smt2") || !path.is_file())
        };
        let missing: Vec<Value> = names.into_iter().filter(is_missing).map(Value::from).collect();
        for names in missing.chunks(CHUNK) {
            let list = places(&mut 0, names.len());
            let sql = format!("SELECT name, content FROM files WHERE name IN ({list})");
            for row in self.query(&sql, names)? {
                let path = inside(&self.folder, &row.get::<String>(0)?)?;
                crate::write_over(&path, &row.get::<Vec<u8>>(1)?)
                    .map_err(|e| Error::io(format!("cannot write {}", path.display()), e))?;
            }
        }
        Ok(())
    }
}
