//! Runs solvers on candidates: in live sessions while searching, in fresh processes to confirm, and never much
//! longer than usual.

use std::time::Duration;

use smelt_core::{Outcome, OutcomeKind};
use smelt_reduce::Care;
use smelt_solvers::{Mode, Query};

use crate::error::Error;
use crate::panel::{Lineup, Panel};
use crate::solver::NamedSolver;

/// The time a query gets beyond a multiple of the usual time.
const SLACK: Duration = Duration::from_millis(200);
const MULTIPLE: u32 = 2;
/// The same for confirmations: a busy machine must not make a difference.
const FRESH_SLACK: Duration = Duration::from_secs(1);
const FRESH_MULTIPLE: u32 = 10;

/// A panel that knows how long each solver takes for the wanted answer, and which solvers never give one.
pub(super) struct PacedPanel<'a> {
    panel: Panel<'a>,
    usual: Vec<Option<Duration>>,
    /// How often in a row a solver without a usual time was stopped.
    stopped: Vec<u32>,
}

impl<'a> PacedPanel<'a> {
    pub(super) fn new(lineup: Lineup<'a>) -> PacedPanel<'a> {
        let all = lineup.solvers.len();
        PacedPanel { panel: Panel::new(lineup), usual: vec![None; all], stopped: vec![0; all] }
    }

    pub(super) fn solvers(&self) -> &'a [NamedSolver] {
        self.panel.lineup().solvers
    }

    /// The time limit of one query.
    pub(super) fn limit(&self) -> Duration {
        self.panel.lineup().limits.time
    }

    /// Runs one solver, and stops it if it takes far longer than usual. One that is stopped each time gets half the time
    /// of the last.
    pub(super) fn ask(&mut self, who: usize, query: Query, care: Care) -> Result<Outcome, Error> {
        let most = self.limit();
        let wall = match (care, self.usual[who]) {
            (Care::Quick, Some(usual)) => most.min(usual * MULTIPLE + SLACK),
            (Care::Fresh, Some(usual)) => most.min(usual * FRESH_MULTIPLE + FRESH_SLACK),
            (Care::Quick, None) => most.min((most / 2u32.pow(self.stopped[who].min(16))).max(SLACK)),
            (Care::Fresh, None) => most,
        };
        let outcome = self.ask_within(who, query, care, wall)?;
        let is_stopped = outcome.kind == OutcomeKind::Timeout;
        self.stopped[who] = if is_stopped { self.stopped[who] + 1 } else { 0 };
        Ok(outcome)
    }

    /// The same with a time limit of its own.
    pub(super) fn ask_within(
        &mut self,
        who: usize,
        query: Query,
        care: Care,
        wall: Duration,
    ) -> Result<Outcome, Error> {
        let mode = match (care, query.is_bare()) {
            (Care::Quick, _) => Mode::Reuse,
            // Nothing is asked after the script, so it can be run as a person would.
            (Care::Fresh, true) => Mode::File,
            (Care::Fresh, false) => Mode::Fresh,
        };
        let outcome = self.panel.ask(who, query.with_limit(wall), mode)?;
        Ok(outcome.unwrap_or_else(|| Outcome::bare(OutcomeKind::Unknown, "not waited for")))
    }

    /// Remembers how long a solver takes for the wanted answer.
    pub(super) fn learn(&mut self, who: usize, outcome: &Outcome) {
        self.usual[who] = Some(outcome.usage.time());
    }
}
