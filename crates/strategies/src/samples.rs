//! Sample values of a sort as text: used to check fusion functions and rules, and as random literals.

use std::sync::LazyLock;

use smelt_semantics::eval::bitvec_values;
use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, Format};
use smelt_smtlib::sexpr::{Sexpr, read_all};

use crate::rng::Rng;
use crate::template::plain;

/// Bit-vectors up to this width, and floats up to this many bits, are listed whole.
const WHOLE: u32 = 5;

/// The sorts of `data/samples.txt` with their values.
static LISTED: LazyLock<Vec<(String, Vec<String>)>> = LazyLock::new(|| {
    let read = |row: &Sexpr| {
        let mut words = row.list("(SORT VALUE ..)")?.iter().map(plain);
        Ok::<_, smelt_smtlib::Error>((words.next().unwrap_or_default(), words.collect()))
    };
    let rows = read_all(include_bytes!("../data/samples.txt"));
    let rows = rows.and_then(|rows| rows.iter().map(read).collect());
    rows.unwrap_or_else(|e| panic!("samples.txt can be read: {e}"))
});

/// Values of a sort as text: all of a small one, corner values and some others of a large one.
pub(crate) fn values(sort: &Sexpr, depth: u32) -> Option<Vec<String>> {
    let text = plain(sort);
    if let Some((_, values)) = LISTED.iter().find(|(sort, _)| *sort == text) {
        return Some(values.clone());
    }
    let list = sort.list("a sort").ok()?;
    let atoms: Vec<&str> = list.iter().filter_map(|s| s.atom("a word").ok()).collect();
    match atoms[..] {
        ["_", "BitVec", m] => Some(bits(m.parse().ok()?)),
        ["_", "FloatingPoint", e, s] => {
            let format = Format::new(e.parse().ok()?, s.parse().ok()?)?;
            let width = format.width();
            if width > WHOLE + 4 {
                return Some(float_corners(format));
            }
            // Every encoding, those of NaN too.
            Some((0..1u64 << width).map(|v| parts(format, &BitVec::new(width, v))).collect())
        }
        ["Seq", _] | ["Seq"] if depth > 0 && list.len() == 2 => {
            let unit = |e: &String| format!("(seq.unit {e})");
            let units: Vec<String> = values(&list[1], depth - 1)?.iter().take(3).map(unit).collect();
            let mut all = vec![format!("(as seq.empty {text})")];
            all.extend(units.iter().cloned());
            for x in &units {
                all.extend(units.iter().map(|y| format!("(seq.++ {x} {y})")));
            }
            all.extend(units.iter().map(|x| format!("(seq.++ {x} {} {x})", units[0])));
            Some(all)
        }
        ["Set", _] | ["Set"] if depth > 0 && list.len() == 2 => {
            let elements = values(&list[1], depth - 1)?;
            let mut all = vec![format!("(as set.empty {text})")];
            for (i, e) in elements.iter().enumerate().take(5) {
                let single = format!("(set.singleton {e})");
                all.push(format!("(set.union {single} {})", all[i / 2]));
                all.push(single);
            }
            Some(all)
        }
        _ if atoms.first() == Some(&"Array") && depth > 0 && list.len() == 3 => {
            let (places, elements) = (values(&list[1], depth - 1)?, values(&list[2], depth - 1)?);
            let mut all: Vec<String> =
                elements.iter().take(4).map(|e| format!("((as const {text}) {e})")).collect();
            for (i, place) in places.iter().take(6).enumerate() {
                all.push(format!("(store {} {place} {})", all[i % 2], elements[(i + 1) % elements.len()]));
            }
            Some(all)
        }
        _ => None,
    }
}

/// All bit-vectors of a small width; corners, small numbers and alternating bits of a large one.
fn bits(width: u32) -> Vec<String> {
    if let Some(all) = bitvec_values(width, 1 << WHOLE) {
        return all.iter().filter_map(Value::as_bitvec).map(binary).collect();
    }
    let one = BitVec::new(width, 1);
    let (ones, least) = (BitVec::ones(width), BitVec::least(width));
    let ends = [ones.bvsub(&one), least.clone(), least.bvadd(&one), BitVec::greatest(width)];
    let all: Vec<BitVec> = (0..4).map(|v| BitVec::new(width, v)).chain([ones]).chain(ends).collect();
    let alternating = |start: usize| "10".repeat(width as usize)[start..][..width as usize].to_owned();
    let literals = all.iter().map(binary);
    literals.chain([0, 1].map(|start| format!("#b{}", alternating(start)))).collect()
}

/// A bit-vector in binary, whatever its width.
fn binary(b: &BitVec) -> String {
    (0..b.width()).rev().fold("#b".to_owned(), |s, i| s + if b.bit(i) { "1" } else { "0" })
}

/// Zeros, infinities, not a number, and the ends of the normal and subnormal ranges, of either sign.
fn float_corners(format: Format) -> Vec<String> {
    let corners = |negative: bool| {
        [
            Float::zero(format, negative),
            Float::least_subnormal(format, negative),
            Float::largest_subnormal(format, negative),
            Float::one(format, negative),
            Float::one(format, false).next(negative),
            Float::largest(format, negative),
            Float::infinity(format, negative),
        ]
    };
    let all = [false, true].into_iter().flat_map(corners);
    let nan = format!("(_ NaN {} {})", format.eb(), format.sb());
    all.map(|f| parts(format, f.canonical_bits())).chain([nan]).collect()
}

/// A float by its encoding.
fn parts(format: Format, bits: &BitVec) -> String {
    let (text, e) = (binary(bits), format.eb() as usize);
    format!("(fp #b{} #b{} #b{})", &text[2..3], &text[3..3 + e], &text[3 + e..])
}

/// Random literals of one sort, small more often than not.
#[derive(Clone, Debug)]
pub(crate) enum Sampler {
    Text,
    Int,
    Real,
    /// Bit-vectors of a width: corners, or random bits.
    Bits(usize, Vec<String>),
    Listed(Vec<String>),
}

impl Sampler {
    /// Of a sort; `None` for one without literals.
    pub(crate) fn of(sort: &Sexpr) -> Option<Sampler> {
        match &*plain(sort) {
            "String" => return Some(Sampler::Text),
            "Int" => return Some(Sampler::Int),
            "Real" => return Some(Sampler::Real),
            _ => {}
        }
        let list = sort.list("a sort").ok();
        let atoms: Vec<&str> = list.into_iter().flatten().filter_map(|s| s.atom("a word").ok()).collect();
        let all = values(sort, 1).filter(|all| !all.is_empty());
        match atoms[..] {
            ["_", "BitVec", m] => Some(Sampler::Bits(m.parse().ok()?, all?)),
            _ => all.map(Sampler::Listed),
        }
    }

    /// Appends a literal.
    pub(crate) fn write(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        match self {
            Sampler::Text => {
                let letters = ["a", "b", "0", "-", "\\u{7f}"];
                out.push(b'"');
                for _ in 0..rng.below(4) {
                    out.extend_from_slice(letters[rng.below(letters.len())].as_bytes());
                }
                out.push(b'"');
            }
            Sampler::Int | Sampler::Real => {
                let is_real = matches!(self, Sampler::Real);
                let range = if rng.one_in(8) { 10_000 } else { 12 };
                let n = rng.below(range);
                let quarters = if is_real { rng.below(4) * 25 } else { 0 };
                let negative = n + quarters > 0 && rng.one_in(2);
                let digits = if is_real { format!("{n}.{quarters}") } else { n.to_string() };
                let signed = if negative { format!("(- {digits})") } else { digits };
                out.extend_from_slice(signed.as_bytes());
            }
            Sampler::Bits(width, _) if rng.one_in(2) => {
                out.extend_from_slice(b"#b");
                out.extend((0..*width).map(|_| if rng.one_in(2) { b'1' } else { b'0' }));
            }
            Sampler::Bits(_, all) | Sampler::Listed(all) => {
                out.extend_from_slice(rng.pick(all).map_or(&b""[..], |text| text.as_bytes()));
            }
        }
    }
}

/// A random literal of a sort, small more often than not; `None` for a sort without literals.
pub(crate) fn literal(sort: &Sexpr, rng: &mut Rng) -> Option<String> {
    let mut text = Vec::new();
    Sampler::of(sort)?.write(rng, &mut text);
    String::from_utf8(text).ok()
}

/// The s-expression of a sort that smelt wrote itself.
pub(crate) fn sort_sexpr(text: &str) -> Option<Sexpr> {
    read_all(text.as_bytes()).ok()?.into_iter().next()
}
