//! Settling candidates: made smaller, told apart, confirmed at a longer limit, stored.
//!
//! Two candidates are the same as long as they use the same operators of their theories. The one that adds least to
//! what is confirmed already comes first, then the least complex.

use serde::{Deserialize, Serialize};
use serde_json::json;
use smelt_core::{Expectation, FindingKind, OutcomeKind, Provenance, SeedHash};
use smelt_oracle::{Charge, Reading, Reason, fingerprint};
use smelt_reduce::Options;
use smelt_strategies::evolve::complexity_of;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::individual::{Individual, Timing};
use super::measure::{IsOver, limits, run};
use super::search::{Config, Event};
use crate::EVOLVE;
use smelt_store::Error;
use smelt_store::{Batch, Filed, NewFinding, Store, Triaged};
use smelt_triage::{Class, Dossier, Figures, History, Needs, Release, Said, Standing};
use smelt_trial::RUNS;
use smelt_trial::predicates::{Lineup, SlowSource, Slowness};

/// While a script is made smaller the target must take this long, and the reference at most [`RATIO`] times less or
/// twice what it took for the candidate.
const SLOW: Duration = Duration::from_millis(500);
const RATIO: f64 = 20.0;
/// The share of the longer limit that making one smaller may take, and what it may take in any case: what is not small
/// is not told apart.
const REDUCTION: (f64, Duration) = (1.0 / 3.0, Duration::from_secs(15));
/// What is this simple is left as it is.
const SIMPLE: u64 = 8;
/// How often candidates of the same operators are tried.
const TRIES: u32 = 3;
/// How long an earlier release gets.
const RELEASE: Duration = Duration::from_secs(1);
/// How many times faster an earlier release must be to call it a regression.
const TIMES: f64 = 20.0;

/// A script that the target does not finish and the reference does at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    text: String,
    complexity: u64,
    operators: Vec<String>,
    /// What the reference took, in seconds.
    reference: f64,
    number: u64,
}

/// A finding of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmed {
    /// Its number in the store; empty for what is slow and no finding.
    pub id: String,
    /// What it is.
    pub kind: Option<FindingKind>,
    /// The operators that tell it apart.
    pub operators: Vec<String>,
    /// How complex its script is.
    pub complexity: u64,
    /// The script.
    pub script: String,
    /// What the target did at the longer limit.
    pub target: Timing,
    /// What the reference did.
    pub reference: Timing,
    /// What earlier releases did.
    pub releases: Vec<(String, Timing)>,
}

/// What became of candidates.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Desk {
    waiting: Vec<Candidate>,
    /// By operators: how often it was tried.
    tried: BTreeMap<String, u32>,
    /// Operators of what is being looked into.
    #[serde(skip)]
    at_work: BTreeSet<String>,
    /// Operators of what is being confirmed.
    #[serde(skip)]
    in_court: BTreeSet<Vec<String>>,
    /// What was confirmed.
    pub confirmed: Vec<Confirmed>,
    /// What ended at the longer limit: slow, but no finding.
    pub slow: Vec<Confirmed>,
    /// How many candidates there were.
    pub candidates: u64,
}

fn key(operators: &[String]) -> String {
    operators.join(" ")
}

impl Desk {
    /// Takes a candidate.
    pub(crate) fn add(&mut self, individual: &Individual, number: u64) {
        let operators = operators(individual.text.as_bytes());
        self.candidates += 1;
        let known = self.is_known(&operators);
        // One simpler script of each kind is enough to wait.
        let better = |c: &Candidate| c.operators == operators && c.complexity <= individual.complexity;
        if known || self.waiting.iter().any(better) {
            return;
        }
        let (text, complexity) = (individual.text.clone(), individual.complexity);
        let reference = individual.reference.seconds;
        self.waiting.push(Candidate { text, complexity, operators, reference, number });
    }

    fn is_known(&self, operators: &[String]) -> bool {
        self.has(operators) || self.tried.get(&key(operators)).is_some_and(|n| *n >= TRIES)
    }

    /// Whether a script has all operators of something confirmed, whatever else it has.
    pub(crate) fn explains(&self, text: &[u8]) -> bool {
        within(text, self.confirmed.iter().map(|c| &c.operators[..])).next().is_some()
    }

    /// The operators of all that is confirmed, being confirmed or waiting and that a script has all operators of: it
    /// is no news.
    pub(crate) fn explanations(&self, text: &[u8]) -> impl Iterator<Item = &[String]> {
        let confirmed = self.confirmed.iter().map(|c| &c.operators[..]);
        let waiting = self.waiting.iter().map(|c| &c.operators[..]);
        within(text, confirmed.chain(waiting).chain(self.in_court.iter().map(|o| &o[..])))
    }

    /// Whether a finding has exactly these operators.
    fn has(&self, operators: &[String]) -> bool {
        self.confirmed.iter().any(|c| c.operators == operators)
    }

    /// Takes on confirming a script of these operators, unless that is done or being done.
    fn claim(&mut self, operators: &[String]) -> bool {
        !self.has(operators) && self.in_court.insert(operators.to_vec())
    }

    /// How many kinds of candidates wait.
    pub fn waiting(&self) -> usize {
        self.waiting.iter().map(|c| &c.operators).collect::<BTreeSet<_>>().len()
    }

    /// How many of these kinds nobody looks into.
    pub(crate) fn free(&self) -> usize {
        let kinds: BTreeSet<String> = self.waiting.iter().map(|c| key(&c.operators)).collect();
        kinds.difference(&self.at_work).count()
    }

    /// How many of them may well be something new: never tried, and without the operators of a finding.
    pub(crate) fn promising(&self) -> usize {
        let is_new = |c: &&Candidate| {
            let key = key(&c.operators);
            !self.at_work.contains(&key)
                && !self.tried.contains_key(&key)
                && !self.explains(c.text.as_bytes())
        };
        self.waiting.iter().filter(is_new).map(|c| &c.operators).collect::<BTreeSet<_>>().len()
    }

    /// Whether there is anything to look into.
    pub(crate) fn is_busy(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The most promising candidate.
    fn next(&mut self) -> Option<Candidate> {
        let known: Vec<Candidate> = std::mem::take(&mut self.waiting);
        self.waiting = known.into_iter().filter(|c| !self.is_known(&c.operators)).collect();
        let covered = |c: &Candidate| self.explains(c.text.as_bytes());
        let free = |c: &&Candidate| !self.at_work.contains(&key(&c.operators));
        let tried = |c: &Candidate| self.tried.get(&key(&c.operators)).copied().unwrap_or(0);
        let best =
            self.waiting.iter().filter(free).min_by_key(|c| (tried(c), covered(c), c.complexity, c.number));
        let best = best.cloned()?;
        self.at_work.insert(key(&best.operators));
        Some(best)
    }

    /// Takes note that a candidate was looked into, to the end or not. Until then it waits, whatever happens.
    fn done(&mut self, candidate: &Candidate, to_the_end: bool) {
        self.at_work.remove(&key(&candidate.operators));
        if to_the_end {
            self.waiting.retain(|c| c != candidate);
            *self.tried.entry(key(&candidate.operators)).or_default() += 1;
        }
    }
}

/// Those of some lists of operators that a script has all of.
fn within<'a>(text: &[u8], lists: impl Iterator<Item = &'a [String]>) -> impl Iterator<Item = &'a [String]> {
    let mut lists = lists.filter(|l| !l.is_empty()).peekable();
    let operators = if lists.peek().is_some() { Reading::new(text).operators(0) } else { Vec::new() };
    lists.filter(move |l| l.iter().all(|o| operators.contains(o)))
}

/// The operators that tell most about a script.
pub(crate) fn operators(text: &[u8]) -> Vec<String> {
    Reading::new(text).telling(0).0
}

/// What came of making a candidate smaller.
enum Reduced {
    /// Something smaller.
    To(smelt_reduce::Reduction),
    /// Something that has the operators of a finding.
    Known,
    /// Nothing: it stays as it is.
    Not,
}

/// Who settles.
pub(crate) struct Settler<'a> {
    pub(crate) config: &'a Config,
    pub(crate) store: &'a Mutex<Store>,
    pub(crate) desk: &'a Mutex<Desk>,
    pub(crate) tell: &'a (dyn Fn(&Event) + Sync),
    /// Whether to stop now.
    pub(crate) is_over: IsOver<'a>,
    /// Whether there is time for another one.
    pub(crate) has_time: IsOver<'a>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Settler<'_> {
    /// Settles candidates as they come, until `is_done` says that there will be no more.
    pub(crate) fn work(&self, is_done: &dyn Fn() -> bool) -> Result<(), Error> {
        while !(self.is_over)() && (self.has_time)() {
            let last = is_done();
            if self.next()? {
                continue;
            }
            if last {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    /// Settles candidates until none that waits is promising.
    pub(crate) fn catch_up(&self) -> Result<(), Error> {
        while !(self.is_over)() && (self.has_time)() && lock(self.desk).promising() > 0 && self.next()? {}
        Ok(())
    }

    /// Settles the next candidate; whether there was one.
    fn next(&self) -> Result<bool, Error> {
        let Some(candidate) = lock(self.desk).next() else { return Ok(false) };
        let done = self.settle(&candidate);
        lock(self.desk).done(&candidate, matches!(done, Ok(true)));
        done.map(|_| true)
    }

    /// Looks into one candidate; `false` when there was no time to.
    fn settle(&self, candidate: &Candidate) -> Result<bool, Error> {
        let whole = candidate.text.as_bytes();
        let reduced = match candidate.complexity > SIMPLE {
            true => self.reduce(candidate)?,
            false => Reduced::Not,
        };
        if (self.is_over)() {
            return Ok(false);
        }
        let small = match &reduced {
            Reduced::Known => return Ok(true),
            Reduced::To(r) => Some(r).filter(|r| r.text.len() < whole.len()),
            Reduced::Not => None,
        };
        // What ends at the longer limit counts only where nothing hangs: the smaller one may be another matter.
        let mut ends: Option<(Confirmed, Option<&smelt_reduce::Reduction>)> = None;
        for (text, reduction) in small.map(|r| (&r.text[..], Some(r))).into_iter().chain([(whole, None)]) {
            let operators = operators(text);
            if !lock(self.desk).claim(&operators) {
                break;
            }
            let done = self.look(candidate, text, &operators).and_then(|seen| match seen {
                Some(Some(seen)) if seen.kind == Some(FindingKind::Hang) => {
                    self.store(candidate, seen, reduction)
                }
                Some(seen) => {
                    ends = ends.take().or(seen.map(|seen| (seen, reduction)));
                    Ok(Some(false))
                }
                None => Ok(None),
            });
            lock(self.desk).in_court.remove(&operators);
            match done? {
                None => return Ok(false),
                Some(true) => return Ok(true),
                Some(false) => {}
            }
        }
        match ends {
            Some((slow, _)) if slow.kind.is_none() => lock(self.desk).slow.push(slow),
            Some((slow, reduction)) => return Ok(self.store(candidate, slow, reduction)?.is_some()),
            None => {}
        }
        Ok(true)
    }

    /// Makes a candidate smaller, until it has the operators of a finding: it would only become that one.
    fn reduce(&self, candidate: &Candidate) -> Result<Reduced, Error> {
        let solvers = [self.config.target.clone(), self.config.reference.clone()];
        let stop = AtomicBool::new(false);
        let slow = SLOW.min(self.config.timeout);
        let fast = slow.div_f64(RATIO).max(Duration::from_secs_f64(candidate.reference * 2.0));
        let lineup = Lineup { solvers: &solvers, limits: limits(slow, self.config.memory), stop: &stop };
        let source = SlowSource::new(lineup, Slowness::Apart { slow, fast });
        let time = self.config.confirm.mul_f64(REDUCTION.0).max(REDUCTION.1);
        let options = Options { jobs: 1, time: Some(time), stop: &stop, seed: None };
        let until = Instant::now() + time * 2;
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    if (self.is_over)() || Instant::now() > until {
                        stop.store(true, Relaxed);
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
            });
            let mut known = false;
            let mut watch = |progress: &smelt_reduce::Progress<'_>| {
                known |= lock(self.desk).has(&operators(progress.text));
                if known {
                    stop.store(true, Relaxed);
                }
            };
            let result = smelt_reduce::reduce(candidate.text.as_bytes(), &source, &options, &mut watch);
            done.store(true, Relaxed);
            Ok(match result {
                _ if known => Reduced::Known,
                Ok(reduction) if reduction.confirmed => Reduced::To(reduction),
                _ => Reduced::Not,
            })
        })
    }

    /// One run of a solver; `None` when it was stopped.
    fn time(
        &self,
        solver: &smelt_solvers::Solver,
        text: &[u8],
        limit: Duration,
    ) -> Result<Option<Timing>, Error> {
        let finished = run(solver, text, limits(limit, self.config.memory), self.is_over)?;
        Ok(finished.map(|f| Timing::of(&f.outcome, limit)))
    }

    /// What a script is at the longer limit, if it is slow at all; `None` when there was no time to look.
    fn look(
        &self,
        candidate: &Candidate,
        text: &[u8],
        operators: &[String],
    ) -> Result<Option<Option<Confirmed>>, Error> {
        let config = self.config;
        let time = |solver: &smelt_solvers::Solver, limit| self.time(solver, text, limit);
        let Some(reference) = time(&config.reference.solver, config.timeout)? else { return Ok(None) };
        if !reference.is_decided() || reference.seconds > config.at_once.as_secs_f64() {
            return Ok(Some(None));
        }
        let Some(target) = time(&config.target.solver, config.confirm)? else { return Ok(None) };
        if target.is_timeout() && !target.has_reached(config.confirm) {
            return Ok(Some(None)); // the machine had no time for it
        }
        let slow = target.is_timeout() || target.seconds > reference.seconds * TIMES;
        let mut releases = Vec::new();
        if slow {
            for release in self.earlier() {
                let Some(timing) = time(&release.solver, RELEASE)? else { return Ok(None) };
                releases.push((release.solver.id().to_string(), timing));
            }
        }
        let better = |t: &Timing| t.is_decided() && t.seconds * TIMES <= target.seconds;
        let regression = releases.iter().any(|(_, t)| better(t) && t.seconds <= config.at_once.as_secs_f64());
        let kind = match (target.is_timeout(), target.is_decided() && regression) {
            (true, _) => Some(FindingKind::Hang),
            (false, true) => Some(FindingKind::PerfRegression),
            (false, false) => None,
        };
        Ok(Some(Some(Confirmed {
            id: String::new(),
            kind,
            operators: operators.to_vec(),
            complexity: complexity_of(text).unwrap_or(candidate.complexity),
            script: String::from_utf8_lossy(text).into_owned(),
            target,
            reference,
            releases,
        })))
    }

    /// Stores what holds when it is looked at once more; whether it does, or `None` when there was no time to look.
    fn store(
        &self,
        candidate: &Candidate,
        mut confirmed: Confirmed,
        reduction: Option<&smelt_reduce::Reduction>,
    ) -> Result<Option<bool>, Error> {
        let config = self.config;
        let Confirmed { kind: Some(kind), target, reference, .. } = confirmed else { return Ok(Some(false)) };
        let text = confirmed.script.clone().into_bytes();
        let time = |solver, limit| self.time(solver, &text, limit);
        // A third look, at the limit of the search: nothing is stored that shows only now and then.
        let least = if target.is_timeout() { config.timeout } else { config.confirm };
        let (Some(again), Some(fast)) =
            (time(&config.target.solver, least)?, time(&config.reference.solver, config.timeout)?)
        else {
            return Ok(None);
        };
        let holds = fast.outcome == reference.outcome
            && fast.seconds <= config.at_once.as_secs_f64()
            && (again.is_timeout()
                || kind == FindingKind::PerfRegression && again.seconds * 2.0 > target.seconds);
        if !holds {
            return Ok(Some(false));
        }
        confirmed.reference = reference.with(fast);
        confirmed.id = self.file(candidate, &text, kind, &confirmed, reduction)?;
        lock(self.desk).confirmed.push(confirmed);
        Ok(Some(true))
    }

    /// Earlier releases of the target, with its arguments.
    fn earlier(&self) -> Vec<smelt_trial::Contestant> {
        let target = &self.config.target.solver;
        let earlier = |c: &&smelt_trial::Contestant| {
            let versions = c.solver.id().version().zip(target.id().version());
            c.solver.profile().name == target.profile().name && versions.is_some_and(|(a, b)| a < b)
        };
        let with_arguments = |c: &smelt_trial::Contestant| {
            let mut release = c.clone();
            release.solver = release.solver.without_user_args().with_args(target.user_args());
            release
        };
        self.config.releases.iter().filter(earlier).map(with_arguments).collect()
    }

    /// Stores a finding; its number.
    fn file(
        &self,
        candidate: &Candidate,
        text: &[u8],
        kind: FindingKind,
        confirmed: &Confirmed,
        reduction: Option<&smelt_reduce::Reduction>,
    ) -> Result<String, Error> {
        let (target, reference) = (&self.config.target, &self.config.reference);
        let theory = Reading::new(text).theory();
        let family = target.family().to_owned();
        let word = fingerprint::word(&confirmed.operators);
        let print = format!("{family}/{}/{word}", Class::Slow.as_str());
        let took = match kind {
            FindingKind::Hang => format!("no end in {} s", self.config.confirm.as_secs()),
            _ => format!("{:.1} s", confirmed.target.seconds),
        };
        let other = reference.solver.id();
        let fast = confirmed.reference.seconds * 1e3;
        let reason = format!("{took}, where {other} says {} in {fast:.0} ms", confirmed.reference.outcome);
        let id = target.solver.id().clone();
        let hash = SeedHash::of(text);
        let finding = NewFinding {
            charge: Charge {
                accused: vec![0],
                solver: id.clone(),
                check: None,
                kind,
                evidence: None,
                theory: theory.clone(),
                fingerprint: print.clone(),
                reason: Reason::Regression(reason.clone()),
            },
            number: candidate.number,
            script: text.to_vec(),
            provenance: Provenance {
                seeds: vec![hash],
                strategy: EVOLVE.to_owned(),
                ..Provenance::default()
            },
            expectation: Expectation::None,
            seen: Some(RUNS),
            solvers: vec![target.spec.clone(), reference.spec.clone()],
            story: json!({ "bred": candidate.text, "confirmed": confirmed }),
            seeds: vec![(hash.to_string(), format!("individual {}", candidate.number), text.to_vec())],
        };
        let said = |c: &smelt_trial::Contestant, outcome: OutcomeKind, accused: bool| Said {
            solver: c.solver.id().clone(),
            command: c.solver.portable_command("bug.smt2", text),
            outcome,
            answers: Vec::new(),
            message: None,
            accused,
        };
        let release = |(name, t): &(String, Timing)| Release {
            solver: serde_json::from_value(json!(name)).unwrap_or_else(|_| id.clone()),
            standing: match t.outcome {
                _ if t.is_decided() && t.seconds <= self.config.at_once.as_secs_f64() => Standing::Good,
                OutcomeKind::Timeout | OutcomeKind::Memout => Standing::Bad,
                _ => Standing::Unclear,
            },
            outcome: Some(t.outcome),
            wall_ms: t.seconds * 1e3,
            kind: None,
            evidence: None,
            reason: None,
        };
        let own = (id.to_string(), confirmed.target);
        let dossier = Dossier {
            kind,
            evidence: None,
            reason,
            accused: vec![id.clone()],
            profile: target.solver.profile().name.clone(),
            theory,
            fingerprint: print,
            operators: confirmed.operators.clone(),
            cleared: Vec::new(),
            said: vec![
                said(target, confirmed.target.outcome, true),
                said(reference, confirmed.reference.outcome, false),
            ],
            model: None,
            culprit: None,
            needs: Needs { flags: target.solver.user_args(), ..Needs::default() },
            history: History { releases: confirmed.releases.iter().chain([&own]).map(release).collect() },
            reduction: reduction.map(|r| Figures {
                bytes_before: r.bytes_before,
                bytes_after: r.text.len(),
                checks: r.checks,
                wall_s: (r.wall.as_secs_f64() * 1e3).round() / 1e3,
                complete: r.complete,
            }),
            differences: Vec::new(),
            smelt: env!("CARGO_PKG_VERSION").parse().ok(),
        };
        let mut store = lock(self.store);
        let filed = store.write(&Batch { findings: vec![finding], ..Batch::default() })?;
        let Some(Filed::New(number)) = filed.first() else { return Ok(String::new()) };
        let number = number.to_string();
        let reduced = reduction.map(|_| text.to_vec());
        store.note(Triaged { finding: number.clone(), reduced, dossier })?;
        let stored = store.finding(&number)?.finding;
        drop(store);
        (self.tell)(&Event::Found(stored, confirmed.complexity));
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn individual(body: &str) -> Individual {
        let text = format!("(declare-const a String)(declare-const i Int)(assert {body})(check-sat)");
        let timing = |seconds, outcome| Timing { seconds, outcome, runs: 1 };
        Individual {
            complexity: complexity_of(text.as_bytes()).unwrap(),
            text,
            target: timing(5.0, OutcomeKind::Timeout),
            reference: timing(0.01, OutcomeKind::Sat),
            behaviour: None,
            covered: 0.0,
            known: false,
        }
    }

    #[test]
    fn candidates_with_the_same_operators_wait_once_and_the_simplest_first() {
        let mut desk = Desk::default();
        desk.add(&individual("(> (str.to_int (str.++ a a)) i)"), 1);
        desk.add(&individual("(> (str.to_int a) i)"), 2);
        desk.add(&individual("(> (str.to_int (str.++ a \"1\" a)) 7)"), 3);
        assert_eq!((desk.candidates, desk.waiting()), (3, 2));
        let first = desk.next().unwrap();
        assert_eq!((first.number, desk.waiting(), desk.free()), (2, 2, 1));
        let second = desk.next().unwrap();
        assert!(second.number != 2 && desk.next().is_none());
        desk.done(&first, true);
        desk.done(&second, false);
        assert_eq!(desk.waiting(), 1, "what was interrupted waits still");
        assert_eq!(desk.next(), Some(second));
    }

    fn confirmed(known: &Individual) -> Confirmed {
        Confirmed {
            id: "1".into(),
            kind: Some(FindingKind::Hang),
            operators: operators(known.text.as_bytes()),
            complexity: 5,
            script: known.text.clone(),
            target: known.target,
            reference: known.reference,
            releases: Vec::new(),
        }
    }

    #[test]
    fn one_finding_of_each_kind_is_confirmed_at_a_time() {
        let mut desk = Desk::default();
        let (known, more) =
            (individual("(str.contains a \"b\")"), individual("(str.contains a (str.at a i))"));
        let kind = operators(known.text.as_bytes());
        assert!(desk.claim(&kind) && !desk.claim(&kind));
        assert_eq!(desk.explanations(more.text.as_bytes()).count(), 1);
        assert!(!desk.explains(more.text.as_bytes()), "it is not confirmed yet");
        desk.in_court.clear();
        desk.confirmed.push(confirmed(&known));
        assert!(!desk.claim(&kind));
        // A function tells more than a predicate, but the predicate explains it all the same.
        assert!(desk.claim(&operators(more.text.as_bytes())) && desk.explains(more.text.as_bytes()));
    }

    #[test]
    fn what_adds_least_to_what_is_confirmed_comes_last() {
        let mut desk = Desk::default();
        let known = individual("(> (str.to_int a) i)");
        desk.confirmed.push(confirmed(&known));
        desk.add(&known, 1);
        assert_eq!(desk.waiting(), 0, "it is known");
        assert!(desk.explains(individual("(> (str.to_int (str.++ a a)) i)").text.as_bytes()));
        assert!(!desk.explains(individual("(= a (str.++ a a))").text.as_bytes()));
        desk.add(&individual("(> (str.to_int (str.++ a a)) i)"), 2);
        desk.add(&individual("(= (str.replace a (str.replace a \"b\" \"c\") \"dd\") (str.substr a i i))"), 3);
        assert_eq!((desk.free(), desk.promising()), (2, 1));
        assert_eq!(desk.next().unwrap().number, 3, "although it is less simple");
        assert_eq!((desk.free(), desk.promising()), (1, 0));
    }
}
