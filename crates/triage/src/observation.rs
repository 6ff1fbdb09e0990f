//! An observation: a case with the outcomes of all solvers, and the parts of a dossier that follow from them.

use smelt_core::{
    Case, Cause, Claim, Class, Culprit, Dossier, Evidence, History, Identity, Kind, ModelShown, Needs,
    OutcomeKind, Reason, Said, Verdict,
};
use smelt_oracle::{CaseScript, cause};
use smelt_solvers::Dialect;
use smelt_trial::{Judged, NamedSolver};

use crate::examine::Unexamined;
use crate::machine::{system, today};

/// The length to which the reply to a query is shortened in a dossier, in characters.
const LONGEST_REPLY: usize = 400;

/// A case with the outcomes of all solvers.
pub(crate) struct Observation<'a> {
    pub(crate) case: &'a Case,
    pub(crate) solvers: &'a [NamedSolver],
    pub(crate) judged: Judged,
}

impl Observation<'_> {
    /// The claim of a class against some of the accused; of the finding's own kind, if there is one.
    pub(crate) fn claim(&self, class: Class, kind: Kind, accused: &[usize]) -> Option<&Claim> {
        let fits =
            |c: &&Claim| c.kind.class() == class && c.accused.iter().all(|a| accused.contains(&a.position));
        let mut fitting: Vec<&Claim> = self.judged.judgement.claims.iter().filter(fits).collect();
        // A false model shows who is wrong; a disagreement does not.
        let is_open = |c: &Claim| c.evidence.is_none() && c.accused.len() > 1;
        fitting.sort_by_key(|c| (is_open(c), c.kind != kind, c.evidence.is_none(), c.evidence));
        fitting.first().copied()
    }

    /// Whether a solver is right on this script, where it is wrong on another of the same meaning: its model is true now,
    /// its answer is the other one, or its core is not refuted.
    pub(crate) fn corrects(&self, other: &Observation<'_>, kind: Kind, who: usize) -> bool {
        // A wrong answer does not correct `unknown`.
        let classes = [kind.class(), Class::Wrong];
        let is_accused = |c: &Claim| classes.contains(&c.kind.class()) && c.accuses(who);
        if self.judged.judgement.claims.iter().any(is_accused) {
            return false;
        }
        let report = || self.judged.judgement.models[who].last().and_then(Option::as_ref);
        match (kind, self.verdict(who)) {
            (_, None | Some(Verdict::Unknown)) => false,
            (Kind::InvalidModel, _) => report().is_some_and(|r| r.truth == smelt_oracle::Truth::True),
            (Kind::InvalidCore, answer) => answer == other.verdict(who),
            (_, answer) => answer != other.verdict(who),
        }
    }

    /// The dossier of a finding without its needs and its history.
    pub(crate) fn dossier(
        &self,
        finding: &Unexamined<'_>,
        claim: Option<&Claim>,
        part: Option<Part>,
        guilty: &[usize],
    ) -> Dossier {
        let class = finding.claim.kind.class();
        let shown = claim.unwrap_or(finding.claim);
        let (mut kind, mut evidence, mut reason) = (shown.kind, shown.evidence, shown.reason.to_string());
        if let (Some(part), None, Class::Wrong) = (&part, evidence, class) {
            kind = Kind::of_wrong(self.verdict(guilty[0]).unwrap_or(Verdict::Sat));
            (evidence, reason) = part.evidence();
        }
        let query = claim.and_then(|c| c.query).unwrap_or_else(|| self.question(class, guilty[0]));
        let mut case = CaseScript::new(&self.case.script);
        let solver = |i: &usize| {
            let solver = &self.solvers[*i].solver;
            match solver.profile().family.as_str() {
                "generic" => solver.id().name().to_owned(),
                known => known.to_owned(),
            }
        };
        // A part that is at fault alone is one bug, whether it shows as a wrong answer or as none.
        let is_alone = class.may_be_of_one_part() && part.is_some();
        let identity = Identity {
            solvers: guilty.iter().map(solver).collect(),
            class: if is_alone { Class::Wrong } else { class },
            cause: match (&part, claim.map(|c| &c.cause)) {
                (Some(part), _) => part.cause(),
                (None, Some(Cause::Command(command))) => Cause::Command(command.clone()),
                (None, _) => self.cause(&case, class, kind, query, guilty[0]),
            },
        };
        let first = &self.solvers[guilty[0]].solver;
        Dossier {
            identity,
            earlier: Vec::new(),
            kind,
            evidence,
            proved: self.proved(&mut case, kind, evidence, query),
            reason,
            accused: guilty.iter().map(|i| self.solvers[*i].solver.id().clone()).collect(),
            profile: first.profile().family.clone(),
            theory: case.theory(),
            given: None,
            query,
            said: self.said(guilty),
            model: self.model(&mut case, claim, query, guilty[0]),
            culprit: part.and_then(Part::culprit),
            cleared: Vec::new(),
            needs: Needs::default(),
            history: History::default(),
            reduction: None,
            differences: Vec::new(),
            seed_shows: false,
            reduction_tried: false,
            of_seed: false,
            with_model: false,
            with_core: false,
            goes_on: self.goes_on(guilty[0]),
            spelled: self.spelled(guilty[0], &self.case.script),
            pair: None,
            build: first.build(),
            system: Some(system()),
            date: Some(today()),
            smelt: env!("CARGO_PKG_VERSION").parse().ok(),
        }
    }

    /// What the script shows of the cause: the place of a crash, or the operators that identify the bug best. In a formula
    /// without functions, a wrong model or core depends on none of them.
    fn cause(&self, case: &CaseScript, class: Class, kind: Kind, query: usize, who: usize) -> Cause {
        let (operators, is_function) = case.key_operators(query);
        let crash = self.judged.outcomes[who].as_ref().and_then(|o| o.crash.as_ref());
        match (class, crash) {
            (Class::Crash, Some(crash)) => match cause::of_crash(crash) {
                Cause::Shape { signal, message, .. } => Cause::Shape { signal, message, operators },
                place => place,
            },
            (Class::Wrong, _) if case.is_bare(query) => Cause::AnyFormula,
            (Class::Core, _) if !is_function => Cause::Operators(Vec::new()),
            _ if kind == Kind::InvalidModel && !is_function => Cause::ModelPrinting,
            _ => Cause::Operators(operators),
        }
    }

    /// The answer that is proved: by a true model of any solver, by evaluation if there are no free symbols, or by what proves
    /// that another answer is wrong.
    fn proved(
        &self,
        case: &mut CaseScript,
        kind: Kind,
        evidence: Option<Evidence>,
        query: usize,
    ) -> Option<Verdict> {
        let truths = if case.is_ground(query) { case.assertion_truths(query, "()") } else { Vec::new() };
        if truths.iter().any(|(_, truth)| *truth == smelt_oracle::Truth::False) {
            return Some(Verdict::Unsat);
        }
        let mut models = self.judged.judgement.models.iter().filter_map(|all| all.get(query)?.as_ref());
        if models.any(|report| report.truth == smelt_oracle::Truth::True) {
            return Some(Verdict::Sat);
        }
        let row = kind.row();
        let proofs = [Evidence::Model, Evidence::Exhaustive, Evidence::Construction];
        let is_proof = row.said != row.correct && evidence.is_some_and(|e| proofs.contains(&e));
        row.correct.filter(|_| is_proof)
    }

    pub(crate) fn verdict(&self, who: usize) -> Option<Verdict> {
        self.judged.outcomes[who].as_ref()?.verdicts().last().flatten()
    }

    /// The question that a finding about a whole run is about: the one that a crashed solver did not answer.
    fn question(&self, class: Class, who: usize) -> usize {
        let answered = |o: &smelt_core::Outcome| o.verdicts().take_while(Option::is_some).count();
        self.judged.outcomes[who].as_ref().filter(|_| class == Class::Crash).map_or(0, answered)
    }

    /// Whether a solver fails an internal check and continues.
    fn goes_on(&self, who: usize) -> bool {
        let crash = self.judged.outcomes[who].as_ref().and_then(|o| o.crash.as_ref());
        crash.is_some_and(|c| c.signal.is_none() && matches!(c.exit_code, None | Some(0)))
    }

    /// A script as a solver spells it, if that differs.
    pub(crate) fn spelled(&self, who: usize, script: &[u8]) -> Option<String> {
        let own = self.solvers[who].solver.spell(script);
        (*own != *script).then(|| String::from_utf8_lossy(&own).into_owned())
    }

    fn said(&self, guilty: &[usize]) -> Vec<Said> {
        let all = self.solvers.iter().zip(&self.judged.outcomes).enumerate();
        let first = &self.solvers[guilty[0]].solver;
        all.filter_map(|(i, (c, outcome))| {
            let outcome = outcome.as_ref()?;
            // It lacks the query: nothing was asked of it.
            let is_idle = |o: &smelt_core::Outcome| {
                o.answers.is_empty() && o.replies.is_empty() && o.kind == OutcomeKind::Unknown
            };
            if is_idle(outcome) && !guilty.contains(&i) {
                return None;
            }
            let mut words: Vec<String> =
                outcome.verdicts().map(|v| v.map_or("error", Verdict::as_str).to_owned()).collect();
            if outcome.kind.verdict().is_none() && !self.goes_on(i) {
                // How it ended replaces the missing answers.
                words.truncate(outcome.verdicts().take_while(Option::is_some).count());
                words.push(outcome.kind.to_string());
            }
            // A reply of many lines stands in a row of a table.
            let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            words.extend(
                outcome.replies.iter().map(|r| one_line(&r.text).chars().take(LONGEST_REPLY).collect()),
            );
            let several = words.len() > 1 || !outcome.replies.is_empty();
            let is_stopped = outcome.kind == OutcomeKind::Timeout;
            let asked = !outcome.answers.is_empty() || outcome.replies.is_empty();
            let message = outcome
                .message
                .as_deref()
                .filter(|_| asked)
                .or(outcome.crash.as_ref().map(|c| c.message.as_str()));
            Some(Said {
                solver: c.solver.id().clone(),
                command: None,
                package: None,
                untried: None,
                outcome: outcome.kind,
                answers: if several { words } else { Vec::new() },
                message: message.map(|m| m.chars().take(1000).collect()),
                lines: outcome
                    .crash
                    .as_ref()
                    .filter(|_| guilty.contains(&i))
                    .map_or_else(Vec::new, |c| c.lines.clone()),
                stopped_s: is_stopped.then(|| (outcome.usage.time().as_secs_f64() * 10.0).round() / 10.0),
                accused: guilty.contains(&i),
                build: guilty.contains(&i).then(|| c.solver.build()).flatten(),
                adapted: c.solver.reads_differently(first, &self.case.script),
            })
        })
        .collect()
    }

    /// The model that shows the bug, evaluated: of a witness for a wrong unsat, of the accused for a wrong model.
    fn model(
        &self,
        case: &mut CaseScript,
        claim: Option<&Claim>,
        check: usize,
        accused: usize,
    ) -> Option<ModelShown> {
        let is_true = |i: &usize| {
            let report = self.judged.judgement.models.get(*i).and_then(|m| m.get(check)?.as_ref());
            report.is_some_and(|r| r.truth == smelt_oracle::Truth::True)
        };
        let whose = match claim?.reason {
            Reason::Witness => None,
            Reason::Proof { .. } => Some((0..self.solvers.len()).find(is_true)?),
            _ => Some(accused),
        };
        let text = match whose {
            Some(who) => self.judged.outcomes[who].as_ref()?.answers.get(check)?.model.clone()?,
            None => self.case.certificate.model()?.to_owned(),
        };
        let assertions = case.assertion_truths(check, &text);
        let assertions = assertions.into_iter().map(|(t, truth)| (t, truth.as_str().to_owned())).collect();
        let solver = whose.map(|who| &self.solvers[who].solver);
        let is_old = solver.is_some_and(|s| *s.dialect() != Dialect::default());
        let translated = text.contains("\\u{") && is_old;
        let ground = case.is_ground(check);
        Some(ModelShown { solver: solver.map(|s| s.id().clone()), text, translated, ground, assertions })
    }
}

/// A part of the language that is at fault alone.
pub(crate) enum Part {
    /// An operator that is evaluated wrongly.
    Operator(Culprit),
    /// A construct without which the accused is right.
    Construct(&'static str),
}

impl Part {
    fn cause(&self) -> Cause {
        match self {
            Part::Operator(culprit) => Cause::Operators(vec![culprit.operator.clone()]),
            Part::Construct(command) if command.starts_with('(') => Cause::Command((*command).to_owned()),
            Part::Construct(construct) => Cause::Construct((*construct).to_owned()),
        }
    }

    /// What it shows where solvers only disagree.
    fn evidence(&self) -> (Option<Evidence>, String) {
        match self {
            Part::Operator(c) => (
                Some(Evidence::Model),
                format!("{} is {}, but it answers differently", c.application, c.value),
            ),
            Part::Construct(construct) => {
                let reason = format!("expanding `{construct}`, which keeps the meaning, changes its answer");
                (Some(Evidence::Metamorphic), reason)
            }
        }
    }

    fn culprit(self) -> Option<Culprit> {
        match self {
            Part::Operator(culprit) => Some(culprit),
            Part::Construct(_) => None,
        }
    }
}
