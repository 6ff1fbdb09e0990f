//! Cached outcomes of solvers: one database for all studies, so that a new release costs one column.
//!
//! The key of an outcome is the solver's program and command line, the formula, and whether processes are reused. An
//! outcome that ended at a time limit holds for that limit and shorter ones only.

use rusqlite::{Connection, OptionalExtension, params};
use smelt_core::{Outcome, OutcomeKind};
use std::path::Path;
use std::time::Duration;

use crate::{Error, ErrorKind};

/// The version of the format.
const VERSION: i32 = 1;

const SCHEMA: &str = include_str!("cache.sql");

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
pub struct Cache {
    db: Connection,
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
                    "{} was written by another smelt (version {other}, this one has {VERSION}): name another with --cache",
                    path.display()
                );
                return Err(Error::new(ErrorKind::Version, message));
            }
        }
        Ok(Cache { db })
    }

    /// The number of a solver, by its identity.
    pub fn solver(&self, key: &str) -> Result<i64, Error> {
        self.db.execute("INSERT OR IGNORE INTO solvers (key) VALUES (?1)", [key])?;
        Ok(self.db.query_row("SELECT id FROM solvers WHERE key = ?1", [key], |r| r.get(0))?)
    }

    /// The cached outcome of a solver on a formula.
    pub fn outcome(&self, solver: i64, formula: u64) -> Result<Option<Known>, Error> {
        let mut query = self
            .db
            .prepare_cached("SELECT limit_ms, outcome FROM outcomes WHERE solver = ?1 AND formula = ?2")?;
        let row: Option<(i64, String)> = query
            .query_row(params![solver, formula.cast_signed()], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()?;
        Ok(row.and_then(|(limit, text)| {
            let outcome = serde_json::from_str(&text).ok()?;
            Some(Known { outcome, limit: Duration::from_millis(limit.unsigned_abs()) })
        }))
    }

    /// Stores outcomes: solver, formula, outcome.
    pub fn note(&mut self, rows: &[(i64, u64, Known)]) -> Result<(), Error> {
        let tx = self.db.transaction()?;
        {
            let mut insert = tx.prepare_cached("INSERT OR REPLACE INTO outcomes VALUES (?1, ?2, ?3, ?4)")?;
            for (solver, formula, known) in rows {
                let text = serde_json::to_string(&known.outcome).unwrap_or_default();
                insert.execute(params![
                    solver,
                    formula.cast_signed(),
                    known.limit.as_millis() as i64,
                    text
                ])?;
            }
        }
        Ok(tx.commit()?)
    }

    /// Whether a trigger repeated, if that was tried.
    pub fn confirmed(&self, solver: i64, formula: u64, kind: &str) -> Result<Option<bool>, Error> {
        let mut query = self
            .db
            .prepare_cached("SELECT again FROM confirmed WHERE solver = ?1 AND formula = ?2 AND kind = ?3")?;
        Ok(query.query_row(params![solver, formula.cast_signed(), kind], |r| r.get(0)).optional()?)
    }

    /// Stores whether triggers repeated.
    pub fn note_confirmed(&mut self, rows: &[(i64, u64, &str, bool)]) -> Result<(), Error> {
        let tx = self.db.transaction()?;
        for (solver, formula, kind, again) in rows {
            tx.prepare_cached("INSERT OR REPLACE INTO confirmed VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![solver, formula.cast_signed(), kind, again])?;
        }
        Ok(tx.commit()?)
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
