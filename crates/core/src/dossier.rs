//! A dossier: the facts about a finding that triage collects, stored and read by reports.

use crate::{
    Cause, Class, Evidence, History, Identity, Kind, KindRow, OutcomeKind, SolverId, Verdict, Version,
};
use serde::{Deserialize, Serialize};

/// The facts about a finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dossier {
    /// The kind that the reduced script shows. A wrong operator may show as another kind than in the trigger.
    pub kind: Kind,
    /// The evidence.
    pub evidence: Option<Evidence>,
    /// The answer that is proved to be right, by a model that was evaluated, by all assignments or by construction.
    #[serde(default)]
    pub proved: Option<Verdict>,
    /// The evidence in words.
    pub reason: String,
    /// The accused: one, unless the wrong solver is not known.
    pub accused: Vec<SolverId>,
    /// The profile of the accused.
    pub profile: String,
    /// The theory it is about.
    pub theory: String,
    /// The identity of the bug, as far as one finding shows it.
    pub identity: Identity,
    /// Fingerprints that earlier versions of smelt gave it.
    #[serde(default)]
    pub earlier: Vec<String>,
    /// The fingerprint of the bug that it names, if it was examined again since it was given.
    #[serde(default)]
    pub given: Option<String>,
    /// The query of the script that it is about, counted from 0.
    #[serde(default)]
    pub query: usize,
    /// Operators that the accused evaluates correctly by themselves.
    #[serde(default)]
    pub cleared: Vec<String>,
    /// What each solver did with the script.
    pub said: Vec<Said>,
    /// The model that shows it.
    pub model: Option<ModelShown>,
    /// The operator that is wrong by itself.
    pub culprit: Option<Culprit>,
    /// The flags and options it needs.
    pub needs: Needs,
    /// Which releases show it.
    pub history: History,
    /// The figures of the reduction.
    pub reduction: Option<Figures>,
    /// Where the trigger must differ from its seed: the seed's term and the trigger's.
    pub differences: Vec<(String, String)>,
    /// Whether the seed shows such a bug too, as it is.
    #[serde(default)]
    pub seed_shows: bool,
    /// Whether reducing it was tried.
    #[serde(default)]
    pub reduction_tried: bool,
    /// Whether the script is the seed of the finding: the answer to the seed is wrong, that to the mutant right.
    #[serde(default)]
    pub of_seed: bool,
    /// Whether it shows only when the accused is asked for a model.
    #[serde(default)]
    pub with_model: bool,
    /// Whether it shows only if the accused keeps unsat cores.
    #[serde(default)]
    pub with_core: bool,
    /// Whether the crash is a failed internal check after which the accused continues.
    #[serde(default)]
    pub goes_on: bool,
    /// The script as the accused spells it, if that differs.
    #[serde(default)]
    pub spelled: Option<String>,
    /// The other script, if the finding is about two.
    #[serde(default)]
    pub pair: Option<Pair>,
    /// What the first accused says of its version and build.
    #[serde(default)]
    pub build: Option<String>,
    /// The system that it was examined on.
    #[serde(default)]
    pub system: Option<String>,
    /// When it was examined.
    #[serde(default)]
    pub date: Option<String>,
    /// The version of smelt.
    pub smelt: Option<Version>,
}

/// The other script of a finding that is about two.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pair {
    /// The script.
    pub script: String,
    /// What the accused says to it.
    pub answer: OutcomeKind,
    /// How the script of the finding is related to it, in words.
    pub relation: String,
    /// The solvers that prove an implication between the two: from the one that the accused calls satisfiable, or from the
    /// script of the finding if it calls the other one unsatisfiable. Empty if no solver does.
    #[serde(default)]
    pub proved: Vec<SolverId>,
}

/// What a solver did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Said {
    /// Which one.
    pub solver: SolverId,
    /// A command line that runs it on a file `bug.smt2` with the script as shown. smelt ran it exactly so and saw this
    /// behaviour; `None` if no command showed it.
    #[serde(default)]
    pub command: Option<String>,
    /// The Python package that the release comes from, as pip names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The command line of its own program, if the release is a Python module without one. It was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untried: Option<String>,
    /// What it did.
    pub outcome: OutcomeKind,
    /// All answers, where there are several.
    pub answers: Vec<String>,
    /// Its messages, shortened.
    pub message: Option<String>,
    /// What the accused printed about its crash.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// How long it ran, in seconds, if it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_s: Option<f64>,
    /// Whether it is the accused.
    pub accused: bool,
    /// What it says of its version and build, if it is the accused.
    #[serde(default)]
    pub build: Option<String>,
    /// Whether it cannot read the text that the accused was given: it has other spellings, or needs a logic.
    #[serde(default)]
    pub adapted: bool,
}

/// A model, evaluated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelShown {
    /// Whose it is; `None` for the model that the case was made with.
    pub solver: Option<SolverId>,
    /// As printed.
    pub text: String,
    /// Whether its strings were translated from the spelling of an old release.
    #[serde(default)]
    pub translated: bool,
    /// Whether the script has no free symbols: the assertions have one value each.
    #[serde(default)]
    pub ground: bool,
    /// Each assertion, shortened, and its truth: `true`, `false` or `unknown`.
    pub assertions: Vec<(String, String)>,
}

/// An operator that a solver evaluates wrongly.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Culprit {
    /// Its name.
    pub operator: String,
    /// An application of it to values.
    pub application: String,
    /// The value of the application.
    pub value: String,
    /// A script of one assertion, and what the solver says to it.
    pub script: String,
    /// That script as the accused spells it, if that differs.
    #[serde(default)]
    pub spelled: Option<String>,
    /// What the solver says.
    pub answer: OutcomeKind,
    /// The theory of its arguments, whatever the formula is about in which it was found; `None` for operators of the core,
    /// which are the same in every theory.
    #[serde(default)]
    pub theory: Option<String>,
    /// Which releases say the same.
    #[serde(default)]
    pub history: History,
    /// The command line that was run on a file `bug.smt2` with that script, and said so.
    #[serde(default)]
    pub command: Option<String>,
}

/// The flags and options that a bug needs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Needs {
    /// Arguments of the accused.
    pub flags: Vec<String>,
    /// Options that smelt always gives the accused for such scripts.
    #[serde(default)]
    pub given: Vec<String>,
    /// Options that the script sets, and commands outside the standard.
    pub options: Vec<String>,
    /// Whether it shows without flags; `None` if that was not tried.
    pub default: Option<bool>,
    /// Whether it shows in the setting in which the maintainers want reports on everything; `None` if the release has no
    /// such setting.
    pub safe: Option<bool>,
}

impl Dossier {
    /// Its cause.
    pub fn cause(&self) -> &Cause {
        &self.identity.cause
    }

    /// The class of kinds that the bug shows as.
    pub fn class(&self) -> Class {
        self.identity.class
    }

    /// The script with what makes the bug visible: the option and the command that print a wrong model or core, or a crash on
    /// the way to a model. In the spelling of the accused, where that differs.
    pub fn shown(&self, script: &str) -> String {
        let shown_by = if self.with_model { Some(KindRow::MODEL_SHOWN_BY) } else { self.kind.row().shown_by };
        let shown = shown_script(shown_by, self.spelled.as_deref().unwrap_or(script));
        let keeps_cores = self.with_core && !shown.contains(":produce-unsat-cores");
        if keeps_cores { format!("(set-option :produce-unsat-cores true)\n{shown}") } else { shown }
    }

    /// Its fingerprint, as far as one finding shows it.
    pub fn fingerprint(&self) -> String {
        self.identity.to_string()
    }

    /// Whether the finding was examined in full, and not recognised as a known bug.
    pub fn is_full(&self) -> bool {
        !self.said.is_empty()
    }

    /// Whether its script was not reduced to the end.
    pub fn is_half_reduced(&self) -> bool {
        self.pair.is_none() && self.reduction.is_some_and(|r| !r.complete)
    }

    /// What each accused says of its version and build.
    pub fn builds(&self) -> Vec<(&SolverId, &str)> {
        let accused = self.said.iter().filter(|s| s.accused);
        let builds: Vec<_> = accused.filter_map(|s| Some((&s.solver, s.build.as_deref()?))).collect();
        // Dossiers of earlier versions have one build.
        let one = || Some((self.accused.first()?, self.build.as_deref()?));
        if builds.is_empty() { one().into_iter().collect() } else { builds }
    }

    /// The evidence of what is shown as a bug of this kind: an operator that is wrong alone is shown by its value.
    pub fn evidence_of(&self, kind: Kind) -> Option<Evidence> {
        match kind != self.kind && self.culprit_kind() == Some(kind) {
            true => Some(Evidence::Model),
            false => self.evidence,
        }
    }

    /// The releases of what is shown as a bug of this kind: those that are wrong on the operator alone, if it is shown alone.
    pub fn history_of(&self, kind: Kind) -> &History {
        match &self.culprit {
            Some(culprit) if kind != self.kind && self.culprit_kind() == Some(kind) => &culprit.history,
            _ => &self.history,
        }
    }

    /// What the operator at fault alone shows.
    pub fn culprit_kind(&self) -> Option<Kind> {
        self.culprit.as_ref()?.answer.verdict().map(Kind::of_wrong)
    }
}

/// The script of a report, with an option and a command.
pub fn shown_script(shown_by: Option<(&str, &str)>, script: &str) -> String {
    // The comment by which smelt finds its own scripts is not for a maintainer.
    let script = script.strip_prefix("; smelt ").and_then(|s| s.split_once('\n')).map_or(script, |s| s.1);
    let Some((option, command)) = shown_by else { return script.to_owned() };
    // A reset undoes options.
    let (before, after) =
        script.rfind("(reset)").map_or(("", script), |at| script.split_at(at + "(reset)".len()));
    let head = match after.contains(option) {
        true => before.to_owned(),
        false if before.is_empty() => format!("(set-option {option} true)\n"),
        false => format!("{before}\n(set-option {option} true)"),
    };
    let body = after.trim_end();
    let body = body.strip_suffix("(exit)").unwrap_or(body).trim_end();
    let command = if body.contains(command) { String::new() } else { format!("{command}\n") };
    format!("{head}{body}\n{command}")
}

impl Needs {
    /// Adds those of another accused. Whether it shows in a setting of one of them is not asked then.
    pub fn join(&mut self, other: Needs) {
        for (own, others) in [
            (&mut self.flags, other.flags),
            (&mut self.given, other.given),
            (&mut self.options, other.options),
        ] {
            let new: Vec<String> = others.into_iter().filter(|o| !own.contains(o)).collect();
            own.extend(new);
        }
        self.default = match (self.default, other.default) {
            (Some(own), Some(other)) => Some(own && other),
            (own, other) => own.or(other),
        };
        self.safe = None;
    }

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
    /// How many queries it took.
    pub checks: u64,
    /// How long it took.
    pub wall_s: f64,
    /// Whether the reduction ended by itself, and was not stopped.
    pub complete: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_accused_need_is_needed() {
        let list = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let mut needs = Needs { default: Some(true), options: list(&[":x"]), ..Needs::default() };
        assert!(Needs { default: Some(true), ..Needs::default() }.is_default());
        let given = list(&["--strings-exp"]);
        needs.join(Needs {
            default: Some(false),
            flags: list(&["--y"]),
            given: given.clone(),
            ..needs.clone()
        });
        assert_eq!((&needs.flags, &needs.given, &needs.options), (&list(&["--y"]), &given, &list(&[":x"])));
        assert!(!needs.is_default());
    }

    #[test]
    fn what_it_takes_to_see_a_wrong_model_is_part_of_the_script() {
        let script = "(declare-const x Int)\n(assert (> x 0))\n(check-sat)\n(exit)\n";
        let with_model = |script: &str| shown_script(Kind::InvalidModel.row().shown_by, script);
        let shown = with_model(script);
        assert!(shown.starts_with("(set-option :produce-models true)\n"), "{shown}");
        assert!(shown.ends_with("(check-sat)\n(get-model)\n"), "{shown}");
        assert_eq!(shown_script(Kind::Crash.row().shown_by, script), script);
        assert_eq!(with_model(&shown), shown, "once is enough");
        let reset = "(set-option :produce-models true)\n(reset)\n(check-sat)";
        let shown = with_model(reset);
        assert!(
            shown.ends_with("(reset)\n(set-option :produce-models true)\n(check-sat)\n(get-model)\n"),
            "{shown}"
        );
        assert_eq!(with_model(&shown), shown, "once is enough");
    }
}
