//! A short audit: no two families of solvers contradict what smelt says of its cases.

use smelt_audit::Tally;
use smelt_audit::audit::Audit;
use smelt_campaign::seeds;
use smelt_solvers::{Catalog, Profiles, Zoo};
use smelt_trial::NamedSolver;
use std::sync::Mutex;
use std::time::Duration;

fn audit(specs: &[&str], cases: u64) -> Tally {
    let catalog = Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), None);
    let named = |spec: &&str| NamedSolver {
        spec: (*spec).to_owned(),
        solver: catalog.resolve(&spec.parse().unwrap()).unwrap(),
    };
    let seeds = seeds::bundled();
    let solvers: Vec<NamedSolver> = specs.iter().map(named).collect();
    let audit = Audit {
        solvers: &solvers,
        seeds: &seeds,
        cases: Some(cases),
        random: 1,
        limit: Duration::from_millis(300),
        jobs: 2,
        is_over: &|| false,
    };
    let tally = Mutex::new(Tally::default());
    audit.run(&tally).unwrap();
    tally.into_inner().unwrap()
}

#[test]
#[ignore = "needs z3@5.4.0, cvc5@1.4.2"]
fn no_two_families_contradict_cases_of_the_embedded_seeds() {
    let tally = audit(&["z3@5.4.0", "cvc5@1.4.2"], 400);
    assert!(tally.failures.is_empty(), "{}", tally.text());
    assert_eq!(tally.rows.len(), smelt_strategies::names().len(), "every strategy: {}", tally.text());
    let checked: u64 = tally.rows.values().map(|r| r.checked).sum();
    assert!(checked > 150, "{}", tally.text());
}
