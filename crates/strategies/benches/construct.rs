//! Making and printing formulas of each preset, about ten assertions each, on one core.

use divan::Bencher;
use divan::counter::ItemsCount;
use smelt_strategies::{Draft, case_seed, find_generator};

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
    let entry = find_generator("construct").expect("it is in the list");
    let mut generator = (entry.make)(&format!("preset={name}")).expect("a preset");
    let mut draft = Draft::default();
    let mut index = 0;
    // Arguments that reach the rules are looked for once.
    (0..2 * BATCH).for_each(|i| generator.make(case_seed(1, name, i), &mut draft).expect("a formula"));
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for _ in 0..BATCH {
            index += 1;
            generator.make(case_seed(2, name, index), &mut draft).expect("a formula");
            divan::black_box(&draft.text);
        }
    });
}
