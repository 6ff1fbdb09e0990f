//! An audit fails if a strategy states a wrong status.

use smelt_audit::Tally;
use smelt_audit::audit::Audit;
use smelt_campaign::SeedText;
use smelt_core::Expectation;
use smelt_solvers::{Catalog, Profiles, Zoo};
use smelt_strategies::{CaseRequest, Draft, Needs, Pool, Row, Skip, Strategy, register};
use smelt_trial::NamedSolver;
use std::sync::Mutex;
use std::time::Duration;

static ROWS: [Row; 1] = [Row {
    name: "wrong",
    aliases: &[],
    about: "unsatisfiable formulas that are called satisfiable",
    needs: Needs::Nothing,
    options: &[],
    ways: Vec::new,
    make: |_| Ok(Box::new(Wrong)),
}];

struct Wrong;

impl Strategy for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }

    fn options(&self) -> String {
        String::new()
    }

    fn next(&mut self, _: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let n = request.number;
        *draft = Draft { expectation: Expectation::SAT, ..Draft::default() };
        let text = "(set-logic QF_LIA)(declare-const x Int)(assert (> x N))(assert (< x N))(check-sat)";
        draft.text.extend(text.replace('N', &n.to_string()).bytes());
        Ok(())
    }
}

#[test]
#[ignore = "needs z3@5.4.0, cvc5@1.4.2"]
fn a_status_that_two_families_contradict_is_a_failure() {
    register(&ROWS);
    let catalog = Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), None);
    let solvers = ["z3@5.4.0", "cvc5@1.4.2"].map(|spec| NamedSolver {
        spec: spec.to_owned(),
        solver: catalog.resolve(&spec.parse().unwrap()).unwrap(),
    });
    let seeds = [SeedText::new("one", "(declare-const x Int)(assert (> x 1))(check-sat)", None)];
    let audit = Audit {
        solvers: &solvers,
        seeds: &seeds,
        cases: Some(20),
        random: 1,
        limit: Duration::from_millis(300),
        jobs: 1,
        is_over: &|| false,
    };
    let tally = Mutex::new(Tally::default());
    audit.run(&tally).unwrap();
    let tally = tally.into_inner().unwrap();
    assert!(tally.failures.iter().any(|c| c.families == ["cvc5", "z3"]), "{}", tally.text());
    assert!(tally.failures.iter().all(|c| c.made_by.trim() == "wrong"), "{}", tally.text());
}
