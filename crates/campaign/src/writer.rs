//! The writer: takes the results of all workers, keeps the counters, and writes everything to the store.
//!
//! A batch is one transaction. It contains the results of some cases with their findings, and marks these cases as
//! done. So a case is either completely on disk or will run again.

use smelt_core::{Event, Kind, OutcomeKind, Progress, StrategyProgress};
use smelt_store::{Answer, Batch, Counts, Error, ErrorKind, NewFinding, SAMPLES, Stored, Triaged};
use smelt_strategies::{Rng, case_seed};
use smelt_triage::Mute;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use crate::lab::{Config, Lab};
use crate::ledger::Ledger;
use crate::numbering::{Kept, Turns};
use crate::numbers::Numbers;
use crate::plan::{Pick, Plan, SEED};
use crate::schedule::Place;
use crate::seeds::{SeedText, logic_of};
use crate::settings::{SETTINGS, Settings};
use crate::sink::{PAUSE, Sink, Tables};
use crate::solver_books::SolverBooks;
use crate::source::{Feedback, Learning};
use crate::summary::{ShardRow, Summary, solver_rows, strategy_rows};

/// A result that a worker sends.
pub(crate) enum Record {
    /// A case is done.
    Case {
        number: u64,
        pick: Pick,
        size: Option<u64>,
        calls: Vec<Call>,
        findings: Vec<NewFinding>,
        feedback: Feedback,
    },
    /// A number of which its strategy makes no case.
    Passed(Pick),
    /// A seed was run itself.
    Probe { seed: usize, calls: Vec<Call>, findings: Vec<NewFinding>, disputed: Option<String> },
    /// No case could be made for this number.
    Empty { number: u64 },
    /// A finding was examined.
    Triaged(Box<Triaged>),
    /// A request to write all earlier records, then answer.
    Flush(SyncSender<()>),
}

/// One finished query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) solver: usize,
    pub(crate) kind: OutcomeKind,
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Call {
    /// Whether the solver said sat or unsat.
    fn is_answer(&self) -> bool {
        matches!(self.kind, OutcomeKind::Sat | OutcomeKind::Unsat)
    }
}

/// The state that earlier runs left.
#[derive(Debug)]
pub(crate) struct Past {
    /// The numbers of cases that are not done, and whether the campaign ends with them.
    pub(crate) numbers: Arc<dyn Numbers>,
    pub(crate) numbers_end: bool,
    pub(crate) tests: u64,
    pub(crate) probed: Vec<bool>,
    pub(crate) ledger: Ledger,
    /// What was counted of strategies, ways and seeds.
    pub(crate) counts: Vec<(Place, Counts)>,
    /// By strategy and way, the next numbers of enumerations.
    pub(crate) turns: Vec<Vec<Turns>>,
}

/// What the store's keys for the states of ways begin with.
pub(crate) const WAY: &str = "way ";

/// The store's key for the state of a way.
pub(crate) fn way_key(name: &str, options: &str) -> String {
    format!("{WAY}{name} {options}")
}

/// All strategies and ways.
pub(crate) fn ways(kept: &[Vec<Kept>]) -> Vec<(usize, usize)> {
    let ways = |(strategy, ways): (usize, &Vec<Kept>)| (0..ways.len()).map(move |way| (strategy, way));
    kept.iter().enumerate().flat_map(ways).collect()
}

pub(crate) struct Writer {
    sink: Sink,
    /// Tests of earlier runs.
    tests_before: u64,
    wall_before: Duration,
    /// The time from the start of this run to its last test.
    tested: Duration,
    tests: u64,
    made: BTreeMap<String, u64>,
    /// By strategy: cases and counts since the last batch, and cases of this run with a finding.
    new: Vec<(u64, Counts)>,
    found_by: Vec<u64>,
    /// By seed: the same counts.
    new_seeds: BTreeMap<usize, Counts>,
    /// By strategy and way: the same counts of those that changed.
    new_ways: BTreeMap<(usize, usize), Counts>,
    numbers: Arc<dyn Numbers>,
    /// Numbers that made no case.
    empty: u64,
    /// By strategy and way.
    kept: Vec<Vec<Kept>>,
    batch: Batch,
    pending: usize,
    found: BTreeMap<Kind, u64>,
    /// What was picked for cases that earned the reward of a new bug: by number, and once it is known by finding.
    rewarded: HashMap<u64, Pick>,
    rewarded_findings: HashMap<String, Pick>,
    solvers: SolverBooks,
    /// The names of logics by their numbers.
    logics: BTreeMap<usize, String>,
}

/// Adds counts.
fn add(sum: &mut Counts, more: Counts) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
}

/// The settings of this run as the store keeps them.
fn settings(sink: &Sink, config: &Config, plans: &[Plan], seeds: &[SeedText]) -> Result<Batch, Error> {
    let store = sink.store();
    let mut batch = Batch::default();
    if config.learning == Learning::Uniform {
        let settings = Settings::of(config, plans, seeds);
        // Machines of a shared campaign may have other releases of solvers: findings say which.
        if !sink.is_shared() {
            settings.check(store.value(SETTINGS)?.as_deref())?;
        }
        batch.values.insert(SETTINGS.into(), settings.to_json());
        batch.values.insert("shard".into(), config.shard.to_string());
    }
    batch.values.insert("seed".into(), config.seed.to_string());
    batch.values.insert("request".into(), config.request.clone());
    batch.values.insert("smelt".into(), env!("CARGO_PKG_VERSION").to_owned());
    batch.values.insert("system".into(), smelt_triage::system());
    if store.value("started")?.is_none() {
        batch.values.insert("started".into(), smelt_triage::now().to_string());
    }
    Ok(batch)
}

impl Writer {
    /// Reads the state that earlier runs left, and stores the settings of this one.
    pub(crate) fn start(
        mut sink: Sink,
        config: &Config,
        plans: &[Plan],
        seeds: &[SeedText],
    ) -> Result<(Writer, Past), Error> {
        let store = sink.store();
        let number = |key: &str| -> Result<u64, Error> {
            Ok(store.value(key)?.and_then(|v| v.parse().ok()).unwrap_or(0))
        };
        if let Some(seed) = store.value("seed")?
            && seed != config.seed.to_string()
        {
            let message = format!("the campaign was started with --seed {seed}: continue it without --seed");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        let (mut kept, mut turns) = (Vec::new(), Vec::new());
        for plan in plans {
            let of = |way: &crate::plan::Way| sink.kept(&way_key(plan.row.name, &way.text));
            let ways = plan.ways.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            let (of_plan, next): (Vec<_>, Vec<_>) = ways.into_iter().unzip();
            kept.push(of_plan);
            turns.push(next);
        }
        let known_seeds = store.seeds()?;
        let is_probed = |s: &SeedText| known_seeds.get(&s.hash.to_string()).is_some_and(|known| known.0);
        let (numbers, numbers_end) = sink.numbers(config)?;
        let past = Past {
            numbers: numbers.clone(),
            numbers_end,
            tests: number("tests")?,
            probed: seeds.iter().map(is_probed).collect(),
            ledger: Ledger::new(config.learning == Learning::Uniform),
            counts: sink.counts(plans, &kept, seeds)?,
            turns,
        };
        let mut found = BTreeMap::new();
        for stored in store.stored()? {
            let finding = stored.finding;
            let script = || store.file(&stored.relative_file).ok();
            past.ledger.restore(&stored.claim, finding.bytes, stored.flaky, stored.number, script);
            if finding.strategy.as_deref() == Some(SEED) {
                past.ledger.note_seed(stored.number as usize, &stored.claim);
            }
            *found.entry(finding.kind).or_default() += u64::from(!stored.flaky);
        }
        let tests = store.tests()?;
        let found_before = |plan: &Plan| tests.get(plan.row.name).map_or(0, |(_, of)| u64::from(of[2]));
        let (wall_before, empty) = (Duration::from_millis(number("wall_ms")?), number("empty")?);
        let batch = settings(&sink, config, plans, seeds)?;
        let writer = Writer {
            tests_before: past.tests,
            tests: past.tests,
            kept,
            wall_before,
            tested: Duration::ZERO,
            made: tests.iter().map(|(name, (made, _))| (name.clone(), *made)).collect(),
            new: vec![Default::default(); plans.len()],
            found_by: plans.iter().map(found_before).collect(),
            new_seeds: BTreeMap::new(),
            new_ways: BTreeMap::new(),
            numbers,
            empty,
            batch: Batch::default(),
            pending: 0,
            found,
            rewarded: HashMap::new(),
            rewarded_findings: HashMap::new(),
            solvers: SolverBooks::new(config.solvers.len()),
            logics: BTreeMap::new(),
            sink: {
                sink.begin(&batch, config.resume)?;
                sink
            },
        };
        Ok((writer, past))
    }

    /// Takes results until all workers are done, then sums up.
    pub(crate) fn run(
        mut self,
        lab: &Lab<'_>,
        inbox: Receiver<Record>,
        started: Instant,
        tell: Sender<String>,
    ) -> Result<Summary, Error> {
        let mut last_write = Instant::now();
        let mut last_progress = Instant::now();
        let mut over_since = None;
        loop {
            lab.budget.enforce(&mut over_since);
            let ended = match inbox.recv_timeout(PAUSE) {
                Ok(Record::Flush(done)) => {
                    self.write(lab, started, &tell)?;
                    let _ = done.send(());
                    false
                }
                Ok(record) => {
                    if matches!(record, Record::Case { .. }) {
                        self.tested = started.elapsed();
                    }
                    self.take(lab, record);
                    false
                }
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            let due = self.pending > 0 && self.sink.is_due(&self.batch, last_write.elapsed());
            if ended || due || self.sink.is_lost() {
                self.write(lab, started, &tell)?;
                last_write = Instant::now();
            }
            self.hear(lab, &tell);
            if ended || last_progress.elapsed() >= Duration::from_secs(1) {
                lab.events.event(&Event::Progress(self.progress(lab, started)));
                self.solvers.warn(lab);
                last_progress = Instant::now();
            }
            if ended {
                return self.summary(lab, started);
            }
        }
    }

    fn take(&mut self, lab: &Lab<'_>, record: Record) {
        self.pending += 1;
        if let Record::Case { number, .. } | Record::Empty { number } = &record
            && !self.numbers.is_ours(*number)
        {
            if let Record::Case { pick, .. } = &record
                && pick.in_order
                && let Some(turns) = lab.source.turns(pick.strategy, pick.way)
            {
                turns.give_back(pick.number);
            }
            return;
        }
        let mut logic = None;
        let (calls, findings) = match record {
            Record::Empty { number } => {
                self.numbers.finish(number);
                self.empty += 1;
                return;
            }
            Record::Passed(pick) => return self.finish_turn(lab, pick),
            Record::Case { number, pick, size, calls, findings, feedback } => {
                self.numbers.finish(number);
                self.tests += 1;
                logic = Some(self.logic(lab, pick));
                self.sample(lab, &calls);
                self.count(lab, number, pick, &feedback);
                for call in calls.iter().filter(|_| size.is_some()) {
                    let solver = lab.config.solvers[call.solver].solver.id().to_string();
                    let kept = &mut self.kept[pick.strategy][pick.way];
                    kept.asked(size.unwrap_or(0), &solver, call.is_answer());
                }
                (calls, findings)
            }
            Record::Triaged(triaged) => {
                self.batch.triaged.push(*triaged);
                return;
            }
            Record::Flush(_) => return,
            Record::Probe { seed, calls, findings, disputed } => {
                self.batch.probed.push((lab.seeds.texts[seed].hash.to_string(), disputed));
                (calls, findings)
            }
        };
        if let Some(logic) = logic {
            let answered = calls.iter().filter(|c| c.is_answer()).count();
            let counts = self.batch.logics.entry(logic).or_default();
            for (sum, new) in counts.iter_mut().zip([1, calls.len(), answered]) {
                *sum += new as u64;
            }
        }
        for call in calls {
            self.solvers.note(&call);
            let solver = lab.config.solvers[call.solver].solver.id().to_string();
            let numbers = self.batch.outcomes.entry((solver, call.kind)).or_default();
            for (sum, new) in numbers.iter_mut().zip([1, call.wall.as_micros(), call.cpu.as_micros()]) {
                *sum += new as u64;
            }
        }
        self.batch.findings.extend(findings);
    }

    /// Counts a case in the books.
    fn count(&mut self, lab: &Lab<'_>, number: u64, pick: Pick, feedback: &Feedback) {
        let Pick { strategy, way, seed, .. } = pick;
        *self.made.entry(lab.strategies[strategy].row.name.to_owned()).or_default() += 1;
        let counts = lab.source.books(feedback);
        let (made, of_strategy) = &mut self.new[strategy];
        *made += 1;
        add(of_strategy, counts);
        self.found_by[strategy] += u64::from(counts[2]);
        add(self.new_ways.entry((strategy, way)).or_default(), counts);
        if let Some(seed) = seed {
            add(self.new_seeds.entry(seed).or_default(), counts);
        }
        if feedback.new_bugs > 0 {
            self.rewarded.insert(number, pick);
        }
        if pick.in_order {
            self.finish_turn(lab, pick);
        }
    }

    /// Notes that a number of an enumeration is done, where the number of the case does not say so.
    fn finish_turn(&mut self, lab: &Lab<'_>, pick: Pick) {
        let Pick { strategy, way, number, .. } = pick;
        if let Some(turns) = lab.source.turns(strategy, way)
            && !turns.finish(number)
        {
            self.kept[strategy][way].numbers.finish(number);
        }
        self.new_ways.entry((strategy, way)).or_default();
    }

    /// The logic of a case: that of its seed, or the strategy that makes cases without seeds.
    fn logic(&mut self, lab: &Lab<'_>, pick: Pick) -> String {
        let Some(seed) = pick.seed else {
            return format!("from {}", lab.strategies[pick.strategy].row.name);
        };
        let name = || logic_of(&lab.seeds.texts[seed].text).unwrap_or_else(|| "no logic set".to_owned());
        self.logics.entry(lab.seeds.classes[seed]).or_insert_with(name).clone()
    }

    /// Keeps a case in the sample of all cases with the same chance as every other.
    fn sample(&mut self, lab: &Lab<'_>, calls: &[Call]) {
        let last = self.tests - 1;
        let slot = match last < SAMPLES {
            true => last,
            false => Rng::new(case_seed(lab.config.seed, "sample", last)).below(self.tests as usize) as u64,
        };
        if slot < SAMPLES {
            let answer = |c: &Call| {
                let answer = Answer { outcome: c.kind.to_string(), wall_us: c.wall.as_micros() as u64 };
                (lab.config.solvers[c.solver].solver.id().to_string(), answer)
            };
            self.batch.samples.push((slot, calls.iter().map(answer).collect()));
        }
    }

    fn write(&mut self, lab: &Lab<'_>, started: Instant, tell: &Sender<String>) -> Result<(), Error> {
        let mut batch = std::mem::take(&mut self.batch);
        self.pending = 0;
        let wall = self.wall_before + started.elapsed();
        batch.at = Some(wall);
        let mut values: BTreeMap<String, String> = self.numbers.state().into_iter().collect();
        for (key, value) in [
            ("tests", self.tests.to_string()),
            ("empty", self.empty.to_string()),
            ("wall_ms", wall.as_millis().to_string()),
            ("solver_share", format!("{:.4}", lab.counters.busy_share())),
        ] {
            values.insert(key.to_owned(), value);
        }
        let mut tables = Tables::default();
        for ((strategy, way), counts) in std::mem::take(&mut self.new_ways) {
            let plan = &lab.strategies[strategy];
            let kept = &mut self.kept[strategy][way];
            if let Some(done) = lab.source.done(strategy, way, self.numbers.low()) {
                kept.numbers = done;
            }
            add(&mut kept.counts, counts);
            let key = way_key(plan.row.name, &plan.ways[way].text);
            if self.sink.is_shared() {
                for (size, solvers) in std::mem::take(&mut kept.sizes) {
                    let row = |(solver, counts)| (key.clone(), size, solver, counts);
                    tables.sizes.extend(solvers.into_iter().map(row));
                }
                tables.ways.push((key, counts));
            } else {
                values.insert(key, serde_json::to_string(kept).unwrap_or_default());
            }
        }
        for (plan, new) in lab.strategies.iter().zip(&mut self.new) {
            let (made, counts) = std::mem::take(new);
            batch.tests.push((plan.row.name.to_owned(), made, counts));
        }
        for (seed, counts) in std::mem::take(&mut self.new_seeds) {
            batch.seeds.push((lab.seeds.texts[seed].hash.to_string(), counts));
        }
        let is_triaged = !batch.triaged.is_empty();
        for id in self.sink.write(batch, tables, values)? {
            let _ = tell.send(id);
        }
        if is_triaged {
            self.correct(lab)?;
        }
        Ok(())
    }

    /// Takes back the rewards for findings that triage found to be other bugs.
    fn correct(&mut self, lab: &Lab<'_>) -> Result<(), Error> {
        if !self.rewarded_findings.is_empty() {
            for id in self.sink.duplicates()? {
                if let Some(pick) = self.rewarded_findings.remove(&id) {
                    lab.source.withdraw(pick);
                }
            }
        }
        Ok(())
    }

    /// Takes in what the store has of findings: those of others are known from now on; and what others counted.
    fn hear(&mut self, lab: &Lab<'_>, tell: &Sender<String>) {
        lab.source.hear(&lab.strategies, &lab.seeds.texts, self.sink.take_lessons());
        for (stored, is_mine) in self.sink.take_told() {
            let Stored { finding, flaky, number, .. } = stored;
            if is_mine && flaky {
                let (kind, solver) = (finding.kind, finding.solver.to_string());
                lab.events.event(&Event::Flaky { kind, solver, seen: stored.seen });
            } else if is_mine {
                *self.found.entry(finding.kind).or_default() += 1;
                let _ = tell.send(finding.id.clone());
                if finding.strategy.as_deref() != Some(SEED)
                    && let Some(pick) = self.rewarded.get(&number)
                {
                    self.rewarded_findings.insert(finding.id.clone(), *pick);
                }
                lab.events.event(&Event::Found(finding));
            } else {
                lab.ledger.restore(&stored.claim, finding.bytes, flaky, number, || None);
            }
        }
    }

    /// Ends the link of a shared campaign and reads what all its processes did.
    fn end(&mut self, lab: &Lab<'_>) -> Result<(), Error> {
        if !self.sink.end(lab.config)? {
            return Ok(());
        }
        let store = self.sink.store();
        self.made = store.tests()?.into_iter().map(|(name, (made, _))| (name, made)).collect();
        self.tests = self.made.values().sum();
        #[cfg(feature = "postgres")]
        {
            let (sizes, lows) = (store.sizes()?, store.lows()?);
            for (strategy, way) in ways(&self.kept) {
                let plan = &lab.strategies[strategy];
                let key = way_key(plan.row.name, &plan.ways[way].text);
                let kept = &mut self.kept[strategy][way];
                if plan.ways[way].in_order && lab.source.turns(strategy, way).is_some() {
                    let low = lows.get(&key).copied().unwrap_or(0);
                    kept.numbers = crate::numbering::Done { low, ..Default::default() };
                }
                for (_, size, solver, counts) in sizes.iter().filter(|(of, ..)| *of == key) {
                    kept.sizes.entry(*size).or_default().insert(solver.clone(), *counts);
                }
            }
        }
        Ok(())
    }

    fn progress(&self, lab: &Lab<'_>, started: Instant) -> Progress {
        let elapsed = started.elapsed();
        let mut figures = vec![("solvers busy", format!("{:.0}%", lab.counters.busy_share() * 100.0))];
        figures.extend(self.solvers.figures());
        if self.sink.is_away() {
            figures.push(("shared store", "unreachable".to_owned()));
        }
        let untouched = lab.source.schedule(|schedule| schedule.untouched()).unwrap_or(0);
        if untouched > 0 {
            figures.push(("seeds not run yet", untouched.to_string()));
        }
        let strategies = lab.strategies.iter().zip(&self.found_by).zip(lab.source.shares(&lab.strategies));
        let strategy = |((plan, found), weight): ((&Plan, &u64), f64)| StrategyProgress {
            strategy: plan.row.name.to_owned(),
            made: self.made.get(plan.row.name).copied().unwrap_or(0),
            weight,
            found: *found,
        };
        Progress {
            solvers: self.solvers.rows(lab),
            strategies: strategies.map(strategy).collect(),
            elapsed,
            done: self.tests,
            unit: "tests",
            rate: Some((self.tests - self.tests_before) as f64 / elapsed.as_secs_f64().max(1e-3)),
            figures,
            findings: Some(self.found.clone()),
            ..Progress::default()
        }
    }

    fn summary(mut self, lab: &Lab<'_>, started: Instant) -> Result<Summary, Error> {
        self.end(lab)?;
        let unanswered = lab.seeds.unanswered(&lab.config.solvers);
        let mut summary = Summary {
            tests: self.tests,
            wall_s: (self.wall_before + started.elapsed()).as_secs_f64(),
            rate: Some((self.tests - self.tests_before) as f64 / self.tested.as_secs_f64().max(1e-3)),
            this_run: (self.tests - self.tests_before, self.tested.as_secs_f64()),
            by_strategy: self.made.clone(),
            solver_share: lab.counters.busy_share(),
            seed: lab.config.seed,
            out_of_cases: lab.counters.out_of_cases.load(Relaxed),
            unanswered_seeds: unanswered.len() as u64,
            unanswered,
            ..Summary::default()
        };
        let names: Vec<String> = lab.config.solvers.iter().map(|s| s.solver.id().to_string()).collect();
        summary.solvers = solver_rows(self.sink.store(), &names)?;
        for (solver, row) in summary.solvers.iter_mut().enumerate() {
            row.reason = lab.counters.commonest_reason(solver, OutcomeKind::Rejected);
            row.unknown_reason = lab.counters.commonest_reason(solver, OutcomeKind::Unknown);
        }
        summary.strategies = strategy_rows(self.sink.store(), lab)?;
        for (strategy, way) in ways(&self.kept) {
            if let Some(done) = lab.source.done(strategy, way, self.numbers.low()) {
                self.kept[strategy][way].numbers = done;
            }
        }
        if lab.source.numbered().is_some() && !smelt_store::is_shared(&lab.config.out) {
            let (done, numbers) = self.numbers.progress();
            summary.shard = Some(ShardRow { shard: lab.config.shard, numbers, done, empty: self.empty });
        }
        for (plan, kept) in lab.strategies.iter().zip(&self.kept) {
            for (strategy, kept) in plan.make()?.iter_mut().zip(kept) {
                summary.guarantees.extend(kept.guarantee(&mut **strategy));
            }
        }
        let store = self.sink.store();
        let mute = Mute::read(store.folder(), &lab.config.mute)?;
        summary.add_stored(store, &lab.config.profiles, &mute)?;
        Ok(summary)
    }
}
