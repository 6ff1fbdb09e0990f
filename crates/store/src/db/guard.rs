//! Restricts what a database in a folder may do: it may come from someone else, and SQLite runs the code in its
//! schema.
//!
//! The tables must have exactly the text of smelt's own tables. Views and triggers are off. No statement takes more
//! than a fixed number of steps, whatever the file contains.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::{Error, ErrorKind};

/// The database looks at the number of its steps this often, in instructions of its machine.
const LOOK: i32 = 100_000;
/// A statement is stopped after this many looks, 200 million instructions: a million findings take a tenth of them.
const MOST: u32 = 2_000;

/// Counts the steps of statements.
#[derive(Debug)]
pub(crate) struct Guard {
    looks: Arc<AtomicU32>,
}

impl Guard {
    /// Bounds what a database can do, and refuses one that was not made with a schema.
    pub(crate) fn put_on(db: &mut Connection, schema: Option<&str>) -> Result<Guard, Error> {
        let looks = Arc::new(AtomicU32::new(0));
        let counter = looks.clone();
        db.progress_handler(LOOK, Some(move || counter.fetch_add(1, Relaxed) >= MOST))?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        db.set_limit(Limit::SQLITE_LIMIT_LENGTH, crate::inside::LARGEST as i32)?;
        db.execute_batch("PRAGMA cell_size_check = ON")?;
        schema.map_or(Ok(()), |schema| check(db, schema))?;
        Ok(Guard { looks })
    }

    /// A statement begins.
    pub(crate) fn begin(&self) {
        self.looks.store(0, Relaxed);
    }
}

/// Whether all tables of a schema are there as it makes them, and nothing acts on them.
fn check(db: &Connection, schema: &str) -> Result<(), Error> {
    let fresh = Connection::open_in_memory()?;
    fresh.execute_batch(schema)?;
    let (ours, theirs) = (objects(&fresh)?, objects(db)?);
    let refused = |name: &str, why: &str| {
        let name = name.escape_debug();
        let message = format!("refusing to read the folder: `{name}` in its database {why}");
        Err(Error::new(ErrorKind::Damaged, message))
    };
    if let Some((_, name, _)) = ours.iter().find(|wanted| !theirs.contains(wanted)) {
        return refused(name, "is not a table made by smelt");
    }
    match theirs.iter().find(|object| object.0 == "trigger") {
        Some((_, name, _)) => refused(name, "is a trigger"),
        None => Ok(()),
    }
}

/// Kind, name and text of all that a schema has.
fn objects(db: &Connection) -> Result<Vec<(String, String, String)>, Error> {
    let mut query = db.prepare("SELECT type, name, COALESCE(sql, '') FROM sqlite_master")?;
    let rows = query.query_map([], |row| {
        let text = |i: usize| {
            Ok::<_, rusqlite::Error>(String::from_utf8_lossy(row.get_ref(i)?.as_bytes()?).into_owned())
        };
        Ok((text(0)?, text(1)?, text(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
