//! `smelt evolve` from the outside: finds, confirms, stores, goes on, and is clear about trouble.
//!
//! Hermetic: solvers are small shell scripts that look for an operator.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("smelt-evolve-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let folder = Folder(path);
        folder.solver("fast", "echo sat");
        folder.solver(
            "slow",
            "case \"$text\" in *str.len*|*str.at*|*str.substr*) while :; do :; done;; esac; echo sat",
        );
        folder
    }

    /// A solver: what it does with `$text`, the script in a file or on stdin.
    fn solver(&self, name: &str, body: &str) {
        let path = self.0.join(name);
        let script =
            format!("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\ntext=$(cat \"${{1:--}}\")\n{body}\n");
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn evolve(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_smelt"));
        command.current_dir(&self.0).arg("evolve").args(args);
        command.args(["--timeout", "150ms", "--confirm", "300ms", "--population", "12"]).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text} {}", String::from_utf8_lossy(&output.stderr)))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const BOTH: [&str; 4] = ["-S", "./slow", "-R", "./fast"];

#[test]
fn a_hang_is_bred_confirmed_and_stored_and_the_search_goes_on() {
    let folder = Folder::new("hang");
    let first =
        [&BOTH[..], &["--generations", "4", "--seed", "3", "--out", "o", "--json", "-j", "2"]].concat();
    let output = folder.evolve(&first);
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let summary = json(&output);
    let confirmed = summary["confirmed"].as_array().unwrap();
    assert!(!confirmed.is_empty(), "{summary}");
    for c in confirmed {
        assert_eq!(c["kind"], "hang");
        let script = c["script"].as_str().unwrap();
        assert!(["str.len", "str.at", "str.substr"].iter().any(|o| script.contains(o)), "{script}");
        assert!(!c["operators"].as_array().unwrap().is_empty(), "{c}");
    }
    assert_eq!(summary["generations"], 4);
    let page = std::fs::read_to_string(folder.0.join("o/index.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 5);
    let resumed = folder.evolve(&["--resume", "--generations", "6", "--out", "o", "--json", "-j", "1"]);
    let after = json(&resumed);
    assert_eq!(after["generations"], 6);
    assert!(after["confirmed"].as_array().unwrap().len() >= confirmed.len());
    let bugs = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .current_dir(&folder.0)
        .args(["bugs", "o"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&bugs.stdout).contains("hang"), "{bugs:?}");
    let mut replay = Command::new(env!("CARGO_BIN_EXE_smelt"));
    let replay =
        replay.current_dir(&folder.0).args(["replay", "1", "o", "--timeout", "1s"]).output().unwrap();
    assert!(String::from_utf8_lossy(&replay.stdout).contains("it happens again"), "{replay:?}");
}

#[test]
fn a_target_that_is_always_fast_has_nothing_and_ends_with_0() {
    let folder = Folder::new("fast");
    let args = ["-S", "./fast", "-R", "./fast", "--generations", "2", "--seed", "1", "--out", "o", "-j", "1"];
    let output = folder.evolve(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("nothing confirmed"));
    assert!(stderr(&output).contains("generation 2, best"), "{}", stderr(&output));
}

#[test]
fn seeds_of_the_user_are_where_it_starts() {
    let folder = Folder::new("seeds");
    let seed = "(declare-const a String)(assert (= (str.len a) 3))(check-sat)";
    std::fs::write(folder.0.join("seed.smt2"), seed).unwrap();
    std::fs::write(folder.0.join("bad.smt2"), "(push 1)(check-sat)").unwrap();
    let args = [&["."][..], &BOTH, &["--generations", "1", "--seed", "1", "--out", "o", "-j", "1"]].concat();
    let output = folder.evolve(&args);
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    assert!(stderr(&output).contains("bad.smt2: it is more than declarations"), "{}", stderr(&output));
}

#[test]
fn what_a_solver_cannot_do_is_said_once_and_clearly() {
    let folder = Folder::new("trouble");
    let common = ["--generations", "3", "--seed", "1", "-j", "1"];
    let with = |args: &[&str], out: &str| folder.evolve(&[args, &common, &["--out", out]].concat());

    folder.solver("deaf", "echo '(error \"syntax error: cannot read\")'");
    let output = with(&["-S", "./slow", "-R", "./deaf"], "a");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let last = stderr(&output).lines().last().unwrap().to_owned();
    assert!(last.contains("the reference ./deaf does not take these formulas"), "{last}");

    folder.solver("frail", "case \"$text\" in *str.*) kill -SEGV $$;; esac; echo sat");
    let output = with(&["-S", "./frail", "-R", "./fast"], "b");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("crashes on some formulas").count(), 1, "{}", stderr(&output));

    let mut command = Command::new(env!("CARGO_BIN_EXE_smelt"));
    command.current_dir(&folder.0).env("PATH", "/nonexistent").arg("evolve").args(BOTH);
    let output = command.args(["--coverage", "gcov", "--out", "c"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no gcov on PATH"), "{}", stderr(&output));

    for (args, word) in [
        (&["-S", "./slow"][..], "-R"),
        (&["-S", "./slow", "-R", "./fast", "--objectives", "speed"], "no objective `speed`"),
        (&["-S", "./slow", "-R", "./fast", "--theory", "colours"], "no theory `colours`"),
        (&["-S", "./slow", "-R", "./fast", "--population", "2"], "at least 4"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_smelt"));
        let output =
            command.current_dir(&folder.0).arg("evolve").args(args).args(["--out", "d"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
}
