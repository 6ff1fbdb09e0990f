//! The live view: shows a running campaign, search, study or examination on the whole terminal.
//!
//! It reads the same events as the console, and draws a few times per second on a separate thread. No other thread
//! waits for it. When the view closes, it restores the terminal, unless the process is killed.

mod draw;
mod state;

use std::io::{self, IsTerminal, Stderr};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::{cursor, execute, terminal};
use smelt_core::Event;

use crate::exit::Exit;
use state::{Break, State};

/// How often it is drawn.
const FRAME: Duration = Duration::from_millis(200);

/// How long to wait for the end of a frame.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the terminal is ours.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back as it was. Does nothing if it was not taken.
pub(crate) fn restore() {
    if OPEN.swap(false, Relaxed) {
        let _ = terminal::disable_raw_mode();
        let _ = execute!(io::stderr(), terminal::LeaveAlternateScreen, cursor::Show);
    }
}

/// Whether there is a person to show it to: keys come from stdin, and the view is drawn on stderr.
pub(crate) fn is_possible() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb" || term.is_empty());
    io::stdin().is_terminal() && io::stderr().is_terminal() && !is_dumb
}

struct Shared {
    state: Mutex<State>,
    paused: AtomicBool,
    closed: AtomicBool,
    stop: Arc<AtomicBool>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// The live view; closed when it is dropped.
pub(crate) struct View {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl View {
    /// Takes the terminal. `q` and Ctrl-C set `stop`.
    pub(crate) fn open(title: &str, stop: Arc<AtomicBool>) -> io::Result<View> {
        terminal::enable_raw_mode()?;
        OPEN.store(true, Relaxed);
        execute!(io::stderr(), terminal::EnterAlternateScreen, cursor::Hide).inspect_err(|_| restore())?;
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            usual(panic);
        }));
        let mut terminal = Terminal::new(CrosstermBackend::new(io::stderr())).inspect_err(|_| restore())?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State::new(title)),
            paused: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            stop,
        });
        let drawn = shared.clone();
        let thread = std::thread::spawn(move || {
            while !drawn.closed.load(Relaxed) {
                // A lost terminal must not end a campaign.
                if show(&mut terminal, &drawn).is_err() {
                    break;
                }
            }
        });
        Ok(View { shared, thread: Some(thread) })
    }

    pub(crate) fn take(&self, event: &Event) {
        self.shared.state().take(event);
    }

    pub(crate) fn note(&self, text: &str) {
        self.shared.state().note(text);
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.shared.paused.load(Relaxed)
    }

    /// Gives the terminal back.
    pub(crate) fn close(&mut self) {
        self.shared.closed.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // It ends after a frame, unless the terminal went away while it was read.
            let until = Instant::now() + PATIENCE;
            while !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        restore();
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.close();
    }
}

/// Draws once, and takes the keys that were pressed until the next time.
fn show(terminal: &mut Terminal<CrosstermBackend<Stderr>>, shared: &Shared) -> io::Result<()> {
    {
        let mut state = shared.state();
        state.is_ending |= shared.stop.load(Relaxed);
        terminal.draw(|frame| draw::draw(frame, &mut state, Instant::now()))?;
    }
    if is_key_there(FRAME)? {
        while event::poll(Duration::ZERO)? {
            if let Input::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                press(key, shared);
            }
        }
    }
    Ok(())
}

/// Waits for a key; an error if the terminal has gone. Asked about such a terminal, crossterm never returns.
fn is_key_there(wait: Duration) -> io::Result<bool> {
    let mut stdin = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    let wait = wait.as_millis().try_into().unwrap_or(i32::MAX);
    // SAFETY: the list is one descriptor, which outlives the call.
    let ready = unsafe { libc::poll(&raw mut stdin, 1, wait) };
    match stdin.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) {
        0 => Ok(ready > 0),
        _ => Err(io::ErrorKind::BrokenPipe.into()),
    }
}

/// Does what a key is for. A terminal sends Alt with a key as Escape and the key, so two keys pressed quickly look like that:
/// they are taken as two.
fn press(key: KeyEvent, shared: &Shared) {
    let mut state = shared.state();
    if key.modifiers.contains(KeyModifiers::ALT) {
        state.opened = None;
    }
    let is_interrupt = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('q') if state.opened.is_some() => state.opened = None,
        _ if is_interrupt || key.code == KeyCode::Char('q') => {
            if shared.stop.swap(true, Relaxed) {
                restore();
                std::process::exit(i32::from(Exit::Internal as u8));
            }
            state.is_ending = true;
            // What waits must see that it is over.
            shared.paused.store(false, Relaxed);
        }
        KeyCode::Char('p' | ' ') => {
            let paused = !shared.paused.load(Relaxed);
            shared.paused.store(paused, Relaxed);
            state.pause(if paused { Break::Begins } else { Break::Ends });
        }
        KeyCode::Up | KeyCode::Char('k') => state.go(-1),
        KeyCode::Down | KeyCode::Char('j') => state.go(1),
        KeyCode::PageUp => state.go(-10),
        KeyCode::PageDown => state.go(10),
        KeyCode::Enter => state.open(),
        KeyCode::Esc => state.opened = None,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_with_a_key_behind_it_closes_and_does_what_the_key_is_for() {
        let shared = || Shared {
            state: Mutex::new(State::new("smelt fuzz")),
            paused: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            stop: Arc::default(),
        };
        let opened = || Some(state::Opened { title: String::new(), lines: Vec::new(), scroll: 0 });
        for (modifiers, ends) in [(KeyModifiers::NONE, false), (KeyModifiers::ALT, true)] {
            let shared = shared();
            shared.state().opened = opened();
            press(KeyEvent::new(KeyCode::Char('q'), modifiers), &shared);
            assert!(shared.state().opened.is_none(), "{modifiers:?}");
            assert_eq!(shared.stop.load(Relaxed), ends, "{modifiers:?}");
        }
    }
}
