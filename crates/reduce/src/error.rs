//! Why a reduction could not be done.

use std::fmt;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is no SMT-LIB.
    Unreadable,
    /// The predicate is false on the input.
    NotInteresting,
    /// The predicate is now true, now false on the input.
    Flaky,
    /// The predicate did not come to an end on the input.
    Hang,
    /// The predicate cannot be asked: a program is missing, an argument makes no sense.
    Usage,
    /// smelt or the system failed.
    Internal,
}

/// A failure and one line about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// A failure.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// What kind it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<smelt_solvers::Error> for Error {
    fn from(e: smelt_solvers::Error) -> Error {
        let kind = if e.kind().is_usage() { ErrorKind::Usage } else { ErrorKind::Internal };
        Error::new(kind, e.to_string())
    }
}
