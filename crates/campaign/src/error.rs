//! What can go wrong on smelt's side of a campaign.

use std::{error, fmt, io};

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No solver to run.
    NoSolver,
    /// No seed that can be used.
    NoSeed,
    /// Options that mean nothing, or that contradict the store.
    Usage,
    /// A path that cannot be read.
    Input,
    /// There is no campaign in the folder, or no such finding in it.
    NotFound,
    /// The folder holds a campaign already.
    Exists,
    /// Another process uses the folder.
    Locked,
    /// The store was written by another version of smelt.
    Version,
    /// The store cannot be read: it is damaged or no store.
    Damaged,
    /// The disk is full.
    Full,
    /// Anything else that the operating system or a solver's start refused.
    System,
}

impl ErrorKind {
    /// Whether the user can mend it by another command line: exit code 2, not 1.
    pub fn is_usage(self) -> bool {
        !matches!(self, ErrorKind::Full | ErrorKind::System | ErrorKind::Damaged)
    }
}

/// A failure of smelt's own.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), source: None }
    }

    pub(crate) fn io(doing: impl Into<String>, source: io::Error) -> Error {
        if source.kind() == io::ErrorKind::StorageFull {
            return Error { source: Some(source.into()), ..Error::full() };
        }
        Error { kind: ErrorKind::System, message: doing.into(), source: Some(source.into()) }
    }

    pub(crate) fn full() -> Error {
        let message = "the disk is full: free some space, then go on with --resume; nothing stored is lost";
        Error::new(ErrorKind::Full, message)
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.source.as_ref().map_or(Ok(()), |e| write!(f, ": {e}"))
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

impl From<rusqlite::Error> for Error {
    fn from(e: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode;
        match e.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Error { source: Some(e.into()), ..Error::full() },
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                let message = "the store is damaged, or no store of smelt's; it was left as it is";
                Error { kind: ErrorKind::Damaged, message: message.into(), source: Some(e.into()) }
            }
            _ => Error { kind: ErrorKind::System, message: "the store".into(), source: Some(e.into()) },
        }
    }
}

impl From<smelt_solvers::Error> for Error {
    fn from(e: smelt_solvers::Error) -> Error {
        let kind = if e.kind().is_usage() { ErrorKind::NoSolver } else { ErrorKind::System };
        Error::new(kind, e.to_string())
    }
}
