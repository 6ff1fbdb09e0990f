//! A script that a solver decides, and a step after which it is unsure: Algorithm 7 of the thesis.
//!
//! Only one script is reduced. Whether the step still shows the bug is tried again at every place of each smaller
//! script, so the implication between the two scripts is that of the step's rule, and no solver has to prove it.

use smelt_core::OutcomeKind;
use smelt_oracle::CaseScript;
use smelt_reduce::{Care, Error, Predicate, PredicateSource};
use smelt_solvers::Query;

use super::paced::PacedPanel;
use crate::panel::Lineup;

/// The scripts that one step makes of a script, given the answer to it.
pub type Steps<'a> = dyn Fn(&[u8], OutcomeKind) -> Vec<Vec<u8>> + Sync + 'a;

/// The first solver of a lineup decides a script, and answers `unknown` to one that a step makes of it.
pub struct StepSource<'a> {
    lineup: Lineup<'a>,
    /// The step in words.
    name: &'a str,
    steps: &'a Steps<'a>,
}

impl<'a> StepSource<'a> {
    /// For steps of this name.
    pub fn new(lineup: Lineup<'a>, name: &'a str, steps: &'a Steps<'a>) -> StepSource<'a> {
        StepSource { lineup, name, steps }
    }

    /// What a step makes of a script, to which the solver answers `unknown`.
    pub fn witness(&self, script: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        self.unsure(&mut PacedPanel::new(self.lineup), script, Care::Fresh)
    }

    fn unsure(
        &self,
        panel: &mut PacedPanel<'_>,
        script: &[u8],
        care: Care,
    ) -> Result<Option<Vec<u8>>, Error> {
        let decided = panel.ask(0, Query::new(script), care)?;
        let is_decided = matches!(decided.kind, OutcomeKind::Sat | OutcomeKind::Unsat);
        // Anybody decides `true` and `false`, and what follows from them may be hard.
        if !is_decided || CaseScript::new(script).is_ground(0) {
            return Ok(None);
        }
        for made in (self.steps)(script, decided.kind) {
            let then = panel.ask(0, Query::new(made.clone()), care)?;
            if then.kind == OutcomeKind::Unknown {
                panel.learn(0, if then.usage.time() > decided.usage.time() { &then } else { &decided });
                return Ok(Some(made));
            }
        }
        Ok(None)
    }
}

impl PredicateSource for StepSource<'_> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        let mut panel = PacedPanel::new(self.lineup);
        Ok(Box::new(move |script: &[u8], care: Care| Ok(self.unsure(&mut panel, script, care)?.is_some())))
    }

    fn describe(&self) -> String {
        let solver = self.lineup.solvers[0].solver.id();
        format!(
            "{solver} decides the script and answers unknown after rule {}; no solver proves the implication",
            self.name
        )
    }
}
