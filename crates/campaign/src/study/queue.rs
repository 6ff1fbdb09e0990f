//! Putting many formulas to many solvers: tasks on worker threads, answers back to the one who asked.

use smelt_core::OutcomeKind;
use smelt_solvers::{Limits, Mode, Session, SessionConfig};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use super::cache::Known;
use crate::court::{Contestant, query};
use crate::error::Error;

/// Formulas for one solver, one after the other in the same session.
pub(super) struct Task {
    pub(super) solver: usize,
    /// By position.
    pub(super) formulas: Vec<usize>,
    pub(super) limit: Duration,
}

/// How solvers are run.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) jobs: usize,
    pub(super) memory: u64,
    pub(super) mode: Mode,
    /// Limits are CPU time instead of wall time.
    pub(super) limit_is_cpu: bool,
}

/// Wall time for each second of CPU time, if limits are CPU time: machines are shared.
const SHARED: u32 = 10;

/// What a new process is asked first, and how long its start may take.
const WARM_UP: &[u8] = b"(set-logic QF_UF)(check-sat)";
const START: Duration = Duration::from_secs(20);

/// An answer: solver and formula by position.
pub(super) type Answer = (usize, usize, Known);

/// Works off tasks until there are none left, `stop` is set, or `until` has passed; hands on each answer.
pub(super) fn work(
    solvers: &[Contestant],
    scripts: &[Vec<u8>],
    tasks: Vec<Task>,
    setting: Setting,
    until: Option<Instant>,
    stop: &AtomicBool,
    mut take: impl FnMut(Vec<Answer>) -> Result<(), Error>,
) -> Result<(), Error> {
    let tasks: Mutex<VecDeque<Task>> = Mutex::new(tasks.into());
    let over = AtomicBool::new(false);
    let is_over = || stop.load(Relaxed) || over.load(Relaxed) || until.is_some_and(|t| Instant::now() >= t);
    let (send, answers) = mpsc::channel::<Answer>();
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..setting.jobs.max(1) {
            let (send, tasks, is_over) = (send.clone(), &tasks, &is_over);
            workers.push(scope.spawn(move || -> Result<(), Error> {
                loop {
                    let next = tasks.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop_front();
                    let Some(task) = next else { return Ok(()) };
                    let (wall, cpu) = match setting.limit_is_cpu {
                        true => (task.limit * SHARED, Some(task.limit)),
                        false => (task.limit, None),
                    };
                    let limits = Limits { cpu, memory: setting.memory, ..Limits::wall(wall) };
                    // A limit is tried again by those who care, with more time.
                    let config = SessionConfig {
                        mode: setting.mode,
                        limits,
                        confirm_limits: false,
                        ..SessionConfig::default()
                    };
                    let mut session = Session::new(solvers[task.solver].solver.clone(), config);
                    for formula in task.formulas {
                        if is_over() {
                            return Ok(());
                        }
                        if setting.mode == Mode::Reuse && !session.is_warm() {
                            // Starting a process is not part of what is measured.
                            session.run(query(WARM_UP, START))?;
                        }
                        let outcome = session.run(query(&scripts[formula], wall))?.outcome;
                        let known = Known { outcome, limit: task.limit };
                        if send.send((task.solver, formula, known)).is_err() {
                            return Ok(());
                        }
                    }
                }
            }));
        }
        drop(send);
        let mut taken = Ok(());
        while let Ok(first) = answers.recv() {
            let batch = std::iter::once(first).chain(answers.try_iter().take(2000)).collect();
            if taken.is_ok() {
                taken = take(batch);
                over.store(taken.is_err(), Relaxed);
            }
        }
        for worker in workers {
            match worker.join() {
                Ok(result) => result?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        taken
    })
}

/// Whether an outcome decides a formula.
pub(super) fn is_decided(kind: OutcomeKind) -> bool {
    matches!(kind, OutcomeKind::Sat | OutcomeKind::Unsat)
}
