//! The search: gives candidates to the workers, and keeps smaller ones that are still interesting.
//!
//! Several candidates are checked at once. Most of them fail, so each new candidate assumes that the pending ones
//! fail. If one succeeds, other pending candidates that also succeed are rebuilt on top of it.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::{Arena, Script, parse_script};

use crate::error::Error;
use crate::garbage;
use crate::predicate::Care;
use crate::propose::Subsets;
use crate::replace::{Change, Slots, apply};
use crate::workers::Workers;
use crate::{Progress, ReduceOptions};

/// The fate of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is the current script now.
    Accepted,
    /// It is not interesting, or not smaller.
    Failed,
    /// It is interesting, but not based on the current script: propose it again.
    Stale,
}

/// How long a candidate may be, compared with the current script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// It must be shorter.
    Shorter,
    /// It must be shorter, or as long and earlier in the alphabet: no sequence of such steps is endless.
    Better,
    /// It may be longer: it may make later cuts possible.
    MayGrow,
}

/// A candidate, under a number that its proposer knows.
pub(crate) struct Proposal {
    pub(crate) ticket: usize,
    pub(crate) script: Script,
}

/// Something that proposes candidates.
pub(crate) trait Proposer {
    /// The next candidate, if there is one at the moment. `base` is the current script.
    fn next(&mut self, arena: &mut Arena, base: &Script) -> Option<Proposal>;

    /// Reports the fate of a candidate to the proposer.
    fn settle(&mut self, ticket: usize, fate: Fate);

    /// How long its candidates may be.
    fn length(&self) -> Length;

    /// Whether the terms of failed candidates can be forgotten: the proposer keeps no terms that were made since it
    /// started.
    fn forgets(&self) -> bool {
        false
    }
}

/// The greatest length of a candidate that may grow.
fn grown(bytes: usize) -> usize {
    bytes + bytes / 2 + 400
}

/// This many bytes of earlier results are kept, in case the last one is not confirmed.
const HISTORY: usize = 16 << 20;

/// The arena is rolled back after candidates have left this many terms in it.
const FORGET: usize = 1 << 20;

/// A proposal that is being checked.
struct Flight {
    ticket: usize,
    epoch: u64,
    script: Script,
    text: Arc<[u8]>,
}

pub(crate) struct Search<'a> {
    pub(crate) arena: Arena,
    /// The current script.
    pub(crate) script: Script,
    pub(crate) text: Arc<[u8]>,
    /// Texts of which the predicate held, oldest first; the last is the smallest.
    history: Vec<Arc<[u8]>>,
    kept: usize,
    /// Whether terms use names that `:named` gives to others: a term that gives a used name must not go alone.
    labels: bool,
    /// Hashes of texts of which the predicate does not hold.
    failed: HashSet<u64>,
    /// Whether unused declarations are removed without a check.
    pub(crate) tidy: bool,
    /// Whether every step must make the script better: `Length::MayGrow` is not granted.
    pub(crate) strict: bool,
    pub(crate) care: Care,
    pub(crate) checks: u64,
    epoch: u64,
    pass: &'static str,
    workers: Workers,
    options: &'a ReduceOptions<'a>,
    until: Option<Instant>,
    observer: &'a mut dyn FnMut(&Progress<'_>),
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        arena: Arena,
        script: Script,
        text: &[u8],
        workers: Workers,
        options: &'a ReduceOptions<'a>,
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

    /// Whether the user stopped the search or its time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Names the next pass, and frees memory that candidates took.
    pub(crate) fn begin(&mut self, pass: &'static str) {
        self.pass = pass;
        if self.arena.term_count() > 200_000 + 8 * self.text.len() {
            self.restart_from(Arc::clone(&self.text));
        }
    }

    /// Makes a text of which the predicate held the current script.
    pub(crate) fn restart_from(&mut self, text: Arc<[u8]>) {
        let mut arena = Arena::new();
        if let Ok(parsed) = parse_script(&mut arena, &text) {
            self.arena = arena;
            self.script = parsed.script;
            self.text = text;
            self.epoch += 1;
        }
    }

    /// The smallest text of which the predicate held.
    pub(crate) fn best(&self) -> Arc<[u8]> {
        Arc::clone(self.history.last().expect("the input is there"))
    }

    /// Checks in fresh processes from now on, and forgets earlier failures.
    pub(crate) fn be_careful(&mut self) {
        self.care = Care::Fresh;
        self.failed.clear();
    }

    /// Whether the predicate holds of a text this many times.
    pub(crate) fn all_hold(&mut self, text: &Arc<[u8]>, times: usize, care: Care) -> Result<bool, Error> {
        let answers = self.workers.check_all(&vec![Arc::clone(text); times], care)?;
        self.checks += times as u64;
        Ok(answers.into_iter().all(|held| held))
    }

    /// Goes back to the last result that holds in fresh processes; whether that is the best one.
    pub(crate) fn confirm(&mut self) -> Result<bool, Error> {
        let mut at_once = true;
        let mut step = 1;
        while self.history.len() > 1 {
            let best = self.best();
            if self.all_hold(&best, 1, Care::Fresh)? {
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

    /// Tries the alternatives of independent places, in halves; whether one was accepted.
    pub(crate) fn explore_changes(
        &mut self,
        places: &Occurrences,
        mut slots: Slots,
        length: Length,
    ) -> Result<bool, Error> {
        slots.retain(|s| !s.1.is_empty());
        let script = self.script.clone();
        let counts = slots.iter().map(|s| s.1.len()).collect();
        let build = |arena: &mut Arena, chosen: &[(usize, usize)]| {
            let changes: Vec<(Occurrence, &Change)> =
                chosen.iter().map(|(slot, which)| (slots[*slot].0, &slots[*slot].1[*which])).collect();
            apply(arena, &script, places, &changes)
        };
        self.explore(&mut Subsets::new(counts, length, build))
    }

    /// Tries all proposals; whether one was accepted.
    pub(crate) fn explore(&mut self, proposer: &mut dyn Proposer) -> Result<bool, Error> {
        self.explore_within(proposer, u64::MAX)
    }

    /// The same with at most `asks` checks.
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
            // With much to forget, the next candidates wait until no earlier one is being checked.
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
                let text = self.arena.display_script(&script);
                if self.labels && garbage::loses_label(&self.arena, &self.script, &script)
                    || !self.is_acceptable(&text, proposer.length())
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
                    // A check that ran out of time says nothing about the candidate.
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

    fn is_acceptable(&self, text: &[u8], length: Length) -> bool {
        match length {
            Length::Shorter => text.len() < self.text.len(),
            Length::MayGrow if !self.strict => text != &*self.text && text.len() <= grown(self.text.len()),
            _ => (text.len(), text) < (self.text.len(), &*self.text),
        }
    }

    fn accept(&mut self, script: Script, text: Arc<[u8]>) {
        self.epoch += 1;
        self.script = script;
        self.text = Arc::clone(&text);
        let best = self.best();
        if (text.len(), &*text) < (best.len(), &*best) {
            self.kept += text.len();
            self.history.push(text);
            // The input stays: if nothing else is confirmed, it is the result.
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
