//! Implication incompleteness: a solver decides a script and not the one that follows from it. Both shrink in step.

use smelt_core::OutcomeKind;
use smelt_reduce::pair::{PairPredicate, PairSource};
use smelt_reduce::{Care, Error};
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

impl PairSource for ImplicationSource<'_> {
    fn open(&self) -> Result<Box<dyn PairPredicate + '_>, Error> {
        Ok(Box::new(Implication { panel: PacedPanel::new(self.lineup) }))
    }

    fn describe(&self) -> String {
        let name = self.lineup.solvers[0].solver.id();
        format!("{name} decides the first script and says unknown to the second")
    }
}

struct Implication<'a> {
    panel: PacedPanel<'a>,
}

impl PairPredicate for Implication<'_> {
    fn holds(&mut self, left: &[u8], right: &[u8], care: Care) -> Result<bool, Error> {
        let decided = self.panel.ask(0, Query::new(left), care)?;
        if !matches!(decided.kind, OutcomeKind::Sat | OutcomeKind::Unsat) {
            return Ok(false);
        }
        let open = self.panel.ask(0, Query::new(right), care)?;
        let holds = open.kind == OutcomeKind::Unknown;
        if holds {
            let slower = if open.usage.wall > decided.usage.wall { open } else { decided };
            self.panel.learn(0, &slower);
        }
        Ok(holds)
    }
}
