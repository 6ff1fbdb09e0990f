//! Before a campaign: every solver is started and asked one easy question of each theory.
//!
//! A solver that answers none would make a campaign that finds nothing and looks fine; so it ends the campaign, with the
//! solver's own words.

use smelt_core::{Event, EventSink, OutcomeKind};
use smelt_solvers::{Limits, Mode, Query};
use smelt_store::{Error, ErrorKind};
use smelt_trial::{Lineup, NamedSolver, Panel, is_decided};
use std::time::Duration;

/// A theory and an easy question about it.
const QUESTIONS: [(&str, &str); 8] = [
    ("core", "(set-logic QF_UF)(declare-const p Bool)(assert p)(check-sat)"),
    ("ints", "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)"),
    ("reals", "(set-logic QF_LRA)(declare-const x Real)(assert (> x 1.5))(check-sat)"),
    ("bitvectors", "(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (bvult x #x3))(check-sat)"),
    ("fp", "(set-logic QF_FP)(declare-const x Float16)(assert (fp.isNaN (fp.add RNE x x)))(check-sat)"),
    ("strings", "(set-logic QF_S)(declare-const x String)(assert (= (str.++ x \"a\") \"aa\"))(check-sat)"),
    ("arrays", "(set-logic QF_AX)(declare-const a (Array Bool Bool))(assert (select a true))(check-sat)"),
    ("quantifiers", "(set-logic LIA)(assert (forall ((x Int)) (> (+ x 1) x)))(check-sat)"),
];

/// The time for one of these questions.
const TIME: Duration = Duration::from_secs(5);

/// Asks all solvers; tells what each has no answer for. An error if one has no answer to anything.
pub(crate) fn preflight(solvers: &[NamedSolver], sink: &dyn EventSink) -> Result<(), Error> {
    let lineup = Lineup { solvers, limits: Limits::within(TIME), is_over: &|| false };
    let mut panel = Panel::new(lineup);
    for (who, named) in solvers.iter().enumerate() {
        let mut lacking = Vec::new();
        let mut reason = None;
        for (theory, script) in QUESTIONS {
            let Some(outcome) = panel.ask(who, Query::new(script), Mode::Reuse)? else { return Ok(()) };
            if !is_decided(&outcome) {
                let message = outcome.message.unwrap_or_else(|| outcome.kind.to_string());
                let failed = matches!(outcome.kind, OutcomeKind::Error | OutcomeKind::Crash);
                // Why it failed says more than what it does not support.
                if reason.is_none() || failed {
                    reason = Some(message.lines().next().unwrap_or_default().to_owned());
                }
                lacking.push(theory);
            }
        }
        let id = named.solver.id();
        if lacking.len() == QUESTIONS.len() {
            let message = format!(
                "{id} answers none of {} easy questions: {} (`smelt solvers doctor {}` says more; --go-on uses it all the same)",
                QUESTIONS.len(),
                reason.unwrap_or_default(),
                named.spec
            );
            return Err(Error::new(ErrorKind::NoSolver, message));
        }
        if !lacking.is_empty() {
            let why = format!("has no answer to an easy question of {}", lacking.join(", "));
            sink.event(&Event::Solver { name: id.to_string(), why });
        }
    }
    Ok(())
}
