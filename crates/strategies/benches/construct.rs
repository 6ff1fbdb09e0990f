//! Making and printing formulas of each preset, about ten assertions each, on one core.

use divan::Bencher;
use divan::counter::ItemsCount;
use smelt_strategies::{CaseRequest, Draft, Pool, case_seed, strategy};

fn main() {
    divan::main();
}

/// Formulas in one sample.
const BATCH: u64 = 500;

#[divan::bench(sample_count = 20, args = [
    "bv_few_sat", "bv_many_sat", "fp_few_sat", "fp_many_sat", "mixed_sat",
    "bv_few_unsat", "bv_many_unsat", "fp_few_unsat", "fp_many_unsat", "mixed_unsat",
    "bv_many_syntactic", "fp_many_syntactic",
])]
fn preset(bencher: Bencher, name: &str) {
    let options = format!("preset={name}");
    let mut construct = strategy("construct", &options, &Default::default()).expect("a preset");
    let (mut pool, mut draft) = (Pool::new(), Draft::default());
    let mut make = |seed, index| {
        let request = CaseRequest { seeds: &[], number: case_seed(seed, name, index) };
        construct.next(&mut pool, &request, &mut draft).expect("a formula");
        divan::black_box(&draft.text);
    };
    let mut index = 0;
    // Arguments that reach the rules are looked for once.
    (0..2 * BATCH).for_each(|i| make(1, i));
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for _ in 0..BATCH {
            index += 1;
            make(2, index);
        }
    });
}
