//! Delta debugging of SMT-LIB scripts under any predicate.
//!
//! [`reduce`] takes a script and makes it as small as it can while a [`Predicate`] stays true. It works on typed
//! terms: every candidate is well-sorted because the input is. What must stay true is up to the caller; a finding of
//! solvers, an outcome of each, a command, a ratio of times.
//!
//! - [`PredicateSource`]: makes a predicate for each thread that checks candidates.
//! - [`command`]: a program of the user's as predicate.
//! - [`pair`]: two scripts as one, so that both are reduced in step.
//! - [`undo`]: what a mutant changed of its seed, and taking back as much as possible of it.

mod align;
pub mod command;
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
pub struct Options<'a> {
    /// How many candidates are checked at once.
    pub jobs: usize,
    /// When to stop and take what there is.
    pub time: Option<Duration>,
    /// Set by anyone who wants it to stop.
    pub stop: &'a AtomicBool,
    /// A script to go back to, place by place, before anything else: the seed of a mutant.
    pub seed: Option<&'a [u8]>,
}

/// How far a reduction is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// What is being done.
    pub pass: &'static str,
    /// How often the predicate was asked.
    pub checks: u64,
    /// The smallest script so far.
    pub text: &'a [u8],
}

/// What came of a reduction.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The smallest script that is interesting. Never longer than the input.
    pub text: Vec<u8>,
    /// How often the predicate was asked.
    pub checks: u64,
    /// How long it took.
    pub wall: Duration,
    /// Length of the input.
    pub bytes_before: usize,
    /// Places of terms in the input.
    pub terms_before: usize,
    /// Places of terms in the result.
    pub terms_after: usize,
    /// Whether nothing smaller was found, as opposed to being stopped on the way.
    pub complete: bool,
    /// Whether the result was seen to hold in fresh processes. Without it, it held in live ones only.
    pub confirmed: bool,
    /// What the mutant needs to differ in from its seed, if one was given.
    pub undo: Option<undo::Undo>,
}

/// How often the predicate must hold of the input.
const INPUT_CHECKS: usize = 3;

/// Makes a script smaller while a predicate holds. The best so far goes to `observer` whenever there is a better one.
pub fn reduce(
    input: &[u8],
    source: &dyn PredicateSource,
    options: &Options<'_>,
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
                // Live processes misled the search: go on from what is confirmed, with care.
                search.be_careful();
                complete = run_passes(&mut search)?;
                // Everything since then was seen in fresh processes.
                confirmed = true;
            }
        }
        if !complete {
            // Who interrupts does not want to wait; who set a time gets a result that is sure.
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

/// A predicate that is false on the input, or now true, now false, is a mistake of the user's, not a task.
fn check_input(search: &mut Search<'_>, input: &[u8], source: &dyn PredicateSource) -> Result<(), Error> {
    let text: Arc<[u8]> = input.into();
    let copies = vec![Arc::clone(&text); INPUT_CHECKS];
    let first = search.workers().check_all(&copies[..1], Care::Fresh)?[0];
    search.checks += 1;
    if !first {
        let message = format!("the input is not interesting: it is not so that {}", source.describe());
        return Err(Error::new(ErrorKind::NotInteresting, message));
    }
    let more = search.workers().check_all(&copies[1..], Care::Fresh)?;
    search.checks += more.len() as u64;
    if more.iter().any(|held| !held) {
        let message = format!("flaky: on the same input it is now so, now not, that {}", source.describe());
        return Err(Error::new(ErrorKind::Flaky, message));
    }
    search.checks += 1;
    if !search.workers().check_all(&[text], Care::Quick)?[0] {
        search.be_careful();
    }
    Ok(())
}

/// Runs passes until none finds anything; false when it was stopped before.
fn run_passes(search: &mut Search<'_>) -> Result<bool, Error> {
    search.strict = false;
    for pass in passes::FIRST {
        search.begin(pass.name);
        (pass.run)(search)?;
    }
    loop {
        let mut any = false;
        for pass in passes::ROUND {
            search.begin(pass.name);
            any |= (pass.run)(search)?;
            if search.is_over() {
                return Ok(false);
            }
        }
        if !any {
            search.begin(passes::LAST.name);
            if (passes::LAST.run)(search)? {
                continue;
            }
            if search.is_over() {
                return Ok(false);
            }
            // A detour that led nowhere: from the smallest on, without further ones.
            if search.bytes() <= search.best().len() || search.strict {
                return Ok(true);
            }
            search.strict = true;
            let best = search.best();
            search.restart_from(best);
        }
    }
}
