//! Grades: runs solvers on cases of known status, with several random seeds of the solver, and grades every answer.
//!
//! Claims of the oracle are confirmed in fresh processes. One confirmed claim per bug is enough, so others with the
//! same fingerprint are only counted.

use std::collections::BTreeMap;

use smelt_core::{Case, Claim, Kind, Outcome, OutcomeKind, fixed_words};
use smelt_oracle::{Judgement, core_names};
use smelt_solvers::{Limits, Mode};

use crate::confirm::RUNS;
use crate::error::Error;
use crate::panel::{IsOver, Lineup, Panel};
use crate::solver::NamedSolver;
use crate::trial::{Judged, Trial, query};

fixed_words! {
    /// The grade of an answer, in the order of a table.
    Grade {
        /// The solver said sat, but its model is false.
        IncorrectModel = "incorrect model",
        /// The solver said unsat, but its core is satisfiable.
        IncorrectCore = "incorrect core",
        /// The solver said unsat, and its core holds more than the minimal one.
        LargerCore = "larger core",
        /// Sat.
        Sat = "sat",
        /// Unsat.
        Unsat = "unsat",
        /// It gave up.
        Unknown = "unknown",
        /// It ran out of time or memory.
        Timeout = "timeout",
        /// It crashed, or refused the script.
        Error = "error",
    }
}

/// Which solvers are graded, and how.
#[derive(Clone, Debug)]
pub struct Exam {
    /// The solvers.
    pub solvers: Vec<NamedSolver>,
    /// The random seeds that each gets.
    pub seeds: Vec<u64>,
    /// The limits of one answer.
    pub limits: Limits,
    /// Answers at a time.
    pub jobs: usize,
}

/// A wrong answer that repeated in every fresh run.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The case, by position.
    pub case: usize,
    /// Under which random seed.
    pub seed: u64,
    /// The claim.
    pub claim: Claim,
    /// How many answers failed in the same way, this one included.
    pub times: u64,
}

/// The grades and the confirmed claims.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// By solver, random seed and case.
    pub grades: Vec<Vec<Vec<Option<Grade>>>>,
    /// Confirmed wrong answers, one for each bug.
    pub failed: Vec<Failed>,
    /// How often a claim did not repeat.
    pub flaky: u64,
    /// Cases whose maker or evaluator is wrong, by position: smelt's own mistakes.
    pub conflicts: Vec<usize>,
}

/// Grades every answer; `seen` gets each grade when it is there, `is_over` ends it early.
pub fn grade(
    exam: &Exam,
    cases: &[Case],
    mut seen: impl FnMut(Grade),
    is_over: IsOver<'_>,
) -> Result<Marks, Error> {
    let mut marks = Marks {
        grades: vec![vec![vec![None; cases.len()]; exam.seeds.len()]; exam.solvers.len()],
        ..Marks::default()
    };
    // One session for each solver and random seed.
    let seeds = exam.seeds.len().max(1);
    let each = |named: &NamedSolver| std::iter::repeat_n(named.clone(), exam.seeds.len());
    let solvers: Vec<NamedSolver> = exam.solvers.iter().flat_map(each).collect();
    let mut panel = Panel::patient(Lineup { solvers: &solvers, limits: exam.limits, is_over }, exam.jobs);
    let queues = (0..solvers.len()).map(|lane| (0..cases.len()).map(|case| (lane, case)).collect());
    let script = |lane: usize, case: usize| seeded(&cases[case].script, exam.seeds[lane % seeds]);
    let ask = |&(lane, case): &(usize, usize)| query(&script(lane, case), exam.limits.time);
    let mut known: BTreeMap<(usize, String), Option<usize>> = BTreeMap::new();
    panel.run(Mode::Reuse, queues.collect(), ask, |lane, (_, case), finished| {
        let (who, seed) = (lane / seeds, lane % seeds);
        let (solver, script) = (&exam.solvers[who..=who], script(lane, case));
        // The construction holds under every random seed of the solver.
        let asked = Case { script, ..cases[case].clone() };
        let trial = Trial::from(&asked);
        let outcomes = vec![Some(finished.outcome)];
        let judgement = trial.judge(solver, &outcomes, &[]);
        let grade = graded(&cases[case], outcomes[0].as_ref(), &judgement);
        marks.grades[who][seed][case] = grade;
        grade.into_iter().for_each(&mut seen);
        if !judgement.conflicts.is_empty() && !marks.conflicts.contains(&case) {
            marks.conflicts.push(case);
        }
        let claims = judgement.claims.clone();
        let judged = Judged { outcomes, seed: Vec::new(), judgement };
        for claim in claims {
            let key = (who, claim.key().to_string());
            if let Some(place) = known.get(&key) {
                place.iter().for_each(|i| marks.failed[*i].times += 1);
                continue;
            }
            let mut alone = Panel::new(Lineup { solvers: solver, limits: exam.limits, is_over });
            // An answer that came in time should do so again.
            let runs = alone.confirm(&trial, &judged, &[&claim], exam.limits.time * 2)?;
            let confirmed = runs.is_some_and(|runs| runs[0] == RUNS);
            known.insert(key, confirmed.then_some(marks.failed.len()));
            match confirmed {
                true => marks.failed.push(Failed { case, seed: exam.seeds[seed], claim, times: 1 }),
                false => marks.flaky += 1,
            }
        }
        Ok(())
    })?;
    Ok(marks)
}

/// The script under a random seed of the solver.
fn seeded(script: &[u8], seed: u64) -> Vec<u8> {
    [format!("(set-option :random-seed {seed})\n").as_bytes(), script].concat()
}

/// The grade of the last answer of an outcome.
fn graded(case: &Case, outcome: Option<&Outcome>, judgement: &Judgement) -> Option<Grade> {
    let outcome = outcome?;
    let core = outcome.answers.last().and_then(|a| a.core.as_deref()).and_then(core_names);
    let claimed = |kind| judgement.claims.iter().any(|c| c.kind == kind);
    let (names, without) = case.certificate.core();
    let unique = !names.is_empty() && names.len() == without.len();
    let larger = core.is_some_and(|core| unique && core.len() > names.len());
    Some(match outcome.kind {
        OutcomeKind::Sat if claimed(Kind::InvalidModel) => Grade::IncorrectModel,
        OutcomeKind::Sat => Grade::Sat,
        OutcomeKind::Unsat if claimed(Kind::InvalidCore) => Grade::IncorrectCore,
        OutcomeKind::Unsat if larger => Grade::LargerCore,
        OutcomeKind::Unsat => Grade::Unsat,
        OutcomeKind::Unknown => Grade::Unknown,
        OutcomeKind::Timeout | OutcomeKind::Memout => Grade::Timeout,
        OutcomeKind::Crash | OutcomeKind::Rejected | OutcomeKind::Error => Grade::Error,
    })
}
