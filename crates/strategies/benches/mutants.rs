//! Making and printing one mutant of each seed of the corpus, on one core.

use divan::Bencher;
use divan::counter::ItemsCount;
use smelt_strategies::{CaseRequest, Draft, Pool, SeedId, case_seed, strategy};

#[path = "../tests/common/mod.rs"]
mod common;

fn main() {
    divan::main();
}

fn seeds() -> (Pool, Vec<SeedId>) {
    let (mut pool, mut ids) = common::seeds();
    if ids.is_empty() {
        let text = b"(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
(assert (and (> (+ x y) (* 2 x)) (< x 10)))(assert (or (= x y) (not (< x y))))(check-sat)";
        ids.push(pool.add("own", text, Some(smelt_core::Verdict::Sat)).expect("a seed"));
    }
    (pool, ids)
}

fn run(bencher: Bencher, name: &str, options: &str) {
    let (mut pool, ids) = seeds();
    let mut strategy = strategy(name, options, &Default::default()).expect("a strategy");
    let mut draft = Draft::default();
    // Seeds are prepared when they are first used.
    let mut index = 0;
    let mut usable = ids.clone();
    usable.retain(|&seed| {
        (0..4).any(|number| {
            strategy.next(&mut pool, &CaseRequest { seeds: &[seed], number }, &mut draft).is_ok()
        })
    });
    bencher.counter(ItemsCount::new(usable.len())).bench_local(|| {
        for &seed in &usable {
            index += 1;
            let request = CaseRequest { seeds: &[seed], number: case_seed(1, name, index) };
            let _ = strategy.next(&mut pool, &request, &mut draft);
            divan::black_box(&draft.text);
        }
    });
}

#[divan::bench(sample_count = 30)]
fn operator(bencher: Bencher) {
    run(bencher, "operator", "");
}

#[divan::bench(sample_count = 30)]
fn operator_10_steps(bencher: Bencher) {
    run(bencher, "operator", "steps=10");
}

#[divan::bench(sample_count = 30)]
fn generative(bencher: Bencher) {
    run(bencher, "generative", "");
}

#[divan::bench(sample_count = 30)]
fn generative_data_driven(bencher: Bencher) {
    run(bencher, "generative", "steps=3 pool=yes");
}

#[divan::bench(sample_count = 30)]
fn fusion(bencher: Bencher) {
    run(bencher, "fusion", "");
}

#[divan::bench(sample_count = 10)]
fn shuffle(bencher: Bencher) {
    run(bencher, "shuffle", "");
}

#[divan::bench(sample_count = 30)]
fn skeleton_pst(bencher: Bencher) {
    run(bencher, "skeleton", "form=written moves=pst");
}

#[divan::bench(sample_count = 30)]
fn skeleton_lpi(bencher: Bencher) {
    run(bencher, "skeleton", "form=written moves=lpi");
}

#[divan::bench(sample_count = 10)]
fn skeleton_pst_clauses(bencher: Bencher) {
    run(bencher, "skeleton", "form=cnf moves=pst");
}

#[divan::bench(sample_count = 10)]
fn weaken(bencher: Bencher) {
    run(bencher, "weaken", "");
}

#[divan::bench(sample_count = 3)]
fn weaken_6_steps(bencher: Bencher) {
    run(bencher, "weaken", "steps=6");
}
