//! Runs any program within limits: for tests of the user's own.

use crate::error::ErrorKind;
use crate::{
    error::Error,
    limits::Limits,
    process::{Exit, Launch, MemoryBound, Process, wait},
    spec::split,
};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this code.
    Code(i32),
    /// Of this signal.
    Signal(i32),
    /// It was stopped at the time limit.
    Timeout,
    /// It was stopped because the caller wanted it, or printed too much.
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
const LOOK: Duration = Duration::from_millis(50);
/// How long output may stay open behind the end of the program: something it started may hold it.
const LINGER: Duration = Duration::from_millis(200);

/// Splits a command line into words like a shell would; nothing is expanded.
pub fn command_words(line: &str) -> Result<Vec<String>, Error> {
    split(line).map_err(|why| Error::new(ErrorKind::Spec, format!("command `{line}`: {why}")))
}

/// Runs a program without input. Its whole process group ends with it.
pub fn run_command(launch: &Launch, limits: &Limits, stop: &dyn Fn() -> bool) -> Result<CommandRun, Error> {
    let failed = |e| Error::system(format!("cannot run `{}`", launch.program.display()), e);
    let mut process = Process::start(launch, limits, MemoryBound::AddressSpace, false).map_err(failed)?;
    process.close_stdin();
    let deadline = Instant::now() + limits.wall;
    let mut ended: Option<Instant> = None;
    let end = loop {
        process.pump(limits.output).map_err(failed)?;
        if let Some(e) = process.take_failure() {
            return Err(failed(e));
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
        wait(process.interests(), deadline.min(now + LOOK)).map_err(failed)?;
    };
    Ok(CommandRun {
        end,
        stdout: std::mem::take(&mut process.output),
        stderr: std::mem::take(&mut process.errors),
    })
}
