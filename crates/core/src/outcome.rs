//! What one solver did with one script.

use crate::word::fixed_words;
use serde::{Deserialize, Serialize};
use std::time::Duration;

fixed_words! {
    /// The answer to one `check-sat`.
    Verdict {
        /// Satisfiable.
        Sat = "sat",
        /// Unsatisfiable.
        Unsat = "unsat",
        /// The solver gave up.
        Unknown = "unknown",
    }
}

fixed_words! {
    /// How a run ended, in one word.
    OutcomeKind {
        /// It said sat.
        Sat = "sat",
        /// It said unsat.
        Unsat = "unsat",
        /// It said unknown.
        Unknown = "unknown",
        /// It was stopped at the time limit.
        Timeout = "timeout",
        /// It hit the memory limit.
        Memout = "memout",
        /// It died, or reported a broken invariant of its own.
        Crash = "crash",
        /// It says it does not support or cannot parse the input.
        Rejected = "rejected",
        /// Anything else that is not a verdict: another error message, rubbish, too much output.
        Error = "error",
    }
}

impl OutcomeKind {
    /// The verdict, if it is one of the three.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            OutcomeKind::Sat => Some(Verdict::Sat),
            OutcomeKind::Unsat => Some(Verdict::Unsat),
            OutcomeKind::Unknown => Some(Verdict::Unknown),
            _ => None,
        }
    }
}

impl Verdict {
    /// What a `:status` says, if that is `sat` or `unsat`.
    pub fn of_status(word: &[u8]) -> Option<Verdict> {
        [Verdict::Sat, Verdict::Unsat].into_iter().find(|v| v.as_str().as_bytes() == word)
    }
}

impl From<Verdict> for OutcomeKind {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Sat => OutcomeKind::Sat,
            Verdict::Unsat => OutcomeKind::Unsat,
            Verdict::Unknown => OutcomeKind::Unknown,
        }
    }
}

/// What a run cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Wall time.
    pub wall: Duration,
    /// CPU time, user and system.
    pub cpu: Duration,
    /// Peak resident memory in bytes; in a session, the peak of the process so far.
    pub peak_memory: u64,
}

/// A process whose CPU time is less than the wall time divided by this is waiting, even on a busy machine.
const IDLE: u32 = 40;

impl Usage {
    /// CPU time, which others on the machine do not change; of a process that waits for something, wall time.
    pub fn time(&self) -> Duration {
        if self.cpu * IDLE < self.wall { self.wall } else { self.cpu }
    }
}

/// The answer to one `check-sat`, and the solver's replies to the queries after it as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The verdict; `None` when an error before it means that the solver answered another formula.
    pub verdict: Option<Verdict>,
    /// Why there is no verdict.
    pub error: Option<String>,
    /// The reply to `get-model`. Never present after `unknown`: such a model claims nothing.
    pub model: Option<String>,
    /// The reply to `get-unsat-core`.
    pub core: Option<String>,
    /// The reply to `get-unsat-assumptions`.
    pub assumptions: Option<String>,
    /// After `unknown`, the reason that the solver gives.
    #[serde(default)]
    pub reason: Option<String>,
}

fixed_words! {
    /// A command whose reply is judged by itself.
    Asked {
        /// The values of terms in the model.
        Value = "get-value",
        /// A term in a simpler form.
        Simplify = "simplify",
        /// The goals that a tactic makes of the assertions.
        Apply = "apply",
        /// A formula without its quantifiers.
        Eliminate = "get-qe",
        /// The optima of all objectives.
        Objectives = "get-objectives",
        /// A formula over the symbols that the assertions and a conjecture share.
        Interpolant = "get-interpolant",
        /// Another one for the same conjecture.
        NextInterpolant = "get-interpolant-next",
        /// An interpolant for each of several partitions of the assertions.
        Interpolants = "get-interpolants",
        /// A proof that the assertions contradict each other.
        Proof = "get-proof",
    }
}

/// The reply to a query other than `check-sat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The command.
    pub to: Asked,
    /// Which command of this name in the script, counted from 0.
    pub index: usize,
    /// The reply as printed, in today's escapes.
    pub text: String,
}

fixed_words! {
    /// How a crash becomes visible.
    CrashKind {
        /// The solver reported a failed assertion or another broken invariant.
        Assertion = "assertion",
        /// A sanitizer report.
        Sanitizer = "sanitizer",
        /// The solver's own check found its model, core or proof wrong.
        SelfCheck = "self-check",
        /// The solver died by a signal, without a message.
        Signal = "signal",
        /// An exit code or message that only a crash gives.
        Exit = "exit",
    }
}

/// The details of a crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// How it became visible.
    pub kind: CrashKind,
    /// The signal it died of.
    pub signal: Option<i32>,
    /// The code it exited with.
    pub exit_code: Option<i32>,
    /// The place in the solver's source, `file:line`, where the text names one.
    pub site: Option<String>,
    /// The most informative line of the output.
    pub message: String,
    /// Function names of a printed stack, innermost first.
    pub stack: Vec<String>,
    /// What the solver printed besides its answers, shortened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// What one solver did with one script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// In one word. Of several answers the last counts; a failure counts more than answers.
    pub kind: OutcomeKind,
    /// One entry per `check-sat` that was answered before the end, in order.
    pub answers: Vec<Answer>,
    /// The replies to other queries, in order. A command that was refused has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Reply>,
    /// Details when `kind` is a crash.
    pub crash: Option<Crash>,
    /// Details: the error text, the limit that was hit, or the solver's reason for `unknown`.
    pub message: Option<String>,
    /// False when the script could not be translated to this release's dialect with the same meaning. Its answer must
    /// then not be compared with another solver's.
    pub comparable: bool,
    /// What it cost.
    pub usage: Usage,
}

impl Outcome {
    /// The same without models, cores and values.
    #[must_use]
    pub fn without_texts(&self) -> Outcome {
        let mut outcome = self.clone();
        for answer in &mut outcome.answers {
            (answer.model, answer.core, answer.assumptions) = (None, None, None);
        }
        outcome.replies.clear();
        outcome
    }

    /// An outcome without answers.
    pub fn bare(kind: OutcomeKind, message: impl Into<String>) -> Self {
        let (message, replies) = (Some(message.into()), Vec::new());
        let (answers, usage) = (Vec::new(), Usage::default());
        Outcome { kind, answers, replies, crash: None, message, comparable: true, usage }
    }

    /// The verdicts of all `check-sat`s, in order.
    pub fn verdicts(&self) -> impl Iterator<Item = Option<Verdict>> + '_ {
        self.answers.iter().map(|answer| answer.verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serialised_word_of_each_outcome_is_the_word_people_read() {
        for kind in OutcomeKind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{kind}\""));
        }
        for verdict in Verdict::ALL {
            assert_eq!(verdict.as_str(), OutcomeKind::from(verdict).as_str());
        }
    }

    #[test]
    fn exactly_three_outcomes_are_verdicts() {
        let verdicts: Vec<_> = OutcomeKind::ALL.iter().filter_map(|k| k.verdict()).collect();
        assert_eq!(verdicts, [Verdict::Sat, Verdict::Unsat, Verdict::Unknown]);
        assert!(verdicts.into_iter().all(|v| OutcomeKind::from(v).verdict() == Some(v)));
    }
}
