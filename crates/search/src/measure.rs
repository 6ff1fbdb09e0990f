//! Measures CPU times in fresh processes, in random order. Decisive measurements are repeated.

use smelt_core::{Event, EventSink, Outcome, OutcomeKind};
use smelt_solvers::{Finished, Limits, Mode, Query, Solver};
use smelt_strategies::Rng;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use super::coverage::{Behaviour, Coverage};
use super::individual::Timing;
use smelt_store::Error;
use smelt_trial::{IsOver, Lineup, NamedSolver, Panel, in_parallel, lock};

/// CPU time of a short run that only collects coverage.
const GLIMPSE: Duration = Duration::from_secs(1);
/// Wall time that a process may take for each second of CPU: machines are shared.
const SHARED: u32 = 10;
/// Stop waiting for coverage data after this many runs without any.
const SILENT: usize = 10;
/// A time above this share of the limit that is not a timeout is measured again.
const SUSPICIOUS: f64 = 0.1;

/// Messages that are shown once.
pub(crate) struct Notes<'a> {
    said: Mutex<BTreeSet<&'static str>>,
    sink: &'a dyn EventSink,
}

impl<'a> Notes<'a> {
    pub(crate) fn new(sink: &'a dyn EventSink) -> Notes<'a> {
        Notes { said: Mutex::new(BTreeSet::new()), sink }
    }

    /// Shows a message, unless one about the same subject was shown before.
    pub(crate) fn once(&self, about: &'static str, text: impl FnOnce() -> String) {
        let first = lock(&self.said).insert(about);
        if first {
            self.sink.event(&Event::note(text()));
        }
    }
}

/// Bounds of a run by CPU time.
pub(crate) fn limits(cpu: Duration, memory: u64) -> Limits {
    Limits { cpu: Some(cpu), memory, output: 256 << 20, ..Limits::within(cpu * SHARED) }
}

/// Runs a script as a person would, in its own process; `None` if it was stopped.
pub(crate) fn run(
    solver: &Solver,
    script: &[u8],
    limits: Limits,
    is_over: IsOver<'_>,
) -> Result<Option<Finished>, Error> {
    let named = [NamedSolver { spec: String::new(), solver: solver.clone() }];
    let query = Query::new(script).with_limit(limits.time);
    Ok(Panel::new(Lineup { solvers: &named, limits, is_over }).finish(0, query, Mode::File)?)
}

/// Measures scripts on targets and references. Coverage is that of the first target.
pub(crate) struct Stopwatch<'a> {
    pub(crate) targets: &'a [NamedSolver],
    pub(crate) references: &'a [NamedSolver],
    pub(crate) timeout: Duration,
    pub(crate) at_once: Duration,
    pub(crate) memory: u64,
    pub(crate) coverage: Option<&'a dyn Coverage>,
    pub(crate) is_over: IsOver<'a>,
    pub(crate) notes: &'a Notes<'a>,
    pub(crate) calls: &'a AtomicU64,
    /// Runs of the target that left coverage data, and runs that left none.
    pub(crate) told: [AtomicUsize; 2],
}

/// The measurements of one script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    targets: Vec<Option<Timing>>,
    references: Vec<Option<Timing>>,
    pub(crate) behaviour: Option<Behaviour>,
    /// Why a target, or each reference, refuses the script, and which solver that is.
    pub(crate) refused: Option<(Who, String)>,
    pub(crate) crash: Option<String>,
}

impl Measured {
    /// The time of the targets together, once each was measured.
    pub(crate) fn target(&self) -> Option<Timing> {
        Timing::together(self.targets.iter().copied().collect::<Option<Vec<Timing>>>()?.into_iter())
    }

    /// The time of the references together.
    pub(crate) fn reference(&self) -> Option<Timing> {
        Timing::together(self.references.iter().copied().collect::<Option<Vec<Timing>>>()?.into_iter())
    }
}

/// A solver of a search, by its position among its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Target(usize),
    Reference(usize),
}

impl Stopwatch<'_> {
    /// Measures scripts, `jobs` at a time. Scripts that were not run before the search ended have no times.
    pub(crate) fn measure(
        &self,
        scripts: &[&[u8]],
        jobs: usize,
        rng: &mut Rng,
    ) -> Result<Vec<Measured>, Error> {
        let none = |solvers: &[NamedSolver]| vec![None; solvers.len()];
        let empty = Measured {
            targets: none(self.targets),
            references: none(self.references),
            ..Measured::default()
        };
        let mut all = vec![empty; scripts.len()];
        let each = |i| self.everyone().map(move |who| (i, who));
        let mut tasks: Vec<(usize, Who)> = (0..scripts.len()).flat_map(each).collect();
        for _ in 0..2 {
            rng.shuffle(&mut tasks);
            let work = |slot: usize, &(i, who): &(usize, Who)| self.one(scripts[i], who, slot);
            let runs = in_parallel(&tasks, jobs, self.is_over, work)?;
            for (&(i, who), run) in tasks.iter().zip(runs) {
                if let Some((outcome, behaviour)) = run.flatten() {
                    all[i].note(who, &outcome, behaviour, self.timeout);
                }
            }
            tasks = all.iter().enumerate().flat_map(|(i, m)| self.again(m).map(move |w| (i, w))).collect();
        }
        Ok(all)
    }

    /// All targets, then all references.
    fn everyone(&self) -> impl Iterator<Item = Who> + use<> {
        (0..self.targets.len()).map(Who::Target).chain((0..self.references.len()).map(Who::Reference))
    }

    /// The solvers to measure again: their time is slow but doubtful, or decides whether the script is a candidate.
    fn again(&self, m: &Measured) -> impl Iterator<Item = Who> + use<> {
        let (limit, at_once) = (self.timeout.as_secs_f64(), self.at_once.as_secs_f64());
        let (mut targets, mut references) = (false, false);
        if let (Some(target), Some(reference), None) = (m.target(), m.reference(), &m.refused) {
            let starved = target.is_starved(self.timeout, reference);
            targets =
                target.runs == 1 && (starved || !target.is_timeout() && target.seconds > limit * SUSPICIOUS);
            references = reference.runs == 1 && target.is_timeout() && reference.seconds > at_once / 2.0;
        }
        self.everyone().filter(move |who| match who {
            Who::Target(_) => targets,
            Who::Reference(_) => references,
        })
    }

    /// One run; `None` if it was stopped.
    fn one(
        &self,
        script: &[u8],
        who: Who,
        slot: usize,
    ) -> Result<Option<(Outcome, Option<Behaviour>)>, Error> {
        self.calls.fetch_add(1, Relaxed);
        let limits = limits(self.timeout, self.memory);
        let (named, coverage) = match who {
            Who::Target(0) => (&self.targets[0], self.coverage.filter(|_| !self.is_silent())),
            Who::Target(i) => (&self.targets[i], None),
            Who::Reference(i) => (&self.references[i], None),
        };
        let plain = named.solver.clone();
        let free = coverage.filter(|c| c.is_free());
        let solver = free.map_or(Ok(plain.clone()), |c| c.prepare(plain.clone(), slot))?;
        let Some(finished) = run(&solver, script, limits, self.is_over)? else { return Ok(None) };
        let mut behaviour = match free {
            Some(c) => self.collect(c, slot, &finished)?,
            None => None,
        };
        let soft = &named.solver.profile().behaviour.soft;
        if let (Some(c), None, true) = (coverage, &behaviour, free.is_none() || !soft.is_empty()) {
            // A killed process leaves no coverage data; a short run that ends by itself shows how the run begins.
            self.calls.fetch_add(1, Relaxed);
            let time = GLIMPSE.as_millis().to_string();
            let short = c.prepare(plain, slot)?;
            let arguments: Vec<String> = soft.iter().map(|a| a.replace("{milliseconds}", &time)).collect();
            let bounds = super::measure::limits(GLIMPSE * 2, self.memory);
            let Some(run) = run(&short.with_args(arguments), script, bounds, self.is_over)? else {
                return Ok(None);
            };
            behaviour = self.collect(c, slot, &run)?;
        }
        if let Some(c) = coverage {
            self.told[usize::from(behaviour.is_none())].fetch_add(1, Relaxed);
            let whole = self.is_silent();
            if behaviour.is_none() {
                let (about, where_) = match whole {
                    true => ("no coverage", "any formula; continuing without coverage"),
                    false => ("some coverage", "some formulas; continuing without coverage there"),
                };
                self.notes.once(about, || {
                    format!("{} writes no data for --coverage {} on {where_}", named.spec, c.name())
                });
            }
        }
        Ok(Some((finished.outcome, behaviour)))
    }

    /// Whether the target never leaves coverage data.
    fn is_silent(&self) -> bool {
        let [some, none] = &self.told;
        some.load(Relaxed) == 0 && none.load(Relaxed) >= SILENT
    }

    /// The coverage of a run. If a tool fails, the search reports this once and continues without coverage.
    fn collect(
        &self,
        coverage: &dyn Coverage,
        slot: usize,
        run: &Finished,
    ) -> Result<Option<Behaviour>, Error> {
        match coverage.collect(slot, run) {
            Ok(behaviour) => Ok(behaviour),
            Err(e) => {
                self.notes.once("collect", || format!("no coverage data: {e}; continuing without coverage"));
                Ok(None)
            }
        }
    }
}

impl Measured {
    fn note(&mut self, who: Who, outcome: &Outcome, behaviour: Option<Behaviour>, limit: Duration) {
        let timing = Timing::of(outcome, limit);
        let message = || outcome.message.clone().unwrap_or_else(|| outcome.kind.to_string());
        let refuses = matches!(outcome.kind, OutcomeKind::Rejected | OutcomeKind::Error);
        let slot = match who {
            Who::Target(i) => {
                if refuses {
                    self.refused = Some((who, message()));
                }
                if outcome.kind == OutcomeKind::Crash {
                    self.crash = Some(message());
                }
                self.behaviour = behaviour.or(self.behaviour.take());
                &mut self.targets[i]
            }
            Who::Reference(i) => &mut self.references[i],
        };
        *slot = Some(slot.map_or(timing, |before| before.with(timing)));
        // Another reference may take what one refuses.
        let useless = |t: &Option<Timing>| t.is_some_and(|t| t.is_refusal());
        if matches!(who, Who::Reference(_)) && self.references.iter().all(useless) {
            self.refused = Some((who, message()));
        }
    }
}
