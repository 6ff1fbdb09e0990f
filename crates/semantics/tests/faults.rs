//! Each planted fault: its trigger gets the right answer without it and the intended wrong one with it.

use smelt_core::Kind;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_semantics::solver::fault::FAULTS;
use smelt_semantics::solver::{Answer, Fault, Limits, Mishap, Session, Settings, solve};
use smelt_smtlib::{Arena, View, parse_script};

fn trigger(fault: &Fault) -> String {
    let path = format!("{}/tests/faults/{}.smt2", env!("CARGO_MANIFEST_DIR"), fault.name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn expectation<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let line = text.lines().find_map(|l| l.strip_prefix(key));
    line.unwrap_or_else(|| panic!("no `{key}` in {text}")).split_whitespace().collect()
}

fn run(text: &str, fault: Option<&'static Fault>) -> (String, Option<Mishap>) {
    let (out, mishap) = Session::new(Settings { fault, ..Settings::default() }).answer(text.as_bytes());
    (String::from_utf8(out).unwrap(), mishap)
}

fn answers(out: &str) -> Vec<&str> {
    out.lines().filter(|l| ["sat", "unsat", "unknown"].contains(l) || l.starts_with("(error")).collect()
}

/// Our evaluator's verdict on the model in an output.
fn model_verdict(text: &str, out: &str) -> Truth {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
    let goal = Goal::last(&parsed.script);
    let model = Model::read(&mut arena, &parsed.scope, &goal, out.as_bytes(), Escapes::Standard).unwrap();
    model.check(&arena, &goal).verdict()
}

/// The answer to the assertions that a core names.
fn core_answer(text: &str, out: &str) -> &'static str {
    let core = out.lines().last().unwrap().trim_matches(['(', ')']).split(' ').collect::<Vec<_>>();
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
    let mut goal = Goal::last(&parsed.script);
    goal.assertions.retain(|&t| match arena.view(t) {
        View::Annotated(v) => v.name().is_some_and(|n| core.contains(&&*arena.name(n))),
        _ => true,
    });
    match solve(&mut arena, &goal, Limits::default()) {
        Answer::Sat(_) => "sat",
        Answer::Unsat => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

#[test]
fn every_fault_does_to_its_trigger_what_its_row_says() {
    for fault in FAULTS {
        let text = trigger(fault);
        let (right, wrong) = (expectation(&text, "; right: "), expectation(&text, "; wrong: "));
        let (out, mishap) = run(&text, None);
        assert_eq!((answers(&out), mishap), (right.clone(), None), "{fault:?}");
        let (out, mishap) = run(&text, Some(fault));
        match &wrong[..] {
            ["crash"] => {
                assert!(matches!(mishap, Some(Mishap::Abort(_) | Mishap::Segfault)), "{fault:?}");
                assert_eq!(fault.kind, Kind::Crash);
            }
            ["hang"] => assert_eq!((mishap, fault.kind), (Some(Mishap::Hang), Kind::Hang)),
            ["memory"] => assert_eq!(mishap, Some(Mishap::Exhaust), "{fault:?}"),
            ["slow", rest @ ..] => {
                assert!(matches!(mishap, Some(Mishap::Delay(_))), "{fault:?}");
                assert_eq!(answers(&out), rest);
            }
            ["invalid-model"] => {
                assert_eq!(answers(&out), right);
                assert_eq!(model_verdict(&text, &out), Truth::False, "{out}");
                assert_eq!(model_verdict(&text, &run(&text, None).0), Truth::True);
            }
            ["invalid-core"] => {
                assert_eq!(answers(&out), right);
                assert_eq!(core_answer(&text, &out), "sat", "{out}");
                assert_eq!(core_answer(&text, &run(&text, None).0), "unsat");
            }
            ["output"] => {
                let model = &out[out.rfind("(\n").unwrap()..];
                assert_eq!(model_verdict(&text, model), Truth::True, "{out}");
                let right = run(&text, None).0;
                let only = |a: &str, b: &str| {
                    let is_missing = |l: &&str| !b.lines().any(|m| m == *l);
                    a.lines().filter(is_missing).map(str::trim).collect::<Vec<_>>().join(" ")
                };
                assert_eq!(only(&right, &out), expectation(&text, "; only right:").join(" "), "{right}{out}");
                assert_eq!(only(&out, &right), expectation(&text, "; only wrong:").join(" "), "{right}{out}");
            }
            wrong => {
                assert_eq!((answers(&out), mishap), (wrong.to_vec(), None), "{fault:?}");
                let last = (*right.last().unwrap(), *wrong.last().unwrap());
                match fault.kind {
                    Kind::RefutationUnsound => assert_eq!(last, ("sat", "unsat"), "{fault:?}"),
                    Kind::SolutionUnsound => assert_eq!(last, ("unsat", "sat"), "{fault:?}"),
                    Kind::IncompleteRegression | Kind::IncompleteImplication => {
                        assert_eq!(last.1, "unknown", "{fault:?}");
                    }
                    kind => assert_eq!(kind, Kind::Unsound, "{fault:?}"),
                }
            }
        }
    }
}

#[test]
fn the_faults_cover_every_kind_of_finding_under_names_of_their_own() {
    for kind in Kind::ALL {
        assert!(FAULTS.iter().any(|f| f.kind == kind), "{kind}");
    }
    let names: std::collections::BTreeSet<&str> = FAULTS.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), FAULTS.len());
    assert!(FAULTS.len() >= 12);
    for f in FAULTS {
        assert!(f.name.bytes().all(|c| c.is_ascii_lowercase() || c == b'-'), "{f:?}");
        assert!(!f.description.is_empty() && !f.description.contains('\n'), "{f:?}");
        assert_eq!(Fault::named(f.name).map(|g| g.name), Some(f.name));
    }
}

#[test]
fn a_fault_shows_on_no_trigger_but_its_own_kind_of_term() {
    // With a fault planted, triggers of others are still read and answered.
    for fault in FAULTS {
        for other in FAULTS {
            let (out, mishap) = run(&trigger(other), Some(fault));
            assert!(mishap.is_some() || !answers(&out).is_empty(), "{fault:?} on {other:?}: {out}");
        }
    }
}
