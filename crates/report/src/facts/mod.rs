//! The facts about a bug, computed once from the store. Markdown, pages, the terminal, JSON and SARIF only render
//! them.
//!
//! Texts are sentences with code between backticks. The texts about a kind of finding come from its row in `core`,
//! so a new kind needs no change here.

mod affected;
mod evidence;
mod found;
mod layout;
mod spelling;
mod words;

use serde::Serialize;
use smelt_core::{
    Culprit, Dossier, Evidence, Kind, ModelShown, OutcomeKind, Release, Said, SolverId, Verdict, shown_script,
};
use smelt_solvers::{Profiles, ReportPolicy};
use smelt_store::{Bug, Error, Origin, Store};

pub(crate) use affected::standing;
pub use affected::versions_in_words;
pub(crate) use layout::{Block, Part, parts};
pub use spelling::Spelling;
pub(crate) use words::operators;
pub use words::title;
pub(crate) use words::{code, line, longest_run, name, names, seed_name};

/// What the facts are computed from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The bug, with the finding that shows it.
    pub bug: &'a Bug,
    /// The smallest script of that finding.
    pub script: &'a str,
    /// The origin of that finding.
    pub origin: Option<&'a Origin>,
    /// What the solver's maintainers ask of reports.
    pub maintainers: &'a ReportPolicy,
    /// How the accused spells operators.
    pub spelling: &'a Spelling,
    /// The campaign, as commands name it.
    pub place: &'a str,
}

/// The facts about a bug.
#[derive(Clone, Debug, Serialize)]
pub struct Facts {
    /// The bug in one line.
    pub title: String,
    /// Its kind.
    pub kind: Kind,
    /// The accused: one, unless the wrong solver is not known.
    pub accused: Vec<SolverId>,
    /// Its evidence.
    pub evidence: Option<Evidence>,
    /// The theory it is about.
    pub theory: Option<String>,
    /// Its fingerprint.
    pub fingerprint: String,
    /// Whether it was examined.
    pub examined: bool,
    /// Why its maintainers do not accept such reports; empty if they do.
    pub outside: Vec<String>,
    /// The advice not to file it, if the newest release is right.
    pub fixed: Option<String>,
    /// What is expected; `None` if that is not known.
    pub expected: Option<Expected>,
    /// The script that shows it.
    pub shown: Exhibit,
    /// The script in which an operator was found to be wrong, if the operator is shown alone.
    pub larger: Option<Exhibit>,
    /// The versions that show it; `None` if it was not examined.
    pub affected: Option<Affected>,
    /// How it was found and reduced.
    pub found: Vec<Row>,
}

/// The expected answer.
#[derive(Clone, Debug, Serialize)]
pub struct Expected {
    /// The answer.
    pub answer: Verdict,
    /// What else is expected, in words.
    pub due: &'static str,
    /// Whether only other solvers say so.
    pub by_others: bool,
    /// Whether it is proved.
    pub proved: bool,
}

/// A script, what solvers do with it, and why that is wrong.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Exhibit {
    /// What the accused does with it, and what is right.
    pub about: String,
    /// The script, as the accused reads it, with the commands that show the bug.
    pub script: String,
    /// What each solver does with it.
    pub actual: Vec<Actual>,
    /// The syntax of the script, and the solvers that ran a translated version.
    pub notes: Vec<String>,
    /// Why it is wrong.
    pub steps: Vec<Step>,
    /// The script in standard spelling, without commands that only show the bug.
    #[serde(skip)]
    pub plain: String,
    /// The query that it is about, counted from 0.
    #[serde(skip)]
    pub(crate) query: usize,
    /// How the accused spells operators.
    #[serde(skip)]
    pub(crate) spelling: Spelling,
}

/// What a solver does.
#[derive(Clone, Debug, Serialize)]
pub struct Actual {
    /// The solver.
    pub solver: SolverId,
    /// A command line that does so, if smelt ran one.
    pub command: Option<String>,
    /// Its answer, or how it ended.
    pub answer: String,
    /// What is wrong if the answer is right, as the end of a sentence after `but`; else empty.
    pub fault: &'static str,
    /// Its message, in one line.
    pub message: Option<String>,
    /// Whether it is accused.
    pub accused: bool,
    /// Whether it ran a translated version of the script.
    #[serde(skip)]
    pub(crate) adapted: bool,
}

/// A step of an argument.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// A sentence; with a colon at its end it is about the next step.
    Text(String),
    /// A script.
    Script(String),
    /// What a solver prints.
    Output(String),
    /// A model, and the truth of each assertion under it.
    Model(Box<Model>),
}

/// A model, evaluated; that of the case if it is not of a solver.
#[derive(Clone, Debug, Serialize)]
pub struct Model {
    /// Whose it is, in words.
    pub about: String,
    /// What the evaluator finds, in words.
    pub finds: String,
    /// The model, and the truth of each assertion, in the syntax of the script that is shown.
    #[serde(flatten)]
    pub shown: ModelShown,
    /// The same in standard syntax.
    #[serde(skip)]
    pub(crate) standard: ModelShown,
}

/// The versions that show a bug, and the options it needs.
#[derive(Clone, Debug, Serialize)]
pub struct Affected {
    /// All in one line.
    pub summary: String,
    /// Every version that was tried, from old to new.
    pub versions: Vec<Release>,
    /// Builds, system and options.
    pub rows: Vec<Row>,
}

/// A fact with a name.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The fact.
    pub value: String,
    /// The fact, if it is a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<String>,
    /// Whether it says nothing outside of the campaign.
    #[serde(skip)]
    pub local: bool,
}

impl Row {
    fn new(name: impl Into<String>, value: impl Into<String>) -> Row {
        Row { name: name.into(), value: value.into(), list: Vec::new(), local: false }
    }

    fn list(name: &str, list: Vec<String>) -> Row {
        Row { list, ..Row::new(name, "") }
    }

    fn local(self) -> Row {
        Row { local: true, ..self }
    }
}

/// The smallest script of a bug.
pub fn script(bug: &Bug) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&bug.finding.smallest_script()?).into_owned())
}

/// The operator at fault, if it shows a bug of this kind alone: that says more than the script in which it was found.
fn alone(d: &Dossier, kind: Kind) -> Option<&Culprit> {
    d.culprit.as_ref().filter(|_| kind != d.kind && d.culprit_kind() == Some(kind))
}

/// The names of the script that is shown first, and of the one in which its operator was suspected.
pub(crate) const SHOWN_FILE: &str = "bug.smt2";
pub(crate) const LARGER_FILE: &str = "larger.smt2";

impl Facts {
    /// The facts about a bug of a campaign.
    pub fn of(store: &Store, profiles: &Profiles, bug: &Bug, script: &str) -> Facts {
        let profile = bug.dossier.as_ref().and_then(|d| profiles.get(&d.profile));
        Facts::new(&Source {
            bug,
            script,
            origin: store.origin(&bug.finding.finding.id).ok().as_ref(),
            maintainers: &profile.map(|p| p.maintainers.clone()).unwrap_or_default(),
            spelling: &Spelling::of(profiles, bug),
            place: &store.place(),
        })
    }

    /// The facts about a bug.
    pub fn new(s: &Source<'_>) -> Facts {
        let bug = s.bug;
        let finding = bug.as_finding();
        let (mut shown, mut larger) = match &bug.dossier {
            None => (Exhibit::of_claim(s), None),
            Some(d) => match alone(d, bug.kind) {
                None => (Exhibit::of_dossier(s, d), None),
                Some(c) => (Exhibit::of_operator(bug, d, c), Some(Exhibit::larger(s, d))),
            },
        };
        [Some(&mut shown), larger.as_mut()].into_iter().flatten().for_each(|e| e.respell(s.spelling));
        Facts {
            title: title(bug, s.spelling),
            kind: words::shown_kind(bug),
            accused: finding.accused,
            evidence: finding.evidence,
            theory: finding.theory,
            fingerprint: bug.fingerprint.clone(),
            examined: bug.dossier.is_some(),
            outside: bug.outside.clone(),
            fixed: affected::fixed(bug),
            expected: evidence::expected(bug),
            shown,
            larger,
            affected: bug.dossier.as_ref().map(|d| Affected::of(s, d)),
            found: found::rows(s),
        }
    }
}

impl Exhibit {
    /// Names operators as the script does.
    fn respell(&mut self, spelling: &Spelling) {
        self.spelling = spelling.clone();
        for step in &mut self.steps {
            match step {
                Step::Text(text) => *text = spelling.own(text),
                Step::Model(model) => {
                    let shown = &mut model.shown;
                    shown.text = spelling.own(&shown.text);
                    shown.assertions.iter_mut().for_each(|(text, _)| *text = spelling.own(text));
                }
                Step::Script(_) | Step::Output(_) => {}
            }
        }
    }

    /// The script of a finding that was not examined.
    fn of_claim(s: &Source<'_>) -> Exhibit {
        let claim = &s.bug.finding.claim;
        let query = claim.query.unwrap_or(0);
        let mut steps = evidence::of_claim(claim);
        steps.extend(evidence::own_model(s, s.bug.kind, query).map(evidence::model));
        Exhibit {
            about: words::claim(s.bug),
            script: shown_script(s.bug.kind.row().shown_by, s.script),
            steps,
            plain: s.script.to_owned(),
            query,
            ..Exhibit::default()
        }
    }

    /// The script of a dossier.
    fn of_dossier(s: &Source<'_>, d: &Dossier) -> Exhibit {
        let written = words::written_as(d, d.spelled.is_some());
        Exhibit {
            about: words::claim(s.bug),
            script: d.shown(s.script),
            actual: d.said.iter().map(|said| Actual::of(d, said)).collect(),
            notes: written.into_iter().chain(words::adapted(&d.said)).chain(words::programs(d)).collect(),
            steps: evidence::steps(s, d),
            plain: s.script.to_owned(),
            query: d.query,
            spelling: Spelling::default(),
        }
    }

    /// The script of an operator that is wrong alone.
    fn of_operator(bug: &Bug, d: &Dossier, c: &Culprit) -> Exhibit {
        let mut actual: Vec<Actual> =
            d.said.iter().filter(|s| s.accused).map(|said| Actual::of(d, said)).collect();
        for a in &mut actual {
            (a.answer, a.fault, a.message) = (c.answer.to_string(), "", None);
            a.command = c.command.clone();
        }
        Exhibit {
            about: words::claim(bug),
            script: c.spelled.as_ref().unwrap_or(&c.script).clone(),
            actual,
            notes: words::written_as(d, c.spelled.is_some()).into_iter().chain(words::programs(d)).collect(),
            steps: vec![Step::Text(format!("{} is {}.", words::code(&c.application), words::code(&c.value)))],
            plain: c.script.clone(),
            query: 0,
            spelling: Spelling::default(),
        }
    }

    /// The script of a dossier, if its operator is shown alone.
    fn larger(s: &Source<'_>, d: &Dossier) -> Exhibit {
        let mut shown = Exhibit::of_dossier(s, &Dossier { culprit: None, ..d.clone() });
        let larger = |command: String| command.replace(SHOWN_FILE, LARGER_FILE);
        shown.actual.iter_mut().for_each(|a| a.command = a.command.take().map(larger));
        let title = d.kind.row().title;
        shown.about = format!(
            "The first script was extracted from `{LARGER_FILE}`, which triggers: {title}. They may be two different bugs."
        );
        shown
    }
}

impl Actual {
    fn of(d: &Dossier, said: &Said) -> Actual {
        let is_stopped = said.outcome == OutcomeKind::Timeout && !said.accused;
        let answer = match said.outcome {
            _ if is_stopped => match said.stopped_s {
                Some(seconds) => format!("no answer within {seconds} s"),
                None => "no answer within the time limit".to_owned(),
            },
            OutcomeKind::Crash if said.accused && d.goes_on => "failed internal check".to_owned(),
            outcome if said.answers.is_empty() => outcome.to_string(),
            _ => said.answers.join(", "),
        };
        let speaks = !is_stopped && said.outcome.verdict().is_none_or(|v| v == Verdict::Unknown);
        let message =
            said.message.as_deref().filter(|m| speaks && *m != answer).map(|m| match said.outcome {
                OutcomeKind::Rejected | OutcomeKind::Error => words::placeless(&line(m)),
                _ => line(m),
            });
        Actual {
            solver: said.solver.clone(),
            command: said.command.clone(),
            answer,
            fault: if said.accused { words::fault(d) } else { "" },
            message,
            accused: said.accused,
            adapted: said.adapted,
        }
    }
}
