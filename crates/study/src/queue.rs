//! Runs many formulas on many solvers: worker threads run the tasks, and the caller gets the answers.

use smelt_solvers::{Limits, Mode, Session, SessionConfig};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use smelt_store::Error;
use smelt_store::cache::Known;
use smelt_trial::{IsOver, NamedSolver, in_parallel, query};

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

/// Without an answer, an empty list is passed on this often.
const PULSE: Duration = Duration::from_secs(5);

/// Runs tasks until none is left or `is_over` says stop; passes on each answer.
pub(super) fn work(
    solvers: &[NamedSolver],
    scripts: &[Vec<u8>],
    tasks: &[Task],
    setting: Setting,
    is_over: IsOver<'_>,
    mut take: impl FnMut(Vec<Answer>) -> Result<(), Error>,
) -> Result<(), Error> {
    let failed = AtomicBool::new(false);
    let is_over = &|| failed.load(Relaxed) || is_over();
    let (send, answers) = mpsc::channel::<Answer>();
    // It owns the sender: receiving ends when all tasks are done.
    let run = move |_: usize, task: &Task| -> Result<(), Error> {
        let (wall, cpu) = match setting.limit_is_cpu {
            true => (task.limit * SHARED, Some(task.limit)),
            false => (task.limit, None),
        };
        let limits = Limits { cpu, memory: setting.memory, ..Limits::within(wall) };
        // A limit that was hit is tried again with more time, by another task.
        let config =
            SessionConfig { mode: setting.mode, limits, confirm_limits: false, ..SessionConfig::default() };
        let mut session = Session::new(solvers[task.solver].solver.clone(), config);
        for &formula in &task.formulas {
            if is_over() {
                break;
            }
            if setting.mode == Mode::Reuse && !session.is_warm() {
                // The start of a process is not measured.
                session.run(query(WARM_UP, START))?;
            }
            let outcome = session.run(query(&scripts[formula], wall))?.outcome;
            let _ = send.send((task.solver, formula, Known { outcome, limit: task.limit }));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let worked = scope.spawn(move || in_parallel(tasks, setting.jobs, is_over, run).map(drop));
        let mut taken = Ok(());
        loop {
            let first = match answers.recv_timeout(PULSE) {
                Err(RecvTimeoutError::Disconnected) => break,
                first => first.ok(),
            };
            let batch = first.into_iter().chain(answers.try_iter().take(2000)).collect();
            if taken.is_ok() {
                taken = take(batch);
                failed.store(taken.is_err(), Relaxed);
            }
        }
        worked.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        taken
    })
}
