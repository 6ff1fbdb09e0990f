//! The search: puts candidates to the workers, keeps what is smaller and still interesting.
//!
//! Several candidates are on their way at once. Most fail, so the next ones are made as if those before had failed;
//! when one succeeds, what was made before that and succeeds too is made again on top of it.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use smelt_smtlib::{Arena, Script, parse_script};

use crate::error::Error;
use crate::garbage;
use crate::predicate::Care;
use crate::workers::Workers;
use crate::{Options, Progress};

/// What became of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is the script now.
    Accepted,
    /// It is not interesting, or not smaller.
    Failed,
    /// It was interesting, but is not based on the script of now: propose it again.
    Stale,
}

/// A candidate, under a number that its maker knows.
pub(crate) struct Proposal {
    pub(crate) ticket: usize,
    pub(crate) script: Script,
}

/// Something that proposes candidates.
pub(crate) trait Proposer {
    /// The next one, if there is one at the moment. `base` is the script of now.
    fn next(&mut self, arena: &mut Arena, base: &Script) -> Option<Proposal>;

    /// Tells what became of one.
    fn settle(&mut self, ticket: usize, fate: Fate);

    /// Whether what was interned for candidates that failed can be forgotten: the proposer holds no terms of its own
    /// that were made since it started.
    fn forgets(&self) -> bool {
        false
    }

    /// Whether a candidate may be longer: it takes away what stands in the way of other cuts.
    fn may_grow(&self) -> bool {
        false
    }

    /// Whether a candidate must be shorter; else one that is as long and first in the alphabet will do.
    fn must_shrink(&self) -> bool {
        false
    }
}

/// How much longer a candidate may be that is allowed to grow.
fn grown(bytes: usize) -> usize {
    bytes + bytes / 2 + 400
}

/// How many bytes of earlier results are kept, in case the last one is not confirmed.
const HISTORY: usize = 16 << 20;

/// How many terms candidates may leave behind.
const FORGET: usize = 1 << 20;

/// A proposal on its way.
struct Flight {
    ticket: usize,
    epoch: u64,
    script: Script,
    text: Arc<[u8]>,
}

pub(crate) struct Search<'a> {
    pub(crate) arena: Arena,
    /// The script of now.
    pub(crate) script: Script,
    text: Arc<[u8]>,
    /// Texts that held, oldest first; the last is the smallest.
    history: Vec<Arc<[u8]>>,
    kept: usize,
    /// Whether terms use names that others are given with `:named`: who gives one must not go alone.
    labels: bool,
    /// Hashes of texts that do not hold.
    failed: HashSet<u64>,
    /// Whether unused declarations go without being asked about.
    pub(crate) tidy: bool,
    /// Whether every step must make it smaller, as opposed to taking away what stands in the way of others.
    pub(crate) strict: bool,
    pub(crate) care: Care,
    pub(crate) checks: u64,
    epoch: u64,
    pass: &'static str,
    workers: Workers,
    options: &'a Options<'a>,
    until: Option<Instant>,
    observer: &'a mut dyn FnMut(&Progress<'_>),
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        arena: Arena,
        script: Script,
        text: &[u8],
        workers: Workers,
        options: &'a Options<'a>,
        observer: &'a mut dyn FnMut(&Progress<'_>),
    ) -> Search<'a> {
        let text: Arc<[u8]> = text.into();
        Search {
            labels: !garbage::used_labels(&arena, &script).is_empty(),
            arena,
            script,
            history: vec![Arc::clone(&text)],
            kept: text.len(),
            text,
            failed: HashSet::new(),
            tidy: false,
            strict: false,
            care: Care::Quick,
            checks: 0,
            epoch: 0,
            pass: "",
            workers,
            options,
            until: options.time.map(|d| Instant::now() + d),
            observer,
        }
    }

    /// Whether the user or the clock says stop.
    pub(crate) fn is_over(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Names what is done next, and gives back memory that candidates took.
    pub(crate) fn begin(&mut self, pass: &'static str) {
        self.pass = pass;
        if self.arena.term_count() > 200_000 + 8 * self.text.len() {
            self.restart_from(Arc::clone(&self.text));
        }
    }

    /// Takes a text that held as the script of now.
    pub(crate) fn restart_from(&mut self, text: Arc<[u8]>) {
        let mut arena = Arena::new();
        if let Ok(parsed) = parse_script(&mut arena, &text) {
            self.arena = arena;
            self.script = parsed.script;
            self.text = text;
            self.epoch += 1;
        }
    }

    /// How long the script of now is.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The smallest text that held.
    pub(crate) fn best(&self) -> Arc<[u8]> {
        Arc::clone(self.history.last().expect("the input is there"))
    }

    pub(crate) fn workers(&mut self) -> &mut Workers {
        &mut self.workers
    }

    /// Forgets what was said with less care.
    pub(crate) fn be_careful(&mut self) {
        self.care = Care::Fresh;
        self.failed.clear();
    }

    /// Takes back results until one holds in fresh processes; whether the last one did.
    pub(crate) fn confirm(&mut self) -> Result<bool, Error> {
        let mut at_once = true;
        let mut step = 1;
        while self.history.len() > 1 {
            let best = self.best();
            self.checks += 1;
            if self.workers.check_all(&[Arc::clone(&best)], Care::Fresh)?[0] {
                self.restart_from(best);
                return Ok(at_once);
            }
            at_once = false;
            let keep = self.history.len().saturating_sub(step).max(1);
            self.history.truncate(keep);
            step *= 2;
        }
        let first = self.best();
        self.restart_from(first);
        Ok(at_once)
    }

    /// Tries everything that is proposed; whether anything was accepted.
    pub(crate) fn explore(&mut self, proposer: &mut dyn Proposer) -> Result<bool, Error> {
        self.explore_within(proposer, u64::MAX)
    }

    /// The same, asking about so many candidates at most.
    pub(crate) fn explore_within(&mut self, proposer: &mut dyn Proposer, asks: u64) -> Result<bool, Error> {
        let last = self.checks.saturating_add(asks);
        let mut flights: HashMap<u64, Flight> = HashMap::new();
        let mut accepted = false;
        let mut before = self.arena.checkpoint();
        loop {
            let grown = self.arena.term_count() - before.terms() > FORGET;
            if grown && flights.is_empty() && proposer.forgets() {
                self.arena.rollback(before);
            }
            // With much to forget, the next candidates wait until nothing made before is on its way.
            let wait = grown && !flights.is_empty() && proposer.forgets();
            let asked = self.checks + flights.len() as u64;
            let room = self.workers.count().min(flights.len() + last.saturating_sub(asked) as usize);
            while !wait && flights.len() < room && !self.is_over() {
                let Some(Proposal { ticket, mut script }) = proposer.next(&mut self.arena, &self.script)
                else {
                    break;
                };
                if self.tidy {
                    garbage::collect(&self.arena, &mut script);
                }
                let labels = if self.labels {
                    garbage::used_labels(&self.arena, &self.script)
                } else {
                    HashSet::new()
                };
                if !labels.is_empty() && garbage::loses_label(&self.arena, &script, &labels) {
                    proposer.settle(ticket, Fate::Failed);
                    continue;
                }
                let text = self.arena.display_script(&script);
                if !self.is_better(&text, proposer.may_grow() && !self.strict)
                    || proposer.must_shrink() && text.len() >= self.text.len()
                    || self.failed.contains(&hash(&text))
                    || flights.values().any(|f| *f.text == *text)
                {
                    proposer.settle(ticket, Fate::Failed);
                    continue;
                }
                let text: Arc<[u8]> = text.into();
                let id = self.workers.submit(Arc::clone(&text), self.care)?;
                flights.insert(id, Flight { ticket, epoch: self.epoch, script, text });
            }
            if flights.is_empty() {
                return Ok(accepted);
            }
            let (id, answer) = self.workers.wait()?;
            self.checks += 1;
            let Some(flight) = flights.remove(&id) else { continue };
            let fate = match answer {
                Ok(false) => {
                    // What ran out of time says nothing of the candidate.
                    if !self.is_over() {
                        self.failed.insert(hash(&flight.text));
                    }
                    Fate::Failed
                }
                Ok(true) if flight.epoch != self.epoch => Fate::Stale,
                Ok(true) => {
                    self.accept(flight.script, flight.text);
                    accepted = true;
                    before = self.arena.checkpoint();
                    Fate::Accepted
                }
                Err(_) if self.is_over() => Fate::Failed,
                Err(e) => return Err(e),
            };
            proposer.settle(flight.ticket, fate);
        }
    }

    /// Shorter, or as long and first in the alphabet: no sequence of such steps is endless.
    fn is_better(&self, text: &[u8], may_grow: bool) -> bool {
        if may_grow {
            return text != &*self.text && text.len() <= grown(self.text.len());
        }
        (text.len(), text) < (self.text.len(), &*self.text)
    }

    fn accept(&mut self, script: Script, text: Arc<[u8]>) {
        self.epoch += 1;
        self.script = script;
        self.text = Arc::clone(&text);
        let best = self.best();
        if (text.len(), &*text) < (best.len(), &*best) {
            self.kept += text.len();
            self.history.push(text);
            // The input stays, for there must be something to go back to.
            while self.kept > HISTORY && self.history.len() > 2 {
                self.kept -= self.history.remove(1).len();
            }
            let best = self.best();
            (self.observer)(&Progress { pass: self.pass, checks: self.checks, text: &best });
        }
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
