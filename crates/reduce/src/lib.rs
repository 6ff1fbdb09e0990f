//! Delta debugging of SMT-LIB scripts under any predicate.
//!
//! [`reduce`] makes a script as small as possible while a [`Predicate`] stays true. It works on typed terms, so
//! every candidate is well-sorted if the input is. The caller chooses the predicate: a finding, an outcome of each
//! solver, a command, or a ratio of times.
//!
//! - [`PredicateSource`]: makes a predicate for each thread that checks candidates.
//! - [`command`]: a user's program as a predicate.
//! - [`pair`]: combines two scripts into one, so that both are reduced together.
//! - [`undo`]: undoes as many of a mutant's changes to its seed as possible.

mod align;
pub mod command;
mod edit;
mod error;
mod garbage;
mod names;
pub mod pair;
mod passes;
mod predicate;
mod propose;
mod replace;
mod retype;
mod search;
mod substitute;
pub mod undo;
mod values;
mod workers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::{Arena, parse_script};

pub use error::{Error, ErrorKind};
pub use predicate::{Care, Predicate, PredicateSource, TextPredicate};

use search::Search;
use workers::Workers;

/// How a reduction is run.
#[derive(Clone, Copy, Debug)]
pub struct ReduceOptions<'a> {
    /// The number of candidates that are checked at once.
    pub jobs: usize,
    /// The time after which the best result so far is taken.
    pub time: Option<Duration>,
    /// Set to stop the reduction.
    pub stop: &'a AtomicBool,
    /// The seed of a mutant: its terms are put back, where possible, before any other change.
    pub seed: Option<&'a [u8]>,
}

/// The state of a reduction under way.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The pass that is being run.
    pub pass: &'static str,
    /// The number of checks of the predicate so far.
    pub checks: u64,
    /// The smallest script so far.
    pub text: &'a [u8],
}

/// The result of a reduction.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The smallest script that is interesting. Never longer than the input.
    pub text: Vec<u8>,
    /// The number of checks of the predicate so far.
    pub checks: u64,
    /// The time it took.
    pub wall: Duration,
    /// The length of the input.
    pub bytes_before: usize,
    /// The number of places of terms in the input.
    pub terms_before: usize,
    /// The number of places of terms in the result.
    pub terms_after: usize,
    /// Whether every pass ended without finding anything smaller; false if the reduction was stopped.
    pub complete: bool,
    /// Whether the predicate held of the result in fresh processes. If not, it held in live ones only.
    pub confirmed: bool,
    /// The differences from the seed that the mutant needs, if a seed was given.
    pub undo: Option<undo::Undo>,
}

/// The predicate must hold of the input this many times.
const INPUT_CHECKS: usize = 3;

/// Makes a script smaller while a predicate holds. `observer` gets each result that is smaller than all before.
pub fn reduce(
    input: &[u8],
    source: &dyn PredicateSource,
    options: &ReduceOptions<'_>,
    observer: &mut dyn FnMut(&Progress<'_>),
) -> Result<Reduction, Error> {
    let start = Instant::now();
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, input)
        .map_err(|e| Error::new(ErrorKind::Unreadable, format!("not SMT-LIB: {}", e.locate(input))))?;
    let terms_before = Occurrences::new(&arena, &parsed.script).len();
    std::thread::scope(|scope| {
        let workers = Workers::start(scope, source, options.jobs.max(1))?;
        let mut search = Search::new(arena, parsed.script, input, workers, options, observer);
        check_input(&mut search, input, source)?;
        let undo = match options.seed {
            Some(seed) => undo::run(&mut search, seed)?,
            None => None,
        };
        let mut confirmed = false;
        let mut complete = run_passes(&mut search)?;
        while complete && !confirmed {
            confirmed = search.confirm()?;
            if !confirmed {
                // Live processes misled the search: continue from the confirmed result, in fresh processes.
                search.be_careful();
                complete = run_passes(&mut search)?;
                // All results since then were checked in fresh processes.
                confirmed = true;
            }
        }
        if !complete {
            // A user who interrupts does not want to wait; at a time limit the result is confirmed.
            confirmed = search.care == Care::Fresh || search.best().len() == input.len();
            if !confirmed && !options.stop.load(Ordering::Relaxed) {
                search.confirm()?;
                confirmed = true;
            }
        }
        let text = search.best().to_vec();
        let mut arena = Arena::new();
        let terms_after =
            parse_script(&mut arena, &text).map_or(0, |p| Occurrences::new(&arena, &p.script).len());
        Ok(Reduction {
            checks: search.checks,
            wall: start.elapsed(),
            bytes_before: input.len(),
            terms_before,
            terms_after,
            complete,
            confirmed,
            undo,
            text,
        })
    })
}

/// An error if the predicate is false on the input, or not always true: then there is nothing to reduce.
fn check_input(search: &mut Search<'_>, input: &[u8], source: &dyn PredicateSource) -> Result<(), Error> {
    let text: Arc<[u8]> = input.into();
    if !search.all_hold(&text, 1, Care::Fresh)? {
        let message = format!("the input is not interesting: it is not true that {}", source.describe());
        return Err(Error::new(ErrorKind::NotInteresting, message));
    }
    if !search.all_hold(&text, INPUT_CHECKS - 1, Care::Fresh)? {
        let message = format!("flaky: on the same input, {} only in some runs", source.describe());
        return Err(Error::new(ErrorKind::Flaky, message));
    }
    if !search.all_hold(&text, 1, Care::Quick)? {
        search.be_careful();
    }
    Ok(())
}

/// Runs passes until none finds anything; false if the reduction was stopped before.
fn run_passes(search: &mut Search<'_>) -> Result<bool, Error> {
    search.strict = false;
    for pass in passes::FIRST {
        pass.run(search)?;
    }
    loop {
        let mut any = false;
        for pass in passes::ROUND {
            any |= pass.run(search)?;
            if search.is_over() {
                return Ok(false);
            }
        }
        if !any {
            if passes::LAST.run(search)? {
                continue;
            }
            if search.is_over() {
                return Ok(false);
            }
            // Growing did not help: continue from the smallest script, without growing again.
            if search.text.len() <= search.best().len() || search.strict {
                return Ok(true);
            }
            search.strict = true;
            let best = search.best();
            search.restart_from(best);
        }
    }
}
