//! Reads seeds and their labels from files, folders and globs.
//!
//! A label comes from the nearest folder called `sat` or `unsat`, else from `:status`. If folder and `:status`
//! contradict each other, neither is used.

use smelt_core::{SeedHash, Verdict};
use smelt_smtlib::{Lexer, TokenKind};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use smelt_store::{Error, ErrorKind};

/// Larger files are not used as seeds of campaigns unless the user says so: each of their mutants costs as much as
/// thousands of others.
pub const MAX_BYTES: u64 = 1 << 20;

/// A script a person supplies.
#[derive(Clone, Debug)]
pub struct SeedText {
    /// Its name: the path.
    pub name: String,
    /// Its text.
    pub text: Vec<u8>,
    /// The label of its folder; of an embedded seed, the proved status.
    pub status: Option<Verdict>,
    /// Whether the status is proved, and not just claimed.
    pub proved: bool,
    /// Its identity.
    pub hash: SeedHash,
}

impl SeedText {
    /// A seed of a name.
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>, status: Option<Verdict>) -> SeedText {
        let text = text.into();
        SeedText { name: name.into(), hash: SeedHash::of(&text), text, status, proved: false }
    }

    /// The `:status` in the text, found without parsing.
    pub fn stated(&self) -> Option<Verdict> {
        let key = b":status";
        let at = self.text.windows(key.len()).position(|w| w == key)?;
        let rest = &self.text[at + key.len()..];
        let rest = rest.trim_ascii_start();
        let word = rest.split(|b| !b.is_ascii_alphanumeric()).next()?;
        match word {
            b"sat" => Some(Verdict::Sat),
            b"unsat" => Some(Verdict::Unsat),
            _ => None,
        }
    }

    /// What its folder says of it, else what it says itself.
    pub fn label(&self) -> Option<Verdict> {
        self.status.or(self.stated())
    }

    /// Whether its folder and its `:status` contradict each other.
    pub fn is_disputed(&self) -> bool {
        matches!((self.status, self.stated()), (Some(a), Some(b)) if a != b)
    }
}

/// The seeds found under some paths.
#[derive(Clone, Debug, Default)]
pub struct SeedSet {
    /// The seeds, each text once, in a fixed order.
    pub seeds: Vec<SeedText>,
    /// Files left out, and why.
    pub left_out: Vec<(String, String)>,
}

/// The embedded seeds.
pub fn bundled() -> Vec<SeedText> {
    let seed = |e: &crate::embedded::EmbeddedSeed| SeedText {
        proved: true,
        ..SeedText::new(e.name, e.text, Some(e.status))
    };
    crate::embedded::embedded().iter().map(seed).collect()
}

/// Reads the seeds that paths name: files, folders (searched for `.smt2`), or globs.
///
/// A path that names nothing is an error: a campaign on less than was asked for must not look like the whole. A file that is
/// there and cannot be read, or has more than `most` bytes, is left out.
pub fn collect<P: AsRef<str>>(paths: &[P], most: u64) -> Result<SeedSet, Error> {
    let mut set = SeedSet::default();
    let mut known = HashSet::new();
    for path in paths {
        let path = path.as_ref();
        for (root, file) in files(path, &mut set.left_out)? {
            let name = file.display().to_string();
            let size = std::fs::metadata(&file).map(|m| m.len());
            if let Ok(size) = &size
                && *size > most
            {
                let why = format!(
                    "skipped: {size} bytes exceed the seed size limit (see `smelt fuzz --max-seed-size`)"
                );
                set.left_out.push((name, why));
                continue;
            }
            let text = match size.and_then(|_| std::fs::read(&file)) {
                Ok(text) => text,
                Err(e) => {
                    set.left_out.push((name, format!("skipped: cannot read it: {e}")));
                    continue;
                }
            };
            let seed = SeedText::new(name, text, folder_label(&root, &file));
            if known.insert(seed.hash) {
                set.seeds.push(seed);
            }
        }
    }
    if set.seeds.is_empty()
        && let Some((name, why)) = set.left_out.first()
    {
        return Err(Error::new(ErrorKind::NoSeed, format!("no seed can be read: {name} was {why}")));
    }
    Ok(set)
}

/// The files of a path argument, each with the folder that labels may be read from.
fn files(path: &str, left_out: &mut Vec<(String, String)>) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
    let plain = Path::new(path);
    let roots: Vec<PathBuf> = if plain.exists() || !path.contains(['*', '?', '[']) {
        vec![plain.to_owned()]
    } else {
        let bad = |why: String| Error::new(ErrorKind::Input, format!("`{path}`: {why}"));
        let found = glob::glob(path).map_err(|e| bad(e.to_string()))?;
        let found: Vec<PathBuf> = found.filter_map(Result::ok).collect();
        if found.is_empty() {
            return Err(bad("no file matches".into()));
        }
        found
    };
    let mut list = Vec::new();
    for root in roots {
        let failed = |e| Error::new(ErrorKind::Input, format!("cannot read {}: {e}", root.display()));
        if std::fs::metadata(&root).map_err(failed)?.is_dir() {
            list.extend(scripts_in(&root, left_out)?.into_iter().map(|file| (root.clone(), file)));
        } else {
            list.push((root.parent().map(Path::to_owned).unwrap_or_default(), root));
        }
    }
    Ok(list)
}

/// The `.smt2` files below a folder, in a fixed order; at least one. Links to folders are not followed, and folders that
/// cannot be read are left out.
pub fn scripts_in(folder: &Path, left_out: &mut Vec<(String, String)>) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(e) => {
                let path = e.path().unwrap_or(folder).display().to_string();
                left_out.push((path, format!("skipped: cannot read it: {e}")));
                continue;
            }
        };
        if !entry.file_type().is_dir() && entry.path().extension().is_some_and(|e| e == "smt2") {
            files.push(entry.into_path());
        }
    }
    if files.is_empty() {
        return Err(Error::new(ErrorKind::NoSeed, format!("no .smt2 file in {}", folder.display())));
    }
    files.sort();
    Ok(files)
}

/// The label of the nearest folder called `sat` or `unsat`, no higher than the last part of the root.
fn folder_label(root: &Path, file: &Path) -> Option<Verdict> {
    let inner = file.strip_prefix(root).ok()?.parent()?;
    let own = root.file_name().into_iter();
    let names: Vec<_> = own.chain(inner.iter()).collect();
    names.into_iter().rev().find_map(|name| match name.to_str()? {
        "sat" => Some(Verdict::Sat),
        "unsat" => Some(Verdict::Unsat),
        _ => None,
    })
}

/// The logic that a script sets.
pub(crate) fn logic_of(script: &[u8]) -> Option<String> {
    let mut lexer = Lexer::new(script).ok()?;
    let mut named = false;
    loop {
        let token = lexer.next_token().ok().filter(|t| t.kind != TokenKind::End)?;
        let text = lexer.text(token);
        if named {
            return Some(String::from_utf8_lossy(text).into_owned());
        }
        named = token.kind == TokenKind::Symbol && text == b"set-logic";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_telling_folder_labels() {
        let label = |root: &str, file: &str| folder_label(Path::new(root), Path::new(file));
        assert_eq!(label("/a/b", "/a/b/QF_S/sat/x.smt2"), Some(Verdict::Sat));
        assert_eq!(label("/a/sat", "/a/sat/unsat/x.smt2"), Some(Verdict::Unsat));
        assert_eq!(label("/a/unsat", "/a/unsat/x.smt2"), Some(Verdict::Unsat));
        assert_eq!(label("/sat/b", "/sat/b/x.smt2"), None, "above what was asked for");
    }

    #[test]
    fn a_folder_and_a_status_that_contradict_are_seen() {
        let seed = |text: &str, status| SeedText::new("s", text, status).is_disputed();
        assert!(seed("(set-info :status sat)", Some(Verdict::Unsat)));
        assert!(!seed("(set-info :status unsat)", Some(Verdict::Unsat)));
        assert!(!seed("(set-info :status unknown)", Some(Verdict::Unsat)));
        assert!(!seed("(set-info :status sat)", None));
    }

    #[test]
    fn globs_files_and_folders_give_each_text_once() {
        let root = std::env::temp_dir().join(format!("smelt-seeds-{}", std::process::id()));
        std::fs::create_dir_all(root.join("sat")).unwrap();
        std::fs::write(root.join("sat/a.smt2"), "(check-sat)").unwrap();
        std::fs::write(root.join("sat/b.smt2"), "(check-sat)").unwrap();
        std::fs::write(root.join("sat/c.smt2"), "(exit)").unwrap();
        let path = |tail: &str| format!("{}{tail}", root.display());
        let set = collect(&[path(""), path("/sat/*.smt2"), path("/sat/c.smt2")], MAX_BYTES).unwrap();
        assert_eq!(set.seeds.len(), 2);
        assert!(set.seeds.iter().all(|s| s.status == Some(Verdict::Sat)));
        for bad in ["/none", "/sat/*.txt", "/*/x[.smt2"] {
            assert!(collect(&[path(bad)], MAX_BYTES).unwrap_err().kind().is_usage(), "{bad}");
        }
        std::fs::remove_dir_all(root).unwrap();
    }
}
