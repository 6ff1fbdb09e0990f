//! Symmetry breaking: keeps one of the scripts that differ only in names of variables or in the order of operands.
//!
//! Both are changes of the grammar, so nothing else changes.
//!
//! - *Renaming*: variables occur in the order in which they are listed. Each nonterminal has a copy for each pair
//!   of numbers of variables seen before and after it. A variable is one that was seen, or the next one.
//! - *Commuting*: operands of equal kind under a commutative operator are sorted by size, and then by the order of
//!   words.
//!
//! Each method alone leaves exactly one script per class. Together they leave at least one: if operands of equal
//! size introduce new variables, both orders remain.

use std::collections::{BTreeSet, HashMap};

use smelt_smtlib::Arena;

use super::grammar::{Grammar, Nonterminal, Nt, Production, Symbol};

/// Which scripts count as the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Classes {
    /// Those that differ in the names of variables.
    pub renaming: bool,
    /// Those that differ in the order of operands.
    pub commuting: bool,
}

impl Classes {
    /// All, by their words in options.
    pub const ALL: &[(&str, Classes)] = &[
        ("none", Classes { renaming: false, commuting: false }),
        ("renaming", Classes { renaming: true, commuting: false }),
        ("commuting", Classes { renaming: false, commuting: true }),
        ("both", Classes { renaming: true, commuting: true }),
    ];
}

/// Variables are the alternatives of rules whose name starts with this.
const VARIABLES: &str = "var";
/// Commutative in the arguments after the rounding mode.
const ROUNDED: [&str; 2] = ["fp.add", "fp.mul"];

impl Grammar {
    /// The grammar of one script of each class.
    pub fn classes(self, classes: Classes) -> Grammar {
        let grammar = if classes.commuting { commuting(self) } else { self };
        if classes.renaming { renaming(&grammar) } else { grammar }
    }

    /// The texts of the variables, by rule.
    fn variables(&self) -> Vec<Vec<String>> {
        let rules = (0..self.nonterminals.len()).filter(|nt| self.is_variable(*nt));
        rules.map(|nt| self.nonterminals[nt].productions.iter().map(text).collect()).collect()
    }

    fn is_variable(&self, nt: Nt) -> bool {
        let row = &self.nonterminals[nt];
        row.name.starts_with(VARIABLES)
            && row.productions.iter().all(|p| matches!(&p.symbols[..], [Symbol::Text(_)]))
    }
}

fn text(production: &Production) -> String {
    production.symbols.iter().map(|s| if let Symbol::Text(t) = s { t.trim() } else { "" }).collect()
}

fn is_commutative(operator: &str) -> bool {
    let mut arena = Arena::new();
    let name = arena.symbol(operator.as_bytes());
    let table = arena.signatures();
    ROUNDED.contains(&operator) || table.named(name).any(|op| table.row(op).commutative)
}

/// Splits productions into those with operators that commute and the others.
fn commuting(mut grammar: Grammar) -> Grammar {
    for nt in 0..grammar.nonterminals.len() {
        let mut productions = Vec::new();
        for production in grammar.nonterminals[nt].productions.clone() {
            productions.extend(split(&mut grammar, production));
        }
        grammar.nonterminals[nt].productions = productions;
    }
    grammar
}

fn split(grammar: &mut Grammar, production: Production) -> Vec<Production> {
    let inner: Vec<Nt> = production.nonterminals().collect();
    let (Some(Symbol::Text(head)), Some(Symbol::Text(end)), [.., a, b]) =
        (production.symbols.first(), production.symbols.last(), &inner[..])
    else {
        return vec![production];
    };
    let at = |nt: Nt| production.symbols.iter().rposition(|s| *s == Symbol::Nt(nt));
    let last = at(*b).is_some_and(|i| i + 2 == production.symbols.len());
    if a != b || !last || end.trim() != ")" || !head.starts_with('(') {
        return vec![production];
    }
    let (a, operator) = (*a, head.trim_start_matches('(').trim().to_owned());
    if !operator.is_empty() {
        let operands = inner.len() == 2 || ROUNDED.contains(&operator.as_str());
        let unordered = operands && !operator.contains(' ') && is_commutative(&operator);
        return vec![Production { unordered, ..production }];
    }
    // `( op x x )` with the operator from a rule.
    let op = inner[0];
    let rounded = inner.len() == 4;
    if !(inner.len() == 3 || rounded) || op == a {
        return vec![production];
    }
    let alternatives = grammar.nonterminals[op].productions.clone();
    if alternatives.iter().any(|p| p.nonterminals().next().is_some()) {
        return vec![production];
    }
    let commutes =
        |p: &Production| is_commutative(&text(p)) && (!rounded || ROUNDED.contains(&text(p).as_str()));
    let (yes, no): (Vec<_>, Vec<_>) = alternatives.into_iter().partition(commutes);
    let mut all = Vec::new();
    for (productions, unordered) in [(yes, true), (no, false)] {
        if productions.is_empty() {
            continue;
        }
        let row = &grammar.nonterminals[op];
        let part = Nonterminal { is_rule: false, cost: 0, productions, ..row.clone() };
        grammar.nonterminals.push(part);
        let new = grammar.nonterminals.len() - 1;
        let mut copy = production.clone();
        let first = copy.symbols.iter_mut().find(|s| **s == Symbol::Nt(op));
        if let Some(symbol) = first {
            *symbol = Symbol::Nt(new);
        }
        all.push(Production { unordered, ..copy });
    }
    all
}

/// How many variables of each rule were seen.
type Seen = Vec<u8>;

/// Puts the numbers of variables that were seen into the nonterminals.
fn renaming(grammar: &Grammar) -> Grammar {
    let all = &grammar.nonterminals;
    let rules: Vec<Nt> =
        (0..all.len()).filter(|nt| grammar.is_variable(*nt) && all[*nt].productions.len() > 1).collect();
    // What leads to a variable.
    let mut uses = vec![false; all.len()];
    rules.iter().for_each(|nt| uses[*nt] = true);
    loop {
        let next: Vec<bool> = (0..all.len())
            .map(|nt| uses[nt] || all[nt].productions.iter().any(|p| p.nonterminals().any(|n| uses[n])))
            .collect();
        if next == uses {
            break;
        }
        uses = next;
    }
    let limits: Seen = rules.iter().map(|nt| all[*nt].productions.len() as u8).collect();
    let mut builder = Renaming { grammar, rules, uses, limits, reach: HashMap::new() };
    builder.close();
    builder.build()
}

struct Renaming<'a> {
    grammar: &'a Grammar,
    rules: Vec<Nt>,
    uses: Vec<bool>,
    limits: Seen,
    /// What may have been seen after a nonterminal, by what was before.
    reach: HashMap<(Nt, Seen), BTreeSet<Seen>>,
}

impl Renaming<'_> {
    /// What may have been seen after a nonterminal, as far as it is known.
    fn after(&self, nt: Nt, before: &Seen) -> BTreeSet<Seen> {
        if !self.uses[nt] {
            return BTreeSet::from([before.clone()]);
        }
        if let Some(rule) = self.rules.iter().position(|r| *r == nt) {
            let mut after = BTreeSet::new();
            if before[rule] > 0 {
                after.insert(before.clone());
            }
            if before[rule] < self.limits[rule] {
                let mut more = before.clone();
                more[rule] += 1;
                after.insert(more);
            }
            return after;
        }
        self.reach.get(&(nt, before.clone())).cloned().unwrap_or_default()
    }

    /// All ways through a production: what was seen after each of its nonterminals.
    fn ways(&self, production: &Production, before: &Seen) -> Vec<Vec<Seen>> {
        let mut ways: Vec<Vec<Seen>> = vec![vec![before.clone()]];
        for nt in production.nonterminals() {
            let longer = |way: Vec<Seen>| {
                let after = self.after(nt, &way[way.len() - 1]);
                after.into_iter().map(move |s| way.iter().cloned().chain([s]).collect::<Vec<_>>())
            };
            ways = ways.into_iter().flat_map(longer).collect();
        }
        ways
    }

    /// Computes what can be seen after what, until nothing changes.
    fn close(&mut self) {
        let start = (self.grammar.start, vec![0; self.rules.len()]);
        self.reach.insert(start, BTreeSet::new());
        loop {
            let mut found: HashMap<(Nt, Seen), BTreeSet<Seen>> = HashMap::new();
            for (nt, before) in self.reach.keys() {
                for production in &self.grammar.nonterminals[*nt].productions {
                    // Wanted: each nonterminal of it after each way to get there.
                    let mut ends: BTreeSet<Seen> = BTreeSet::from([before.clone()]);
                    for inner in production.nonterminals() {
                        let mut next = BTreeSet::new();
                        for seen in &ends {
                            if self.uses[inner] && !self.rules.contains(&inner) {
                                found.entry((inner, seen.clone())).or_default();
                            }
                            next.extend(self.after(inner, seen));
                        }
                        ends = next;
                    }
                    found.entry((*nt, before.clone())).or_default().extend(ends);
                }
            }
            let mut changed = false;
            for (key, ends) in found {
                let known = self.reach.entry(key).or_insert_with(|| {
                    changed = true;
                    BTreeSet::new()
                });
                let before = known.len();
                known.extend(ends);
                changed |= known.len() != before;
            }
            if !changed {
                return;
            }
        }
    }

    fn build(&self) -> Grammar {
        let grammar = self.grammar;
        let first: Seen = vec![0; self.rules.len()];
        let mut numbers: HashMap<(Nt, Seen, Seen), Nt> = HashMap::new();
        let mut made: Vec<Nonterminal> = Vec::new();
        let mut work: Vec<(Nt, Seen, Seen)> = Vec::new();
        let mut number = |made: &mut Vec<Nonterminal>, work: &mut Vec<_>, key: (Nt, Seen, Seen)| -> Nt {
            // What leads to no variable is the same whatever was seen.
            let key = if self.uses[key.0] { key } else { (key.0, first.clone(), first.clone()) };
            *numbers.entry(key.clone()).or_insert_with(|| {
                let row = &grammar.nonterminals[key.0];
                made.push(Nonterminal { productions: Vec::new(), ..row.clone() });
                work.push(key);
                made.len() - 1
            })
        };
        // The root stands for whatever was seen at the end.
        let root = &grammar.nonterminals[grammar.start];
        made.push(Nonterminal { is_rule: false, cost: 0, productions: Vec::new(), ..root.clone() });
        for end in self.after(grammar.start, &first) {
            let nt = number(&mut made, &mut work, (grammar.start, first.clone(), end));
            made[0].productions.push(Production { symbols: vec![Symbol::Nt(nt)], unordered: false });
        }
        let mut at = 0;
        while at < work.len() {
            let (nt, before, after) = work[at].clone();
            at += 1;
            let this = number(&mut made, &mut work, (nt, before.clone(), after.clone()));
            let mut productions = Vec::new();
            if let Some(rule) = self.rules.iter().position(|r| *r == nt) {
                let seen = usize::from(before[rule]);
                let range = if before == after { 0..seen } else { seen..seen + 1 };
                productions.extend(grammar.nonterminals[nt].productions[range].iter().cloned());
            } else {
                for production in &grammar.nonterminals[nt].productions {
                    for way in self.ways(production, &before) {
                        if self.uses[nt] && way.last() != Some(&after) {
                            continue;
                        }
                        let mut copy = production.clone();
                        let mut steps = way.windows(2);
                        for symbol in &mut copy.symbols {
                            if let (Symbol::Nt(inner), Some(step)) = (&symbol, steps.clone().next()) {
                                let key = (*inner, step[0].clone(), step[1].clone());
                                *symbol = Symbol::Nt(number(&mut made, &mut work, key));
                                steps.next();
                            }
                        }
                        productions.push(copy);
                    }
                }
            }
            made[this].productions = productions;
        }
        Grammar { name: grammar.name.clone(), nonterminals: made, start: 0, renamed: grammar.variables() }
    }
}
