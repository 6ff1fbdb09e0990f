//! A lying solver next to an honest one: smelt must never accuse the honest one.

use smelt_audit::liar::{Lied, Stage};
use smelt_campaign::seeds;
use smelt_solvers::{Catalog, Limits, Mode, Profiles, Zoo, quote};
use smelt_trial::{Lineup, NamedSolver, Panel, Trial};
use std::sync::Mutex;
use std::time::Duration;

fn catalog() -> Catalog {
    Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), None)
}

fn named(spec: &str) -> NamedSolver {
    NamedSolver { spec: spec.to_owned(), solver: catalog().resolve(&spec.parse().unwrap()).unwrap() }
}

fn lies(scripts: u64, solvers: &[NamedSolver]) -> Lied {
    let seeds = seeds::bundled();
    let stage = Stage {
        solvers,
        seeds: &seeds,
        scripts,
        random: 1,
        limit: Duration::from_millis(500),
        jobs: 2,
        is_over: &|| false,
    };
    let lied = Mutex::new(Lied::default());
    stage.run(&lied).unwrap();
    lied.into_inner().unwrap()
}

#[test]
fn no_honest_solver_is_accused_whatever_a_liar_says() {
    let lied = lies(400, &[]);
    assert!(lied.accused.is_empty(), "{}", lied.text());
    assert!(lied.caught > 50, "lies are found out: {}", lied.text());
    assert!(lied.scripts.len() >= 8, "of nearly every strategy: {}", lied.text());
    assert!(lied.answers["sat"] > 100 && lied.answers["unsat"] > 50, "{}", lied.text());
}

#[test]
#[ignore = "needs --slow"]
fn no_honest_solver_is_accused_on_fifty_thousand_scripts() {
    let lied = lies(50_000, &[]);
    assert!(lied.accused.is_empty(), "{}", lied.text());
}

#[test]
#[ignore = "needs z3@5.4.0, cvc5@1.4.2"]
fn releases_that_agree_are_not_accused_whatever_a_liar_says() {
    let lied = lies(200, &["z3@5.4.0", "cvc5@1.4.2"].map(named));
    assert!(lied.accused.is_empty(), "{}", lied.text());
}

#[test]
#[ignore = "needs z3@5.4.0"]
fn a_process_that_lies_gets_no_honest_process_accused() {
    let program = quote(env!("CARGO_BIN_EXE_smelt-audit"));
    let solvers = [named("z3@5.4.0"), named(&format!("{program} --as-liar --seed 7"))];
    let limits = Limits::within(Duration::from_secs(20));
    let mut panel = Panel::new(Lineup { solvers: &solvers, limits, is_over: &|| false });
    let mut caught = 0;
    for seed in seeds::bundled().iter().step_by(7) {
        let judged = panel
            .hold(&Trial::from(&smelt_core::Case::open(seed.text.clone())), Mode::Reuse, |_| true)
            .unwrap()
            .unwrap();
        for claim in &judged.judgement.claims {
            let honest = claim.accuses(0) && (claim.evidence.is_some() || claim.accused.len() == 1);
            assert!(!honest, "{}: {} {}\n{:?}", seed.name, claim.kind, claim.reason, judged.outcomes);
            caught += 1;
        }
    }
    assert!(caught > 3, "lies are found out: {caught}");
}
