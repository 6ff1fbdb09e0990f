//! The narrow layer below the store: what a database must do for it. SQLite in a folder and PostgreSQL are two
//! implementations; all reading and writing of campaigns is written once, above this layer.
//!
//! The SQL works in both, with parameters `?1`, `?2`, ... Tables are changed by `INSERT .. ON CONFLICT .. DO
//! UPDATE`, with the table name before each column.

#[cfg(feature = "postgres")]
pub(crate) mod connection;
mod guard;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
pub(crate) mod sqlite;
mod value;
#[cfg(feature = "postgres")]
pub(crate) mod wire;

use std::fmt::Debug;

pub(crate) use value::{Row, Value, values};

use crate::{Error, ErrorKind};

/// The most bytes of the result of one query: a campaign of years has less, and a hostile database has no end.
const LARGEST_RESULT: usize = 1 << 30;
/// What a value takes beside its bytes.
const SLOT: usize = size_of::<Value>();

fn too_much() -> Error {
    Error::new(
        ErrorKind::Damaged,
        format!("the store returns more than {} MiB for one query", LARGEST_RESULT >> 20),
    )
}

/// A database with the tables of one campaign, and its files.
pub(crate) trait Database: Send + Debug {
    /// Runs a statement; how many rows it changed.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error>;

    /// All rows of a query.
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Error>;

    /// Begins a transaction of a writer: writers come one after the other.
    fn begin(&mut self) -> Result<(), Error>;

    /// Commits what was done since [`Database::begin`].
    fn commit(&mut self) -> Result<(), Error>;

    /// Forgets what was done since [`Database::begin`].
    fn roll_back(&mut self);

    /// Whether the last failure was an answer, and not the lack of one.
    #[cfg(feature = "postgres")]
    fn is_answering(&self) -> bool {
        true
    }

    /// Keeps files under names such as `findings/1/case-fusion-7.smt2`.
    fn save_files(&mut self, files: &[(String, &[u8])]) -> Result<(), Error>;

    /// The content of a file; `None` if there is none of that name.
    fn file(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error>;

    /// Removes the files of these names that there are.
    fn remove_files(&mut self, names: &[String]) -> Result<(), Error>;
}

/// The first row of a query.
pub(crate) fn first(db: &mut dyn Database, sql: &str, values: &[Value]) -> Result<Option<Row>, Error> {
    Ok(db.query(sql, values)?.into_iter().next())
}
