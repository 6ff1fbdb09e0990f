//! Outcomes with more or fewer answers than there are queries.

use super::{SAT, judged, short};
use smelt_core::Expectation;

/// Two answers to one query once were a contradiction between smelt and itself, about a query that is not there.
#[test]
fn outcomes_with_more_or_fewer_answers_than_queries_are_refused() {
    let two = "(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(check-sat)";
    for (script, said) in [
        (SAT, "sat:1 sat:1"),
        (SAT, "unsat unsat"),
        (SAT, "sat:0 unsat#zzz"),
        (two, "unsat"),
        ("(declare-const x Int)(assert (> x 0))", "unsat"),
    ] {
        for expectation in [Expectation::SAT, Expectation::UNSAT, Expectation::Open] {
            let judgement = judged(script, expectation, &[said]);
            assert!(judgement.claims.is_empty(), "{said}: {:?}", judgement.claims);
            assert!(judgement.conflicts.is_empty(), "{said}: {:?}", judgement.conflicts);
        }
    }
    // Who stops before the end has answered the first queries, and a crash is one whatever was said before.
    let judgement = judged(two, Expectation::SAT, &["unsat timeout", "sat:1 sat:1"]);
    assert_eq!(short(&judgement), ["refutation-unsound a model"]);
    assert_eq!(short(&judged(SAT, Expectation::SAT, &["unsat unsat crash"])), ["crash a none"]);
}
