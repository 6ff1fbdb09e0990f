//! Mutants by `certified` of the embedded seeds: each has a model that the oracle finds true.

use smelt_campaign::embedded::embedded;
use smelt_core::Verdict;
use smelt_oracle::{CaseScript, Truth};
use smelt_strategies::{CaseRequest, Draft, OptionText, Pool, Skip, case_seed, remake, strategy};

#[test]
fn every_case_of_an_embedded_seed_has_a_true_model_and_is_made_again() {
    let (mut used, mut sat) = (0, 0);
    let mut pool = Pool::new();
    let mut seeds = Vec::new();
    for seed in embedded() {
        seeds.push((pool.add(seed.name, seed.text.as_bytes(), Some(seed.status)).unwrap(), seed));
    }
    let mut certified = strategy("certified", "steps=6", &Default::default()).unwrap();
    for (at, (id, seed)) in seeds.iter().enumerate() {
        let mut made = 0;
        for i in 0..3 {
            let number = case_seed(1, seed.name, i);
            let mut draft = Draft::default();
            let request = CaseRequest { seeds: &[*id], number };
            match certified.next(&mut pool, &request, &mut draft) {
                Ok(()) => made += 1,
                Err(Skip::ModelLost) => continue,
                Err(_) => break,
            }
            let script = String::from_utf8_lossy(&draft.text);
            assert_eq!(seed.status, Verdict::Sat, "{script}");
            assert!(!draft.text.ends_with(pool.seed(*id).text()), "{script}");
            let report =
                CaseScript::new(&draft.text).check_model(0, &String::from_utf8_lossy(&draft.witness));
            assert_eq!(report.truth, Truth::True, "{:?}: {script}", report.reason);
            if at % 8 == 0 {
                let case = draft.to_case(&pool, &*certified, &OptionText::default(), number);
                let origin = (seed.name.to_owned(), seed.text.into(), Some(seed.status));
                assert_eq!(remake(&case.provenance, &[origin]).unwrap().script, draft.text);
            }
        }
        used += usize::from(made > 0);
        sat += usize::from(seed.status == Verdict::Sat);
    }
    assert!(used * 10 > sat * 6, "{used} of {sat} satisfiable seeds are used");
}
