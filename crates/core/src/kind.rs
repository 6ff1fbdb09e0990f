//! Kinds of findings, one row each. A row contains everything that other crates say or decide about a kind. How a
//! finding of a kind is reproduced is in a module of `trial`.

use crate::Verdict;
use crate::word::fixed_words;

fixed_words! {
    /// The kind of a finding.
    Kind {
        /// The solver said unsat; the formula is sat.
        RefutationUnsound = "refutation-unsound",
        /// The solver said sat; the formula is unsat.
        SolutionUnsound = "solution-unsound",
        /// Two answers disagree and it is not settled which is wrong.
        Unsound = "unsound",
        /// The model given does not satisfy the formula.
        InvalidModel = "invalid-model",
        /// The unsat core given is satisfiable, or has a name that was not asserted.
        InvalidCore = "invalid-core",
        /// The value given for a term is not the one that it has in the solver's own model.
        WrongValue = "wrong-value",
        /// A term or goal was rewritten to one that is not equivalent.
        WrongRewrite = "wrong-rewrite",
        /// An assignment is better than the optimum reported, or none reaches it.
        WrongOptimum = "wrong-optimum",
        /// The interpolant given has a symbol that is not shared, or is true or false where it must not be.
        InvalidInterpolant = "invalid-interpolant",
        /// A step of the proof given does not follow from its premises.
        InvalidProof = "invalid-proof",
        /// The solver died.
        Crash = "crash",
        /// An older release decided what this one does not.
        IncompleteRegression = "incomplete-regression",
        /// A formula implied by a decided one is not decided.
        IncompleteImplication = "incomplete-implication",
        /// An older release was much faster.
        PerfRegression = "perf-regression",
        /// The solver did not end within many times the usual limit.
        Hang = "hang",
    }
}

fixed_words! {
    /// Kinds that one bug can show as, by their word in fingerprints: one wrong operator can show as a wrong unsat, a wrong
    /// sat or a wrong model, depending on the script.
    Class {
        /// A wrong answer, or a wrong model.
        Wrong = "wrong",
        /// A wrong unsat core.
        Core = "core",
        /// A wrong value of a term.
        Value = "value",
        /// A wrong simplification, or wrong goals.
        Rewrite = "rewrite",
        /// A wrong optimum.
        Optimum = "optimum",
        /// A wrong interpolant.
        Interpolant = "interpolant",
        /// A wrong step of a proof.
        Proof = "proof",
        /// The solver crashes.
        Crash = "crash",
        /// It gives up.
        Unknown = "unknown",
        /// It takes too long, or too much memory.
        Slow = "slow",
    }
}

/// How much a kind matters, in the colours of pages and of the live view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A wrong answer.
    Wrong,
    /// A wrong model, core, value or rewrite.
    Invalid,
    /// A crash.
    Dead,
    /// A missing or late answer.
    Late,
}

/// The facts about a kind.
#[derive(Clone, Copy, Debug)]
pub struct KindRow {
    /// The kind.
    pub kind: Kind,
    /// Its class.
    pub class: Class,
    /// Its colour.
    pub severity: Severity,
    /// Its rank as maintainers see it, unless they have their own order: 1 is the most urgent.
    pub priority: usize,
    /// The answer of the accused, if the kind implies one.
    pub said: Option<Verdict>,
    /// The correct answer, if the kind implies one.
    pub correct: Option<Verdict>,
    /// The kind in the words of issue trackers, for a title.
    pub title: &'static str,
    /// The same where only other solvers say so.
    pub by_vote: &'static str,
    /// The claim about the accused, behind its command; empty if only the reason of a finding says it.
    pub claim: &'static str,
    /// What is wrong if the answer is right, as the end of a sentence after `but`; else empty.
    pub fault: &'static str,
    /// The same where the solver's own checker says so.
    pub by_itself: &'static str,
    /// What is expected besides the answer.
    pub due: &'static str,
    /// The option and the command that a script needs to show it.
    pub shown_by: Option<(&'static str, &'static str)>,
    /// Whether it shows only beside another release of the solver, or beside its answer to another formula.
    pub compares: bool,
}

impl KindRow {
    /// The option and the command that a script needs to show a model.
    pub const MODEL_SHOWN_BY: (&'static str, &'static str) = (":produce-models", "(get-model)");
}

/// The row of a kind that is about nothing but the run of the accused.
const fn row(kind: Kind, class: Class, severity: Severity, priority: usize, title: &'static str) -> KindRow {
    KindRow {
        kind,
        class,
        severity,
        priority,
        said: None,
        correct: None,
        title,
        by_vote: title,
        claim: "",
        fault: "",
        by_itself: "",
        due: "",
        shown_by: None,
        compares: false,
    }
}

/// All kinds, in the order of [`Kind::ALL`].
const ROWS: [KindRow; Kind::ALL.len()] = {
    use Severity::{Dead, Invalid, Late, Wrong};
    use Verdict::{Sat, Unsat};
    [
        KindRow {
            said: Some(Unsat),
            correct: Some(Sat),
            by_vote: "unsat, but other solvers say sat",
            claim: "returns `unsat`",
            ..row(Kind::RefutationUnsound, Class::Wrong, Wrong, 1, "unsat for a satisfiable formula")
        },
        KindRow {
            said: Some(Sat),
            correct: Some(Unsat),
            by_vote: "sat, but other solvers say unsat",
            claim: "returns `sat`",
            ..row(Kind::SolutionUnsound, Class::Wrong, Wrong, 2, "sat for an unsatisfiable formula")
        },
        row(Kind::Unsound, Class::Wrong, Wrong, 2, "contradictory answers"),
        KindRow {
            said: Some(Sat),
            correct: Some(Sat),
            claim: "returns `sat`",
            fault: "its model is invalid",
            by_itself: "its own model check fails",
            due: "with a model that makes every assertion true",
            shown_by: Some(KindRow::MODEL_SHOWN_BY),
            ..row(Kind::InvalidModel, Class::Wrong, Invalid, 3, "invalid model")
        },
        KindRow {
            correct: Some(Unsat),
            claim: "returns `unsat`",
            fault: "its core is not unsatisfiable",
            due: "with an unsatisfiable core of named assertions",
            shown_by: Some((":produce-unsat-cores", "(get-unsat-core)")),
            ..row(Kind::InvalidCore, Class::Core, Invalid, 6, "invalid unsat core")
        },
        KindRow {
            claim: "returns `sat`, and a term value that contradicts its own model",
            shown_by: Some((":produce-models", "(get-model)")),
            ..row(Kind::WrongValue, Class::Value, Invalid, 3, "wrong value for a term")
        },
        KindRow {
            claim: "prints a result that is not equivalent to the input",
            ..row(Kind::WrongRewrite, Class::Rewrite, Invalid, 3, "rewrite result is not equivalent")
        },
        KindRow {
            said: Some(Sat),
            correct: Some(Sat),
            claim: "returns `sat`",
            fault: "a reported optimum is wrong",
            due: "with the optimal value of every objective",
            shown_by: Some((":produce-models", "(get-objectives)")),
            ..row(Kind::WrongOptimum, Class::Optimum, Invalid, 3, "wrong optimum")
        },
        KindRow {
            claim: "gives an interpolant that is invalid",
            shown_by: Some((":produce-interpolants", "(get-interpolant")),
            ..row(Kind::InvalidInterpolant, Class::Interpolant, Invalid, 6, "invalid interpolant")
        },
        KindRow {
            said: Some(Unsat),
            claim: "returns `unsat`",
            fault: "a step of its proof is wrong",
            due: "with a proof in which every step follows from its premises",
            shown_by: Some((":produce-proofs", "(get-proof)")),
            ..row(Kind::InvalidProof, Class::Proof, Invalid, 5, "unsound proof step")
        },
        KindRow { claim: "crashes", ..row(Kind::Crash, Class::Crash, Dead, 4, "crash") },
        KindRow {
            compares: true,
            ..row(
                Kind::IncompleteRegression,
                Class::Unknown,
                Late,
                5,
                "unknown, but another release solves it",
            )
        },
        KindRow {
            compares: true,
            ..row(
                Kind::IncompleteImplication,
                Class::Unknown,
                Late,
                6,
                "unknown, but it solves a related formula",
            )
        },
        KindRow {
            compares: true,
            ..row(Kind::PerfRegression, Class::Slow, Late, 5, "much slower than another release")
        },
        row(Kind::Hang, Class::Slow, Late, 5, "does not terminate, but another solver or release does"),
    ]
};

impl Kind {
    /// The facts about it.
    pub fn row(self) -> &'static KindRow {
        &ROWS[self as usize]
    }

    /// Its class.
    pub fn class(self) -> Class {
        self.row().class
    }

    /// The kind of this name.
    pub fn named(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// A wrong answer of this verdict.
    pub fn of_wrong(answer: Verdict) -> Kind {
        if answer == Verdict::Unsat { Kind::RefutationUnsound } else { Kind::SolutionUnsound }
    }
}

impl Class {
    /// Whether an operator or a construct alone can be at fault: a solver that evaluates one wrongly may also fail to
    /// decide a formula with it, or search without result.
    pub fn may_be_of_one_part(self) -> bool {
        matches!(self, Class::Wrong | Class::Unknown | Class::Slow)
    }

    /// Whether findings of the class are about a missing or late answer, which another release gives.
    pub fn is_late(self) -> bool {
        matches!(self, Class::Unknown | Class::Slow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row() {
        for kind in Kind::ALL {
            let row = kind.row();
            assert_eq!(row.kind, kind);
            assert!(!row.title.is_empty() && row.priority > 0, "{kind}");
            assert_eq!(Kind::named(kind.as_str()), Some(kind));
        }
    }

    #[test]
    fn the_serialised_word_of_each_kind_is_the_word_people_read() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
    }
}
