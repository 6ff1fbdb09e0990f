//! The needs of tests beyond this repository: checks for them, and installs what is missing.
//!
//! A test states its needs in the reason for which `cargo test` ignores it: `#[ignore = "needs z3, corpus"]`. A
//! need is a program on PATH, a release of smelt's zoo such as `z3@4.8.7`, `corpus` (the folder
//! `../shared/corpus`), `llvm-tools` (of rustc's version), `pyyaml` (Python's module), `postgresql` (the server,
//! which Debian does not put on PATH), or `--slow`. smelt itself installs releases into the zoo, with pip. If `z3`
//! or `cvc5` is not on PATH, a release of the zoo replaces it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{root, target};

/// Releases that take the place of a program that is not on PATH.
const SUBSTITUTES: [(&str, &str); 2] = [("z3", "z3@4.8.12"), ("cvc5", "cvc5@1.0.9")];

pub(super) struct Needs {
    slow: bool,
    smelt: PathBuf,
    /// By need: nothing if it is met, else why it is not.
    known: BTreeMap<String, Option<String>>,
}

impl Needs {
    /// `smelt` is the program that installs releases.
    pub(super) fn new(slow: bool, smelt: PathBuf) -> Needs {
        Needs { slow, smelt, known: BTreeMap::new() }
    }

    /// Why a test with this reason cannot run here; nothing if it can.
    pub(super) fn missing(&mut self, reason: &str) -> Option<String> {
        let Some(needs) = reason.strip_prefix("needs ") else { return Some(reason.to_owned()) };
        let needs: Vec<&str> = needs.split(", ").collect();
        // Nothing is fetched for a test that cannot run anyway.
        if needs.contains(&"--slow") && !self.slow {
            return Some("needs --slow".to_owned());
        }
        needs.into_iter().find_map(|need| {
            if !self.known.contains_key(need) {
                let missing = self.look_for(need).err();
                self.known.insert(need.to_owned(), missing);
            }
            self.known[need].as_ref().map(|why| format!("needs {need}: {why}"))
        })
    }

    fn look_for(&self, need: &str) -> Result<(), String> {
        match need {
            "--slow" => Ok(()),
            "corpus" => {
                let folder = root().join("../shared/corpus");
                if folder.is_dir() { Ok(()) } else { Err("there is no ../shared/corpus".to_owned()) }
            }
            "llvm-tools" => llvm_tools(),
            "pyyaml" => {
                let import = Command::new("python3").args(["-c", "import yaml"]).output();
                let is_here = import.is_ok_and(|output| output.status.success());
                if is_here { Ok(()) } else { Err("python3 has no module yaml".to_owned()) }
            }
            "postgresql" => postgresql(),
            release if release.contains('@') => show(release, &self.install(release)?),
            program if find(program).is_some() => Ok(()),
            program => match SUBSTITUTES.iter().find(|s| s.0 == program) {
                Some((_, release)) => self.substitute(program, release),
                None => Err("it is not on PATH".to_owned()),
            },
        }
    }

    /// Installs a release, unless it is installed; its folder.
    fn install(&self, release: &str) -> Result<PathBuf, String> {
        let install = Command::new(&self.smelt).args(["solvers", "install", release, "--json"]).output();
        let output = install.map_err(|e| format!("cannot run {}: {e}", self.smelt.display()))?;
        let installed: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
            let error = String::from_utf8_lossy(&output.stderr);
            error.lines().last().unwrap_or("no message").trim_start_matches("smelt: ").to_owned()
        })?;
        if installed[0]["new"] == true {
            eprintln!("xtask: installed {release}");
        }
        let folder = installed[0]["folder"].as_str().ok_or("smelt does not say where it is")?;
        Ok(folder.into())
    }

    /// Makes a release run under the name of a program, in [`programs`].
    fn substitute(&self, program: &str, release: &str) -> Result<(), String> {
        let folder = self.install(release)?;
        let link = programs().join(program);
        let binary = folder.join("site/bin").join(program);
        let made = std::fs::create_dir_all(programs()).and_then(|()| {
            let _ = std::fs::remove_file(&link);
            if binary.is_file() {
                return symlink(&binary, &link);
            }
            // A release that is a Python module: run as smelt runs it.
            let runner = folder.join("../../runner.py");
            let python =
                Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output()?;
            let python = String::from_utf8_lossy(&python.stdout).trim().to_owned();
            let (runner, site) = (runner.display(), folder.join("site"));
            let script =
                format!("#!/bin/sh\nexec '{python}' -I '{runner}' {program} '{}' \"$@\"\n", site.display());
            std::fs::write(&link, script)?;
            std::fs::set_permissions(&link, std::fs::Permissions::from_mode(0o755))
        });
        made.map_err(|e| format!("cannot make {}: {e}", link.display()))?;
        eprintln!("xtask: {program} is not on PATH; {release} takes its place");
        Ok(())
    }
}

/// The cache folder that smelt has in the tests: its zoo has the releases that tests need and no others, since what a
/// bisection or a report says depends on the releases that are there.
pub(super) fn cache() -> PathBuf {
    target().join("cache-of-tests")
}

/// The cache folder of tests that need nothing: its zoo stays empty, whatever is installed while they run.
pub(super) fn empty_cache() -> PathBuf {
    target().join("cache-without-solvers")
}

/// Puts an installed release into the zoo of the tests.
fn show(release: &str, folder: &Path) -> Result<(), String> {
    let link = cache().join("smelt/solvers").join(release.replacen('@', "/", 1));
    let made = std::fs::create_dir_all(link.parent().unwrap_or(&link)).and_then(|()| symlink(folder, &link));
    made.map_err(|e| format!("cannot make {}: {e}", link.display()))
}

/// The folder of programs that are put behind PATH for the tests.
pub(super) fn programs() -> PathBuf {
    target().join("solvers")
}

/// PATH with [`programs`] at its end.
pub(super) fn path() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([programs()]);
    std::env::join_paths(folders).unwrap_or(path)
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let is_program = |p: &PathBuf| Path::is_file(p);
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(is_program)
}

/// The server, on PATH or where Debian puts it.
fn postgresql() -> Result<(), String> {
    let releases = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut programs = releases.map(|release| release.path().join("bin/initdb"));
    if find("initdb").is_some() || programs.any(|p| p.is_file()) {
        return Ok(());
    }
    Err("it is not installed (Debian's package is postgresql)".to_owned())
}

/// LLVM's tools read only what a compiler of their own version wrote.
fn llvm_tools() -> Result<(), String> {
    let version = |program: &str, argument: &str| -> Option<u32> {
        let output = Command::new(program).arg(argument).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let after = text.split("LLVM version").nth(1)?.trim_start_matches([':', ' ']);
        after.split('.').next()?.parse().ok()
    };
    let compiler = version("rustc", "-vV").ok_or("rustc does not say which LLVM it has")?;
    for tool in ["llvm-profdata", "llvm-cov"] {
        match version(tool, "--version") {
            Some(found) if found >= compiler => {}
            Some(found) => return Err(format!("{tool} is of LLVM {found}, rustc of LLVM {compiler}")),
            None => return Err(format!("{tool} is not on PATH")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_ignored_for_the_first_need_that_is_missing() {
        let mut needs = Needs::new(false, "/nonexistent/smelt".into());
        assert_eq!(
            needs.missing("needs sh, no-such-program").unwrap(),
            "needs no-such-program: it is not on PATH"
        );
        assert_eq!(needs.missing("needs sh"), None);
        assert_eq!(needs.missing("needs z3@0.0, --slow").unwrap(), "needs --slow");
        assert!(needs.missing("needs z3@0.0").unwrap().starts_with("needs z3@0.0: cannot run"));
        assert_eq!(needs.missing("broken").unwrap(), "broken");
        assert_eq!(Needs::new(true, "x".into()).missing("needs --slow"), None);
    }
}
