//! What the oracle says: a charge, with its evidence and its reason in words.

use smelt_core::{Evidence, Finding, FindingKind, SolverId, Verdict};
use std::fmt;

/// A finding before anyone named or stored it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Who is accused, by position among the testimonies: one solver; every side where nothing is settled.
    pub accused: Vec<usize>,
    /// The accused as one name: of the solver, or of all sides joined by ` / `.
    pub solver: SolverId,
    /// Which `check-sat` it is about, counted from 0; `None` for the whole run.
    pub check: Option<usize>,
    /// What went wrong.
    pub kind: FindingKind,
    /// Why it is believed; `None` for a crash, which speaks for itself, and for what is not settled.
    pub evidence: Option<Evidence>,
    /// The theory it is about.
    pub theory: String,
    /// The identity of the bug behind it.
    pub fingerprint: String,
    /// Why, in words and numbers.
    pub reason: Reason,
}

/// Why a charge is brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A model makes every assertion true.
    Proof {
        /// Whose model, by position among the testimonies.
        witness: usize,
        /// That solver.
        solver: SolverId,
    },
    /// The model that the case was made with makes every assertion true.
    Witness,
    /// The case was made so.
    Construction(Verdict),
    /// The same solver's answer to the seed does not fit.
    Seed {
        /// What it said to the seed.
        seed: Verdict,
        /// What it said to the case.
        case: Verdict,
    },
    /// Independent solvers agree on the other answer.
    Vote {
        /// What they say.
        answer: Verdict,
        /// Who they are.
        solvers: Vec<SolverId>,
        /// Whether the accused backs its sat with a model that is false.
        refuted: bool,
    },
    /// Two answers, and nothing that settles between them.
    Disagreement {
        /// Who says sat.
        sat: Vec<SolverId>,
        /// Who says unsat.
        unsat: Vec<SolverId>,
    },
    /// The model makes an assertion false.
    FalseAssertion {
        /// Which one, counted from 0 among those in force.
        index: usize,
        /// Its text, shortened.
        text: String,
        /// Who says that the formula is unsat.
        unsat: Vec<SolverId>,
    },
    /// The core names what the script does not.
    CoreName(String),
    /// The assertions of the core have a model.
    CoreModel {
        /// The names in the core.
        names: Vec<String>,
        /// Who found the model.
        solver: SolverId,
        /// The model.
        model: String,
    },
    /// The solver's own check failed.
    SelfCheck(String),
    /// The solver's last words.
    Crash(String),
    /// Another release of the same solver does better; how much.
    Regression(String),
    /// The same solver decided a formula that implies this one, or is implied by it.
    Implication {
        /// What it said to that one.
        before: Verdict,
        /// The step between the two, if it is known.
        step: Option<String>,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join =
            |solvers: &[SolverId]| solvers.iter().map(SolverId::to_string).collect::<Vec<_>>().join(", ");
        let verb = |solvers: &[SolverId]| if solvers.len() == 1 { "says" } else { "say" };
        match self {
            Reason::Proof { solver, .. } => {
                write!(f, "it is sat: the model of {solver} makes every assertion true")
            }
            Reason::Witness => {
                f.write_str("it is sat: the model it was made with makes every assertion true")
            }
            Reason::Construction(verdict) => write!(f, "it is {verdict} by construction"),
            Reason::Seed { seed, case } => {
                write!(f, "it said {seed} to the seed and says {case} here, and both cannot be")
            }
            Reason::Vote { answer, solvers, refuted } => {
                let all = join(solvers);
                let own = if *refuted { ", and its own model is false" } else { "" };
                write!(f, "{all} independently {} {answer}{own}", verb(solvers))
            }
            Reason::Disagreement { sat, unsat } => {
                let (a, b) = (verb(sat), verb(unsat));
                write!(f, "{} {a} sat, {} {b} unsat; not settled which is wrong", join(sat), join(unsat))
            }
            Reason::FalseAssertion { index, text, unsat } => {
                write!(f, "its model makes assertion {index} false: {text}")?;
                if !unsat.is_empty() {
                    write!(f, " ({} {} unsat)", join(unsat), verb(unsat))?;
                }
                Ok(())
            }
            Reason::CoreName(name) => write!(f, "its core has `{name}`, which the script does not name"),
            Reason::CoreModel { names, solver, .. } => {
                write!(f, "its core ({}) is sat: the model of {solver} makes all of it true", names.join(" "))
            }
            Reason::Implication { before, step } => {
                write!(f, "unknown, where it said {before} one step before")?;
                step.as_ref().map_or(Ok(()), |s| write!(f, ": {s}"))
            }
            Reason::SelfCheck(message) | Reason::Crash(message) | Reason::Regression(message) => {
                f.write_str(message)
            }
        }
    }
}

impl Charge {
    /// Whether two charges, from two runs of one case by the same solvers, say the same.
    pub fn repeats(&self, other: &Charge) -> bool {
        (self.kind, &self.accused, self.check) == (other.kind, &other.accused, other.check)
    }

    /// The finding, with what only its keeper knows.
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
