//! A pair of scripts, one of which implies the other, and a solver that solves one and is unsure or wrong about the
//! other. Both are reduced together, and every step must preserve the implication, as proved by other solvers.

use std::time::Duration;

use smelt_core::OutcomeKind;
use smelt_oracle::{CaseScript, REFERENCE};
use smelt_reduce::pair::in_step;
use smelt_reduce::{Care, Error, Predicate, PredicateSource};
use smelt_solvers::Query;

use super::expect::Expected;
use super::paced::PacedPanel;
use crate::panel::Lineup;
use crate::prove::entailment;

/// The time limit of a proof.
const PROOF: Duration = Duration::from_secs(2);

/// The first solver of a lineup answers the left and the right script as wanted. If it says sat to the left one, the right
/// one follows from it; if it says unsat, it follows from the right one. The other solvers prove that.
pub struct ImplicationSource<'a> {
    lineup: Lineup<'a>,
    left: Expected,
    right: Expected,
    proved: bool,
}

impl<'a> ImplicationSource<'a> {
    /// The first solver decides the left script, and has one of the wanted outcomes on the right one.
    pub fn new(lineup: Lineup<'a>, left: Expected, right: Expected) -> ImplicationSource<'a> {
        ImplicationSource { lineup, left, right, proved: true }
    }

    /// The same without the implication, for a pair of which it cannot be proved.
    pub fn unproved(self) -> ImplicationSource<'a> {
        ImplicationSource { proved: false, ..self }
    }

    /// Whether a pair says nothing: `true` and `false` are decided by anybody, and what follows from them may be hard.
    fn is_empty(&self, left: &[u8]) -> bool {
        self.right.0.contains(&OutcomeKind::Unknown) && CaseScript::new(left).is_ground(0)
    }

    /// The positions of the solvers that prove the implication of a pair, in fresh processes: two of different families, or
    /// the reference alone, where every assignment was evaluated or the fault was planted in it. `None` if it is not proved.
    pub fn proof(&self, left: &[u8], right: &[u8]) -> Result<Option<Vec<usize>>, Error> {
        let mut panel = PacedPanel::new(self.lineup);
        let decided = panel.ask(0, Query::new(left), Care::Fresh)?;
        prove(&mut panel, decided.kind, left, right, Care::Fresh)
    }
}

impl PredicateSource for ImplicationSource<'_> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        let mut panel = PacedPanel::new(self.lineup);
        Ok(in_step(move |left, right, care| {
            let decided = panel.ask(0, Query::new(left), care)?;
            if !self.left.0.contains(&decided.kind) {
                return Ok(false);
            }
            let open = panel.ask(0, Query::new(right), care)?;
            if !self.right.0.contains(&open.kind) {
                return Ok(false);
            }
            if self.is_empty(left) {
                return Ok(false);
            }
            if self.proved && prove(&mut panel, decided.kind, left, right, care)?.is_none() {
                return Ok(false);
            }
            let slower = if open.usage.time() > decided.usage.time() { open } else { decided };
            panel.learn(0, &slower);
            Ok(true)
        }))
    }

    fn describe(&self) -> String {
        let name = self.lineup.solvers[0].solver.id();
        let words = |e: &Expected| e.0.iter().map(|k| k.as_str()).collect::<Vec<_>>().join(" or ");
        let proved = if self.proved { ", although one is proved to imply the other" } else { "" };
        format!(
            "{name} answers {} for the first script and {} for the second{proved}",
            words(&self.left),
            words(&self.right)
        )
    }
}

fn prove(
    panel: &mut PacedPanel<'_>,
    answer: OutcomeKind,
    left: &[u8],
    right: &[u8],
    care: Care,
) -> Result<Option<Vec<usize>>, Error> {
    let question = match answer {
        OutcomeKind::Sat => entailment(left, right),
        OutcomeKind::Unsat => entailment(right, left),
        _ => None,
    };
    let Some(question) = question else { return Ok(None) };
    let mut proved: Vec<usize> = Vec::new();
    for who in 1..panel.solvers().len() {
        let named = &panel.solvers()[who];
        let (own, family) = (panel.solvers()[0].family(), named.family());
        let is_reference = named.spec == REFERENCE;
        let is_planted = is_reference && family == own;
        let counts = family != own && proved.iter().all(|p| panel.solvers()[*p].family() != family);
        if !is_planted && !counts {
            continue;
        }
        let wall = PROOF.min(panel.limit());
        match panel.ask_within(who, Query::new(question.clone()), care, wall)?.kind {
            OutcomeKind::Unsat if is_planted || is_reference && CaseScript::new(&question).is_refuted(0) => {
                return Ok(Some(vec![who]));
            }
            OutcomeKind::Unsat => proved.push(who),
            OutcomeKind::Sat => return Ok(None),
            _ => {}
        }
        if proved.len() == 2 {
            return Ok(Some(proved));
        }
    }
    Ok(None)
}
