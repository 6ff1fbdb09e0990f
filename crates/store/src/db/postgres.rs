//! PostgreSQL: the tables of one campaign in a separate schema, with its files in a table.

use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;
use tokio_postgres::Statement;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut};

use super::connection::Connection;
use super::wire::Refused;
use super::{Database, Row, Value, values};
use crate::write::put;
use crate::{Error, ErrorKind};

/// A connection.
pub(crate) struct Postgres {
    client: Connection,
    statements: HashMap<String, Statement>,
    /// Writers of one campaign hold this lock while they write.
    pub(crate) lock: i64,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("lock", &self.lock).finish_non_exhaustive()
    }
}

/// At most this many statements stay prepared: the number of rows of an insertion makes it another one.
const PREPARED: usize = 200;

impl Postgres {
    pub(crate) fn new(client: Connection, lock: i64) -> Postgres {
        Postgres { client, statements: HashMap::new(), lock }
    }

    /// Runs fixed statements without parameters.
    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.client.batch(sql)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        if self.statements.len() >= PREPARED {
            self.statements.clear();
        }
        let statement = self.client.prepare(&dollars(sql))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// The parameters `?1` as PostgreSQL writes them, `$1`.
fn dollars(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len());
    let mut rest = sql.chars().peekable();
    while let Some(c) = rest.next() {
        let is_parameter = c == '?' && rest.peek().is_some_and(char::is_ascii_digit);
        text.push(if is_parameter { '$' } else { c });
    }
    text
}

impl Database for Postgres {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, Error> {
        let statement = self.prepare(sql)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|v| v as _).collect();
        self.client.execute(&statement, &values)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Error> {
        let statement = self.prepare(sql)?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|v| v as _).collect();
        let rows = self.client.query(&statement, &values)?;
        let row = |row: &tokio_postgres::Row| {
            Ok(Row((0..row.len()).map(|i| row.try_get(i)).collect::<Result<_, tokio_postgres::Error>>()?))
        };
        rows.iter().map(row).collect()
    }

    fn begin(&mut self) -> Result<(), Error> {
        self.batch("BEGIN")?;
        self.query("SELECT pg_advisory_xact_lock(?1)", &values![self.lock]).map(drop)
    }

    fn commit(&mut self) -> Result<(), Error> {
        self.batch("COMMIT")
    }

    fn roll_back(&mut self) {
        let _ = self.batch("ROLLBACK");
    }

    fn is_answering(&self) -> bool {
        self.client.is_answering()
    }

    fn save_files(&mut self, files: &[(String, &[u8])]) -> Result<(), Error> {
        let rows = files.iter().map(|(name, content)| values![name, *content].to_vec()).collect();
        // The script of a trigger never changes under its name, and those who take part may not change it.
        let conflict = "ON CONFLICT (name) DO UPDATE SET content = excluded.content
            WHERE files.name LIKE '%/reduced.smt2'";
        put(self, "INSERT INTO files (name, content)", rows, conflict)
    }

    fn file(&mut self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let rows = self.query("SELECT content FROM files WHERE name = ?1", &values![name])?;
        rows.first().map(|row| row.get(0)).transpose()
    }

    fn remove_files(&mut self, _: &[String]) -> Result<(), Error> {
        // They stay until the campaign goes: who may remove a script may remove evidence.
        Ok(())
    }
}

/// Text columns cannot hold a NUL byte: what solvers print may.
fn without_nul(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{fffd}").into() } else { text.into() }
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (self, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(n), &Type::BOOL) => (*n != 0).to_sql(ty, out),
            (Value::Integer(n), &Type::INT4) => i32::try_from(*n)?.to_sql(ty, out),
            (Value::Integer(n), _) => n.to_sql(&Type::INT8, out),
            (Value::Text(text), _) => without_nul(text).as_ref().to_sql(&Type::TEXT, out),
            (Value::Blob(bytes), _) => bytes.to_sql(&Type::BYTEA, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        [Type::BOOL, Type::INT4, Type::INT8, Type::TEXT, Type::BYTEA, Type::NAME].contains(ty)
    }

    tokio_postgres::types::to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Value, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::BOOL => Value::Integer(bool::from_sql(ty, raw)?.into()),
            Type::INT4 => Value::Integer(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Value::Integer(i64::from_sql(ty, raw)?),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            _ => Value::Text(String::from_sql(ty, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Value, Box<dyn StdError + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::VOID || <Value as ToSql>::accepts(ty)
    }
}

impl From<tokio_postgres::Error> for Error {
    fn from(e: tokio_postgres::Error) -> Error {
        let Some(db) = e.as_db_error() else {
            // Sources say what happened; none of them has a password.
            let cause = e.source().map(|s| format!(": {s}")).unwrap_or_default();
            let broken = e.source().and_then(|s| s.downcast_ref::<std::io::Error>());
            if let Some(refused) = broken.and_then(|e| e.get_ref()?.downcast_ref::<Refused>()) {
                let kind = match refused {
                    Refused::Cleartext => ErrorKind::Usage,
                    Refused::Endless => ErrorKind::Damaged,
                };
                return Error::new(kind, format!("the shared store: {refused}"));
            }
            if e.source().is_some_and(|s| s.is::<tokio_postgres::types::WrongType>()) {
                return Error::new(ErrorKind::System, format!("the shared store: {e}{cause}"));
            }
            return Error::new(ErrorKind::Away, format!("the shared store cannot be reached ({e}{cause})"));
        };
        let code = db.code().code();
        // Shutting down, starting up, too many connections, lost connections, transactions to be tried again; and what ends
        // a wait: for a statement, for a lock, for the next statement, or for a server that only reads for now.
        let away = ["57P", "53", "08", "40", "57014", "55P03", "25P03", "25006"]
            .iter()
            .any(|class| code.starts_with(class));
        let refused = code.starts_with("28") || code == "42501" || code == "3D000";
        let kind = match (away, refused) {
            (true, _) => ErrorKind::Away,
            (_, true) => ErrorKind::Usage,
            _ => ErrorKind::System,
        };
        Error::new(kind, format!("the shared store: {} ({code})", db.message()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_as_postgresql_wants_them() {
        assert_eq!(dollars("SELECT ?1, '?', ?23"), "SELECT $1, '?', $23");
    }
}
