//! Measures solvers along chains of mutants: their CPU time at each step, and how similar their trace is to that on
//! the seed, for solvers that write traces.

use serde::Serialize;
use smelt_solvers::Solver;
use smelt_store::Error;
use smelt_trial::{IsOver, NamedSolver, in_parallel, labels};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use crate::individual::Timing;
use crate::measure::{limits, run};
use crate::trace::{Sequence, Trace, TraceBuilder};

/// Chains of scripts, each with its seed first, and how to measure them.
pub struct Chains<'a> {
    /// The chains.
    pub chains: &'a [Vec<Vec<u8>>],
    /// The solvers.
    pub solvers: &'a [NamedSolver],
    /// CPU time of a solver for one script.
    pub timeout: Duration,
    /// The most memory a solver may take, in bytes.
    pub memory: u64,
    /// A folder for traces, if they are wanted.
    pub traces: Option<&'a Path>,
    /// Solvers at one time.
    pub jobs: usize,
    /// Whether to stop now.
    pub is_over: IsOver<'a>,
}

/// A solver along all chains.
#[derive(Clone, Debug, Serialize)]
pub struct Along {
    /// The solver.
    pub solver: String,
    /// Chains that do not count: the solver did not decide one of their scripts.
    pub left_out: usize,
    /// The means of each step; step 0 is the seed.
    pub steps: Vec<Step>,
}

/// Means over the chains that have a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// How many chains these are.
    pub chains: usize,
    /// Mean CPU time in seconds.
    pub seconds: f64,
    /// Mean similarity of the trace with that on the seed: in order, by the longest common subsequence.
    pub in_order: Option<f64>,
    /// The same for the lines as a bag.
    pub as_bag: Option<f64>,
}

/// What a solver did on one script of a chain.
struct Seen {
    seconds: f64,
    /// Similarities with the trace on the seed: in order, and as a bag.
    alike: Option<(f64, f64)>,
}

impl Chains<'_> {
    /// Measures all chains on all solvers.
    pub fn measure(&self) -> Result<Vec<Along>, Error> {
        let tasks: Vec<(usize, usize)> = (0..self.solvers.len())
            .flat_map(|solver| (0..self.chains.len()).map(move |chain| (solver, chain)))
            .collect();
        let work = |slot: usize, &(solver, chain): &(usize, usize)| self.chain(solver, chain, slot);
        let seen = in_parallel(&tasks, self.jobs, self.is_over, work)?;
        let names = labels(self.solvers);
        let mut all = Vec::new();
        for (solver, name) in names.into_iter().enumerate() {
            let of = tasks.iter().zip(&seen).filter(|(task, _)| task.0 == solver);
            // A chain that was not measured to its end is not used.
            let (whole, rest): (Vec<_>, Vec<_>) = of.partition(|(_, seen)| matches!(seen, Some(Some(_))));
            let chains: Vec<&Vec<Seen>> =
                whole.into_iter().filter_map(|(_, seen)| seen.as_ref()?.as_ref()).collect();
            all.push(Along { solver: name, left_out: rest.len(), steps: steps(&chains) });
        }
        Ok(all)
    }

    /// The runs on one chain; `None` if the solver does not decide one of its scripts.
    fn chain(&self, solver: usize, chain: usize, slot: usize) -> Result<Option<Vec<Seen>>, Error> {
        let named = &self.solvers[solver];
        let (mut all, mut first) = (Vec::new(), None);
        for script in &self.chains[chain] {
            let within = limits(self.timeout, self.memory);
            let Some(finished) = run(&named.solver, script, within, self.is_over)? else { return Ok(None) };
            let timing = Timing::of(&finished.outcome, self.timeout);
            if !timing.is_decided() {
                return Ok(None);
            }
            let trace = self.trace(&named.solver, script, slot)?;
            let alike = match (&first, &trace) {
                (Some((sequence, bag)), Some((s, b))) => {
                    Some((Sequence::similarity(sequence, s), Trace::similarity(bag, b)))
                }
                (None, Some(_)) => Some((1.0, 1.0)),
                _ => None,
            };
            first = first.or(trace);
            all.push(Seen { seconds: timing.seconds, alike });
        }
        Ok(Some(all))
    }

    /// The trace of a run of its own, if one is wanted and the solver writes one.
    fn trace(&self, solver: &Solver, script: &[u8], slot: usize) -> Result<Option<(Sequence, Trace)>, Error> {
        let arguments = &solver.profile().behaviour.trace;
        let Some(folder) = self.traces.filter(|_| !arguments.is_empty()) else { return Ok(None) };
        let path = folder.join(format!("trace-{slot}.log"));
        let arguments = arguments.iter().map(|a| a.replace("{file}", &path.display().to_string()));
        let within = limits(self.timeout * 2, self.memory);
        run(&solver.clone().writing_to(folder).with_args(arguments), script, within, self.is_over)?;
        let Ok(file) = File::open(&path) else { return Ok(None) };
        let (mut bag, mut sequence) = (TraceBuilder::new(), Sequence::default());
        let read = bag.read(file, |line| sequence.line(line));
        let _ = std::fs::remove_file(&path);
        read.map_err(|e| Error::io(format!("cannot read {}", path.display()), e))?;
        Ok(Some((sequence, bag.finish())))
    }
}

/// The means of each step.
fn steps(chains: &[&Vec<Seen>]) -> Vec<Step> {
    let longest = chains.iter().map(|c| c.len()).max().unwrap_or(0);
    let mean =
        |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let step = |i: usize| {
        let seen: Vec<&Seen> = chains.iter().filter_map(|c| c.get(i)).collect();
        Step {
            chains: seen.len(),
            seconds: mean(seen.iter().map(|s| s.seconds).collect()).unwrap_or_default(),
            in_order: mean(seen.iter().filter_map(|s| Some(s.alike?.0)).collect()),
            as_bag: mean(seen.iter().filter_map(|s| Some(s.alike?.1)).collect()),
        }
    };
    (0..longest).map(step).collect()
}
