//! Failures of smelt itself. Misbehaviour of a solver is an outcome, never an error.

use std::io;

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
    /// There is no such release to install.
    NoSuchRelease,
    /// Installing failed for another reason.
    Install,
    /// A query was submitted to a session that is running one.
    Busy,
    /// A system call failed.
    System,
}

impl ErrorKind {
    /// Whether the user can mend it by another command line or setup: exit code 2, not 1.
    pub fn is_usage(self) -> bool {
        !matches!(self, ErrorKind::Busy | ErrorKind::System)
    }
}

/// A failure of smelt itself.
#[derive(Debug, thiserror::Error)]
#[error("{message}{}", source.as_ref().map(|e| format!(": {e}")).unwrap_or_default())]
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
