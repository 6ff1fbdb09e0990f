//! The plug-in point: what must stay true of a script while it shrinks.

use crate::error::Error;

/// How much a check may rest on what earlier checks left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Live processes may be used: fast, for searching.
    Quick,
    /// Every process starts anew: for the input and the result.
    Fresh,
}

/// Whether a script is interesting. Each thread of a reduction has its own.
pub trait Predicate: Send {
    /// Whether it holds of a script. `Err` ends the reduction: a solver that misbehaves is no error.
    fn holds(&mut self, script: &[u8], care: Care) -> Result<bool, Error>;
}

/// Makes predicates that all ask the same.
pub trait PredicateSource: Sync {
    /// One more of them.
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error>;

    /// What is asked, as the end of a sentence: `z3@4.8.5 says unsat`.
    fn describe(&self) -> String;
}

/// A function of the text alone, for tests and simple uses.
pub struct TextPredicate<F>(pub F);

impl<F: Fn(&[u8]) -> bool + Sync> PredicateSource for TextPredicate<F> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        Ok(Box::new(Borrowed(&self.0)))
    }

    fn describe(&self) -> String {
        "the test holds".to_owned()
    }
}

struct Borrowed<'a, F>(&'a F);

impl<F: Fn(&[u8]) -> bool + Sync> Predicate for Borrowed<'_, F> {
    fn holds(&mut self, script: &[u8], _: Care) -> Result<bool, Error> {
        Ok((self.0)(script))
    }
}
