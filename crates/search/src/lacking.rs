//! Operators that a solver does not support: it would reject formulas with them, so the search does not use them.

use smelt_core::{Event, EventSink, OutcomeKind};
use smelt_solvers::{Mode, Query};
use smelt_store::Error;
use smelt_strategies::evolve::{Breeder, Probe};
use smelt_trial::{IsOver, Lineup, NamedSolver, Panel};

use crate::measure::limits;
use crate::search::Config;

/// A report names at most this many operators.
const NAMED: usize = 12;

/// Takes the operators out that a target lacks, or that all references lack, and reports them.
pub(crate) fn leave_out(
    config: &Config,
    breeder: &mut Breeder,
    is_over: IsOver<'_>,
    sink: &dyn EventSink,
) -> Result<(), Error> {
    let probes = breeder.probes();
    let of = |solvers: &[NamedSolver]| refused(config, solvers, &probes, is_over);
    let (Some(targets), Some(references)) = (of(&config.targets)?, of(&config.references)?) else {
        return Ok(());
    };
    let mut lacking: Vec<&Probe> = Vec::new();
    for (spec, refused) in config.targets.iter().map(|t| &t.spec).zip(&targets) {
        report(sink, &format!("the target {spec} lacks"), &probes, refused);
    }
    let by_all: Vec<bool> = (0..probes.len()).map(|i| references.iter().all(|r| r[i])).collect();
    let whom = match &config.references[..] {
        [one] => format!("the reference {} lacks", one.spec),
        _ => "all references lack".to_owned(),
    };
    report(sink, &whom, &probes, &by_all);
    let is_lacking = |i: usize| by_all[i] || targets.iter().any(|t| t[i]);
    lacking.extend(probes.iter().enumerate().filter(|(i, _)| is_lacking(*i)).map(|(_, probe)| probe));
    breeder.leave_out(&lacking);
    Ok(())
}

/// For each solver, whether it refuses each probe; `None` if it was stopped. A solver that refuses all of them has
/// another problem than a missing operator, which the first generation reports.
fn refused(
    config: &Config,
    solvers: &[NamedSolver],
    probes: &[Probe],
    is_over: IsOver<'_>,
) -> Result<Option<Vec<Vec<bool>>>, Error> {
    let limits = limits(config.timeout, config.memory);
    let mut panel = Panel::with_lanes(Lineup { solvers, limits, is_over }, config.jobs);
    let mut refused = vec![vec![false; probes.len()]; solvers.len()];
    let queues = solvers.iter().map(|_| (0..probes.len()).collect()).collect();
    let query = |&i: &usize| Query::new(&probes[i].script[..]).with_limit(limits.time);
    let done = panel.run(Mode::Reuse, queues, query, |who, i, finished| {
        refused[who][i] = matches!(finished.outcome.kind, OutcomeKind::Rejected | OutcomeKind::Error);
        Ok(())
    })?;
    for of_one in &mut refused {
        if of_one.iter().all(|refused| *refused) {
            of_one.fill(false);
        }
    }
    Ok(done.then_some(refused))
}

/// Reports the operators that are lacking, if there are any.
fn report(sink: &dyn EventSink, who: &str, probes: &[Probe], refused: &[bool]) {
    let names: Vec<&str> =
        probes.iter().zip(refused).filter(|(_, refused)| **refused).map(|(p, _)| p.name.as_str()).collect();
    if names.is_empty() {
        return;
    }
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = names[..names.len().min(NAMED)].join(", ");
    sink.event(&Event::note(format!("{who} {named}{more}: these operators are not used")));
}
