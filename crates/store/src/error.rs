//! Errors of the store: those of the engine below, and those of the database.

use smelt_trial::ErrorKind;
use std::io;

/// A failure of smelt's own, while it works on a store.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(#[from] smelt_trial::Error);

impl Error {
    /// A failure of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(smelt_trial::Error::new(kind, message))
    }

    /// The operating system refused something.
    pub fn io(doing: impl Into<String>, source: io::Error) -> Error {
        Error(smelt_trial::Error::io(doing, source))
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind()
    }
}

impl From<smelt_solvers::Error> for Error {
    fn from(e: smelt_solvers::Error) -> Error {
        Error(e.into())
    }
}

impl From<rusqlite::Error> for Error {
    fn from(e: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode;
        let (kind, message) = match e.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => (ErrorKind::Full, smelt_trial::Error::FULL),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                (ErrorKind::Damaged, "the store is damaged or was not made by smelt; it was not changed")
            }
            _ => (ErrorKind::System, "the store"),
        };
        Error(smelt_trial::Error::new(kind, message).caused_by(e))
    }
}
