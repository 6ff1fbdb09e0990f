//! The commands of a report: each is run exactly as printed, and kept only if it does what the report says.

use smelt_core::{Class, Dossier, Outcome, OutcomeKind, Said, Verdict};
use smelt_trial::{Error, NamedSolver};

use crate::examine::Examiner;
use crate::observation::Observation;

/// The name of the script in commands.
const FILE: &str = "bug.smt2";

impl Examiner<'_> {
    /// Finds commands that show the bug, and those that show what other solvers do with the same file.
    pub(crate) fn try_commands(
        &self,
        observation: &Observation<'_>,
        class: Class,
        dossier: &mut Dossier,
    ) -> Result<(), Error> {
        self.try_accused(observation, class, dossier)?;
        let text = dossier.shown(&String::from_utf8_lossy(&observation.case.script));
        for said in dossier.said.iter_mut().filter(|s| s.command.is_none() && !s.accused) {
            let Some((_, solver)) = find(observation, said) else { continue };
            // One that was stopped, or cannot read the script, shows nothing; a program in Python says little to others.
            if said.outcome.verdict().is_some() && !solver.solver.is_module() && !self.is_over() {
                let does = |o: &Outcome| Ok(is_same(o, said));
                said.command = self.command(solver, &text, &does)?;
            }
        }
        if let (Some(culprit), Some(who)) = (&mut dossier.culprit, dossier.accused.first()) {
            let script = culprit.spelled.as_ref().unwrap_or(&culprit.script);
            let does = |o: &Outcome| Ok(o.kind == culprit.answer);
            if let Some(solver) = observation.solvers.iter().find(|c| c.solver.id() == who) {
                culprit.command = self.command(solver, script, &does)?;
            }
        }
        Ok(())
    }

    /// The commands of the accused. Some bugs show only when a model is asked for or cores are kept, as smelt does: then that
    /// is a part of the script.
    fn try_accused(
        &self,
        observation: &Observation<'_>,
        class: Class,
        dossier: &mut Dossier,
    ) -> Result<(), Error> {
        let asked = (dossier.with_model, dossier.with_core);
        for (with_model, with_core) in [asked, (true, false), (true, true)] {
            (dossier.with_model, dossier.with_core) = (with_model, with_core);
            let text = dossier.shown(&String::from_utf8_lossy(&observation.case.script));
            let is_pair = dossier.pair.is_some();
            for said in dossier.said.iter_mut().filter(|s| s.accused) {
                let Some((who, solver)) = find(observation, said) else { continue };
                let does = |o: &Outcome| match is_same(o, said) {
                    true if is_pair => Ok(true),
                    true => self.is_shown_by(observation, class, who, o.clone()),
                    false => Ok(false),
                };
                said.command = self.command(solver, &text, &does)?;
                said.package = solver.solver.package();
                said.untried = solver.solver.usual_command(FILE, text.as_bytes());
            }
            let mut accused = dossier.said.iter().filter(|s| s.accused);
            if accused.all(|s| s.command.is_some()) || self.is_over() {
                return Ok(());
            }
        }
        (dossier.with_model, dossier.with_core) = asked;
        Ok(())
    }

    /// The command that runs a solver on a script and does what it should.
    fn command(
        &self,
        solver: &NamedSolver,
        script: &str,
        does: &dyn Fn(&Outcome) -> Result<bool, Error>,
    ) -> Result<Option<String>, Error> {
        let solver = &solver.solver;
        for command in solver.shell_commands(FILE, script.as_bytes()) {
            let file = (FILE, script.as_bytes());
            let outcome = solver.run_printed(&command, file, &self.limits, &|| self.is_over())?;
            if does(&outcome)? {
                return Ok(Some(command));
            }
        }
        Ok(None)
    }
}

fn find<'s>(observation: &'s Observation<'_>, said: &Said) -> Option<(usize, &'s NamedSolver)> {
    observation.solvers.iter().enumerate().find(|(_, c)| *c.solver.id() == said.solver)
}

/// Whether a solver does the same again, as far as the report describes it.
fn is_same(outcome: &Outcome, said: &Said) -> bool {
    let answers = || outcome.verdicts().map(|v| v.map_or("error", Verdict::as_str));
    let told = said.answers.iter().map(String::as_str);
    let is_answered = outcome.kind.verdict().is_some();
    outcome.kind == said.outcome
        && (said.answers.is_empty() || !is_answered || answers().zip(told).all(|(now, then)| now == then))
        && outcome.kind != OutcomeKind::Error
}
