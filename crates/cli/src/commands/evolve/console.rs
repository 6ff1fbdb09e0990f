//! What a person sees of a search while it runs.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;

use smelt_search::{Config, Event, Progress};

/// Shows events on stderr.
pub(crate) struct Console {
    silent: bool,
    terminal: bool,
    /// Whether a moving line is on the screen.
    moving: Mutex<bool>,
}

impl Console {
    pub(crate) fn new(silent: bool) -> Console {
        Console { silent, terminal: io::stderr().is_terminal(), moving: Mutex::new(false) }
    }

    /// Removes the moving line.
    pub(crate) fn clear(&self) {
        let mut moving = self.moving.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if std::mem::take(&mut *moving) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    pub(crate) fn note(&self, text: &str) {
        if !self.silent {
            self.clear();
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    pub(crate) fn started(&self, target: &str, reference: &str, config: &Config) {
        let coverage = config.coverage.as_ref().map_or("none", |c| c.name());
        self.note(&format!(
            "target {target}, reference {reference}; population {}, coverage {coverage}, {} at a time, --seed {}",
            config.population, config.jobs, config.seed
        ));
    }

    pub(crate) fn event(&self, event: &Event) {
        if self.silent {
            return;
        }
        match event {
            Event::Started(0) => {}
            Event::Started(n) => self.note(&format!("going on after generation {n}")),
            Event::Note(text) => self.note(text),
            Event::Found(f, complexity) => {
                self.note(&format!("finding {}: {} in {}, complexity {complexity}", f.id, f.kind, f.solver));
            }
            Event::Confirming(waiting, left) => {
                let most = left.map_or_else(String::new, |d| format!(", at most {} s", d.as_secs()));
                self.note(&format!("confirming {waiting} kinds of candidates{most} (Ctrl-C ends it)"));
            }
            Event::Generation(p) if self.terminal => {
                let _ = write!(io::stderr(), "\r\x1b[K{}", line(p));
                let _ = io::stderr().flush();
                *self.moving.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = true;
            }
            Event::Generation(p) => self.note(&line(p)),
        }
    }
}

/// The progress in one line.
fn line(p: &Progress) -> String {
    let g = &p.generation;
    let at = g.at_s as u64;
    format!(
        "{}:{:02}  generation {}, best {:.2}, mean {:.2}, front {}, timeouts {}; {} candidates, {} kinds waiting, {} confirmed",
        at / 60,
        at % 60,
        g.number,
        g.best,
        g.mean,
        g.front,
        g.timeouts,
        p.candidates,
        p.waiting,
        p.confirmed
    )
}
