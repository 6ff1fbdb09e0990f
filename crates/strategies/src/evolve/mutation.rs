//! The seven mutations, one function each. A mutation that finds nothing to do declines.

use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::rewrite::rewrite_term;
use smelt_smtlib::{Literal, Sort, View};

use super::breeder::Breeder;
use super::genome::{Genome, constant_name};
use super::palette;
use crate::operator;
use crate::rng::Rng;

/// A mutation.
#[derive(Debug)]
pub struct Mutation {
    /// Its name.
    pub name: &'static str,
    /// The individual after it, as text.
    pub(crate) apply: fn(&mut Breeder, Genome, &mut Rng) -> Option<Vec<u8>>,
}

/// All of them; each is as likely as any other.
pub const MUTATIONS: &[Mutation] = &[
    Mutation { name: "new variable", apply: new_variable },
    Mutation { name: "delete variable", apply: delete_variable },
    Mutation { name: "add assertion", apply: add_assertion },
    Mutation { name: "delete assertion", apply: delete_assertion },
    Mutation { name: "fuzz literal", apply: fuzz_literal },
    Mutation { name: "replace operator", apply: replace_operator },
    Mutation { name: "exchange nodes", apply: exchange_nodes },
];

/// How many places a mutation tries before it declines.
const LOOKS: usize = 16;

/// A constant that is not there yet, and an assertion about it.
fn new_variable(breeder: &mut Breeder, genome: Genome, rng: &mut Rng) -> Option<Vec<u8>> {
    let sort = breeder.palette.constant_sort(rng)?;
    let taken = |name: &str| {
        let symbol = breeder.arena.find_symbol(name.as_bytes());
        symbol.is_some_and(|s| genome.constants().any(|c| c.0 == s))
    };
    let name = (0..).map(|k| constant_name(&breeder.arena, sort, k)).find(|n| !taken(n))?;
    let mut grown = breeder.palette.assertion(&breeder.arena, rng, Some((&name, sort)))?;
    grown.constants.push((name, sort));
    breeder.with_assertions(&genome, &[grown])
}

/// Replaces a constant by another one of its sort.
fn delete_variable(breeder: &mut Breeder, mut genome: Genome, rng: &mut Rng) -> Option<Vec<u8>> {
    let all: Vec<_> = genome.constants().collect();
    let &(name, sort) = rng.pick(&all)?;
    let others: Vec<_> = all.iter().filter(|c| c.0 != name && c.1 == sort).collect();
    let other = rng.pick(&others)?.0;
    let arena = &mut breeder.arena;
    let fun = arena.fun(other, None, &[], None);
    let canonical = arena.canonical(sort);
    let new = arena.app(fun, &[], canonical);
    let mut done = std::collections::HashMap::new();
    for root in genome.assertions.iter_mut() {
        *root = rewrite_term(arena, *root, &mut done, |arena, t| match arena.view(t) {
            View::App(f, []) if arena.fun_view(f).name == name => new,
            _ => t,
        });
    }
    Some(genome.print(arena))
}

fn add_assertion(breeder: &mut Breeder, genome: Genome, rng: &mut Rng) -> Option<Vec<u8>> {
    let grown = breeder.palette.assertion(&breeder.arena, rng, None)?;
    breeder.with_assertions(&genome, &[grown])
}

fn delete_assertion(breeder: &mut Breeder, mut genome: Genome, rng: &mut Rng) -> Option<Vec<u8>> {
    if genome.assertions.len() < 2 {
        return None;
    }
    genome.assertions.remove(rng.below(genome.assertions.len()));
    Some(genome.print(&breeder.arena))
}

/// A literal becomes another of its sort.
fn fuzz_literal(breeder: &mut Breeder, genome: Genome, rng: &mut Rng) -> Option<Vec<u8>> {
    let (mut script, places) = open(breeder, &genome);
    let is_literal = |o: &Occurrence| matches!(breeder.arena.view(places.term(*o)), View::Literal(..));
    let literals: Vec<Occurrence> = places.all().filter(is_literal).collect();
    let &place = rng.pick(&literals)?;
    let View::Literal(kind, old) = breeder.arena.view(places.term(place)) else { return None };
    let sort = breeder.arena.sort_of(places.term(place));
    let old = breeder.arena.name(old).into_owned();
    let text = match kind {
        Literal::Numeral | Literal::Decimal => number(&old, kind, rng),
        Literal::String if rng.one_in(2) => edited(&old, rng),
        Literal::String | Literal::Binary | Literal::Hex => {
            let text = palette::literal(&breeder.arena, sort, rng)?;
            text.trim_matches('"').to_owned()
        }
        Literal::Sharp => return None,
    };
    let kind = if text.starts_with("#b") { Literal::Binary } else { kind };
    let symbol = breeder.arena.symbol(text.as_bytes());
    let new = breeder.arena.literal(kind, symbol, sort);
    let (root, term) = places.replace(&mut breeder.arena, place, new);
    script.set_root(root, term)?;
    Some(breeder.arena.display_script(&script))
}

/// A number near another, or a small one.
fn number(old: &str, kind: Literal, rng: &mut Rng) -> String {
    let n: u64 = old.split('.').next().and_then(|d| d.parse().ok()).unwrap_or(1);
    let n = match rng.below(5) {
        0 => n.saturating_add(1),
        1 => n.saturating_sub(1),
        2 => n.saturating_mul(2).min(1 << 32),
        3 => rng.below(1000) as u64,
        _ => rng.below(12) as u64,
    };
    if kind == Literal::Decimal { format!("{n}.0") } else { n.to_string() }
}

/// A string with a letter more, less or changed. Escapes and quotes are left whole.
fn edited(old: &str, rng: &mut Rng) -> String {
    if old.contains(['\\', '"']) || !old.is_ascii() {
        return old.to_owned() + "a";
    }
    let mut letters: Vec<u8> = old.bytes().collect();
    let letter = b"ab01zA9"[rng.below(7)];
    let at = rng.below(letters.len() + 1);
    match rng.below(3) {
        0 => letters.insert(at, letter),
        1 if at < letters.len() => drop(letters.remove(at)),
        _ if at < letters.len() => letters[at] = letter,
        _ => letters.push(letter),
    }
    String::from_utf8(letters).unwrap_or_default()
}

/// Replaces an operator by one with a compatible signature.
fn replace_operator(breeder: &mut Breeder, genome: Genome, rng: &mut Rng) -> Option<Vec<u8>> {
    let (mut script, places) = open(breeder, &genome);
    for _ in 0..LOOKS {
        let place = places.get(rng.below(places.len()))?;
        let palette = &breeder.palette;
        let term = places.term(place);
        let heads = operator::conforming(
            &mut breeder.arena,
            palette.gate(),
            &palette.classes,
            &palette.allowed,
            term,
        );
        let Some((op, indices)) = rng.pick(&heads) else { continue };
        let args = breeder.arena.children(term).to_vec();
        let new = breeder.arena.apply_op(*op, indices, &args)?;
        if new == term {
            continue;
        }
        let (root, term) = places.replace(&mut breeder.arena, place, new);
        script.set_root(root, term)?;
        return Some(breeder.arena.display_script(&script));
    }
    None
}

/// Two terms of one sort, neither inside the other, change places.
fn exchange_nodes(breeder: &mut Breeder, genome: Genome, rng: &mut Rng) -> Option<Vec<u8>> {
    let (mut script, mut places) = open(breeder, &genome);
    for _ in 0..LOOKS {
        let x = places.get(rng.below(places.len()))?;
        let sort = breeder.arena.sort_of(places.term(x));
        let &y = rng.pick(places.of_sort(sort))?;
        let (a, b) = (x.min(y), x.max(y));
        let apart = places.inside(a).end <= b.index();
        let free = |o| places.locals(o).next().is_none();
        let (first, second) = (places.term(a), places.term(b));
        if !apart || first == second || sort == Sort::UNKNOWN || !free(a) || !free(b) {
            continue;
        }
        let (root, term) = places.replace(&mut breeder.arena, a, second);
        // The later place has moved by the difference of what stands before it now.
        let moved = b.index() + places.inside(b).len() - places.inside(a).len();
        script.set_root(root, term)?;
        places.rebuild(&breeder.arena, &script);
        let (root, term) = places.replace(&mut breeder.arena, places.get(moved)?, first);
        script.set_root(root, term)?;
        return Some(breeder.arena.display_script(&script));
    }
    None
}

/// The script of an individual and all places in it.
fn open(breeder: &Breeder, genome: &Genome) -> (smelt_smtlib::Script, Occurrences) {
    let script = genome.script();
    let places = Occurrences::new(&breeder.arena, &script);
    (script, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(name: &str, text: &str, rng: u64) -> Option<String> {
        let (mut breeder, all, _) = Breeder::of_seeds(&[("t".to_owned(), text.as_bytes().to_vec())]).unwrap();
        let mutation = MUTATIONS.iter().find(|m| m.name == name).unwrap();
        let child = breeder.mutate_by(mutation, &all[0], &mut Rng::new(rng))?;
        Some(String::from_utf8(child).unwrap())
    }

    const TEXT: &str =
        "(set-logic QF_SLIA)(declare-const a String)(declare-const b String)(declare-const n Int)
(assert (= a (str.++ b \"xy\")))(assert (> (str.len a) (+ n 17)))(check-sat)";

    fn any(name: &str, wanted: impl Fn(&str) -> bool) -> bool {
        (0..60).filter_map(|rng| apply(name, TEXT, rng)).any(|t| wanted(&t))
    }

    #[test]
    fn each_mutation_does_what_its_name_says() {
        assert!(any("new variable", |t| t.contains("string_2") || t.contains("int_1")));
        assert!(any("delete variable", |t| !t.contains("string_1") || !t.contains("string_0")));
        assert!(any("add assertion", |t| t.matches("(assert").count() == 3));
        assert!(any("delete assertion", |t| t.matches("(assert").count() == 1));
        assert!(any("fuzz literal", |t| !t.contains("17") && t.contains("\"xy\"")));
        assert!(any("fuzz literal", |t| t.contains("17") && !t.contains("\"xy\"")));
        assert!(any("replace operator", |t| t.contains("(< ") || t.contains("(<= ")));
        assert!(any("exchange nodes", |t| t.contains("(+ 17 int_0)")));
    }

    #[test]
    fn a_last_assertion_and_a_last_variable_stay() {
        let text = "(declare-const n Int)(assert (> n 1))(check-sat)";
        for rng in 0..20 {
            assert_eq!(apply("delete assertion", text, rng), None);
            assert_eq!(apply("delete variable", text, rng), None);
        }
    }
}
