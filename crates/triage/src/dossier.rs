//! A dossier: all that is known of a finding beyond its trigger, as it is stored and as reports are made of it.

use serde::{Deserialize, Serialize};
use smelt_core::{Evidence, FindingKind, OutcomeKind, SolverId, Version};

use crate::history::History;

/// What is known of a finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dossier {
    /// What the reduced script shows. Of a wrong operator it may be another kind than what the trigger showed.
    pub kind: FindingKind,
    /// Why it is believed.
    pub evidence: Option<Evidence>,
    /// The same in words.
    pub reason: String,
    /// The accused: one, unless it is not settled who is wrong.
    pub accused: Vec<SolverId>,
    /// The profile of the accused.
    pub profile: String,
    /// The theory it is about.
    pub theory: String,
    /// The identity of the bug, as far as one finding shows it.
    pub fingerprint: String,
    /// The operators that tell most about it: the one at fault, or those that no smaller script could do without.
    pub operators: Vec<String>,
    /// Operators that the accused was asked about by themselves, and got right.
    #[serde(default)]
    pub cleared: Vec<String>,
    /// What each solver did with the script.
    pub said: Vec<Said>,
    /// The model that shows it.
    pub model: Option<ModelShown>,
    /// The operator that is wrong by itself.
    pub culprit: Option<Culprit>,
    /// What it takes.
    pub needs: Needs,
    /// Which releases show it.
    pub history: History,
    /// How the script came to be as small as it is.
    pub reduction: Option<Figures>,
    /// Where the trigger must differ from its seed: the seed's term and the trigger's.
    pub differences: Vec<(String, String)>,
    /// The version of smelt.
    pub smelt: Option<Version>,
}

/// What a solver did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Said {
    /// Which one.
    pub solver: SolverId,
    /// A command line for those who have it, over a file `bug.smt2`.
    pub command: String,
    /// What it did.
    pub outcome: OutcomeKind,
    /// All answers, where there are several.
    pub answers: Vec<String>,
    /// What it said besides, shortened.
    pub message: Option<String>,
    /// Whether it is the accused.
    pub accused: bool,
}

/// A model, evaluated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelShown {
    /// Whose it is.
    pub solver: SolverId,
    /// As printed.
    pub text: String,
    /// Each assertion, shortened, and its truth: `true`, `false` or `unknown`.
    pub assertions: Vec<(String, String)>,
}

/// An operator that a solver gets wrong.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Culprit {
    /// Its name.
    pub operator: String,
    /// It applied to values.
    pub application: String,
    /// What that is.
    pub value: String,
    /// A script of one assertion, and what the solver says to it.
    pub script: String,
    /// What the solver says.
    pub answer: String,
}

/// What it takes to see a bug.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Needs {
    /// Arguments of the accused.
    pub flags: Vec<String>,
    /// Options that the script sets, and commands outside the standard.
    pub options: Vec<String>,
    /// Whether it shows without flags; `None` if that was not tried.
    pub default: Option<bool>,
    /// Whether it shows in the setting in which the maintainers want to hear of everything; `None` if the release has
    /// none.
    pub safe: Option<bool>,
}

impl Dossier {
    /// What the operator at fault alone shows.
    pub fn culprit_kind(&self) -> Option<FindingKind> {
        match self.culprit.as_ref()?.answer.as_str() {
            "unsat" => Some(FindingKind::RefutationUnsound),
            "sat" => Some(FindingKind::SolutionUnsound),
            _ => None,
        }
    }
}

impl Needs {
    /// Whether it shows in default options, as far as known.
    pub fn is_default(&self) -> bool {
        self.options.is_empty() && self.default.unwrap_or(self.flags.is_empty())
    }
}

/// How a script was reduced.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Figures {
    /// Bytes of the trigger.
    pub bytes_before: usize,
    /// Bytes of the result.
    pub bytes_after: usize,
    /// How often solvers were asked.
    pub checks: u64,
    /// How long it took.
    pub wall_s: f64,
    /// Whether nothing smaller was found, as opposed to being stopped on the way.
    pub complete: bool,
}

impl Figures {
    /// The figures of a reduction.
    pub fn of(reduction: &smelt_reduce::Reduction) -> Figures {
        Figures {
            bytes_before: reduction.bytes_before,
            bytes_after: reduction.text.len(),
            checks: reduction.checks,
            wall_s: (reduction.wall.as_secs_f64() * 1e3).round() / 1e3,
            complete: reduction.complete,
        }
    }
}
