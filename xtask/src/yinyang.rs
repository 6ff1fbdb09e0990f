//! Runs of yinyang: one process per core, restarted if it ends too early.

use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::peers;

const VERSION: &str = "0.3.0";
/// Runs a program and has it count.
const LAUNCHER: &str = include_str!("count_yinyang.py");
/// The options that yinyang's manual has for solvers, with what they need to read every seed: the start of a solver's name.
const FLAGS: [(&str, &str); 2] =
    [("z3", "model_validate=true"), ("cvc", "--lang smt2 --check-models -m -i -q --strings-exp")];

pub(crate) struct Yinyang {
    programs: PathBuf,
    launcher: PathBuf,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) tests: u64,
    pub(crate) calls: u64,
    /// Calls that were answered sat or unsat.
    pub(crate) answers: u64,
    /// What it reports itself, before any triage.
    pub(crate) triggers: u64,
    /// How often it ended with an error of its own.
    pub(crate) errors: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        self.tests += other.tests;
        self.calls += other.calls;
        self.answers += other.answers;
        self.triggers += other.triggers;
        self.errors += other.errors;
    }
}

/// A run: the program, what it works on, and where its files go.
pub(crate) struct Task<'a> {
    pub(crate) program: &'a str,
    pub(crate) solvers: &'a [String],
    /// The folder of seeds, with `sat` and `unsat` in it.
    pub(crate) seeds: &'a Path,
    pub(crate) time: Duration,
    pub(crate) timeout: u64,
    pub(crate) jobs: usize,
    pub(crate) folder: &'a Path,
}

impl Yinyang {
    /// Installs it where it is not.
    pub(crate) fn new(work: &Path) -> Result<Yinyang, String> {
        let programs = peers::install("yinyang", VERSION)?;
        let launcher = work.join("count_yinyang.py");
        fs::write(&launcher, LAUNCHER).map_err(|e| e.to_string())?;
        Ok(Yinyang { programs, launcher })
    }

    /// Scripts that it takes for bugs are in the folder's `bugs` then.
    pub(crate) fn run(&self, task: &Task<'_>) -> Result<Counts, String> {
        fs::create_dir_all(task.folder.join("bugs")).map_err(|e| e.to_string())?;
        let solvers: Vec<String> = task.solvers.iter().map(|s| command_line(s)).collect::<Result<_, _>>()?;
        let solvers = solvers.join(";");
        std::thread::scope(|scope| {
            let job = |i| self.job(task, &solvers, i);
            let threads: Vec<_> = (0..task.jobs).map(|i| scope.spawn(move || job(i))).collect();
            let mut sum = Counts::default();
            for thread in threads {
                sum.add(thread.join().map_err(|_| "a run panicked".to_owned())??);
            }
            Ok(sum)
        })
    }

    fn job(&self, task: &Task<'_>, solvers: &str, number: usize) -> Result<Counts, String> {
        let start = Instant::now();
        let mut sum = Counts::default();
        for attempt in 0.. {
            let left = task.time.saturating_sub(start.elapsed());
            if left < Duration::from_millis(500) {
                break;
            }
            let output = task.folder.join(format!("output-{number}-{attempt}.txt"));
            let mut command = Command::new("timeout");
            command.args(["-k", "5", "-s", "INT", &format!("{:.1}", left.as_secs_f64())]);
            command.arg(self.programs.join("python")).arg(&self.launcher);
            command.arg(self.programs.join(task.program)).args(["-t", &task.timeout.to_string()]);
            for (option, name) in [("-b", "bugs"), ("-s", "scratch"), ("-l", "logs")] {
                command.arg(option).arg(task.folder.join(name));
            }
            // Fusion is for seeds of one status at a time.
            let seeds = match (task.program, (number + attempt) % 2) {
                ("yinyang", i) => {
                    let status = ["sat", "unsat"][i];
                    command.args(["-o", status]);
                    task.seeds.join(status)
                }
                _ => task.seeds.to_owned(),
            };
            command.arg(solvers).arg(seeds);
            let file = File::create(&output).map_err(|e| e.to_string())?;
            command.stdout(file).stderr(Stdio::null()).stdin(Stdio::null());
            command.status().map_err(|e| format!("cannot run timeout: {e}"))?;
            // Names of files from solvers may be in any encoding.
            let text = fs::read(&output).map_err(|e| e.to_string())?;
            sum.add(parse(&String::from_utf8_lossy(&text)));
        }
        Ok(sum)
    }
}

/// How yinyang runs a solver.
fn command_line(solver: &str) -> Result<String, String> {
    let program = peers::program(solver).ok_or_else(|| format!("{solver} is not installed"))?;
    let flags = FLAGS.iter().find(|(name, _)| solver.starts_with(name)).map_or("", |f| f.1);
    Ok(format!("{program} {flags}").trim_end().to_owned())
}

/// What a process printed: the last line that the launcher adds, and whether it asks for an issue about itself.
fn parse(output: &str) -> Counts {
    let line = output.lines().rev().find_map(|l| l.strip_prefix("counted "));
    let counted: Value = line.and_then(|l| serde_json::from_str(l).ok()).unwrap_or_default();
    let number = |key: &str| counted[key].as_u64().unwrap_or_default();
    Counts {
        tests: number("tests"),
        calls: number("calls"),
        answers: number("answers"),
        triggers: number("triggers"),
        errors: output.lines().any(|l| l.starts_with("Please file an issue")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, parse};

    #[test]
    fn the_counts_of_an_interrupted_run_are_read() {
        let output = "[2026/11/16 11:05:31 PM] Strategy: opfuzz, 2 testing targets, 60 seeds\n\
            [2026/11/16 11:05:32 PM] \u{1b}[1m\u{1b}[91mDetected crash bug: bugs/crash-cvc4-N748z.smt2\u{1b}[0m\n\
            [2026/11/16 11:05:51 PM] Performed 634 solver calls (32.1 calls/s, eff: 99.5%, 16.0 mutants/s)\n\
            \u{8}\u{8}\rUser interrupt\n\
            \u{8}\u{8}3 seeds processed, 3 valid, 0 invalid \n1 bug triggers found\n\n\
            counted {\"tests\": 318, \"calls\": 636, \"answers\": 620, \"triggers\": 1}\n";
        assert_eq!(parse(output), Counts { tests: 318, calls: 636, answers: 620, triggers: 1, errors: 0 });
    }

    #[test]
    fn an_error_of_its_own_is_counted_with_what_was_done_before() {
        let output = "Runtime error at typecheck\nmsg: unhashable type: 'BITVECTOR_TYPE'\nversion: yinyang 0.3.0\n\
            Please file an issue: https://github.com/testsmt/yinyang/issues\n\n\
            counted {\"tests\": 4, \"calls\": 8, \"answers\": 7, \"triggers\": 0}\n";
        assert_eq!(parse(output), Counts { tests: 4, calls: 8, answers: 7, triggers: 0, errors: 1 });
    }

    #[test]
    fn output_that_was_cut_off_counts_nothing() {
        assert_eq!(parse("counted {\"tests\": 3"), Counts::default());
        assert_eq!(parse(""), Counts::default());
    }
}
