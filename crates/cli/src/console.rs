//! Progress on stderr: one line that is updated on a terminal and fits its width, plain lines elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use smelt_core::{Event, EventSink};

/// How often a plain line tells the progress.
const PLAIN: Duration = Duration::from_secs(10);
/// How many complaints about seeds are shown in full.
const COMPLAINTS: usize = 5;

enum Style {
    Silent,
    Plain,
    Terminal(ProgressBar),
}

#[derive(Default)]
struct State {
    last: Option<Instant>,
    /// Progress that was not shown, for it came too soon after the last.
    untold: Option<String>,
    complaints: usize,
}

/// Shows events on stderr.
pub(crate) struct Console {
    style: Style,
    state: Mutex<State>,
}

impl Console {
    /// Shows nothing if `quiet`, else a moving line or plain lines, as stderr allows.
    pub(crate) fn new(silent: bool) -> Console {
        let style = match (silent, std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, false) => Style::Plain,
            (false, true) => {
                let line = ProgressStyle::with_template("{wide_msg}");
                let line = line.unwrap_or_else(|e| unreachable!("the template is fixed: {e}"));
                Style::Terminal(ProgressBar::new_spinner().with_style(line))
            }
        };
        Console { style, state: Mutex::default() }
    }

    /// Shows one line.
    pub(crate) fn say(&self, line: &str) {
        match &self.style {
            Style::Silent => {}
            Style::Plain => drop(writeln!(std::io::stderr(), "{line}")),
            Style::Terminal(bar) => bar.println(line),
        }
    }

    /// Removes the moving line; where there is none, tells how far it came in the end.
    pub(crate) fn clear(&self) {
        match &self.style {
            Style::Terminal(bar) => bar.finish_and_clear(),
            _ => {
                let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                state.untold.take().iter().for_each(|line| self.say(line));
            }
        }
    }
}

impl EventSink for Console {
    fn event(&self, event: &Event) {
        let mut state = self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match (event, &self.style) {
            (Event::Progress(progress), Style::Terminal(bar)) => bar.set_message(progress.to_string()),
            (Event::Progress(progress), _) if state.last.is_some_and(|t| t.elapsed() < PLAIN) => {
                state.untold = Some(progress.to_string());
            }
            (Event::Progress(progress), _) => {
                (state.last, state.untold) = (Some(Instant::now()), None);
                self.say(&progress.to_string());
            }
            (Event::Seed { .. }, _) => {
                state.complaints += 1;
                match state.complaints {
                    n if n <= COMPLAINTS => self.say(&event.to_string()),
                    n if n == COMPLAINTS + 1 => self.say("further seeds with trouble are not listed"),
                    _ => {}
                }
            }
            _ => self.say(&event.to_string()),
        }
    }
}
