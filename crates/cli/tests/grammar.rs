//! One grammar of commands: the same words mean the same everywhere, and mistakes are told in plain words.

use crate::common::{Folder, code, json, stderr, stdout};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

pub(crate) const COMMANDS: [&str; 42] = [
    "",
    "demo",
    "fuzz",
    "bugs",
    "bugs show",
    "bugs report",
    "bugs examine",
    "bugs export",
    "replay",
    "report",
    "serve",
    "check",
    "reduce",
    "bisect",
    "evolve",
    "study",
    "mutate",
    "generate",
    "enumerate",
    "strategies",
    "seeds",
    "seeds stats",
    "seeds label",
    "seeds filter",
    "rules",
    "rules check",
    "rules discover",
    "parse",
    "eval",
    "solve",
    "solvers",
    "solvers list",
    "solvers install",
    "solvers doctor",
    "solvers add",
    "merge",
    "join",
    "status",
    "config",
    "config check",
    "completions",
    "man",
];

const SEED: &str = "(set-logic QF_BV)(set-info :status unsat)(declare-const x (_ BitVec 4))\
    (declare-const y (_ BitVec 4))(assert (= y (bvadd x #x1)))\
    (assert (distinct (bvudiv x #x0) #xf))(check-sat)\n";

pub(crate) fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A folder with a campaign in `store` that found a planted fault.
fn campaign(test: &str) -> Folder {
    let folder = Folder::new(&format!("grammar-{test}")).with("seed.smt2", SEED);
    let made = folder.smelt(&words(
        "fuzz seed.smt2 -S builtin -S builtin:bvudiv-zero --seed 1 --tests 5 --no-reduce --out store",
    ));
    assert_eq!(code(&made), 10, "{}", stderr(&made));
    folder
}

#[test]
fn the_help_of_every_command_fits_a_screen() {
    let folder = Folder::new("grammar-help");
    for command in COMMANDS {
        for (flag, lines) in [("-h", 24), ("--help", 50)] {
            let out = folder.command().args(words(command)).arg(flag).env("COLUMNS", "80").output().unwrap();
            assert_eq!(code(&out), 0, "{command}");
            let text = stdout(&out);
            // All commands of smelt are one list.
            let lines = if command.is_empty() { 50 } else { lines };
            let count = text.lines().count();
            assert!(count <= lines, "smelt {command} {flag}: {count} lines\n{text}");
            assert!(text.lines().all(|l| l.chars().count() <= 80), "smelt {command} {flag}\n{text}");
        }
    }
    let help = |words: &[&str]| stdout(&folder.smelt(words));
    assert_eq!(help(&["slow", "-h"]), help(&["evolve", "-h"]));
    assert_eq!(help(&["compare", "-h"]), help(&["study", "-h"]));
    assert_eq!(help(&["help", "fuzz"]), help(&["fuzz", "--help"]));
    assert!(
        help(&["fuzz", "--help"]).contains("--per-seed") && !help(&["fuzz", "-h"]).contains("--per-seed")
    );
}

#[test]
fn without_anything_there_is_usage_and_no_campaign() {
    let folder = Folder::new("grammar-bare");
    for arguments in [&[][..], &["fuzz"], &["evolve"]] {
        let out = folder.smelt(arguments);
        assert_eq!(code(&out), 2, "{arguments:?}");
        assert!(stderr(&out).contains("Usage: smelt") && stdout(&out).is_empty(), "{arguments:?}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0);
}

#[test]
fn values_are_refused_in_plain_words() {
    let folder = Folder::new("grammar-values").with("seed.smt2", SEED);
    for (line, part) in [
        ("fuzz seed.smt2 --time -5s", "1ms or more"),
        ("fuzz seed.smt2 --time 0s", "1ms or more"),
        ("fuzz seed.smt2 --time 90", "write 90s"),
        ("fuzz seed.smt2 --time soon", "such as 500ms, 2s, 10m, 1h30m or 1d"),
        ("fuzz seed.smt2 --memory -4G", "1B or more"),
        ("fuzz seed.smt2 --memory 4Q", "such as 64K, 512MiB or 4G"),
        ("fuzz seed.smt2 --tests 0", "1 or more"),
        ("fuzz seed.smt2 --tests -1", "1 or more"),
        ("fuzz seed.smt2 -n many", "whole number"),
        ("fuzz seed.smt2 -j 0", "1 or more"),
        ("fuzz seed.smt2 --seed -1", "0 or more"),
        ("evolve -S z3 -R cvc5 -j 0", "1 or more"),
        ("study -S z3 -n 0", "1 or more"),
        ("study -S z3 -j -2", "1 or more"),
        ("mutate operator seed.smt2 -n 0", "1 or more"),
        ("generate construct -n 0", "1 or more"),
        ("enumerate qf_s -n -1", "1 or more"),
        ("reduce seed.smt2 -j 0", "1 or more"),
        ("check seed.smt2 --timeout 0s", "1ms or more"),
        ("demo --time -1m", "1ms or more"),
        ("enumerate ints --vars 0", "from 1 to 5"),
        ("enumerate ints --asserts 3", "from 1 to 2"),
        ("enumerate ints --stride 0", "1 or more"),
        ("serve --port 70000", "from 0 to 65535"),
    ] {
        let out = folder.smelt(&words(line));
        let text = stderr(&out);
        assert_eq!(code(&out), 2, "{line}: {text}");
        assert!(text.starts_with("smelt: ") && text.contains(part), "{line}: {text}");
    }
    assert!(!folder.0.join("smelt-out").exists());
}

/// The options of a command: short letter if any, long name, name of the value if it has one.
fn options(folder: &Folder, command: &str) -> Vec<(Option<char>, String, Option<String>)> {
    let out = folder.command().args(words(command)).arg("--help").env("COLUMNS", "100").output().unwrap();
    let option = |line: &str| {
        let line = line.trim_start();
        let short = line.strip_prefix('-').and_then(|l| l.chars().next()).filter(|c| *c != '-');
        let (_, rest) = line.split_once("--").filter(|_| line.starts_with('-'))?;
        let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        let value = rest[name.len()..].strip_prefix(" <").and_then(|r| r.split('>').next());
        Some((short, name, value.map(str::to_owned)))
    };
    stdout(&out).lines().filter_map(option).collect()
}

#[test]
fn a_flag_has_one_letter_and_one_kind_of_value_everywhere() {
    let folder = Folder::new("grammar-letters");
    let mut letters: BTreeMap<String, BTreeSet<Option<char>>> = BTreeMap::new();
    let mut names: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
    for command in COMMANDS {
        for (short, name, value) in options(&folder, command) {
            for (flag, kind) in
                [("time", "DURATION"), ("timeout", "DURATION"), ("memory", "SIZE"), ("jobs", "N")]
            {
                assert!(name != flag || value.as_deref() == Some(kind), "smelt {command} --{name} {value:?}");
            }
            letters.entry(name.clone()).or_default().insert(short);
            names.entry(short.unwrap_or('-')).or_default().insert(name);
        }
    }
    let several: Vec<_> = letters.iter().filter(|(_, letters)| letters.len() > 1).collect();
    assert!(several.is_empty(), "{several:?}");
    names.remove(&'-');
    let several: Vec<_> = names.iter().filter(|(_, names)| names.len() > 1).collect();
    // All say how many are made, and what.
    let counts = BTreeSet::from(["generations", "number", "tests"].map(str::to_owned));
    assert_eq!(several, [(&'n', &counts)]);
}

#[test]
fn no_duration_size_or_count_is_negative() {
    let folder = Folder::new("grammar-negative");
    let mut tried = 0;
    for command in COMMANDS {
        for (_, name, value) in options(&folder, command) {
            let kinds = [("DURATION", "-1s"), ("SIZE", "-1M"), ("N", "-1"), ("INDEX", "-1")];
            let Some((_, text)) = kinds.iter().find(|(kind, _)| Some(*kind) == value.as_deref()) else {
                continue;
            };
            let out =
                folder.command().args(words(command)).args([&format!("--{name}"), *text]).output().unwrap();
            let said = stderr(&out);
            assert_eq!(code(&out), 2, "smelt {command} --{name} {text}: {said}");
            let plain = said.contains("or more") || said.contains("number from");
            assert!(plain && said.lines().count() == 1, "smelt {command} --{name} {text}: {said}");
            tried += 1;
        }
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn a_solver_that_nobody_named_and_that_answers_nothing_is_left_out() {
    let folder = Folder::new("grammar-useless").with("seed.smt2", SEED);
    std::fs::create_dir(folder.0.join("bin")).unwrap();
    let smelt = env!("CARGO_BIN_EXE_smelt");
    folder.program(
        "bin/z3",
        &format!("[ \"$1\" = --version ] && echo Z3 version 4.8.12 && exit\nexec {smelt} solve --stdin"),
    );
    folder.program(
        "bin/boolector",
        "[ \"$1\" = --version ] && echo 1.5.118 && exit\necho unsupported >&2; exit 1",
    );
    let fuzz = |more: &[&str]| {
        let mut fuzz = folder.command();
        fuzz.args(words("fuzz seed.smt2 -s operator -n 3 -j 1 --no-cache")).args(more);
        fuzz.env("PATH", format!("{}:/usr/bin:/bin", folder.path("bin"))).env("HOME", &folder.0);
        fuzz.env_remove("XDG_CACHE_HOME").output().unwrap()
    };
    let out = fuzz(&["-o", "a"]);
    assert_eq!(code(&out), 0, "{}{}", stdout(&out), stderr(&out));
    assert!(stderr(&out).contains("skipping boolector@1.5.118"), "{}", stderr(&out));
    // What is asked for is not left out in silence.
    let named = fuzz(&["-S", "z3", "-S", "boolector", "-o", "b"]);
    assert_eq!(code(&named), 2, "{}", stderr(&named));
    assert!(stderr(&named).contains("answers none of"), "{}", stderr(&named));
}

#[test]
fn the_same_flag_is_understood_everywhere() {
    let folder = Folder::new("grammar-flags").with("seed.smt2", SEED);
    for line in [
        "fuzz seed.smt2 -S builtin -s operator -n 1 --time 1h30m --timeout 1m30s --memory 4G -j 1 -o a",
        "check seed.smt2 -S builtin --timeout 1m30s --memory 1G",
        "mutate operator seed.smt2 -n 2 --seed 0 -o b",
        "generate construct --number 2 -o c",
        "enumerate strings -n 2 --out d",
        "seeds label seed.smt2 -S builtin -o e",
        "reduce seed.smt2 --cmd true --time 1d -j 1 -o f.smt2",
    ] {
        let out = folder.smelt(&words(line));
        assert_eq!(code(&out), 0, "{line}: {}{}", stdout(&out), stderr(&out));
    }
    for made in ["a", "b", "c", "d", "e", "f.smt2"] {
        assert!(folder.0.join(made).exists(), "{made}");
    }
}

#[test]
fn too_many_workers_are_capped_with_a_word() {
    let folder = Folder::new("grammar-jobs").with("seed.smt2", SEED);
    let out = folder.smelt(&words("fuzz seed.smt2 -S builtin -s operator -n 2 -j 1000 -o a"));
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    assert!(stderr(&out).contains("-j 1000 is too many for"), "{}", stderr(&out));
    assert!(!stderr(&out).contains("1000 workers,"), "{}", stderr(&out));
}

#[test]
fn a_file_that_cannot_be_read_is_skipped_with_a_warning() {
    let folder = Folder::new("grammar-unreadable");
    std::fs::create_dir(folder.0.join("seeds")).unwrap();
    folder.file("seeds/good.smt2", SEED);
    std::os::unix::fs::symlink("nowhere", folder.0.join("seeds/bad.smt2")).unwrap();
    for line in [
        "fuzz seeds -S builtin -s operator -n 1 -o out",
        "check seeds -S builtin",
        "mutate operator seeds",
        "seeds stats seeds",
    ] {
        let out = folder.smelt(&words(line));
        assert_eq!(code(&out), 0, "{line}: {}{}", stdout(&out), stderr(&out));
        let text = stderr(&out);
        assert!(text.contains("bad.smt2") && text.contains("skipped"), "{line}: {text}");
    }
    std::fs::remove_file(folder.0.join("seeds/good.smt2")).unwrap();
    let out = folder.smelt(&words("fuzz seeds -S builtin -n 1 -o out-2"));
    assert_eq!(code(&out), 2);
    assert!(stderr(&out).contains("bad.smt2"), "{}", stderr(&out));
}

#[test]
fn a_closed_pipe_is_silent() {
    let folder = Folder::new("grammar-pipe");
    let mut child = folder
        .command()
        .args(words("enumerate strings -n 200000"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!((code(&out), stderr(&out)), (141, String::new()));
}

#[test]
fn control_bytes_of_solvers_do_not_reach_the_terminal() {
    let folder = Folder::new("grammar-control").with("seed.smt2", SEED);
    folder.solver("evil", r#"printf '(error "\033[2J\033]0;gone\007 no \233")\n'"#);
    let out = folder.smelt(&["check", "seed.smt2", "-S", "./evil"]);
    let text = stdout(&out) + &stderr(&out);
    assert!(text.contains("\\u{1b}[2J"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text:?}");
}

#[test]
fn colours_come_when_they_are_asked_for() {
    let folder = campaign("colour");
    let bugs = |more: &[&str]| stdout(&folder.smelt(&[&["bugs", "store"], more].concat()));
    assert!(!bugs(&[]).contains('\u{1b}'));
    assert!(!bugs(&["--color", "never"]).contains('\u{1b}'));
    assert!(bugs(&["--color=always"]).contains("\u{1b}["));
    let wrong = folder.smelt(&["bugs", "store", "--color", "blue"]);
    assert_eq!(code(&wrong), 2);
}

#[test]
fn the_list_of_bugs_has_a_header_and_fits_the_width() {
    let folder = campaign("width");
    let list = |columns: &str| {
        stdout(&folder.command().args(["bugs", "store"]).env("COLUMNS", columns).output().unwrap())
    };
    for columns in [60, 80, 200] {
        let text = list(&columns.to_string());
        let header =
            text.lines().find(|l| l.trim_start().starts_with("ID")).unwrap_or_else(|| panic!("{text}"));
        assert!(
            header.contains("KIND") && header.contains("SOLVER") && header.contains("EVIDENCE"),
            "{text}"
        );
        let rows = text.lines().skip_while(|l| *l != header).take(2);
        rows.for_each(|row| assert!(row.chars().count() <= columns, "{columns}: {row}"));
    }
    assert!(list("200").contains("FINGERPRINT"));
}

#[test]
fn a_bug_is_named_in_the_same_way_by_every_command() {
    let folder = campaign("bugs");
    let list = json(&folder.smelt(&words("bugs store --json")));
    let id = list[0]["id"].as_str().unwrap().to_owned();
    for line in [
        format!("bugs show {id} store"),
        format!("bugs store show {id}"),
        format!("bugs report {id} store"),
        format!("bugs export {id} store -o one"),
        "bugs export store -o all".to_owned(),
        format!("replay {id} store"),
    ] {
        let out = folder.smelt(&words(&line));
        assert_eq!(code(&out), 10, "{line}: {}{}", stdout(&out), stderr(&out));
    }
    let scripts = |to: &str| {
        let files = std::fs::read_dir(folder.0.join(to)).unwrap();
        files.filter(|f| f.as_ref().unwrap().path().extension().is_some_and(|e| e == "smt2")).count()
    };
    assert_eq!(scripts("one"), 1);
    assert_eq!(scripts("all"), list.as_array().unwrap().len());
    let shown = json(&folder.smelt(&words(&format!("bugs show {id} store --json"))));
    assert_eq!(shown["bug"]["id"], id.as_str());
    // In the folder that the last campaign made, DIR can be left out.
    std::fs::rename(folder.0.join("store"), folder.0.join("smelt-out")).unwrap();
    assert_eq!(code(&folder.smelt(&["bugs", "show", &id])), 10);
    let examined = folder.smelt(&["bugs", "examine", &id]);
    assert_eq!(code(&examined), 10, "{}", stderr(&examined));
    assert!(stderr(&examined).contains("examining finding"), "{}", stderr(&examined));
}

#[test]
fn the_built_in_solver_is_healthy() {
    let folder = Folder::new("grammar-doctor");
    let out = folder.smelt(&["solvers", "doctor", "builtin"]);
    assert_eq!(code(&out), 0, "{}", stdout(&out));
    assert!(stdout(&out).contains("builtin@0.2.0: healthy"), "{}", stdout(&out));
}

#[test]
fn a_solver_without_a_version_is_installed_in_its_newest_release() {
    let folder = Folder::new("grammar-newest");
    std::fs::create_dir(folder.0.join("bin")).unwrap();
    let python = "case \"$*\" in\n*sys.executable*) echo \"$0\";;\n*'index versions'*) \
        echo 'Available versions: 0.8.2, 0.10.0rc1, 0.9.1, 0.9.0';;\n*) echo \"ERROR: asked for $*\" >&2; exit 1;;\nesac";
    folder.program("bin/python3", python);
    let mut install = folder.command();
    install.args(["solvers", "install", "bitwuzla"]).env("HOME", &folder.0).env_remove("XDG_CACHE_HOME");
    let path = format!("{}:{}", folder.path("bin"), std::env::var("PATH").unwrap());
    let out = install.env("PATH", path).output().unwrap();
    assert_eq!(code(&out), 2);
    assert!(stderr(&out).contains("installing bitwuzla@0.9.1"), "{}", stderr(&out));
}

#[test]
fn events_are_lines_of_json_while_it_runs() {
    let folder = Folder::new("grammar-events").with("seed.smt2", SEED);
    let out = folder.smelt(&words(
        "fuzz seed.smt2 -S builtin -S builtin:bvudiv-zero --seed 1 -n 5 --no-reduce --json-lines -o store",
    ));
    assert_eq!(code(&out), 10, "{}", stderr(&out));
    assert!(stderr(&out).is_empty(), "{}", stderr(&out));
    let lines: Vec<serde_json::Value> = stdout(&out)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect();
    assert!(lines.iter().all(|line| line["version"] == 1), "{lines:?}");
    let kinds: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    for kind in ["started", "progress", "found"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    assert_eq!(kinds.last(), Some(&"result"));
    let last = lines.last().unwrap();
    assert_eq!((&last["tests"], last["findings"].as_array().unwrap().is_empty()), (&5.into(), false));
    let progress = lines.iter().rfind(|line| line["event"] == "progress").unwrap();
    assert_eq!(progress["solvers"][0]["solver"], "builtin@0.2.0");
}
