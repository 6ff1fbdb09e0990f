//! What one solver did with one script.

use serde::{Deserialize, Serialize};
use std::{fmt, time::Duration};

/// The answer to one `check-sat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// The solver gave up.
    Unknown,
}

impl Verdict {
    /// The fixed word.
    pub fn as_str(self) -> &'static str {
        OutcomeKind::from(self).as_str()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a run ended, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// It said sat.
    Sat,
    /// It said unsat.
    Unsat,
    /// It said unknown.
    Unknown,
    /// It was stopped at the time limit.
    Timeout,
    /// It hit the memory limit.
    Memout,
    /// It died, or reported a broken invariant of its own.
    Crash,
    /// It says it does not support or cannot parse the input.
    Rejected,
    /// Anything else that is no verdict: another error message, rubbish, too much output.
    Error,
}

impl OutcomeKind {
    /// Every kind, in the order of the design.
    pub const ALL: [OutcomeKind; 8] = [
        OutcomeKind::Sat,
        OutcomeKind::Unsat,
        OutcomeKind::Unknown,
        OutcomeKind::Timeout,
        OutcomeKind::Memout,
        OutcomeKind::Crash,
        OutcomeKind::Rejected,
        OutcomeKind::Error,
    ];

    /// The fixed word.
    pub fn as_str(self) -> &'static str {
        match self {
            OutcomeKind::Sat => "sat",
            OutcomeKind::Unsat => "unsat",
            OutcomeKind::Unknown => "unknown",
            OutcomeKind::Timeout => "timeout",
            OutcomeKind::Memout => "memout",
            OutcomeKind::Crash => "crash",
            OutcomeKind::Rejected => "rejected",
            OutcomeKind::Error => "error",
        }
    }

    /// The verdict this is, if it is one.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            OutcomeKind::Sat => Some(Verdict::Sat),
            OutcomeKind::Unsat => Some(Verdict::Unsat),
            OutcomeKind::Unknown => Some(Verdict::Unknown),
            _ => None,
        }
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

impl fmt::Display for OutcomeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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

/// One `check-sat` and what the solver said about it. The text parts are the solver's own, unread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The verdict; `None` when an error before it means that it answers another question.
    pub verdict: Option<Verdict>,
    /// Why there is no verdict.
    pub error: Option<String>,
    /// The reply to `get-model`. Never present after `unknown`: such a model claims nothing.
    pub model: Option<String>,
    /// The replies to `get-value`, in order.
    pub values: Vec<String>,
    /// The reply to `get-unsat-core`.
    pub core: Option<String>,
    /// The reply to `get-unsat-assumptions`.
    pub assumptions: Option<String>,
}

/// How a crash shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrashKind {
    /// A failed assertion or another broken invariant it reported itself.
    Assertion,
    /// A sanitizer report.
    Sanitizer,
    /// Its own check found its model, core or proof wrong.
    SelfCheck,
    /// Death by signal without a message that says more.
    Signal,
    /// An exit code or message that only a crash gives.
    Exit,
}

/// The details of a crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crash {
    /// How it shows.
    pub kind: CrashKind,
    /// The signal it died of.
    pub signal: Option<i32>,
    /// The code it exited with.
    pub exit_code: Option<i32>,
    /// The place in the solver's source, `file:line`, where the text names one.
    pub site: Option<String>,
    /// The line that says most.
    pub message: String,
    /// Function names of a printed stack, innermost first.
    pub stack: Vec<String>,
}

/// What one solver did with one script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// In one word. Of several answers it is the last one's; failures outweigh answers.
    pub kind: OutcomeKind,
    /// One entry per `check-sat` that was answered before the end, in order.
    pub answers: Vec<Answer>,
    /// Details when `kind` is a crash.
    pub crash: Option<Crash>,
    /// What there is to say beyond the word: the error text, the limit that was hit.
    pub message: Option<String>,
    /// False when the script could not be put into this release's dialect with the same meaning; its answer
    /// must then not be held against another solver's.
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
            answer.values.clear();
        }
        outcome
    }

    /// An outcome without answers.
    pub fn bare(kind: OutcomeKind, message: impl Into<String>) -> Self {
        let message = Some(message.into());
        Outcome { kind, answers: Vec::new(), crash: None, message, comparable: true, usage: Usage::default() }
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
    }

    #[test]
    fn exactly_three_outcomes_are_verdicts() {
        let verdicts: Vec<_> = OutcomeKind::ALL.iter().filter_map(|k| k.verdict()).collect();
        assert_eq!(verdicts, [Verdict::Sat, Verdict::Unsat, Verdict::Unknown]);
        assert!(verdicts.into_iter().all(|v| OutcomeKind::from(v).verdict() == Some(v)));
    }
}
