//! A worker: makes cases, keeps its solvers busy, and has the answers judged.
//!
//! A worker is one thread. While solvers work on one case, the worker judges the previous case and makes the next
//! one; it waits only if there is nothing else to do. A window bounds the number of cases in progress. The
//! scheduler learns from a case only a fixed number of cases later, so with one worker the order of the answers
//! does not influence it.

use smelt_core::{Event, Expectation, Outcome, OutcomeKind};
use smelt_solvers::SessionConfig;
use smelt_store::{Error, NewFinding};
use smelt_strategies::Pool;
use smelt_trial::{Established, IsOver, Standing, believed, established, is_decided};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::dispatch::{Dispatch, Turn};
use crate::entry::{Entry, Task};
use crate::facts::Facts;
use crate::judge::{Judge, dispute};
use crate::lab::Lab;
use crate::maker::{Maker, TRIES};
use crate::memory::Memory;
use crate::numbers::Taken;
use crate::plan::Pick;
use crate::source::Feedback;
use crate::timeouts::{Ask, Query};
use crate::writer::{Call, Record};

/// How many cases are under way at a time; the source learns from a case this many cases later. Enough that no solver
/// waits for another, and few enough that what is learned is used soon.
pub(crate) const WINDOW: u64 = 8;
/// How long a worker with nothing to do sleeps.
const IDLE: Duration = Duration::from_millis(10);

pub(crate) struct Worker<'a> {
    lab: &'a Lab<'a>,
    maker: Maker<'a>,
    dispatch: Dispatch,
    judge: Judge<'a>,
    memory: Option<Memory>,
    /// Seeds whose models a strategy needs, each with the number of cases made before; and whether the next case waits for
    /// them.
    wanted: Vec<(u64, usize)>,
    is_waiting: bool,
    /// Seeds that this worker runs, so that each is run once.
    probing: HashSet<usize>,
    /// Numbers whose seed was run: their cases come next.
    ready: VecDeque<u64>,
    made: u64,
    lessons: Vec<(u64, Pick, Feedback)>,
    results: SyncSender<Record>,
    exhausted: bool,
    empty_in_a_row: usize,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        lab: &'a Lab<'a>,
        pool: Pool,
        results: SyncSender<Record>,
        is_over: IsOver<'a>,
    ) -> Result<Worker<'a>, Error> {
        let config = SessionConfig {
            mode: lab.config.mode,
            limits: lab.limits,
            // A timeout is not a finding here, and suspicions are investigated in fresh processes.
            confirm_limits: false,
            ..SessionConfig::default()
        };
        Ok(Worker {
            lab,
            maker: Maker::new(lab, pool, results.clone())?,
            dispatch: Dispatch::new(&lab.config.solvers, config, lab.width),
            judge: Judge::new(lab, is_over),
            // Without it everything is asked again.
            memory: lab.place.as_ref().and_then(|place| Memory::open(place).ok()),
            wanted: Vec::new(),
            is_waiting: false,
            probing: HashSet::new(),
            ready: VecDeque::new(),
            made: 0,
            lessons: Vec::new(),
            results,
            exhausted: false,
            empty_in_a_row: 0,
        })
    }

    pub(crate) fn run(mut self) -> Result<(), Error> {
        let lab = self.lab;
        while !lab.budget.is_over() && !lab.events.is_enough() {
            let start = Instant::now();
            self.dispatch.submit(
                |entry, solver| turn(lab, entry, solver),
                |entry, solver| limit(lab, entry, solver),
            )?;
            let flying = self.dispatch.in_flight();
            let worked = if let Some(entry) = self.dispatch.take_done() {
                self.finish(entry)?;
                true
            } else if self.has_room() && !lab.events.is_paused() && self.next_number() {
                true
            } else if self.exhausted && self.ready.is_empty() && self.dispatch.entries().next().is_none() {
                break;
            } else {
                false
            };
            let wait = if worked { Duration::ZERO } else { lab.budget.left(Duration::from_millis(100)) };
            if !worked && flying == 0 {
                // Paused, or no number is at hand.
                std::thread::sleep(wait.min(IDLE));
            }
            let finished = self.dispatch.collect(wait)?;
            let waited = self.judge.take_waited();
            // A solver that ended while the worker was busy may have been idle for all that time.
            let busy = if flying > finished || (!worked && flying > 0) { start.elapsed() } else { waited };
            lab.counters.note_time(start.elapsed(), busy);
        }
        self.dispatch.cancel();
        Ok(())
    }

    /// Whether the next case may be made: not too many are under way, and none is too old.
    fn has_room(&self) -> bool {
        let cases = self.dispatch.entries().filter_map(|e| match e.task {
            Task::Case { ordinal, .. } => Some(ordinal),
            Task::Probe { .. } => None,
        });
        let probes = self.dispatch.entries().filter(|e| e.is_probe()).count() as u64;
        let is_due = |made: u64| self.is_waiting || made + WINDOW <= self.made;
        let mut wanted = self.wanted.iter().filter(|(made, _)| is_due(*made));
        (!self.exhausted || !self.ready.is_empty())
            && probes < WINDOW
            && cases.min().is_none_or(|oldest| oldest + WINDOW > self.made)
            && wanted.all(|(_, seed)| self.lab.seeds.facts(*seed).is_some())
    }

    /// Takes the next number and makes its case, once the seed that is run with it was run. False if there is none now.
    fn next_number(&mut self) -> bool {
        if let Some(number) = self.ready.pop_front() {
            return self.next_case(number);
        }
        let number = match self.lab.source.take() {
            Taken::Number(number) => number,
            Taken::Later => return false,
            Taken::Over => {
                self.exhausted = true;
                return false;
            }
        };
        let own = self.lab.source.own_run(number);
        match own.filter(|seed| !self.lab.seeds.probed[*seed]) {
            // It is run in this campaign, whatever earlier ones know.
            Some(seed) => self.dispatch.push(Entry::probe(self.lab, seed, Some(number), None)),
            None => return self.next_case(number),
        }
        true
    }

    /// Makes the case of a number. Seeds of it that were never run are run first. False if that must wait.
    fn next_case(&mut self, number: u64) -> bool {
        self.learn();
        let made = self.maker.make(number, self.made);
        for seed in self.maker.picker.take_wanted() {
            self.wanted.push((self.made, seed));
            self.probe(seed);
        }
        if made.is_none() && (self.maker.picker.is_short() || self.lab.budget.is_over()) {
            self.ready.push_front(number);
            return false;
        }
        let Some(entry) = made else {
            self.is_waiting = !self.wanted.is_empty();
            self.empty_in_a_row += usize::from(!self.is_waiting);
            // Where the numbers end, all have their turn.
            if self.empty_in_a_row >= TRIES && self.lab.source.is_endless() {
                self.exhausted = true;
                self.lab.counters.out_of_cases.store(true, Relaxed);
            }
            let _ = self.results.send(Record::Empty { number });
            return true;
        };
        self.empty_in_a_row = 0;
        if !self.lab.budget.take() {
            self.exhausted = true;
            return true;
        }
        if let Some(folder) = &self.lab.config.save_cases {
            let _ = std::fs::write(folder.join(format!("{number:08}.smt2")), &entry.case.script);
        }
        for &seed in &entry.seeds {
            self.probe(seed);
        }
        self.made += 1;
        self.dispatch.push(entry);
        true
    }

    /// Runs a seed itself, unless that was done.
    fn probe(&mut self, seed: usize) {
        if self.lab.seeds.facts(seed).is_none() && self.probing.insert(seed) {
            self.dispatch.push(Entry::probe(self.lab, seed, None, self.memory.as_ref()));
        }
    }

    /// Passes feedback that is due to the source, and seeds with models that are known by now to the maker.
    fn learn(&mut self) {
        self.lessons.sort_unstable_by_key(|l| l.0);
        let due = self.lessons.partition_point(|l| l.0 + WINDOW <= self.made);
        for (_, pick, feedback) in self.lessons.drain(..due) {
            pick.seed.into_iter().for_each(|seed| self.maker.know(seed));
            self.lab.source.learn(pick, &feedback);
        }
        let due = if self.is_waiting { u64::MAX } else { self.made };
        let due = self.wanted.partition_point(|(made, _)| made.saturating_add(WINDOW) <= due);
        self.wanted.drain(..due).for_each(|(_, seed)| self.maker.know(seed));
        self.is_waiting = false;
    }

    /// Judges an entry that all solvers have finished, and sends the results to the writer.
    fn finish(&mut self, mut entry: Entry) -> Result<(), Error> {
        let asked: Vec<bool> = (0..entry.slots.len()).map(|solver| entry.is_asked(solver)).collect();
        let outcomes = entry.take_outcomes();
        let call = |(solver, o): (usize, &Option<Outcome>)| {
            let o = o.as_ref().filter(|_| asked[solver])?;
            Some(Call { solver, kind: o.kind, wall: o.usage.wall, cpu: o.usage.cpu })
        };
        let calls: Vec<Call> = outcomes.iter().enumerate().filter_map(call).collect();
        match entry.task {
            Task::Probe { own } => self.finish_probe(entry, own, outcomes, calls),
            Task::Case { number, ordinal, pick } => {
                let class = self.lab.class(pick);
                self.note_queries(class, Some(number), &outcomes, &calls);
                let Some(findings) = self.judged(&mut entry, &outcomes)? else { return Ok(()) };
                let feedback = self.feedback(class, &outcomes, &calls, &findings);
                self.lessons.push((ordinal, pick, feedback));
                let size = self.maker.size(pick);
                let _ = self.results.send(Record::Case { number, pick, size, calls, findings, feedback });
                Ok(())
            }
        }
    }

    /// Learns what the queries of an entry took, and why solvers gave no answer.
    fn note_queries(&self, class: usize, number: Option<u64>, outcomes: &[Option<Outcome>], calls: &[Call]) {
        for &Call { solver, .. } in calls {
            let Some(outcome) = &outcomes[solver] else { continue };
            self.lab.timeouts.learn(Query { solver, class, number, seeds: None }, outcome);
            self.lab.counters.note_reason(solver, outcome);
        }
    }

    /// The findings of a case; `None` if the campaign ended meanwhile.
    fn judged(
        &mut self,
        entry: &mut Entry,
        outcomes: &[Option<Outcome>],
    ) -> Result<Option<Vec<NewFinding>>, Error> {
        let believed = self.believed(entry);
        entry.case.expect(believed);
        let told = entry.seeds.first().and_then(|seed| self.lab.seeds.facts(*seed));
        let is_related = entry.case.related().is_some();
        let told = told.map(|f| &f.outcomes[..]).filter(|_| is_related);
        let Some(mut findings) = self.judge.findings(entry, outcomes, told.unwrap_or_default())? else {
            return Ok(None);
        };
        findings.extend(self.judge.regressions(entry, outcomes)?);
        findings.extend(self.judge.implications(entry, outcomes)?);
        Ok(Some(findings))
    }

    /// The result of a case, or of a seed itself, for the source of cases.
    fn feedback(
        &mut self,
        class: usize,
        outcomes: &[Option<Outcome>],
        calls: &[Call],
        findings: &[NewFinding],
    ) -> Feedback {
        let lab = self.lab;
        let decided = outcomes.iter().flatten().filter(|o| is_decided(o)).count();
        Feedback {
            // Where two answers can be compared nothing is missing.
            decided: decided >= outcomes.iter().flatten().count().clamp(1, 2),
            rejected: calls.iter().all(|c| c.kind == OutcomeKind::Rejected),
            found: findings.iter().any(|f| lab.source.counts(f)),
            new_bugs: self.judge.take_new_bugs(),
            novel: lab.counters.is_new_behaviour(class, outcomes),
            queries: calls.len() as u32,
            cpu: outcomes.iter().flatten().map(|o| o.usage.time()).sum(),
        }
    }

    /// The expectation of a case, given the evidence for the status of its seeds.
    fn believed(&self, entry: &Entry) -> Expectation {
        // A model of the seed is the certificate, not a label: the oracle evaluates it, and only its truth counts.
        if entry.case.certificate.model().is_some() && !entry.seeds.is_empty() {
            return Expectation::Open;
        }
        let standing = |s: &usize| Standing {
            label: self.lab.seeds.texts[*s].label(),
            status: self.lab.seeds.status(*s),
        };
        believed(entry.case.expectation(), &entry.seeds.iter().map(standing).collect::<Vec<_>>())
    }

    fn finish_probe(
        &mut self,
        entry: Entry,
        own: Option<u64>,
        outcomes: Vec<Option<Outcome>>,
        calls: Vec<Call>,
    ) -> Result<(), Error> {
        let lab = self.lab;
        let seed = entry.seeds[0];
        self.probing.remove(&seed);
        self.note_queries(lab.seeds.classes[seed], None, &outcomes, &calls);
        if let Some(memory) = &mut self.memory {
            for call in &calls {
                let Some(outcome) = &outcomes[call.solver] else { continue };
                // The limit may be another one by now: what was stopped had the time that it took.
                let limit = match outcome.kind {
                    OutcomeKind::Timeout => outcome.usage.time(),
                    _ => lab.seed_limit(call.solver, seed),
                };
                memory.keep(&entry.case.script, limit, std::iter::once((call.solver, outcome)));
            }
        }
        let text = &lab.seeds.texts[seed];
        let proved = text.status.filter(|_| text.proved);
        let Established { status, models } =
            established(&entry.case.script, &lab.config.solvers, &outcomes, proved);
        let disputed = dispute(lab, &entry, &outcomes, status);
        let slim = outcomes.iter().map(|o| o.as_ref().map(Outcome::without_texts)).collect();
        let first = lab.seeds.note(seed, Facts { outcomes: slim, status, models });
        if !lab.source.counts_run(own, first) {
            return Ok(());
        }
        if let Some(why) = &disputed {
            lab.events.event(&Event::Seed { name: text.name.clone(), why: why.clone() });
        }
        let findings = match lab.seeds.probed[seed] {
            true => Some(Vec::new()),
            false => self.judge.findings(&entry, &outcomes, &[])?,
        };
        let Some(mut findings) = findings else { return Ok(()) };
        findings.extend(self.judge.regressions(&entry, &outcomes)?);
        // Its mutants are expected to cost as much, but its own findings do not count for them.
        let feedback = self.feedback(lab.seeds.classes[seed], &outcomes, &calls, &[]);
        lab.source.learn_seed(seed, &Feedback { new_bugs: 0, novel: false, ..feedback });
        let _ = self.results.send(Record::Probe { seed, calls, findings, disputed });
        self.ready.extend(own);
        Ok(())
    }
}

/// When a solver is asked about an entry: a case once its seeds were run.
fn turn(lab: &Lab<'_>, entry: &Entry, solver: usize) -> Turn {
    let Task::Case { number, pick, .. } = entry.task else { return Turn::Now };
    if !entry.seeds.iter().all(|s| lab.seeds.facts(*s).is_some()) {
        return Turn::Later;
    }
    let compared = entry.case.expectation() == Expectation::Open && entry.case.certificate.model().is_none();
    let ask = Ask { slots: &entry.slots, number, in_order: pick.in_order, compared };
    lab.timeouts.turn(solver, lab.class(pick), ask)
}

/// The time limit of a query.
fn limit(lab: &Lab<'_>, entry: &Entry, solver: usize) -> Duration {
    let Task::Case { number, pick, .. } = entry.task else {
        return lab.seed_limit(solver, entry.seeds[0]);
    };
    let taken = |seed: &usize| {
        let outcome = lab.seeds.facts(*seed)?.outcomes.get(solver)?.as_ref()?;
        outcome.kind.verdict().is_some().then_some(outcome.usage.time())
    };
    let seeds = entry.seeds.iter().map(taken).sum();
    lab.timeouts.limit(Query { solver, class: lab.class(pick), number: Some(number), seeds })
}
