//! Determines under which flags, options and releases a finding occurs.

use smelt_core::{Case, Claim, Class, History, Needs, Outcome, OutcomeKind};
use smelt_oracle::CaseScript;
use smelt_solvers::{Mode, Query, Solver};

use crate::examine::Examiner;
use crate::inquiry::{Inquiry, Symptom, is_slow};
use crate::observation::Observation;
use smelt_trial::{Error, NamedSolver, Scrutiny, Trial, query};

impl Examiner<'_> {
    /// Whether a solver that crashes on a script does so only when it is asked for a model.
    pub(crate) fn crashes_on_model(&self, observation: &Observation<'_>, who: usize) -> Result<bool, Error> {
        self.with(observation.solvers, |panel| {
            let bare = Query::new(&observation.case.script[..]).with_limit(self.limits.time);
            let mut crashes = |query: Query| -> Result<bool, Error> {
                Ok(panel.ask(who, query, Mode::Fresh)?.is_some_and(|o| o.kind == OutcomeKind::Crash))
            };
            Ok(!crashes(bare.clone())? && crashes(bare.with_model())?)
        })
    }

    /// The needs: flags, options, and whether the bug shows without flags and in the setting that maintainers ask about.
    pub(crate) fn needs(
        &self,
        observation: &Observation<'_>,
        class: Class,
        who: usize,
    ) -> Result<Needs, Error> {
        let solver = &observation.solvers[who].solver;
        let profile = solver.profile();
        let mut needs =
            Needs { options: CaseScript::new(&observation.case.script).options(), ..Needs::default() };
        if profile.name != "generic" {
            needs.flags = solver.user_args();
        }
        needs.given = solver.given_options(&observation.case.script);
        if !needs.flags.is_empty() {
            let plain = self.shows(observation, class, who, solver.clone().without_user_args())?;
            needs.default = Some(plain);
            if plain {
                needs.flags.clear();
            }
        }
        if let (Some(safe), Some(version)) = (&profile.maintainers.safe, solver.id().version())
            && *version >= safe.since
        {
            let careful = solver.clone().without_user_args().with_args(&needs.flags).with_args(&safe.args);
            needs.safe = Some(self.shows(observation, class, who, careful)?);
        }
        Ok(needs)
    }

    /// Whether a script shows a finding of a class with another setting of an accused.
    fn shows(
        &self,
        observation: &Observation<'_>,
        class: Class,
        who: usize,
        solver: Solver,
    ) -> Result<bool, Error> {
        let mut solvers = observation.solvers.to_vec();
        solvers[who].solver = solver;
        let asked = query(&observation.case.script, self.limits.time);
        let outcome = self.with(&solvers, |panel| panel.ask(who, asked, Mode::Fresh))?;
        outcome.map_or(Ok(false), |outcome| self.is_shown_by(observation, class, who, outcome))
    }

    /// Whether an accused shows a finding of a class by this outcome.
    pub(crate) fn is_shown_by(
        &self,
        observation: &Observation<'_>,
        class: Class,
        who: usize,
        outcome: Outcome,
    ) -> Result<bool, Error> {
        match class {
            Class::Unknown => return Ok(outcome.kind == OutcomeKind::Unknown),
            Class::Slow => return Ok(is_slow(&outcome)),
            _ => {}
        }
        let trial = Trial { case: observation.case, scrutiny: Scrutiny::Exhaust };
        let mut outcomes = observation.judged.outcomes.clone();
        outcomes[who] = Some(outcome);
        let judged = self.with(observation.solvers, |panel| {
            panel.judge(&trial, outcomes, Vec::new(), Mode::Fresh, self.limits.time)
        })?;
        let same = |c: &Claim| c.kind.class() == class && c.accuses(who);
        Ok(judged.judgement.claims.iter().any(same))
    }

    /// Which releases show it.
    pub(crate) fn history(
        &self,
        observation: &Observation<'_>,
        class: Class,
        who: usize,
        needs: &Needs,
    ) -> Result<History, Error> {
        let family = &observation.solvers[who].solver.profile().family;
        let others =
            observation.solvers.iter().filter(|c| c.solver.profile().family != *family).cloned().collect();
        self.releases(observation.case, class, &observation.solvers[who], &needs.flags, others)
    }

    /// Which releases of a solver, with some flags, show a finding of a class on a script.
    pub(crate) fn releases(
        &self,
        case: &Case,
        class: Class,
        accused: &NamedSolver,
        flags: &[String],
        others: Vec<NamedSolver>,
    ) -> Result<History, Error> {
        let family = &accused.solver.profile().family;
        let mut releases: Vec<&NamedSolver> =
            self.means.releases.iter().filter(|c| c.solver.profile().family == *family).collect();
        // Another build of the same version is another solver.
        let plain = accused.solver.clone().without_user_args();
        if !releases.iter().any(|c| c.solver.id() == plain.id()) {
            releases.push(accused);
        }
        // The accused alone has no history.
        if releases.len() < 2 {
            return Ok(History::default());
        }
        let mut inquiry = Inquiry::new(case, Symptom::Class(class), others, self.limits);
        for release in releases {
            let mut release = release.clone();
            release.solver = release.solver.without_user_args().with_args(flags);
            inquiry.add(release);
        }
        inquiry.ask_all(&|| self.is_over())?;
        let mut history = inquiry.history();
        history.doubt_others(accused.solver.id());
        Ok(history)
    }
}
