//! Real solvers, where they are installed: sessions and fresh processes agree, sessions are faster, the zoo works.
#![allow(clippy::print_stderr, reason = "tests say why they are skipped and what they measured")]

mod common;

use common::{catalog, config, corpus, real, slow};
use smelt_core::{Outcome, OutcomeKind, Verdict};
use smelt_solvers::{CheckResult, Mode, Query, Session, SessionPool, Solver, SolverSpec, doctor};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

const INSTALLED: [&str; 4] = ["z3", "cvc5", "cvc4", "boolector"];

/// What must be the same in both modes.
type Essence = (OutcomeKind, Vec<Option<Verdict>>);

fn essence(outcome: &Outcome) -> Essence {
    (outcome.kind, outcome.verdicts().collect())
}

#[test]
fn the_doctor_passes_every_solver_on_path() {
    for name in INSTALLED {
        let Some(solver) = real(name) else { continue };
        let report = doctor(&solver).unwrap();
        assert!(report.healthy(), "{name}: {:#?}", report.checks);
    }
}

/// Scripts that leave something behind in a careless session.
const LEAKS: [&str; 18] = [
    "(set-option :produce-unsat-cores true)(set-logic QF_BV)(declare-fun x () Bool)(assert (! x :named a))\
     (assert (! (not x) :named b))(check-sat)(get-unsat-core)",
    "(set-logic QF_BV)(declare-fun x () Bool)(assert (! x :named a))(assert (! (not x) :named b))(check-sat)",
    "(set-option :print-success true)(set-logic QF_BV)(declare-fun a () (_ BitVec 2))(assert (= a #b11))(check-sat)",
    "(set-option :produce-models true)(set-logic QF_LIA)(declare-fun x () Int)(assert (> x 3))(check-sat)(get-value (x))",
    "(set-logic QF_LIA)(declare-fun x () Int)(assert (> x 3))(check-sat)(get-value (x))(check-sat)",
    "(set-logic QF_LIA)(declare-fun x () Int)(push 1)(assert (> x 3))(check-sat)(pop 1)(assert (< x 3))(check-sat)",
    "(set-logic QF_BV)(assert nowhere)(check-sat)",
    "(set-logic QF_BV)(declare-fun x () Bool)(assert x)(assert (not x))(check-sat)(get-model)(check-sat)",
    "(set-logic QF_UF)(declare-sort S 0)(declare-fun f (S) S)(declare-fun c () S)(assert (not (= (f c) c)))(check-sat)",
    "(set-logic QF_UF)(declare-sort S 1)(check-sat)",
    "(set-logic NO_SUCH_LOGIC)(check-sat)",
    "(set-option :no-such-option 3)(set-logic QF_UF)(check-sat)",
    "(set-info :status sat)(set-logic QF_UF)(define-fun f ((x Bool)) Bool (not x))(assert (f false))(check-sat)(exit)",
    "(set-logic QF_UF)(define-fun f () Bool false)(assert f)(check-sat)(reset)(set-logic QF_LIA)(check-sat)",
    "; (exit) (echo \"sat\")\n(set-logic QF_UF) ; \" | (\n(check-sat)",
    "(set-info :source |two\nlines|)(set-logic QF_UF)(declare-fun |a\tb| () Bool)(assert |a\tb|)(check-sat)",
    "(set-logic QF_UF)(push 2)(check-sat)",
    "(set-logic QF_UF)(declare-fun |sat (| () Bool)(assert |sat (|)(check-sat",
];

#[test]
fn nothing_leaks_from_one_query_into_the_next() {
    for name in
        ["z3", "cvc5", "cvc4", "yices", "z3@4.8.7", "z3@5.4.0", "cvc5@1.0.9", "cvc5@1.4.2", "bitwuzla@0.9.1"]
    {
        let Some(solver) = real(name) else { continue };
        let mut fresh = Session::new(solver.clone(), config(Mode::Fresh, Duration::from_secs(20)));
        let mut session = Session::new(solver, config(Mode::Reuse, Duration::from_secs(20)));
        let alone: Vec<_> =
            LEAKS.iter().map(|s| essence(&fresh.run(Query::new(*s)).unwrap().outcome)).collect();
        for step in [1, 3, 5, 7] {
            for i in 0..LEAKS.len() {
                let at = i * step % LEAKS.len();
                let outcome = session.run(Query::new(LEAKS[at])).unwrap().outcome;
                assert_eq!(essence(&outcome), alone[at], "{name}: {}: {outcome:?}", LEAKS[at]);
            }
        }
    }
}

#[test]
fn every_form_of_solver_argument_resolves() {
    if real("z3").is_none() {
        return;
    }
    let toml = "[solver.mine]\nprofile = 'z3'\ncommand = \"z3 'smt.random_seed=3'\"";
    let profiles = smelt_solvers::Profiles::load(Some(toml)).unwrap();
    let catalog =
        smelt_solvers::Catalog::new(profiles, smelt_solvers::Zoo::at("/nonexistent"), Some("/bin/x".into()));
    let resolve = |text: &str| catalog.resolve(&text.parse().unwrap());
    for text in ["z3", "mine", "z3 smt.random_seed=3", "/usr/bin/env z3 -in"] {
        let solver = resolve(text).unwrap();
        let mut session = Session::new(solver, config(Mode::Reuse, Duration::from_secs(20)));
        assert_eq!(session.run(Query::new("(check-sat)")).unwrap().outcome.kind, OutcomeKind::Sat, "{text}");
    }
    let builtin = resolve("builtin:late").unwrap();
    assert_eq!(builtin.id().name(), "builtin:late");
    assert_eq!(builtin.portable_command("a b.smt2", b""), "smelt solve --fault late 'a b.smt2'");
    assert_eq!(builtin.program(), Path::new("/bin/x"));
    for text in ["z3@4.8.7", "nosuch", "nosuch -x", "opensmt"] {
        let error = resolve(text).unwrap_err();
        assert_eq!(error.kind(), smelt_solvers::ErrorKind::NotFound, "{error}");
    }
    let rows = catalog.list();
    let mine = rows.iter().find(|row| row.spec == "mine").unwrap();
    assert!(mine.sessions && mine.id.version().is_some());
    assert!(rows.iter().any(|row| row.spec == "z3") && rows.iter().any(|row| row.spec == "builtin"));
}

#[test]
fn z3_answering_after_a_refused_assertion_gives_no_verdict() {
    let Some(z3) = real("z3") else { return };
    for mode in [Mode::Reuse, Mode::Fresh] {
        let mut session = Session::new(z3.clone(), config(mode, Duration::from_secs(20)));
        let script = "(declare-fun x () Bool)(assert (and x nowhere))(check-sat)";
        let outcome = session.run(Query::new(script)).unwrap().outcome;
        assert_eq!(essence(&outcome), (OutcomeKind::Rejected, vec![None]));
    }
}

#[test]
fn a_script_can_be_read_from_a_file() {
    for name in ["z3", "cvc5", "cvc4", "boolector"] {
        let Some(solver) = real(name) else { continue };
        let mut session = Session::new(solver, config(Mode::File, Duration::from_secs(20)));
        let script = "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(assert (bvult x #x00))(check-sat)";
        let outcome = session.run(Query::new(script).with_model()).unwrap().outcome;
        assert_eq!(essence(&outcome), (OutcomeKind::Unsat, vec![Some(Verdict::Unsat)]), "{name}");
    }
}

#[test]
fn models_and_cores_come_with_their_answers() {
    for name in ["z3", "cvc5", "cvc4"] {
        let Some(solver) = real(name) else { continue };
        for mode in [Mode::Reuse, Mode::Fresh] {
            let mut session = Session::new(solver.clone(), config(mode, Duration::from_secs(20)));
            for _ in 0..3 {
                let head = "(set-logic QF_LIA)(declare-fun x () Int)(assert (! (> x 41) :named p))";
                let ask = |tail: &str| Query::new(format!("{head}{tail}")).with_model().with_core();
                let sat = session.run(ask("(check-sat)")).unwrap().outcome;
                let unsat = session.run(ask("(assert (! (< x 3) :named q))(check-sat)")).unwrap().outcome;
                let (sat, unsat) = (&sat.answers[0], &unsat.answers[0]);
                assert!(sat.model.as_ref().is_some_and(|m| m.contains("define-fun x")), "{name} {sat:?}");
                let core = unsat.core.as_deref().unwrap_or_default();
                let read = smelt_smtlib::sexpr::read_all(core.as_bytes()).unwrap();
                assert_eq!(read[0].list("a core").unwrap().len(), 2, "{name} {unsat:?}");
                assert!(sat.core.is_none() && unsat.model.is_none());
            }
        }
    }
}

/// Small formulas, all different.
fn small(i: usize) -> String {
    match i % 4 {
        0 => format!(
            "(set-logic QF_LIA)(declare-fun x () Int)(assert (and (> x {i}) (< x {})))(check-sat)",
            i + 2
        ),
        1 => format!(
            "(set-logic QF_LIA)(declare-fun x () Int)(assert (and (> x {i}) (< x {})))(check-sat)",
            i + 1
        ),
        2 => format!(
            "(set-logic QF_BV)(declare-fun x () (_ BitVec 16))(assert (= (bvadd x x) (_ bv{i} 16)))(check-sat)"
        ),
        _ => {
            format!("(set-logic QF_UF)(declare-fun p{i} () Bool)(assert p{i})(assert (not p{i}))(check-sat)")
        }
    }
}

fn timed(solver: &Solver, mode: Mode) -> (Duration, Vec<Essence>) {
    let mut session = Session::new(solver.clone(), config(mode, Duration::from_secs(20)));
    let start = Instant::now();
    let outcomes = (0..200).map(|i| essence(&session.run(Query::new(small(i))).unwrap().outcome)).collect();
    (start.elapsed(), outcomes)
}

#[test]
fn sessions_are_five_times_faster_than_fresh_processes_with_the_same_outcomes() {
    if !slow() {
        return;
    }
    for name in ["z3@5.4.0", "cvc5"] {
        let Some(solver) = real(name) else { continue };
        let (session, one) = timed(&solver, Mode::Reuse);
        let (fresh, other) = timed(&solver, Mode::Fresh);
        let factor = fresh.as_secs_f64() / session.as_secs_f64();
        eprintln!("{}: session {session:?}, fresh {fresh:?}, factor {factor:.1}", solver.id());
        assert_eq!(one, other);
        assert!(one.iter().all(|(kind, _)| kind.verdict().is_some()), "{one:?}");
        assert!(factor >= 5.0, "{name}: {factor:.1}");
    }
}

fn scripts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            scripts(&path, found);
        } else if path.extension().is_some_and(|e| e == "smt2") {
            found.push(path);
        }
    }
}

fn sweep(solver: &Solver, mode: Mode, files: &[PathBuf]) -> Vec<Outcome> {
    let mut pool = SessionPool::new();
    for _ in 0..2 {
        pool.add(solver.clone(), config(mode, Duration::from_secs(2)));
    }
    let mut outcomes: Vec<Option<Outcome>> = vec![None; files.len()];
    let mut open = std::collections::BTreeMap::new();
    let mut next = 0;
    while next < files.len() || !open.is_empty() {
        let idle: Vec<_> = pool.idle().collect();
        for id in idle {
            if next < files.len() {
                pool.submit(id, Query::new(std::fs::read(&files[next]).unwrap())).unwrap();
                open.insert(id, next);
                next += 1;
            }
        }
        for (id, finished) in pool.wait(Duration::from_secs(10)).unwrap() {
            outcomes[open.remove(&id).unwrap()] = Some(finished.outcome);
        }
    }
    outcomes.into_iter().map(Option::unwrap).collect()
}

/// `SMELT_STRIDE=N` takes every Nth file (default 20).
#[test]
fn sessions_and_fresh_processes_agree_on_the_seeds() {
    if !slow() {
        return;
    }
    let Some(folder) = corpus() else { return };
    let stride = std::env::var("SMELT_STRIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let mut files = Vec::new();
    scripts(&folder, &mut files);
    files.sort();
    let files: Vec<_> = files.into_iter().step_by(stride).collect();
    let mut differences = Vec::new();
    for name in ["z3", "cvc5", "cvc4"] {
        let Some(solver) = real(name) else { continue };
        let start = Instant::now();
        let session = sweep(&solver, Mode::Reuse, &files);
        let middle = Instant::now();
        let fresh = sweep(&solver, Mode::Fresh, &files);
        let counts = |outcomes: &[Outcome]| {
            let mut counts = std::collections::BTreeMap::new();
            outcomes.iter().for_each(|o| *counts.entry(o.kind.as_str()).or_insert(0) += 1);
            counts
        };
        eprintln!(
            "{name}: {} files, session {:?} {:?}, fresh {:?} {:?}",
            files.len(),
            middle - start,
            counts(&session),
            middle.elapsed(),
            counts(&fresh)
        );
        for ((file, one), other) in files.iter().zip(&session).zip(&fresh) {
            if essence(one) != essence(other) {
                let line = format!(
                    "{name} {}: session {} {:?} {:?}, fresh {} {:?} {:?}",
                    file.display(),
                    one.kind,
                    one.usage.wall,
                    one.message,
                    other.kind,
                    other.usage.wall,
                    other.message
                );
                eprintln!("{line}");
                // A timeout on one side is near the limit if both sides agree when given more time.
                let timeout = [one, other].iter().any(|o| o.kind == OutcomeKind::Timeout);
                let patient = |mode| {
                    let mut session = Session::new(solver.clone(), config(mode, Duration::from_secs(20)));
                    essence(&session.run(Query::new(std::fs::read(file).unwrap())).unwrap().outcome)
                };
                if !timeout || patient(Mode::Reuse) != patient(Mode::Fresh) {
                    differences.push(line);
                }
            }
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

/// The releases that must install and pass.
const RELEASES: [&str; 9] = [
    "z3@4.5.1.0.post2",
    "z3@4.8.5",
    "z3@4.8.7",
    "z3@4.8.10",
    "z3@5.4.0",
    "cvc5@1.0.9",
    "cvc5@1.4.2",
    "bitwuzla@0.9.1",
    "yices@2.6.5",
];

#[test]
fn the_zoo_installs_and_passes_the_doctor() {
    if !slow() {
        return;
    }
    let catalog = catalog();
    let mut sick = Vec::new();
    for text in RELEASES {
        let spec: SolverSpec = text.parse().unwrap();
        let start = Instant::now();
        let installed = catalog.install(&spec).unwrap();
        let took = start.elapsed();
        let report = doctor(&catalog.resolve(&spec).unwrap()).unwrap();
        eprintln!("{text}: new {}, {took:?}, healthy {}", installed.new, report.healthy());
        for check in report.checks.iter().filter(|c| c.result == CheckResult::Fail) {
            sick.push(format!("{text}: {}: {}", check.name, check.detail));
        }
    }
    assert!(sick.is_empty(), "{sick:#?}");
    let listed: Vec<_> = catalog.list().into_iter().map(|row| row.spec).collect();
    assert!(RELEASES.iter().all(|r| listed.iter().any(|l| l == r)), "{listed:?}");
}

#[test]
fn a_release_that_does_not_exist_names_those_that_do() {
    if !slow() {
        return;
    }
    let catalog = catalog();
    let error = catalog.zoo().install(catalog.profiles(), "cvc5", &"0.0.1".parse().unwrap()).unwrap_err();
    assert_eq!(error.kind(), smelt_solvers::ErrorKind::NoSuchRelease);
    assert!(error.to_string().contains("1.0.9"), "{error}");
    assert!(catalog.zoo().available(catalog.profiles(), "cvc5").unwrap().len() > 3);
}

#[test]
fn legacy_releases_read_strings_as_they_are_meant() {
    let script =
        "(declare-fun s () String)(assert (= s \"\\x41\\u{42}\\n\"))(assert (= (str.len s) 7))(check-sat)";
    for name in ["z3@4.8.5", "z3@4.8.7", "z3@4.8.10", "z3@5.4.0", "cvc5", "cvc5@1.4.2"] {
        let Some(solver) = real(name) else { continue };
        let mut session = Session::new(solver, config(Mode::Reuse, Duration::from_secs(20)));
        let script = format!("(set-logic QF_SLIA){script}");
        let outcome = session.run(Query::new(script).with_model()).unwrap().outcome;
        assert_eq!(outcome.kind, OutcomeKind::Sat, "{name}: {outcome:?}");
        let model = outcome.answers[0].model.clone().unwrap();
        let spellings = ["\"\\u{5c}x41B\\u{5c}n\"", "\"\\x41B\\n\""];
        assert!(outcome.comparable && spellings.iter().any(|s| model.contains(s)), "{name}: {model}");
    }
}
