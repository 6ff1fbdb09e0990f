//! Implication incompleteness: a solver decides a script and not the one that follows from it. Both shrink in step.

use smelt_core::OutcomeKind;
use smelt_reduce::pair::in_step;
use smelt_reduce::{Error, Predicate, PredicateSource};
use smelt_solvers::Query;

use super::paced::PacedPanel;
use crate::panel::Lineup;

/// The first solver of a lineup decides the left script and says unknown to the right one.
pub struct ImplicationSource<'a> {
    lineup: Lineup<'a>,
}

impl<'a> ImplicationSource<'a> {
    /// Of the first solver of a lineup.
    pub fn new(lineup: Lineup<'a>) -> ImplicationSource<'a> {
        ImplicationSource { lineup }
    }
}

impl PredicateSource for ImplicationSource<'_> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        let mut panel = PacedPanel::new(self.lineup);
        Ok(in_step(move |left, right, care| {
            let decided = panel.ask(0, Query::new(left), care)?;
            if !matches!(decided.kind, OutcomeKind::Sat | OutcomeKind::Unsat) {
                return Ok(false);
            }
            let open = panel.ask(0, Query::new(right), care)?;
            let holds = open.kind == OutcomeKind::Unknown;
            if holds {
                let slower = if open.usage.time() > decided.usage.time() { open } else { decided };
                panel.learn(0, &slower);
            }
            Ok(holds)
        }))
    }

    fn describe(&self) -> String {
        let name = self.lineup.solvers[0].solver.id();
        format!("{name} decides the first script and says unknown to the second")
    }
}
