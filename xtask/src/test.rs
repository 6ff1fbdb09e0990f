//! `cargo xtask test`: formatting, lints, all tests that can run here, and a list of those that cannot.
//!
//! The first pass runs every test that needs nothing. Ignored tests say in their reason what they need (`needs`); what can be
//! fetched is fetched, and the second pass runs those tests whose needs are met.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::needs::{self, Needs};
use crate::{cargo, options, run, target};

pub(crate) struct Settings {
    /// With the tests that take long.
    pub(crate) slow: bool,
    /// The arguments that tell cargo which crates to test.
    pub(crate) packages: Vec<String>,
}

impl Settings {
    pub(crate) fn read(options: &[&str]) -> Option<Settings> {
        let mut settings = Settings { slow: false, packages: Vec::new() };
        options::read(options, |name, values| {
            match name {
                "--slow" => settings.slow = true,
                "-p" => settings.packages.extend(["-p".to_owned(), values.text()?]),
                _ => return None,
            }
            Some(())
        })?;
        if settings.packages.is_empty() {
            settings.packages.push("--workspace".to_owned());
        }
        Some(settings)
    }
}

pub(crate) fn test(settings: &Settings) -> Result<(), String> {
    if has("fmt") {
        run(cargo(&["fmt", "--all", "--check"]))?;
    }
    if has("clippy") {
        let mut clippy = cargo(&["clippy", "--all-targets"]);
        clippy.args(&settings.packages).args(["--", "-D", "warnings"]);
        run(clippy)?;
    }
    let _ = std::fs::remove_dir_all(needs::cache());
    let first = pass(settings, &[])?;
    // The smelt that installs solvers is part of a run of all tests.
    if settings.packages != ["--workspace"] {
        let build: &[&str] =
            if settings.slow { &["build", "-p", "smelt", "--release"] } else { &["build", "-p", "smelt"] };
        run(cargo(build))?;
    }
    let smelt = target().join(if settings.slow { "release/smelt" } else { "debug/smelt" });
    let mut needs = Needs::new(settings.slow, smelt);
    let (mut ready, mut ignored) = (Vec::new(), BTreeMap::<String, Vec<&str>>::new());
    for (name, reason) in &first.ignored {
        match needs.missing(reason) {
            None => ready.push(name.as_str()),
            Some(why) => ignored.entry(why).or_default().push(name),
        }
    }
    let second =
        if ready.is_empty() { Pass { good: true, ..Pass::default() } } else { pass(settings, &ready)? };
    report(&first, &second, &ignored);
    if first.good && second.good { Ok(()) } else { Err("tests failed".to_owned()) }
}

/// Whether a component of the toolchain is there; says so if not.
fn has(subcommand: &str) -> bool {
    let there = cargo(&[subcommand, "--version"]).output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("xtask: left out: cargo {subcommand} is not installed");
    }
    there
}

/// What one run of `cargo test` printed.
#[derive(Default)]
struct Pass {
    good: bool,
    passed: u64,
    failed: u64,
    /// Name of a test, and why it was ignored.
    ignored: Vec<(String, String)>,
}

/// Runs all tests that are not ignored; or these ignored ones.
fn pass(settings: &Settings, ignored: &[&str]) -> Result<Pass, String> {
    let mut command = cargo(&["test", "--no-fail-fast"]);
    command.args(&settings.packages);
    if settings.slow {
        command.arg("--release").env("SMELT_SLOW", "1");
    }
    command.arg("--");
    if settings.slow {
        // Slow tests count a lot: one at a time, so that they do not disturb each other.
        command.args(["--test-threads=1", "--nocapture"]);
    } else {
        // Many tests wait for a process.
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        command.arg(format!("--test-threads={}", cores * 2));
    }
    if !ignored.is_empty() {
        eprintln!("xtask: {} tests that need something", ignored.len());
        command.args(["--ignored", "--exact"]).args(ignored);
    }
    command.env("PATH", needs::path()).env("XDG_CACHE_HOME", needs::cache());
    watch(command)
}

/// Runs `cargo test`, shows what it prints and counts.
fn watch(mut command: Command) -> Result<Pass, String> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("cannot run cargo: {e}"))?;
    let mut pass = Pass::default();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line.map_err(|e| format!("cannot read what cargo prints: {e}"))?;
            let line = String::from_utf8_lossy(&line);
            if pass.read(&line) {
                println!("{line}");
            }
        }
    }
    pass.good = child.wait().map_err(|e| e.to_string())?.success();
    Ok(pass)
}

impl Pass {
    /// Reads a line; whether it is worth showing.
    fn read(&mut self, line: &str) -> bool {
        let outcome = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
        if let Some((name, reason)) = outcome
            && let Some(reason) = reason.strip_prefix("ignored")
        {
            let reason = reason.trim_start_matches(", ");
            self.ignored.push((name.to_owned(), reason.to_owned()));
            return false;
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            let count = |word: &str| -> u64 {
                let before = result.split(word).next().unwrap_or_default();
                before.split_whitespace().last().and_then(|n| n.parse().ok()).unwrap_or(0)
            };
            self.passed += count(" passed");
            self.failed += count(" failed");
            return count(" passed") + count(" failed") > 0;
        }
        !line.is_empty() && line != "running 0 tests"
    }
}

fn report(first: &Pass, second: &Pass, ignored: &BTreeMap<String, Vec<&str>>) {
    let count: usize = ignored.values().map(Vec::len).sum();
    for (why, names) in ignored {
        println!("ignored, {why}");
        names.iter().for_each(|name| println!("    {name}"));
    }
    let (passed, failed) = (first.passed + second.passed, first.failed + second.failed);
    println!("xtask: {passed} tests passed, {failed} failed, {count} ignored");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_prints_is_counted() {
        let mut pass = Pass::default();
        let shown: Vec<bool> = [
            "running 3 tests",
            "test a::b ... ok",
            "test a::c ... ignored, needs z3, corpus",
            "test d ... ignored",
            "test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s",
            "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s",
            "",
        ]
        .map(|line| pass.read(line))
        .to_vec();
        assert_eq!(shown, [true, true, false, false, true, false, true, false]);
        assert_eq!((pass.passed, pass.failed), (13, 3));
        let ignored = [("a::c", "needs z3, corpus"), ("d", "")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(pass.ignored, ignored);
    }

    /// The tests of a crate are one program; a file that neither it nor the manifest names would never run.
    #[test]
    fn no_file_of_tests_is_forgotten() {
        for folder in crate::root().join("crates").read_dir().unwrap() {
            let folder = folder.unwrap().path();
            let tests = folder.join("tests");
            let Ok(all) = std::fs::read_to_string(tests.join("all.rs")) else { continue };
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            for file in tests.read_dir().unwrap() {
                let file = file.unwrap().path();
                let name = file.file_stem().unwrap().to_str().unwrap();
                let is_named =
                    manifest.contains(&format!("name = \"{name}\"")) || all.contains(&format!("mod {name};"));
                assert!(is_named || file.extension().is_none_or(|e| e != "rs"), "{}", file.display());
            }
        }
    }
}
