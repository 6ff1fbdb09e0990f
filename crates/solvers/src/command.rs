//! Runs any program to its end within limits: the user's own tests, coverage tools, pip.

use crate::{
    error::{Error, ErrorKind},
    limits::Limits,
    process::{Exit, LINGER, Launch, MemoryBound, Process, wait},
    spec::split,
};
use std::{
    io, mem,
    time::{Duration, Instant},
};

/// No wait is longer: a clock has an end.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// smelt stopped it at the time limit.
    Timeout,
    /// smelt stopped it because the caller asked for that or because it printed too much.
    Stopped,
}

/// What a program did.
#[derive(Clone, Debug)]
pub struct CommandRun {
    /// How it ended.
    pub end: CommandEnd,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// The tail of what it printed on stderr.
    pub stderr: Vec<u8>,
}

/// How often the caller is asked whether to stop.
const STOP_INTERVAL: Duration = Duration::from_millis(50);

/// Splits a command line into words like a shell would; nothing is expanded.
pub fn command_words(line: &str) -> Result<Vec<String>, Error> {
    split(line).map_err(|why| Error::new(ErrorKind::Spec, format!("command `{line}`: {why}")))
}

/// Runs a program without input. Its whole process group ends with it.
pub fn run_command(launch: &Launch, limits: &Limits, stop: &dyn Fn() -> bool) -> Result<CommandRun, Error> {
    run_to_end(launch, limits, MemoryBound::AddressSpace, stop)
        .map_err(|e| Error::system(format!("cannot run `{}`", launch.program.display()), e))
}

/// Runs a helper program, such as pip, without a bound on its memory.
pub(crate) fn run_helper(launch: &Launch, limits: &Limits) -> io::Result<CommandRun> {
    run_to_end(launch, limits, MemoryBound::Watched, &|| false)
}

fn run_to_end(
    launch: &Launch,
    limits: &Limits,
    memory: MemoryBound,
    stop: &dyn Fn() -> bool,
) -> io::Result<CommandRun> {
    let mut process = Process::start(launch, limits, memory, false)?;
    process.close_stdin();
    let deadline = Instant::now() + limits.time.min(LONGEST);
    let mut ended: Option<Instant> = None;
    let end = loop {
        process.pump(limits.output)?;
        if let Some(e) = process.take_failure() {
            return Err(e);
        }
        let now = Instant::now();
        if let Some(end) = process.end() {
            let since = *ended.get_or_insert(now);
            if process.drained() || now >= since + LINGER {
                break match end.exit {
                    Exit::Code(code) => CommandEnd::Code(code),
                    Exit::Signal(signal) => CommandEnd::Signal(signal),
                    Exit::Lost => CommandEnd::Stopped,
                };
            }
        } else if now >= deadline {
            break CommandEnd::Timeout;
        }
        if stop() || process.output.len() > limits.output {
            break CommandEnd::Stopped;
        }
        wait(process.interests(), deadline.min(now + STOP_INTERVAL))?;
    };
    Ok(CommandRun { end, stdout: mem::take(&mut process.output), stderr: mem::take(&mut process.errors) })
}
