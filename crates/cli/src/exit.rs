//! Exit codes, and the one-line message of a failure.

use std::process::ExitCode;

/// The exit code of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Nothing was found.
    Ok = 0,
    /// smelt's own failure.
    Internal = 1,
    /// Something was found.
    Findings = 10,
    /// Wrong usage or unreadable input.
    Usage = 2,
    /// The reader of the output has gone, as in `smelt bugs | head -1`; the code that shells use for it.
    ClosedPipe = 141,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A failure: its exit code and one line that says what to do.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Usage, message: message.into() }
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Internal, message: message.into() }
    }
}

/// Errors of the crates below: an error that the user can fix is wrong usage.
macro_rules! failures {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(e: $error) -> Self {
                let exit = if e.kind().is_usage() { Exit::Usage } else { Exit::Internal };
                Failure { exit, message: e.to_string().trim_end().replace('\n', "; ") }
            }
        }
    )*};
}
failures!(smelt_solvers::Error, smelt_trial::Error, smelt_store::Error);

impl From<std::io::Error> for Failure {
    /// Output that cannot be written: its reader has ended, or the disk is full.
    fn from(e: std::io::Error) -> Self {
        if e.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure { exit: Exit::ClosedPipe, message: String::new() };
        }
        Failure::internal(format!("cannot write output: {e}"))
    }
}
