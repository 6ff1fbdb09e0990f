//! A worker: makes cases, keeps its solvers busy, and has the answers judged.
//!
//! One thread. While solvers work on one case, the worker judges the last and makes the next; it waits only when there
//! is nothing else to do. A window bounds how many cases are under way. The scheduler learns from a case a fixed number
//! of cases later, so that with one worker the order of the answers does not influence it.

use smelt_core::{Event, Expectation, Outcome, OutcomeKind};
use smelt_solvers::SessionConfig;
use smelt_store::{Error, NewFinding};
use smelt_strategies::Pool;
use smelt_trial::{Established, IsOver, RUNS, Standing, believed, established, is_decided};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::budget::Patience;
use crate::dispatch::{Dispatch, Turn};
use crate::entry::{Entry, Slot, Task};
use crate::judge::{Judge, dispute};
use crate::lab::{Facts, Lab};
use crate::maker::{Maker, logic};
use crate::memory::Memory;
use crate::numbers::Taken;
use crate::schedule::{Feedback, Learning};
use crate::writer::{Call, Record};

/// How many cases are under way at a time; the scheduler learns from a case this many cases later.
const WINDOW: u64 = 8;
/// How long a worker with nothing to do sleeps.
const IDLE: Duration = Duration::from_millis(10);
/// A worker gives up after this many numbers in a row without a case.
const BARREN: u32 = 50;

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
    lessons: Vec<(u64, Feedback)>,
    results: SyncSender<Record>,
    exhausted: bool,
    empty_in_a_row: u32,
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
        while !lab.budget.is_over() && !lab.sink.is_enough() {
            let start = Instant::now();
            let ready = |e: &Entry| e.is_probe() || e.seeds.iter().all(|s| lab.facts[*s].get().is_some());
            // The way of a case whose seed has no label follows from the answers to the seed.
            let Worker { dispatch, maker, .. } = &mut self;
            for entry in dispatch.entries_mut().filter(|e| e.is_untouched() && ready(e)) {
                maker.redirect(entry);
            }
            self.dispatch.submit(
                |entry, solver| turn(lab, entry, solver),
                |entry, solver| limit(lab, entry, solver),
            )?;
            let flying = self.dispatch.in_flight();
            let worked = if let Some(entry) = self.dispatch.take_done() {
                self.finish(entry)?;
                true
            } else if self.has_room() && !lab.sink.is_paused() && self.next_number() {
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
            lab.busy_us.fetch_add(busy.as_micros() as u64, Relaxed);
            lab.worked_us.fetch_add(start.elapsed().as_micros() as u64, Relaxed);
        }
        self.dispatch.cancel();
        // Nothing is scheduled any more; the counts are told and stored.
        self.lessons.drain(..).for_each(|(_, feedback)| lab.schedule.learn(feedback));
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
            && (probes < WINDOW || self.lab.deal.is_none())
            && cases.min().is_none_or(|oldest| oldest + WINDOW > self.made)
            && wanted.all(|(_, seed)| self.lab.facts[*seed].get().is_some())
    }

    /// Takes the next number and makes its case, once the seed that is run with it was run. False if there is none now.
    fn next_number(&mut self) -> bool {
        if let Some(number) = self.ready.pop_front() {
            return self.next_case(number);
        }
        let number = match self.lab.cases.take() {
            Taken::Number(number) => number,
            Taken::Later => return false,
            Taken::Over => {
                self.exhausted = true;
                return false;
            }
        };
        let own = self.lab.deal.as_ref().and_then(|deal| deal.own_run(number));
        match own.filter(|seed| !self.lab.probed[*seed]) {
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
        for seed in self.maker.take_wanted() {
            self.wanted.push((self.made, seed));
            self.probe(seed);
        }
        if made.is_none() && self.maker.is_short() {
            self.ready.push_front(number);
            return false;
        }
        let Some(entry) = made else {
            self.is_waiting = !self.wanted.is_empty();
            self.empty_in_a_row += u32::from(!self.is_waiting);
            // Where the numbers end, all have their turn.
            let is_endless = self.lab.cases.progress().1.is_none();
            if is_endless && self.empty_in_a_row >= BARREN {
                self.exhausted = true;
                self.lab.out_of_cases.store(true, Relaxed);
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
        if self.lab.facts[seed].get().is_none() && self.probing.insert(seed) {
            self.dispatch.push(Entry::probe(self.lab, seed, None, self.memory.as_ref()));
        }
    }

    /// Passes feedback that is due to the scheduler, and seeds with models that are known by now to the maker.
    fn learn(&mut self) {
        self.lessons.sort_unstable_by_key(|l| l.0);
        let due = self.lessons.partition_point(|l| l.0 + WINDOW <= self.made);
        for (_, feedback) in self.lessons.drain(..due) {
            feedback.source.seed.into_iter().for_each(|seed| self.maker.know(seed));
            self.lab.schedule.learn(feedback);
        }
        let due = if self.is_waiting { u64::MAX } else { self.made };
        let due = self.wanted.partition_point(|(made, _)| made.saturating_add(WINDOW) <= due);
        self.wanted.drain(..due).for_each(|(_, seed)| self.maker.know(seed));
        self.is_waiting = false;
    }

    /// Judges an entry that all solvers have finished, and sends the results to the writer.
    fn finish(&mut self, mut entry: Entry) -> Result<(), Error> {
        let lab = self.lab;
        let asked: Vec<bool> = (0..entry.slots.len()).map(|solver| entry.is_asked(solver)).collect();
        let outcomes = entry.take_outcomes();
        let call = |(solver, o): (usize, &Option<Outcome>)| {
            let o = o.as_ref().filter(|_| asked[solver])?;
            Some(Call { solver, kind: o.kind, wall: o.usage.wall, cpu: o.usage.cpu })
        };
        let calls: Vec<Call> = outcomes.iter().enumerate().filter_map(call).collect();
        self.lab.note_spent(&entry, &calls);
        match entry.task {
            Task::Probe { own } => self.finish_probe(entry, own, outcomes, calls),
            Task::Case { number, ordinal, source } => {
                self.note_refusals(logic(self.lab, source), &outcomes);
                let believed = self.believed(&entry);
                entry.case.expect(believed);
                let told = entry.seeds.first().and_then(|seed| self.lab.facts[*seed].get());
                let told = told.map(|f| &f.outcomes[..]).filter(|_| {
                    matches!(entry.case.expectation(), Expectation::Related(_)) && entry.seeds.len() == 1
                });
                let Some(mut findings) = self.judge.findings(&entry, &outcomes, told.unwrap_or_default())?
                else {
                    return Ok(());
                };
                findings.extend(self.judge.regressions(&entry, &outcomes)?);
                findings.extend(self.judge.implications(&entry, &outcomes)?);
                // A bug that was not known; where nothing is learned, any.
                let is_found = |f: &NewFinding| match lab.deal {
                    Some(_) => f.seen.is_none_or(|seen| seen == RUNS),
                    None => f.seen == Some(RUNS),
                };
                let new: Vec<&NewFinding> = findings.iter().filter(|f| is_found(f)).collect();
                let earns = |f: &&NewFinding| lab.ledger.earns_credit(&f.claim);
                let decided = outcomes.iter().flatten().filter(|o| is_decided(o)).count();
                let feedback = Feedback {
                    source,
                    decided: decided >= calls.len().clamp(1, 2),
                    rejected: calls.iter().all(|c| c.kind == OutcomeKind::Rejected),
                    found: !new.is_empty(),
                    // All are counted.
                    credit: new.into_iter().filter(earns).count() > 0,
                    novel: self.lab.is_new_behaviour(logic(self.lab, source), &outcomes),
                    cost: calls.iter().map(|c| cost(c.kind, c.cpu)).sum(),
                };
                self.lab.operators.learn(&entry.case.script, feedback.credit, feedback.novel);
                let lesson = match lab.deal {
                    Some(_) => Some(feedback),
                    None => {
                        self.lessons.push((ordinal, feedback));
                        None
                    }
                };
                let size = self.maker.size(source);
                let _ = self.results.send(Record::Case { number, source, size, calls, findings, lesson });
                Ok(())
            }
        }
    }

    /// Counts which solvers refused a case of a logic.
    fn note_refusals(&self, logic: usize, outcomes: &[Option<Outcome>]) {
        for (solver, outcome) in outcomes.iter().enumerate() {
            let Some(outcome) = outcome else { continue };
            let refusals = &self.lab.refusals[solver][logic];
            refusals.asked.fetch_add(1, Relaxed);
            self.lab.payoffs[solver][logic].learn(outcome);
            self.lab.payoffs_of_all[solver].learn(outcome);
            // A solver that crashes on nearly every case of a logic shows nothing new there either.
            let useless = matches!(outcome.kind, OutcomeKind::Rejected | OutcomeKind::Crash);
            refusals.refused.fetch_add(u32::from(useless), Relaxed);
            let kind = match outcome.kind {
                OutcomeKind::Rejected | OutcomeKind::Error => OutcomeKind::Rejected,
                OutcomeKind::Unknown => OutcomeKind::Unknown,
                _ => continue,
            };
            if let Some(message) = &outcome.message {
                self.lab.note_reason(solver, kind, message);
            }
        }
    }

    /// The expectation of a case, given the evidence for the status of its seeds.
    fn believed(&self, entry: &Entry) -> Expectation {
        // A model of the seed is the certificate, not a label: the oracle evaluates it, and only its truth counts.
        if entry.case.certificate.model().is_some() && !entry.seeds.is_empty() {
            return Expectation::Open;
        }
        let standing =
            |s: &usize| Standing { label: self.lab.seeds[*s].label(), status: self.lab.status(*s) };
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
        if let Some(memory) = &mut self.memory {
            let new = calls.iter().filter_map(|c| Some((c.solver, outcomes[c.solver].as_ref()?)));
            memory.keep(&entry.case.script, lab.patience.seed(), new);
        }
        let text = &lab.seeds[seed];
        let proved = text.status.filter(|_| text.proved);
        let Established { status, models } =
            established(&entry.case.script, &lab.config.solvers, &outcomes, proved);
        let disputed = dispute(lab, &entry, &outcomes, status);
        let slim = outcomes.iter().map(|o| o.as_ref().map(Outcome::without_texts)).collect();
        let first = lab.facts[seed].set(Facts { outcomes: slim, status, models }).is_ok();
        // Where seeds are run with numbers of their own, that counts and nothing else does; else the first run counts.
        let counts = if lab.deal.is_some() { own.is_some() } else { first };
        if !counts {
            return Ok(());
        }
        let decided = outcomes.iter().flatten().filter(|o| is_decided(o)).count();
        if decided == 0 {
            lab.schedule.leave(seed);
        }
        // Where two answers can be compared nothing is missing.
        let asked = outcomes.iter().flatten().count().clamp(1, 2);
        let time = outcomes.iter().flatten().map(|o| cost(o.kind, o.usage.time())).sum();
        lab.schedule.expect(seed, time, decided.min(asked) as f64 / asked as f64);
        if let Some(why) = &disputed {
            lab.sink.event(&Event::Seed { name: lab.seeds[seed].name.clone(), why: why.clone() });
        }
        let findings = match lab.probed[seed] {
            true => Some(Vec::new()),
            false => self.judge.findings(&entry, &outcomes, &[])?,
        };
        let Some(mut findings) = findings else { return Ok(()) };
        findings.extend(self.judge.regressions(&entry, &outcomes)?);
        let _ = self.results.send(Record::Probe { seed, calls, findings, disputed });
        self.ready.extend(own);
        Ok(())
    }
}

/// One case in this many is put to a solver although another one was stopped on it.
const IN_SPITE: u64 = 4;

/// When a solver is asked about an entry: a case once its seeds were run, seldom after another solver was stopped. If only
/// a comparison of answers can show a bug, a solver that is usually stopped on such formulas comes last.
fn turn(lab: &Lab<'_>, entry: &Entry, solver: usize) -> Turn {
    let Task::Case { number, source, .. } = entry.task else { return Turn::Now };
    if !entry.seeds.iter().all(|s| lab.facts[*s].get().is_some()) {
        return Turn::Later;
    }
    let compared = entry.case.expectation() == Expectation::Open && entry.case.certificate.model().is_none();
    let logic = logic(lab, source);
    let is_dear = |s: usize| lab.payoffs[s][logic].is_dear();
    let others = || entry.slots.iter().enumerate().filter(|(i, _)| *i != solver).map(|(_, slot)| slot);
    let done =
        || others().filter_map(|slot| if let Slot::Done(outcome) = slot { Some(outcome) } else { None });
    if lab.config.learning != Learning::Full || done().any(|outcome| is_decided(outcome)) {
        return Turn::Now;
    }
    // What stops one solver often stops others too. What is enumerated is put to all, as the summary says.
    let one_in = if compared { 2 * IN_SPITE } else { IN_SPITE };
    let in_spite = number.is_multiple_of(one_in);
    if !source.in_order && !in_spite && done().any(|outcome| is_stopped(outcome.kind)) {
        return Turn::Never;
    }
    if !compared || in_spite {
        return Turn::Now;
    }
    if !is_dear(solver) {
        return Turn::Now;
    }
    // Of several expensive ones the first is asked, so that one answers.
    let waits = |(i, slot): (usize, &Slot)| {
        i != solver
            && match slot {
                Slot::Waiting => !is_dear(i) || i < solver,
                Slot::Running => true,
                _ => false,
            }
    };
    if entry.slots.iter().enumerate().any(waits) {
        return Turn::Later;
    }
    let asked = others().any(|slot| matches!(slot, Slot::Done(_)));
    if asked { Turn::Never } else { Turn::Now }
}

/// The time of a query as the scheduler counts it: time without an answer is worse than time.
fn cost(kind: OutcomeKind, time: Duration) -> Duration {
    if is_stopped(kind) { time * 9 } else { time }
}

/// Whether a query ended at a limit.
pub(crate) fn is_stopped(kind: OutcomeKind) -> bool {
    matches!(kind, OutcomeKind::Timeout | OutcomeKind::Memout)
}

/// The time limit of a query.
fn limit(lab: &Lab<'_>, entry: &Entry, solver: usize) -> Duration {
    let Task::Case { number, source, .. } = entry.task else {
        return lab.patience.seed();
    };
    if lab.deal.is_some() {
        return lab.patience.numbered(number);
    }
    let hard = lab.schedule.is_hard(source);
    let pays = lab.pays(solver, logic(lab, source));
    let long = if Patience::is_long(number) { lab.allowance() } else { Duration::ZERO };
    if source.seed.is_none() {
        return lab.patience.made(hard, pays, long);
    }
    let taken = |seed: &usize| {
        let outcome = lab.facts[*seed].get()?.outcomes.get(solver)?.as_ref()?;
        outcome.kind.verdict().is_some().then_some(outcome.usage.time())
    };
    let sum: Option<Duration> = entry.seeds.iter().map(taken).sum();
    lab.patience.mutant(sum, hard, pays, long)
}
