//! SQLite: the database of a campaign in a folder, with its files beside it.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use std::fs;
use std::path::PathBuf;

use super::guard::Guard;
use super::{Database, LARGEST_RESULT, Row, SLOT, Value, too_much};
use crate::write::write_whole;
use crate::{Error, inside, read_inside};

/// A database in a folder.
#[derive(Debug)]
pub(crate) struct Sqlite {
    db: Connection,
    folder: PathBuf,
    guard: Guard,
}

impl Sqlite {
    /// The database of a folder. With a schema, one that was not made with it is refused.
    pub(crate) fn new(mut db: Connection, folder: PathBuf, schema: Option<&str>) -> Result<Sqlite, Error> {
        let guard = Guard::put_on(&mut db, schema)?;
        Ok(Sqlite { db, folder, guard })
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(n) => ValueRef::Integer(*n),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Database for Sqlite {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        self.guard.begin();
        Ok(self.db.prepare_cached(sql)?.execute(params_from_iter(values))? as u64)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Error> {
        self.guard.begin();
        let mut query = self.db.prepare_cached(sql)?;
        let columns = query.column_count();
        let (mut all, mut size) = (Vec::new(), 0);
        let mut rows = query.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let value = |i: usize| {
                let value = row.get_ref(i)?;
                size += SLOT + value.as_bytes_or_null().ok().flatten().map_or(0, <[u8]>::len);
                Ok(match value {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(n) => Value::Integer(n),
                    ValueRef::Real(x) => Value::Text(x.to_string()),
                    ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                    ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
                })
            };
            all.push(Row((0..columns).map(value).collect::<rusqlite::Result<_>>()?));
            if size > LARGEST_RESULT {
                return Err(too_much());
            }
        }
        Ok(all)
    }

    fn begin(&mut self) -> Result<(), Error> {
        Ok(self.db.execute_batch("BEGIN")?)
    }

    fn commit(&mut self) -> Result<(), Error> {
        Ok(self.db.execute_batch("COMMIT")?)
    }

    fn roll_back(&mut self) {
        let _ = self.db.execute_batch("ROLLBACK");
    }

    fn save_files(&mut self, files: &[(String, &[u8])]) -> Result<(), Error> {
        files.iter().try_for_each(|(name, content)| {
            let path = inside(&self.folder, name)?;
            write_whole(&path, content).map_err(|e| Error::io(format!("cannot write {}", path.display()), e))
        })
    }

    fn file(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        read_inside(&self.folder, name)
    }

    fn remove_files(&mut self, names: &[String]) -> Result<(), Error> {
        // One that stays is swept away at the next start.
        let paths = names.iter().filter_map(|name| inside(&self.folder, name).ok());
        paths.for_each(|path| drop(fs::remove_file(path)));
        Ok(())
    }
}
