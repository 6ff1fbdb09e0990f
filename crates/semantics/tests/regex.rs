//! Laws of regular languages against the definition: which substrings match, by trying all splits.

use crate::common::Random;
use smelt_semantics::number::Int;
use smelt_semantics::regex::Languages;
use smelt_semantics::{Gap, Regex, Str};

/// Expressions with a naive meaning.
#[derive(Debug, Clone)]
enum Exp {
    None,
    AllChar,
    Word(&'static str),
    Range(&'static str, &'static str),
    Concat(Box<Exp>, Box<Exp>),
    Union(Box<Exp>, Box<Exp>),
    Inter(Box<Exp>, Box<Exp>),
    Diff(Box<Exp>, Box<Exp>),
    Comp(Box<Exp>),
    Star(Box<Exp>),
    Plus(Box<Exp>),
    Opt(Box<Exp>),
    Loop(Box<Exp>, u32, u32),
}

use Exp::*;

impl Exp {
    fn random(random: &mut Random, depth: u32) -> Exp {
        let words = ["", "a", "b", "ab", "ba", "aab"];
        let chars = ["a", "b", "c", "ab", ""];
        let kind = random.below(if depth == 0 { 5 } else { 16 });
        let pick =
            |random: &mut Random, from: &[&'static str]| from[random.below(from.len() as u64) as usize];
        let sub = |random: &mut Random| Box::new(Exp::random(random, depth.saturating_sub(1)));
        match kind {
            0 if depth == 0 => None,
            1 => AllChar,
            2 => Range(pick(random, &chars), pick(random, &chars)),
            0 | 3 | 4 => Word(pick(random, &words)),
            5 | 6 => Concat(sub(random), sub(random)),
            7 | 8 => Union(sub(random), sub(random)),
            9 => Inter(sub(random), sub(random)),
            10 => Diff(sub(random), sub(random)),
            11 => Comp(sub(random)),
            12 => Star(sub(random)),
            13 => Plus(sub(random)),
            14 => Opt(sub(random)),
            _ => Loop(sub(random), random.below(3) as u32, random.below(4) as u32),
        }
    }

    fn regex(&self) -> Regex {
        match self {
            None => Regex::none(),
            AllChar => Regex::all_char(),
            Word(w) => Regex::literal(text(w)),
            Range(a, b) => Regex::range(&text(a), &text(b)),
            Concat(a, b) => Regex::concat(vec![a.regex(), b.regex()]),
            Union(a, b) => Regex::union(vec![a.regex(), b.regex()]),
            Inter(a, b) => Regex::inter(vec![a.regex(), b.regex()]),
            Diff(a, b) => a.regex().diff(b.regex()),
            Comp(a) => a.regex().comp(),
            Star(a) => a.regex().star(),
            Plus(a) => a.regex().plus(),
            Opt(a) => a.regex().opt(),
            Loop(a, i, j) => a.regex().repeat(*i, *j),
        }
    }

    fn has(&self, s: &str) -> bool {
        let splits = || (0..=s.len()).map(|i| s.split_at(i));
        match self {
            None => false,
            AllChar => s.len() == 1,
            Word(w) => s == *w,
            Range(a, b) => a.len() == 1 && b.len() == 1 && s.len() == 1 && *a <= s && s <= *b,
            Concat(a, b) => splits().any(|(x, y)| a.has(x) && b.has(y)),
            Union(a, b) => a.has(s) || b.has(s),
            Inter(a, b) => a.has(s) && b.has(s),
            Diff(a, b) => a.has(s) && !b.has(s),
            Comp(a) => !a.has(s),
            Star(a) => s.is_empty() || splits().skip(1).any(|(x, y)| a.has(x) && self.has(y)),
            Plus(a) => splits().any(|(x, y)| a.has(x) && Star(a.clone()).has(y)),
            Opt(a) => s.is_empty() || a.has(s),
            Loop(_, i, j) if i > j => false,
            Loop(_, 0, 0) => s.is_empty(),
            Loop(a, i, j) => {
                let rest = Loop(a.clone(), i.saturating_sub(1), j - 1);
                (*i == 0 && s.is_empty()) || splits().any(|(x, y)| a.has(x) && rest.has(y))
            }
        }
    }
}

fn text(s: &str) -> Str {
    Str::from_text(s).unwrap()
}

fn words(max: usize) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut last = out.clone();
    for _ in 0..max {
        last = last.iter().flat_map(|w| ["a", "b", "c"].map(|c| w.clone() + c)).collect();
        out.extend(last.iter().cloned());
    }
    out
}

#[test]
fn membership_and_search_follow_the_definition() {
    let mut random = Random::new(5);
    let words = words(4);
    let mut shared = Languages::new();
    for _ in 0..1500 {
        let exp = Exp::random(&mut random, 3);
        let language = shared.language(&exp.regex()).unwrap();
        for w in &words {
            assert_eq!(shared.accepts(language, &text(w)).unwrap(), exp.has(w), "{exp:?} {w}");
        }
        let w = &words[random.below(words.len() as u64) as usize];
        let find = |from: usize, least: usize| {
            (from..=w.len()).find_map(|i| (i + least..=w.len()).find(|j| exp.has(&w[i..*j])).map(|j| (i, j)))
        };
        let first = find(0, 0).map_or(w.clone(), |(i, j)| format!("{}#{}", &w[..i], &w[j..]));
        assert_eq!(shared.replace(&text(w), language, &text("#")).unwrap(), text(&first), "{exp:?} {w}");
        let (mut all, mut done) = (String::new(), 0);
        while let Some((i, j)) = find(done, 1) {
            all += &format!("{}#", &w[done..i]);
            done = j;
        }
        all += &w[done..];
        assert_eq!(shared.replace_all(&text(w), language, &text("#")).unwrap(), text(&all), "{exp:?} {w}");
        let at = find(1, 0).map_or(Int::NEG_ONE, |(i, _)| i.into());
        assert_eq!(shared.index_of(&text(w), language, &Int::ONE).unwrap(), at);
    }
}

#[test]
fn emptiness_and_equality_come_with_witnesses() {
    let mut random = Random::new(6);
    let words = words(4);
    for _ in 0..1500 {
        let mut languages = Languages::new();
        let (a, b) = (Exp::random(&mut random, 3), Exp::random(&mut random, 2));
        let (x, y) = (languages.language(&a.regex()).unwrap(), languages.language(&b.regex()).unwrap());
        match languages.member(x).unwrap() {
            Some(w) => assert_eq!(languages.accepts(x, &w), Ok(true), "{a:?}"),
            Option::None => assert!(words.iter().all(|w| !a.has(w)), "{a:?}"),
        }
        match languages.difference(x, y).unwrap() {
            Some(w) => assert_ne!(languages.accepts(x, &w), languages.accepts(y, &w), "{a:?} {b:?}"),
            Option::None => assert!(words.iter().all(|w| a.has(w) == b.has(w)), "{a:?} {b:?}"),
        }
        let double = a.regex().comp().comp();
        let same = languages.language(&double).unwrap();
        assert_eq!(languages.difference(x, same), Ok(Option::None));
    }
}

#[test]
fn classical_identities_hold() {
    let mut languages = Languages::new();
    let (a, b) = (|| Regex::literal(text("a")), || Regex::literal(text("b")));
    let either = || Regex::union(vec![a(), b()]);
    let pairs = [
        (either().star(), Regex::concat(vec![a().star(), Regex::concat(vec![b(), a().star()]).star()])),
        (either().star(), Regex::concat(vec![a().star(), b().star()]).star()),
        (a().plus(), Regex::concat(vec![a(), a().star()])),
        (a().power(7), a().repeat(7, 7)),
        (a().at_least(2), Regex::concat(vec![a().power(2), a().star()])),
        (Regex::union(vec![a(), b()]).comp(), Regex::inter(vec![a().comp(), b().comp()])),
        (Regex::none().comp(), Regex::all()),
        (a().repeat(2, 5).repeat(3, 4), a().repeat(6, 20)),
        (Regex::all().diff(a()), a().comp()),
        (a().repeat(3, 2), Regex::none()),
        (Regex::concat(vec![]), Regex::literal(text(""))),
    ];
    for (i, (x, y)) in pairs.iter().enumerate() {
        let (x, y) = (languages.language(x).unwrap(), languages.language(y).unwrap());
        assert_eq!(languages.difference(x, y), Ok(Option::None), "pair {i}");
    }
}

#[test]
fn large_bounds_deep_trees_and_long_strings_are_fine() {
    let mut languages = Languages::new();
    let a = || Regex::literal(text("a"));
    let many = languages.language(&a().repeat(1000, 1_000_000_000)).unwrap();
    assert_eq!(languages.accepts(many, &text(&"a".repeat(999))), Ok(false));
    assert_eq!(languages.accepts(many, &text(&"a".repeat(20_000))), Ok(true));
    let left = (0..20_000).fold(a(), |r, _| Regex::concat(vec![r, a()]));
    let chain = languages.language(&left).unwrap();
    assert_eq!(languages.accepts(chain, &text(&"a".repeat(20_001))), Ok(true));
    let digits = |i: u32| Regex::literal(Str::from_int(&i.into()));
    let union = (0..20_000).fold(Regex::none(), |r, i| Regex::union(vec![r, digits(i)]));
    let union = languages.language(&union).unwrap();
    assert_eq!(
        (languages.accepts(union, &text("19999")), languages.accepts(union, &text("20000"))),
        (Ok(true), Ok(false))
    );
    let deep = (0..50_000).fold(a(), |r, i| if i % 2 == 0 { r.comp() } else { Regex::union(vec![r, a()]) });
    assert!(languages.language(&deep).is_ok());
}

#[test]
fn effort_is_bounded() {
    let mut languages = Languages::with_limit(2_000);
    let any = Regex::all_char;
    // The minimal automaton of "an a 20 places before the end" has a million states.
    let tail =
        |parts: Vec<Regex>| Regex::concat([vec![Regex::all(), Regex::literal(text("a"))], parts].concat());
    let one = languages.language(&tail(vec![any().power(20)])).unwrap();
    let two = languages.language(&tail(vec![any().power(10), any().power(10)])).unwrap();
    assert_eq!(languages.difference(one, two), Err(Gap::TooLarge));
    let shared = (0..80).fold(any(), |r, _| Regex::concat(vec![r.clone(), r]));
    assert_eq!(languages.language(&shared), Err(Gap::TooLarge));
    let shared = (0..80).fold(any(), |r, _| Regex::union(vec![r.clone(), r]));
    assert!(Languages::new().language(&shared).is_ok());
}
