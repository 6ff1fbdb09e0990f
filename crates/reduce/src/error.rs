//! Errors of a reduction.

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is not SMT-LIB.
    Unreadable,
    /// The predicate is false on the input.
    NotInteresting,
    /// The predicate is sometimes true, sometimes false on the input.
    Flaky,
    /// The predicate did not end on the input.
    Hang,
    /// The predicate cannot be checked: a program is missing, or an argument makes no sense.
    Usage,
    /// smelt or the system failed.
    Internal,
}

/// A failure and one line about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// A failure.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl From<smelt_solvers::Error> for Error {
    fn from(e: smelt_solvers::Error) -> Error {
        let kind = if e.kind().is_usage() { ErrorKind::Usage } else { ErrorKind::Internal };
        Error::new(kind, e.to_string())
    }
}
