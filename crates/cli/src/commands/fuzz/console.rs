//! What a person sees of a campaign while it runs: one line that moves on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use smelt_campaign::{Event, EventSink, Progress};

/// How often a plain line tells the progress.
const PLAIN: Duration = Duration::from_secs(10);
/// How many complaints about seeds are shown in full.
const COMPLAINTS: usize = 5;

enum Style {
    Silent,
    Plain,
    Terminal,
}

struct State {
    last: Option<Instant>,
    /// Whether a moving line is on the screen.
    moving: bool,
    complaints: usize,
}

/// Shows events on stderr.
pub(crate) struct Console {
    style: Style,
    state: Mutex<State>,
}

impl Console {
    /// Shows nothing, or what fits stderr.
    pub(crate) fn new(silent: bool) -> Console {
        let style = match (silent, io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Terminal,
            (false, false) => Style::Plain,
        };
        Console { style, state: Mutex::new(State { last: None, moving: false, complaints: 0 }) }
    }

    /// Removes the moving line.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if std::mem::take(&mut state.moving) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// The progress in one line.
pub(crate) fn line(p: &Progress) -> String {
    let seconds = p.elapsed.as_secs_f64();
    let rate = p.tests_now as f64 / seconds.max(1e-3);
    let found: Vec<String> =
        p.findings.iter().filter(|(_, n)| **n > 0).map(|(kind, n)| format!("{n} {kind}")).collect();
    let found = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    let clock = format!("{}:{:02}", p.elapsed.as_secs() / 60, p.elapsed.as_secs() % 60);
    let left = if p.seeds_left > 0 { format!(", {} seeds left", p.seeds_left) } else { String::new() };
    format!("{clock}  {} tests, {rate:.0}/s, solvers {:.0}%{left}; {found}", p.tests, p.solver_share * 100.0)
}

impl EventSink for Console {
    fn event(&self, event: &Event) {
        if matches!(self.style, Style::Silent) {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut err = io::stderr().lock();
        let text = match event {
            Event::Started { seeds, solvers, strategies, seed, jobs, resumed } => {
                let resumed =
                    if *resumed > 0 { format!("; going on after {resumed} tests") } else { String::new() };
                format!(
                    "{seeds} seeds, {}; solvers: {}; {jobs} workers, --seed {seed}{resumed}",
                    strategies.join(" "),
                    solvers.join(" ")
                )
            }
            Event::Seed { name, why } => {
                state.complaints += 1;
                match state.complaints {
                    n if n <= COMPLAINTS => format!("seed {name}: {why}"),
                    n if n == COMPLAINTS + 1 => "further seeds with trouble are not listed".to_owned(),
                    _ => return,
                }
            }
            Event::Found(f) => {
                let evidence = f.evidence.map(|e| format!(", evidence {e}")).unwrap_or_default();
                let theory = f.theory.as_deref().unwrap_or("?");
                format!("finding {}: {} in {} ({theory}{evidence})", f.id, f.kind, f.solver)
            }
            Event::Examining { left, seconds } => {
                format!("reducing and grouping {left} findings, at most {seconds} s (Ctrl-C ends it)")
            }
            Event::Flaky { kind, solver, seen } => {
                format!("flaky: {kind} in {solver}, came again in {seen} of 3 fresh runs")
            }
            Event::Progress(p) => {
                match self.style {
                    Style::Terminal => {
                        let mut text = line(p);
                        text.truncate(text.char_indices().nth(160).map_or(text.len(), |(i, _)| i));
                        let _ = write!(err, "\r\x1b[K{text}");
                        let _ = err.flush();
                        state.moving = true;
                    }
                    _ if state.last.is_none_or(|t| t.elapsed() >= PLAIN) => {
                        state.last = Some(Instant::now());
                        let _ = writeln!(err, "{}", line(p));
                    }
                    _ => {}
                }
                return;
            }
        };
        if std::mem::take(&mut state.moving) {
            let _ = write!(err, "\r\x1b[K");
        }
        let _ = writeln!(err, "{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::FindingKind;

    #[test]
    fn the_line_tells_speed_share_and_findings() {
        let progress = Progress {
            tests: 1200,
            tests_now: 1000,
            elapsed: Duration::from_secs(70),
            solver_share: 0.974,
            findings: [(FindingKind::Crash, 2), (FindingKind::InvalidModel, 1)].into(),
            seeds_left: 7,
        };
        let text = line(&progress);
        assert_eq!(text, "1:10  1200 tests, 14/s, solvers 97%, 7 seeds left; 1 invalid-model, 2 crash");
    }
}
