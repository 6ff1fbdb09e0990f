//! `smelt reduce` as a user meets it, and on every planted fault.

#![allow(clippy::print_stdout)]

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use smelt_core::FindingKind;
use smelt_semantics::solver::fault::FAULTS;
use smelt_semantics::solver::{Fault, Limits, Session, Settings};
use smelt_strategies::{Draft, Options, Pool, Request};

fn smelt(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt")).arg("reduce").args(args).output().unwrap()
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("smelt-reduce-test-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn program(&self, name: &str, text: &str) -> String {
        let path = self.file(name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SCRIPT: &str = "(set-logic QF_LIA)
(declare-fun apple () Int)
(declare-fun pear () Int)
(assert (and (< apple (+ pear 17)) (= (mod apple 3) 1)))
(assert (or (> pear 4) (not (= apple pear))))
(check-sat)
(exit)
";

/// One clear line on stderr and exit code 2, and the input as it was.
fn refused(args: &[&str], file: &str, says: &str) {
    let before = std::fs::read(file).unwrap();
    let output = smelt(args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    let last = error.lines().last().unwrap_or_default();
    assert!(last.starts_with("smelt: ") && last.contains(says), "{error}");
    assert!(output.stdout.is_empty());
    assert_eq!(std::fs::read(file).unwrap(), before);
}

#[test]
fn a_command_is_kept_true_and_the_figures_are_told() {
    let folder = Folder::new("command");
    let file = folder.file("a.smt2", SCRIPT);
    let out = folder.0.join("out.smt2").display().to_string();
    let output = smelt(&[&file, "--cmd", "grep -q mod", "--json", "-o", &out]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let reduced = std::fs::read_to_string(&out).unwrap();
    assert_eq!(reduced, "(assert (= (mod 0 0) 0))\n");
    assert_eq!(json["bytes_before"], SCRIPT.len());
    assert_eq!(json["bytes_after"], reduced.len());
    assert_eq!(json["terms_after"], 5);
    assert!(json["terms_before"].as_u64() > Some(10) && json["checks"].as_u64() > Some(3));
    assert!(json["wall_s"].is_number());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), SCRIPT, "the input is untouched");
}

#[test]
fn a_command_can_be_held_to_what_it_printed() {
    let folder = Folder::new("match");
    let file = folder.file("a.smt2", SCRIPT);
    let count = folder.program("count", "grep -c apple \"$1\" | head -c 1; grep -o 'mod' \"$1\"; exit 3");
    let output = smelt(&[&file, "--cmd", &format!("{count} {{}}"), "--cmd-match"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("mod") && text.matches("apple").count() >= 2, "{text}");
    assert!(text.len() < SCRIPT.len());
}

#[test]
fn a_false_a_flaky_and_a_hanging_predicate_are_refused() {
    let folder = Folder::new("refused");
    let file = folder.file("a.smt2", SCRIPT);
    refused(&[&file, "--cmd", "false"], &file, "not interesting");
    let flip =
        folder.program("flip", &format!("f={}/n; echo >>$f; [ $(wc -l <$f) -lt 4 ]", folder.0.display()));
    refused(&[&file, "--cmd", &flip], &file, "flaky");
    let start = Instant::now();
    let hang = folder.program("hang", "sleep 1000");
    refused(&[&file, "--cmd", &hang, "--timeout", "300ms"], &file, "does not end");
    assert!(start.elapsed() < Duration::from_secs(20));
    refused(&[&file, "--cmd", "/no/such/program"], &file, "no program");
    refused(&[&file], &file, "-S");
    refused(&[&file, "-S", "builtin"], &file, "nothing wrong");
    refused(&[&file, "--expect", "builtin=unsat"], &file, "not interesting");
    refused(&[&file, "--expect", "builtin"], &file, "SOLVER=OUTCOME");
    refused(&[&file, "--cmd", "true", "-o", &file], &file, "never changed");
    let broken = folder.file("b.smt2", "(assert \"");
    refused(&[&broken, "--cmd", "true"], &broken, "not SMT-LIB");
}

#[test]
fn an_outcome_is_kept() {
    let folder = Folder::new("expect");
    let file = folder.file("a.smt2", SCRIPT);
    let output = smelt(&[&file, "--expect", "builtin=sat"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "(check-sat)\n");
}

#[test]
fn an_interrupt_leaves_the_best_so_far() {
    let folder = Folder::new("interrupt");
    let file = folder.file("a.smt2", SCRIPT);
    let out = folder.0.join("out.smt2").display().to_string();
    let slow = folder.program("slow", "sleep 0.1; grep -q mod \"$1\"");
    let child = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["reduce", &file, "--cmd", &slow, "-o", &out])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("stopped before the end"));
    let best = std::fs::read_to_string(&out).unwrap();
    assert!(best.contains("mod") && best.len() < SCRIPT.len(), "{best}");
}

#[test]
fn unneeded_flags_of_a_solver_go() {
    let folder = Folder::new("flags");
    let file = folder.file("a.smt2", SCRIPT);
    let solver =
        folder.program("solver", "[ \"$1\" = --bug ] || [ \"$2\" = --bug ] && echo unsat || echo sat");
    let config = folder.file("smelt.toml", "");
    let spec = format!("{solver} --other --bug=unsat");
    let spec = spec.replace("--bug=unsat", "--bug");
    let output = smelt(&[&file, "--expect", &format!("{spec}=unsat"), "--json", "--config", &config]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{error}");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["solvers"][0], format!("{solver} --bug"));
}

/// Faults that need more than six terms, or cannot be reduced, and why.
const EXCEPTIONS: &[(&str, &str)] =
    &[("reset-keeps-unsat", "shows in live sessions only; what is reduced must show in a fresh process")];

/// What to keep of a fault, as arguments.
fn keep(fault: &Fault) -> Vec<String> {
    let name = format!("builtin:{}", fault.name);
    let expect = |what: &str| {
        ["--expect", &format!("{name}={what}"), "--expect", "builtin=sat|unsat", "--timeout", "1s"]
            .map(str::to_owned)
            .to_vec()
    };
    match fault.kind {
        FindingKind::Hang | FindingKind::PerfRegression => expect("timeout|memout"),
        FindingKind::IncompleteRegression | FindingKind::IncompleteImplication => expect("unknown"),
        _ => vec!["-S".to_owned(), name, "-S".to_owned(), "builtin".to_owned()],
    }
}

/// Scripts that a campaign would run first: the embedded seeds and some mutants of each.
fn cases() -> Vec<Vec<u8>> {
    let mut pool = Pool::new();
    let mut cases = Vec::new();
    let mut ids = Vec::new();
    for seed in smelt_campaign::embedded::embedded() {
        cases.push(seed.text.as_bytes().to_vec());
        ids.push(pool.add(seed.name, seed.text.as_bytes(), Some(seed.status)).unwrap());
    }
    let mut draft = Draft::default();
    for strategy in ["generative", "operator", "shuffle"] {
        let options = Options { steps: 2, ..Options::default() };
        let mut strategy = (smelt_strategies::find(strategy).unwrap().make)(&options).unwrap();
        for rng in 0..2 {
            for id in &ids {
                let request = Request { seed: *id, partners: &[], rng };
                if strategy.next(&mut pool, &request, &mut draft).is_ok() {
                    cases.push(draft.text.clone());
                }
            }
        }
    }
    cases
}

/// What the built-in solver says, with a fault or without.
fn says(text: &[u8], fault: Option<&'static Fault>) -> (Vec<u8>, bool) {
    let limits = Limits { time: Duration::from_millis(100), steps: 300_000 };
    let (out, mishap) = Session::new(Settings { fault, limits }).answer(text);
    (out, mishap.is_some())
}

/// Reduces the first trigger of a fault; terms that are left, or why there is nothing to tell.
fn reduced(
    fault: &'static Fault,
    cases: &[(Vec<u8>, (Vec<u8>, bool))],
    folder: &Folder,
) -> Result<(u64, String), String> {
    let mut last = "no trigger found".to_owned();
    let unsound = matches!(
        fault.kind,
        FindingKind::RefutationUnsound | FindingKind::SolutionUnsound | FindingKind::Unsound
    );
    let verdict = |said: &(Vec<u8>, bool)| {
        let lines: Vec<String> = String::from_utf8_lossy(&said.0).lines().map(str::to_owned).collect();
        lines.into_iter().rfind(|l| l == "sat" || l == "unsat")
    };
    let differs = cases.iter().filter(|(text, right)| {
        let wrong = says(text, Some(fault));
        // For a wrong answer, two answers; else anything that is not the same.
        match (verdict(&wrong), verdict(right)) {
            (Some(a), Some(b)) if unsound => a != b,
            _ => !unsound && wrong != *right,
        }
    });
    for (text, _) in differs.take(6) {
        let file = folder.file(&format!("{}.smt2", fault.name), &String::from_utf8_lossy(text));
        let mut args = vec![file.as_str(), "--json", "--time", "60s"];
        let keep = keep(fault);
        args.extend(keep.iter().map(String::as_str));
        let output = smelt(&args);
        if output.status.code() == Some(0) {
            let json: Value = serde_json::from_slice(&output.stdout).unwrap();
            let script = json["script"].as_str().unwrap_or_default().to_owned();
            return Ok((json["terms_after"].as_u64().unwrap(), script));
        }
        last = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    }
    Err(last)
}

fn try_faults(folder: &str, wanted: impl Fn(&Fault) -> bool) {
    let folder = Folder::new(folder);
    // With models and cores, so that what is wrong with these shows too.
    let ask = |text: Vec<u8>| {
        let text =
            String::from_utf8_lossy(&text).replace("(check-sat)", "(check-sat)(get-model)").into_bytes();
        let right = says(&text, None);
        (text, right)
    };
    let cases: Vec<_> = cases().into_iter().map(ask).collect();
    let mut wrong = Vec::new();
    for fault in FAULTS.iter().filter(|f| wanted(f)) {
        let why = EXCEPTIONS.iter().find(|e| e.0 == fault.name).map(|e| e.1);
        if let Some(why) = why {
            println!("{}: excepted: {why}", fault.name);
            continue;
        }
        match reduced(fault, &cases, &folder) {
            Ok((terms, _)) if terms <= 6 => println!("{}: {terms} terms", fault.name),
            Ok((terms, text)) => wrong.push(format!("{}: {terms} terms: {text}", fault.name)),
            Err(why) => wrong.push(format!("{}: {why}", fault.name)),
        }
    }
    let _ = std::io::stdout().flush();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!Path::new(&folder.0).join("candidate.smt2").exists());
}

#[test]
fn triggers_of_some_planted_faults_are_reduced_to_six_terms() {
    try_faults("some-faults", |f| ["segfault-xor", "bvudiv-zero", "model-off-by-one"].contains(&f.name));
}

#[test]
fn a_trigger_of_every_planted_fault_is_reduced_to_six_terms() {
    if std::env::var_os("SMELT_SLOW").is_none() {
        println!("skipped: set SMELT_SLOW=1");
        return;
    }
    let only = std::env::var("SMELT_FAULTS").unwrap_or_default();
    try_faults("faults", |f| only.is_empty() || only.split(',').any(|n| n == f.name));
}
