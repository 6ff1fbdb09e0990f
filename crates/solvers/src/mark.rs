//! Marks: text in the output of a solver that shows where the output of a query ends.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Drops the end of the previous mark's line from the front: a closing quote, a line end.
pub(crate) fn without_mark_end(mut section: Vec<u8>) -> Vec<u8> {
    let rest = section.iter().take_while(|b| **b == b'"' || b.is_ascii_whitespace()).count();
    section.drain(..rest);
    section
}

/// Letters that no script can guess.
pub(crate) fn secret() -> String {
    // Every `RandomState` has keys of its own, from the system's random source.
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:08x}", random(), random() as u32)
}
