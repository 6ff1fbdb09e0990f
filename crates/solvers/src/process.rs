//! One running process: its pipes, how it ends, and its resource usage.
//!
//! Nothing here knows SMT-LIB. All pipes are non-blocking; [`Process::pump`] moves available data, and
//! [`Process::interests`] says what to poll for. Dropping a process kills its whole group.

use crate::{
    fence,
    limits::Limits,
    nursery::{self, Handle, Image, Report, Rlimits},
};
use std::{
    ffi::{CString, OsString},
    io::{self, PipeReader, PipeWriter, Read, Write, pipe},
    os::{
        fd::{AsRawFd, RawFd},
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A program to run and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The executable; a bare name is looked up on PATH.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables set for it, on top of smelt's own.
    pub env: Vec<(OsString, OsString)>,
    /// The only folders that it may write to ([`crate::fence`]); `None` lets it write everywhere.
    pub fence: Option<Vec<PathBuf>>,
}

/// Settings of glibc's allocator for a process that runs query after query. By default it gives large blocks back to the
/// kernel at every reset and gets them again, page by page, with the next query: three quarters of a small query of z3.
/// A process for one query, as in a confirmation, runs as a user would run it.
const KEEP_MEMORY: [(&str, &str); 2] =
    [("MALLOC_MMAP_THRESHOLD_", "33554432"), ("MALLOC_TRIM_THRESHOLD_", "268435456")];

impl Launch {
    /// A program with arguments.
    pub fn new<I: IntoIterator<Item = S>, S: Into<OsString>>(program: impl Into<PathBuf>, args: I) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Launch { program: program.into(), args, env: Vec::new(), fence: None }
    }

    /// The same for a process that runs many queries.
    pub(crate) fn keeping_memory(mut self) -> Launch {
        self.env.extend(KEEP_MEMORY.map(|(name, value)| (name.into(), value.into())));
        self
    }

    /// The same with more arguments at the end.
    #[must_use]
    pub fn with_args<I: IntoIterator<Item = S>, S: Into<OsString>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    fn image(&self) -> io::Result<Image> {
        let path = find_program(&self.program).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("no program `{}`", self.program.display()))
        })?;
        let text = |bytes: Vec<u8>| CString::new(bytes).map_err(io::Error::other);
        let program = text(path.into_os_string().into_vec())?;
        let mut argv = vec![text(self.program.as_os_str().as_bytes().to_vec())?];
        for arg in &self.args {
            argv.push(text(arg.as_bytes().to_vec())?);
        }
        let inherited = std::env::vars_os().filter(|(k, _)| self.env.iter().all(|(own, _)| own != k));
        let env: Vec<CString> = inherited
            .chain(self.env.iter().cloned())
            .map(|(k, v)| text([k.as_bytes(), b"=", v.as_bytes()].concat()))
            .collect::<io::Result<_>>()?;
        let fence = self.fence.as_deref().map(fence::ruleset).transpose()?.flatten();
        Image::new(&program, &argv, &env, fence)
    }
}

/// Finds an executable: a path as it is, a bare name on PATH.
pub fn find_program(program: &Path) -> Option<PathBuf> {
    let executable = |path: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    if program.as_os_str().as_bytes().contains(&b'/') {
        return Some(program.to_path_buf()).filter(executable);
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(program)).find(executable)
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Unknown: the nursery was killed from outside, and the process with it.
    Lost,
}

/// How a process ended and what it cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) exit: Exit,
    pub(crate) cpu: Duration,
    pub(crate) peak_memory: u64,
}

/// How memory is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MemoryBound {
    /// By the kernel: a limit on address space.
    #[default]
    AddressSpace,
    /// By smelt, which watches resident memory (for programs that reserve far more than they use).
    Watched,
}

const STDERR_KEPT: usize = 256 << 10;
const CHUNK: usize = 64 << 10;
/// Chunks read from one pipe per call: a flood in one process must not keep the others waiting.
const ROUNDS: usize = 16;
/// How long to wait for the end of the output of a process that has exited: a grandchild may hold it open.
pub(crate) const LINGER: Duration = Duration::from_millis(300);
/// How long to wait for the exit of a process that has closed its output: on a busy machine this takes a while.
pub(crate) const EXIT: Duration = Duration::from_secs(5);

/// A running process.
pub(crate) struct Process {
    handle: Handle,
    stdin: Option<PipeWriter>,
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    report: Option<PipeReader>,
    pid: Option<i32>,
    pending: Vec<u8>,
    written: usize,
    close_after_write: bool,
    /// Bytes from stdout that were not read yet.
    pub(crate) output: Vec<u8>,
    /// The tail of stderr.
    pub(crate) errors: Vec<u8>,
    end: Option<End>,
    failure: Option<io::Error>,
    abandoned: bool,
    chunk: Box<[u8; CHUNK]>,
}

impl Process {
    /// Starts a process in its own group. With `cpu_bound` the kernel enforces the CPU limit over its whole life.
    pub(crate) fn start(
        launch: &Launch,
        limits: &Limits,
        memory: MemoryBound,
        cpu_bound: bool,
    ) -> io::Result<Process> {
        let image = launch.image()?;
        let (stdin_read, stdin) = pipe()?;
        let (stdout, stdout_write) = pipe()?;
        let (stderr, stderr_write) = pipe()?;
        let (report, report_write) = pipe()?;
        for ours in [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd(), report.as_raw_fd()] {
            // SAFETY: the descriptor is open; F_SETFL takes an integer.
            if unsafe { libc::fcntl(ours, libc::F_SETFL, libc::O_NONBLOCK) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        let seconds = |d: Duration| d.as_secs() + u64::from(d.subsec_nanos() > 0);
        let rlimits = Rlimits {
            address_space: if memory == MemoryBound::AddressSpace { limits.memory } else { 0 },
            cpu_seconds: limits.cpu.filter(|_| cpu_bound).map_or(0, seconds),
            file_size: limits.output as u64,
        };
        let stdio = [stdin_read.as_raw_fd(), stdout_write.as_raw_fd(), stderr_write.as_raw_fd()];
        let handle = nursery::spawn(&image, rlimits, stdio, report_write.as_raw_fd())?;
        Ok(Process {
            handle,
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
            report: Some(report),
            pid: None,
            pending: Vec::new(),
            written: 0,
            close_after_write: false,
            output: Vec::new(),
            errors: Vec::new(),
            end: None,
            failure: None,
            abandoned: false,
            chunk: Box::new([0; CHUNK]),
        })
    }

    /// Queues bytes for its stdin.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        if self.stdin.is_some() {
            self.pending.extend_from_slice(bytes);
        }
    }

    /// Closes its stdin once all queued bytes are written.
    pub(crate) fn close_stdin(&mut self) {
        self.close_after_write = true;
    }

    /// Moves what can be moved through all pipes without blocking. Stops reading stdout once `output` holds more
    /// than `cap` bytes; the caller decides what that means.
    pub(crate) fn pump(&mut self, cap: usize) -> io::Result<()> {
        self.push_input()?;
        drain(&mut self.stdout, &mut self.chunk[..], &mut self.output, cap)?;
        drain(&mut self.stderr, &mut self.chunk[..], &mut self.errors, usize::MAX)?;
        if self.errors.len() > 2 * STDERR_KEPT {
            let excess = self.errors.len() - STDERR_KEPT;
            self.errors.drain(..excess);
        }
        self.read_reports()
    }

    fn push_input(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.stdin else { return Ok(()) };
        while self.written < self.pending.len() {
            match moved(pipe.write(&self.pending[self.written..])) {
                Ok(Some(n)) => self.written += n,
                Ok(None) => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                    // It stopped reading, which is not our failure. Its end comes through the report.
                    self.stdin = None;
                    break;
                }
                Err(e) => return Err(e),
            }
        }
        self.pending.clear();
        self.written = 0;
        if self.close_after_write {
            self.stdin = None;
        }
        Ok(())
    }

    fn read_reports(&mut self) -> io::Result<()> {
        while let Some(pipe) = &mut self.report {
            let mut record = [0; Report::SIZE];
            match moved(pipe.read(&mut record))? {
                None => break,
                Some(n) if n == record.len() => self.take_report(Report::from_bytes(record)),
                Some(_) => {
                    self.report = None;
                    let lost = End { exit: Exit::Lost, cpu: Duration::ZERO, peak_memory: 0 };
                    self.end.get_or_insert(lost);
                }
            }
        }
        Ok(())
    }

    fn take_report(&mut self, report: Report) {
        let status = report.value;
        match report.tag {
            nursery::STARTED => self.pid = Some(report.value),
            nursery::FAILED => self.failure = Some(io::Error::from_raw_os_error(report.value)),
            _ => {
                let exit = match libc::WIFSIGNALED(status) {
                    true => Exit::Signal(libc::WTERMSIG(status)),
                    false => Exit::Code(libc::WEXITSTATUS(status)),
                };
                let cpu = Duration::from_micros(report.cpu_micros);
                self.end = Some(End { exit, cpu, peak_memory: report.peak_kib.saturating_mul(1024) });
            }
        }
    }

    /// Its end, once it is reaped.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    /// Why it could not be started, if it could not.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Whether its stdout is closed and read to the end.
    pub(crate) fn output_closed(&self) -> bool {
        self.stdout.is_none()
    }

    /// Whether stdout and stderr are closed and read to the end.
    pub(crate) fn drained(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// The CPU time it has used so far.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        if self.end.is_some() {
            return self.end.map(|end| end.cpu);
        }
        let mut clock = 0;
        // SAFETY: both calls write to live stack values.
        unsafe {
            if libc::clock_getcpuclockid(self.pid?, &mut clock) != 0 {
                return None;
            }
            let mut time: libc::timespec = std::mem::zeroed();
            if libc::clock_gettime(clock, &mut time) != 0 {
                return None;
            }
            Some(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
        }
    }

    /// Its resident memory in bytes: now, and at its peak.
    pub(crate) fn memory(&self) -> Option<Resident> {
        let status = std::fs::read(format!("/proc/{}/status", self.pid?)).ok()?;
        let field = |name: &[u8]| {
            let line = status.split(|b| *b == b'\n').find_map(|line| line.strip_prefix(name))?;
            let digits = line.trim_ascii().split(|b| *b == b' ').next()?;
            std::str::from_utf8(digits).ok()?.parse::<u64>().ok()?.checked_mul(1024)
        };
        Some(Resident { peak: field(b"VmHWM:")?, now: field(b"VmRSS:")? })
    }

    /// Ends it without waiting: the nursery sends SIGTERM to its group, and SIGKILL after `grace`.
    pub(crate) fn abandon(mut self, grace: Duration) {
        self.stop(grace);
        self.abandoned = true;
    }

    fn stop(&self, grace: Duration) {
        if self.end.is_none() && !self.abandoned {
            self.handle.stop(grace);
        }
    }

    /// What to poll for.
    pub(crate) fn interests(&self) -> impl Iterator<Item = (RawFd, i16)> + '_ {
        let readable = |f: &Option<PipeReader>| f.as_ref().map(|f| (f.as_raw_fd(), libc::POLLIN));
        let write = self.stdin.as_ref().filter(|_| self.written < self.pending.len());
        [
            readable(&self.stdout),
            readable(&self.stderr),
            readable(&self.report),
            write.map(|f| (f.as_raw_fd(), libc::POLLOUT)),
        ]
        .into_iter()
        .flatten()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop(Duration::ZERO);
    }
}

/// Resident memory in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resident {
    pub(crate) now: u64,
    pub(crate) peak: u64,
}

/// How many bytes were moved; `None` if the pipe is not ready.
fn moved(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(n) => Ok(Some(n)),
        Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Moves what a pipe has to the end of `buffer` while that holds at most `cap` bytes; drops the pipe at its end.
fn drain(
    pipe: &mut Option<PipeReader>,
    chunk: &mut [u8],
    buffer: &mut Vec<u8>,
    cap: usize,
) -> io::Result<()> {
    for _ in 0..ROUNDS {
        let Some(open) = pipe.as_mut().filter(|_| buffer.len() <= cap) else { break };
        match moved(open.read(chunk))? {
            Some(0) => *pipe = None,
            Some(n) => buffer.extend_from_slice(&chunk[..n]),
            None => break,
        }
    }
    Ok(())
}

/// Waits until one of the descriptors is ready, at most until `until`.
pub(crate) fn wait(interests: impl Iterator<Item = (RawFd, i16)>, until: Instant) -> io::Result<()> {
    let mut fds: Vec<_> = interests.map(|(fd, events)| libc::pollfd { fd, events, revents: 0 }).collect();
    let left = until.saturating_duration_since(Instant::now()).min(Duration::from_secs(3600));
    let time = libc::timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos() as _ };
    // SAFETY: `fds` is a valid array of its length; `time` outlives the call.
    let ready = unsafe { libc::ppoll(fds.as_mut_ptr(), fds.len() as _, &time, std::ptr::null()) };
    match io::Error::last_os_error() {
        e if ready < 0 && e.kind() != io::ErrorKind::Interrupted => Err(e),
        _ => Ok(()),
    }
}
