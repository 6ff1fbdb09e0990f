//! What a person sees of a reduction on stderr, and the best so far on disk.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use smelt_reduce::{Progress, Reduction};

/// How often progress is shown and kept.
const PACE: Duration = Duration::from_millis(500);

pub(super) struct Console {
    quiet: bool,
    live: bool,
    output: Option<PathBuf>,
    last: Instant,
}

impl Console {
    /// Progress is shown on terminals only; with `quiet` nothing is said. The best so far is kept in `output`.
    pub(super) fn new(quiet: bool, output: Option<PathBuf>) -> Console {
        let live = std::io::stderr().is_terminal() && !quiet;
        Console { quiet, live, output, last: Instant::now() }
    }

    pub(super) fn say(&self, line: &str) {
        if !self.quiet {
            let clear = if self.live { "\r\x1b[K" } else { "" };
            let _ = writeln!(std::io::stderr(), "{clear}{line}");
        }
    }

    pub(super) fn progress(&mut self, progress: &Progress<'_>) {
        if self.last.elapsed() < PACE {
            return;
        }
        self.last = Instant::now();
        if self.live {
            let Progress { pass, checks, text } = progress;
            let _ = write!(std::io::stderr(), "\r\x1b[K{pass}: {} bytes after {checks} checks", text.len());
        }
        if let Some(path) = &self.output {
            // Whether it can be written is told at the end.
            let _ = replace(path, progress.text);
        }
    }

    pub(super) fn summary(&self, r: &Reduction) {
        let stopped = if r.complete { "" } else { "; stopped before the end" };
        let unsure = if r.confirmed { "" } else { "; not confirmed in fresh processes" };
        self.say(&format!(
            "{} to {} bytes, {} to {} terms: {} checks, {:.1} s{stopped}{unsure}",
            r.bytes_before,
            r.text.len(),
            r.terms_before,
            r.terms_after,
            r.checks,
            r.wall.as_secs_f64()
        ));
    }
}

/// Writes a file in one go: who reads it sees the old content or the new.
pub(super) fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    // A device, such as /dev/stdout, is written to and not replaced.
    if path.metadata().is_ok_and(|m| !m.is_file()) {
        return std::fs::write(path, text);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let draft = path.with_file_name(name);
    std::fs::write(&draft, text)?;
    std::fs::rename(&draft, path).inspect_err(|_| {
        let _ = std::fs::remove_file(&draft);
    })
}
