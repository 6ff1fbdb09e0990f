//! Confirms candidates: reduces each, compares it with known findings, runs it with a longer limit, and lets triage
//! examine it and store it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use smelt_core::{
    Accused, Case, Cause, Claim, Dossier, Event, EventSink, Kind, Provenance, Reason, Release, SeedHash,
    Standing,
};

use smelt_reduce::{ReduceOptions, Reduction};
use smelt_store::{Batch, Error, Filed, NewFinding, Store, Triaged};
use smelt_strategies::evolve::complexity_of;
use smelt_triage::{Examiner, Means, Unexamined};
use smelt_trial::predicates::{SlowSource, Slowness};
use smelt_trial::{IsOver, Lineup, NamedSolver, RUNS, lock};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::EVOLVE;
use crate::candidates::{Candidate, Candidates, operators};
use crate::individual::{SLOW, TIMES, Timing};
use crate::measure::{limits, run};
use crate::search::Config;

/// The share of the longer limit that one reduction may take, and the least time it gets: a script that is not small
/// cannot be compared with known findings.
const REDUCTION: (f64, Duration) = (1.0 / 3.0, Duration::from_secs(15));
/// Scripts of at most this complexity are not reduced.
const SIMPLE: u64 = 8;
/// The time limit of an earlier release.
const RELEASE: Duration = Duration::from_secs(1);
/// How often the target is run at the longer limit if a busy machine keeps it from its time.
const CHANCES: u32 = 3;

/// A finding of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmed {
    /// Its number in the store; empty if it is only slow and not a finding.
    pub id: String,
    /// The kind of the finding; `None` if it is only slow.
    pub kind: Option<Kind>,
    /// The operators that distinguish it from other findings.
    pub operators: Vec<String>,
    /// How complex its script is.
    pub complexity: u64,
    /// The script.
    pub script: String,
    /// The target's time at the longer limit.
    pub target: Timing,
    /// The reference's time.
    pub reference: Timing,
    /// The times of earlier releases.
    pub releases: Vec<(String, Timing)>,
}

/// The result of reducing a candidate.
enum Reduced {
    /// A smaller script.
    To(Reduction),
    /// The script has the operators of a known finding.
    Known,
    /// The candidate could not be reduced.
    Not,
}

/// Confirms candidates.
pub(crate) struct Confirmer<'a> {
    pub(crate) config: &'a Config,
    pub(crate) store: &'a Mutex<Store>,
    pub(crate) candidates: &'a Mutex<Candidates>,
    pub(crate) sink: &'a dyn EventSink,
    /// Whether to stop now.
    pub(crate) is_over: IsOver<'a>,
    /// Whether there is time to confirm another candidate.
    pub(crate) has_time: IsOver<'a>,
}

impl Confirmer<'_> {
    /// Confirms candidates as they come, until `is_done` says that there will be no more.
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

    /// Confirms candidates until none that waits is promising.
    pub(crate) fn catch_up(&self) -> Result<(), Error> {
        while !(self.is_over)()
            && (self.has_time)()
            && lock(self.candidates).promising() > 0
            && self.next()?
        {}
        Ok(())
    }

    /// Confirms the next candidate; returns whether there was one.
    fn next(&self) -> Result<bool, Error> {
        let Some(candidate) = lock(self.candidates).next() else { return Ok(false) };
        let done = self.confirm(&candidate);
        lock(self.candidates).done(&candidate, matches!(done, Ok(true)));
        done.map(|_| true)
    }

    /// Confirms one candidate; `false` if there was no time.
    fn confirm(&self, candidate: &Candidate) -> Result<bool, Error> {
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
        // A script that ends within the longer limit counts only if neither script hangs: reduction may have changed the
        // cause.
        let mut ends: Option<Measured> = None;
        for (text, reduction) in small.map(|r| (&r.text[..], Some(r))).into_iter().chain([(whole, None)]) {
            let operators = operators(text);
            if !lock(self.candidates).claim(&operators) {
                break;
            }
            let done = self.look(candidate, text, reduction).and_then(|seen| match seen {
                Some(Some(seen)) if seen.confirmed.kind == Some(Kind::Hang) => self.store(candidate, seen),
                Some(seen) => {
                    ends = ends.take().or(seen);
                    Ok(Some(false))
                }
                None => Ok(None),
            });
            lock(self.candidates).being_confirmed.remove(&operators);
            match done? {
                None => return Ok(false),
                Some(true) => return Ok(true),
                Some(false) => {}
            }
        }
        match ends {
            Some(slow) if slow.confirmed.kind.is_none() => lock(self.candidates).slow.push(slow.confirmed),
            Some(slow) => return Ok(self.store(candidate, slow)?.is_some()),
            None => {}
        }
        Ok(true)
    }

    /// Reduces a candidate. Stops if it gets the operators of a known finding: it would only become that one.
    fn reduce(&self, candidate: &Candidate) -> Result<Reduced, Error> {
        let config = self.config;
        let fastest = match &config.references[..] {
            [_] => 0,
            _ => match self.reference(candidate.text.as_bytes())? {
                Some((_, fastest)) => fastest,
                None => return Ok(Reduced::Not),
            },
        };
        // The other targets are asked about the result.
        let solvers = [config.targets[0].clone(), config.references[fastest].clone()];
        let stop = AtomicBool::new(false);
        // During reduction the target must take this long, and the reference a part of it or twice its time for the candidate.
        let slow = SLOW.min(self.config.timeout);
        let fast = slow.div_f64(TIMES).max(Duration::from_secs_f64(candidate.reference * 2.0));
        let is_over = || stop.load(Relaxed);
        let lineup =
            Lineup { solvers: &solvers, limits: limits(slow, self.config.memory), is_over: &is_over };
        let source = SlowSource::new(lineup, Slowness::Apart { slow, fast });
        let time = self.config.confirm.mul_f64(REDUCTION.0).max(REDUCTION.1);
        let options = ReduceOptions { jobs: 1, time: Some(time), stop: &stop, seed: None };
        let until = Instant::now() + time * 2;
        let is_late = || (self.is_over)() || Instant::now() > until;
        let mut known = false;
        let mut watch = |progress: &smelt_reduce::Progress<'_>| {
            known |= lock(self.candidates).has(&operators(progress.text));
            if known {
                stop.store(true, Relaxed);
            }
        };
        let text = candidate.text.as_bytes();
        let result = stop_with(&stop, &is_late, || smelt_reduce::reduce(text, &source, &options, &mut watch));
        Ok(match result {
            _ if known => Reduced::Known,
            Ok(reduction) if reduction.confirmed => Reduced::To(reduction),
            _ => Reduced::Not,
        })
    }

    /// CPU time of solvers side by side, and which of them it is; `None` if it was stopped. One that decides within
    /// `enough` is enough.
    fn time(
        &self,
        solvers: &[NamedSolver],
        text: &[u8],
        limit: Duration,
        enough: Duration,
    ) -> Result<Option<(Timing, usize)>, Error> {
        let mut all = Vec::new();
        for named in solvers {
            let finished = run(&named.solver, text, limits(limit, self.config.memory), self.is_over)?;
            let Some(finished) = finished else { return Ok(None) };
            let timing = Timing::of(&finished.outcome, limit);
            all.push(timing);
            if timing.is_decided() && timing.seconds <= enough.as_secs_f64() {
                break;
            }
        }
        let best = Timing::together(all.iter().copied());
        Ok(best.and_then(|best| Some((best, all.iter().position(|t| *t == best)?))))
    }

    /// CPU time of the references and which of them it is; `None` if it was stopped.
    fn reference(&self, text: &[u8]) -> Result<Option<(Timing, usize)>, Error> {
        self.time(&self.config.references, text, self.config.timeout, self.config.at_once)
    }

    /// CPU time of the targets within a limit; `None` if it was stopped.
    fn target(&self, text: &[u8], limit: Duration) -> Result<Option<Timing>, Error> {
        Ok(self.time(&self.config.targets, text, limit, self.config.at_once)?.map(|(timing, _)| timing))
    }

    /// Measures a script at the longer limit; `Some(None)` if it is not slow, `None` if there was no time.
    fn look(
        &self,
        candidate: &Candidate,
        text: &[u8],
        reduction: Option<&Reduction>,
    ) -> Result<Option<Option<Measured>>, Error> {
        let config = self.config;
        let Some((reference, fastest)) = self.reference(text)? else { return Ok(None) };
        if !reference.is_decided() || reference.seconds > config.at_once.as_secs_f64() {
            return Ok(Some(None));
        }
        let Some(mut target) = self.target(text, config.confirm)? else { return Ok(None) };
        while target.is_starved(config.confirm, reference) && target.runs < CHANCES {
            let Some(again) = self.target(text, config.confirm)? else { return Ok(None) };
            target = target.with(again);
        }
        let slow = target.is_timeout() || target.seconds > reference.seconds * TIMES;
        if target.is_starved(config.confirm, reference) || !slow {
            return Ok(Some(None));
        }
        let took = match target.is_timeout() {
            true if target.has_reached(config.confirm) => {
                format!("no answer within {} s", config.confirm.as_secs())
            }
            true => format!("no answer within {:.1} s of CPU time", target.seconds),
            false => format!("{:.1} s", target.seconds),
        };
        let (other, fast) = (config.references[fastest].solver.id(), reference.seconds * 1e3);
        let others: Vec<String> =
            config.targets[1..].iter().map(|t| format!(", nor by {}", t.spec)).collect();
        let said = reference.outcome;
        let reason = format!("{took}{}, but {other} answers {said} in {fast:.0} ms", others.concat());
        let Some(dossier) = self.examine(candidate, reduction, &reason)? else { return Ok(None) };
        let better = |r: &Release| r.standing == Standing::Good && r.wall_ms / 1e3 * TIMES <= target.seconds;
        let kind = match (target.is_timeout(), target.is_decided()) {
            (true, _) => Some(Kind::Hang),
            (false, true) if dossier.history.releases.iter().any(better) => Some(Kind::PerfRegression),
            (false, _) => None,
        };
        let timing = |r: &Release| Some((r.solver.to_string(), Timing::released(r)?));
        let confirmed = Confirmed {
            id: String::new(),
            kind,
            operators: operators(text),
            complexity: complexity_of(text).unwrap_or(candidate.complexity),
            script: String::from_utf8_lossy(text).into_owned(),
            target,
            reference,
            releases: dossier.history.releases.iter().filter_map(timing).collect(),
        };
        Ok(Some(Some(Measured { confirmed, dossier, is_reduced: reduction.is_some() })))
    }

    /// The dossier of a candidate, with earlier releases of the target; `None` if there was no time.
    fn examine(
        &self,
        candidate: &Candidate,
        reduction: Option<&Reduction>,
        reason: &str,
    ) -> Result<Option<Dossier>, Error> {
        let Config { targets, references, releases, memory, .. } = self.config;
        let target = &targets[0];
        let earlier = |c: &&NamedSolver| c.solver.id().version() < target.solver.id().version();
        let means = Means { reference: None, releases: releases.iter().filter(earlier).cloned().collect() };
        let stop = AtomicBool::new(false);
        let limits = limits(RELEASE, *memory);
        let examiner = Examiner { means: &means, limits, jobs: 1, time: Duration::ZERO, stop: &stop };
        let solvers: Vec<NamedSolver> = targets.iter().chain(references).cloned().collect();
        let finding = Unexamined {
            case: &Case::open(candidate.text.as_bytes()),
            claim: &Claim {
                query: None,
                kind: Kind::Hang,
                accused: vec![Accused { position: 0, solver: target.solver.id().clone() }],
                evidence: None,
                theory: String::new(),
                cause: Cause::Operators(Vec::new()),
                reason: Reason::Regression(reason.to_owned()),
            },
            solvers: &solvers,
            reduction,
        };
        let examined = stop_with(&stop, self.is_over, || examiner.examine(&finding))?;
        Ok(examined.map(|e| e.dossier))
    }

    /// Measures a script once more and stores it if it is still slow; returns whether it is, or `None` if there was no
    /// time.
    fn store(&self, candidate: &Candidate, measured: Measured) -> Result<Option<bool>, Error> {
        let config = self.config;
        let Measured { mut confirmed, mut dossier, is_reduced } = measured;
        let Confirmed { kind: Some(kind), target, reference, .. } = confirmed else { return Ok(Some(false)) };
        let text = confirmed.script.clone().into_bytes();
        // A third run, at the limit of the search: a finding that does not show every time is not stored.
        let least = if target.is_timeout() { config.timeout } else { config.confirm };
        let (Some(again), Some((fast, _))) = (self.target(&text, least)?, self.reference(&text)?) else {
            return Ok(None);
        };
        let holds = fast.outcome == reference.outcome
            && fast.seconds <= config.at_once.as_secs_f64()
            && (again.is_timeout() || kind == Kind::PerfRegression && again.seconds * 2.0 > target.seconds);
        if !holds {
            return Ok(Some(false));
        }
        confirmed.reference = reference.with(fast);
        dossier.kind = kind;
        confirmed.id = self.file(candidate, &confirmed, dossier, is_reduced)?;
        lock(self.candidates).confirmed.push(confirmed);
        Ok(Some(true))
    }

    /// Stores a finding; returns its number.
    fn file(
        &self,
        candidate: &Candidate,
        confirmed: &Confirmed,
        dossier: Dossier,
        is_reduced: bool,
    ) -> Result<String, Error> {
        let Config { targets, references, .. } = self.config;
        let text = confirmed.script.as_bytes();
        let hash = SeedHash::of(text);
        let finding = NewFinding {
            claim: Claim {
                query: None,
                kind: dossier.kind,
                accused: vec![Accused { position: 0, solver: targets[0].solver.id().clone() }],
                evidence: None,
                theory: dossier.theory.clone(),
                cause: dossier.cause().clone(),
                reason: Reason::Regression(dossier.reason.clone()),
            },
            number: candidate.number,
            case: Case {
                provenance: Provenance {
                    seeds: vec![hash],
                    strategy: EVOLVE.to_owned(),
                    ..Provenance::default()
                },
                ..Case::open(text)
            },
            seen: Some(RUNS),
            solvers: targets.iter().chain(references).map(|s| s.spec.clone()).collect(),
            story: json!({ "bred": candidate.text, "confirmed": confirmed }),
            seeds: vec![(hash.to_string(), format!("individual {}", candidate.number), text.to_vec())],
        };
        let mut store = lock(self.store);
        let filed = store.write(&Batch { findings: vec![finding], ..Batch::default() })?;
        let Some(Filed::New(number)) = filed.first() else { return Ok(String::new()) };
        let number = number.to_string();
        let reduced = is_reduced.then(|| text.to_vec());
        let file = store.finding(&number)?.relative_file;
        store.note(Triaged { finding: number.clone(), file, reduced, dossier })?;
        let stored = store.finding(&number)?.finding;
        drop(store);
        self.sink.event(&Event::Found(stored));
        Ok(number)
    }
}

/// A script that was measured at the longer limit.
struct Measured {
    confirmed: Confirmed,
    dossier: Dossier,
    is_reduced: bool,
}

/// Runs work that `stop` ends, and sets `stop` once `is_over` says so.
fn stop_with<T>(stop: &AtomicBool, is_over: IsOver<'_>, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                if is_over() {
                    stop.store(true, Relaxed);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let result = work();
        done.store(true, Relaxed);
        result
    })
}
