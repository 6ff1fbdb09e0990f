//! The counts of generated scripts.

use serde::Serialize;
use smelt_core::Expectation;
use smelt_strategies::Draft;

/// How many scripts were made, by their expectation.
#[derive(Default, Serialize)]
pub(super) struct Tally {
    pub(super) made: u64,
    pub(super) sat: u64,
    pub(super) unsat: u64,
    /// Scripts without a known status.
    pub(super) open: u64,
    pub(super) skipped: u64,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
}

impl Tally {
    /// Counts a case.
    pub(super) fn add(&mut self, draft: &Draft) {
        self.made += 1;
        self.bytes += draft.text.len() as u64;
        match draft.expectation {
            Expectation::Sat => self.sat += 1,
            Expectation::Unsat => self.unsat += 1,
            Expectation::Seed(_) | Expectation::None => self.open += 1,
        }
    }

    /// One line for people.
    pub(super) fn line(&self) -> String {
        let skipped = if self.skipped > 0 { format!(", {} skipped", self.skipped) } else { String::new() };
        format!(
            "{} scripts: {} sat, {} unsat, {} open{skipped}; {} bytes in {:.2} s",
            self.made, self.sat, self.unsat, self.open, self.bytes, self.seconds
        )
    }
}
