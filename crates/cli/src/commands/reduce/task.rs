//! Turns the arguments into the predicate of a reduction.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_core::{Case, Kind, OutcomeKind, SolverId};
use smelt_reduce::command::{Command, Match};
use smelt_reduce::{Care, Error, ErrorKind, PredicateSource};
use smelt_solvers::{Catalog, Limits, SolverSpec};
use smelt_trial::predicates::{
    ExpectSource, Expected, FindingSource, ImplicationSource, Keep, SlowSource, Slowness, StepSource, Steps,
    find, named_logic, needed_flags,
};
use smelt_trial::{IsOver, Lineup, NamedSolver};

use super::Arguments;
use super::console::Reducing;
use crate::exit::Failure;
use crate::{setup, units};

/// The property that is kept.
enum Goal<'a> {
    Command(Command<'a>),
    Expect(Vec<Expected>),
    Slow(Slowness),
    Finding(Box<Keep>),
    Implication,
}

pub(super) struct Task<'a> {
    catalog: Option<Catalog>,
    solvers: Vec<NamedSolver>,
    limits: Limits,
    is_over: IsOver<'a>,
    goal: Goal<'a>,
}

impl<'a> Task<'a> {
    pub(super) fn new(
        a: &Arguments,
        input: &[u8],
        stop: &'a AtomicBool,
        is_over: IsOver<'a>,
    ) -> Result<Task<'a>, Failure> {
        let limits = Limits { memory: a.memory, ..Limits::within(a.timeout) };
        if let Some(line) = &a.cmd {
            let rule = if a.cmd_match { Match::Golden } else { Match::Zero };
            let command = Command::new(line, rule, a.timeout, stop)?;
            command.learn(input)?;
            let goal = Goal::Command(command);
            return Ok(Task { catalog: None, solvers: Vec::new(), limits, is_over, goal });
        }
        let catalog = setup::catalog(a.config.file.as_deref())?;
        let resolve = |spec: &String| setup::solver(&catalog, spec);
        let mut solvers: Vec<NamedSolver> = a.solvers.iter().map(resolve).collect::<Result<_, _>>()?;
        let goal = if !a.expect.is_empty() {
            if !solvers.is_empty() {
                return Err(Failure::usage("--expect already names the solvers: remove -S"));
            }
            let (named, expected) = expectations(&catalog, &a.expect)?;
            solvers = named;
            Goal::Expect(expected)
        } else if solvers.is_empty() {
            let message = "name solvers with -S, outcomes with --expect, or a test command with --cmd";
            return Err(Failure::usage(message));
        } else if let Some(text) = &a.slower_than {
            Goal::Slow(slowness(text, solvers.len())?)
        } else {
            // The reference solver is always a witness.
            if !solvers.iter().any(|c| c.spec == "builtin") {
                solvers.extend(setup::solver(&catalog, "builtin").ok());
            }
            if a.pair.is_some() || a.rule.is_some() {
                return Ok(Task {
                    catalog: Some(catalog),
                    solvers,
                    limits,
                    is_over,
                    goal: Goal::Implication,
                });
            }
            Goal::Finding(Box::new(finding(a, Lineup { solvers: &solvers, limits, is_over }, input)?))
        };
        Ok(Task { catalog: Some(catalog), solvers, limits, is_over, goal })
    }

    fn lineup<'b>(&'b self, solvers: &'b [NamedSolver]) -> Lineup<'b> {
        Lineup { solvers, limits: self.limits, is_over: self.is_over }
    }

    fn source_of<'b>(&'b self, solvers: &'b [NamedSolver]) -> Result<Box<dyn PredicateSource + 'b>, Failure> {
        let lineup = self.lineup(solvers);
        Ok(match &self.goal {
            Goal::Command(command) => Box::new(ByReference(command)),
            Goal::Expect(expected) => Box::new(ExpectSource::new(lineup, expected.clone())),
            Goal::Slow(slowness) => Box::new(SlowSource::new(lineup, *slowness)),
            Goal::Finding(keep) => Box::new(FindingSource::new(lineup, keep)),
            Goal::Implication => return Err(Failure::internal("a pair has a predicate of its own")),
        })
    }

    pub(super) fn source(&self) -> Result<Box<dyn PredicateSource + '_>, Failure> {
        self.source_of(&self.solvers)
    }

    /// The solvers whose outcome is kept, by position.
    fn accused(&self) -> Vec<usize> {
        match &self.goal {
            Goal::Finding(keep) => keep.accused.clone(),
            Goal::Expect(expected) => (0..expected.len()).collect(),
            Goal::Slow(_) => vec![0],
            Goal::Command(_) | Goal::Implication => Vec::new(),
        }
    }

    /// The script to start from.
    pub(super) fn start<'s>(&self, input: &'s [u8]) -> Cow<'s, [u8]> {
        match &self.goal {
            Goal::Finding(keep) => named_logic(&self.solvers, &keep.accused, input),
            _ => input.into(),
        }
    }

    /// A script as the accused reads it, if there is one, and its name.
    pub(super) fn spelled<'s>(&self, script: &'s [u8]) -> Option<(Cow<'s, [u8]>, &SolverId)> {
        let [who] = self.accused()[..] else { return None };
        let solver = &self.solvers[who].solver;
        Some((solver.spell(script), solver.id())).filter(|(text, _)| **text != *script)
    }

    /// The predicate of a pair of scripts. Prints a message if no solver proves that one implies the other.
    pub(super) fn implication(
        &self,
        left: &[u8],
        right: &[u8],
        console: &mut Reducing,
    ) -> Result<ImplicationSource<'_>, Failure> {
        let decided = Expected(vec![OutcomeKind::Sat, OutcomeKind::Unsat]);
        let unknown = Expected(vec![OutcomeKind::Unknown]);
        let source = ImplicationSource::new(self.lineup(&self.solvers), decided, unknown);
        if source.proof(left, right)?.is_some() {
            return Ok(source);
        }
        console.say(
            "no solver proved that one script implies the other, so the implication may be lost: add solvers with -S",
        );
        Ok(source.unproved())
    }

    /// The predicate of a script and a step after which the first solver is unsure.
    pub(super) fn step<'b>(&'b self, rule: &'b str, steps: &'b Steps<'b>) -> StepSource<'b> {
        StepSource::new(self.lineup(&self.solvers), rule, steps)
    }

    /// Drops the flags of command lines that the script does not need to stay interesting.
    pub(super) fn drop_flags(&mut self, script: &[u8], console: &mut Reducing) -> Result<(), Failure> {
        let Some(catalog) = self.catalog.clone() else { return Ok(()) };
        for who in self.accused() {
            let spec: SolverSpec = self.solvers[who].spec.parse()?;
            let mut holds = |spec: &SolverSpec, script: &[u8]| -> Result<bool, Error> {
                let mut solvers = self.solvers.clone();
                // Without its flags a command line may not run.
                let Ok(other) = setup::solver(&catalog, &spec.to_string()) else { return Ok(false) };
                solvers[who] = other;
                let source =
                    self.source_of(&solvers).map_err(|e| Error::new(ErrorKind::Internal, e.message))?;
                source.open()?.holds(script, Care::Fresh)
            };
            let needed = needed_flags(&spec, script, &mut holds)?;
            if needed != spec {
                console.say(&format!("`{needed}` suffices instead of `{spec}`"));
                self.solvers[who] = setup::solver(&catalog, &needed.to_string())?;
            }
        }
        Ok(())
    }

    /// Adds the kept property to a JSON document.
    pub(super) fn describe(&self, document: &mut serde_json::Value) {
        let specs: Vec<&str> = self.solvers.iter().map(|c| &*c.spec).collect();
        if let Goal::Finding(keep) = &self.goal {
            let solvers: Vec<&str> = keep.accused.iter().map(|i| specs[*i]).collect();
            document["kept"] = serde_json::json!({
                "kind": keep.kind, "evidence": keep.evidence, "reason": keep.reason, "solvers": solvers,
            });
        } else if !specs.is_empty() {
            document["solvers"] = specs.into();
        }
    }
}

struct ByReference<'a>(&'a Command<'a>);

impl PredicateSource for ByReference<'_> {
    fn open(&self) -> Result<Box<dyn smelt_reduce::Predicate + '_>, Error> {
        self.0.open()
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

/// `z3@4.8.5=unsat`, the outcome behind the last `=`.
fn expectations(catalog: &Catalog, texts: &[String]) -> Result<(Vec<NamedSolver>, Vec<Expected>), Failure> {
    let mut solvers = Vec::new();
    let mut expected = Vec::new();
    for text in texts {
        let wrong = |why: &str| Failure::usage(format!("--expect `{text}`: {why}"));
        let (spec, outcome) =
            text.rsplit_once('=').ok_or_else(|| wrong("write SOLVER=OUTCOME, such as z3=unsat"))?;
        solvers.push(setup::solver(catalog, spec)?);
        expected.push(outcome.parse().map_err(|e: String| wrong(&e))?);
    }
    Ok((solvers, expected))
}

fn slowness(text: &str, solvers: usize) -> Result<Slowness, Failure> {
    if let Some(ratio) = text.strip_suffix('x').and_then(|n| n.parse::<f64>().ok()) {
        return match (ratio > 1.0 && ratio.is_finite(), solvers) {
            (false, _) => Err(Failure::usage("--slower-than: the ratio must exceed 1x")),
            (_, 2) => Ok(Slowness::Ratio(ratio)),
            _ => Err(Failure::usage(
                "--slower-than with a ratio needs two solvers: the slow one, then the fast one",
            )),
        };
    }
    let limit: Duration = units::duration(text).map_err(|_| {
        Failure::usage(format!("--slower-than `{text}`: write a ratio like 10x or a time like 2s"))
    })?;
    match solvers {
        1 => Ok(Slowness::Limit(limit)),
        _ => Err(Failure::usage("--slower-than with a time needs one solver")),
    }
}

/// The strongest finding on the input, or the strongest of the given kind.
fn finding(a: &Arguments, lineup: Lineup<'_>, input: &[u8]) -> Result<Keep, Failure> {
    let kind = match &a.finding {
        Some(word) => Some(Kind::named(word).ok_or_else(|| {
            let all: Vec<_> = Kind::ALL.iter().map(|k| k.as_str()).collect();
            Failure::usage(format!("`{word}` is not a kind of finding: choose one of {}", all.join(", ")))
        })?),
        None => None,
    };
    let found = find(lineup, &Case::open(input))?;
    found.into_iter().find(|keep| kind.is_none_or(|k| k == keep.kind)).ok_or_else(|| {
        let what = kind.map_or("no bug".to_owned(), |k| format!("no {k}"));
        Failure::usage(format!(
            "{what} found in {}: add another solver with -S, or say what to keep with --expect or --cmd",
            a.script.display()
        ))
    })
}
