//! `cargo xtask test`: formatting, phrases, lints, all tests that can run here, and a list of those that cannot.
//!
//! The test programs of all crates are built once and their tests run from one queue (`pool`). Ignored tests state
//! their needs in the reason (`needs`): what can be downloaded is downloaded while other tests run, and then the
//! tests whose needs are met run.

mod needs;
mod pool;
mod programs;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::{cargo, options, phrases, run, target};
use needs::Needs;
use pool::{Done, Job, Queue};
use programs::Test;

/// This many of the slowest tests are named at the end.
const SLOWEST: usize = 20;

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

    /// How many tests run at the same time. Many wait for a process; slow ones count a lot and are not to disturb each other.
    fn at_once(&self) -> usize {
        if self.slow { 1 } else { thread::available_parallelism().map_or(1, usize::from) * 2 }
    }
}

pub(crate) fn test(settings: &Settings) -> Result<(), String> {
    phrases::check()?;
    if has("fmt") {
        run(cargo(&["fmt", "--all", "--check"]))?;
    }
    if has("clippy") {
        let mut clippy = cargo(&["clippy", "--all-targets"]);
        clippy.args(&settings.packages).args(["--", "-D", "warnings"]);
        run(clippy)?;
    }
    let mut build = cargo(&["test"]);
    build.args(&settings.packages).args(settings.slow.then_some("--release"));
    let tests = programs::build(build)?;
    // The smelt that installs solvers is part of a build of all tests.
    if settings.packages != ["--workspace"] {
        let mut build = cargo(&["build", "-p", "smelt"]);
        build.args(settings.slow.then_some("--release"));
        run(build)?;
    }
    let (done, ignored) = run_all(settings, tests)?;
    report(&done, &ignored)
}

/// Whether a component of the toolchain is there; says so if not.
fn has(subcommand: &str) -> bool {
    let there = cargo(&[subcommand, "--version"]).output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("xtask: left out: cargo {subcommand} is not installed");
    }
    there
}

/// Tests that cannot run here, by what is missing.
type Ignored = BTreeMap<String, Vec<String>>;

/// Runs all tests that can run here.
fn run_all(settings: &Settings, tests: Vec<Test>) -> Result<(Vec<Done>, Ignored), String> {
    let folder = pool::output_folder(target().join("output-of-tests"))?;
    let (queue, done) = (Queue::default(), Mutex::new(Vec::new()));
    let (later, now): (Vec<Test>, Vec<Test>) = tests.into_iter().partition(|test| test.ignored.is_some());
    let ignored = thread::scope(|scope| {
        for number in 0..settings.at_once() {
            let file = folder.join(number.to_string());
            let (queue, done) = (&queue, &done);
            scope.spawn(move || {
                pool::work(queue, &file, |test| {
                    show(&test, settings.slow);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push(test);
                });
            });
        }
        queue.add(jobs(settings, now, &needs::empty_cache()));
        queue.add(examples(settings).into_iter().collect());
        let (ready, ignored) = meet_needs(settings, later);
        eprintln!("xtask: {} tests whose needs are met", ready.len());
        queue.add(jobs(settings, ready, &needs::cache()));
        queue.close();
        ignored
    });
    let _ = std::fs::remove_dir_all(folder);
    Ok((done.into_inner().unwrap_or_else(PoisonError::into_inner), ignored))
}

fn jobs(settings: &Settings, tests: Vec<Test>, cache: &Path) -> Vec<Job> {
    let job = |test: Test| {
        let mut command = test.command();
        command.env("PATH", needs::path()).env("XDG_CACHE_HOME", cache);
        if settings.slow {
            // Show the measurements of slow tests.
            command.env("SMELT_SLOW", "1").arg("--nocapture");
        }
        Job { name: test.shown(), command }
    };
    tests.into_iter().map(job).collect()
}

/// Examples in the documentation, which cargo alone can run.
fn examples(settings: &Settings) -> Option<Job> {
    let mut command = cargo(&["test", "--doc", "--workspace"]);
    command.args(settings.slow.then_some("--release"));
    let name = "examples in the documentation".to_owned();
    (settings.packages == ["--workspace"]).then_some(Job { name, command })
}

/// The ignored tests whose needs are met, and the others by what is missing.
fn meet_needs(settings: &Settings, tests: Vec<Test>) -> (Vec<Test>, Ignored) {
    let _ = std::fs::remove_dir_all(needs::cache());
    let mut needs = Needs::new(settings.slow, smelt(settings));
    let (mut ready, mut ignored) = (Vec::new(), Ignored::new());
    for test in tests {
        match needs.missing(test.ignored.as_deref().unwrap_or_default()) {
            None => ready.push(test),
            Some(why) => ignored.entry(why).or_default().push(test.shown()),
        }
    }
    (ready, ignored)
}

fn smelt(settings: &Settings) -> std::path::PathBuf {
    target().join(if settings.slow { "release/smelt" } else { "debug/smelt" })
}

fn show(test: &Done, shows_output: bool) {
    let outcome = if test.passed { "ok" } else { "FAILED" };
    let seconds = test.wall.as_secs_f64();
    println!("{outcome:6} {seconds:6.1} s  {}", test.name);
    if shows_output || !test.passed {
        println!("{}", test.output);
    }
}

/// Prints the slowest tests, those that were ignored, those that failed, and last how many there were of each.
fn report(done: &[Done], ignored: &Ignored) -> Result<(), String> {
    let mut slowest: Vec<&Done> = done.iter().collect();
    slowest.sort_by_key(|test| std::cmp::Reverse(test.wall));
    println!("the slowest tests: time, CPU time");
    for test in slowest.iter().take(SLOWEST) {
        println!("    {:6.1} s {:6.1} s  {}", test.wall.as_secs_f64(), test.cpu.as_secs_f64(), test.name);
    }
    for (why, names) in ignored {
        println!("ignored, {why}");
        names.iter().for_each(|name| println!("    {name}"));
    }
    let failed: Vec<&Done> = done.iter().filter(|test| !test.passed).collect();
    failed.iter().for_each(|test| println!("failed: {}", test.name));
    let skipped: usize = ignored.values().map(Vec::len).sum();
    println!("{} passed, {} failed, {skipped} skipped", done.len() - failed.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { Err("tests failed".to_owned()) }
}

#[cfg(test)]
mod tests {
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

    /// Crates that say that they have no unit tests, or no examples in their documentation, are not built for them.
    #[test]
    fn no_unit_test_and_no_example_is_forgotten() {
        for folder in crate::root().join("crates").read_dir().unwrap() {
            let folder = folder.unwrap().path();
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            let library =
                manifest.split("[lib]").nth(1).unwrap_or_default().split('[').next().unwrap_or_default();
            for file in crate::source::files(&folder.join("src"), &["rs"]) {
                let text = std::fs::read_to_string(&file).unwrap();
                let has_test = text.lines().any(|line| line == "#[cfg(test)]");
                // Every other fence begins a block; a block with a language is not an example.
                let fences = text
                    .lines()
                    .filter_map(|line| line.trim_start().split_once("/ ```").or(line.split_once("! ```")));
                let has_example = fences.step_by(2).any(|(_, language)| language.is_empty());
                assert!(!has_test || !library.contains("\ntest = false"), "{}", file.display());
                assert!(!has_example || !library.contains("doctest = false"), "{}", file.display());
            }
        }
    }

    #[test]
    fn smelt_can_be_built_without_postgresql() {
        let tree = |features: &[&str]| {
            let mut tree =
                super::cargo(&["tree", "--offline", "-p", "smelt", "-e", "normal", "--prefix", "none"]);
            let output = tree.args(features).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        assert!(tree(&[]).contains("postgres"));
        assert!(!tree(&["--no-default-features"]).contains("postgres"));
    }
}
