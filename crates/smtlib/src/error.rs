//! Read errors, with a position in the text.

/// Why a text could not be read, and where.
///
/// Boxed: the lexer returns a result for every token, and it should fit into registers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {}: {}", self.offset, self.message)]
pub struct Error(Box<Place>);

/// What an [`Error`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Byte offset into the input.
    pub offset: usize,
    /// What is wrong there, and what was expected.
    pub message: String,
}

/// The result of reading.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error at a byte offset.
    pub fn new(offset: usize, message: impl Into<String>) -> Self {
        Error(Box::new(Place { offset, message: message.into() }))
    }

    /// `line:column: message`, both counted from 1.
    pub fn locate(&self, source: &[u8]) -> String {
        let (line, column) = line_column(source, self.offset);
        format!("{line}:{column}: {}", self.message)
    }
}

impl std::ops::Deref for Error {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.0
    }
}

/// Line and column (in bytes) of an offset, both counted from 1.
pub fn line_column(source: &[u8], offset: usize) -> (usize, usize) {
    let before = &source[..offset.min(source.len())];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |n| n + 1) + 1;
    (line, column)
}
