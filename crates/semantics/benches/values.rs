//! Speed of the value layer: `cargo bench -p smelt-semantics`.

use divan::{Bencher, black_box};
use smelt_semantics::RoundingMode::Rne;
use smelt_semantics::number::{Poly, Real, int};
use smelt_semantics::regex::Languages;
use smelt_semantics::sequence;
use smelt_semantics::value::{Array, Domain};
use smelt_semantics::{BitVec, Float, Format, Int, Rational, Regex, Str, Value};

fn main() {
    divan::main();
}

const FORMATS: [(u32, u32); 4] = [(8, 24), (11, 53), (15, 64), (15, 113)];

fn operands((eb, sb): (u32, u32)) -> (Float, Float, Float) {
    let format = Format::new(eb, sb).expect("a supported format");
    let float = |n: i64, d: i64| {
        Float::from_rational(format, Rne, &Rational::new(n.into(), d.into()).expect("a non-zero denominator"))
    };
    (float(1, 3), float(-22, 7), float(1_000_003, 10))
}

#[divan::bench(args = FORMATS)]
fn float_add(bencher: Bencher, format: (u32, u32)) {
    let (a, b, _) = operands(format);
    bencher.bench(|| black_box(&a).add(Rne, black_box(&b)));
}

#[divan::bench(args = FORMATS)]
fn float_mul(bencher: Bencher, format: (u32, u32)) {
    let (a, b, _) = operands(format);
    bencher.bench(|| black_box(&a).mul(Rne, black_box(&b)));
}

#[divan::bench(args = FORMATS)]
fn float_div(bencher: Bencher, format: (u32, u32)) {
    let (a, b, _) = operands(format);
    bencher.bench(|| black_box(&a).div(Rne, black_box(&b)));
}

#[divan::bench(args = FORMATS)]
fn float_fma(bencher: Bencher, format: (u32, u32)) {
    let (a, b, c) = operands(format);
    bencher.bench(|| black_box(&a).fma(Rne, black_box(&b), black_box(&c)));
}

#[divan::bench(args = FORMATS)]
fn float_sqrt(bencher: Bencher, format: (u32, u32)) {
    let (a, ..) = operands(format);
    bencher.bench(|| black_box(&a).sqrt(Rne));
}

#[divan::bench(args = FORMATS)]
fn float_rem(bencher: Bencher, format: (u32, u32)) {
    let (a, b, c) = operands(format);
    let far = c.mul(Rne, &c).mul(Rne, &c).div(Rne, &a);
    bencher.bench(|| black_box(&far).rem(black_box(&b)));
}

#[divan::bench(args = FORMATS)]
fn float_from_rational(bencher: Bencher, (eb, sb): (u32, u32)) {
    let format = Format::new(eb, sb).expect("a supported format");
    let r = Rational::parse("0.1").expect("a decimal");
    bencher.bench(|| Float::from_rational(format, Rne, black_box(&r)));
}

#[divan::bench(args = [32, 64, 128, 1024])]
fn bitvec_mul(bencher: Bencher, width: u32) {
    let a = BitVec::ones(width).bvlshr(&BitVec::new(width, 3));
    bencher.bench(|| black_box(&a).bvmul(black_box(&a)));
}

#[divan::bench(args = [32, 64, 128, 1024])]
fn bitvec_sdiv(bencher: Bencher, width: u32) {
    let (a, b) = (BitVec::ones(width).bvlshr(&BitVec::new(width, 3)), BitVec::new(width, 77).bvneg());
    bencher.bench(|| black_box(&a).bvsdiv(black_box(&b)));
}

#[divan::bench]
fn int_div(bencher: Bencher) {
    let (a, b) = (Int::from(-1_000_003), Int::from(17));
    bencher.bench(|| int::div(black_box(&a), black_box(&b)));
}

#[divan::bench]
fn rational_add(bencher: Bencher) {
    let (a, b) = (Rational::parse("3.14159").expect("a decimal"), Rational::parse("2.5").expect("a decimal"));
    bencher.bench(|| black_box(&a) + black_box(&b));
}

#[divan::bench]
fn algebraic_add(bencher: Bencher) {
    let root = |n: i64| {
        let poly = Poly::new(vec![Int::from(-n), Int::ZERO, Int::ONE]);
        Real::nth_root_of(&poly, 2).ok().flatten().expect("a root")
    };
    let (a, b) = (root(2), root(3));
    bencher.bench(|| black_box(&a).add(black_box(&b)));
}

fn identifiers() -> Regex {
    let chars = |a: &str, b: &str| Regex::range(&text(a), &text(b));
    let letter = Regex::union(vec![chars("a", "z"), chars("A", "Z")]);
    let word = Regex::concat(vec![letter.clone(), Regex::union(vec![letter, chars("0", "9")]).star()]);
    let list = Regex::concat(vec![word.clone(), Regex::concat(vec![Regex::literal(text(",")), word]).star()]);
    list.diff(Regex::concat(vec![Regex::all(), Regex::literal(text("if")), Regex::all()]))
}

fn text(s: &str) -> Str {
    Str::from_text(s).expect("code points in range")
}

#[divan::bench(args = [100, 10_000, 1_000_000])]
fn membership(bencher: Bencher, length: usize) {
    let mut languages = Languages::new();
    let language = languages.language(&identifiers()).expect("a small expression");
    let s = text(&"a1,Zz,".repeat(length / 6 + 1)[..length]);
    bencher.bench_local(move || languages.accepts(language, &s));
}

#[divan::bench]
fn language_equality(bencher: Bencher) {
    let regex = identifiers();
    bencher.bench(|| {
        let mut languages = Languages::new();
        let a = languages.language(&regex)?;
        let b = languages.language(&regex.clone().comp().comp())?;
        languages.difference(a, b)
    });
}

#[divan::bench(args = [1_000, 100_000])]
fn string_index_of(bencher: Bencher, length: usize) {
    let (s, t) = (text(&"a".repeat(length)), text(&("a".repeat(50) + "b")));
    bencher.bench(|| sequence::index_of(s.codes(), t.codes(), &Int::ZERO));
}

#[divan::bench]
fn array_store_and_select(bencher: Bencher) {
    let int = |n: i64| Value::from(Int::from(n));
    let array = (0..20).fold(Array::constant(Domain::Infinite, int(0)), |a, i| {
        a.store(int(i), int(i + 1)).expect("no bound over infinite indices")
    });
    bencher.bench(|| array.clone().store(int(7), int(0)).map(|a| a.select(&int(7)).clone()));
}
