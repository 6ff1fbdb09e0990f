//! The state of the live view: the latest figures, all findings, and what the user looks at.

use std::time::{Duration, Instant};

use smelt_core::{Event, FindingRow, Progress};

use crate::output::printable;

/// A break begins or ends.
pub(super) enum Break {
    Begins,
    Ends,
}

/// A finding that the user opened.
pub(super) struct Opened {
    pub(super) title: String,
    pub(super) lines: Vec<String>,
    pub(super) scroll: usize,
}

pub(super) struct State {
    pub(super) title: String,
    pub(super) started: Instant,
    pub(super) progress: Progress,
    /// With the time at which each was found; the newest last.
    pub(super) findings: Vec<(FindingRow, Instant)>,
    pub(super) flaky: usize,
    /// What is done now, where it is not simply the next test.
    pub(super) phase: Option<String>,
    /// What is done beside the tests, and since when.
    pub(super) beside: Option<(String, Instant)>,
    /// The last message.
    pub(super) note: String,
    pub(super) is_paused: bool,
    pub(super) is_ending: bool,
    /// Which finding is chosen, the newest being 0.
    pub(super) chosen: usize,
    pub(super) opened: Option<Opened>,
}

/// The phase before the first test.
const STARTING: &str = "starting";
/// Background work that began longer ago counts as finished, because no event reports its end.
const BESIDE: Duration = Duration::from_secs(20);

impl State {
    pub(super) fn new(title: &str) -> State {
        State {
            title: title.to_owned(),
            started: Instant::now(),
            progress: Progress::default(),
            findings: Vec::new(),
            flaky: 0,
            phase: Some(STARTING.to_owned()),
            beside: None,
            note: String::new(),
            is_paused: false,
            is_ending: false,
            chosen: 0,
            opened: None,
        }
    }

    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::Progress(progress) => {
                self.progress = progress.clone();
                if self.phase.as_deref() == Some(STARTING) {
                    self.phase = None;
                }
            }
            Event::Found(finding) => {
                self.findings.push((finding.clone(), Instant::now()));
                // What is chosen stays chosen.
                if self.chosen > 0 {
                    self.chosen += 1;
                }
            }
            Event::Flaky { .. } => self.flaky += 1,
            Event::Phase { doing, count, of, .. } => self.phase = Some(format!("{doing} {count} {of}")),
            Event::Working { .. } => self.beside = Some((event.to_string(), Instant::now())),
            Event::Started { .. } | Event::Seed { .. } | Event::Solver { .. } | Event::Note { .. } => {
                self.note(&event.to_string());
            }
        }
    }

    pub(super) fn note(&mut self, text: &str) {
        self.note = printable(text).replace(['\n', '\t'], " ");
    }

    pub(super) fn pause(&mut self, which: Break) {
        self.is_paused = matches!(which, Break::Begins);
    }

    /// What is done now, in words.
    pub(super) fn doing(&self, now: Instant) -> String {
        let beside = self.beside.as_ref().filter(|(_, at)| now.saturating_duration_since(*at) < BESIDE);
        let beside = beside.map(|(text, _)| text.clone());
        match (self.is_ending, self.is_paused, &self.phase) {
            (true, ..) => "ending".to_owned(),
            (_, true, _) => "PAUSED".to_owned(),
            // What is done beside the tests is all that is done before the first, as in an examination.
            (_, _, Some(phase)) if phase == STARTING && beside.is_some() => beside.unwrap_or_default(),
            (_, _, phase) => {
                let phase = phase.clone().unwrap_or_else(|| "running".to_owned());
                [Some(phase), beside].into_iter().flatten().collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// The time since the last new finding, or since the start.
    pub(super) fn quiet(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.findings.last().map_or(self.started, |(_, at)| *at))
    }

    /// Chooses another finding, or scrolls in the one that is open.
    pub(super) fn go(&mut self, by: isize) {
        match &mut self.opened {
            Some(opened) => {
                let last = opened.lines.len().saturating_sub(1);
                opened.scroll = opened.scroll.saturating_add_signed(by).min(last);
            }
            None => {
                let last = self.findings.len().saturating_sub(1);
                self.chosen = self.chosen.saturating_add_signed(by).min(last);
            }
        }
    }

    /// Opens the finding that is chosen.
    pub(super) fn open(&mut self) {
        let newest_first = self.findings.iter().rev();
        let Some((finding, _)) = newest_first.clone().nth(self.chosen) else { return };
        let file = finding.reduced.as_ref().unwrap_or(&finding.file);
        let text = match std::fs::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => format!("cannot read {file}: {e}"),
        };
        let mut lines = vec![
            format!("evidence     {}", finding.evidence.map_or("-", |e| e.as_str())),
            format!("theory       {}", finding.theory.as_deref().unwrap_or("-")),
            format!("strategy     {}", finding.strategy.as_deref().unwrap_or("-")),
            format!("fingerprint  {}", finding.fingerprint),
            format!("file         {file}"),
            String::new(),
        ];
        lines.extend(printable(&text).lines().map(|line| line.replace('\t', "    ")));
        let title = format!("finding {}: {} in {}", finding.id, finding.kind, finding.solver);
        self.opened = Some(Opened { title: printable(&title).into_owned(), lines, scroll: 0 });
    }
}
