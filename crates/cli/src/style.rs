//! Colours: `--color auto|always|never`. With `auto`, colours are used on a terminal, unless `NO_COLOR` is set.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::OnceLock;

use anstyle::{AnsiColor, Style};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Nowhere
    Never,
}

static ON: OnceLock<bool> = OnceLock::new();

/// Decides for the whole run.
pub(crate) fn set(when: When) {
    let _ = ON.set(match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        }
    });
}

/// What `--color` says, for help that is shown before arguments are read.
pub(crate) fn asked_for(words: &[OsString]) -> Option<bool> {
    let mut words = words.iter().filter_map(|word| word.to_str());
    let word = words.find_map(|word| word.strip_prefix("--color"))?.to_owned();
    let value = word.strip_prefix('=').map(str::to_owned).or_else(|| words.next().map(str::to_owned));
    match value.as_deref() {
        Some("always") => Some(true),
        Some("never") => Some(false),
        _ => None,
    }
}

fn paint(style: Style, text: &str) -> String {
    match ON.get() {
        Some(true) => format!("{style}{text}{style:#}"),
        _ => text.to_owned(),
    }
}

/// A heading.
pub(crate) fn heading(text: &str) -> String {
    paint(Style::new().bold(), text)
}

/// A bug of this urgency, 1 for the most urgent; or anything found, with 1.
pub(crate) fn urgency(priority: usize, text: &str) -> String {
    let color = match priority {
        0..=2 => AnsiColor::Red,
        3..=4 => AnsiColor::Yellow,
        _ => AnsiColor::Cyan,
    };
    paint(Style::new().bold().fg_color(Some(color.into())), text)
}

/// What is good.
pub(crate) fn good(text: &str) -> String {
    paint(Style::new().fg_color(Some(AnsiColor::Green.into())), text)
}
