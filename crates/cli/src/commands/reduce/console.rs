//! Shows the progress of a reduction on stderr, and saves the smallest script so far.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use smelt_core::{Event, EventSink};
use smelt_reduce::{Progress, Reduction};

use crate::console::Console;

/// How often progress is shown and kept.
const PACE: Duration = Duration::from_millis(500);

pub(super) struct Reducing {
    console: Console,
    output: Option<PathBuf>,
    started: Instant,
    last: Instant,
}

impl Reducing {
    /// Shows progress unless `quiet`; the best so far is kept in `output`.
    pub(super) fn new(quiet: bool, output: Option<PathBuf>) -> Reducing {
        let now = Instant::now();
        Reducing { console: Console::new(quiet), output, started: now, last: now }
    }

    pub(super) fn say(&self, line: &str) {
        self.console.say(line);
    }

    pub(super) fn progress(&mut self, progress: &Progress<'_>) {
        if self.last.elapsed() < PACE {
            return;
        }
        self.last = Instant::now();
        let Progress { pass, checks, text } = progress;
        self.console.event(&Event::Progress(smelt_core::Progress {
            elapsed: self.started.elapsed(),
            done: *checks,
            unit: "checks",
            figures: vec![("bytes", text.len().to_string()), ("pass", pass.to_string())],
            ..smelt_core::Progress::default()
        }));
        if let Some(path) = &self.output {
            // A failure to write is reported at the end.
            let _ = replace(path, progress.text);
        }
    }

    pub(super) fn summary(&self, r: &Reduction) {
        self.console.clear();
        let stopped = if r.complete { "" } else { "; stopped early" };
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

/// Writes a file in one go: a reader sees the old content or the new.
pub(super) fn replace(path: &Path, text: &[u8]) -> std::io::Result<()> {
    // A device, such as /dev/stdout, is written to and not replaced.
    match path.metadata().is_ok_and(|m| !m.is_file()) {
        true => std::fs::write(path, text),
        false => smelt_store::write_over(path, text),
    }
}
