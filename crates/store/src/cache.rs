//! Cached outcomes of solvers: one database for all studies, so that adding a release runs only this release. It is
//! a local file, or a schema in a shared store, used by all studies there.
//!
//! The key of an outcome is the solver's program and command line, the formula, and whether processes are reused.
//! An outcome that ended at a time limit is valid only for that limit and shorter ones.

use rusqlite::Connection;
use smelt_core::{Outcome, OutcomeKind};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::db::sqlite::Sqlite;
use crate::db::{Database, Row, Value, first, values};
use crate::write::{CHUNK, json, places, put};
use crate::{Error, ErrorKind};

/// The version of the format.
pub(crate) const VERSION: i32 = 1;

pub(crate) const SCHEMA: &str = include_str!("cache.sql");

/// An outcome, and the time it was given.
#[derive(Clone, Debug)]
pub struct Known {
    /// What the solver did.
    pub outcome: Outcome,
    /// The time it was given.
    pub limit: Duration,
}

impl Known {
    /// Whether it holds for a time limit: it ended by itself, or was given at least that time.
    pub fn is_final(&self, limit: Duration) -> bool {
        self.outcome.kind != OutcomeKind::Timeout || self.limit >= limit
    }
}

/// The database.
#[derive(Debug)]
pub struct Cache {
    db: RefCell<Box<dyn Database>>,
    #[cfg(feature = "postgres")]
    shared: Option<crate::shared::Address>,
}

impl Cache {
    /// Opens the database, or makes it.
    pub fn open(path: &Path) -> Result<Cache, Error> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|e| Error::io(format!("cannot make {}", folder.display()), e))?;
        }
        let db = Connection::open(path)?;
        db.busy_timeout(Duration::from_secs(30))?;
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        let version: i32 = db.query_row("PRAGMA user_version", [], |r| r.get(0))?;
        match version {
            VERSION => {}
            0 => db.execute_batch(&format!("BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;"))?,
            other => {
                let message = format!(
                    "{} was written by another version of smelt (format {other}, this one uses {VERSION}): choose another file with --cache",
                    path.display()
                );
                return Err(Error::new(ErrorKind::Version, message));
            }
        }
        // It keeps no files.
        let db = Sqlite::new(db, path.parent().unwrap_or(Path::new("")).to_owned(), None)?;
        Ok(Cache {
            db: RefCell::new(Box::new(db)),
            #[cfg(feature = "postgres")]
            shared: None,
        })
    }

    /// Opens that of a shared store, or makes it.
    #[cfg(feature = "postgres")]
    pub fn open_shared(address: &crate::shared::Address) -> Result<Cache, Error> {
        let db = crate::shared::answers(address)?;
        Ok(Cache { db: RefCell::new(Box::new(db)), shared: Some(address.clone()) })
    }

    /// Does something with the database. After a failure a shared one is connected to again by the next call.
    fn with<T>(&self, work: impl Fn(&mut dyn Database) -> Result<T, Error>) -> Result<T, Error> {
        let mut db = self.db.borrow_mut();
        let done = work(&mut **db);
        #[cfg(feature = "postgres")]
        if let (Err(e), Some(address)) = (&done, &self.shared)
            && e.kind() == ErrorKind::Away
        {
            *db = Box::new(crate::shared::answers(address)?);
            return work(&mut **db);
        }
        done
    }

    /// The number of a solver, by its identity.
    pub fn solver(&self, key: &str) -> Result<i64, Error> {
        self.with(|db| {
            db.execute("INSERT INTO solvers (key) VALUES (?1) ON CONFLICT (key) DO NOTHING", &values![key])?;
            let row = first(db, "SELECT id FROM solvers WHERE key = ?1", &values![key])?;
            row.ok_or_else(|| Error::new(ErrorKind::Damaged, "the cache forgot a solver"))?.get(0)
        })
    }

    /// The cached outcome of a solver on a formula.
    pub fn outcome(&self, solver: i64, formula: u64) -> Result<Option<Known>, Error> {
        Ok(self.outcomes(solver, &[formula])?.remove(&formula))
    }

    /// The cached outcomes of a solver on formulas, by formula.
    pub fn outcomes(&self, solver: i64, formulas: &[u64]) -> Result<BTreeMap<u64, Known>, Error> {
        let known = |row: &Row| {
            let text: String = row.get(2)?;
            let limit = Duration::from_millis(row.get(1)?);
            let outcome = serde_json::from_str(&text).ok();
            Ok::<_, Error>(outcome.map(|outcome| (row.get(0).unwrap_or(0), Known { outcome, limit })))
        };
        let mut all = BTreeMap::new();
        for formulas in formulas.chunks(CHUNK) {
            let list: Vec<Value> =
                std::iter::once(solver.into()).chain(formulas.iter().map(|f| Value::from(*f))).collect();
            let sql = format!(
                "SELECT formula, limit_ms, outcome FROM outcomes WHERE solver = ?1 AND formula IN ({})",
                places(&mut 1, formulas.len())
            );
            for row in self.with(|db| db.query(&sql, &list))? {
                all.extend(known(&row)?);
            }
        }
        Ok(all)
    }

    /// Stores outcomes: solver, formula, outcome. One that was given more time stays.
    pub fn note(&mut self, rows: &[(i64, u64, Known)]) -> Result<(), Error> {
        // Each once: a statement changes no row twice.
        let last: BTreeMap<(i64, u64), &Known> = rows.iter().map(|(s, f, known)| ((*s, *f), known)).collect();
        let row = |(&(solver, formula), known): (&(i64, u64), &&Known)| {
            values![solver, formula, known.limit.as_millis() as u64, json(&known.outcome)].to_vec()
        };
        let rows: Vec<Vec<Value>> = last.iter().map(row).collect();
        self.put(
            "INSERT INTO outcomes (solver, formula, limit_ms, outcome)",
            rows,
            "ON CONFLICT (solver, formula) DO UPDATE SET limit_ms = excluded.limit_ms, outcome = excluded.outcome
             WHERE excluded.limit_ms >= outcomes.limit_ms",
        )
    }

    /// Whether a trigger repeated, if that was tried.
    pub fn confirmed(&self, solver: i64, formula: u64, kind: &str) -> Result<Option<bool>, Error> {
        let sql = "SELECT again FROM confirmed WHERE solver = ?1 AND formula = ?2 AND kind = ?3";
        let row = self.with(|db| first(db, sql, &values![solver, formula, kind]))?;
        row.map(|row| row.get(0)).transpose()
    }

    /// Stores whether triggers repeated.
    pub fn note_confirmed(&mut self, rows: &[(i64, u64, &str, bool)]) -> Result<(), Error> {
        let row = |(solver, formula, kind, again): &(i64, u64, &str, bool)| {
            values![*solver, *formula, *kind, *again].to_vec()
        };
        self.put(
            "INSERT INTO confirmed (solver, formula, kind, again)",
            rows.iter().map(row).collect(),
            "ON CONFLICT (solver, formula, kind) DO UPDATE SET again = excluded.again",
        )
    }

    /// Inserts rows, all or none.
    fn put(&self, insert: &str, rows: Vec<Vec<Value>>, conflict: &str) -> Result<(), Error> {
        self.with(|db| {
            db.begin()?;
            let done = put(db, insert, rows.clone(), conflict).and_then(|()| db.commit());
            done.inspect_err(|_| db.roll_back())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_kept_and_a_timeout_is_known_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("smelt-cache-{}.sqlite", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let mut cache = Cache::open(&path).unwrap();
        let solver = cache.solver("a").unwrap();
        assert_eq!(cache.solver("a").unwrap(), solver);
        assert_ne!(cache.solver("b").unwrap(), solver);
        let (short, long) = (Duration::from_millis(250), Duration::from_secs(8));
        let known = Known { outcome: Outcome::bare(OutcomeKind::Timeout, "late"), limit: short };
        cache.note(&[(solver, u64::MAX, known)]).unwrap();
        let again = Cache::open(&path).unwrap().outcome(solver, u64::MAX).unwrap().unwrap();
        assert!(again.is_final(short) && !again.is_final(long));
        assert!(cache.outcome(solver, 1).unwrap().is_none());
        cache.note_confirmed(&[(solver, 1, "crash", true)]).unwrap();
        assert_eq!(cache.confirmed(solver, 1, "crash").unwrap(), Some(true));
        assert_eq!(cache.confirmed(solver, 2, "crash").unwrap(), None);
        std::fs::remove_file(path).unwrap();
    }
}
