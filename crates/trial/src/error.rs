//! Failures of smelt itself in a trial or a campaign.

use std::io;

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No solver to run.
    NoSolver,
    /// No seed that can be used.
    NoSeed,
    /// Options that make no sense, or that contradict the store.
    Usage,
    /// A path that cannot be read.
    Input,
    /// There is no campaign in the folder, or no such finding in it.
    NotFound,
    /// The folder already contains a campaign.
    Exists,
    /// Another process uses the folder.
    Locked,
    /// The store was written by another version of smelt.
    Version,
    /// The store cannot be read: it is damaged or no store.
    Damaged,
    /// The shared store cannot be reached now.
    Away,
    /// The disk is full.
    Full,
    /// Anything else that the operating system or a solver's start refused.
    System,
}

impl ErrorKind {
    /// Whether the user can mend it by another command line: exit code 2, not 1.
    pub fn is_usage(self) -> bool {
        !matches!(self, ErrorKind::Away | ErrorKind::Full | ErrorKind::System | ErrorKind::Damaged)
    }
}

/// A failure of smelt's own.
#[derive(Debug, thiserror::Error)]
#[error("{message}{}", .source.as_ref().map(|e| format!(": {e}")).unwrap_or_default())]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// The message for a full disk.
    pub const FULL: &str =
        "the disk is full: free some space, then continue with --resume; no stored result is lost";

    /// A failure of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), source: None }
    }

    /// The operating system refused something.
    pub fn io(doing: impl Into<String>, source: io::Error) -> Error {
        let full = source.kind() == io::ErrorKind::StorageFull;
        let error = match full {
            true => Error::new(ErrorKind::Full, Error::FULL),
            false => Error::new(ErrorKind::System, doing),
        };
        error.caused_by(source)
    }

    /// The same failure with its cause.
    #[must_use]
    pub fn caused_by(self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error { source: Some(source.into()), ..self }
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl From<smelt_solvers::Error> for Error {
    fn from(e: smelt_solvers::Error) -> Error {
        let kind = if e.kind().is_usage() { ErrorKind::NoSolver } else { ErrorKind::System };
        Error::new(kind, e.to_string())
    }
}

impl From<Error> for smelt_reduce::Error {
    fn from(e: Error) -> smelt_reduce::Error {
        use smelt_reduce::ErrorKind::{Internal, Usage};
        smelt_reduce::Error::new(if e.kind().is_usage() { Usage } else { Internal }, e.to_string())
    }
}
