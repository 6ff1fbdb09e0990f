//! Progress: a live view or one line on a terminal, plain lines elsewhere, or one line of JSON per event.

use std::io::{IsTerminal, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use smelt_core::{Event, EventSink};

use crate::exit::Failure;
use crate::help::MORE;
use crate::output;
use crate::view::{self, View};

/// How often a plain line reports the progress.
const PLAIN: Duration = Duration::from_secs(10);
/// How many complaints about seeds are shown in full.
const COMPLAINTS: usize = 5;

/// How the progress of a long run is shown.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Watch {
    /// Show one line of progress instead of the live view
    #[arg(long, help_heading = MORE)]
    pub(crate) plain: bool,
    /// Print events as JSON lines, then the result
    #[arg(long, conflicts_with = "json", help_heading = MORE)]
    pub(crate) json_lines: bool,
}

enum Style {
    Silent,
    Plain,
    Line(ProgressBar),
    View(Box<Mutex<View>>),
    Events,
}

#[derive(Default)]
struct State {
    last: Option<Instant>,
    /// Progress that was not shown, for it came too soon after the last.
    untold: Option<String>,
    complaints: usize,
}

/// Shows events.
pub(crate) struct Console {
    style: Style,
    state: Mutex<State>,
}

/// An event as other programs read it.
#[derive(Serialize)]
struct Record<'a, T: Serialize> {
    version: u32,
    #[serde(flatten)]
    event: &'a T,
}

impl Console {
    /// Shows nothing if `silent`, else a moving line or plain lines, as stderr allows.
    pub(crate) fn new(silent: bool) -> Console {
        let style = match (silent, std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, false) => Style::Plain,
            (false, true) => {
                let line = ProgressStyle::with_template("{wide_msg}");
                let line = line.unwrap_or_else(|e| unreachable!("the template is fixed: {e}"));
                Style::Line(ProgressBar::new_spinner().with_style(line))
            }
        };
        Console { style, state: Mutex::default() }
    }

    /// For a long run: a live view if stderr is a terminal. The view sets `stop` when the user quits.
    pub(crate) fn watch(silent: bool, watch: Watch, title: &str, stop: &Arc<AtomicBool>) -> Console {
        let style = match (silent, watch) {
            (false, Watch { json_lines: true, .. }) => Some(Style::Events),
            (false, Watch { plain: false, .. }) if view::is_possible() => {
                View::open(title, stop.clone()).ok().map(|view| Style::View(Box::new(Mutex::new(view))))
            }
            _ => None,
        };
        match style {
            Some(style) => Console { style, state: Mutex::default() },
            None => Console::new(silent),
        }
    }

    /// Shows one line.
    pub(crate) fn say(&self, line: &str) {
        match &self.style {
            Style::Silent => {}
            Style::Plain => drop(writeln!(std::io::stderr(), "{}", output::printable(line))),
            Style::Line(bar) => bar.println(output::printable(line)),
            Style::View(view) => lock(view).note(line),
            Style::Events => record(&Event::note(line)),
        }
    }

    /// Removes the view or the progress line; without one, prints the final progress.
    pub(crate) fn clear(&self) {
        match &self.style {
            Style::Line(bar) => bar.finish_and_clear(),
            Style::View(view) => lock(view).close(),
            Style::Silent | Style::Plain | Style::Events => {
                let untold = lock(&self.state).untold.take();
                untold.iter().for_each(|line| self.say(line));
            }
        }
    }

    /// Ends the progress and prints the result: as the last line of the events, as a JSON document, or as text.
    pub(crate) fn result(
        &self,
        as_json: bool,
        document: &impl Serialize,
        text: impl FnOnce(&mut std::io::StdoutLock<'_>) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        self.clear();
        if !matches!(self.style, Style::Events) {
            return output::result(as_json, document, text);
        }
        let mut value = serde_json::to_value(document).map_err(|e| Failure::internal(e.to_string()))?;
        if let Some(object) = value.as_object_mut() {
            object.insert("event".to_owned(), "result".into());
            object.insert("version".to_owned(), output::VERSION.into());
        }
        output::print_json(&value)
    }
}

fn record(event: &impl Serialize) {
    if let Ok(line) = output::json(&Record { version: output::VERSION, event }) {
        let _ = writeln!(std::io::stdout(), "{line}");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl EventSink for Console {
    fn event(&self, event: &Event) {
        match &self.style {
            Style::View(view) => return lock(view).take(event),
            Style::Events => return record(event),
            Style::Silent | Style::Plain | Style::Line(_) => {}
        }
        let mut state = lock(&self.state);
        match (event, &self.style) {
            (Event::Progress(_) | Event::Working { .. }, Style::Line(bar)) => {
                bar.set_message(event.to_string())
            }
            (Event::Working { .. }, _) => {}
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
                    n if n == COMPLAINTS + 1 => self.say("further unusable seeds are not listed"),
                    _ => {}
                }
            }
            _ => self.say(&event.to_string()),
        }
    }

    fn is_paused(&self) -> bool {
        match &self.style {
            Style::View(view) => lock(view).is_paused(),
            _ => false,
        }
    }
}
