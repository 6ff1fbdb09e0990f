//! Random bytes, truncated files and broken commands: an error or a diagnostic, never a panic.

use smelt_smtlib::{Arena, parse_script};

/// A small generator of our own, so that a failing case number is enough to repeat it.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ self.0 >> 33).wrapping_mul(0xff51afd7ed558ccd) >> 11
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Reads a text; if that works, its printed form can be read too.
fn survive(arena: &mut Arena, text: &[u8]) {
    let empty = arena.checkpoint();
    if let Ok(parsed) = parse_script(arena, text) {
        let printed = arena.display_script(&parsed.script);
        if let Err(e) = parse_script(arena, &printed) {
            panic!(
                "{:?} prints as {:?}: {e}",
                text.escape_ascii().to_string(),
                printed.escape_ascii().to_string()
            );
        }
    }
    arena.rollback(empty);
}

const WORDS: &[&str] = &[
    "(",
    ")",
    "(",
    ")",
    "(",
    ")",
    "(",
    ")",
    "let",
    "forall",
    "exists",
    "lambda",
    "match",
    "!",
    "_",
    "as",
    "par",
    "assert",
    "declare-fun",
    "declare-const",
    "declare-datatypes",
    "declare-datatype",
    "define-fun",
    "define-funs-rec",
    "define-sort",
    "check-sat-assuming",
    "push",
    "pop",
    "set-info",
    "set-option",
    "get-value",
    "echo",
    "x",
    "y",
    "f",
    "Int",
    "Bool",
    "(_ BitVec 8)",
    "Array",
    "true",
    "0",
    "17",
    "1.5",
    "2.",
    "#b01",
    "#xff",
    "#f3m5",
    "\"s\"",
    "|a b|",
    ":named",
    ":pattern",
    ":status",
    "is",
    "bv5",
    "8",
    "99999999999999999999",
    "+",
    "-",
    "=",
    "and",
    "ite",
    "extract",
    "concat",
    "store",
    "select",
    "const",
    "str.++",
    "to_fp",
    "fp",
    "tuple",
    "set.insert",
    "-3",
    "->",
    "; c\n",
    "\n",
];

#[test]
fn random_tokens_never_panic() {
    let mut arena = Arena::new();
    let mut random = Random(1);
    for _ in 0..60_000 {
        let mut text = String::new();
        for _ in 0..random.below(40) {
            text.push_str(WORDS[random.below(WORDS.len())]);
            text.push(' ');
        }
        // Half of them with parentheses balanced, to get deeper.
        if random.below(2) == 0 {
            let open = text.matches('(').count().saturating_sub(text.matches(')').count());
            text.push_str(&")".repeat(open));
        }
        survive(&mut arena, text.as_bytes());
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut arena = Arena::new();
    let mut random = Random(2);
    for _ in 0..30_000 {
        let text: Vec<u8> = (0..random.below(60)).map(|_| random.next() as u8).collect();
        survive(&mut arena, &text);
    }
}

const OWN: &[u8] = b"(set-logic ALL)\n(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T)))))))\n\
    (define-fun-rec f ((x Int)) Int (ite (< x 0) x (f (- x 1))))\n(declare-fun g ((_ BitVec 8)) (Array Int String))\n\
    (assert (forall ((l (L Int))) (! (match l ((nil true) ((cons h t) (> h 0)))) :pattern ((hd l)) :named n)))\n\
    (push 1)(check-sat-assuming (n))(get-value ((f 3)))(pop 1)(minimize (f 2))\n";

/// Cuts and damages scripts, this many times.
fn damage(times: usize, mut source: impl FnMut(&mut Random) -> Vec<u8>) {
    let mut arena = Arena::new();
    let mut random = Random(3);
    for _ in 0..times {
        let source = source(&mut random);
        let mut text = source[..random.below(source.len().min(3000))].to_vec();
        for _ in 0..random.below(4) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => text.truncate(at),
                1 => text.insert(at, b"()\"|;: \n#"[random.below(9)]),
                _ => text.extend_from_slice(b")))"),
            }
        }
        survive(&mut arena, &text);
    }
}

#[test]
fn a_truncated_and_damaged_script_never_panics() {
    damage(8_000, |_| OWN.to_vec());
}

#[test]
#[ignore = "needs corpus"]
fn truncated_and_damaged_files_never_panic() {
    let folders = ["regress", "known-bugs", "seeds"];
    let files: Vec<_> = folders.into_iter().flat_map(smelt_testing::corpus).collect();
    damage(22_000, |random| std::fs::read(&files[random.below(files.len())]).unwrap());
}
