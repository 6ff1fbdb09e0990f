//! A worker: makes cases, keeps its solvers busy, and has the answers judged.
//!
//! One thread with one session for each solver. While solvers work on one case, the worker judges the last and
//! makes the next; it waits only when nothing else is to do. A window bounds how many cases are under way, and what
//! the scheduler learns from a case counts from a fixed number of cases later on, so that with one worker the order
//! in which answers happen to come changes nothing.

use smelt_core::{Expectation, Outcome, OutcomeKind, Provenance};
use smelt_oracle::{Charge, Reading, Truth};
use smelt_solvers::{Finished, Session, SessionConfig, SessionId, SessionPool};
use smelt_strategies::{CaseRequest, Draft, Pool, Rng, SeedId, Skip, Strategy, case_seed};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::event::Event;
use crate::lab::{Facts, Known, Lab};
use crate::plan::{Plan, SEED, Source};
use crate::schedule::Feedback;
use crate::writer::{Call, Record};
use smelt_store::Error;
use smelt_store::NewFinding;
use smelt_trial as imply;
use smelt_trial::{Doubt, confirm};
use smelt_trial::{Matter, is_interesting, query, settle_cores, try_case};
use smelt_trial::{investigate_regression, suspicions, tries_key};

/// How many cases are under way at a time; what is learned from a case counts this much later.
const WINDOW: u64 = 8;
/// How many (strategy, seed) pairs are tried to make one case.
const TRIES: usize = 200;
/// How many numbers in a row may stay without a case before a worker gives up.
const BARREN: u32 = 50;
/// How many texts are remembered so that none is run twice in a short time.
const REMEMBERED: usize = 1 << 16;
/// How often the same suspicion is looked into, and how often a solver is asked about the step before a case.
const TRIES_EACH: u32 = 3;
const QUESTIONS: u32 = 60;
/// How often a solver may fail to start, in a row, before the campaign ends.
const FAILURES: u32 = 5;

/// What is under way.
struct Entry {
    task: Task,
    script: Vec<u8>,
    expectation: Expectation,
    provenance: Provenance,
    /// The script one step before, for strategies whose steps imply each other.
    before: Option<Vec<u8>>,
    /// A model that it was made with.
    witness: Option<String>,
    /// The seeds it was made from, by position.
    seeds: Vec<usize>,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// A seed itself.
    Probe,
    /// A case: its number in the campaign, its position among this worker's, and how it was made.
    Case { number: u64, ordinal: u64, source: Source },
}

enum Slot {
    /// This solver is not asked.
    Unasked,
    Waiting,
    Running,
    Done(Box<Finished>),
}

impl Entry {
    fn is_done(&self) -> bool {
        self.slots.iter().all(|s| matches!(s, Slot::Unasked | Slot::Done(_)))
    }

    fn number(&self) -> u64 {
        match self.task {
            Task::Probe => 0,
            Task::Case { number, .. } => number,
        }
    }
}

pub(crate) struct Worker<'a> {
    lab: &'a Lab<'a>,
    pool: Pool,
    /// By strategy and way.
    strategies: Vec<Vec<Box<dyn Strategy>>>,
    draft: Draft,
    /// By strategy, seeds that it makes nothing of.
    barren: Vec<HashSet<usize>>,
    recent: (HashSet<u64>, VecDeque<u64>),
    sessions: SessionPool,
    session_ids: Vec<SessionId>,
    /// Which entry a session works on, by its key.
    running: Vec<Option<u64>>,
    /// For the oracle's own questions.
    aside: Vec<Session>,
    entries: VecDeque<(u64, Entry)>,
    next_key: u64,
    probing: HashSet<usize>,
    redo: Vec<u64>,
    made: u64,
    lessons: Vec<(u64, Feedback)>,
    results: SyncSender<Record>,
    exhausted: bool,
    empty_in_a_row: u32,
    failures: u32,
    /// Time spent waiting for solvers outside of the sessions.
    aside_time: Duration,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        lab: &'a Lab<'a>,
        pool: Pool,
        results: SyncSender<Record>,
        mut redo: Vec<u64>,
    ) -> Result<Worker<'a>, Error> {
        let config = SessionConfig {
            mode: lab.config.mode,
            limits: lab.limits,
            // A timeout is no finding here, and what follows is judged in fresh processes.
            confirm_limits: false,
            ..SessionConfig::default()
        };
        let mut sessions = SessionPool::new();
        let solvers = &lab.config.solvers;
        let session_ids = solvers.iter().map(|c| sessions.add(c.solver.clone(), config)).collect();
        let aside = solvers.iter().map(|c| Session::new(c.solver.clone(), config)).collect();
        let strategies: Vec<_> = lab.strategies.iter().map(Plan::make).collect::<Result<_, _>>()?;
        redo.reverse();
        Ok(Worker {
            lab,
            pool,
            draft: Draft::default(),
            barren: strategies.iter().map(|_| HashSet::new()).collect(),
            strategies,
            recent: (HashSet::new(), VecDeque::new()),
            sessions,
            running: solvers.iter().map(|_| None).collect(),
            session_ids,
            aside,
            entries: VecDeque::new(),
            next_key: 0,
            probing: HashSet::new(),
            redo,
            made: 0,
            lessons: Vec::new(),
            results,
            exhausted: false,
            empty_in_a_row: 0,
            failures: 0,
            aside_time: Duration::ZERO,
        })
    }

    pub(crate) fn run(mut self) -> Result<(), Error> {
        while !self.lab.budget.is_over() {
            let start = Instant::now();
            self.submit()?;
            let flying = self.sessions.in_flight();
            let worked = if let Some(at) = self.entries.iter().position(|(_, e)| e.is_done()) {
                if let Some((_, entry)) = self.entries.remove(at) {
                    self.settle(entry)?;
                }
                true
            } else if self.has_room() {
                self.next_case();
                true
            } else if self.entries.is_empty() && self.exhausted {
                break;
            } else {
                false
            };
            let wait = if worked { Duration::ZERO } else { self.lab.budget.left(Duration::from_millis(100)) };
            let finished = self.collect(wait)?;
            // A solver that ended while the worker was busy may have been idle for all that time.
            let busy =
                if flying > finished || (!worked && flying > 0) { start.elapsed() } else { self.aside_time };
            self.aside_time = Duration::ZERO;
            self.lab.busy_us.fetch_add(busy.as_micros() as u64, Relaxed);
            self.lab.worked_us.fetch_add(start.elapsed().as_micros() as u64, Relaxed);
        }
        for id in &self.session_ids {
            self.sessions.cancel(*id);
        }
        Ok(())
    }

    /// Whether the next case may be made: not too many are under way, and none too old.
    fn has_room(&self) -> bool {
        let cases = self.entries.iter().filter_map(|(_, e)| match e.task {
            Task::Case { ordinal, .. } => Some(ordinal),
            Task::Probe => None,
        });
        !self.exhausted && cases.min().is_none_or(|oldest| oldest + WINDOW > self.made)
    }

    /// Gives idle solvers something to do, in the order in which cases were made.
    fn submit(&mut self) -> Result<(), Error> {
        for at in 0..self.entries.len() {
            if self.sessions.in_flight() >= self.lab.width {
                return Ok(());
            }
            let (key, entry) = &mut self.entries[at];
            let ready =
                entry.task == Task::Probe || entry.seeds.iter().all(|s| self.lab.facts[*s].get().is_some());
            if !ready {
                continue;
            }
            for solver in 0..entry.slots.len() {
                let free = self.running[solver].is_none() && self.sessions.in_flight() < self.lab.width;
                if !free || !matches!(entry.slots[solver], Slot::Waiting) {
                    continue;
                }
                let limit = limit(self.lab, entry, solver);
                match self.sessions.submit(self.session_ids[solver], query(&entry.script, limit)) {
                    Ok(_) => {
                        entry.slots[solver] = Slot::Running;
                        self.running[solver] = Some(*key);
                    }
                    Err(e) => {
                        self.failures += 1;
                        if self.failures >= FAILURES {
                            return Err(e.into());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes what solvers have finished.
    fn collect(&mut self, wait: Duration) -> Result<usize, Error> {
        let finished = match self.sessions.wait(wait) {
            Ok(finished) => finished,
            Err(e) => {
                self.failures += 1;
                if self.failures >= FAILURES {
                    return Err(e.into());
                }
                self.resubmit_lost();
                return Ok(0);
            }
        };
        let count = finished.len();
        for (id, finished) in finished {
            self.failures = 0;
            let Some(solver) = self.session_ids.iter().position(|s| *s == id) else { continue };
            let Some(key) = self.running[solver].take() else { continue };
            if let Some((_, entry)) = self.entries.iter_mut().find(|(k, _)| *k == key) {
                entry.slots[solver] = Slot::Done(Box::new(finished));
            }
        }
        Ok(count)
    }

    /// A query was lost because its solver could not be run: it is put again.
    fn resubmit_lost(&mut self) {
        for solver in 0..self.running.len() {
            if self.sessions.session(self.session_ids[solver]).is_busy() {
                continue;
            }
            if let Some(key) = self.running[solver].take()
                && let Some((_, entry)) = self.entries.iter_mut().find(|(k, _)| *k == key)
            {
                entry.slots[solver] = Slot::Waiting;
            }
        }
    }

    fn push(&mut self, entry: Entry) {
        self.entries.push_back((self.next_key, entry));
        self.next_key += 1;
    }

    /// Makes the next case, and asks about its seeds before where nothing is known of them.
    fn next_case(&mut self) {
        self.learn();
        let number = self.redo.pop().unwrap_or_else(|| self.lab.schedule.take());
        let Some(source) = self.make(number) else {
            self.empty_in_a_row += 1;
            self.exhausted = self.empty_in_a_row >= BARREN;
            let _ = self.results.send(Record::Empty { number });
            return;
        };
        self.empty_in_a_row = 0;
        if !self.lab.budget.take() {
            self.exhausted = true;
            return;
        }
        let Source { strategy, way, .. } = source;
        let options = &self.lab.strategies[strategy].ways[way].options;
        let case = self.draft.to_case(&self.pool, &*self.strategies[strategy][way], options, source.number);
        if let Some(folder) = &self.lab.config.save_cases {
            let _ = std::fs::write(folder.join(format!("{number:08}.smt2")), &case.script);
        }
        let seeds: Vec<usize> = self.draft.seeds.iter().map(|s| s.index()).collect();
        for &seed in &seeds {
            if self.lab.facts[seed].get().is_none() && self.probing.insert(seed) {
                self.push(probe(self.lab, seed));
            }
        }
        let logic = self.logic(source);
        let slots = (0..self.lab.config.solvers.len())
            .map(|solver| if self.lab.asks(solver, logic, number) { Slot::Waiting } else { Slot::Unasked })
            .collect();
        let task = Task::Case { number, ordinal: self.made, source };
        self.made += 1;
        let (script, expectation, provenance) = (case.script, case.expectation, case.provenance);
        let before = Some(std::mem::take(&mut self.draft.before)).filter(|b| !b.is_empty());
        let witness = self.draft.model();
        self.push(Entry { task, script, expectation, provenance, before, witness, seeds, slots });
    }

    /// The number that stands for the logic of a case.
    fn logic(&self, source: Source) -> usize {
        match source.seed {
            Some(seed) => self.lab.logics[seed],
            None => self.lab.way_logics[source.strategy] + source.way,
        }
    }

    /// What the scheduler is told from now on.
    fn learn(&mut self) {
        self.lessons.sort_unstable_by_key(|l| l.0);
        let due = self.lessons.partition_point(|l| l.0 + WINDOW <= self.made);
        for (_, feedback) in self.lessons.drain(..due) {
            self.lab.schedule.learn(feedback);
        }
    }

    /// Makes a case into the draft; says how.
    fn make(&mut self, number: u64) -> Option<Source> {
        let lab = self.lab;
        let mut rng = Rng::new(case_seed(lab.config.seed, "schedule", number));
        for _ in 0..TRIES {
            let strategy = lab.schedule.strategy(&mut rng);
            let Some(source) = self.source(strategy, number, &mut rng) else { continue };
            let Source { way, seed, .. } = source;
            let seeds: Vec<SeedId> = seed.map(|seed| self.seed_id(seed)).into_iter().collect();
            let request = CaseRequest { seeds: &seeds, number: source.number };
            let made_by = &mut self.strategies[strategy][way];
            match made_by.next(&mut self.pool, &request, &mut self.draft) {
                Ok(()) if source.in_order || self.is_new() => return Some(source),
                Ok(()) => {}
                Err(Skip::NoMoreCases) => lab.numbers[strategy][way].end(),
                Err(skip) => {
                    lab.schedule.learn_skip(strategy);
                    if skip.is_final() {
                        self.barren[strategy].extend(seed);
                    }
                    if source.in_order {
                        let _ = self.results.send(Record::Passed(source));
                    }
                }
            }
        }
        None
    }

    /// What a strategy makes next, drawn at random as far as it is not in order; `None` where nothing is to be made.
    fn source(&mut self, strategy: usize, number: u64, rng: &mut Rng) -> Option<Source> {
        let lab = self.lab;
        let plan = &lab.strategies[strategy];
        if plan.row.needs_seeds {
            let seed = lab.schedule.seed(rng);
            let way = rng.below(plan.ways.len());
            let number = case_seed(lab.config.seed, plan.row.name, number);
            let is_barren = self.barren[strategy].contains(&seed);
            return (!is_barren).then_some(Source { strategy, way, seed: Some(seed), number, in_order: false });
        }
        let way = lab.schedule.way(strategy, rng);
        let in_order = plan.ways[way].in_order;
        let number = match in_order {
            true => lab.numbers[strategy][way].take(),
            false => Some(rng.bits()),
        };
        if number.is_none() {
            lab.schedule.learn_over(strategy, way);
        }
        Some(Source { strategy, way, seed: None, number: number?, in_order })
    }

    fn seed_id(&self, seed: usize) -> SeedId {
        self.pool.ids().nth(seed).unwrap_or_else(|| unreachable!("each seed of the lab is in each pool"))
    }

    /// Whether the draft differs from the last ones, apart from its header.
    fn is_new(&mut self) -> bool {
        let text = &self.draft.text;
        let body = text.iter().position(|b| *b == b'\n').map_or(&text[..], |end| &text[end..]);
        let hash = smelt_core::SeedHash::of(body).0;
        let (set, order) = &mut self.recent;
        if !set.insert(hash) {
            return false;
        }
        order.push_back(hash);
        if order.len() > REMEMBERED
            && let Some(old) = order.pop_front()
        {
            set.remove(&old);
        }
        true
    }

    /// Judges what is done and passes it on.
    fn settle(&mut self, mut entry: Entry) -> Result<(), Error> {
        let lab = self.lab;
        let outcomes: Vec<Option<Outcome>> = entry
            .slots
            .iter_mut()
            .map(|slot| match std::mem::replace(slot, Slot::Unasked) {
                Slot::Done(finished) => Some(finished.outcome),
                _ => None,
            })
            .collect();
        let calls: Vec<Call> = outcomes
            .iter()
            .enumerate()
            .filter_map(|(solver, o)| {
                let o = o.as_ref()?;
                Some(Call { solver, kind: o.kind, wall: o.usage.wall, cpu: o.usage.cpu })
            })
            .collect();
        match entry.task {
            Task::Probe => self.settle_probe(entry, outcomes, calls),
            Task::Case { number, ordinal, source } => {
                let logic = self.logic(source);
                for (solver, outcome) in outcomes.iter().enumerate() {
                    let Some(outcome) = outcome else { continue };
                    let refusals = &lab.refusals[solver][logic];
                    refusals.asked.fetch_add(1, Relaxed);
                    // A solver that dies of nearly everything in a logic shows nothing new there either.
                    let useless = matches!(outcome.kind, OutcomeKind::Rejected | OutcomeKind::Crash);
                    refusals.refused.fetch_add(u32::from(useless), Relaxed);
                }
                entry.expectation = self.believed(&entry);
                let seed_facts = entry.seeds.first().and_then(|seed| lab.facts[*seed].get());
                let told = seed_facts
                    .map(|f| &f.outcomes[..])
                    .filter(|_| matches!(entry.expectation, Expectation::Seed(_)) && entry.seeds.len() == 1);
                let Some(mut findings) = self.judge(&entry, &outcomes, told.unwrap_or_default())? else {
                    return Ok(());
                };
                findings.extend(self.regressions(&entry, &outcomes)?);
                findings.extend(self.implications(&entry, &outcomes)?);
                let count =
                    |f: fn(OutcomeKind) -> bool| outcomes.iter().flatten().filter(|o| f(o.kind)).count();
                let asked = calls.len();
                let feedback = Feedback {
                    source,
                    decided: count(|k| matches!(k, OutcomeKind::Sat | OutcomeKind::Unsat))
                        >= asked.clamp(1, 2),
                    rejected: count(|k| k == OutcomeKind::Rejected) == asked,
                    found: findings.iter().any(|f| f.seen == Some(3)),
                    cost: calls.iter().map(|c| c.wall).sum(),
                };
                self.lessons.push((ordinal, feedback));
                let made_by = &mut self.strategies[source.strategy][source.way];
                let layer = if source.in_order { made_by.layer(source.number) } else { None };
                let size = layer.map(|layer| layer.size);
                let _ = self.results.send(Record::Case { number, source, size, calls, findings });
                Ok(())
            }
        }
    }

    /// What is expected of a case, given what is believed of its seeds.
    fn believed(&self, entry: &Entry) -> Expectation {
        let all = entry.seeds.iter().all(|s| self.lab.is_trusted(*s));
        match entry.expectation {
            Expectation::Sat | Expectation::Unsat if !all => Expectation::None,
            Expectation::Seed(_) if entry.seeds.len() == 1 => {
                match entry.expectation.settle(self.lab.status(entry.seeds[0])) {
                    Some(smelt_core::Verdict::Sat) => Expectation::Sat,
                    Some(smelt_core::Verdict::Unsat) => Expectation::Unsat,
                    _ => entry.expectation,
                }
            }
            other => other,
        }
    }

    fn settle_probe(
        &mut self,
        entry: Entry,
        outcomes: Vec<Option<Outcome>>,
        calls: Vec<Call>,
    ) -> Result<(), Error> {
        let lab = self.lab;
        let seed = entry.seeds[0];
        self.probing.remove(&seed);
        let disputed = dispute(lab, seed, &entry, &outcomes);
        let slim = outcomes.iter().map(|o| o.as_ref().map(slim)).collect();
        let first = lab.facts[seed].set(Facts { outcomes: slim, disputed: disputed.clone() }).is_ok();
        if !first {
            // Another worker was faster, and told.
            return Ok(());
        }
        if let Some(why) = &disputed {
            lab.sink.event(&Event::Seed { name: lab.seeds[seed].name.clone(), why: why.clone() });
        }
        let findings = if lab.probed[seed] { Some(Vec::new()) } else { self.judge(&entry, &outcomes, &[])? };
        let Some(mut findings) = findings else { return Ok(()) };
        findings.extend(self.regressions(&entry, &outcomes)?);
        let _ = self.results.send(Record::Probe { seed, calls, findings, disputed });
        Ok(())
    }

    /// What the oracle says, confirmed where it is new. `None` when the campaign ended meanwhile.
    fn judge(
        &mut self,
        entry: &Entry,
        outcomes: &[Option<Outcome>],
        seed: &[Option<Outcome>],
    ) -> Result<Option<Vec<NewFinding>>, Error> {
        let lab = self.lab;
        let witness = entry.witness.as_deref();
        let matter = Matter { script: &entry.script, expectation: entry.expectation, witness };
        if !is_interesting(matter, outcomes) {
            return Ok(Some(Vec::new()));
        }
        let solvers = &lab.config.solvers;
        let judgement = try_case(solvers, matter, outcomes, seed);
        let mut charges = judgement.charges.clone();
        if !judgement.questions.is_empty() {
            let start = Instant::now();
            let wall = lab.patience.unknown();
            charges
                .extend(settle_cores(solvers, &judgement, |i, q| Ok(self.aside[i].run(q.with_wall(wall))?))?);
            self.aside_time += start.elapsed();
        }
        if charges.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let doubtful: Vec<bool> = charges.iter().map(|c| self.is_doubtful(c, entry.script.len())).collect();
        let unsure: Vec<&Charge> =
            charges.iter().zip(&doubtful).filter(|(_, d)| **d).map(|(c, _)| c).collect();
        let seen = if unsure.is_empty() {
            Vec::new()
        } else {
            let start = Instant::now();
            let longest = outcomes.iter().flatten().map(|o| o.usage.wall).max().unwrap_or_default();
            let seed_text = entry.seeds.first().map(|s| &lab.seeds[*s].text[..]);
            let doubt = Doubt {
                solvers,
                matter,
                outcomes,
                seed: seed_text.map(|text| (text, seed)).filter(|s| !s.1.is_empty()),
                limits: lab.limits,
                wall: lab.patience.confirm(longest),
            };
            let seen = confirm(&doubt, &unsure, || lab.budget.is_over())?;
            self.aside_time += start.elapsed();
            let Some(seen) = seen else { return Ok(None) };
            seen
        };
        let mut seen = seen.into_iter();
        let mut findings = Vec::new();
        for (charge, doubtful) in charges.into_iter().zip(doubtful) {
            let seen = if doubtful { seen.next() } else { None };
            self.note(&charge, seen, entry.script.len());
            findings.push(new_finding(lab, entry, charge, seen, outcomes));
        }
        Ok(Some(findings))
    }

    /// Looks into what another release of the same solver does better.
    fn regressions(&mut self, entry: &Entry, outcomes: &[Option<Outcome>]) -> Result<Vec<NewFinding>, Error> {
        let lab = self.lab;
        let solvers = &lab.config.solvers;
        let mut findings = Vec::new();
        for suspicion in suspicions(solvers, outcomes) {
            let theory = Reading::new(&entry.script).theory();
            let key = tries_key(solvers, suspicion, &theory);
            if !self.may_try(&key, TRIES_EACH) {
                continue;
            }
            let start = Instant::now();
            let charge = investigate_regression(solvers, suspicion, &entry.script, lab.limits, || {
                lab.budget.is_over()
            })?;
            self.aside_time += start.elapsed();
            let Some(charge) = charge else { continue };
            findings.push(self.settled(entry, charge, key, outcomes));
        }
        Ok(findings)
    }

    /// Looks into what was decided one step before.
    fn implications(
        &mut self,
        entry: &Entry,
        outcomes: &[Option<Outcome>],
    ) -> Result<Vec<NewFinding>, Error> {
        let lab = self.lab;
        let solvers = &lab.config.solvers;
        let Some(before) = &entry.before else { return Ok(Vec::new()) };
        let mut findings = Vec::new();
        for accused in imply::silent(outcomes) {
            let theory = Reading::new(&entry.script).theory();
            let key = imply::implication_key(solvers, accused, &theory);
            // Often the step before is not decided either: asked in passing, that is no try.
            if !self.may_try(&format!("{key}/asked"), QUESTIONS) {
                continue;
            }
            let start = Instant::now();
            let asked = self.aside[accused].run(query(before, lab.patience.unknown()))?.outcome;
            self.aside_time += start.elapsed();
            let decided = matches!(asked.kind, OutcomeKind::Sat | OutcomeKind::Unsat);
            if !decided || !self.may_try(&key, TRIES_EACH) {
                continue;
            }
            let start = Instant::now();
            let step = entry.provenance.steps.last().map(String::as_str);
            let pair = (&before[..], &entry.script[..]);
            let charge = imply::investigate_implication(solvers, accused, pair, step, lab.limits, || {
                lab.budget.is_over()
            })?;
            self.aside_time += start.elapsed();
            let Some(charge) = charge else { continue };
            findings.push(self.settled(entry, charge, key, outcomes));
        }
        Ok(findings)
    }

    /// Whether something of this name should be looked into once more.
    fn may_try(&self, key: &str, limit: u32) -> bool {
        let mut known = self.lab.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match known.entry(key.to_owned()).or_insert(Known::Flaky(0)) {
            Known::Flaky(tries) if *tries < limit => {
                *tries += 1;
                true
            }
            _ => false,
        }
    }

    /// A charge that was confirmed while it was looked into.
    fn settled(
        &self,
        entry: &Entry,
        charge: Charge,
        key: String,
        outcomes: &[Option<Outcome>],
    ) -> NewFinding {
        let bytes = entry.script.len();
        let mut known = self.lab.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        known.insert(key, Known::Confirmed(bytes));
        drop(known);
        self.note(&charge, Some(3), bytes);
        new_finding(self.lab, entry, charge, Some(3), outcomes)
    }

    /// Whether a charge must be confirmed: it is new, or much smaller than what is known.
    fn is_doubtful(&self, charge: &Charge, bytes: usize) -> bool {
        let known = self.lab.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match known.get(&charge.fingerprint) {
            None => true,
            Some(Known::Confirmed(smallest)) => bytes * 5 < smallest * 4,
            Some(Known::Flaky(times)) => *times < 3,
        }
    }

    fn note(&self, charge: &Charge, seen: Option<u32>, bytes: usize) {
        let Some(seen) = seen else { return };
        let mut known = self.lab.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let entry = known.entry(charge.fingerprint.clone()).or_insert(Known::Flaky(0));
        *entry = match (*entry, seen) {
            (Known::Confirmed(smallest), 3) => Known::Confirmed(smallest.min(bytes)),
            (Known::Flaky(_), 3) => Known::Confirmed(bytes),
            (Known::Flaky(times), _) => Known::Flaky(times + 1),
            (known, _) => known,
        };
    }
}

/// The time limit of a query.
fn limit(lab: &Lab<'_>, entry: &Entry, solver: usize) -> Duration {
    let Task::Case { number, source, .. } = entry.task else {
        return lab.patience.unknown();
    };
    let hard = lab.schedule.is_hard(source);
    if source.seed.is_none() {
        return lab.patience.made(hard, number);
    }
    let taken = |seed: &usize| {
        let outcome = lab.facts[*seed].get()?.outcomes.get(solver)?.as_ref()?;
        matches!(outcome.kind, OutcomeKind::Sat | OutcomeKind::Unsat | OutcomeKind::Unknown)
            .then_some(outcome.usage.wall)
    };
    let sum: Option<Duration> = entry.seeds.iter().map(taken).sum();
    lab.patience.mutant(sum, hard, number)
}

fn probe(lab: &Lab<'_>, seed: usize) -> Entry {
    let text = &lab.seeds[seed];
    let expectation = match text.status.filter(|_| text.proved) {
        Some(smelt_core::Verdict::Sat) => Expectation::Sat,
        Some(smelt_core::Verdict::Unsat) => Expectation::Unsat,
        _ => Expectation::None,
    };
    let provenance =
        Provenance { seeds: vec![text.hash], strategy: SEED.to_owned(), ..Provenance::default() };
    Entry {
        task: Task::Probe,
        script: text.text.clone(),
        expectation,
        provenance,
        before: None,
        witness: None,
        seeds: vec![seed],
        slots: lab.config.solvers.iter().map(|_| Slot::Waiting).collect(),
    }
}

/// Why the label of a seed is not believed: a model refutes it, or a solver does and none backs it.
fn dispute(lab: &Lab<'_>, seed: usize, entry: &Entry, outcomes: &[Option<Outcome>]) -> Option<String> {
    use smelt_core::Verdict::{Sat, Unsat};
    let text = &lab.seeds[seed];
    if text.is_disputed() {
        return Some("its folder and its :status contradict each other: neither is believed".into());
    }
    let label = text.status.or(text.stated())?;
    let other = if label == Sat { Unsat } else { Sat };
    let who = |v| {
        let said =
            move |(i, o): (usize, &Option<Outcome>)| (o.as_ref()?.kind.verdict() == Some(v)).then_some(i);
        outcomes.iter().enumerate().filter_map(said).collect::<Vec<usize>>()
    };
    let (against, backing) = (who(other), who(label));
    let first = *against.first()?;
    if other == Sat {
        let matter = Matter::open(&entry.script);
        let judgement = try_case(&lab.config.solvers, matter, outcomes, &[]);
        let proof = judgement
            .models
            .iter()
            .any(|m| m.last().and_then(Option::as_ref).is_some_and(|r| r.truth == Truth::True));
        if proof {
            return Some("labelled unsat, but it has a model: the label is dropped".into());
        }
    }
    if backing.is_empty() && !text.proved {
        let id = lab.config.solvers[first].solver.id();
        return Some(format!(
            "labelled {label}, but {id} says {other} and nobody {label}: the label is not used"
        ));
    }
    None
}

/// An outcome without its long texts.
fn slim(outcome: &Outcome) -> Outcome {
    let mut outcome = outcome.clone();
    for answer in &mut outcome.answers {
        (answer.model, answer.core, answer.assumptions) = (None, None, None);
        answer.values.clear();
    }
    outcome
}

fn new_finding(
    lab: &Lab<'_>,
    entry: &Entry,
    charge: Charge,
    seen: Option<u32>,
    outcomes: &[Option<Outcome>],
) -> NewFinding {
    let solvers = &lab.config.solvers;
    let said: Vec<serde_json::Value> = solvers
        .iter()
        .zip(outcomes)
        .filter_map(|(c, o)| {
            let o = o.as_ref()?;
            Some(serde_json::json!({
                "solver": c.solver.id(), "spec": c.spec, "outcome": o.kind, "message": o.message, "crash": o.crash,
                "wall_ms": o.usage.wall.as_secs_f64() * 1e3, "answers": o.answers,
            }))
        })
        .collect();
    let story = serde_json::json!({
        "kind": charge.kind, "solver": charge.solver, "evidence": charge.evidence, "theory": charge.theory,
        "fingerprint": charge.fingerprint, "reason": charge.reason.to_string(), "check": charge.check,
        "seen": seen, "number": entry.number(), "expectation": entry.expectation,
        "provenance": entry.provenance, "outcomes": said,
        "witness": entry.witness, "before": entry.before.as_ref().map(|b| String::from_utf8_lossy(b)),
    });
    let asked = solvers.iter().zip(outcomes).filter(|(_, o)| o.is_some()).map(|(c, _)| c.spec.clone());
    let of_seed = |s: &usize| {
        let seed = &lab.seeds[*s];
        (seed.hash.to_string(), seed.name.clone(), seed.text.clone())
    };
    NewFinding {
        charge,
        number: if entry.task == Task::Probe { entry.seeds[0] as u64 } else { entry.number() },
        script: entry.script.clone(),
        provenance: entry.provenance.clone(),
        expectation: entry.expectation,
        seen,
        solvers: asked.collect(),
        story,
        seeds: entry.seeds.iter().map(of_seed).collect(),
    }
}
