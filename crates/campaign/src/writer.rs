//! The writer: takes the results of all workers, keeps the counts, and puts everything into the store.
//!
//! A batch is one transaction. It holds the results of some cases, with their findings, and marks these cases as done;
//! so a case is either on disk in full or will be done again.

mod shared;

use smelt_core::{Event, Kind, OutcomeKind, Progress, StrategyProgress};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant};

use crate::deal::Deal;
use crate::lab::{Config, Lab};
use crate::ledger::Ledger;
use crate::link::{self, Link};
use crate::numbering::{Done, Kept, Turns};
use crate::numbers::{Numbers, shares};
use crate::plan::{Plan, Source};
use crate::schedule::{Counts, Feedback, Learning};
use crate::seeds::{SeedText, logic_of};
use crate::settings::{SETTINGS, Settings};
use crate::summary::{ShardRow, Summary, solver_rows, strategy_rows};
use crate::telling::Telling;
use smelt_store::{Answer, Batch, Filed, NewFinding, SAMPLES, Store, Triaged};
use smelt_store::{Error, ErrorKind};
use smelt_strategies::{Rng, case_seed};
use smelt_triage::Mute;

/// A result that a worker sends.
pub(crate) enum Record {
    /// A case is done. The lesson is counted with it, unless the scheduler learns it later.
    Case {
        number: u64,
        source: Source,
        size: Option<u64>,
        calls: Vec<Call>,
        findings: Vec<NewFinding>,
        lesson: Option<Feedback>,
    },
    /// A number of which its strategy makes no case.
    Passed(Source),
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
    /// The numbers of cases that are not done.
    pub(crate) numbers: Arc<dyn Numbers>,
    pub(crate) tests: u64,
    pub(crate) probed: Vec<bool>,
    pub(crate) ledger: Ledger,
    pub(crate) strategy_arms: Vec<(usize, Counts)>,
    pub(crate) seed_arms: Vec<(usize, Counts)>,
    /// By strategy and way.
    pub(crate) kept: Vec<Vec<Kept>>,
    /// The same: the next numbers.
    pub(crate) turns: Vec<Vec<Turns>>,
}

/// What the store's keys for the states of ways begin with.
pub(crate) const WAY: &str = "way ";

/// The store's key for the state of a way.
pub(crate) fn way_key(name: &str, options: &str) -> String {
    format!("{WAY}{name} {options}")
}

/// All strategies and ways.
fn ways(kept: &[Vec<Kept>]) -> Vec<(usize, usize)> {
    let ways = |(strategy, ways): (usize, &Vec<Kept>)| (0..ways.len()).map(move |way| (strategy, way));
    kept.iter().enumerate().flat_map(ways).collect()
}

const PAUSE: Duration = Duration::from_millis(250);
const MOST: usize = 1000;

pub(crate) struct Writer {
    store: Store,
    /// The link to a shared campaign: batches go through it.
    link: Option<Link>,
    /// By strategy and way: the scheduler's counts that are stored, for a link.
    way_counts: Vec<Vec<Counts>>,
    /// Tests of earlier runs.
    tests_before: u64,
    wall_before: Duration,
    /// The time from the start of this run to its last test.
    tested: Duration,
    tests: u64,
    made: BTreeMap<String, u64>,
    /// By strategy: cases that the store does not count yet.
    made_new: BTreeMap<String, u64>,
    /// By strategy and by seed: the scheduler's counts that are stored.
    counted: [Vec<Counts>; 2],
    numbers: Arc<dyn Numbers>,
    /// Numbers that made no case.
    empty: u64,
    touched: BTreeSet<usize>,
    /// By strategy and way, and which of them changed.
    kept: Vec<Vec<Kept>>,
    changed: BTreeSet<(usize, usize)>,
    batch: Batch,
    pending: usize,
    found: BTreeMap<Kind, u64>,
    telling: Telling,
    /// The names of logics by their numbers.
    logics: BTreeMap<usize, String>,
}

/// Counts by index, from a list of some of them.
fn by_index(some: &[(usize, Counts)], all: usize) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); all];
    some.iter().for_each(|(index, known)| counts[*index] = *known);
    counts
}

/// What counts have gained since they were stored.
fn since(stored: &mut Counts, now: Counts) -> Counts {
    let old = std::mem::replace(stored, now);
    std::array::from_fn(|i| now[i].saturating_sub(old[i]))
}

impl Writer {
    /// Reads the state that earlier runs left, and stores the settings of this one.
    pub(crate) fn start(
        mut store: Store,
        config: &Config,
        strategies: &[Plan],
        seeds: &[SeedText],
        link: Option<Link>,
    ) -> Result<(Writer, Past), Error> {
        let number = |key: &str| -> Result<u64, Error> {
            Ok(store.value(key)?.and_then(|v| v.parse().ok()).unwrap_or(0))
        };
        if let Some(seed) = store.value("seed")?
            && seed != config.seed.to_string()
        {
            let message =
                format!("the campaign was started with --seed {seed}: leave --seed out to go on with it");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        let tests = store.tests()?;
        let known_seeds = store.seeds()?;
        let mut past = Past {
            numbers: match &config.numbers {
                Some(numbers) => numbers.clone(),
                None => Arc::new(shares(&store, config)?),
            },
            tests: number("tests")?,
            probed: Vec::new(),
            ledger: Ledger::new(config.learning == Learning::Uniform),
            strategy_arms: Vec::new(),
            seed_arms: Vec::new(),
            kept: Vec::new(),
            turns: Vec::new(),
        };
        let strategy_arms = strategies.iter().enumerate();
        // Over a link, the counts of earlier runs come like those of other processes.
        past.strategy_arms = strategy_arms
            .filter_map(|(i, s)| Some((i, tests.get(s.row.name).filter(|_| link.is_none())?.1)))
            .collect();
        for plan in strategies {
            let (mut kept, mut turns) = (Vec::new(), Vec::new());
            for way in &plan.ways {
                let key = way_key(plan.row.name, &way.text);
                // A shared store has tables for that.
                let stored = if link.is_none() { store.value(&key)? } else { None };
                let stored: Kept = stored.and_then(|v| serde_json::from_str(&v).ok()).unwrap_or_default();
                let leased = link.as_ref().and_then(|link| link.turns(&key));
                turns.push(leased.map_or_else(|| Turns::new(&stored.numbers), Turns::shared));
                kept.push(stored);
            }
            past.kept.push(kept);
            past.turns.push(turns);
        }
        for (i, seed) in seeds.iter().enumerate() {
            let (probed, counts) = known_seeds.get(&seed.hash.to_string()).copied().unwrap_or_default();
            past.probed.push(probed);
            past.seed_arms.push((i, if link.is_none() { counts } else { Counts::default() }));
        }
        let mut found = BTreeMap::new();
        for stored in store.stored()? {
            let finding = stored.finding;
            let script = || store.file(&stored.relative_file).ok();
            past.ledger.restore(&stored.claim, finding.bytes, stored.flaky, stored.number, script);
            *found.entry(finding.kind).or_default() += u64::from(!stored.flaky);
        }
        let made = tests.iter().map(|(name, (made, _))| (name.clone(), *made)).collect();
        let wall_before = Duration::from_millis(number("wall_ms")?);
        let empty = number("empty")?;
        let mut batch = Batch::default();
        if config.learning == Learning::Uniform {
            let settings = Settings::of(config, strategies, seeds);
            // Machines of a shared campaign may have other releases of solvers: findings say which.
            if link.is_none() {
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
        if link.is_none() || !config.resume {
            store.write(&batch)?;
        }
        let writer = Writer {
            store,
            link,
            way_counts: past.kept.iter().map(|ways| vec![Counts::default(); ways.len()]).collect(),
            tests_before: past.tests,
            tests: past.tests,
            kept: past.kept.clone(),
            changed: BTreeSet::new(),
            wall_before,
            tested: Duration::ZERO,
            made,
            made_new: BTreeMap::new(),
            counted: [
                by_index(&past.strategy_arms, strategies.len()),
                by_index(&past.seed_arms, seeds.len()),
            ],
            numbers: past.numbers.clone(),
            empty,
            touched: BTreeSet::new(),
            batch: Batch::default(),
            pending: 0,
            found,
            telling: Telling::new(config.solvers.len()),
            logics: BTreeMap::new(),
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
        loop {
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
            let since = last_write.elapsed();
            let due = match &self.link {
                Some(link) => {
                    let urgent = self.batch.is_urgent() && since >= link::SOON;
                    link.is_lost() || (self.pending > 0 && (urgent || since >= link::PAUSE))
                }
                None => {
                    let due = self.pending >= MOST || self.batch.is_urgent() || since >= PAUSE;
                    due && self.pending > 0
                }
            };
            self.hear(lab);
            if ended || due {
                self.write(lab, started, &tell)?;
                last_write = Instant::now();
            }
            if ended || last_progress.elapsed() >= Duration::from_secs(1) {
                lab.sink.event(&Event::Progress(self.progress(lab, started)));
                self.telling.complain(lab);
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
            if let Record::Case { source, .. } = &record
                && source.in_order
            {
                lab.numbers[source.strategy][source.way].give_back(source.number);
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
            Record::Passed(Source { strategy, way, number, .. }) => {
                if !lab.numbers[strategy][way].finish(number) {
                    self.kept[strategy][way].numbers.finish(number);
                }
                self.changed.insert((strategy, way));
                return;
            }
            Record::Case { number, source, size, calls, findings, lesson } => {
                let Source { strategy, way, .. } = source;
                lesson.into_iter().for_each(|lesson| lab.schedule.learn(lesson));
                self.numbers.finish(number);
                self.tests += 1;
                logic = Some(self.logic(lab, source));
                self.sample(lab, &calls);
                for made in [&mut self.made, &mut self.made_new] {
                    *made.entry(lab.strategies[strategy].row.name.to_owned()).or_default() += 1;
                }
                match source.seed {
                    Some(seed) => {
                        self.touched.insert(seed);
                        if self.link.is_some() {
                            self.changed.insert((strategy, way));
                        }
                    }
                    None => {
                        let kept = &mut self.kept[strategy][way];
                        let counts = source.in_order && lab.deal.is_none();
                        if counts && !lab.numbers[strategy][way].finish(source.number) {
                            kept.numbers.finish(source.number);
                        }
                        for call in calls.iter().filter(|_| size.is_some()) {
                            let solver = lab.config.solvers[call.solver].solver.id().to_string();
                            kept.asked(size.unwrap_or(0), &solver, call.is_answer());
                        }
                        self.changed.insert((strategy, way));
                    }
                }
                (calls, findings)
            }
            Record::Triaged(triaged) => {
                self.batch.triaged.push(*triaged);
                return;
            }
            Record::Flush(_) => return,
            Record::Probe { seed, calls, findings, disputed } => {
                self.batch.probed.push((lab.seeds[seed].hash.to_string(), disputed));
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
            self.telling.note(&call);
            let solver = lab.config.solvers[call.solver].solver.id().to_string();
            let numbers = self.batch.outcomes.entry((solver, call.kind)).or_default();
            for (sum, new) in numbers.iter_mut().zip([1, call.wall.as_micros(), call.cpu.as_micros()]) {
                *sum += new as u64;
            }
        }
        self.batch.findings.extend(findings);
    }

    /// The logic of a case: that of its seed, or the strategy that makes cases without seeds.
    fn logic(&mut self, lab: &Lab<'_>, source: Source) -> String {
        let Some(seed) = source.seed else {
            return format!("from {}", lab.strategies[source.strategy].row.name);
        };
        let name = || logic_of(&lab.seeds[seed].text).unwrap_or_else(|| "no logic set".to_owned());
        self.logics.entry(lab.logics[seed]).or_insert_with(name).clone()
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
        let values = [
            ("tests", self.tests.to_string()),
            ("empty", self.empty.to_string()),
            ("wall_ms", wall.as_millis().to_string()),
            ("solver_share", format!("{:.4}", lab.share())),
        ];
        batch.at = Some(wall);
        if self.link.is_some() {
            return self.post(lab, batch);
        }
        batch.values.extend(self.numbers.state().into_iter().map(|(key, value)| (key.into(), value)));
        batch.values.extend(values.map(|(key, value)| (key.into(), value)));
        for (strategy, way) in std::mem::take(&mut self.changed) {
            let plan = &lab.strategies[strategy];
            if let Some(deal) = &lab.deal {
                self.kept[strategy][way].numbers = self.low(deal, strategy, way);
            }
            let kept = &mut self.kept[strategy][way];
            kept.counts = lab.schedule.way_counts(strategy, way);
            let key = way_key(plan.row.name, &plan.ways[way].text);
            batch.values.insert(key.into(), serde_json::to_string(kept).unwrap_or_default());
        }
        self.count(lab, &mut batch);
        let filed = self.store.write(&batch)?;
        for Triaged { finding, .. } in &batch.triaged {
            // A smaller trigger came while it was examined: that one is examined instead.
            if !self.store.finding(finding)?.examined {
                let _ = tell.send(finding.clone());
            }
        }
        for (finding, filed) in batch.findings.iter().zip(filed) {
            let Filed::New(id) = filed else { continue };
            let stored = self.store.finding(&id.to_string())?;
            let kind = finding.claim.kind;
            if stored.flaky {
                let (solver, seen) = (stored.finding.solver.to_string(), stored.seen);
                lab.sink.event(&Event::Flaky { kind, solver, seen });
            } else {
                *self.found.entry(kind).or_default() += 1;
                let _ = tell.send(id.to_string());
                lab.sink.event(&Event::Found(stored.finding));
            }
        }
        Ok(())
    }

    /// Adds the scheduler's counts since the last batch.
    fn count(&mut self, lab: &Lab<'_>, batch: &mut Batch) {
        let [strategies, seeds] = lab.schedule.arms();
        let [stored, stored_seeds] = &mut self.counted;
        for ((plan, counts), stored) in lab.strategies.iter().zip(strategies).zip(stored) {
            let name = plan.row.name;
            let new = since(stored, counts);
            batch.tests.push((name.to_owned(), self.made_new.remove(name).unwrap_or(0), new));
        }
        for seed in std::mem::take(&mut self.touched) {
            batch.seeds.push((lab.seeds[seed].hash.to_string(), since(&mut stored_seeds[seed], seeds[seed])));
        }
    }

    /// The cases of a way that are done, where numbers deal them out.
    fn low(&self, deal: &Deal, strategy: usize, way: usize) -> Done {
        Done { low: deal.turns_below(strategy, way, self.numbers.low()), ..Done::default() }
    }

    fn progress(&self, lab: &Lab<'_>, started: Instant) -> Progress {
        let elapsed = started.elapsed();
        let mut figures = vec![("solvers", format!("{:.0}%", lab.share() * 100.0))];
        figures.extend(self.telling.figures());
        if self.link.as_ref().is_some_and(Link::is_away) {
            figures.push(("shared store", "away".to_owned()));
        }
        let untouched = lab.schedule.untouched();
        if untouched > 0 {
            figures.push(("seeds left", untouched.to_string()));
        }
        let [arms, _] = lab.schedule.arms();
        let strategies = lab.strategies.iter().zip(arms).zip(lab.schedule.shares());
        let strategy = |((plan, [_, _, found, _]), weight): ((&Plan, Counts), f64)| StrategyProgress {
            strategy: plan.row.name.to_owned(),
            made: self.made.get(plan.row.name).copied().unwrap_or(0),
            weight,
            found: u64::from(found),
        };
        Progress {
            solvers: self.telling.solvers(lab),
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
        self.end_link(lab)?;
        let mut summary = Summary {
            tests: self.tests,
            wall_s: (self.wall_before + started.elapsed()).as_secs_f64(),
            rate: Some((self.tests - self.tests_before) as f64 / self.tested.as_secs_f64().max(1e-3)),
            by_strategy: self.made.clone(),
            solver_share: lab.share(),
            seed: lab.config.seed,
            unusable_seeds: lab.unusable.clone(),
            out_of_cases: lab.out_of_cases.load(Relaxed),
            unanswered_seeds: lab.schedule.left() as u64,
            ..Summary::default()
        };
        let names: Vec<String> = lab.config.solvers.iter().map(|s| s.solver.id().to_string()).collect();
        summary.solvers = solver_rows(&self.store, &names)?;
        for (solver, row) in summary.solvers.iter_mut().enumerate() {
            row.reason = lab.commonest_reason(solver, OutcomeKind::Rejected);
            row.unknown_reason = lab.commonest_reason(solver, OutcomeKind::Unknown);
        }
        summary.strategies = strategy_rows(&self.store, lab)?;
        if let Some(deal) = &lab.deal {
            for (strategy, way) in ways(&self.kept) {
                self.kept[strategy][way].numbers = self.low(deal, strategy, way);
            }
        }
        if lab.deal.is_some() && !smelt_store::is_shared(&lab.config.out) {
            let (done, numbers) = self.numbers.progress();
            summary.shard = Some(ShardRow { shard: lab.config.shard, numbers, done, empty: self.empty });
        }
        for (plan, kept) in lab.strategies.iter().zip(&self.kept) {
            for (strategy, kept) in plan.make()?.iter_mut().zip(kept) {
                summary.guarantees.extend(kept.guarantee(&mut **strategy));
            }
        }
        let mute = Mute::read(self.store.folder(), &lab.config.mute)?;
        summary.add_stored(&self.store, &lab.config.profiles, &mute)?;
        Ok(summary)
    }
}
