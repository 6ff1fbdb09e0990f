//! Real solvers: sessions and fresh processes agree, sessions are faster, the zoo works.
#![allow(clippy::print_stderr, reason = "tests say what they measured")]

use crate::common::{catalog, config, real};
use smelt_core::{Outcome, OutcomeKind, Verdict};
use smelt_solvers::{CheckResult, Mode, Query, Session, SessionPool, Solver, SolverSpec, doctor};
use smelt_testing::each_solver;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Every query here is answered at once; only a failing test waits this long.
const WALL: Duration = Duration::from_secs(120);

/// The part of an outcome that must be the same in both modes.
type Essence = (OutcomeKind, Vec<Option<Verdict>>);

fn essence(outcome: &Outcome) -> Essence {
    (outcome.kind, outcome.verdicts().collect())
}

fn the_doctor_passes(name: &str) {
    let report = doctor(&real(name)).unwrap();
    assert!(report.healthy(), "{:#?}", report.checks);
}

each_solver!(the_doctor_passes: z3 "needs z3", cvc5 "needs cvc5", cvc4 "needs cvc4", boolector "needs boolector",
    bitwuzla "needs bitwuzla@0.9.1");

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

fn nothing_leaks_from_one_query_into_the_next(name: &str) {
    let solver = real(name);
    let mut fresh = Session::new(solver.clone(), config(Mode::Fresh, WALL));
    let mut session = Session::new(solver, config(Mode::Reuse, WALL));
    let alone: Vec<_> = LEAKS.iter().map(|s| essence(&fresh.run(Query::new(*s)).unwrap().outcome)).collect();
    for step in [1, 3, 5, 7] {
        for i in 0..LEAKS.len() {
            let at = i * step % LEAKS.len();
            let outcome = session.run(Query::new(LEAKS[at])).unwrap().outcome;
            assert_eq!(essence(&outcome), alone[at], "{}: {outcome:?}", LEAKS[at]);
        }
    }
}

each_solver!(nothing_leaks_from_one_query_into_the_next: z3 "needs z3", cvc5 "needs cvc5", cvc4 "needs cvc4",
    z3_old "needs z3@4.8.7", z3_new "needs z3@5.4.0", cvc5_old "needs cvc5@1.0.9", cvc5_new "needs cvc5@1.4.2",
    bitwuzla "needs bitwuzla@0.9.1", yices "needs yices@2.6.5");

#[test]
#[ignore = "needs z3"]
fn every_form_of_solver_argument_resolves() {
    let toml = "[solver.mine]\nprofile = 'z3'\ncommand = \"z3 'smt.random_seed=3'\"";
    let profiles = smelt_solvers::Profiles::load(Some(toml)).unwrap();
    let catalog =
        smelt_solvers::Catalog::new(profiles, smelt_solvers::Zoo::at("/nonexistent"), Some("/bin/x".into()));
    let resolve = |text: &str| catalog.resolve(&text.parse().unwrap());
    for text in ["z3", "mine", "z3 smt.random_seed=3", "/usr/bin/env z3 -in"] {
        let solver = resolve(text).unwrap();
        let mut session = Session::new(solver, config(Mode::Reuse, WALL));
        assert_eq!(session.run(Query::new("(check-sat)")).unwrap().outcome.kind, OutcomeKind::Sat, "{text}");
    }
    let builtin = resolve("builtin:late").unwrap();
    assert_eq!(builtin.id().name(), "builtin:late");
    assert_eq!(builtin.shell_command("a b.smt2", b""), "/bin/x solve --fault late 'a b.smt2'");
    assert_eq!(builtin.program(), Path::new("/bin/x"));
    for text in ["z3@4.8.7", "nosuch", "nosuch -x", "opensmt"] {
        let error = resolve(text).unwrap_err();
        assert_eq!(error.kind(), smelt_solvers::ErrorKind::NotFound, "{error}");
    }
    // A program on PATH answers to its version, unless the zoo has that one: then it is another build.
    let z3 = resolve("z3").unwrap();
    assert_eq!(resolve(&z3.id().to_string()).unwrap().program(), z3.program());
    let zoo = std::env::temp_dir().join(format!("smelt-same-version-{}", std::process::id()));
    let release = zoo.join("z3").join(z3.id().version().unwrap().as_str());
    std::fs::create_dir_all(&release).unwrap();
    std::fs::write(release.join("release.toml"), "format = 1\npackage = 'z3-solver'\npython = '/x'\n")
        .unwrap();
    let both = smelt_solvers::Catalog::new(
        smelt_solvers::Profiles::load(None).unwrap(),
        smelt_solvers::Zoo::at(&zoo),
        None,
    );
    let named = |text: &str| both.resolve(&text.parse().unwrap()).unwrap().id().to_string();
    assert_eq!(named("z3"), format!("{}+path", z3.id()));
    assert_eq!(named(&z3.id().to_string()), z3.id().to_string());
    std::fs::remove_dir_all(zoo).unwrap();
    let rows = catalog.list();
    let mine = rows.iter().find(|row| row.spec == "mine").unwrap();
    assert!(mine.sessions && mine.id.version().is_some());
    assert!(rows.iter().any(|row| row.spec == "z3") && rows.iter().any(|row| row.spec == "builtin"));
}

#[test]
#[ignore = "needs z3"]
fn z3_answering_after_a_refused_assertion_gives_no_verdict() {
    let z3 = real("z3");
    for mode in [Mode::Reuse, Mode::Fresh] {
        let mut session = Session::new(z3.clone(), config(mode, WALL));
        let script = "(declare-fun x () Bool)(assert (and x nowhere))(check-sat)";
        let outcome = session.run(Query::new(script)).unwrap().outcome;
        assert_eq!(essence(&outcome), (OutcomeKind::Rejected, vec![None]));
    }
}

fn a_script_can_be_read_from_a_file(name: &str) {
    let mut session = Session::new(real(name), config(Mode::File, WALL));
    let script = "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(assert (bvult x #x00))(check-sat)";
    let outcome = session.run(Query::new(script).with_model()).unwrap().outcome;
    assert_eq!(essence(&outcome), (OutcomeKind::Unsat, vec![Some(Verdict::Unsat)]));
}

each_solver!(a_script_can_be_read_from_a_file: z3 "needs z3", cvc5 "needs cvc5", cvc4 "needs cvc4",
    boolector "needs boolector");

fn models_and_cores_come_with_their_answers(name: &str) {
    let solver = real(name);
    for mode in [Mode::Reuse, Mode::Fresh] {
        let mut session = Session::new(solver.clone(), config(mode, WALL));
        for _ in 0..3 {
            let head = "(set-logic QF_LIA)(declare-fun x () Int)(assert (! (> x 41) :named p))";
            let ask = |tail: &str| Query::new(format!("{head}{tail}")).with_model().with_core();
            let sat = session.run(ask("(check-sat)")).unwrap().outcome;
            let unsat = session.run(ask("(assert (! (< x 3) :named q))(check-sat)")).unwrap().outcome;
            let (sat, unsat) = (&sat.answers[0], &unsat.answers[0]);
            assert!(sat.model.as_ref().is_some_and(|m| m.contains("define-fun x")), "{sat:?}");
            let core = unsat.core.as_deref().unwrap_or_default();
            let read = smelt_smtlib::sexpr::read_all(core.as_bytes()).unwrap();
            assert_eq!(read[0].list("a core").unwrap().len(), 2, "{unsat:?}");
            assert!(sat.core.is_none() && unsat.model.is_none());
        }
    }
}

each_solver!(models_and_cores_come_with_their_answers: z3 "needs z3", cvc5 "needs cvc5", cvc4 "needs cvc4");

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

/// The outcomes of 200 small formulas, and the CPU time that the solver took for them.
fn timed(solver: &Solver, mode: Mode) -> (Duration, Vec<Essence>) {
    let mut session = Session::new(solver.clone(), config(mode, WALL));
    let finished: Vec<_> = (0..200).map(|i| session.run(Query::new(small(i))).unwrap().outcome).collect();
    (finished.iter().map(|o| o.usage.cpu).sum(), finished.iter().map(essence).collect())
}

fn sessions_take_a_fifth_of_the_cpu_time_with_the_same_outcomes(name: &str) {
    let solver = real(name);
    let (session, one) = timed(&solver, Mode::Reuse);
    let (fresh, other) = timed(&solver, Mode::Fresh);
    let factor = fresh.as_secs_f64() / session.as_secs_f64();
    eprintln!("{}: session {session:?}, fresh {fresh:?}, factor {factor:.1}", solver.id());
    assert_eq!(one, other);
    assert!(one.iter().all(|(kind, _)| kind.verdict().is_some()), "{one:?}");
    assert!(factor >= 5.0, "{factor:.1}");
}

each_solver!(sessions_take_a_fifth_of_the_cpu_time_with_the_same_outcomes: z3 "needs z3@5.4.0, --slow",
    cvc5 "needs cvc5, --slow");

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
fn sessions_and_fresh_processes_agree_on_the_seeds(name: &str) {
    let stride = std::env::var("SMELT_STRIDE").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let files: Vec<_> = smelt_testing::corpus("seeds").into_iter().step_by(stride).collect();
    let solver = real(name);
    let session = sweep(&solver, Mode::Reuse, &files);
    let fresh = sweep(&solver, Mode::Fresh, &files);
    let counts = |outcomes: &[Outcome]| {
        let mut counts = std::collections::BTreeMap::new();
        outcomes.iter().for_each(|o| *counts.entry(o.kind.as_str()).or_insert(0) += 1);
        counts
    };
    eprintln!("{name}: {} files, session {:?}, fresh {:?}", files.len(), counts(&session), counts(&fresh));
    let mut differences = Vec::new();
    for ((file, one), other) in files.iter().zip(&session).zip(&fresh) {
        if essence(one) == essence(other) {
            continue;
        }
        let said = |o: &Outcome| format!("{} {:?} {:?}", o.kind, o.usage.wall, o.message);
        let line = format!("{}: session {}, fresh {}", file.display(), said(one), said(other));
        eprintln!("{line}");
        // With a timeout on one side, both sides must agree when given more time.
        let timeout = [one, other].iter().any(|o| o.kind == OutcomeKind::Timeout);
        let patient = |mode| {
            let mut session = Session::new(solver.clone(), config(mode, WALL));
            essence(&session.run(Query::new(std::fs::read(file).unwrap())).unwrap().outcome)
        };
        if !timeout || patient(Mode::Reuse) != patient(Mode::Fresh) {
            differences.push(line);
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}

each_solver!(sessions_and_fresh_processes_agree_on_the_seeds: z3 "needs z3, corpus, --slow",
    cvc5 "needs cvc5, corpus, --slow", cvc4 "needs cvc4, corpus, --slow");

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
#[ignore = "needs --slow"]
fn the_zoo_installs_and_passes_the_doctor() {
    let catalog = catalog();
    let mut sick = Vec::new();
    for text in RELEASES {
        let spec: SolverSpec = text.parse().unwrap();
        let SolverSpec::Release(name, version) = &spec else { panic!("{text} is no release") };
        let installed = catalog.install(name, version).unwrap();
        let report = doctor(&catalog.resolve(&spec).unwrap()).unwrap();
        eprintln!("{text}: new {}, healthy {}", installed.new, report.healthy());
        for check in report.checks.iter().filter(|c| c.result == CheckResult::Fail) {
            sick.push(format!("{text}: {}: {}", check.name, check.detail));
        }
    }
    assert!(sick.is_empty(), "{sick:#?}");
    let listed: Vec<_> = catalog.list().into_iter().map(|row| row.spec).collect();
    assert!(RELEASES.iter().all(|r| listed.iter().any(|l| l == r)), "{listed:?}");
}

#[test]
#[ignore = "needs --slow"]
fn a_release_that_does_not_exist_names_those_that_do() {
    let catalog = catalog();
    let error = catalog.zoo().install(catalog.profiles(), "cvc5", &"0.0.1".parse().unwrap()).unwrap_err();
    assert_eq!(error.kind(), smelt_solvers::ErrorKind::NoSuchRelease);
    assert!(error.to_string().contains("1.0.9"), "{error}");
    assert!(catalog.zoo().available(catalog.profiles(), "cvc5").unwrap().len() > 3);
}

fn strings_are_read_as_they_are_meant(name: &str) {
    let script = "(set-logic QF_SLIA)(declare-fun s () String)(assert (= s \"\\x41\\u{42}\\n\"))\
                  (assert (= (str.len s) 7))(check-sat)";
    let mut session = Session::new(real(name), config(Mode::Reuse, WALL));
    let outcome = session.run(Query::new(script).with_model()).unwrap().outcome;
    assert_eq!(outcome.kind, OutcomeKind::Sat, "{outcome:?}");
    let model = outcome.answers[0].model.clone().unwrap();
    let spellings = ["\"\\u{5c}x41B\\u{5c}n\"", "\"\\x41B\\n\""];
    assert!(outcome.comparable && spellings.iter().any(|s| model.contains(s)), "{model}");
}

each_solver!(strings_are_read_as_they_are_meant: z3_4_8_5 "needs z3@4.8.5", z3_4_8_7 "needs z3@4.8.7",
    z3_4_8_10 "needs z3@4.8.10", z3_5_4_0 "needs z3@5.4.0", cvc5 "needs cvc5", cvc5_1_4_2 "needs cvc5@1.4.2");

/// Commands that write a file, each hidden from a scan in another way; FILE is its name.
const WRITERS: [&str; 7] = [
    "(|set-option| :regular-output-channel \"FILE\")(check-sat)",
    "(declare-const p Bool)(assert p)(check-sat-using (using-params sat :drat.file |FILE|))",
    "(declare-const |a\\|)(set-option :regular-output-channel \"FILE\")(check-sat)(assert |b| Bool)",
    "#| (assert |# (set-option :regular-output-channel \"FILE\")(check-sat) #| ) |#",
    "(set-option :out FILE)(check-sat)",
    "; \r(set-option :regular-output-channel \"FILE\")(check-sat)",
    "(declare-const p Bool)(assert p)(apply (using-params sat-preprocess :drat.file |FILE|))",
];

fn no_script_has_a_file_written(name: &str) {
    let folder = tempfile::tempdir().unwrap();
    for mode in [Mode::Reuse, Mode::Fresh, Mode::File] {
        for text in WRITERS {
            let text = text.replace("FILE", &folder.path().join("victim").display().to_string());
            let mut session = Session::new(real(name), config(mode, WALL));
            session.run(Query::new(text.clone())).unwrap();
            drop(session);
            let written = std::fs::read_dir(folder.path()).unwrap().count();
            assert_eq!(written, 0, "{mode:?} {text}");
        }
    }
}

each_solver!(no_script_has_a_file_written: z3 "needs z3", cvc5 "needs cvc5", cvc4 "needs cvc4");
