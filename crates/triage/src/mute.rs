//! The states of bugs across campaigns: a file of fingerprints that are known, filed or fixed.
//!
//! Each line has a fingerprint, or a prefix of fingerprints and `*`, followed by a state: `known` (also the
//! default), `filed` with a link, or `fixed`, optionally with a version. Text after a `#` is a comment. Known and
//! filed bugs are hidden; a fixed bug that occurs again is shown.

use std::fmt;
use std::path::Path;

use smelt_trial::{Error, ErrorKind};

/// The file in the folder of a campaign that is always read.
pub const MUTE_FILE: &str = "mute.txt";

/// What is known of a bug before a campaign finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is known, and not wanted again.
    Known,
    /// It was filed.
    Filed,
    /// It was fixed: one that occurs again is news.
    Fixed,
}

impl State {
    const ALL: [State; 3] = [State::Known, State::Filed, State::Fixed];

    /// The word for it in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Known => "known",
            State::Filed => "filed",
            State::Fixed => "fixed",
        }
    }
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    fingerprint: String,
    is_prefix: bool,
    /// The state.
    pub state: State,
    /// A link, a version, a name: what stands behind the state, else the comment.
    pub note: String,
}

impl Entry {
    fn parse(line: &str) -> Option<Entry> {
        let (entry, comment) = line.split_once('#').unwrap_or((line, ""));
        let mut words = entry.split_whitespace();
        let first = words.next()?;
        let word = words.next().unwrap_or(State::Known.as_str());
        let state = State::ALL.into_iter().find(|state| state.as_str() == word);
        // Links have a `#`, too: it belongs to them if nothing is between.
        let rest = words.collect::<Vec<_>>().join(" ");
        let link = (!rest.is_empty() && !entry.ends_with(' ') && !comment.is_empty())
            .then(|| format!("{rest}#{}", comment.split_whitespace().next().unwrap_or_default()));
        let note = link.unwrap_or(if rest.is_empty() { comment.trim().to_owned() } else { rest });
        let (fingerprint, state) = match state {
            Some(state) => (first, state),
            // Not a state: a fingerprint with spaces.
            None => (entry.trim(), State::Known),
        };
        let prefix = fingerprint.strip_suffix('*');
        let is_prefix = prefix.is_some();
        Some(Entry { fingerprint: prefix.unwrap_or(fingerprint).to_owned(), is_prefix, state, note })
    }

    fn fits(&self, fingerprint: &str) -> bool {
        match self.is_prefix {
            true => fingerprint.starts_with(&self.fingerprint),
            false => fingerprint == self.fingerprint,
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.state, &*self.note) {
            (state, "") => f.write_str(state.as_str()),
            (State::Known, note) => f.write_str(note),
            (state, note) => write!(f, "{} {note}", state.as_str()),
        }
    }
}

/// The states of bugs.
#[derive(Clone, Debug, Default)]
pub struct Mute {
    entries: Vec<Entry>,
}

impl Mute {
    /// Reads a text.
    pub fn parse(text: &str) -> Mute {
        Mute { entries: text.lines().filter_map(Entry::parse).collect() }
    }

    /// Reads the file of a campaign's folder, if there is one, and the named files.
    pub fn read(folder: &Path, named: &[impl AsRef<Path>]) -> Result<Mute, Error> {
        let own = folder.join(MUTE_FILE);
        // A folder may come from someone else: links and endless files are refused.
        let is_file = |path: &std::path::PathBuf| path.symlink_metadata().is_ok_and(|m| m.is_file());
        let named = named.iter().map(|p| p.as_ref().to_owned());
        let mut mute = Mute::default();
        for path in Some(own).into_iter().filter(is_file).chain(named) {
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Error::new(ErrorKind::Input, format!("cannot read {}: {e}", path.display())))?;
            mute.entries.extend(Mute::parse(&text).entries);
        }
        Ok(mute)
    }

    /// What is known of a bug: the last line about it.
    pub fn knows(&self, fingerprint: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.fits(fingerprint))
    }
}

/// The text of a file with another state of one bug.
pub fn mark(text: &str, fingerprint: &str, state: State, note: &str) -> String {
    let is_other = |line: &&str| {
        Entry::parse(line).is_none_or(|entry| entry.is_prefix || entry.fingerprint != fingerprint)
    };
    let line = [fingerprint, state.as_str(), note].join(" ");
    let lines = text.lines().filter(is_other).chain([line.trim_end()]);
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_and_their_starts_are_known() {
        let text = "# a comment\n\nz3/wrong/str.replace  # issue 12\ncvc5/crash/* # theirs\nx/core/-\n";
        let mute = Mute::parse(text);
        let knows = |print: &str| mute.knows(print).map(ToString::to_string);
        assert_eq!(knows("z3/wrong/str.replace").as_deref(), Some("issue 12"));
        assert_eq!(knows("z3/wrong/str.replace_all"), None);
        assert_eq!(knows("cvc5/crash/a.cpp:7").as_deref(), Some("theirs"));
        assert_eq!(knows("x/core/-").as_deref(), Some("known"));
        assert!(Mute::default().knows("").is_none());
    }

    #[test]
    fn a_bug_is_known_filed_or_fixed_and_can_be_marked_anew() {
        let text =
            mark("# ours\na/wrong/and # slow\n", "b/wrong/or", State::Filed, "https://x.example/7#one");
        let mute = Mute::parse(&text);
        let filed = mute.knows("b/wrong/or").unwrap();
        assert_eq!((filed.state, &*filed.note), (State::Filed, "https://x.example/7#one"));
        assert_eq!(mute.knows("a/wrong/and").unwrap().note, "slow");
        let text = mark(&text, "b/wrong/or", State::Fixed, "");
        assert_eq!(text, "# ours\na/wrong/and # slow\nb/wrong/or fixed\n");
        assert_eq!(Mute::parse(&text).knows("b/wrong/or").unwrap().state, State::Fixed);
    }
}
