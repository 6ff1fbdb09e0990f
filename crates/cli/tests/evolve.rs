//! `smelt evolve` from the outside: finds, confirms, stores, continues, and is clear about trouble.
//!
//! Hermetic: solvers are small shell scripts that look for an operator.

use crate::common::{Folder, json, stderr, stdout};
use std::process::Output;

impl Folder {
    /// With a solver that is fast and one that is not.
    fn with_solvers(name: &str) -> Folder {
        let folder = Folder::new(name);
        folder.solver("fast", "echo sat");
        let slow = "case \"$text\" in *str.len*|*str.at*|*str.substr*) while :; do :; done;; esac; echo sat";
        folder.reader("slow", slow);
        folder
    }

    /// A solver: what it does with `$text`, the script in a file or on stdin.
    fn reader(&self, name: &str, body: &str) {
        let read = "[ \"$1\" = --version ] && exit 0\ntext=$(cat \"${1:--}\")";
        self.program(name, &format!("{read}\n{body}"));
    }

    fn evolve(&self, args: &[&str]) -> Output {
        let mut command = self.command();
        command.arg("evolve").args(args);
        command.args(["--timeout", "150ms", "--confirm", "300ms", "--population", "12"]).output().unwrap()
    }
}

const BOTH: [&str; 4] = ["-S", "./slow", "-R", "./fast"];

#[test]
fn a_hang_is_bred_confirmed_and_stored_and_the_search_goes_on() {
    let folder = Folder::with_solvers("hang");
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
    let plots = page.matches("<figure").count();
    assert!((2..=6).contains(&plots), "those with more than one point: {plots}");
    let resumed = folder.evolve(&["--resume", "--generations", "6", "--out", "o", "--json", "-j", "1"]);
    let after = json(&resumed);
    assert_eq!(after["generations"], 6);
    assert!(after["confirmed"].as_array().unwrap().len() >= confirmed.len());
    let bugs = folder.smelt(&["bugs", "o"]);
    assert!(stdout(&bugs).contains("hang"), "{bugs:?}");
    let replay = folder.smelt(&["replay", "1", "o", "--timeout", "1s"]);
    assert!(stdout(&replay).contains("reproduced"), "{replay:?}");
}

#[test]
fn a_target_that_is_always_fast_gives_no_finding_and_exits_0() {
    let folder = Folder::with_solvers("fast");
    let args = ["-S", "./fast", "-R", "./fast", "--generations", "2", "--seed", "1", "--out", "o", "-j", "1"];
    let output = folder.evolve(&args);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("no slow formula confirmed"));
    assert!(stderr(&output).contains("2 generations, best"), "{}", stderr(&output));
}

#[test]
fn a_search_that_cannot_start_does_not_take_the_folder() {
    let folder = Folder::with_solvers("start");
    folder.reader("deaf", "echo '(error \"syntax error: cannot read\")'");
    let with = |reference: &str| {
        let more = ["--generations", "1", "--seed", "1", "--out", "o", "-j", "1"];
        folder.evolve(&[&["-S", "./fast", "-R", reference][..], &more].concat())
    };
    let output = with("./deaf");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stderr(&output).contains("rejects these formulas"), "{}", stderr(&output));
    assert!(!folder.0.join("o").exists());
    let output = with("./fast");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

#[test]
fn of_several_targets_each_must_hang_and_of_several_references_one_must_be_fast() {
    let folder = Folder::with_solvers("several");
    folder.reader("slower", "case \"$text\" in *str.len*) while :; do :; done;; esac; echo sat");
    folder.reader("deaf", "echo '(error \"syntax error: cannot read\")'");
    let solvers = ["-S", "./slow", "-S", "./slower", "-R", "./deaf", "-R", "./fast"];
    let more = ["--generations", "4", "--seed", "3", "--out", "o", "--json", "-j", "2"];
    let output = folder.evolve(&[&solvers[..], &more].concat());
    assert_eq!(output.status.code(), Some(10), "{output:?}");
    let summary = json(&output);
    for c in summary["confirmed"].as_array().unwrap() {
        assert!(c["script"].as_str().unwrap().contains("str.len"), "the second target is fast: {c}");
    }
    let bugs = json(&folder.smelt(&["bugs", "o", "--json"]));
    let reason = bugs[0]["reason"].as_str().unwrap();
    assert!(reason.contains("nor by ./slower, but ./fast answers sat"), "{bugs}");
}

#[test]
fn operators_that_a_solver_lacks_are_named_and_not_bred() {
    let folder = Folder::with_solvers("lacking");
    let old =
        "case \"$text\" in *str.at*) echo '(error \"unknown constant str.at\")'; exit 1;; esac; echo sat";
    folder.reader("old", old);
    folder.reader("older", &old.replace("str.at", "str.len"));
    let more = ["--generations", "3", "--seed", "3", "--out", "o", "-j", "2"];
    let output = folder.evolve(&[&["-S", "./fast", "-R", "./old", "-S", "./older"][..], &more].concat());
    let said = stderr(&output);
    assert!(said.contains("the reference ./old lacks str.at: these operators are not used"), "{said}");
    assert!(said.contains("the target ./older lacks str.len: these operators are not used"), "{said}");
    assert!(!said.contains("skipping some formulas"), "{said}");
    let state = std::fs::read_to_string(folder.0.join("o/evolve.json")).unwrap();
    assert!(state.contains("str.") && !state.contains("str.at") && !state.contains("str.len"), "{state}");
    let output = folder.evolve(
        &[&["-S", "./fast", "-R", "./old", "-R", "./fast"][..], &["--generations", "1", "--out", "p"]]
            .concat(),
    );
    assert!(!stderr(&output).contains("lack"), "one reference has them all: {}", stderr(&output));
}

#[test]
fn the_search_starts_from_the_users_seeds() {
    let folder = Folder::with_solvers("seeds");
    let seed = "(declare-const a String)(assert (= (str.len a) 3))(check-sat)";
    std::fs::write(folder.0.join("seed.smt2"), seed).unwrap();
    std::fs::write(folder.0.join("bad.smt2"), "(push 1)(check-sat)").unwrap();
    let args = [&["."][..], &BOTH, &["--generations", "1", "--seed", "1", "--out", "o", "-j", "1"]].concat();
    let output = folder.evolve(&args);
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    assert!(stderr(&output).contains("bad.smt2: it is more than declarations"), "{}", stderr(&output));
}

#[test]
fn the_search_starts_from_formulas_of_a_strategy() {
    let folder = Folder::with_solvers("from");
    let more = ["--from", "synthesis:preset=strings,family=operation", "--generations", "1", "--seed", "1"];
    let output = folder.evolve(&[&more[..], &BOTH, &["--out", "o", "-j", "1"]].concat());
    assert_eq!(output.status.code(), Some(10), "{}", stderr(&output));
    let output =
        folder.evolve(&[&BOTH[..], &["--from", "fusion", "--generations", "1", "--out", "p"]].concat());
    assert!(stderr(&output).contains("needs seeds"), "{}", stderr(&output));
}

#[test]
fn a_failing_solver_is_reported_once_and_clearly() {
    let folder = Folder::with_solvers("trouble");
    let common = ["--generations", "3", "--seed", "1", "-j", "1"];
    let with = |args: &[&str], out: &str| folder.evolve(&[args, &common, &["--out", out]].concat());

    folder.reader("deaf", "echo '(error \"syntax error: cannot read\")'");
    let output = with(&["-S", "./slow", "-R", "./deaf"], "a");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let last = stderr(&output).lines().last().unwrap().to_owned();
    assert!(last.contains("the reference ./deaf rejects these formulas"), "{last}");

    folder.reader("frail", "case \"$text\" in *str.*) kill -SEGV $$;; esac; echo sat");
    let output = with(&["-S", "./frail", "-R", "./fast"], "b");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("crashes on some formulas").count(), 1, "{}", stderr(&output));

    let mut command = folder.command();
    command.env("PATH", "/nonexistent").arg("evolve").args(BOTH);
    let output = command.args(["--coverage", "gcov", "--out", "c"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no gcov on PATH"), "{}", stderr(&output));

    for (args, word) in [
        (&["-S", "./slow"][..], "-R"),
        (&["-S", "./slow", "-R", "./fast", "--objectives", "speed"], "unknown variant `speed`"),
        (&["-S", "./slow", "-R", "./fast", "--theory", "colours"], "no theory `colours`"),
        (&["-S", "./slow", "-R", "./fast", "--population", "2"], "at least 4"),
    ] {
        let output = folder.smelt(&[&["evolve"], args, &["--out", "d"]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
}
