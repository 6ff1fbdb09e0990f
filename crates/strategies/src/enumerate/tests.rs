//! Laws over all grammars that come with smelt, and what wrong ones are told.

use dashu_int::UBig;
use std::collections::{HashMap, HashSet};

use super::*;
use crate::rng::Rng;
use smelt_smtlib::{Arena, parse_script};

fn grammar(name: &str, vars: u32, asserts: u32, classes: Classes) -> Grammar {
    load(name, Params { vars, asserts }, classes).unwrap_or_else(|e| panic!("{e}"))
}

fn plain(name: &str) -> Grammar {
    grammar(name, 2, 1, Classes::default())
}

/// Every word of a nonterminal of a size, from the productions alone; `None` if there are too many.
struct Brute<'a> {
    grammar: &'a Grammar,
    least: Vec<usize>,
    known: HashMap<(usize, usize), Vec<String>>,
}

const TOO_MANY: usize = 60_000;

impl Brute<'_> {
    fn words(&mut self, nt: usize, size: usize) -> Option<Vec<String>> {
        if let Some(words) = self.known.get(&(nt, size)) {
            return Some(words.clone());
        }
        let mut all = Vec::new();
        let row = &self.grammar.nonterminals[nt];
        if let Some(inner) = size.checked_sub(row.cost) {
            for production in &row.productions {
                // Prefixes with the size that is left.
                let mut prefixes = vec![(String::new(), inner)];
                let mut later: usize = production.nonterminals().map(|n| self.least[n]).sum();
                for symbol in &production.symbols {
                    later -= if let grammar::Symbol::Nt(n) = symbol { self.least[*n] } else { 0 };
                    let mut longer = Vec::new();
                    for (prefix, left) in prefixes {
                        match symbol {
                            grammar::Symbol::Text(text) => longer.push((prefix + text, left)),
                            grammar::Symbol::Nt(n) => {
                                // A part may be empty, but then it must not come back to itself.
                                for m in 0..=left.saturating_sub(later) {
                                    if *n == nt && row.cost == 0 && m == size {
                                        continue;
                                    }
                                    for word in self.words(*n, m)? {
                                        longer.push((format!("{prefix}{word}"), left - m));
                                    }
                                }
                            }
                        }
                        if longer.len() > TOO_MANY {
                            return None;
                        }
                    }
                    prefixes = longer;
                }
                all.extend(prefixes.into_iter().filter(|(_, left)| *left == 0).map(|(word, _)| word));
            }
        }
        self.known.insert((nt, size), all.clone());
        Some(all)
    }
}

fn scripts(all: &mut Enumerator, size: usize) -> Vec<String> {
    let count = u64::try_from(all.count(size).clone()).unwrap();
    let mut list = Vec::new();
    if count == 0 {
        return list;
    }
    assert!(all.seek(&all.clone().smaller(size).clone()));
    for i in 0..count {
        assert_eq!(all.size(), size);
        list.push(String::from_utf8(all.text().to_vec()).unwrap());
        assert!(all.advance() || i + 1 == count);
    }
    list
}

#[test]
fn counts_and_scripts_equal_brute_force_on_all_grammars() {
    for shipped in CATALOG {
        for (vars, asserts) in [(2, 1), (1, 2), (5, 1)] {
            let grammar = grammar(shipped.name, vars, asserts, Classes::default());
            let mut brute = Brute { least: grammar.least(), grammar: &grammar, known: HashMap::new() };
            let mut all = Enumerator::new(grammar.clone());
            let mut compared = 0;
            for size in 0.. {
                let Some(mut expected) = brute.words(grammar.start, size) else { break };
                if *all.count(size) > UBig::from(TOO_MANY) {
                    break;
                }
                let mut found = scripts(&mut all, size);
                assert_eq!(*all.count(size), UBig::from(expected.len()), "{} {size}", shipped.name);
                expected.sort();
                found.sort();
                assert_eq!(found, expected, "{} {size}", shipped.name);
                compared += found.len();
            }
            assert!(
                (vars, asserts) != (2, 1) || compared > 10,
                "{} {vars} {asserts}: {compared}",
                shipped.name
            );
        }
    }
}

#[test]
fn an_index_leads_to_a_script_and_back() {
    let slow = std::env::var_os("SMELT_SLOW").is_some();
    let samples = if slow { 60_000 } else { 300 };
    let mut rng = Rng::new(8);
    for shipped in CATALOG {
        for &(_, classes) in Classes::ALL {
            let mut all = Enumerator::new(grammar(shipped.name, 3, 1, classes));
            // A million in all; grammars of classes are large, and slow to parse with.
            let some = if classes == Classes::default() { samples } else { samples / 100 };
            for i in 0..some {
                let digits = if i % 100 == 0 { 40 } else { 1 + rng.below(14) };
                let index = UBig::from(10u8).pow(digits) * UBig::from(rng.below(1000)) / UBig::from(997u16);
                assert!(all.seek(&index), "{}", shipped.name);
                let text = all.text().to_vec();
                assert_eq!(
                    all.rank(&text),
                    Some(index),
                    "{} {}",
                    shipped.name,
                    String::from_utf8_lossy(&text)
                );
            }
        }
    }
}

#[test]
fn going_on_is_the_same_as_going_there() {
    for shipped in CATALOG {
        for &(word, classes) in Classes::ALL {
            let mut walked = Enumerator::new(grammar(shipped.name, 2, 1, classes));
            let mut sought = walked.clone();
            for start in [0u64, 900, 1_000_000] {
                walked.seek(&UBig::from(start));
                for index in start..start + 700 {
                    sought.seek(&UBig::from(index));
                    let place = format!("{} {} {index}", shipped.name, word);
                    assert_eq!(walked.text(), sought.text(), "{place}");
                    assert_eq!(walked.size(), sought.size(), "{place}");
                    assert!(walked.advance());
                }
            }
        }
    }
}

#[test]
fn no_script_comes_twice() {
    let slow = std::env::var_os("SMELT_SLOW").is_some();
    let first = if slow { 1_000_000 } else { 5_000 };
    for shipped in CATALOG {
        let mut all = Enumerator::new(plain(shipped.name));
        assert_eq!(all.ambiguity(), None, "{}", shipped.name);
        let mut seen = HashSet::new();
        all.seek(&UBig::ZERO);
        for _ in 0..first {
            let hash = smelt_core::SeedHash::of(all.text());
            assert!(seen.insert(hash), "{}: {}", shipped.name, String::from_utf8_lossy(all.text()));
            all.advance();
        }
    }
}

#[test]
fn every_script_types_in_our_front_end() {
    let slow = std::env::var_os("SMELT_SLOW").is_some();
    let (first, samples) = if slow { (20_000, 5_000) } else { (400, 150) };
    let mut rng = Rng::new(3);
    for shipped in CATALOG {
        let check = |text: &[u8]| {
            let mut arena = Arena::new();
            let parsed = parse_script(&mut arena, text).unwrap_or_else(|e| panic!("{}: {e:?}", shipped.name));
            let text = String::from_utf8_lossy(text);
            assert!(parsed.diagnostics.is_empty(), "{}: {text} {:?}", shipped.name, parsed.diagnostics[0]);
        };
        for (vars, asserts) in [(1, 1), (2, 1), (5, 2)] {
            let mut all = Enumerator::new(grammar(shipped.name, vars, asserts, Classes::default()));
            all.seek(&UBig::ZERO);
            for _ in 0..first {
                check(all.text());
                all.advance();
            }
            for _ in 0..samples {
                if all.sample(12 + rng.below(20), &mut rng) {
                    check(all.text());
                }
            }
        }
    }
}

/// The class of a script of a small grammar: the least of all its renamings and swaps, by brute force.
fn renamings(text: &str) -> String {
    let swapped: String = text
        .split_inclusive(['(', ')', ' '])
        .map(|t| match t.trim_end_matches([')', ' ']) {
            "a" => t.replace('a', "b"),
            "b" => t.replace('b', "a"),
            _ => t.to_owned(),
        })
        .collect();
    swapped.min(text.to_owned())
}

#[test]
fn classes_of_renaming_are_counted_exactly() {
    let source = "grammar G; start : '[' x ']' ; var : 'a' | 'b' ; x : var | '(f' x x ')' | '(g' x ')' ;";
    let read = || Grammar::read(source, Params::default()).unwrap();
    let mut all = Enumerator::new(read());
    let classes = Classes { renaming: true, commuting: false };
    let mut some = Enumerator::new(read().classes(classes));
    for size in 2..9 {
        let classes: HashSet<String> = scripts(&mut all, size).iter().map(|t| renamings(t)).collect();
        let kept = scripts(&mut some, size);
        assert_eq!(*some.count(size), UBig::from(classes.len()), "{size}");
        let kept: HashSet<String> = kept.iter().map(|t| renamings(t)).collect();
        assert_eq!(kept, classes);
    }
}

/// `(+ x y)` with its operands in a fixed order, everywhere.
fn sorted(text: &str) -> String {
    let mut stack: Vec<Vec<String>> = vec![Vec::new()];
    for token in text.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
        match token {
            "(" => stack.push(Vec::new()),
            ")" => {
                let mut list = stack.pop().unwrap();
                if list[0] == "+" {
                    list[1..].sort();
                }
                stack.last_mut().unwrap().push(format!("({})", list.join(" ")));
            }
            atom => stack.last_mut().unwrap().push(atom.to_owned()),
        }
    }
    stack.pop().unwrap().join(" ")
}

#[test]
fn classes_of_commuting_are_counted_exactly_and_every_script_finds_its_own() {
    let source = "grammar G; start : x ; op : '+' | '-' ; x : 'a' | 'b' | '(' op x x ')' | '(abs' x ')' ;";
    let read = || Grammar::read(source, Params::default()).unwrap();
    let mut all = Enumerator::new(read());
    let mut some = Enumerator::new(read().classes(Classes { renaming: false, commuting: true }));
    for size in 2..8 {
        let every = scripts(&mut all, size);
        let classes: HashSet<String> = every.iter().map(|t| sorted(t)).collect();
        let kept = scripts(&mut some, size);
        assert_eq!(*some.count(size), UBig::from(classes.len()), "{size}");
        assert_eq!(kept.iter().map(|t| sorted(t)).collect::<HashSet<_>>(), classes);
        for text in every.iter().take(300) {
            let index = some.rank(text.as_bytes()).unwrap();
            some.seek(&index);
            assert_eq!(sorted(std::str::from_utf8(some.text()).unwrap()), sorted(text));
        }
    }
}

#[test]
fn both_kinds_of_classes_leave_one_script_of_each_at_least() {
    let source =
        "grammar G; start : '[' x ']' ; var : 'a' | 'b' ; op : '+' | '-' ; x : var | '(' op x x ')' ;";
    let read = || Grammar::read(source, Params::default()).unwrap();
    let mut all = Enumerator::new(read());
    let mut some = Enumerator::new(read().classes(Classes { renaming: true, commuting: true }));
    let class = |t: &String| {
        let other: String = t
            .chars()
            .map(|c| {
                if c == 'a' {
                    'b'
                } else if c == 'b' {
                    'a'
                } else {
                    c
                }
            })
            .collect();
        sorted(t).min(sorted(&other))
    };
    for size in 2..8 {
        let classes: HashSet<String> = scripts(&mut all, size).iter().map(class).collect();
        let kept: HashSet<String> = scripts(&mut some, size).iter().map(class).collect();
        assert_eq!(kept, classes, "{size}");
        assert!(some.count(size) <= all.count(size));
    }
}

#[test]
fn scripts_far_away_are_found_and_found_again() {
    let mut all = Enumerator::new(grammar("ints", 5, 1, Classes::default()));
    let index = UBig::from(10u8).pow(300);
    assert!(all.seek(&index));
    let text = all.text().to_vec();
    assert!(text.len() > 500);
    assert_eq!(all.rank(&text), Some(index));
}

#[test]
fn sampling_is_even() {
    let mut all = Enumerator::new(plain("core"));
    let count = u64::try_from(all.count(4).clone()).unwrap() as usize;
    let mut rng = Rng::new(5);
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    for _ in 0..count * 500 {
        assert!(all.sample(4, &mut rng));
        *seen.entry(all.text().to_vec()).or_default() += 1;
    }
    assert_eq!(seen.len(), count);
    assert!(seen.values().all(|n| (350..650).contains(n)), "{seen:?}");
}

#[test]
fn the_size_is_the_number_of_nonterminals_used() {
    let mut all = Enumerator::new(plain("core"));
    let mut size = |assertion: &str| {
        let text = format!(
            "(set-logic QF_UF)(declare-const a Bool) (declare-const b Bool)\n(assert {assertion}) ; so\n(check-sat)"
        );
        let index = all.rank(text.as_bytes()).unwrap();
        all.size_of(&index).unwrap()
    };
    assert_eq!((size("false"), size("true"), size("(not false)"), size("(and a b)")), (4, 4, 5, 6));
    assert_eq!(all.rank(b"(assert c)"), None);
}

#[test]
fn what_is_wrong_with_a_grammar_is_said_with_line_and_column() {
    let cases = [
        ("grammar G;\nstart : 'a' x ;", "2:13: no rule `x`"),
        ("grammar G;\nstart : 'a' ;\nx : 'b' ;", "3:1: nothing leads from `start` to `x`"),
        ("grammar G;\nstart : x ;\n  x : x 'a' ;", "3:3: `x` never ends: left recursion without a base"),
        ("grammar G; start : x; x : 'a' y; y : 'b' x;", "never ends"),
        ("grammar G; start : 'a' x; x : ;", "1:27: `x` is empty"),
        ("grammar G; start : 'a' x; x : {vars>4}? 'b';", "1:27: `x` has no alternative left"),
        ("grammar G; start : ('a')* ;", "costs nothing"),
        ("grammar G; start : 'a", "1:20: this literal does not end"),
        ("grammar G; start : 'a' | ( 'b' ;", "1:32: `)` is missing, there is `;`"),
        ("grammar G; start : 'a'{many} ;", "no parameter `many`: there are vars, asserts"),
        ("grammar G; start : 'a'{3,2} ;", "from 3 to 2"),
        ("grammar G; start : 'a'; start : 'b';", "already, in line 1"),
        ("start : 'a';", "1:1: a grammar starts with"),
        ("grammar G; start : /* 'a';", "comment has no end"),
        ("grammar G; start : 'a'{99999};", "too large"),
        ("grammar G; start : 'a", "does not end"),
        ("grammar G; start : [a];", "a literal, a name or a group is missing, there is `[`"),
    ];
    for (text, expected) in cases {
        let error = Grammar::read(text, Params::default()).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    let deep = format!("grammar G; start : {}'a'", "(".repeat(100_000));
    assert!(Grammar::read(&deep, Params::default()).unwrap_err().to_string().contains("nested"));
}

#[test]
fn an_ambiguous_grammar_is_told_with_an_example() {
    let text = "grammar G; start : '(' x ')' ; x : 'a' | x '+' x ;";
    let all = Enumerator::new(Grammar::read(text, Params::default()).unwrap());
    let found = all.ambiguity().unwrap();
    assert_eq!(found.rule, "x");
    assert_eq!(found.text, "a + a + a");
}

#[test]
fn every_part_of_the_language_works() {
    let text = "grammar G; /* all */ start : 'k'? ('a' | 'b'){2} x{0,2} y+ z* ; x : 'x' ; y : 'y' t ; t : 'u' ; z : 'z' t;";
    let mut all = Enumerator::new(Grammar::read(text, Params::default()).unwrap());
    let mut found: Vec<String> = scripts(&mut all, 3);
    found.extend(scripts(&mut all, 2));
    let squeeze = |t: &String| t.split_whitespace().collect::<String>();
    let found: HashSet<String> = found.iter().map(squeeze).collect();
    for word in ["aayu", "kabyu", "baxxyu", "bbxyuyu", "kaayuzu"] {
        assert!(found.contains(word), "{word} {found:?}");
    }
    assert_eq!(all.rank(b"k a b x y u z u").map(|i| all.seek(&i)), Some(true));
    assert_eq!(squeeze(&String::from_utf8_lossy(all.text()).into_owned()), "kabxyuzu");
}

#[test]
fn a_grammar_without_recursion_ends() {
    let text = "grammar G; start : x x ; x : 'a' | 'b' | y ; y : 'c' ;";
    let mut all = Enumerator::new(Grammar::read(text, Params::default()).unwrap());
    assert_eq!(all.total(), Some(UBig::from(9u8)));
    assert!(all.seek(&UBig::from(8u8)) && !all.advance());
    assert!(!all.seek(&UBig::from(9u8)));
}

#[test]
fn the_printed_grammars_are_read_and_have_what_ours_do_not() {
    let has = |name: &str, words: &[&str]| {
        let mut all = Enumerator::new(plain(name));
        let script = |all: &Enumerator| String::from_utf8(all.text().to_vec()).unwrap();
        let mut missing: Vec<&str> = words.to_vec();
        all.seek(&UBig::ZERO);
        for _ in 0..4000 {
            let text = script(&all);
            assert!(!text.contains("set-logic") && text.ends_with("(check-sat)\n"), "{text}");
            missing.retain(|w| !text.contains(w));
            all.advance();
        }
        assert!(missing.is_empty(), "{name}: {missing:?}");
    };
    assert_eq!(PRINTED.len(), 8);
    PRINTED.iter().for_each(|g| has(g.name, &["(declare-const a", "(declare-const b"]));
    has("printed-realints", &["(sin ", "(cos ", "(tan ", "(to_real "]);
    has("printed-reals", &["(sin ", "(cos ", "(tan "]);
    has("printed-bitvectors", &["(bv2nat "]);
}

#[test]
fn the_formula_of_figure_7_1_is_enumerated() {
    let figure = "(declare-const a Int)\n(assert (> (tan (sin (sin a))) a))\n(check-sat)\n";
    let mut all = Enumerator::new(grammar("trigonometry", 1, 1, Classes::default()));
    let index = all.rank(figure.as_bytes()).unwrap();
    assert!(index < UBig::from(100_000u32), "{index}");
    assert!(all.seek(&index));
    assert_eq!(String::from_utf8_lossy(all.text()), figure);
}

/// The number of a script that simplification decides makes no case; all others stay what they are.
#[test]
fn decided_scripts_are_left_out_and_numbers_stay() {
    use crate::{CaseRequest, Draft, Pool, Skip};
    let make = |options: &str| crate::strategy("enumerate", options, &Default::default()).unwrap();
    let (mut keep, mut skip) = (make("grammar=ints"), make("grammar=ints decided=skip"));
    assert!(skip.leaves_out_decided() && !keep.leaves_out_decided());
    let body = |draft: &Draft| draft.text.splitn(2, |b| *b == b'\n').nth(1).unwrap().to_vec();
    let (mut pool, mut one, mut other) = (Pool::new(), Draft::default(), Draft::default());
    let (mut made, mut left_out, mut weight) = (0, 0, crate::DeadWeight::default());
    for number in 0..500 {
        let request = CaseRequest { seeds: &[], number };
        keep.next(&mut pool, &request, &mut one).unwrap();
        match skip.next(&mut pool, &request, &mut other) {
            Ok(()) => {
                assert_eq!(body(&one), body(&other));
                made += 1;
            }
            Err(why) => {
                assert_eq!(why, Skip::Decided);
                assert!(weight.is_simplified(&one.text));
                left_out += 1;
            }
        }
    }
    assert!(made > 100 && left_out > 100, "{made} {left_out}");
}
