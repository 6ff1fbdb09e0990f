//! What can go wrong on smelt's side. What a solver does wrong is an outcome and never comes here.

use std::{error, fmt, io};

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// `smelt.toml` or a profile cannot be read.
    Config,
    /// A SOLVER argument that means nothing.
    Spec,
    /// The solver is not on this machine.
    NotFound,
    /// The network, or the package index behind it, cannot be reached.
    Network,
    /// No such release can be had.
    NoSuchRelease,
    /// Installing failed otherwise.
    Install,
    /// A query was submitted to a session that has one in flight.
    Busy,
    /// The operating system refused something.
    System,
}

impl ErrorKind {
    /// Whether the user can mend it by another command line or setup: exit code 2, not 1.
    pub fn is_usage(self) -> bool {
        !matches!(self, ErrorKind::Busy | ErrorKind::System)
    }
}

/// A failure of smelt's own.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<io::Error>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), source: None }
    }

    pub(crate) fn system(doing: impl Into<String>, source: io::Error) -> Self {
        Error { kind: ErrorKind::System, message: doing.into(), source: Some(source) }
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
        self.source.as_ref().map(|e| e as _)
    }
}
