//! `smelt bugs mark`: marks a bug as known, filed or fixed.

use std::io::Write;

use smelt_triage::MUTE_FILE;

use super::{Arguments, Campaign};
use crate::exit::Failure;
use crate::output;

/// The state of a bug.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum State {
    Known,
    Filed,
    Fixed,
}

impl From<State> for smelt_triage::State {
    fn from(state: State) -> Self {
        match state {
            State::Known => Self::Known,
            State::Filed => Self::Filed,
            State::Fixed => Self::Fixed,
        }
    }
}

/// Writes the state of a bug to the file of `--mute`, else to that of the campaign.
pub(super) fn run(
    out: &mut impl Write,
    case: &Campaign<'_>,
    id: &str,
    state: State,
    note: Option<&str>,
    a: &Arguments,
) -> Result<(), Failure> {
    let called = case.bugs.iter().find(|b| b.is_called(id));
    let bug = called.map_or_else(|| case.bug(id), Ok)?;
    let note = note.unwrap_or_default();
    if note.contains(char::is_control) {
        return Err(Failure::usage("a note is one line"));
    }
    let file = match a.mute.first() {
        Some(file) => file.clone(),
        None => smelt_store::inside(case.store.folder(), MUTE_FILE)?,
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(Failure::usage(format!("cannot read {}: {e}", file.display()))),
    };
    let state = smelt_triage::State::from(state);
    output::write(&file, smelt_triage::mark(&text, &bug.fingerprint, state, note))?;
    let word = state.as_str();
    let document =
        serde_json::json!({"version": 1, "fingerprint": bug.fingerprint, "state": word, "file": file});
    match a.json {
        true => output::print_json(&document),
        false => Ok(writeln!(out, "{} is {word}, in {}", bug.fingerprint, file.display())?),
    }
}
