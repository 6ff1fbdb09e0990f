//! Making and printing one mutant of each seed of the corpus, on one core.

use divan::Bencher;
use divan::counter::ItemsCount;
use smelt_strategies::skeleton::{Form, Moves};
use smelt_strategies::{Draft, Options, Pool, Request, SeedId, case_seed, find};

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

fn run(bencher: Bencher, name: &str, options: &Options) {
    let (mut pool, ids) = seeds();
    let mut strategy = (find(name).expect("a strategy").make)(options).expect("fitting options");
    let mut draft = Draft::default();
    // Seeds are prepared when they are first used.
    let mut index = 0;
    let mut usable = ids.clone();
    usable.retain(|&seed| {
        (0..4).any(|rng| strategy.next(&mut pool, &Request { seed, partners: &[], rng }, &mut draft).is_ok())
    });
    bencher.counter(ItemsCount::new(usable.len())).bench_local(|| {
        for &seed in &usable {
            index += 1;
            let rng = case_seed(1, name, index);
            let _ = strategy.next(&mut pool, &Request { seed, partners: &[], rng }, &mut draft);
            divan::black_box(&draft.text);
        }
    });
}

#[divan::bench(sample_count = 30)]
fn operator(bencher: Bencher) {
    run(bencher, "operator", &Options::default());
}

#[divan::bench(sample_count = 30)]
fn operator_10_steps(bencher: Bencher) {
    run(bencher, "operator", &Options { steps: 10, ..Options::default() });
}

#[divan::bench(sample_count = 30)]
fn generative(bencher: Bencher) {
    run(bencher, "generative", &Options::default());
}

#[divan::bench(sample_count = 30)]
fn generative_data_driven(bencher: Bencher) {
    run(bencher, "generative", &Options { data_driven: true, steps: 3, ..Options::default() });
}

#[divan::bench(sample_count = 30)]
fn fusion(bencher: Bencher) {
    run(bencher, "fusion", &Options::default());
}

#[divan::bench(sample_count = 10)]
fn shuffle(bencher: Bencher) {
    run(bencher, "shuffle", &Options::default());
}

fn skeleton(bencher: Bencher, form: Form, moves: Moves) {
    run(bencher, "skeleton", &Options { form, moves, ..Options::default() });
}

#[divan::bench(sample_count = 30)]
fn skeleton_pst(bencher: Bencher) {
    skeleton(bencher, Form::Written, Moves::Rules);
}

#[divan::bench(sample_count = 30)]
fn skeleton_lpi(bencher: Bencher) {
    skeleton(bencher, Form::Written, Moves::Snippets);
}

#[divan::bench(sample_count = 10)]
fn skeleton_pst_clauses(bencher: Bencher) {
    skeleton(bencher, Form::Clauses, Moves::Rules);
}

#[divan::bench(sample_count = 10)]
fn weaken(bencher: Bencher) {
    run(bencher, "weaken", &Options::default());
}

#[divan::bench(sample_count = 3)]
fn weaken_6_steps(bencher: Bencher) {
    run(bencher, "weaken", &Options { steps: 6, ..Options::default() });
}
