//! The test programs of the workspace, built once, and the tests in them.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{root, run_with};

/// One test of a program.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) program: PathBuf,
    /// The folder of its crate, in which it runs.
    pub(super) folder: PathBuf,
    pub(super) name: String,
    /// Why the program ignores it unless it is asked for.
    pub(super) ignored: Option<String>,
}

impl Test {
    /// Its name for a person: crate and test.
    pub(super) fn shown(&self) -> String {
        let folder = self.folder.strip_prefix(root()).unwrap_or(&self.folder);
        let name = folder.strip_prefix("crates").unwrap_or(folder);
        format!("{} {}", name.display(), self.name)
    }

    /// Runs this test and no other.
    pub(super) fn command(&self) -> Command {
        let mut command = start(&self.program, &self.folder);
        // With one thread libtest would use the main thread, whose stack is larger than that of any other.
        command.args(["--include-ignored", "--test-threads=2", "--exact", &self.name]);
        command
    }
}

/// Builds the test programs that cargo selects by these arguments, and lists their tests. Large programs come first: they
/// are those of the topmost crates, whose tests take longest.
pub(super) fn build(mut cargo: Command) -> Result<Vec<Test>, String> {
    cargo.args(["--no-run", "--message-format=json-render-diagnostics"]).stdout(Stdio::piped());
    let mut programs = Vec::new();
    run_with(cargo, |child| {
        let lines = child.stdout.take().map(|stdout| BufReader::new(stdout).lines());
        programs = lines.into_iter().flatten().map_while(Result::ok).filter_map(|l| program(&l)).collect();
    })?;
    let size = |(program, _): &(PathBuf, PathBuf)| program.metadata().map_or(0, |m| m.len());
    programs.sort_by_key(|program| std::cmp::Reverse(size(program)));
    let mut tests = Vec::new();
    for (program, folder) in programs {
        tests.extend(list(&program, &folder)?);
    }
    Ok(tests)
}

/// The test program, and its crate's folder, that a line of cargo is about.
fn program(line: &str) -> Option<(PathBuf, PathBuf)> {
    let message: Value = serde_json::from_str(line).ok()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let program = message["executable"].as_str()?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    Some((program.into(), folder.to_owned()))
}

fn start(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    command
}

fn list(program: &Path, folder: &Path) -> Result<Vec<Test>, String> {
    let ask = |arguments: &[&str]| {
        let output = start(program, folder).args(arguments).output();
        let output = output.map_err(|e| format!("cannot run {}: {e}", program.display()))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(format!("{} does not list its tests", program.display())),
        }
    };
    let names = |text: &str| -> Vec<String> {
        text.lines().filter_map(|l| l.strip_suffix(": test")).map(str::to_owned).collect()
    };
    let all = names(&ask(&["--list", "--format=terse"])?);
    let ignored = names(&ask(&["--list", "--format=terse", "--ignored"])?);
    // A list has no reasons. A run of the ignored tests alone runs nothing, and says why.
    let reasons = match ignored.is_empty() {
        true => String::new(),
        false => {
            let names = ignored.iter().map(String::as_str);
            ask(&["--exact"].into_iter().chain(names).collect::<Vec<_>>())?
        }
    };
    let test = |name: String| {
        let ignored = ignored.contains(&name).then(|| reason(&reasons, &name));
        Test { program: program.to_owned(), folder: folder.to_owned(), name, ignored }
    };
    Ok(all.into_iter().map(test).collect())
}

/// Why a test is ignored, in what its program prints.
fn reason(printed: &str, name: &str) -> String {
    let outcomes = printed.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... ignored"));
    let mut reasons = outcomes.filter(|(test, _)| *test == name).map(|(_, reason)| reason);
    reasons.next().unwrap_or_default().trim_start_matches(", ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_programs_are_found_in_what_cargo_prints() {
        let line = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/w/crates/a/Cargo.toml","profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        assert_eq!(program(&line(true, r#""/t/a-1""#)), Some(("/t/a-1".into(), "/w/crates/a".into())));
        assert_eq!(program(&line(false, r#""/t/a""#)), None);
        assert_eq!(program(&line(true, "null")), None);
        assert_eq!(program(r#"{"reason":"build-finished","success":true}"#), None);
    }

    #[test]
    fn an_ignored_test_says_why() {
        let printed = "running 2 tests\ntest a::c ... ignored, needs z3, corpus\ntest d ... ignored\n";
        assert_eq!(reason(printed, "a::c"), "needs z3, corpus");
        assert_eq!(reason(printed, "d"), "");
    }

    #[test]
    fn a_program_lists_its_tests_and_runs_one() {
        let program = std::env::current_exe().unwrap();
        let tests = list(&program, &root().join("xtask")).unwrap();
        let own = "test::programs::tests::an_ignored_test_says_why";
        let test = tests.iter().find(|t| t.name == own).expect("the program with this test");
        assert_eq!(test.ignored, None);
        assert_eq!(test.shown(), format!("xtask {own}"));
        let output = test.command().output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed; 0 failed"));
    }
}
