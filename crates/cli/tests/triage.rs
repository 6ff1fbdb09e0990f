//! Many triggers of planted faults, and which of them triage takes for one bug; `smelt bisect` and `smelt bugs` from the
//! outside.
#![allow(clippy::print_stdout, reason = "tests say what they measured")]

use crate::common::{Folder, json, stderr, stdout};
use smelt_campaign::embedded::embedded;
use smelt_core::{
    Accused, Case, Cause, Claim, Dossier, Evidence, Expectation, Kind, OutcomeKind, Reason, Relation,
};
use smelt_solvers::{Catalog, Limits, Mode, Profiles, SolverSpec, Zoo};
use smelt_strategies::{CaseRequest, Draft, OptionText, Pool, case_seed, rows};
use smelt_triage::{Examiner, Means, Unexamined, partition};
use smelt_trial::{Inquest, Lineup, NamedSolver, Panel, Trial, suspicions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Every planted fault, a text that each of its triggers contains, and how many triggers are examined: fewer of those that
/// cost seconds each time.
const FAULTS: [(&str, &str, usize); 20] = [
    ("model-off-by-one", "", 12),
    ("div-truncates", "(div ", 12),
    ("forall-first-value", "forall", 12),
    ("array-default-equality", "store", 12),
    ("distinct-neighbours", "distinct", 12),
    ("bvashr-logical", "bvashr", 12),
    ("bvudiv-zero", "bvudiv", 12),
    ("fp-rem-small", "fp.rem", 12),
    ("str-to-int-zeros", "str.to_int", 12),
    ("str-replace-empty", "str.replace", 12),
    ("core-drops-one", ":named", 12),
    ("assertion-nested-ite", "ite", 12),
    ("segfault-xor", "xor", 12),
    ("unknown-implication", "=>", 12),
    ("unknown-disjunction", "or ", 12),
    ("reset-keeps-unsat", "(reset)", 12),
    ("pop-keeps-assertion", "(pop", 12),
    ("hang-square", "(* ", 3),
    ("memory-concat", "str.++", 5),
    ("slow-ite", "ite", 3),
];

/// What never ends sleeps: only the wall ends it. Everything else takes milliseconds.
fn limits() -> Limits {
    Limits { memory: 1 << 29, ..Limits::within(Duration::from_secs(3)) }
}

fn catalog() -> Catalog {
    let smelt = PathBuf::from(env!("CARGO_BIN_EXE_smelt"));
    Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), Some(smelt))
}

fn contestant(catalog: &Catalog, spec: &str) -> NamedSolver {
    let solver = catalog.resolve(&spec.parse::<SolverSpec>().unwrap()).unwrap();
    NamedSolver { spec: spec.to_owned(), solver }
}

struct Trigger {
    case: Case,
    claim: Claim,
}

/// A claim against a solver, with nothing but what a test needs.
fn claim(kind: Kind, solver: &NamedSolver, evidence: Option<Evidence>, reason: &str) -> Claim {
    Claim {
        query: None,
        kind,
        accused: vec![Accused { position: 0, solver: solver.solver.id().clone() }],
        evidence,
        theory: String::new(),
        cause: Cause::Operators(Vec::new()),
        reason: Reason::Regression(reason.to_owned()),
    }
}

/// Mutants of the embedded seeds that show a fault, by all strategies.
fn triggers(catalog: &Catalog, fault: &str, part: &str, wanted: usize) -> (Vec<NamedSolver>, Vec<Trigger>) {
    let solvers = vec![contestant(catalog, &format!("builtin:{fault}")), contestant(catalog, "builtin")];
    let quick = Limits { cpu: Some(Duration::from_millis(300)), ..limits() };
    let mut panel = Panel::new(Lineup { solvers: &solvers, limits: quick, is_over: &|| false });
    let mut patient = Panel::new(Lineup { solvers: &solvers, limits: limits(), is_over: &|| false });
    let mut pool = Pool::new();
    let mut ids = Vec::new();
    for seed in embedded() {
        // Names and the stack come with mutation.
        let is_word = part.starts_with([':', '(']) && part != "(div " && part != "(* ";
        if let Ok(id) = pool.add(seed.name, seed.text.as_bytes(), Some(seed.status))
            && (is_word || seed.text.contains(part))
        {
            ids.push(id);
        }
    }
    let mut strategies: Vec<_> = rows()
        .filter(|r| r.needs.seeds())
        .map(|r| (r.name, r.make(&OptionText::default()).unwrap()))
        .collect();
    let mut draft = Draft::default();
    let mut found: Vec<Trigger> = Vec::new();
    // How often a seed took too long; such seeds are left out.
    let mut hard: BTreeMap<usize, u32> = BTreeMap::new();
    let strategies_count = strategies.len();
    for number in 0..40_000_usize {
        if found.len() >= wanted {
            break;
        }
        let (name, strategy) = {
            let at = number % strategies_count;
            &mut strategies[at]
        };
        let seed = &ids[number / strategies_count % ids.len()];
        if hard.get(&seed.index()).is_some_and(|times| *times > 5) {
            continue;
        }
        let request = CaseRequest { seeds: &[*seed], number: case_seed(7, name, number as u64) };
        if strategy.next(&mut pool, &request, &mut draft).is_err() {
            continue;
        }
        let text = String::from_utf8_lossy(&draft.text).into_owned();
        if !text.contains(part) || found.iter().any(|t| t.case.script == draft.text) {
            continue;
        }
        let case = Case::open(draft.text.clone());
        let trial = Trial::from(&case);
        let judged = panel.hold(&trial, Mode::Reuse, |_| true).unwrap().unwrap();
        let outcome = |i: usize| judged.outcomes[i].as_ref().unwrap().kind;
        if outcome(0) == OutcomeKind::Timeout && outcome(1) == OutcomeKind::Timeout {
            *hard.entry(seed.index()).or_default() += 1;
        }
        let claim = judged.judgement.claims.iter().find(|c| c.accuses(0)).cloned();
        let claim = claim.or_else(|| {
            let suspicion = suspicions(&solvers, &judged.outcomes).into_iter().find(|s| s.accused == 0)?;
            let inquest = patient.look_into_regression(suspicion, &draft.text, Some(limits().time));
            match inquest.unwrap() {
                Inquest::Claim(claim) => Some(*claim),
                Inquest::NoNews(_) | Inquest::Nothing => None,
            }
        });
        if let Some(claim) = claim {
            found.push(Trigger { case, claim });
        }
    }
    (solvers, found)
}

/// Examines triggers of all faults. No group may hold two faults, and no fault may be in two groups.
fn sort_out(faults: &[(&str, &str, usize)]) {
    smelt_solvers::nursery::start().unwrap();
    let catalog = catalog();
    let means = Means { reference: Some(contestant(&catalog, "builtin")), releases: Vec::new() };
    let stop = AtomicBool::new(false);
    let examiner =
        Examiner { means: &means, limits: limits(), jobs: 2, time: Duration::from_secs(600), stop: &stop };
    let mut all: Vec<(&str, Dossier)> = Vec::new();
    for &(fault, part, each) in faults {
        let (solvers, found) = triggers(&catalog, fault, part, each);
        let count = found.len();
        for trigger in found {
            let (case, claim) = (&trigger.case, &trigger.claim);
            let patient = Unexamined { case, claim, solvers: &solvers, reduction: None };
            let examination = examiner.examine(&patient).unwrap().unwrap();
            let print = examination.dossier.fingerprint();
            assert!(!print.contains(fault), "{print}");
            if std::env::var_os("SMELT_SHOW").is_some() {
                let small = examination.reduced.unwrap_or(trigger.case.script);
                println!("{fault}: {print}\n{}", String::from_utf8_lossy(&small));
            }
            all.push((fault, examination.dossier));
        }
        println!("{fault}: {count} triggers");
        assert!(count >= each.min(3), "{fault}: {count} triggers");
    }
    // Mixed, so that the order of the findings gives nothing away.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| (i * 7919) % all.len());
    let dossiers: Vec<&Dossier> = order.iter().map(|i| &all[*i].1).collect();
    let mut homes: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut merged = Vec::new();
    let groups = partition(&dossiers);
    for (number, group) in groups.iter().enumerate() {
        let faults: BTreeSet<&str> = group.members.iter().map(|i| all[order[*i]].0).collect();
        let prints: BTreeSet<String> = group.members.iter().map(|i| dossiers[*i].fingerprint()).collect();
        println!("{:>3} in {faults:?} {prints:?}", group.members.len());
        for fault in &faults {
            homes.entry(fault).or_default().insert(number);
        }
        if faults.len() > 1 {
            merged.push(faults);
        }
    }
    let split: Vec<_> = homes.iter().filter(|(_, h)| h.len() > 1).map(|(f, h)| (f, h.len())).collect();
    println!("{} triggers, {} groups, split {split:?}, merged {merged:?}", all.len(), groups.len());
    assert!(merged.is_empty(), "merged: {merged:?}");
    assert!(split.is_empty(), "split: {split:?}");
    assert_eq!(groups.len(), faults.len());
    let wanted: usize = faults.iter().map(|f| f.2).sum();
    assert!(all.len() >= wanted.min(200), "{} triggers of {wanted}", all.len());
}

#[test]
fn triggers_of_two_faults_are_two_bugs() {
    sort_out(&[("bvudiv-zero", "bvudiv", 3), ("str-to-int-zeros", "str.to_int", 3)]);
}

#[test]
#[ignore = "needs cvc4"]
fn what_shows_with_any_operator_of_a_theory_is_one_bug() {
    smelt_solvers::nursery::start().unwrap();
    let catalog = catalog();
    let means = Means { reference: Some(contestant(&catalog, "builtin")), releases: Vec::new() };
    let stop = AtomicBool::new(false);
    let examiner = Examiner { means: &means, limits: limits(), jobs: 1, time: Duration::ZERO, stop: &stop };
    let solvers = [contestant(&catalog, "cvc4"), contestant(&catalog, "builtin")];
    let dossier = |index: &str| {
        let script = format!(
            "(declare-const x (_ BitVec 5))(declare-const a (Array (_ BitVec 5) Bool))\
             (assert (select a {index}))(check-sat)"
        );
        let case = Case::open(script.as_bytes());
        let claim = claim(Kind::InvalidModel, &solvers[0], Some(Evidence::Model), "its model is invalid");
        let patient = Unexamined { case: &case, claim: &claim, solvers: &solvers, reduction: None };
        examiner.examine(&patient).unwrap().unwrap().dossier
    };
    let all = ["(bvshl x x)", "(bvnot x)", "(bvneg (bvshl x x))"].map(dossier);
    let groups = partition(&all.iter().collect::<Vec<_>>());
    let prints: Vec<String> = all.iter().map(Dossier::fingerprint).collect();
    assert_eq!(groups.len(), 1, "{prints:?}");
    assert_eq!(prints[0], "cvc4/wrong/(bitvectors)");
}

#[test]
#[ignore = "needs --slow"]
fn two_hundred_triggers_of_twenty_faults_are_twenty_bugs() {
    let only = std::env::var("SMELT_FAULTS").unwrap_or_default();
    let is_wanted = |f: &&(&str, &str, usize)| only.is_empty() || only.split(',').any(|n| n == f.0);
    sort_out(&FAULTS.iter().filter(is_wanted).copied().collect::<Vec<_>>());
}

#[test]
fn nothing_follows_for_a_weaker_formula_from_unsat() {
    smelt_solvers::nursery::start().unwrap();
    let solvers = [contestant(&catalog(), "builtin:unknown-disjunction")];
    let mut panel = Panel::new(Lineup { solvers: &solvers, limits: limits(), is_over: &|| false });
    let script = |t: &str| format!("(declare-const p Bool)(declare-const q Bool)(assert {t})(check-sat)");
    let (before, after) = (script("(and p (not p))"), script("(or p q)"));
    let pair = (before.as_bytes(), after.as_bytes());
    for (relation, due) in [(Relation::Weaker, false), (Relation::Stronger, true), (Relation::Same, true)] {
        let inquest =
            panel.look_into_implication(0, pair, Expectation::Related(relation), None, None).unwrap();
        assert_eq!(matches!(inquest, Inquest::Claim(_)), due, "{relation:?}: {inquest:?}");
    }
}

#[test]
fn a_pair_is_reduced_while_one_still_follows_from_the_other() {
    smelt_solvers::nursery::start().unwrap();
    let catalog = catalog();
    let means = Means { reference: Some(contestant(&catalog, "builtin")), releases: Vec::new() };
    let stop = AtomicBool::new(false);
    let examiner =
        Examiner { means: &means, limits: limits(), jobs: 1, time: Duration::from_secs(600), stop: &stop };
    let solvers = [contestant(&catalog, "builtin:unknown-disjunction")];
    let script = |t: &str| {
        format!(
            "(declare-const p Bool)(declare-const q Bool)(declare-const x (_ BitVec 4))\
             (assert (bvult x #x5))(assert (and q {t}))(check-sat)"
        )
    };
    let (before, after) = (script("p"), script("(or p (bvult x #x3))"));
    let case = Case {
        before: Some(before.clone().into_bytes()),
        ..Case::expecting(after.as_bytes(), Expectation::Related(Relation::Weaker))
    };
    let claim = claim(
        Kind::IncompleteImplication,
        &solvers[0],
        None,
        "unknown, although it answered sat one step earlier",
    );
    let patient = Unexamined { case: &case, claim: &claim, solvers: &solvers, reduction: None };
    let examination = examiner.examine(&patient).unwrap().unwrap();
    let pair = examination.dossier.pair.expect("both scripts");
    let small = String::from_utf8(examination.reduced.expect("reduced")).unwrap();
    assert_eq!((pair.answer, pair.proved.len()), (OutcomeKind::Sat, 1));
    assert!(small.contains("(or ") && !small.contains("#x5"), "{small}");
    assert!(!pair.script.contains("(or ") && !pair.script.contains("#x5"), "{}", pair.script);
    let question = smelt_trial::entailment(pair.script.as_bytes(), small.as_bytes()).expect("one question");
    let prover = [contestant(&catalog, "builtin")];
    let mut panel = Panel::new(Lineup { solvers: &prover, limits: limits(), is_over: &|| false });
    let said = panel.ask(0, smelt_solvers::Query::new(question), Mode::Fresh).unwrap().unwrap();
    assert_eq!(said.kind, OutcomeKind::Unsat, "it still follows");
}

#[test]
fn if_the_answer_to_the_seed_is_wrong_the_seed_is_shown() {
    smelt_solvers::nursery::start().unwrap();
    let catalog = catalog();
    let means = Means { reference: Some(contestant(&catalog, "builtin")), releases: Vec::new() };
    let stop = AtomicBool::new(false);
    // No time to reduce it.
    let examiner = Examiner { means: &means, limits: limits(), jobs: 1, time: Duration::ZERO, stop: &stop };
    let solvers = [contestant(&catalog, "builtin:bvudiv-zero"), contestant(&catalog, "builtin")];
    let seed = b"(declare-const x (_ BitVec 4))(assert (distinct (bvudiv x #x0) #xf))(check-sat)";
    let case = Case {
        seed: Some(seed.to_vec()),
        ..Case::expecting(&b"(assert false)(check-sat)"[..], Expectation::Related(Relation::Same))
    };
    let claim =
        claim(Kind::Unsound, &solvers[0], Some(Evidence::Metamorphic), "it says unsat, and sat to the seed");
    let patient = Unexamined { case: &case, claim: &claim, solvers: &solvers, reduction: None };
    let examination = examiner.examine(&patient).unwrap().unwrap();
    assert!(examination.dossier.of_seed);
    assert_eq!(examination.reduced.as_deref(), Some(&seed[..]));
}

#[test]
fn an_operator_is_cleared_only_by_right_answers() {
    smelt_solvers::nursery::start().unwrap();
    let catalog = catalog();
    let means = Means { reference: Some(contestant(&catalog, "builtin")), releases: Vec::new() };
    let stop = AtomicBool::new(false);
    let examiner = Examiner { means: &means, limits: limits(), jobs: 1, time: Duration::ZERO, stop: &stop };
    let solvers = [contestant(&catalog, "builtin:unknown-implication")];
    let case = Case::open(
        &b"(declare-const p Bool)(declare-const q Bool)(assert (=> p q))(assert (or p q))(check-sat)"[..],
    );
    let claim = claim(Kind::IncompleteRegression, &solvers[0], None, "unknown");
    let patient = Unexamined { case: &case, claim: &claim, solvers: &solvers, reduction: None };
    let dossier = examiner.examine(&patient).unwrap().unwrap().dossier;
    assert_eq!(dossier.cleared, ["or"], "it says unknown to everything about `=>`");
}

fn smelt(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt")).args(args).output().unwrap()
}

fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("smelt-triage-{name}-{}.smt2", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

const REPLACE: &str =
    "(declare-const t String)(declare-const u String)(assert (= (str.replace \"\" t u) \"a\"))(check-sat)";

#[test]
#[ignore = "needs z3@4.5.1.0.post2, z3@4.8.5"]
fn a_bug_of_an_old_release_is_bisected() {
    let script = file("replace", REPLACE);
    let output = smelt(&["bisect", &script, "-S", "z3", "--json"]);
    let document = json(&output);
    assert_eq!(output.status.code(), Some(10));
    assert_eq!(document["first_bad"], "4.5.1.0.post2");
    assert_eq!(document["fixed_in"], "4.8.5");
    assert!(document["good"].as_array().unwrap().contains(&"4.8.5".into()));
    let fast = smelt(&["bisect", &script, "-S", "z3", "--fast"]);
    let text = stdout(&fast);
    assert!(text.contains("fixed in    z3@4.8.5"), "{text}");
    std::fs::remove_file(script).unwrap();
}

#[test]
fn bisecting_says_what_is_wrong_with_the_question() {
    let script = file("usage", REPLACE);
    for (args, part) in [
        (&["bisect", &script, "-S", "nothing"][..], "no solver `nothing`"),
        (&["bisect", "missing.smt2", "-S", "z3"], "cannot read missing.smt2"),
        (&["bisect", &script, "-S", "z3@4.8.5"], "is a single release"),
        (&["bisect", &script, "-S", "builtin"], "has no installed releases"),
        (&["bisect", &script, "-S", "smtinterpol"], "no release of smtinterpol"),
        (&["bisect", &script, "-S", "z3", "--bad", "good"], "no such outcome"),
    ] {
        let output = smelt(args);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(part), "{args:?}: {text}");
    }
    std::fs::remove_file(script).unwrap();
}

fn read(folder: &Folder, args: &[&str]) -> serde_json::Value {
    json(&folder.smelt(args))
}

const SEED: &str = "(set-logic QF_BV)(set-info :status unsat)(declare-const x (_ BitVec 4))\
    (declare-const y (_ BitVec 4))(assert (= y (bvadd x #x1)))\
    (assert (distinct (bvudiv x #x0) #xf))(check-sat)\n";

#[test]
fn a_campaign_reduces_and_groups_by_itself_and_a_report_says_why() {
    let folder = Folder::new("campaign");
    folder.file("seed.smt2", SEED);
    let fuzz =
        ["fuzz", "seed.smt2", "-S", "builtin", "-S", "builtin:bvudiv-zero", "--seed", "1", "--tests", "20"];
    let mut summary = read(&folder, &[&fuzz[..], &["--out", "store", "--json"]].concat());
    // A campaign that ends does not reduce forever; on a busy machine the next one continues.
    let is_open =
        |s: &serde_json::Value| s["findings"].as_array().unwrap().iter().any(|f| f["reduced"].is_null());
    for _ in 0..10 {
        if is_open(&summary) {
            summary = read(&folder, &["fuzz", "--resume", "--tests", "20", "--out", "store", "--json"]);
        }
    }
    let findings = summary["findings"].as_array().unwrap();
    assert!(!findings.is_empty());
    for finding in findings {
        let reduced = finding["reduced"].as_str().unwrap_or_else(|| panic!("{finding}"));
        let text = std::fs::read_to_string(folder.0.join(reduced)).unwrap();
        assert!(text.contains("bvudiv") && !text.contains("bvadd"), "{text}");
        assert!(text.len() as u64 <= finding["bytes"].as_u64().unwrap());
        assert_eq!(finding["fingerprint"], "builtin/wrong/bvudiv");
    }
    let bugs = read(&folder, &["bugs", "store", "--json"]);
    assert_eq!(bugs.as_array().unwrap().len(), 1, "{bugs}");
    assert_eq!(findings.len(), 1, "{summary}");
    let every = read(&folder, &["bugs", "store", "--findings", "--json"]);
    assert_eq!(bugs[0]["findings"].as_array().unwrap().len(), every.as_array().unwrap().len());
    assert!(bugs[0]["priority"].as_u64().unwrap() <= 2, "{bugs}");
    let id = bugs[0]["id"].as_str().unwrap();
    let report = String::from_utf8(folder.smelt(&["bugs", "store", "report", id]).stdout).unwrap();
    for part in ["# builtin:bvudiv-zero", "```smt2", "(check-sat)", "## Why it is wrong", "default options"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    // A maintainer does not have the campaign.
    assert!(!report.contains("smelt replay"), "{report}");
    let shown = stdout(&folder.smelt(&["bugs", "store", "show", id]));
    assert!(shown.contains("smelt replay"), "{shown}");
    // What an earlier export left goes, and what is not ours stays.
    std::fs::create_dir_all(folder.0.join("all")).unwrap();
    for old in ["all/0099-crash.smt2", "all/0099-crash.md", "all/12345-invalid-model.md", "all/2024-notes.md"]
    {
        folder.file(old, "old");
    }
    let exported = folder.smelt(&["bugs", "store", "export", "all"]);
    assert_eq!(exported.status.code(), Some(10));
    let names: Vec<String> = std::fs::read_dir(folder.0.join("all"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.contains(&"bugs.json".to_owned()) && names.contains(&"2024-notes.md".to_owned()),
        "{names:?}"
    );
    assert_eq!(names.len(), 4, "a script, an issue, the list, and the notes: {names:?}");
    // Muted bugs are not shown.
    std::fs::write(folder.0.join("store/mute.txt"), "builtin/wrong/bvudiv # planted\n").unwrap();
    let muted = folder.smelt(&["bugs", "store"]);
    assert_eq!(muted.status.code(), Some(0));
    assert!(stdout(&muted).contains("1 known and muted"));
    let missing = folder.smelt(&["bugs", "store", "--mute", "nothing"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(folder.smelt(&["bugs", "store", "report", "77"]).status.code(), Some(2));
}

#[test]
fn without_reducing_findings_stay_and_a_report_examines_them() {
    let folder = Folder::new("no-reduce");
    folder.file("seed.smt2", SEED);
    let fuzz =
        ["fuzz", "seed.smt2", "-S", "builtin", "-S", "builtin:bvudiv-zero", "--seed", "1", "--tests", "5"];
    let summary = read(&folder, &[&fuzz[..], &["--no-reduce", "--out", "store", "--json"]].concat());
    let findings = summary["findings"].as_array().unwrap();
    assert!(!findings.is_empty() && findings.iter().all(|f| f["reduced"].is_null()), "{summary}");
    let id = findings[0]["id"].as_str().unwrap();
    let report = folder.smelt(&["bugs", "store", "report", id]);
    assert!(stdout(&report).contains("bvudiv"));
    let shown = read(&folder, &["bugs", "store", "show", id, "--json"]);
    assert_eq!(shown["fingerprint"], "builtin/wrong/bvudiv");
    assert!(shown["reduced"].is_string(), "it is kept: {shown}");
    // The next run examines the others.
    let more = read(&folder, &["fuzz", "--resume", "--out", "store", "--tests", "6", "--json"]);
    assert_eq!(more["findings"][0]["fingerprint"], "builtin/wrong/bvudiv", "{more}");
}

#[test]
fn the_report_of_a_finding_that_is_a_known_bug_is_that_of_the_bug() {
    let folder = Folder::new("recognised");
    folder.file("seed.smt2", SEED);
    let fuzz =
        ["fuzz", "seed.smt2", "-S", "builtin", "-S", "builtin:bvudiv-zero", "--seed", "1", "--tests", "12"];
    // A campaign that learns files what mutants show of their seed under the finding of the seed.
    let plain = ["--schedule", "uniform", "--no-reduce", "--out", "store", "--json"];
    let summary = read(&folder, &[&fuzz[..], &plain].concat());
    let findings = summary["findings"].as_array().unwrap();
    assert!(findings.len() > 1, "{summary}");
    for finding in findings {
        let id = finding["id"].as_str().unwrap();
        let report = stdout(&folder.smelt(&["bugs", "store", "report", id]));
        assert!(report.contains("| builtin:bvudiv-zero 0.2.0 "), "{id}: {report}");
        assert!(report.contains("bvudiv"), "{id}: {report}");
    }
    // The list, the summary of a campaign and the report tell of one thing.
    let bugs = read(&folder, &["bugs", "store", "--json"]);
    let more = read(&folder, &["fuzz", "--resume", "--out", "store", "--tests", "12", "--json"]);
    for (bug, told) in bugs.as_array().unwrap().iter().zip(more["findings"].as_array().unwrap()) {
        for field in ["id", "kind", "theory", "evidence", "bytes", "fingerprint"] {
            assert_eq!(bug[field], told[field], "{field}: {bug} {told}");
        }
    }
}

/// Two published bugs that one release fixed; some findings are recognised as known ones without asking all releases.
#[test]
#[ignore = "needs z3@4.8.5, z3@4.8.7, z3@4.8.10, cvc5@1.4.2"]
fn unique_bugs_of_old_releases_are_counted_by_the_release_that_fixed_them() {
    let folder = Folder::new("fixes");
    let seed = |formula: &str| format!("(declare-const a String)\n(assert {formula})\n(check-sat)\n");
    folder.file("one.smt2", &seed(r#"(str.suffixof "a" (str.++ a "a"))"#));
    folder.file("two.smt2", &seed(r#"(str.< "a" (str.++ "a" "a"))"#));
    let campaign = ["fuzz", "one.smt2", "two.smt2", "-S", "z3@4.8.5", "-S", "z3@4.8.7", "-S", "cvc5@1.4.2"];
    let more = ["-s", "shuffle", "--tests", "8", "--seed", "1", "-j", "1", "--no-cache", "--out", "store"];
    folder.smelt(&[&campaign[..], &more].concat());
    folder.smelt(&["bugs", "store", "examine", "--each", "60s"]);
    let found = json(&folder.smelt(&["bugs", "store", "--by-fix", "--json"]));
    let fixed: Vec<&str> =
        found["fixes"].as_array().unwrap().iter().filter_map(|f| f["fixed_in"].as_str()).collect();
    assert_eq!(fixed, ["z3@4.8.10"], "{found}");
    assert_eq!((&found["unexamined"], &found["unique"]), (&0.into(), &1.into()), "{found}");
    assert_eq!(found["fixes"].as_array().unwrap().len(), 1, "none is left without its release: {found}");
}

/// yices 2.6.5 forgets a constant once a `let` beside another binding had its name. Four formulas of four theories.
const FORGETFUL: [&str; 4] = [
    "(set-logic QF_UF)(declare-const a Bool)(declare-const c Bool)\
     (assert (let ((a (not c)) (b (and a c))) (or b (not a))))(assert (and a c))(check-sat)\n",
    "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)\
     (assert (let ((x (+ y 1)) (z (+ x 10))) (= z 13)))(assert (= x 3))(assert (< y 0))(check-sat)\n",
    "(set-logic QF_BV)(declare-const p (_ BitVec 4))(declare-const q (_ BitVec 4))\
     (assert (let ((p (bvadd q #x1)) (r (bvmul p #x3))) (bvult p r)))(assert (= p #x5))(assert (= q #xf))(check-sat)\n",
    "(set-logic QF_LRA)(declare-const u Real)(declare-const v Bool)\
     (assert (let ((v (> u 1.0)) (w (ite v 2.0 3.0))) (=> v (= w u))))(assert (not v))(assert (> u 2.0))(check-sat)\n",
];

#[test]
#[ignore = "needs yices@2.6.5"]
fn one_construct_at_fault_is_one_bug_whatever_the_seeds_are_about() {
    let folder = Folder::new("let");
    let seeds: Vec<String> =
        FORGETFUL.iter().enumerate().map(|(i, text)| folder.file(&format!("{i}.smt2"), text)).collect();
    let mut fuzz: Vec<&str> = vec!["fuzz"];
    fuzz.extend(seeds.iter().map(String::as_str));
    let rest = "-S yices@2.6.5 -S builtin --tests 40 -j 1 --seed 1 --no-cache --no-reduce --out store --json";
    fuzz.extend(rest.split(' '));
    let summary = read(&folder, &fuzz);
    assert!(summary["findings"].as_array().unwrap().len() > 4, "{summary}");
    let bugs = read(&folder, &["bugs", "store", "examine", "--each", "20s", "--json"]);
    let bugs = bugs.as_array().unwrap();
    assert!(bugs.iter().all(|b| b["examined"] == true), "{bugs:?}");
    // Its answers and its models are wrong, at times for one reason more than the other.
    assert!(bugs.len() <= 2, "{:?}", bugs.iter().map(|b| &b["fingerprint"]).collect::<Vec<_>>());
    assert!(bugs.iter().any(|b| b["fingerprint"] == "yices/wrong/let"), "{bugs:?}");
}
