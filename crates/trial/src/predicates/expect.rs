//! An outcome pattern: each solver must have the given outcome. A crash must be the same crash.

use std::sync::Mutex;

use smelt_core::{Cause, Outcome, OutcomeKind};
use smelt_oracle::cause::of_crash;
use smelt_reduce::{Care, Error, Predicate, PredicateSource};
use smelt_solvers::Query;

use super::paced::PacedPanel;
use crate::panel::Lineup;

/// What a solver must do: one of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected(pub Vec<OutcomeKind>);

impl std::str::FromStr for Expected {
    type Err = String;

    fn from_str(text: &str) -> Result<Expected, String> {
        let kinds = text.split('|').map(|word| {
            OutcomeKind::ALL.into_iter().find(|k| k.as_str() == word.trim()).ok_or_else(|| {
                let all: Vec<_> = OutcomeKind::ALL.iter().map(|k| k.as_str()).collect();
                format!("`{word}` is not an outcome: choose one of {}", all.join(", "))
            })
        });
        Ok(Expected(kinds.collect::<Result<_, _>>()?))
    }
}

/// Each solver of a lineup with what it must do.
pub struct ExpectSource<'a> {
    lineup: Lineup<'a>,
    expected: Vec<Expected>,
    /// The crash that each had on the input.
    crashes: Mutex<Vec<Option<Cause>>>,
}

impl<'a> ExpectSource<'a> {
    /// A pattern; one entry for each solver.
    pub fn new(lineup: Lineup<'a>, expected: Vec<Expected>) -> ExpectSource<'a> {
        let crashes = Mutex::new(vec![None; expected.len()]);
        ExpectSource { lineup, expected, crashes }
    }

    /// Whether an outcome is one that the solver must have. The first crash is the one that counts.
    fn fits(&self, who: usize, outcome: &Outcome) -> bool {
        if !self.expected[who].0.contains(&told(outcome)) {
            return false;
        }
        let Some(crash) = outcome.crash.as_ref().filter(|_| outcome.kind == OutcomeKind::Crash) else {
            return true;
        };
        let cause = of_crash(crash);
        let mut crashes = self.crashes.lock().unwrap_or_else(|e| e.into_inner());
        *crashes[who].get_or_insert_with(|| cause.clone()) == cause
    }
}

/// An outcome in one word. An error message after the last answer, such as that there is no model, does not change it.
fn told(outcome: &Outcome) -> OutcomeKind {
    let last = outcome.answers.last().and_then(|a| a.verdict);
    match (outcome.kind, last) {
        (OutcomeKind::Error | OutcomeKind::Rejected, Some(verdict)) => verdict.into(),
        (kind, _) => kind,
    }
}

impl PredicateSource for ExpectSource<'_> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        let order = (0..self.expected.len()).collect();
        Ok(Box::new(Expecting { source: self, panel: PacedPanel::new(self.lineup), order }))
    }

    fn describe(&self) -> String {
        let one = |(i, e): (usize, &Expected)| {
            let words: Vec<_> = e.0.iter().map(|k| k.as_str()).collect();
            format!("{} gives {}", self.lineup.solvers[i].solver.id(), words.join(" or "))
        };
        self.expected.iter().enumerate().map(one).collect::<Vec<_>>().join(" and ")
    }
}

struct Expecting<'a> {
    source: &'a ExpectSource<'a>,
    panel: PacedPanel<'a>,
    /// The solver that runs first: the one that refuted the last candidate.
    order: Vec<usize>,
}

impl Predicate for Expecting<'_> {
    fn holds(&mut self, script: &[u8], care: Care) -> Result<bool, Error> {
        let mut outcomes = Vec::new();
        for at in 0..self.order.len() {
            let who = self.order[at];
            // A solver that must time out gets the full limit.
            let patient = self.source.expected[who].0.contains(&OutcomeKind::Timeout);
            let query = Query::new(script);
            let outcome = match patient {
                true => self.panel.ask_within(who, query, care, self.source.lineup.limits.time)?,
                false => self.panel.ask(who, query, care)?,
            };
            if !self.source.fits(who, &outcome) {
                self.order[..=at].rotate_right(1);
                return Ok(false);
            }
            outcomes.push((who, outcome));
        }
        for (who, outcome) in outcomes {
            self.panel.learn(who, &outcome);
        }
        Ok(true)
    }
}
