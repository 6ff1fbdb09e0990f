//! Why an operation has no result: the one error type of the value layer.

use std::fmt;

/// The reason for which a theory function gave no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Gap {
    /// The standard leaves the result open (division by zero, conversions out of range): the model decides.
    Unspecified,
    /// The result is defined, but finding it exceeds a fixed bound on memory or time.
    TooLarge,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Gap::Unspecified => "left open by the standard",
            Gap::TooLarge => "beyond the effort limit",
        })
    }
}

impl std::error::Error for Gap {}
