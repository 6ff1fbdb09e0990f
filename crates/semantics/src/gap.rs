//! The reason why an operation has no result: the only error type of the value layer.

/// The reason why a theory function gave no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Gap {
    /// The standard leaves the result open (division by zero, conversions out of range): the model decides.
    #[error("left open by the standard")]
    Unspecified,
    /// The result is defined, but computing it exceeds a fixed bound on memory or time.
    #[error("beyond the effort limit")]
    TooLarge,
}
