//! A claim: a bug that the oracle sees in the outcomes of a case, with its evidence and its reason. A finding is a
//! claim together with its case.

use crate::word::fixed_words;
use crate::{Asked, Case, Cause, CoarseKey, Kind, SolverId, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt;

fixed_words! {
    /// Why we believe a finding. The order of the variants is the order of strength, strongest first.
    Evidence {
        /// A model that smelt's own evaluator finds true on every assertion proves sat.
        Model = "model",
        /// Every assignment of a small finite formula was evaluated.
        Exhaustive = "exhaustive",
        /// The status is known by construction.
        Construction = "construction",
        /// A checked relation to a formula the same solver answered.
        Metamorphic = "metamorphic",
        /// k of n solvers say so.
        Vote = "vote",
        /// The solver's own checker says so.
        SelfCheck = "self-check",
    }
}

/// An accused solver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accused {
    /// Its position among the outcomes that were judged.
    #[serde(skip)]
    pub position: usize,
    /// Its name and release.
    pub solver: SolverId,
}

/// A bug that the oracle sees, not yet confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The `check-sat` it is about, counted from 0; `None` for the whole run.
    pub query: Option<usize>,
    /// The kind of bug.
    pub kind: Kind,
    /// The accused: one, or both sides of an unsettled disagreement.
    pub accused: Vec<Accused>,
    /// Its evidence; `None` for a crash, which needs none, and for an unsettled disagreement.
    pub evidence: Option<Evidence>,
    /// The theory it is about.
    pub theory: String,
    /// What it is about, as far as the script shows before it is reduced.
    pub cause: Cause,
    /// Why it is claimed.
    pub reason: Reason,
}

/// A claim with the case that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The case.
    pub case: Case,
    /// The claim.
    pub claim: Claim,
}

/// Why a bug is claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A model makes every assertion true.
    Proof {
        /// The solver that gave the model, by position among the outcomes.
        witness: usize,
        /// That solver's name.
        solver: SolverId,
        /// Whether the script has no free symbols, so that nothing is in the model.
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
    /// The value of a term is not the one that it has in the solver's own model.
    Value {
        /// The term, shortened.
        term: String,
        /// The value that the solver gives.
        value: String,
        /// The value of the term in the model.
        correct: String,
    },
    /// A simplified term, or goals of a tactic, differ from what they were made of.
    Rewrite {
        /// The command.
        command: Asked,
        /// The term, or the assertions, shortened.
        from: String,
        /// The reply, shortened.
        to: String,
        /// Where they differ: constants and their values, shortened.
        assignment: String,
        /// The value of what was rewritten.
        correct: String,
        /// The value of the reply.
        given: String,
    },
    /// The value reported for an objective is not its optimum.
    Optimum {
        /// The objective, shortened: `maximize x`.
        objective: String,
        /// The value reported.
        given: String,
        /// What is wrong with it.
        flaw: OptimumFlaw,
    },
    /// An interpolant does not separate the two parts that it was made for.
    Interpolant {
        /// The interpolant, shortened.
        interpolant: String,
        /// What is wrong with it.
        flaw: InterpolantFlaw,
    },
    /// A step of a proof does not follow from its premises.
    Step {
        /// Its rule.
        rule: String,
        /// The step, shortened.
        step: String,
        /// Where the premises are true and the conclusion is not: constants and their values, shortened.
        assignment: String,
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

/// Why a value is not the optimum of an objective.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimumFlaw {
    /// The solver's own model gives the objective another value.
    Missed {
        /// That value.
        value: String,
    },
    /// An assignment that makes every assertion true is better.
    Better {
        /// The value of the objective there.
        value: String,
        /// Constants and their values, shortened.
        assignment: String,
    },
    /// No assignment reaches it.
    Unreached {
        /// How many assignments were evaluated; `None` if the solver itself says so, asked for one that reaches it.
        assignments: Option<usize>,
    },
}

/// Why an interpolant is wrong. Assignments are constants and their values, shortened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterpolantFlaw {
    /// It has a symbol that is not in both parts.
    Private {
        /// The symbol.
        symbol: String,
    },
    /// The first part is true where it is false.
    NotImplied {
        /// An assignment where that is so.
        assignment: String,
    },
    /// The second part is true where it is true.
    NotContradictory {
        /// An assignment where that is so.
        assignment: String,
    },
    /// The interpolant before it, and the assertions between the two, are true where it is false.
    NotInductive {
        /// An assignment where that is so.
        assignment: String,
    },
}

impl fmt::Display for InterpolantFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, assignment) = match self {
            InterpolantFlaw::Private { symbol } => {
                return write!(f, "`{symbol}` does not occur in both parts");
            }
            InterpolantFlaw::NotImplied { assignment } => {
                ("it is false although the first part is true", assignment)
            }
            InterpolantFlaw::NotContradictory { assignment } => {
                ("it is true although the second part is true", assignment)
            }
            InterpolantFlaw::NotInductive { assignment } => (
                "it is false although the interpolant before it and the assertions between them are true",
                assignment,
            ),
        };
        let at = if assignment.is_empty() { String::new() } else { format!(", at {assignment}") };
        write!(f, "{what}{at}")
    }
}

impl fmt::Display for OptimumFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptimumFlaw::Missed { value } => write!(f, "in its own model the objective is {value}"),
            OptimumFlaw::Better { value, assignment } if assignment.is_empty() => {
                write!(f, "the value {value} is possible")
            }
            OptimumFlaw::Better { value, assignment } => {
                write!(f, "the value {value} is possible, at {assignment}")
            }
            OptimumFlaw::Unreached { assignments: Some(n) } => {
                write!(f, "none of the {n} assignments that satisfy the assertions reaches it")
            }
            OptimumFlaw::Unreached { assignments: None } => {
                f.write_str("the solver answers unsat when asked for an assignment with that value")
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join =
            |solvers: &[SolverId]| solvers.iter().map(SolverId::to_string).collect::<Vec<_>>().join(", ");
        let verb = |solvers: &[SolverId]| if solvers.len() == 1 { "says" } else { "say" };
        match self {
            Reason::Proof { ground: true, .. } => f.write_str(
                "the formula is satisfiable: it has no free symbols, and every assertion evaluates to true",
            ),
            Reason::Proof { solver, .. } => {
                write!(f, "the formula is satisfiable: the model of {solver} makes every assertion true")
            }
            Reason::Witness => f.write_str(
                "the formula is satisfiable: the model known by construction makes every assertion true",
            ),
            Reason::Exhaustive { answer: Verdict::Sat, assignments } => {
                write!(
                    f,
                    "the formula is satisfiable: at least one of its {assignments} assignments satisfies every assertion"
                )
            }
            Reason::Exhaustive { assignments: 1, .. } => f.write_str(
                "the formula is unsatisfiable: it has no free symbols, and an assertion evaluates to false",
            ),
            Reason::Exhaustive { assignments, .. } => {
                write!(
                    f,
                    "the formula is unsatisfiable: none of its {assignments} assignments satisfies every assertion"
                )
            }
            Reason::Construction(verdict) => write!(f, "the formula is {verdict} by construction"),
            Reason::Seed { seed, case } => {
                write!(
                    f,
                    "it answers {seed} for the seed and {case} for the mutant, which cannot both be correct"
                )
            }
            Reason::Vote { answer, solvers, families, refuted } => {
                let all = join(solvers);
                let own = if *refuted { ", and its own model is false" } else { "" };
                write!(f, "{all} {} {answer} ({families} solver families){own}", verb(solvers))
            }
            Reason::Disagreement { sat, unsat } => {
                let (a, b) = (verb(sat), verb(unsat));
                write!(
                    f,
                    "{} {a} sat, {} {b} unsat; it is not settled which is wrong",
                    join(sat),
                    join(unsat)
                )
            }
            Reason::FalseAssertion { index, text, unsat } => {
                write!(f, "assertion {} is false in its model: {text}", index + 1)?;
                if !unsat.is_empty() {
                    write!(f, " ({} {} unsat)", join(unsat), verb(unsat))?;
                }
                Ok(())
            }
            Reason::CoreName(name) => {
                write!(f, "its core contains `{name}`, which is not a name in the script")
            }
            Reason::CoreModel { names, solver, .. } => {
                write!(
                    f,
                    "its core ({}) is sat: the model of {solver} makes every assertion in it true",
                    names.join(" ")
                )
            }
            Reason::Value { term, value, correct } => {
                write!(f, "it reports {value} as the value of `{term}`, which is {correct} in its own model")
            }
            Reason::Rewrite { command, from, to, assignment, correct, given } => {
                let at = if assignment.is_empty() { String::new() } else { format!("for {assignment}, ") };
                write!(
                    f,
                    "{at}the input of `{command}`, as one term `{from}`, is {correct}, but its result, as one term `{to}`, is {given}"
                )
            }
            Reason::Optimum { objective, given, flaw } => {
                write!(f, "the reported optimum of `{objective}` is {given}, but {flaw}")
            }
            Reason::Interpolant { interpolant, flaw } => {
                write!(f, "its interpolant is `{interpolant}`, but {flaw}")
            }
            Reason::Step { rule, step, assignment } => {
                let at = if assignment.is_empty() { String::new() } else { format!(" at {assignment}") };
                write!(f, "a step of its proof by rule `{rule}` is false{at}: `{step}`")
            }
            Reason::Implication { before, step, why } => {
                let why = why.as_ref().map(|w| format!(" ({w})")).unwrap_or_default();
                write!(f, "unknown{why}, although it answered {before} one step earlier")?;
                step.as_ref().map_or(Ok(()), |s| write!(f, ": {s}"))
            }
            Reason::SelfCheck(message) | Reason::Crash(message) | Reason::Regression(message) => {
                f.write_str(message)
            }
        }
    }
}

impl Claim {
    /// The positions of the accused.
    pub fn positions(&self) -> Vec<usize> {
        self.accused.iter().map(|a| a.position).collect()
    }

    /// Whether it accuses a solver, by position.
    pub fn accuses(&self, who: usize) -> bool {
        self.accused.iter().any(|a| a.position == who)
    }

    /// Whether the wrong solver is known.
    pub fn is_settled(&self) -> bool {
        self.accused.len() == 1
    }

    /// The names of the accused.
    pub fn solvers(&self) -> Vec<SolverId> {
        self.accused.iter().map(|a| a.solver.clone()).collect()
    }

    /// The names of the accused in one text.
    pub fn who(&self) -> String {
        joined(&self.solvers())
    }

    /// Whether two claims, from two runs of one case by the same solvers, are the same.
    pub fn repeats(&self, other: &Claim) -> bool {
        (self.kind, self.positions(), self.query) == (other.kind, other.positions(), other.query)
    }

    /// The key by which its triggers are counted together.
    pub fn key(&self) -> CoarseKey {
        let solvers = self.accused.iter().map(|a| a.solver.name().to_owned()).collect();
        CoarseKey { solvers, kind: self.kind, theory: self.theory.clone(), cause: self.cause.clone() }
    }

    /// The finding as other programs read it, with the facts that only its place knows.
    pub fn row(&self, id: String, strategy: Option<String>, file: String, bytes: u64) -> FindingRow {
        FindingRow {
            id,
            kind: self.kind,
            solver: self.who(),
            accused: self.solvers(),
            strategy,
            theory: Some(self.theory.clone()),
            evidence: self.evidence,
            fingerprint: self.key().to_string(),
            file,
            reduced: None,
            bytes,
        }
    }
}

/// Solvers in one text, for people and for readers of the field `solver`.
pub fn joined(solvers: &[SolverId]) -> String {
    solvers.iter().map(SolverId::to_string).collect::<Vec<_>>().join(" / ")
}

/// One finding, as it is stored and as other programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRow {
    /// Its id within a campaign.
    pub id: String,
    /// What went wrong.
    pub kind: Kind,
    /// The accused in one text.
    pub solver: String,
    /// The accused: one, unless the wrong solver is not known.
    #[serde(default)]
    pub accused: Vec<SolverId>,
    /// The strategy that made the case, if one did.
    pub strategy: Option<String>,
    /// The theory at fault, if known.
    pub theory: Option<String>,
    /// Why we believe it; `None` for an outcome that needs no evidence (a crash, a hang).
    pub evidence: Option<Evidence>,
    /// The identity of the bug behind it.
    pub fingerprint: String,
    /// The script that shows it.
    pub file: String,
    /// The reduced script, if it was reduced.
    pub reduced: Option<String>,
    /// Size of the smallest script that shows it.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_evidence_sorts_first() {
        assert!(Evidence::ALL.is_sorted());
        for evidence in Evidence::ALL {
            assert_eq!(serde_json::to_string(&evidence).unwrap(), format!("\"{evidence}\""));
        }
    }

    #[test]
    fn a_finding_has_the_fields_other_programs_read() {
        let z3 = SolverId::new("z3", Some("4.8.7".parse().unwrap()));
        let cause = Cause::Theory("ints".into());
        let accused = ["z3", "cvc5"].map(|n| Accused { position: 0, solver: SolverId::new(n, None) });
        let claim = Claim {
            query: None,
            kind: Kind::Unsound,
            accused: accused.to_vec(),
            evidence: None,
            theory: "ints".into(),
            cause,
            reason: Reason::Crash("signal 11".into()),
        };
        let two = claim.row("1".into(), None, "a.smt2".into(), 3);
        assert_eq!((two.solver.as_str(), two.accused.len()), ("z3 / cvc5", 2));
        let claim = Claim { accused: vec![Accused { position: 0, solver: z3 }], ..claim };
        let finding = claim.row("1".into(), None, "a.smt2".into(), 3);
        let json = serde_json::to_value(&finding).unwrap();
        for key in [
            "id",
            "kind",
            "solver",
            "accused",
            "strategy",
            "theory",
            "evidence",
            "fingerprint",
            "file",
            "reduced",
            "bytes",
        ] {
            assert!(json.get(key).is_some(), "{key}");
        }
        assert_eq!((&json["solver"], &json["accused"][0]), (&"z3@4.8.7".into(), &"z3@4.8.7".into()));
        assert_eq!(serde_json::from_value::<FindingRow>(json).unwrap(), finding);
        let text = serde_json::to_string(&claim).unwrap();
        assert_eq!(serde_json::from_str::<Claim>(&text).unwrap(), claim);
    }
}
