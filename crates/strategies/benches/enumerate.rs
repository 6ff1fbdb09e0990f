//! Going through a grammar, printing it, and going to scripts far away.

use divan::Bencher;
use smelt_strategies::enumerate::{Classes, Enumerator, Header, Index, Params, load};

fn main() {
    divan::main();
}

fn ints() -> Enumerator {
    Enumerator::new(load("ints", Params::default(), Classes::default()).expect("a grammar that comes along"))
}

/// A thousand scripts, one after the other.
#[divan::bench]
fn count_through(bencher: Bencher) {
    let mut all = ints();
    all.seek(&Index::from(1_000_000u32));
    bencher.bench_local(|| (0..1000).all(|_| all.advance()));
}

/// A thousand scripts with their headers.
#[divan::bench]
fn print(bencher: Bencher) {
    let mut all = ints();
    let from = Index::from(1_000_000u32);
    all.seek(&from);
    let mut header = Header::new(&from, "grammar=ints vars=2 asserts=1");
    let mut text = Vec::new();
    bencher.bench_local(|| {
        text.clear();
        for _ in 0..1000 {
            header.write(&mut text);
            text.extend_from_slice(all.text());
            header.advance();
            all.advance();
        }
        text.len()
    });
}

/// The script at 10^1700, once counts reach its size.
#[divan::bench(sample_count = 20)]
fn far_away(bencher: Bencher) {
    let mut all = ints();
    let index = Index::from(10u8).pow(1700);
    all.seek(&index);
    bencher.bench_local(|| all.seek(&index));
}
