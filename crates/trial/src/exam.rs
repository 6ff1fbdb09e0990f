//! Examinations: cases of known status on solvers, each under several random seeds of the solver, and what came out.
//!
//! Every answer gets a grade. Where the oracle brings a charge, it is repeated in fresh processes; one charge is enough
//! for each bug, so others with its fingerprint are counted only.

use std::collections::BTreeMap;
use std::time::Duration;

use smelt_core::{Answer, Expectation, FindingKind, Outcome, OutcomeKind, SolverId, Verdict};
use smelt_oracle::{Charge, core_names, judge_core};
use smelt_solvers::{Limits, Mode, SessionConfig, SessionId, SessionPool};

use crate::confirm::RUNS;
use crate::court::{Contestant, Matter, query, run_fresh, try_case};
use crate::error::Error;

/// A case with what its maker knows.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The script.
    pub script: Vec<u8>,
    /// Its status.
    pub expectation: Expectation,
    /// A model of it, if it is satisfiable.
    pub witness: Option<String>,
    /// The names of assertions that contradict each other, if it is not.
    pub core: Vec<String>,
    /// For names of the core, a model of all other assertions. With one for each, the core is the only minimal one.
    pub without: Vec<(String, String)>,
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Sat, with a model that is none.
    IncorrectModel,
    /// Unsat, with a core that is satisfiable.
    IncorrectCore,
    /// Unsat, with a core that holds more than the minimal one.
    LargerCore,
    /// Sat.
    Sat,
    /// Unsat.
    Unsat,
    /// It gave up.
    Unknown,
    /// It ran out of time or memory.
    Timeout,
    /// It crashed, or refused the script.
    Error,
}

impl Grade {
    /// All, in the order of a table.
    pub const ALL: [Grade; 8] = [
        Grade::IncorrectModel,
        Grade::IncorrectCore,
        Grade::LargerCore,
        Grade::Sat,
        Grade::Unsat,
        Grade::Unknown,
        Grade::Timeout,
        Grade::Error,
    ];

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Grade::IncorrectModel => "incorrect model",
            Grade::IncorrectCore => "incorrect core",
            Grade::LargerCore => "larger core",
            Grade::Sat => "sat",
            Grade::Unsat => "unsat",
            Grade::Unknown => "unknown",
            Grade::Timeout => "timeout",
            Grade::Error => "error",
        }
    }
}

/// Who is examined, and how.
#[derive(Clone, Debug)]
pub struct Exam {
    /// The solvers.
    pub solvers: Vec<Contestant>,
    /// The random seeds that each gets.
    pub seeds: Vec<u64>,
    /// For one answer.
    pub limits: Limits,
    /// Answers at a time.
    pub jobs: usize,
}

/// Something wrong that showed again in every fresh run.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The case, by position.
    pub case: usize,
    /// Under which random seed.
    pub seed: u64,
    /// What is wrong.
    pub charge: Charge,
    /// How many answers failed in the same way, this one included.
    pub times: u64,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// By solver, random seed and case.
    pub grades: Vec<Vec<Vec<Option<Grade>>>>,
    /// What is wrong and confirmed, one for each bug.
    pub failed: Vec<Failed>,
    /// How often a charge did not show again.
    pub flaky: u64,
    /// Cases whose maker or evaluator is wrong, by position: smelt's own mistakes.
    pub conflicts: Vec<usize>,
}

/// Examines; `seen` gets each grade when it is there, `is_over` ends it early.
pub fn examine(
    exam: &Exam,
    questions: &[Question],
    mut seen: impl FnMut(Grade),
    is_over: impl Fn() -> bool,
) -> Result<Marks, Error> {
    let mut pool = SessionPool::new();
    let config = SessionConfig { mode: Mode::Reuse, limits: exam.limits, ..SessionConfig::default() };
    let mut lanes: Vec<Lane> = Vec::new();
    for (who, contestant) in exam.solvers.iter().enumerate() {
        for seed in 0..exam.seeds.len() {
            let session = pool.add(contestant.solver.clone(), config);
            lanes.push(Lane { session, who, seed, next: 0, running: None });
        }
    }
    let mut marks = Marks {
        grades: vec![vec![vec![None; questions.len()]; exam.seeds.len()]; exam.solvers.len()],
        ..Marks::default()
    };
    let mut known: BTreeMap<(usize, String), Option<usize>> = BTreeMap::new();
    loop {
        // Those that are behind go first, so that all see the same cases if there is no time for all.
        lanes.sort_by_key(|lane| lane.next);
        for lane in lanes.iter_mut().filter(|lane| lane.running.is_none()) {
            if pool.in_flight() >= exam.jobs.max(1) || lane.next == questions.len() || is_over() {
                continue;
            }
            let script = seeded(&questions[lane.next].script, exam.seeds[lane.seed]);
            pool.submit(lane.session, query(&script, exam.limits.wall))?;
            lane.running = Some(lane.next);
            lane.next += 1;
        }
        if pool.in_flight() == 0 {
            return Ok(marks);
        }
        for (session, finished) in pool.wait(Duration::from_secs(1))? {
            let Some(lane) = lanes.iter_mut().find(|lane| lane.session == session) else { continue };
            let Some(case) = lane.running.take() else { continue };
            let (who, seed) = (lane.who, exam.seeds[lane.seed]);
            let given = Answered::of(&exam.solvers[who], &questions[case], seed, finished.outcome);
            marks.grades[who][lane.seed][case] = Some(given.grade);
            seen(given.grade);
            if given.conflict && !marks.conflicts.contains(&case) {
                marks.conflicts.push(case);
            }
            for charge in given.charges {
                let key = (who, charge.fingerprint.clone());
                if let Some(place) = known.get(&key) {
                    if let Some(i) = *place {
                        marks.failed[i].times += 1;
                    }
                    continue;
                }
                let confirmed = repeats(exam, who, &questions[case], seed, &charge)?;
                known.insert(key, confirmed.then_some(marks.failed.len()));
                match confirmed {
                    true => marks.failed.push(Failed { case, seed, charge, times: 1 }),
                    false => marks.flaky += 1,
                }
            }
        }
    }
}

/// One solver under one random seed.
struct Lane {
    session: SessionId,
    who: usize,
    seed: usize,
    next: usize,
    running: Option<usize>,
}

/// The script under a random seed of the solver.
fn seeded(script: &[u8], seed: u64) -> Vec<u8> {
    [format!("(set-option :random-seed {seed})\n").as_bytes(), script].concat()
}

/// Whether a charge comes again in every fresh run.
fn repeats(exam: &Exam, who: usize, question: &Question, seed: u64, charge: &Charge) -> Result<bool, Error> {
    let contestant = &exam.solvers[who];
    // What came in time should do so again.
    let limits = Limits { wall: exam.limits.wall * 2, ..exam.limits };
    for _ in 0..RUNS {
        let script = seeded(&question.script, seed);
        let finished = run_fresh(contestant, query(&script, limits.wall), limits)?;
        let again = Answered::of(contestant, question, seed, finished.outcome);
        if !again.charges.iter().any(|c| c.repeats(charge)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An answer, judged.
struct Answered {
    grade: Grade,
    charges: Vec<Charge>,
    conflict: bool,
}

impl Answered {
    fn of(contestant: &Contestant, question: &Question, seed: u64, outcome: Outcome) -> Answered {
        let script = seeded(&question.script, seed);
        let matter = Matter {
            script: &script,
            expectation: question.expectation,
            witness: question.witness.as_deref(),
        };
        let core = outcome.answers.last().and_then(|a| a.core.as_deref()).and_then(core_names);
        let kind = outcome.kind;
        let mut judgement = try_case(std::slice::from_ref(contestant), matter, &[Some(outcome)], &[]);
        for asked in &judgement.questions {
            // A core that leaves out what is needed has the model that shows this.
            let missing = question.without.iter().find(|(name, _)| !asked.names.contains(name));
            let charge =
                missing.and_then(|(_, model)| judge_core(asked, &SolverId::new("smelt", None), &said(model)));
            judgement.charges.extend(charge);
        }
        let charged = |kind| judgement.charges.iter().any(|c| c.kind == kind);
        let unique = !question.core.is_empty() && question.core.len() == question.without.len();
        let larger = core.is_some_and(|core| unique && core.len() > question.core.len());
        let grade = match kind {
            OutcomeKind::Sat if charged(FindingKind::InvalidModel) => Grade::IncorrectModel,
            OutcomeKind::Sat => Grade::Sat,
            OutcomeKind::Unsat if charged(FindingKind::InvalidCore) => Grade::IncorrectCore,
            OutcomeKind::Unsat if larger => Grade::LargerCore,
            OutcomeKind::Unsat => Grade::Unsat,
            OutcomeKind::Unknown => Grade::Unknown,
            OutcomeKind::Timeout | OutcomeKind::Memout => Grade::Timeout,
            OutcomeKind::Crash | OutcomeKind::Rejected | OutcomeKind::Error => Grade::Error,
        };
        Answered { grade, charges: judgement.charges, conflict: !judgement.conflicts.is_empty() }
    }
}

/// What a solver that has this model would say.
fn said(model: &str) -> Outcome {
    let answer = Answer { verdict: Some(Verdict::Sat), model: Some(model.to_owned()), ..Answer::default() };
    Outcome { answers: vec![answer], comparable: true, ..Outcome::bare(OutcomeKind::Sat, "") }
}
