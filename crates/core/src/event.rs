//! Events: everything that smelt reports while it works. Several readers display or record them. Only the binary
//! prints.

use crate::{FindingRow, Kind};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A campaign begins.
    Started {
        /// Seeds in use.
        seeds: usize,
        /// Solvers in use.
        solvers: Vec<String>,
        /// Strategies in use.
        strategies: Vec<String>,
        /// The number all random choices start from.
        seed: u64,
        /// Workers.
        jobs: usize,
        /// Tests done before, when it was resumed.
        resumed: u64,
    },
    /// A seed that cannot be used, or a label that is not believed.
    Seed {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// A solver that can do less than others.
    Solver {
        /// Its name.
        name: String,
        /// What it lacks.
        why: String,
    },
    /// A message that is shown once.
    Note {
        /// In words.
        text: String,
    },
    /// How far it is; about once a second.
    Progress(Progress),
    /// A finding was confirmed and is on disk.
    Found(FindingRow),
    /// Something was seen that did not happen again.
    Flaky {
        /// What it looked like.
        kind: Kind,
        /// Whose.
        solver: String,
        /// In how many of the fresh runs it reproduced.
        seen: u32,
    },
    /// Another kind of work begins, such as reducing findings after the last test.
    Phase {
        /// What is done, as in `reducing and grouping`.
        doing: &'static str,
        /// How many there are.
        count: usize,
        /// Of what, as in `findings`.
        of: &'static str,
        /// How long it may take, at most.
        seconds: Option<u64>,
    },
    /// The next of several pieces of work begins, as in `reducing 3 of 26`.
    Working {
        /// What is done, as in `reducing`.
        doing: &'static str,
        /// Which one, from 1.
        at: usize,
        /// Of how many.
        of: usize,
    },
}

impl Event {
    /// A note.
    pub fn note(text: impl Into<String>) -> Event {
        Event::Note { text: text.into() }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Started { seeds, solvers, strategies, seed, jobs, resumed } => {
                let (strategies, solvers) = (strategies.join(" "), solvers.join(" "));
                let plural = |n: usize| if n == 1 { "" } else { "s" };
                write!(f, "{seeds} seed{}, {strategies}; solvers: {solvers}; ", plural(*seeds))?;
                write!(f, "{jobs} worker{}, --seed {seed}", plural(*jobs))?;
                if *resumed > 0 { write!(f, "; continuing after {resumed} tests") } else { Ok(()) }
            }
            Event::Seed { name, why } => write!(f, "seed {name}: {why}"),
            Event::Solver { name, why } => write!(f, "{name}: {why}"),
            Event::Note { text } => f.write_str(text),
            Event::Progress(progress) => progress.fmt(f),
            Event::Found(finding) => {
                let FindingRow { id, kind, solver, theory, evidence, .. } = finding;
                write!(f, "finding {id}: {kind} in {solver} ({}", theory.as_deref().unwrap_or("?"))?;
                evidence.map_or(Ok(()), |e| write!(f, ", evidence {e}"))?;
                f.write_str(")")
            }
            Event::Flaky { kind, solver, seen } => {
                write!(f, "flaky: {kind} in {solver}, reproduced in {seen} of 3 fresh runs")
            }
            Event::Phase { doing, count, of, seconds } => {
                write!(f, "{doing} {count} {of}")?;
                seconds.map_or(Ok(()), |s| write!(f, ", at most {s} s"))?;
                f.write_str(" (Ctrl-C to stop)")
            }
            Event::Working { doing, at, of } => write!(f, "{doing} {at} of {of}"),
        }
    }
}

/// How far something is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Progress {
    /// Time of this run.
    pub elapsed: Duration,
    /// How many are done, earlier runs included.
    pub done: u64,
    /// Of how many, if that is known.
    pub total: Option<u64>,
    /// What is counted, as in `tests`.
    pub unit: &'static str,
    /// How many are done a second.
    pub rate: Option<f64>,
    /// Further figures by name.
    pub figures: Vec<(&'static str, String)>,
    /// Findings by kind, where some can be found.
    pub findings: Option<BTreeMap<Kind, u64>>,
    /// What each solver did in this run.
    pub solvers: Vec<SolverProgress>,
    /// What each strategy did.
    pub strategies: Vec<StrategyProgress>,
}

/// What a solver did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SolverProgress {
    /// Its name.
    pub solver: String,
    /// Queries that it ran.
    pub asked: u64,
    /// Queries it answered with sat or unsat.
    pub answered: u64,
    /// Queries it answered with unknown.
    pub unknown: u64,
    /// Queries stopped at a limit of time or memory.
    pub stopped: u64,
    /// Queries it rejected, or could not work on.
    pub rejected: u64,
    /// Crashes.
    pub crashed: u64,
}

/// What a strategy did so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StrategyProgress {
    /// Its name.
    pub strategy: String,
    /// Cases made.
    pub made: u64,
    /// Its share of the next cases, from 0 to 1.
    pub weight: f64,
    /// Cases with a finding.
    pub found: u64,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.elapsed.as_secs();
        write!(f, "{}:{:02}  {}", seconds / 60, seconds % 60, self.done)?;
        self.total.map_or(Ok(()), |total| write!(f, " of {total}"))?;
        write!(f, " {}", self.unit)?;
        self.rate.map_or(Ok(()), |rate| write!(f, ", {rate:.0}/s"))?;
        self.figures.iter().try_for_each(|(name, value)| write!(f, ", {name} {value}"))?;
        let Some(findings) = &self.findings else { return Ok(()) };
        let found = findings.iter().filter(|(_, n)| **n > 0);
        let found: Vec<String> = found.map(|(kind, n)| format!("{n} {kind}")).collect();
        write!(f, "; {}", if found.is_empty() { "no findings".to_owned() } else { found.join(", ") })
    }
}

/// Takes events. Called from several threads, in no fixed order.
pub trait EventSink: Sync {
    /// Takes one.
    fn event(&self, event: &Event);

    /// Whether the user paused the run: current work is finished, and no new work starts.
    fn is_paused(&self) -> bool {
        false
    }

    /// Whether enough was seen: no further test begins, and what was found is examined.
    fn is_enough(&self) -> bool {
        false
    }

    /// Waits while there is a break and `is_over` does not hold.
    fn wait_while_paused(&self, is_over: &dyn Fn() -> bool) {
        while self.is_paused() && !is_over() {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Takes events and does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl EventSink for Silent {
    fn event(&self, _: &Event) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_speed_figures_and_findings() {
        let progress = Progress {
            elapsed: Duration::from_secs(70),
            done: 1200,
            unit: "tests",
            rate: Some(14.3),
            figures: vec![("solvers", "97%".into()), ("seeds left", "7".into())],
            findings: Some([(Kind::Crash, 2), (Kind::InvalidModel, 1)].into()),
            ..Progress::default()
        };
        let text = "1:10  1200 tests, 14/s, solvers 97%, seeds left 7; 1 invalid-model, 2 crash";
        assert_eq!(progress.to_string(), text);
    }
}
