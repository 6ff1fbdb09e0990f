//! The plug-in point: a condition that must stay true while a script is reduced.

use crate::error::Error;

/// Whether a check may use processes that ran earlier checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Live processes may be used: fast, for searching.
    Quick,
    /// Every check starts new processes: for the input and the result.
    Fresh,
}

/// Whether a script is interesting. Each thread of a reduction has its own.
pub trait Predicate: Send {
    /// Whether it holds of a script. `Err` ends the reduction: a solver that misbehaves is not an error.
    fn holds(&mut self, script: &[u8], care: Care) -> Result<bool, Error>;
}

impl<F: FnMut(&[u8], Care) -> Result<bool, Error> + Send> Predicate for F {
    fn holds(&mut self, script: &[u8], care: Care) -> Result<bool, Error> {
        self(script, care)
    }
}

/// Makes equal predicates, one for each thread.
pub trait PredicateSource: Sync {
    /// A new predicate.
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error>;

    /// The predicate in words, as the end of a sentence: `z3@4.8.5 says unsat`.
    fn describe(&self) -> String;
}

/// A function of the text alone, for tests and simple uses.
pub struct TextPredicate<F>(pub F);

impl<F: Fn(&[u8]) -> bool + Sync> PredicateSource for TextPredicate<F> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        Ok(Box::new(|script: &[u8], _| Ok((self.0)(script))))
    }

    fn describe(&self) -> String {
        "the test holds".to_owned()
    }
}
