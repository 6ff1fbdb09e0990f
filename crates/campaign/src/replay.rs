//! Replays a finding: makes its script again from its provenance, and runs it in fresh processes.

use smelt_core::{Case, Claim, Class, Kind, Outcome, OutcomeKind, SolverId};

use smelt_solvers::{Limits, Mode};
use smelt_strategies::remake;
use std::path::PathBuf;
use std::time::Duration;

use smelt_store::{Error, ErrorKind};
use smelt_store::{Origin, Store};

use smelt_trial::{Inquest, Lineup, NamedSolver, Panel, Trial, suspicions};

/// The script of a finding, made again.
#[derive(Clone, Debug)]
pub struct Remade {
    /// The case.
    pub case: Case,
    /// Whether its script is the stored one, byte for byte.
    pub identical: bool,
    /// Where the stored one is.
    pub file: PathBuf,
    /// The provenance, the seeds and the solvers.
    pub origin: Origin,
}

/// The result of running a finding again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The outcome of each solver.
    pub outcomes: Vec<(SolverId, OutcomeKind, Option<String>)>,
    /// The claims of the oracle.
    pub claims: Vec<Claim>,
    /// Whether the finding repeated.
    pub again: bool,
}

/// Makes a finding's script again from its provenance.
pub fn remake_finding(store: &Store, id: &str) -> Result<Remade, Error> {
    let stored = store.finding(id)?;
    let origin = store.origin(id)?;
    let made = remake(&origin.case.provenance, &origin.seeds)
        .map_err(|why| Error::new(ErrorKind::Damaged, format!("cannot regenerate finding {id}: {why}")))?;
    let file = smelt_store::inside(store.folder(), &stored.relative_file)?;
    let identical = made.script == origin.case.script;
    // What was expected depends on the evidence for the status of its seeds, which the campaign had.
    let case = Case { expectations: origin.case.expectations.clone(), ..made };
    Ok(Remade { identical, case, file, origin })
}

/// Puts a finding's script to solvers again, each in a fresh process, and asks the oracle.
pub fn replay(
    store: &Store,
    id: &str,
    remade: &Remade,
    solvers: &[NamedSolver],
    wall: Duration,
) -> Result<Replay, Error> {
    let claim = store.finding(id)?.claim;
    let lineup = Lineup { solvers, limits: Limits::within(wall), is_over: &|| false };
    let trial = Trial::from(&remade.case);
    let mut panel = Panel::new(lineup);
    let judged = panel.hold(&trial, Mode::Fresh, |_| true)?.unwrap_or_default();
    let (outcomes, mut claims) = (judged.outcomes, judged.judgement.claims);
    claims.extend(owed(&mut panel, &claim, remade, &outcomes)?);
    // The oracle does not judge slowness: the finding repeats if the accused is stopped and another solver decides.
    let slow = claim.kind.class() == Class::Slow && {
        let is_accused = |c: &NamedSolver| claim.accused.iter().any(|a| a.solver == *c.solver.id());
        let did = |accused: bool, kinds: [OutcomeKind; 2]| {
            let mut all = solvers.iter().zip(&outcomes).filter(|(c, _)| is_accused(c) == accused);
            all.any(|(_, o)| o.as_ref().is_some_and(|o| kinds.contains(&o.kind)))
        };
        did(true, [OutcomeKind::Timeout, OutcomeKind::Memout])
            && did(false, [OutcomeKind::Sat, OutcomeKind::Unsat])
    };
    let told = solvers.iter().zip(&outcomes);
    let outcomes = told
        .filter_map(|(c, o)| Some((c.solver.id().clone(), o.as_ref()?.kind, o.as_ref()?.message.clone())))
        .collect();
    let again = slow || claims.iter().any(|c| c.kind == claim.kind && c.solvers() == claim.solvers());
    Ok(Replay { outcomes, claims, again })
}

/// The claim that an answer was due: the oracle does not judge that from one script alone.
fn owed(
    panel: &mut Panel<'_>,
    claim: &Claim,
    remade: &Remade,
    outcomes: &[Option<Outcome>],
) -> Result<Option<Claim>, Error> {
    let solvers = panel.lineup().solvers;
    let is_accused = |i: usize| claim.accused.iter().any(|a| a.solver == *solvers[i].solver.id());
    let inquest = match claim.kind {
        Kind::IncompleteRegression => {
            let mut all = suspicions(solvers, outcomes).into_iter();
            match all.find(|s| s.gave_up && is_accused(s.accused)) {
                Some(suspicion) => panel.look_into_regression(suspicion, &remade.case.script, None)?,
                None => return Ok(None),
            }
        }
        Kind::IncompleteImplication => {
            let accused = (0..solvers.len()).find(|&i| is_accused(i));
            let (Some(accused), Some(before)) = (accused, &remade.origin.case.before) else {
                return Ok(None);
            };
            let step = remade.case.provenance.steps.last().map(String::as_str);
            let pair = (&before[..], &remade.case.script[..]);
            panel.look_into_implication(accused, pair, remade.case.expectation(), step, None)?
        }
        _ => return Ok(None),
    };
    Ok(match inquest {
        Inquest::Claim(claim) => Some(*claim),
        Inquest::NoNews(_) | Inquest::Nothing => None,
    })
}
