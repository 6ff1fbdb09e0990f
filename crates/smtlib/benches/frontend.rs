//! Reading, printing and picking places, over the corpus if it is there, else over a script of our own.

use divan::Bencher;
use divan::counter::BytesCount;
use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::{Arena, Printer, Script, parse_script};

fn main() {
    divan::main();
}

fn texts() -> Vec<Vec<u8>> {
    let files = smelt_testing::corpus_files("seeds");
    let mut texts: Vec<Vec<u8>> = files.iter().filter_map(|file| std::fs::read(file).ok()).collect();
    if texts.is_empty() {
        let line = "(assert (let ((a (+ x 1))) (forall ((y Int)) (=> (> y a) (< (f y) (f x))))))\n";
        texts.push(
            format!("(declare-fun f (Int) Int)(declare-const x Int)\n{}", line.repeat(1000)).into_bytes(),
        );
    }
    texts
}

fn size(texts: &[Vec<u8>]) -> BytesCount {
    BytesCount::new(texts.iter().map(Vec::len).sum::<usize>())
}

#[divan::bench(sample_count = 20)]
fn parse_and_type(bencher: Bencher) {
    let texts = texts();
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    bencher.counter(size(&texts)).bench_local(|| {
        for text in &texts {
            parse_script(&mut arena, text).expect("a script");
            arena.rollback(empty);
        }
    });
}

fn scripts(arena: &mut Arena, texts: &[Vec<u8>]) -> Vec<Script> {
    texts.iter().map(|t| parse_script(arena, t).expect("a script").script).collect()
}

#[divan::bench(sample_count = 20)]
fn print(bencher: Bencher) {
    let texts = texts();
    let mut arena = Arena::new();
    let scripts = scripts(&mut arena, &texts);
    let mut out = Vec::new();
    bencher.counter(size(&texts)).bench_local(|| {
        for script in &scripts {
            out.clear();
            Printer::new(&arena, &mut out).script(script);
        }
    });
}

#[divan::bench(sample_count = 20)]
fn list_places(bencher: Bencher) {
    let texts = texts();
    let mut arena = Arena::new();
    let scripts = scripts(&mut arena, &texts);
    let mut places = Occurrences::default();
    bencher.counter(size(&texts)).bench_local(|| {
        for script in &scripts {
            places.rebuild(&arena, script);
        }
    });
}

/// One mutant: pick a place, replace it, print, roll back.
#[divan::bench(sample_count = 20)]
fn replace_print_roll_back(bencher: Bencher) {
    let texts = texts();
    let mut arena = Arena::new();
    let mut scripts = scripts(&mut arena, &texts);
    let places: Vec<Occurrences> = scripts.iter().map(|s| Occurrences::new(&arena, s)).collect();
    let mark = arena.checkpoint();
    let mut out = Vec::new();
    let mut n = 0usize;
    bencher.counter(size(&texts)).bench_local(|| {
        for (script, places) in scripts.iter_mut().zip(&places) {
            n = n.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let Some(o) = places.get((n >> 33) % places.len().max(1)) else { continue };
            let same = places.of_sort(arena.sort_of(places.term(o)));
            let (root, new) = places.replace(&mut arena, o, places.term(same[(n >> 20) % same.len()]));
            let old = script.set_root(root, new).expect("the root is there");
            out.clear();
            Printer::new(&arena, &mut out).script(script);
            script.set_root(root, old);
            arena.rollback(mark);
        }
    });
}
