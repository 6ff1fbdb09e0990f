//! A claim: a finding that is not yet confirmed, with its evidence and its reason in words.

use smelt_core::{Evidence, Finding, FindingKind, SolverId, Verdict};
use std::fmt;

/// A finding that is not yet confirmed and has no id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The accused solvers, by position among the outcomes: one, or both sides of an unsettled disagreement.
    pub accused: Vec<usize>,
    /// The accused as one name; several are joined by ` / `.
    pub solver: SolverId,
    /// The `check-sat` it is about, counted from 0; `None` for the whole run.
    pub check: Option<usize>,
    /// The kind of bug.
    pub kind: FindingKind,
    /// Its evidence; `None` for a crash, which needs none, and for an unsettled disagreement.
    pub evidence: Option<Evidence>,
    /// The theory it is about.
    pub theory: String,
    /// The identity of the bug.
    pub fingerprint: String,
    /// Why it is claimed.
    pub reason: Reason,
}

/// Why a bug is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A model makes every assertion true.
    Proof {
        /// The solver that gave the model, by position among the outcomes.
        witness: usize,
        /// That solver's name.
        solver: SolverId,
        /// Whether there is nothing to choose, so that nothing is in the model.
        ground: bool,
    },
    /// The model that the case was made with makes every assertion true.
    Witness,
    /// Every assignment was evaluated.
    Exhaustive {
        /// The answer that follows.
        answer: Verdict,
        /// How many assignments there are.
        assignments: usize,
    },
    /// The case was made with this status.
    Construction(Verdict),
    /// The same solver's answer to the seed does not fit.
    Seed {
        /// Its answer to the seed.
        seed: Verdict,
        /// Its answer to the case.
        case: Verdict,
    },
    /// Independent solvers agree on the other answer.
    Vote {
        /// Their answer.
        answer: Verdict,
        /// Those solvers.
        solvers: Vec<SolverId>,
        /// How many families they are of: releases of one solver are not independent of each other.
        families: usize,
        /// Whether the model of the accused is false.
        refuted: bool,
    },
    /// Two answers, and no evidence for one of them.
    Disagreement {
        /// The solvers that say sat.
        sat: Vec<SolverId>,
        /// The solvers that say unsat.
        unsat: Vec<SolverId>,
    },
    /// The model makes an assertion false.
    FalseAssertion {
        /// Its position among the assertions in force, counted from 0.
        index: usize,
        /// Its text, shortened.
        text: String,
        /// The solvers that say unsat.
        unsat: Vec<SolverId>,
    },
    /// The core has this name, which the script does not have.
    CoreName(String),
    /// The assertions of the core have a model.
    CoreModel {
        /// The names in the core.
        names: Vec<String>,
        /// The solver that found the model.
        solver: SolverId,
        /// The model.
        model: String,
    },
    /// The solver's own check failed.
    SelfCheck(String),
    /// The solver crashed with this message.
    Crash(String),
    /// Another release of the same solver does better; how, in words.
    Regression(String),
    /// The same solver decided a formula that implies this one, or is implied by it.
    Implication {
        /// Its answer to that formula.
        before: Verdict,
        /// The step between the two formulas, if known.
        step: Option<String>,
        /// Its own reason for unknown.
        why: Option<String>,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join =
            |solvers: &[SolverId]| solvers.iter().map(SolverId::to_string).collect::<Vec<_>>().join(", ");
        let verb = |solvers: &[SolverId]| if solvers.len() == 1 { "says" } else { "say" };
        match self {
            Reason::Proof { ground: true, .. } => {
                f.write_str("it is sat: it has nothing to choose, and every assertion is true")
            }
            Reason::Proof { solver, .. } => {
                write!(f, "it is sat: the model of {solver} makes every assertion true")
            }
            Reason::Witness => {
                f.write_str("it is sat: the model it was made with makes every assertion true")
            }
            Reason::Exhaustive { answer: Verdict::Sat, assignments } => {
                write!(
                    f,
                    "it is sat: of its {assignments} assignments, at least one makes every assertion true"
                )
            }
            Reason::Exhaustive { assignments: 1, .. } => {
                f.write_str("it is unsat: it has nothing to choose, and an assertion is false")
            }
            Reason::Exhaustive { assignments, .. } => {
                write!(f, "it is unsat: none of its {assignments} assignments makes every assertion true")
            }
            Reason::Construction(verdict) => write!(f, "it is {verdict} by construction"),
            Reason::Seed { seed, case } => {
                write!(f, "it said {seed} to the seed and says {case} here, and both cannot be right")
            }
            Reason::Vote { answer, solvers, families, refuted } => {
                let all = join(solvers);
                let own = if *refuted { ", and its own model is false" } else { "" };
                write!(f, "{all} {} {answer}, solvers of {families} families{own}", verb(solvers))
            }
            Reason::Disagreement { sat, unsat } => {
                let (a, b) = (verb(sat), verb(unsat));
                write!(f, "{} {a} sat, {} {b} unsat; not settled which is wrong", join(sat), join(unsat))
            }
            Reason::FalseAssertion { index, text, unsat } => {
                write!(f, "its model makes assertion {} false: {text}", index + 1)?;
                if !unsat.is_empty() {
                    write!(f, " ({} {} unsat)", join(unsat), verb(unsat))?;
                }
                Ok(())
            }
            Reason::CoreName(name) => write!(f, "its core has `{name}`, which the script does not name"),
            Reason::CoreModel { names, solver, .. } => {
                write!(f, "its core ({}) is sat: the model of {solver} makes all of it true", names.join(" "))
            }
            Reason::Implication { before, step, why } => {
                let why = why.as_ref().map(|w| format!(" ({w})")).unwrap_or_default();
                write!(f, "unknown{why}, where it said {before} one step before")?;
                step.as_ref().map_or(Ok(()), |s| write!(f, ": {s}"))
            }
            Reason::SelfCheck(message) | Reason::Crash(message) | Reason::Regression(message) => {
                f.write_str(message)
            }
        }
    }
}

impl Claim {
    /// Whether two claims, from two runs of one case by the same solvers, are the same.
    pub fn repeats(&self, other: &Claim) -> bool {
        (self.kind, &self.accused, self.check) == (other.kind, &other.accused, other.check)
    }

    /// The finding, with the facts that only the store knows.
    pub fn finding(&self, id: String, strategy: Option<String>, file: String, bytes: u64) -> Finding {
        Finding {
            id,
            kind: self.kind,
            solver: self.solver.clone(),
            strategy,
            theory: Some(self.theory.clone()),
            evidence: self.evidence,
            fingerprint: self.fingerprint.clone(),
            file,
            reduced: None,
            bytes,
        }
    }
}
