//! Errors in a grammar: names without a rule, unreachable rules, rules that never end or are empty, sizes with
//! infinitely many scripts. Ambiguity is searched for and is only a warning.

use std::collections::{HashMap, HashSet};

use super::count::Counts;
use super::grammar::{Grammar, Nt, Symbol};
use super::read::{Alternative, Element, GrammarError, Source};
use super::walk::Walk;

/// Every name has a rule, and every rule is used.
pub(super) fn names(source: &Source) -> Result<(), GrammarError> {
    let numbers: HashMap<&str, usize> =
        source.rules.iter().enumerate().map(|(i, r)| (r.name.as_str(), i)).collect();
    let mut uses: Vec<Vec<usize>> = Vec::new();
    for rule in &source.rules {
        let mut used = Vec::new();
        let mut work: Vec<&Alternative> = rule.alternatives.iter().collect();
        while let Some(alternative) = work.pop() {
            for item in &alternative.items {
                match &item.element {
                    Element::Literal(_) => {}
                    Element::Group(inner) => work.extend(inner),
                    Element::Name(name) => match numbers.get(name.as_str()) {
                        Some(rule) => used.push(*rule),
                        None => {
                            return Err(GrammarError::at(item.place, format!("no rule `{name}`")));
                        }
                    },
                }
            }
        }
        uses.push(used);
    }
    let start = numbers.get("start").copied().unwrap_or(source.rules.len() - 1);
    let mut reached = HashSet::from([start]);
    let mut work = vec![start];
    while let Some(rule) = work.pop() {
        work.extend(uses[rule].iter().copied().filter(|r| reached.insert(*r)));
    }
    match source.rules.iter().enumerate().find(|(i, _)| !reached.contains(i)) {
        Some((_, rule)) => {
            let message = format!("nothing leads from `{}` to `{}`", source.rules[start].name, rule.name);
            Err(GrammarError::at(rule.place, message))
        }
        None => Ok(()),
    }
}

/// Every nonterminal has a word, and one that is not empty.
pub(super) fn ends(grammar: &Grammar) -> Result<(), GrammarError> {
    let all = &grammar.nonterminals;
    let closure = |wanted: &dyn Fn(&[bool], Nt) -> bool| {
        let mut set = vec![false; all.len()];
        loop {
            let next: Vec<bool> = (0..all.len()).map(|nt| set[nt] || wanted(&set, nt)).collect();
            if next == set {
                return set;
            }
            set = next;
        }
    };
    let ends = closure(&|set, nt| all[nt].productions.iter().any(|p| p.nonterminals().all(|n| set[n])));
    for (nt, row) in all.iter().enumerate().filter(|(nt, _)| !ends[*nt]) {
        if row.productions.is_empty() {
            return Err(GrammarError::at(row.place, format!("`{}` has no alternative left", row.name)));
        }
        let left = row.productions.iter().any(|p| p.symbols.first() == Some(&Symbol::Nt(nt)));
        if left || row.productions.iter().any(|p| p.nonterminals().any(|n| n == nt)) {
            let how = if left { "left recursion" } else { "recursion" };
            let message =
                format!("`{}` never ends: {how} without a base, an alternative without it", row.name);
            return Err(GrammarError::at(row.place, message));
        }
    }
    if let Some((_, row)) = all.iter().enumerate().find(|(nt, _)| !ends[*nt]) {
        let message = format!("`{}` never ends: each alternative needs what never ends", row.name);
        return Err(GrammarError::at(row.place, message));
    }
    let says = closure(&|set, nt| {
        all[nt].productions.iter().flat_map(|p| &p.symbols).any(|s| match s {
            Symbol::Text(text) => !text.is_empty(),
            Symbol::Nt(n) => set[*n],
        })
    });
    match all.iter().zip(says).find(|(row, says)| row.is_rule && !says) {
        Some((row, _)) => Err(GrammarError::at(row.place, format!("`{}` is empty", row.name))),
        None => Ok(()),
    }
}

/// No size has endlessly many scripts: nothing repeats at no cost.
pub(super) fn finite_sizes(grammar: &Grammar) -> Result<(), GrammarError> {
    let all = &grammar.nonterminals;
    let least = grammar.least();
    // A nonterminal leads to another for free if all beside it can be had for free.
    let free = |nt: Nt| -> Vec<Nt> {
        let mut list = Vec::new();
        for p in &all[nt].productions {
            let total: usize = p.nonterminals().map(|n| least[n]).sum();
            list.extend(p.nonterminals().filter(|n| total == least[*n]));
        }
        list
    };
    for nt in (0..all.len()).filter(|nt| all[*nt].cost == 0) {
        let mut seen = HashSet::new();
        let mut work: Vec<Nt> = free(nt);
        while let Some(next) = work.pop() {
            if next == nt {
                let message = format!(
                    "in `{}` something repeats that costs nothing: a size would never end",
                    all[nt].name
                );
                return Err(GrammarError::at(all[nt].place, message));
            }
            if all[next].cost == 0 && seen.insert(next) {
                work.extend(free(next));
            }
        }
    }
    Ok(())
}

/// A text that a nonterminal has in two ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguity {
    /// The rule.
    pub rule: String,
    /// The text.
    pub text: String,
    /// Line and column of the rule.
    pub place: (usize, usize),
}

/// How many words of each nonterminal are checked.
const WORDS: usize = 2_000;
/// The largest size that is checked beyond the smallest.
const SIZES: usize = 12;

/// Looks for an ambiguity among the small words of each nonterminal.
pub(super) fn ambiguity(grammar: &Grammar) -> Option<Ambiguity> {
    // Small ones first: what is ambiguous shows in all that it is a part of.
    let least = grammar.least();
    let mut order: Vec<Nt> = (0..grammar.nonterminals.len()).collect();
    order.sort_by_key(|nt| least[*nt]);
    for start in order {
        let mut counts = Counts::new(grammar);
        let mut walk = Walk::new(start);
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut sizes = 0;
        for size in 0.. {
            counts.grow(grammar, size);
            sizes += usize::from(sizes > 0 || counts.has(start, size));
            if sizes > SIZES || seen.len() >= WORDS || (sizes == 0 && size > 10 * grammar.nonterminals.len())
            {
                break;
            }
            let mut more = walk.first(grammar, &counts, size);
            while more && seen.len() < WORDS {
                if !seen.insert(walk.text().to_vec()) {
                    let row = &grammar.nonterminals[start];
                    let text = String::from_utf8_lossy(walk.text()).into_owned();
                    return Some(Ambiguity { rule: row.name.clone(), text, place: row.place });
                }
                more = walk.next(grammar, &counts);
            }
        }
    }
    None
}
