//! Known issues: a file of fingerprints that are not shown again.
//!
//! Each line has one fingerprint, or a prefix of fingerprints and `*`. The text after a `#` names the known issue.

use std::path::Path;

use smelt_trial::{Error, ErrorKind};

/// The file in the folder of a campaign that is always read.
pub const MUTE_FILE: &str = "mute.txt";

/// Fingerprints of known issues.
#[derive(Clone, Debug, Default)]
pub struct Mute {
    /// The fingerprint, whether it is only a prefix, and the name of the issue.
    entries: Vec<(String, bool, Option<String>)>,
}

impl Mute {
    /// Reads a text.
    pub fn parse(text: &str) -> Mute {
        let mut entries = Vec::new();
        for line in text.lines() {
            let (entry, note) = match line.split_once('#') {
                Some((entry, note)) => (entry.trim(), Some(note.trim().to_owned()).filter(|n| !n.is_empty())),
                None => (line.trim(), None),
            };
            match entry.strip_suffix('*') {
                _ if entry.is_empty() => {}
                Some(start) => entries.push((start.to_owned(), true, note)),
                None => entries.push((entry.to_owned(), false, note)),
            }
        }
        Mute { entries }
    }

    /// Reads the file of a campaign's folder, if there is one, and the named files.
    pub fn read(folder: &Path, named: &[impl AsRef<Path>]) -> Result<Mute, Error> {
        let own = folder.join(MUTE_FILE);
        let named = named.iter().map(|p| p.as_ref().to_owned());
        let mut mute = Mute::default();
        for path in Some(own).into_iter().filter(|p| p.exists()).chain(named) {
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Error::new(ErrorKind::Input, format!("cannot read {}: {e}", path.display())))?;
            mute.entries.extend(Mute::parse(&text).entries);
        }
        Ok(mute)
    }

    /// The known issue of a bug, if there is one.
    pub fn knows(&self, fingerprint: &str) -> Option<&str> {
        let fits = |(entry, start, _): &&(String, bool, Option<String>)| match start {
            true => fingerprint.starts_with(entry),
            false => fingerprint == entry,
        };
        self.entries.iter().find(fits).map(|e| e.2.as_deref().unwrap_or("known"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_and_their_starts_are_known() {
        let text = "# a comment\n\nz3/wrong/str.replace  # issue 12\ncvc5/crash/* # theirs\nx/core/-\n";
        let mute = Mute::parse(text);
        assert_eq!(mute.knows("z3/wrong/str.replace"), Some("issue 12"));
        assert_eq!(mute.knows("z3/wrong/str.replace_all"), None);
        assert_eq!(mute.knows("cvc5/crash/a.cpp:7"), Some("theirs"));
        assert_eq!(mute.knows("x/core/-"), Some("known"));
        assert_eq!(Mute::default().knows(""), None);
    }
}
