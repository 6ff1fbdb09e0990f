//! Tests of all programs in one queue: each test runs in its own process, a few at a time, and is measured.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A test that has run.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) name: String,
    pub(super) passed: bool,
    pub(super) wall: Duration,
    /// CPU time of the test and of all processes that it waited for.
    pub(super) cpu: Duration,
    /// Everything that the test and its processes printed.
    pub(super) output: String,
}

/// A command that runs a test, or several.
pub(super) struct Job {
    pub(super) name: String,
    pub(super) command: Command,
}

/// Jobs that no worker has taken yet. More may be added while others run.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<(VecDeque<Job>, bool)>,
    changed: Condvar,
}

impl Queue {
    /// Adds jobs that run before those that wait already.
    pub(super) fn add(&self, jobs: Vec<Job>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.into_iter().rev().for_each(|job| waiting.0.push_front(job));
        self.changed.notify_all();
    }

    /// No job will be added any more.
    pub(super) fn close(&self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.changed.notify_all();
    }

    /// The next job; nothing when all are taken and the queue is closed.
    fn next(&self) -> Option<Job> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match waiting.0.pop_front() {
                Some(job) => return Some(job),
                None if waiting.1 => return None,
                None => waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Runs jobs, one after another, until the queue is closed and empty. Several threads may do this with one queue; each needs
/// a file of its own to keep the output of a test in. A file and no pipe: a process that a test leaves behind would keep
/// a pipe open.
pub(super) fn work(queue: &Queue, file: &Path, mut done: impl FnMut(Done)) {
    while let Some(Job { name, command }) = queue.next() {
        let start = Instant::now();
        let (passed, cpu) = run(command, file).unwrap_or_else(|e| {
            let _ = fs::write(file, format!("cannot run it: {e}\n"));
            (false, Duration::ZERO)
        });
        let output = fs::read(file).map(|o| String::from_utf8_lossy(&o).into_owned()).unwrap_or_default();
        // A program that finds no test of the name succeeds as well.
        let passed = passed && output.lines().any(has_passed);
        done(Done { name, passed, wall: start.elapsed(), cpu, output });
    }
}

/// Whether a line counts tests that passed.
fn has_passed(line: &str) -> bool {
    line.strip_prefix("test result: ok. ").is_some_and(|counts| !counts.starts_with("0 passed"))
}

/// Whether the command succeeded, and its CPU time.
fn run(mut command: Command, file: &Path) -> std::io::Result<(bool, Duration)> {
    let output = File::create(file)?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    wait(command.spawn()?)
}

/// Waits for a process: whether it succeeded, and its CPU time with that of its children.
fn wait(child: Child) -> std::io::Result<(bool, Duration)> {
    let mut status = 0;
    // SAFETY: `rusage` consists of numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to local variables. Nobody else waits for the child, which this function owns.
        let waited = unsafe { libc::wait4(child.id().cast_signed(), &mut status, 0, &mut usage) };
        let error = std::io::Error::last_os_error();
        if waited >= 0 {
            break;
        }
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let time = |t: libc::timeval| {
        Duration::from_secs(t.tv_sec.unsigned_abs()) + Duration::from_micros(t.tv_usec.unsigned_abs())
    };
    let succeeded = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
    Ok((succeeded, time(usage.ru_utime) + time(usage.ru_stime)))
}

/// An empty folder for the output of tests.
pub(super) fn output_folder(folder: PathBuf) -> Result<PathBuf, String> {
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str) -> Job {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("test::pool::tests::{name}")]).env("XTASK_FAILS", "1");
        Job { name: name.to_owned(), command }
    }

    #[test]
    fn fails_if_a_variable_is_set() {
        assert!(std::env::var_os("XTASK_FAILS").is_none(), "the variable is set");
    }

    #[test]
    fn is_as_it_should_be() {}

    #[test]
    fn a_test_fails_if_its_process_does_or_if_there_is_none_of_its_name() {
        let queue = Queue::default();
        let names = ["is_as_it_should_be", "fails_if_a_variable_is_set", "is_not_there"];
        queue.add(names.map(job).into());
        queue.close();
        let folder = output_folder(crate::target().join("output-of-pool")).unwrap();
        let mut all = Vec::new();
        work(&queue, &folder.join("0"), |done| all.push(done));
        assert_eq!(all.iter().map(|d| d.passed).collect::<Vec<_>>(), [true, false, false]);
        assert_eq!(all[0].name, "is_as_it_should_be");
        assert!(all[1].output.contains("the variable is set"), "{}", all[1].output);
        assert!(all[0].wall > Duration::ZERO);
    }

    #[test]
    fn jobs_that_are_added_later_run_first() {
        let queue = Queue::default();
        queue.add(["a", "b"].map(job).into());
        queue.add(["c", "d"].map(job).into());
        queue.close();
        let order: Vec<String> = std::iter::from_fn(|| queue.next()).map(|job| job.name).collect();
        assert_eq!(order, ["c", "d", "a", "b"]);
    }
}
