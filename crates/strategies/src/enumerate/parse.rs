//! Parses scripts: finds the derivation of a text in a grammar.
//!
//! It uses Earley's method over the tokens of SMT-LIB, so spaces, line ends and comments do not matter.
//! Nonterminals that may be empty are skipped when they are predicted.

use std::collections::HashMap;

use smelt_smtlib::{Lexer, TokenKind};

use super::grammar::{Grammar, Nt, Symbol};

/// A node of a derivation, before all that is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) nt: Nt,
    pub(super) production: usize,
}

/// The tokens of a text. What cannot be read is one token at the end, which no grammar has.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let mut all = Vec::new();
    let Ok(mut lexer) = Lexer::new(text) else { return vec![text] };
    let mut end = 0;
    loop {
        match lexer.next_token() {
            Ok(token) if token.kind == TokenKind::End => return all,
            Ok(token) => {
                end = token.end as usize;
                all.push(lexer.text(token));
            }
            Err(_) => {
                all.push(&text[end..]);
                return all;
            }
        }
    }
}

/// A script with its variables renamed so that they come in the order of the lists, not counting declarations.
pub(super) fn rename(text: &[u8], lists: &[Vec<String>]) -> Vec<u8> {
    let all = tokens(text);
    let mut names: HashMap<&[u8], &[u8]> = HashMap::new();
    for list in lists {
        let of_list = |t: &&[u8]| list.iter().any(|name| name.as_bytes() == *t);
        let mut before: &[u8] = b"";
        let mut next = list.iter().map(String::as_bytes);
        for token in &all {
            if before != b"declare-const" && of_list(token) && !names.contains_key(token) {
                names.extend(next.next().map(|name| (*token, name)));
            }
            before = token;
        }
    }
    let mut renamed = Vec::with_capacity(text.len());
    let mut before: &[u8] = b"";
    for token in &all {
        let new = names.get(token).filter(|_| before != b"declare-const").unwrap_or(token);
        renamed.extend_from_slice(new);
        renamed.push(b' ');
        before = token;
    }
    renamed
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Token(u32),
    Nt(Nt),
}

/// A grammar over numbered tokens.
#[derive(Clone, Debug)]
pub(super) struct Parser {
    numbers: HashMap<Vec<u8>, u32>,
    /// By nonterminal and production.
    rules: Vec<Vec<Vec<Part>>>,
    /// The production by which a nonterminal may be empty.
    empty: Vec<Option<usize>>,
    start: Nt,
}

/// A production that was begun at a token and is read up to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Item {
    nt: u32,
    production: u32,
    dot: u32,
    origin: u32,
}

/// How an item came about: the item before its last part, and what that part was.
#[derive(Clone, Copy, Debug)]
struct Link {
    before: u32,
    child: Child,
}

#[derive(Clone, Copy, Debug)]
enum Child {
    None,
    /// A complete item.
    Item(u32),
    /// A nonterminal that is empty.
    Empty(u32),
}

const NONE: u32 = u32::MAX;

impl Parser {
    pub(super) fn new(grammar: &Grammar) -> Parser {
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut rules = Vec::new();
        for row in &grammar.nonterminals {
            let mut productions = Vec::new();
            for production in &row.productions {
                let mut parts = Vec::new();
                for symbol in &production.symbols {
                    match symbol {
                        Symbol::Nt(nt) => parts.push(Part::Nt(*nt)),
                        Symbol::Text(text) => {
                            for token in tokens(text.as_bytes()) {
                                let next = numbers.len() as u32;
                                parts.push(Part::Token(*numbers.entry(token.to_vec()).or_insert(next)));
                            }
                        }
                    }
                }
                productions.push(parts);
            }
            rules.push(productions);
        }
        let mut empty: Vec<Option<usize>> = vec![None; rules.len()];
        loop {
            let before = empty.clone();
            for (nt, productions) in rules.iter().enumerate() {
                let is_empty = |parts: &Vec<Part>| {
                    parts.iter().all(|p| matches!(p, Part::Nt(n) if *n != nt && before[*n].is_some()))
                };
                empty[nt] = empty[nt].or_else(|| productions.iter().position(is_empty));
            }
            if empty == before {
                break;
            }
        }
        Parser { numbers, rules, empty, start: grammar.start }
    }

    /// The derivation of a script, each node before what is below it; `None` if it has none.
    pub(super) fn parse(&self, text: &[u8]) -> Option<Vec<Node>> {
        let input: Option<Vec<u32>> = tokens(text).iter().map(|t| self.numbers.get(*t).copied()).collect();
        let input = input?;
        let mut items: Vec<(Item, Link)> = Vec::new();
        // By position, the items that wait for a nonterminal there.
        let mut waiting: Vec<HashMap<Nt, Vec<u32>>> = Vec::new();
        let mut next: Vec<(Item, Link)> = Vec::new();
        let mut root = None;
        for position in 0..=input.len() {
            let mut seen: HashMap<Item, ()> = HashMap::new();
            let mut here: Vec<u32> = Vec::new();
            waiting.push(HashMap::new());
            let mut add = |items: &mut Vec<(Item, Link)>, here: &mut Vec<u32>, item: Item, link: Link| {
                if seen.insert(item, ()).is_none() {
                    here.push(items.len() as u32);
                    items.push((item, link));
                }
            };
            let none = Link { before: NONE, child: Child::None };
            let predict = |nt: Nt| {
                (0..self.rules[nt].len()).map(move |production| Item {
                    nt: nt as u32,
                    production: production as u32,
                    dot: 0,
                    origin: position as u32,
                })
            };
            if position == 0 {
                predict(self.start).for_each(|item| add(&mut items, &mut here, item, none));
            }
            for (item, link) in std::mem::take(&mut next) {
                add(&mut items, &mut here, item, link);
            }
            if here.is_empty() {
                return None;
            }
            let mut at = 0;
            while at < here.len() {
                let number = here[at];
                at += 1;
                let item = items[number as usize].0;
                let moved = Item { dot: item.dot + 1, ..item };
                match self.rules[item.nt as usize][item.production as usize].get(item.dot as usize) {
                    Some(Part::Token(token)) => {
                        if input.get(position) == Some(token) {
                            next.push((moved, Link { before: number, child: Child::None }));
                        }
                    }
                    Some(Part::Nt(nt)) => {
                        let line = waiting[position].entry(*nt).or_default();
                        line.push(number);
                        if line.len() == 1 {
                            predict(*nt).for_each(|item| add(&mut items, &mut here, item, none));
                        }
                        if self.empty[*nt].is_some() {
                            let link = Link { before: number, child: Child::Empty(*nt as u32) };
                            add(&mut items, &mut here, moved, link);
                        }
                    }
                    None => {
                        let whole = item.origin == 0 && position == input.len();
                        if whole && item.nt as usize == self.start {
                            root = root.or(Some(number));
                        }
                        if item.origin as usize == position {
                            // Empty: stepped over where it was predicted.
                            continue;
                        }
                        let line = waiting[item.origin as usize].get(&(item.nt as usize));
                        for before in line.cloned().unwrap_or_default() {
                            let waits = items[before as usize].0;
                            let moved = Item { dot: waits.dot + 1, ..waits };
                            let link = Link { before, child: Child::Item(number) };
                            add(&mut items, &mut here, moved, link);
                        }
                    }
                }
            }
        }
        Some(self.derivation(&items, root?))
    }

    /// The nodes below a complete item.
    fn derivation(&self, items: &[(Item, Link)], root: u32) -> Vec<Node> {
        let mut nodes = Vec::new();
        let mut work = vec![Child::Item(root)];
        while let Some(child) = work.pop() {
            match child {
                Child::None => {}
                Child::Empty(nt) => {
                    let nt = nt as usize;
                    let production = self.empty[nt].unwrap_or(0);
                    nodes.push(Node { nt, production });
                    let parts = self.rules[nt][production].iter().rev();
                    work.extend(parts.map(|p| match p {
                        Part::Nt(n) => Child::Empty(*n as u32),
                        Part::Token(_) => Child::None,
                    }));
                }
                Child::Item(number) => {
                    let item = items[number as usize].0;
                    nodes.push(Node { nt: item.nt as usize, production: item.production as usize });
                    // From the last part to the first, so that the first is on top.
                    let mut at = number;
                    while at != NONE {
                        let link = items[at as usize].1;
                        work.push(link.child);
                        at = link.before;
                    }
                }
            }
        }
        nodes
    }
}
