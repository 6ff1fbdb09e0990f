//! `cargo xtask count`: lines of code by crate, and files and functions that are too long.
//!
//! Tests, benchmarks, comments and blank lines are not code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::source::{self, Function};
use crate::{options, root, target};

/// The most lines of a file, tests and comments included.
const FILE_LINES: usize = 600;
/// The most lines of a function that is not a test.
const FUNCTION_LINES: usize = 100;

#[derive(Default)]
pub(crate) struct Settings {
    /// The commit to compare with.
    base: Option<String>,
}

impl Settings {
    pub(crate) fn read(options: &[&str]) -> Option<Settings> {
        let mut settings = Settings::default();
        options::read(options, |name, values| {
            match name {
                "--base" => settings.base = Some(values.text()?),
                _ => return None,
            }
            Some(())
        })?;
        Some(settings)
    }
}

/// What is counted in a workspace.
#[derive(Default)]
struct Counts {
    /// Lines of code by crate.
    crates: BTreeMap<String, usize>,
    /// Files and functions that are too long, by a name without line numbers, with their lines.
    long: BTreeMap<String, usize>,
}

pub(crate) fn count(settings: &Settings) -> Result<(), String> {
    let now = Counts::of(&root())?;
    let base = settings.base.as_deref().map(counts_at).transpose()?;
    let empty = BTreeMap::new();
    let before = base.as_ref().map_or(&empty, |base| &base.crates);
    let names: BTreeSet<&String> = now.crates.keys().chain(before.keys()).collect();
    let print = |name: &str, now: usize, before: Option<usize>| match before {
        None => println!("{now:7}  {name}"),
        Some(before) => {
            println!(
                "{now:7} {:+7}  {name}",
                i64::try_from(now).unwrap_or(0) - i64::try_from(before).unwrap_or(0)
            );
        }
    };
    for name in names {
        let of = |crates: &BTreeMap<String, usize>| crates.get(name).copied().unwrap_or(0);
        print(name, of(&now.crates), base.as_ref().map(|b| of(&b.crates)));
    }
    let sum = |counts: &Counts| counts.crates.values().sum();
    print("lines of code", sum(&now), base.as_ref().map(sum));
    now.long.iter().for_each(|(name, lines)| println!("{lines} lines: {name}"));
    Ok(())
}

/// Counts a commit, from an archive of it.
fn counts_at(revision: &str) -> Result<Counts, String> {
    let folder = target().join("count");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let failed = |e: std::io::Error| format!("cannot get {revision}: {e}");
    let mut git = Command::new("git");
    git.args(["archive", revision]).current_dir(root()).stdout(Stdio::piped());
    let mut archive = git.spawn().map_err(failed)?;
    let tar = archive
        .stdout
        .take()
        .map(|stdout| Command::new("tar").arg("-x").current_dir(&folder).stdin(stdout).status());
    let is_there = archive.wait().map_err(failed)?.success();
    if !is_there || !tar.is_some_and(|tar| tar.is_ok_and(|status| status.success())) {
        return Err(format!("cannot get {revision}"));
    }
    let counts = Counts::of(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    counts
}

impl Counts {
    fn of(workspace: &Path) -> Result<Counts, String> {
        let mut counts = Counts::default();
        for (krate, folder) in crates(workspace)? {
            let files = source::files(&folder, &["rs"]);
            let mut tests: Vec<PathBuf> =
                ["tests", "benches"].into_iter().map(|name| folder.join(name)).collect();
            let mut code = BTreeMap::new();
            for file in files {
                let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
                let name = file.strip_prefix(workspace).unwrap_or(&file).display().to_string();
                if text.lines().count() > FILE_LINES {
                    counts.long.insert(name.clone(), text.lines().count());
                }
                let (left, modules) = source::without_tests(&source::code(&text));
                tests.extend(modules.iter().flat_map(|module| places(&file, module)));
                code.insert(file, (name, left));
            }
            code.retain(|file, _| !tests.iter().any(|test| file.starts_with(test)));
            for (name, code) in code.into_values() {
                *counts.crates.entry(krate.clone()).or_default() += lines(&code);
                let functions = source::functions(&code).into_iter();
                let long = functions.filter(|f| f.lines > FUNCTION_LINES);
                counts
                    .long
                    .extend(long.map(|Function { name: f, lines, .. }| (format!("{name} {f}"), lines)));
            }
        }
        Ok(counts)
    }
}

/// The crates of a workspace and their folders.
fn crates(workspace: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let folder = workspace.join("crates");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let named = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), path));
    let crates = entries.flatten().map(|entry| entry.path()).chain([workspace.join("xtask")]);
    Ok(crates.filter_map(named).collect())
}

/// Where the file of a module may be, as a file and as a folder.
fn places(file: &Path, module: &str) -> [PathBuf; 2] {
    let folder = file.parent().unwrap_or(file);
    let stem = file.file_stem().unwrap_or_default();
    let folder = match stem.to_str() {
        Some("mod" | "lib" | "main") => folder.to_owned(),
        _ => folder.join(stem),
    };
    [folder.join(format!("{module}.rs")), folder.join(module)]
}

/// Lines that are not blank.
fn lines(code: &str) -> usize {
    code.lines().filter(|line| !line.trim().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables and parsers that are easier to read in one piece, each with its reason.
    const LONG: [(&str, &str); 1] = [(
        "crates/smtlib/src/parser/command.rs command",
        "a parser with an arm for each command of the standard",
    )];

    #[test]
    fn files_and_functions_are_short() {
        let long = Counts::of(&root()).unwrap().long;
        let allowed: BTreeSet<&str> = LONG.iter().map(|(name, _)| *name).collect();
        let found: BTreeSet<&str> = long.keys().map(String::as_str).collect();
        let new: Vec<_> = found.difference(&allowed).map(|name| (name, long[*name])).collect();
        assert!(new.is_empty(), "more than {FILE_LINES} or {FUNCTION_LINES} lines: {new:#?}");
        assert!(allowed.is_subset(&found), "no longer long: {:?}", allowed.difference(&found));
    }

    #[test]
    fn modules_are_files_or_folders() {
        let at = |file: &str| places(Path::new(file), "tests").map(|p| p.display().to_string());
        assert_eq!(at("a/src/lib.rs"), ["a/src/tests.rs", "a/src/tests"]);
        assert_eq!(at("a/src/b.rs"), ["a/src/b/tests.rs", "a/src/b/tests"]);
    }

    #[test]
    fn comments_blank_lines_and_tests_do_not_count() {
        let code = source::code(
            "//! A.\n\nfn a() {\n    // b\n    c(\"x\n\n  y\");\n}\n#[cfg(test)]\nmod tests {}\n",
        );
        assert_eq!(lines(&source::without_tests(&code).0), 4);
    }
}
