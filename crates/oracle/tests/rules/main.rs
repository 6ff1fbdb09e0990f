//! The rules of the oracle, as tables: what is a finding, of which solver, and by which evidence; and what is not a finding.

mod counts;
mod names;

use smelt_core::{
    Answer, Case, Certificate, Crash, CrashKind, Evidence, Expectation, Kind, Outcome, OutcomeKind, Relation,
    SolverId,
};
use smelt_oracle::{CaseScript, Exhaust, Judgement, SolverOutcome, Truth, family, judge, judge_answer};

/// What a solver does: one word for each answer, `sat:MODEL` with a model, `unsat#CORE` with a core, or a failure.
fn outcome(words: &str) -> Outcome {
    let mut outcome = Outcome::bare(OutcomeKind::Unknown, "");
    for word in words.split(' ').filter(|w| !w.is_empty()) {
        let (head, model) = word.split_once(':').map_or((word, None), |(h, m)| (h, Some(m)));
        let (head, core) = head.split_once('#').map_or((head, None), |(h, c)| (h, Some(c)));
        outcome.kind = *OutcomeKind::ALL.iter().find(|k| k.as_str() == head).unwrap_or(&OutcomeKind::Crash);
        let Some(verdict) = outcome.kind.verdict() else {
            let kind = if head == "self-check" { CrashKind::SelfCheck } else { CrashKind::Assertion };
            let message = model.unwrap_or("it broke").replace('_', " ");
            outcome.crash = (outcome.kind == OutcomeKind::Crash).then(|| Crash {
                kind,
                signal: Some(6),
                exit_code: None,
                site: Some("src/a.cpp:7".to_owned()),
                message,
                stack: Vec::new(),
                lines: Vec::new(),
            });
            continue;
        };
        outcome.answers.push(Answer {
            verdict: Some(verdict),
            model: model.map(|value| format!("((define-fun x () Int {value}))")),
            core: core.map(|names| format!("({})", names.replace([',', '_'], " "))),
            ..Answer::default()
        });
    }
    outcome
}

/// Judges what solvers `a`, `b`, .. did; each is its own family.
fn judged(script: &str, expectation: Expectation, said: &[&str]) -> Judgement {
    judged_with(script, expectation, said, &[], None)
}

fn judged_with(
    script: &str,
    expectation: Expectation,
    said: &[&str],
    seeds: &[&str],
    witness: Option<&str>,
) -> Judgement {
    let ids: Vec<SolverId> =
        (b'a'..).take(said.len()).map(|c| SolverId::new((c as char).to_string(), None)).collect();
    let outcomes: Vec<Outcome> = said.iter().map(|s| outcome(s)).collect();
    let seeds: Vec<Outcome> = seeds.iter().map(|s| outcome(s)).collect();
    let solver_outcomes: Vec<SolverOutcome<'_>> = (0..said.len())
        .map(|i| SolverOutcome {
            solver: &ids[i],
            family: family("generic", ids[i].name()),
            outcome: &outcomes[i],
            seed: seeds.get(i),
        })
        .collect();
    let mut case = Case::expecting(script, expectation);
    case.certificate = witness.map_or(Certificate::None, |model| Certificate::Model(model.to_owned()));
    judge(&mut CaseScript::new(script.as_bytes()), &case, &solver_outcomes, Exhaust::Disputed)
}

/// Charges in short: `kind solver evidence`, with the check if there are several.
fn short(judgement: &Judgement) -> Vec<String> {
    let words = judgement.claims.iter().map(|c| {
        let evidence = c.evidence.map_or("none", Evidence::as_str);
        format!("{} {} {evidence}", c.kind, c.who())
    });
    words.collect()
}

/// Satisfiable by positive x.
const SAT: &str = "(declare-const x Int)(assert (> x 0))(check-sat)";
/// The evaluator decides this for no model.
const HARD: &str =
    "(declare-const x Int)(declare-fun f (Int) Int)(assert (forall ((y Int)) (> (f y) x)))(check-sat)";

#[test]
fn disagreement_is_settled_by_the_strongest_evidence_and_accuses_one_side() {
    let (nothing, sat, unsat) = (Expectation::Open, Expectation::SAT, Expectation::UNSAT);
    for (script, expectation, said, expected) in [
        // A validated model proves sat, whatever the vote.
        (SAT, nothing, &["sat:1", "unsat"][..], &["refutation-unsound b model"][..]),
        (
            SAT,
            nothing,
            &["unsat", "unsat", "sat:1"],
            &["refutation-unsound a model", "refutation-unsound b model"],
        ),
        (SAT, sat, &["sat:1", "unsat"], &["refutation-unsound b model"]),
        // Construction.
        (
            HARD,
            sat,
            &["unsat", "unsat"],
            &["refutation-unsound a construction", "refutation-unsound b construction"],
        ),
        (HARD, unsat, &["sat", "unsat"], &["solution-unsound a construction"]),
        (HARD, unsat, &["sat"], &["solution-unsound a construction"]),
        (HARD, sat, &["sat", "unsat"], &["refutation-unsound b construction"]),
        (SAT, unsat, &["sat:0", "unsat"], &["solution-unsound a construction"]),
        // A vote of two or more against one.
        (HARD, nothing, &["sat", "sat", "unsat"], &["refutation-unsound c vote"]),
        (HARD, nothing, &["sat", "unsat", "unsat"], &["solution-unsound a vote"]),
        // nothing settles.
        (HARD, nothing, &["sat", "unsat"], &["unsound a / b none"]),
        (HARD, nothing, &["sat", "sat", "unsat", "unsat"], &["unsound a / b / c / d none"]),
        // nothing to settle.
        (HARD, nothing, &["sat", "sat"], &[]),
        (HARD, nothing, &["unsat", "unknown", "timeout", "rejected", "error", "memout"], &[]),
        (HARD, nothing, &["sat"], &[]),
        (HARD, sat, &["unknown", "timeout", "rejected", "sat"], &[]),
        (SAT, nothing, &["sat:1", "sat:2", "unknown"], &[]),
    ] {
        assert_eq!(short(&judged(script, expectation, said)), expected, "{script} {expectation:?} {said:?}");
    }
}

#[test]
fn a_model_is_a_finding_only_if_an_assertion_is_false_in_it() {
    for (script, said, expected) in [
        (SAT, &["sat:0"][..], &["invalid-model a model"][..]),
        (SAT, &["sat:0", "sat:1"], &["invalid-model a model"]),
        (SAT, &["sat:1"], &[]),
        (SAT, &["sat:1.5"], &[]),
        (SAT, &["sat:(x"], &[]),
        (HARD, &["sat:0"], &[]),
        // A false model has no vote, but its sat may still be right: one unsat does not settle it.
        (SAT, &["sat:0", "unsat"], &["unsound a / b none", "invalid-model a model"]),
        (SAT, &["sat:0", "unsat", "unsat"], &["solution-unsound a vote", "invalid-model a model"]),
        (
            SAT,
            &["sat:0", "sat:0", "unsat"],
            &["unsound a / b / c none", "invalid-model a model", "invalid-model b model"],
        ),
        (SAT, &["sat:0", "unsat", "sat:1"], &["refutation-unsound b model", "invalid-model a model"]),
        (SAT, &["sat:0", "unsat", "sat"], &["unsound b / c none", "invalid-model a model"]),
        (SAT, &["sat:0", "unsat", "sat", "sat"], &["refutation-unsound b vote", "invalid-model a model"]),
    ] {
        assert_eq!(short(&judged(script, Expectation::Open, said)), expected, "{script} {said:?}");
    }
    let judgement = judged(SAT, Expectation::Open, &["sat:0"]);
    assert_eq!(judgement.claims[0].reason.to_string(), "assertion 1 is false in its model: (> x 0)");
    assert_eq!(judgement.models[0][0].as_ref().unwrap().truth, Truth::False);
}

#[test]
fn several_checks_are_compared_one_by_one() {
    let script = "(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(assert (< x 0))(check-sat)(pop 1)(check-sat)";
    for (said, expected) in [
        (&["sat unsat sat:1", "sat unsat sat:1"][..], &[][..]),
        (&["sat unsat sat:1", "sat unsat unsat"], &[(2, "refutation-unsound b model")]),
        (&["sat sat:1 sat:1", "sat unsat sat:1"], &[(1, "unsound a / b none"), (1, "invalid-model a model")]),
        (&["sat sat sat:1", "sat unsat sat:1", "sat unsat sat:1"], &[(1, "solution-unsound a vote")]),
        (
            &["unsat unsat unsat", "sat:1 sat:1 sat:0"],
            &[
                (0, "refutation-unsound a model"),
                (1, "unsound a / b none"),
                (1, "invalid-model b model"),
                (2, "unsound a / b none"),
                (2, "invalid-model b model"),
            ],
        ),
        // Answers before a failure still count; missing ones do not.
        (&["sat:1 unsat timeout", "unsat unsat sat:1"], &[(0, "refutation-unsound b model")]),
        (&["sat:1 unsat error", "unsat unsat sat:1"], &[]),
        (&["sat:1 unsat rejected", "unsat unsat sat:1"], &[]),
    ] {
        let judgement = judged(script, Expectation::Open, said);
        let places: Vec<usize> = judgement.claims.iter().filter_map(|c| c.query).collect();
        let found: Vec<(usize, String)> = places.into_iter().zip(short(&judgement)).collect();
        let expected: Vec<(usize, String)> = expected.iter().map(|(i, s)| (*i, (*s).to_owned())).collect();
        assert_eq!(found, expected, "{said:?}");
    }
}

#[test]
fn the_expectation_of_several_checks_is_about_the_last() {
    let script = "(declare-const x Int)(check-sat)(assert (distinct x x))(check-sat)";
    assert!(judged(script, Expectation::UNSAT, &["sat unsat"]).claims.is_empty());
    assert_eq!(short(&judged(script, Expectation::UNSAT, &["sat sat"])), ["solution-unsound a construction"]);
}

#[test]
fn a_model_of_what_was_made_unsat_accuses_no_solver() {
    let judgement = judged(SAT, Expectation::UNSAT, &["sat:1", "unsat"]);
    assert!(judgement.claims.is_empty());
    assert_eq!((judgement.conflicts[0].check, judgement.conflicts[0].witness), (0, Some(0)));
}

#[test]
fn a_flip_against_the_seed_is_metamorphic_and_unknown_is_no_finding() {
    use Relation::{Same, Stronger, Weaker};
    for (relation, seed, said, expected) in [
        (Same, "sat", "unsat", &["unsound a metamorphic"][..]),
        (Same, "unsat", "sat", &["unsound a metamorphic"]),
        (Same, "sat", "sat", &[]),
        (Same, "unknown", "sat", &[]),
        (Same, "timeout", "sat", &[]),
        (Same, "sat", "timeout", &[]),
        (Same, "sat", "unknown", &[]),
        (Weaker, "sat", "unsat", &["unsound a metamorphic"]),
        (Weaker, "unsat", "sat", &[]),
        (Weaker, "unsat", "unknown", &[]),
        (Stronger, "unsat", "sat", &["unsound a metamorphic"]),
        (Stronger, "sat", "unsat", &[]),
    ] {
        let judgement = judged_with(HARD, Expectation::Related(relation), &[said], &[seed], None);
        assert_eq!(short(&judgement), expected, "{relation:?} {seed} {said}");
    }
    // With equally many questions each is compared, else the last ones, and nothing once answers are missing.
    let two = format!("{HARD}(check-sat)");
    for (seed, said, expected) in [
        ("unsat sat", "unsat unsat", &["unsound a metamorphic"][..]),
        ("unsat sat", "sat sat", &["unsound a metamorphic"]),
        ("sat", "unsat sat", &[]),
        ("sat", "unsat timeout", &[]),
        ("sat", "unsat unsat", &["unsound a metamorphic"]),
        ("sat timeout", "unsat unsat", &[]),
    ] {
        let judgement = judged_with(&two, Expectation::Related(Same), &[said], &[seed], None);
        assert_eq!(short(&judgement), expected, "{seed} {said}");
    }
    // A solver that flipped has no vote.
    let judgement =
        judged_with(HARD, Expectation::Related(Same), &["sat", "unsat"], &["unsat", "unsat"], None);
    assert_eq!(short(&judgement), ["unsound a metamorphic"]);
    // A proof counts more than a flip.
    let judgement = judged_with(SAT, Expectation::Related(Same), &["sat:1", "unsat"], &["sat", "sat"], None);
    assert_eq!(short(&judgement), ["refutation-unsound b model"]);
}

#[test]
fn a_crash_is_a_finding_and_other_failures_are_not() {
    let judgement =
        judged(SAT, Expectation::SAT, &["crash", "timeout", "memout", "rejected", "error", "unknown"]);
    assert_eq!(short(&judgement), ["crash a none"]);
    assert_eq!(judgement.claims[0].key().to_string(), "a/crash/a.cpp:7");
    assert_eq!(judgement.claims[0].query, None);
}

#[test]
fn crashes_without_a_place_are_told_apart_by_theory() {
    let id = SolverId::new("a", None);
    let mut crash = outcome("crash");
    let fact = crash.crash.as_mut().unwrap();
    (fact.site, fact.signal) = (None, Some(11));
    let print = |script: &str| {
        let said = [SolverOutcome { solver: &id, family: "a", outcome: &crash, seed: None }];
        let mut case = CaseScript::new(script.as_bytes());
        judge(&mut case, &Case::default(), &said, Exhaust::Disputed).claims[0].key().to_string()
    };
    let reals = SAT.replace("Int", "Real");
    assert!(print(SAT).ends_with("/ints") && print(&reals).ends_with("/reals"), "{}", print(SAT));
}

#[test]
fn the_solvers_own_check_is_believed_unless_we_know_better() {
    for (said, expected) in [
        ("sat self-check:an_invalid_model_was_generated", &["invalid-model a self-check"][..]),
        ("sat:0 self-check:an_invalid_model_was_generated", &["invalid-model a model"]),
        ("sat:1 self-check:an_invalid_model_was_generated", &[]),
        ("unsat self-check:core_check_failed", &["invalid-core a self-check"]),
    ] {
        assert_eq!(short(&judged(SAT, Expectation::Open, &[said])), expected, "{said}");
    }
}

#[test]
fn outcomes_that_are_not_comparable_are_ignored() {
    let id = |n: &str| SolverId::new(n, None);
    let (a, b) = (id("a"), id("b"));
    for said in ["unsat", "sat:0", "crash", "unsat#zzz"] {
        let (mut odd, even) = (outcome(said), outcome("sat:1"));
        odd.comparable = false;
        let solver_outcomes = [
            SolverOutcome { solver: &a, family: "a", outcome: &odd, seed: None },
            SolverOutcome { solver: &b, family: "b", outcome: &even, seed: None },
        ];
        let mut reading = CaseScript::new(SAT.as_bytes());
        let judgement =
            judge(&mut reading, &Case::expecting(SAT, Expectation::SAT), &solver_outcomes, Exhaust::Disputed);
        assert!(judgement.claims.is_empty(), "{said}: {:?}", judgement.claims);
    }
}

#[test]
fn an_answer_with_an_error_is_no_answer() {
    let (a, b) = (SolverId::new("a", None), SolverId::new("b", None));
    let (mut odd, even) = (outcome("unsat"), outcome("sat:1"));
    odd.answers[0].error = Some("an assertion was refused".to_owned());
    let solver_outcomes = [
        SolverOutcome { solver: &a, family: "a", outcome: &odd, seed: None },
        SolverOutcome { solver: &b, family: "b", outcome: &even, seed: None },
    ];
    let mut reading = CaseScript::new(SAT.as_bytes());
    assert!(
        judge(&mut reading, &Case::expecting(SAT, Expectation::SAT), &solver_outcomes, Exhaust::Disputed)
            .claims
            .is_empty()
    );
}

#[test]
fn releases_of_one_solver_have_one_vote() {
    let ids: Vec<SolverId> =
        ["4.8.5", "4.8.7", "1.0"].iter().map(|v| SolverId::new("s", Some(v.parse().unwrap()))).collect();
    let outcomes = [outcome("sat"), outcome("sat"), outcome("unsat")];
    let of = |families: [&'static str; 3]| {
        let solver_outcomes: Vec<SolverOutcome<'_>> = (0..3)
            .map(|i| SolverOutcome {
                solver: &ids[i],
                family: families[i],
                outcome: &outcomes[i],
                seed: None,
            })
            .collect();
        let mut reading = CaseScript::new(HARD.as_bytes());
        judge(&mut reading, &Case::default(), &solver_outcomes, Exhaust::Disputed).claims[0].kind
    };
    assert_eq!(of(["z3", "z3", "cvc5"]), Kind::Unsound);
    assert_eq!(of(["z3", "yices", "cvc5"]), Kind::RefutationUnsound);
    assert_eq!(family("cvc4", "cvc4"), family("cvc5", "cvc5"));
    assert_ne!(family("generic", "sh a"), family("generic", "sh b"));
}

#[test]
fn operators_of_one_solver_and_options_that_change_meaning_are_no_ground_for_comparison() {
    let power = "(declare-const x Real)(assert (distinct (^ x 0.0) 1.0))(check-sat)";
    assert!(judged(power, Expectation::Open, &["sat", "unsat", "unsat"]).claims.is_empty());
    let altered = format!("(set-option :smt.arith.ignore_int true){SAT}");
    assert!(judged(&altered, Expectation::Open, &["sat:1", "unsat"]).claims.is_empty());
    assert_eq!(short(&judged(&altered, Expectation::Open, &["crash"])), ["crash a none"]);
    // Each solver blocks its own model: the second question differs from solver to solver.
    let blocked = format!("{SAT}(block-model :values)(check-sat)");
    let said = &["sat:1 unsat", "sat:1 sat:2", "sat:1 sat:2"];
    assert!(judged(&blocked, Expectation::Open, said).claims.is_empty());
    let plain = blocked.replace("(block-model :values)", "");
    assert_eq!(short(&judged(&plain, Expectation::Open, said)), ["refutation-unsound a model"]);
}

#[test]
fn a_text_that_cannot_be_read_still_has_answers_to_compare() {
    let judgement = judged("(assert (> x 0", Expectation::Open, &["sat:1", "unsat", "crash"]);
    assert_eq!(short(&judgement), ["unsound a / b none", "crash c none"]);
}

const NAMED: &str = "(set-logic QF_LIA)(declare-const x Int)(assert (! (> x 1) :named p))(assert (! (< x 0) :named q))\
                     (assert (! (< x 9) :named r))(assert (> x (- 9)))(check-sat)";

#[test]
fn a_core_is_asked_about_unless_it_is_everything() {
    for (core, questions, expected) in [
        ("p,q", 1, &[][..]),
        ("", 1, &[]),
        ("p,q,r", 0, &[]),
        ("p,zzz", 0, &["invalid-core a none"]),
        // `true` and `false` are in every script.
        ("p,q,true", 1, &[]),
        ("false", 1, &[]),
        // An assertion written out: the solver was told to print full cores.
        ("p,(<_x_0)", 0, &[]),
        ("x,p", 0, &[]),
        ("|p|,q", 1, &[]),
    ] {
        let judgement = judged(NAMED, Expectation::Open, &[&format!("unsat#{core}")]);
        assert_eq!(
            (judgement.questions.len(), short(&judgement)),
            (questions, expected.iter().map(|s| (*s).to_owned()).collect()),
            "{core}"
        );
    }
    // The core of a wrong unsat is wrong; nobody need run it.
    let wrong = NAMED.replace("(< x 0)", "(< x 5)");
    let judgement = judged(&wrong, Expectation::Open, &["unsat#p,q", "sat:2"]);
    assert_eq!(
        (judgement.questions.len(), short(&judgement)),
        (0, vec!["refutation-unsound a model".to_owned()])
    );
}

#[test]
fn a_core_is_invalid_only_by_a_validated_model_of_it() {
    let by = SolverId::new("b", None);
    for (core, said, invalid) in [
        ("p,r", "sat:2", true),
        ("p,r", "sat:0", false),
        ("p,r", "sat", false),
        ("p,r", "unsat", false),
        ("p,r", "timeout", false),
        ("q", "sat:-10", false),
        ("q", "sat:(-_1)", false),
    ] {
        let judgement = judged(NAMED, Expectation::Open, &[&format!("unsat#{core}")]);
        let question = &judgement.questions[0];
        let claim = judge_answer(question, &by, &outcome(said));
        assert_eq!(claim.is_some(), invalid, "{core} {said}");
        if let Some(claim) = claim {
            assert_eq!((claim.kind, claim.evidence), (Kind::InvalidCore, Some(Evidence::Model)));
            assert_eq!(claim.positions(), [0]);
        }
    }
    let judgement = judged(NAMED, Expectation::Open, &["unsat#p,r"]);
    let text = String::from_utf8(judgement.questions[0].script.clone()).unwrap();
    assert!(
        text.contains("(> x (- 9))") && text.contains(":named r") && !text.contains(":named q"),
        "{text}"
    );
}

#[test]
fn one_bug_with_many_triggers_has_one_fingerprint() {
    let print = |bound: &str| {
        let script = format!("(declare-const x Int)(assert (> x {bound}))(check-sat)");
        judged(&script, Expectation::UNSAT, &["sat"]).claims[0].key().to_string()
    };
    assert_eq!(print("1"), print("1000"));
    assert!(print("1").starts_with("a/solution-unsound/ints/"));
}

#[test]
fn a_charge_becomes_a_finding_with_what_its_keeper_knows() {
    let judgement = judged(SAT, Expectation::Open, &["sat:1", "unsat"]);
    let finding = judgement.claims[0].row("7".to_owned(), None, "a.smt2".to_owned(), 12);
    assert_eq!((finding.id.as_str(), finding.kind), ("7", Kind::RefutationUnsound));
    assert_eq!((finding.theory.as_deref(), finding.bytes), (Some("ints"), 12));
    assert_eq!(finding.solver.to_string(), "b");
    assert!(judgement.claims[0].repeats(&judgement.claims[0].clone()));
}

#[test]
fn the_model_a_case_was_made_with_is_evidence_once_it_was_checked() {
    let with = |value: i32, expectation, said: &[&str]| {
        let model = format!("((define-fun x () Int {value}))");
        judged_with(SAT, expectation, said, &[], Some(&model))
    };
    let found = with(7, Expectation::Open, &["unsat", "sat"]);
    assert_eq!(short(&found), ["refutation-unsound a model"]);
    assert!(found.claims[0].reason.to_string().contains("known by construction"));
    assert_eq!(short(&with(7, Expectation::SAT, &["unsat"])), ["refutation-unsound a model"]);
    assert!(short(&with(7, Expectation::SAT, &["sat"])).is_empty());
    for (value, expectation) in [(0, Expectation::SAT), (0, Expectation::Open), (7, Expectation::UNSAT)] {
        let judgement = with(value, expectation, &["unsat", "sat"]);
        assert!(judgement.claims.is_empty(), "{value} {expectation:?}");
        assert_eq!(judgement.conflicts[0].witness, None);
    }
}

#[test]
fn assumptions_in_a_core_stay_in_force() {
    let script = "(declare-const p Bool)(declare-const q Bool)(assert (! (=> p q) :named a))(assert (! q :named b))\
                  (check-sat-assuming (p (not q)))";
    for (core, questions) in [("a,p,(not_q)", 1), ("b,(not_q)", 1), ("a,b,p,(not_q)", 0), ("a,(not_p)", 0)] {
        let judgement = judged(script, Expectation::Open, &[&format!("unsat#{core}")]);
        assert_eq!((judgement.questions.len(), short(&judgement).len()), (questions, 0), "{core}");
        for question in &judgement.questions {
            let text = String::from_utf8_lossy(&question.script);
            assert!(text.contains("(assert p)") && text.contains("(assert (not q))"), "{core}: {text}");
        }
    }
}

#[test]
fn our_own_sat_without_a_true_model_has_no_vote() {
    let judged = |names: &[&str], said: &[&str]| {
        let ids: Vec<SolverId> = names.iter().map(|n| SolverId::new(*n, None)).collect();
        let outcomes: Vec<Outcome> = said.iter().map(|s| outcome(s)).collect();
        let one = |i: usize| {
            let profile = if names[i].starts_with("builtin") { "builtin" } else { "generic" };
            let family = family(profile, ids[i].name());
            SolverOutcome { solver: &ids[i], family, outcome: &outcomes[i], seed: None }
        };
        let all: Vec<SolverOutcome<'_>> = (0..said.len()).map(one).collect();
        let case = Case::expecting(HARD, Expectation::Open);
        short(&judge(&mut CaseScript::new(HARD.as_bytes()), &case, &all, Exhaust::Disputed))
    };
    let none: [&str; 0] = [];
    assert_eq!(judged(&["builtin", "z3"], &["sat", "unsat"]), none);
    assert_eq!(judged(&["builtin", "liar", "z3"], &["sat", "sat", "unsat"]), ["unsound liar / z3 none"]);
    // Its unsat is one vote, and a solver with a planted fault is a solver like others.
    assert_eq!(judged(&["builtin", "z3"], &["unsat", "sat"]), ["unsound builtin / z3 none"]);
    assert_eq!(judged(&["builtin", "a", "z3"], &["unsat", "unsat", "sat"]), ["solution-unsound z3 vote"]);
    assert_eq!(judged(&["builtin:x", "builtin"], &["sat", "unsat"]), ["unsound builtin:x / builtin none"]);
}

#[test]
fn small_finite_formulas_are_decided_by_every_assignment() {
    let unsat = "(declare-const a Bool)(assert (let ((a true) (b (xor (let ((b a)) b) a))) b))(check-sat)";
    let sat = "(declare-const b (_ BitVec 4))(assert (= (bvmul b b) #x1))(check-sat)";
    for (script, said, expected) in [
        (unsat, &["sat", "unsat"][..], &["solution-unsound a exhaustive"][..]),
        (
            unsat,
            &["sat", "sat", "unsat"],
            &["solution-unsound a exhaustive", "solution-unsound b exhaustive"],
        ),
        (
            sat,
            &["sat", "unsat", "unsat"],
            &["refutation-unsound b exhaustive", "refutation-unsound c exhaustive"],
        ),
        (unsat, &["unsat", "unknown"], &[]),
    ] {
        assert_eq!(short(&judged(script, Expectation::Open, said)), expected, "{said:?}");
    }
    // A status that was made is checked too: here the strategy is wrong, and no solver.
    let judgement = judged(unsat, Expectation::SAT, &["unsat"]);
    assert_eq!((short(&judgement).len(), judgement.conflicts.len()), (0, 1));
}

#[test]
fn recursion_that_may_not_end_accuses_nobody() {
    let script = |body: &str| {
        format!("(define-fun-rec f ((x Int)) Int {body})(declare-const x Int)(assert (> (f x) x))(check-sat)")
    };
    let said = &["sat", "unsat", "unsat"];
    assert_eq!(short(&judged(&script("(+ 1 (f x))"), Expectation::Open, said)), [""; 0]);
    assert_eq!(short(&judged(&script("(+ 1 (f x))"), Expectation::SAT, said)), [""; 0]);
    let ends = script("(ite (<= x 0) 0 (+ 1 (f (- x 1))))");
    assert_eq!(short(&judged(&ends, Expectation::Open, said)), ["solution-unsound a vote"]);
}

#[test]
fn a_model_says_nothing_about_names_that_the_script_gives() {
    let model = |script: &str, model: &str| CaseScript::new(script.as_bytes()).check_model(0, model).truth;
    let named = "(declare-const p Bool)(assert (! p :named n))(assert (not n))(check-sat)";
    assert_eq!(model(named, "((define-fun p () Bool true) (define-fun n () Bool false))"), Truth::False);
    let list = "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const x L)\
                (assert (= (head x) 5))(assert ((_ is cons) x))(check-sat)";
    for (lie, truth) in [
        ("(define-fun head ((y L)) Int 5)", Truth::False),
        ("(define-fun cons ((h Int) (t L)) L nil)", Truth::False),
        ("(define-fun is-cons ((y L)) Bool false)", Truth::False),
    ] {
        assert_eq!(model(list, &format!("((define-fun x () L (cons 4 nil)) {lie})")), truth, "{lie}");
    }
    let function = "(declare-fun f (Int) Int)(assert (= (f 0) 1))(check-sat)";
    assert_eq!(model(function, "((define-fun f ((x Bool)) Int 1))"), Truth::Unknown);
}

#[test]
fn arrays_over_finite_datatypes_are_equal_by_their_entries() {
    let pair = "(declare-datatypes ((P 1)) ((par (X) ((mk (a X) (b X))))))(declare-const x (Array (P Bool) Int))\
                (declare-const y (Array (P Bool) Int))(assert (= x y))(check-sat)";
    let array = |default: i32, entries: &[(&str, i32)]| {
        let constant = format!("((as const (Array (P Bool) Int)) {default})");
        entries.iter().fold(constant, |a, (i, v)| format!("(store {a} (mk {i}) {v})"))
    };
    let all = ["false false", "false true", "true false", "true true"].map(|i| (i, 7));
    let told = |x: String, y: String| {
        let text =
            format!("((define-fun x () (Array (P Bool) Int) {x})(define-fun y () (Array (P Bool) Int) {y}))");
        CaseScript::new(pair.as_bytes()).check_model(0, &text).truth
    };
    assert_eq!(told(array(0, &all), array(7, &[])), Truth::True, "every index has an entry");
    assert_eq!(told(array(0, &all[1..]), array(7, &[])), Truth::False);
    // Nobody says how many elements there are.
    let open = "(declare-sort U 0)(declare-datatype B ((box (it U))))(declare-const u U)(declare-const x (Array B Int))\
                (declare-const y (Array B Int))(assert (= x y))(check-sat)";
    let text = "((declare-fun e () U) (define-fun u () U e)\
                 (define-fun x () (Array B Int) (store ((as const (Array B Int)) 0) (box e) 7))\
                 (define-fun y () (Array B Int) ((as const (Array B Int)) 7)))";
    assert_eq!(CaseScript::new(open.as_bytes()).check_model(0, text).truth, Truth::Unknown);
}

#[test]
fn the_universe_of_sets_is_left_open() {
    for set in ["(as set.universe (Set Bool))", "(set.complement (as set.empty (Set Bool)))"] {
        let script = format!("(declare-const p Bool)(assert (set.member p {set}))(check-sat)");
        let truth = CaseScript::new(script.as_bytes()).check_model(0, "((define-fun p () Bool true))").truth;
        assert_eq!(truth, Truth::Unknown, "{set}");
    }
}
