//! A grammar ready for counting: nonterminals with productions of texts and nonterminals, nothing else.
//!
//! Counts, options and groups of the source become additional nonterminals, which cost nothing. *Token* rules,
//! whose alternatives are literals only, also cost nothing. Every use of another rule costs 1: the size of a script
//! is the sum.
//!
//! Adjacent literals are joined to one text. A space separates a text and a nonterminal, or two nonterminals,
//! except after `(` and line ends and before `)`. So nonterminals represent whole tokens of SMT-LIB.

use std::collections::HashMap;

use super::check;
use super::params::Params;
use super::read::{Alternative, Element, GrammarError, Item, Place, Source, Times, read};

/// A nonterminal, by position.
pub(super) type Nt = usize;

/// A part of a production.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    Text(String),
    Nt(Nt),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(super) struct Production {
    pub(super) symbols: Vec<Symbol>,
    /// Whether the order of its last two nonterminals means nothing, and only one order is wanted.
    pub(super) unordered: bool,
}

impl Production {
    /// Its nonterminals, in order.
    pub(super) fn nonterminals(&self) -> impl DoubleEndedIterator<Item = Nt> + '_ {
        self.symbols.iter().filter_map(|s| match s {
            Symbol::Nt(nt) => Some(*nt),
            Symbol::Text(_) => None,
        })
    }
}

#[derive(Clone, Debug)]
pub(super) struct Nonterminal {
    /// The name of the rule; for those made of its parts, that of the rule and a number.
    pub(super) name: String,
    pub(super) place: Place,
    /// Whether it stands for a rule of the source, and not for a part of one.
    pub(super) is_rule: bool,
    pub(super) cost: usize,
    pub(super) productions: Vec<Production>,
}

/// A grammar whose scripts can be counted.
#[derive(Clone, Debug)]
pub struct Grammar {
    pub(super) name: String,
    pub(super) nonterminals: Vec<Nonterminal>,
    pub(super) start: Nt,
    /// The names of variables that come in a fixed order, by rule; empty without that kind of symmetry breaking.
    pub(super) renamed: Vec<Vec<String>>,
}

impl Grammar {
    /// Reads a grammar and checks that its scripts can be enumerated.
    pub fn read(text: &str, params: Params) -> Result<Grammar, GrammarError> {
        if let Some(message) = params.trouble() {
            return Err(GrammarError { place: None, message });
        }
        let source = read(text)?;
        check::names(&source)?;
        let mut grammar = build(&source, params)?;
        check::ends(&grammar)?;
        grammar.set_costs();
        check::finite_sizes(&grammar)?;
        grammar.space();
        Ok(grammar)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// By nonterminal, the size of its smallest word.
    pub(super) fn least(&self) -> Vec<usize> {
        let mut least = vec![usize::MAX; self.nonterminals.len()];
        loop {
            let mut changed = false;
            for (nt, row) in self.nonterminals.iter().enumerate() {
                let sizes = row
                    .productions
                    .iter()
                    .filter_map(|p| p.nonterminals().try_fold(row.cost, |sum, n| sum.checked_add(least[n])));
                let best = sizes.min().unwrap_or(usize::MAX);
                if best < least[nt] {
                    (least[nt], changed) = (best, true);
                }
            }
            if !changed {
                return least;
            }
        }
    }

    /// Parts of rules and rules of literals only cost nothing.
    fn set_costs(&mut self) {
        let mut tokens = vec![false; self.nonterminals.len()];
        loop {
            let before = tokens.clone();
            for (nt, row) in self.nonterminals.iter().enumerate() {
                let plain =
                    |p: &Production| p.nonterminals().all(|n| tokens[n] && !self.nonterminals[n].is_rule);
                tokens[nt] = row.productions.iter().all(plain);
            }
            if tokens == before {
                break;
            }
        }
        for (row, token) in self.nonterminals.iter_mut().zip(tokens) {
            row.cost = usize::from(row.is_rule && !token);
        }
    }

    /// Puts the spaces between parts into their texts.
    fn space(&mut self) {
        let ends_blank = |row: &Nonterminal| {
            let last =
                |p: &Production| matches!(p.symbols.last(), Some(Symbol::Text(t)) if t.ends_with('\n'));
            row.productions.iter().all(last)
        };
        let blank: Vec<bool> = self.nonterminals.iter().map(ends_blank).collect();
        for row in &mut self.nonterminals {
            for production in &mut row.productions {
                let mut symbols: Vec<Symbol> = Vec::new();
                for symbol in std::mem::take(&mut production.symbols) {
                    match (symbols.last_mut(), symbol) {
                        (Some(Symbol::Text(before)), Symbol::Text(text)) => before.push_str(&text),
                        (Some(Symbol::Text(before)), Symbol::Nt(nt)) => {
                            if !before.ends_with(['(', '\n', ' ']) {
                                before.push(' ');
                            }
                            symbols.push(Symbol::Nt(nt));
                        }
                        (Some(Symbol::Nt(before)), Symbol::Text(text)) => {
                            let close = text.starts_with([')', '\n', ' ']) || blank[*before];
                            symbols.push(Symbol::Text(if close { text } else { format!(" {text}") }));
                        }
                        (Some(Symbol::Nt(before)), Symbol::Nt(nt)) => {
                            if !blank[*before] {
                                symbols.push(Symbol::Text(" ".to_owned()));
                            }
                            symbols.push(Symbol::Nt(nt));
                        }
                        (None, symbol) => symbols.push(symbol),
                    }
                }
                production.symbols = symbols;
            }
        }
    }
}

/// Spells a source out under parameters.
fn build(source: &Source, params: Params) -> Result<Grammar, GrammarError> {
    let numbers: HashMap<&str, Nt> =
        source.rules.iter().enumerate().map(|(i, r)| (r.name.as_str(), i)).collect();
    let nonterminals = source
        .rules
        .iter()
        .map(|r| Nonterminal {
            name: r.name.clone(),
            place: r.place,
            is_rule: true,
            cost: 1,
            productions: Vec::new(),
        })
        .collect();
    let mut builder = Builder { params, numbers, nonterminals, made: HashMap::new() };
    for (nt, rule) in source.rules.iter().enumerate() {
        builder.nonterminals[nt].productions = builder.alternatives(&rule.alternatives, &rule.name)?;
    }
    let start = builder.numbers.get("start").copied().unwrap_or(source.rules.len() - 1);
    Ok(Grammar { name: source.name.clone(), nonterminals: builder.nonterminals, start, renamed: Vec::new() })
}

struct Builder<'a> {
    params: Params,
    numbers: HashMap<&'a str, Nt>,
    nonterminals: Vec<Nonterminal>,
    /// Parts that were made before, by their productions.
    made: HashMap<Vec<Production>, Nt>,
}

impl Builder<'_> {
    fn alternatives(&mut self, all: &[Alternative], rule: &str) -> Result<Vec<Production>, GrammarError> {
        let mut productions = Vec::new();
        for alternative in all {
            if alternative.guard.as_ref().is_some_and(|g| g.value(&self.params) == 0) {
                continue;
            }
            let mut production = Production::default();
            for item in &alternative.items {
                self.item(item, rule, &mut production)?;
            }
            productions.push(production);
        }
        Ok(productions)
    }

    fn item(&mut self, item: &Item, rule: &str, into: &mut Production) -> Result<(), GrammarError> {
        let once = match &item.element {
            Element::Literal(text) => vec![Symbol::Text(text.clone())],
            Element::Name(name) => {
                let unknown = || GrammarError::at(item.place, format!("no rule `{name}`"));
                vec![Symbol::Nt(*self.numbers.get(name.as_str()).ok_or_else(unknown)?)]
            }
            Element::Group(alternatives) => {
                let mut productions = self.alternatives(alternatives, rule)?;
                match productions.len() {
                    0 => {
                        let message = format!("this group of `{rule}` has no alternative left");
                        return Err(GrammarError::at(item.place, message));
                    }
                    1 => productions.remove(0).symbols,
                    _ => vec![Symbol::Nt(self.part(productions, rule, item.place))],
                }
            }
        };
        let (low, more) = match &item.times {
            Times::Between(low, high) => {
                let (low, high) = (low.value(&self.params), high.value(&self.params));
                if high < low {
                    let message = format!("a count from {low} to {high} is empty");
                    return Err(GrammarError::at(item.place, message));
                }
                (low, Some(high - low))
            }
            Times::From(low) => (*low, None),
        };
        for _ in 0..low {
            into.symbols.extend(once.iter().cloned());
        }
        match more {
            None => {
                let nt = self.nonterminals.len();
                let mut again = once;
                again.push(Symbol::Nt(nt));
                let productions =
                    vec![Production::default(), Production { symbols: again, unordered: false }];
                self.push(productions, rule, item.place);
                into.symbols.push(Symbol::Nt(nt));
            }
            Some(more) => {
                // (x (x (x)?)?)?, so that each number of times is there in one way only.
                let mut inner: Option<Nt> = None;
                for _ in 0..more {
                    let mut symbols = once.clone();
                    symbols.extend(inner.map(Symbol::Nt));
                    let productions = vec![Production::default(), Production { symbols, unordered: false }];
                    inner = Some(self.part(productions, rule, item.place));
                }
                into.symbols.extend(inner.map(Symbol::Nt));
            }
        }
        Ok(())
    }

    fn part(&mut self, productions: Vec<Production>, rule: &str, place: Place) -> Nt {
        if let Some(nt) = self.made.get(&productions) {
            return *nt;
        }
        let nt = self.push(productions.clone(), rule, place);
        self.made.insert(productions, nt);
        nt
    }

    fn push(&mut self, productions: Vec<Production>, rule: &str, place: Place) -> Nt {
        let nt = self.nonterminals.len();
        let name = format!("{rule}.{nt}");
        self.nonterminals.push(Nonterminal { name, place, is_rule: false, cost: 0, productions });
        nt
    }
}
