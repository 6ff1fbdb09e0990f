//! Instances of a rule: sorts, widths, indices and lengths of lists are fixed, and the text is ordinary SMT-LIB.
//!
//! Operators over lists are applied to the elements of the lists: a single argument replaces the application, and
//! no argument gives the neutral element. Rules about sequences also hold for strings, so half of the instances of
//! such a rule are about strings.

use std::collections::BTreeMap;
use std::fmt::Write;

use smelt_smtlib::sexpr::{Sexpr, SexprNode};

use super::number::{Numbers, atom, holds, number, small};
use super::{Param, RareRule};
use crate::rng::Rng;
use crate::rules::instance::Instance;
use crate::template::plain;

/// Sorts for sort parameters.
const SORTS: [&str; 5] = ["Int", "Real", "Bool", "(_ BitVec 2)", "String"];
/// Widths of bit-vectors.
const WIDTHS: [u32; 6] = [1, 2, 3, 4, 5, 8];
/// Numbers for widths, indices and other integers that shape an instance.
const NUMBERS: [i128; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -2, 15, 16, 31, 60];
/// Lists have at most this many elements.
const LENGTH: usize = 2;
/// Operators with numbers in front of their arguments, and how many.
const INDEXED: [(&str, usize); 10] = [
    ("extract", 2),
    ("zero_extend", 1),
    ("sign_extend", 1),
    ("rotate_left", 1),
    ("rotate_right", 1),
    ("repeat", 1),
    ("int_to_bv", 1),
    ("re.loop", 2),
    ("re.^", 1),
    ("divisible", 1),
];
/// Operators that take lists, with their neutral element where it has the same text at every sort.
const LISTED: [(&str, Option<&str>); 19] = [
    ("and", Some("true")),
    ("or", Some("false")),
    ("xor", Some("false")),
    ("+", Some("0")),
    ("*", Some("1")),
    ("concat", None),
    ("bvand", None),
    ("bvor", None),
    ("bvxor", None),
    ("bvadd", None),
    ("bvmul", None),
    ("str.++", Some("\"\"")),
    ("seq.++", None),
    ("re.++", Some("(str.to_re \"\")")),
    ("re.union", Some("re.none")),
    ("re.inter", Some("re.all")),
    ("set.union", None),
    ("set.inter", None),
    ("distinct", None),
];
/// Operators of sequences with their names for strings.
const OF_STRINGS: [(&str, &str); 14] = [
    ("seq.++", "str.++"),
    ("seq.len", "str.len"),
    ("seq.extract", "str.substr"),
    ("seq.at", "str.at"),
    ("seq.contains", "str.contains"),
    ("seq.indexof", "str.indexof"),
    ("seq.replace", "str.replace"),
    ("seq.replace_all", "str.replace_all"),
    ("seq.prefixof", "str.prefixof"),
    ("seq.suffixof", "str.suffixof"),
    ("seq.rev", "str.rev"),
    ("seq.update", "str.update"),
    ("seq.<=", "str.<="),
    ("seq.<", "str.<"),
];

/// Operators that take integers and reals, or either: a rule of only these is tried on both together.
const MIXED: [&str; 20] = [
    "=", "<", "<=", ">", ">=", "+", "-", "*", "/", "/_total", "abs", "ite", "and", "or", "not", "xor", "=>",
    "to_real", "to_int", "is_int",
];

/// A rule, and which of its integers shape an instance.
pub(super) struct Grounding<'a> {
    rule: &'a RareRule,
    is_mixed: bool,
    /// Integer parameters that stand for widths or indices, or that are compared with such.
    shaping: Vec<&'a str>,
    is_about_sequences: bool,
}

/// What the parameters stand for in one instance.
#[derive(Default)]
struct Chosen<'a> {
    sorts: BTreeMap<&'a str, String>,
    numbers: BTreeMap<&'a str, i128>,
    /// The symbols of each term parameter, and their width if they are bit-vectors.
    symbols: BTreeMap<&'a str, (Vec<String>, Option<u32>)>,
    strings: bool,
}

/// Why there is no instance: a reason to report, if other choices would not help.
type Why = Option<String>;

impl<'a> Grounding<'a> {
    pub(super) fn new(rule: &'a RareRule) -> Self {
        let mut shaping: Vec<&str> = Vec::new();
        for p in &rule.params {
            mark_sort(&p.sort, &mut shaping, rule);
        }
        for term in rule.premises.iter().chain([&rule.left, &rule.right]) {
            mark(term, rule, &mut shaping);
        }
        // A premise that relates an integer to one that shapes the instance makes it one too.
        loop {
            let before = shaping.len();
            for premise in &rule.premises {
                if any_atom(premise, &|a| a == "@bvsize" || shaping.contains(&a)) {
                    mark_all(premise, rule, &mut shaping);
                }
            }
            if shaping.len() == before {
                break;
            }
        }
        let is_about_sequences = rule.params.iter().any(|p| any_atom(&p.sort, &|a| a == "Seq"));
        let terms = rule.premises.iter().chain([&rule.left, &rule.right]);
        let is_mixed = terms.clone().all(|t| heads(t).iter().all(|h| MIXED.contains(h)));
        Grounding { rule, is_mixed, shaping, is_about_sequences }
    }

    /// An instance, by random choices; the first attempts go through sorts in turn.
    pub(super) fn instance(&self, attempt: usize, rng: &mut Rng) -> Result<Instance, Why> {
        let mut c = Chosen { strings: self.is_about_sequences && attempt % 2 == 1, ..Chosen::default() };
        let mut same = SORTS[attempt / 2 % SORTS.len()];
        let width = *rng.pick(&WIDTHS).unwrap_or(&1);
        for p in &self.rule.params {
            match plain(&p.sort).as_str() {
                "Type" => {
                    if self.is_mixed && rng.one_in(3) {
                        same = SORTS[rng.below(2)];
                    }
                    c.sorts.insert(&p.name, same.to_owned());
                }
                "Int" if self.shaping.contains(&&*p.name) && !p.is_list => {
                    let chosen: Vec<i128> = c.numbers.values().copied().collect();
                    // Most rules want some of their widths and indices equal.
                    let value = match self.is_width(&p.name) {
                        true if rng.one_in(3) => i128::from(*rng.pick(&WIDTHS).unwrap_or(&1)),
                        true => i128::from(width),
                        false if rng.one_in(3) => *rng.pick(&chosen).unwrap_or(&0),
                        false => *rng.pick(&NUMBERS).unwrap_or(&0),
                    };
                    c.numbers.insert(&p.name, value);
                }
                _ => {}
            }
        }
        let mut symbols = Vec::new();
        for p in &self.rule.params {
            self.declare(p, &mut c, rng, &mut symbols)?;
        }
        self.derive(&mut c);
        let (mut when, mut often) = (String::new(), Vec::new());
        for premise in &self.rule.premises {
            match holds(premise, &c) {
                Some(true) => {}
                Some(false) => return Err(None),
                None => {
                    let _ = write!(when, " {}", c.text(premise)?);
                    if let Some((name, term)) = definition(premise)
                        && c.symbols.contains_key(name)
                    {
                        often.push((name.to_owned(), c.text(term)?));
                    }
                }
            }
        }
        let from = format!("(= {} {})", c.text(&self.rule.left)?, c.text(&self.rule.right)?);
        let at =
            symbols.iter().map(|(name, _, sort)| format!("{name} {sort}")).collect::<Vec<_>>().join(", ");
        Ok(Instance {
            at,
            preamble: String::new(),
            symbols,
            from,
            to: "true".to_owned(),
            when: (!when.is_empty()).then(|| format!("(and true{when})")),
            some: Vec::new(),
            often,
        })
    }

    /// Whether an integer is the width of a parameter.
    fn is_width(&self, name: &str) -> bool {
        self.rule.params.iter().any(|p| any_atom(&p.sort, &|a| a == name))
    }

    fn declare(
        &self,
        p: &'a Param,
        c: &mut Chosen<'a>,
        rng: &mut Rng,
        symbols: &mut Vec<(String, Vec<String>, String)>,
    ) -> Result<(), Why> {
        if plain(&p.sort) == "Type" || c.numbers.contains_key(&*p.name) {
            return Ok(());
        }
        let sort = c.sort(&p.sort)?;
        let width =
            sort.strip_prefix("(_ BitVec ").and_then(|w| w.strip_suffix(')')).and_then(|w| w.parse().ok());
        let names: Vec<String> = match p.is_list {
            true => (1..=rng.below(LENGTH + 1)).map(|i| format!("{}!{i}", p.name)).collect(),
            false => vec![p.name.clone()],
        };
        symbols.extend(names.iter().map(|n| (n.clone(), Vec::new(), sort.clone())));
        c.symbols.insert(&p.name, (names, width));
        Ok(())
    }

    /// Integers that a premise defines get that value.
    fn derive(&self, c: &mut Chosen<'a>) {
        for _ in 0..2 {
            for premise in &self.rule.premises {
                let Some((name, value)) = definition(premise) else { continue };
                let Some((&name, _)) = c.numbers.get_key_value(name) else { continue };
                if self.is_width(name) {
                    continue;
                }
                if let Some(value) = number(value, c) {
                    c.numbers.insert(name, value);
                }
            }
        }
    }
}

/// The name and the term of a premise `(= NAME TERM)`.
fn definition(premise: &Sexpr) -> Option<(&str, &Sexpr)> {
    let SexprNode::List(items) = &premise.node else { return None };
    match &items[..] {
        [equal, name, term] if atom(equal) == Some("=") => Some((atom(name)?, term)),
        _ => None,
    }
}

/// Marks the integers in a sort.
fn mark_sort<'a>(sort: &Sexpr, shaping: &mut Vec<&'a str>, rule: &'a RareRule) {
    if any_atom(sort, &|a| a == "BitVec") {
        mark_all(sort, rule, shaping);
    }
}

/// Marks the integers at indices of a term.
fn mark<'a>(term: &Sexpr, rule: &'a RareRule, shaping: &mut Vec<&'a str>) {
    let SexprNode::List(items) = &term.node else { return };
    let head = items.first().and_then(atom).unwrap_or_default();
    let indices = match INDEXED.iter().find(|i| i.0 == head) {
        Some((_, indices)) => *indices,
        None if head == "@bv" => 2,
        None => 0,
    };
    for index in items.iter().skip(1).take(indices) {
        mark_all(index, rule, shaping);
    }
    items.iter().for_each(|item| mark(item, rule, shaping));
}

fn mark_all<'a>(term: &Sexpr, rule: &'a RareRule, shaping: &mut Vec<&'a str>) {
    for p in &rule.params {
        let is_new = plain(&p.sort) == "Int" && !shaping.contains(&&*p.name);
        if is_new && any_atom(term, &|a| a == p.name) {
            shaping.push(&p.name);
        }
    }
}

/// The operators of a term.
fn heads(term: &Sexpr) -> Vec<&str> {
    let SexprNode::List(items) = &term.node else { return Vec::new() };
    items.first().and_then(atom).into_iter().chain(items.iter().flat_map(heads)).collect()
}

fn any_atom(s: &Sexpr, is: &dyn Fn(&str) -> bool) -> bool {
    match &s.node {
        SexprNode::Atom(a) => is(a),
        SexprNode::List(items) => items.iter().any(|i| any_atom(i, is)),
    }
}

impl Numbers for Chosen<'_> {
    fn value(&self, name: &str) -> Option<i128> {
        self.numbers.get(name).copied()
    }

    fn width(&self, term: &Sexpr) -> Option<i128> {
        let items = match &term.node {
            SexprNode::Atom(a) => {
                let (names, width) = self.symbols.get(&**a)?;
                return Some(i128::from((*width)?) * names.len() as i128);
            }
            SexprNode::List(items) => items,
        };
        let (head, arguments) = items.split_first()?;
        match (atom(head)?, arguments) {
            ("concat", all) => all.iter().try_fold(0, |sum, t| Some(sum + self.width(t)?)),
            ("extract", [high, low, _]) => Some(number(high, self)? - number(low, self)? + 1),
            ("zero_extend" | "sign_extend", [more, t]) => Some(number(more, self)? + self.width(t)?),
            ("repeat", [times, t]) => Some(number(times, self)? * self.width(t)?),
            ("@bv", [_, width]) => number(width, self),
            ("eo::list_singleton_elim", [_, t]) => self.width(t),
            ("bvcomp", _) => Some(1),
            (_, all) => all.iter().rev().find_map(|t| self.width(t)),
        }
    }
}

impl Chosen<'_> {
    fn sort(&self, sort: &Sexpr) -> Result<String, Why> {
        match &sort.node {
            SexprNode::Atom(a) => Ok(self.sorts.get(&**a).cloned().unwrap_or_else(|| a.clone())),
            SexprNode::List(items) => match &items[..] {
                [head, width] if atom(head) == Some("BitVec") => {
                    let width = number(width, self).and_then(small).filter(|w| *w > 0).ok_or(None)?;
                    Ok(format!("(_ BitVec {width})"))
                }
                [head, _] if atom(head) == Some("Seq") && self.strings => Ok("String".to_owned()),
                items => {
                    let parts: Vec<String> = items.iter().map(|i| self.sort(i)).collect::<Result<_, _>>()?;
                    Ok(format!("({})", parts.join(" ")))
                }
            },
        }
    }

    fn index(&self, term: &Sexpr) -> Result<u32, Why> {
        number(term, self).and_then(small).ok_or(None)
    }

    /// A term as SMT-LIB.
    fn text(&self, term: &Sexpr) -> Result<String, Why> {
        let items = match &term.node {
            SexprNode::Atom(a) => return self.atom(a),
            SexprNode::List(items) => items,
        };
        let Some((head, arguments)) = items.split_first() else { return Err(None) };
        let Some(name) = atom(head) else { return Err(Some(format!("`{}` is not known", plain(term)))) };
        match (name, arguments) {
            ("@bv", [value, width]) => {
                let width = self.index(width)?;
                let value = number(value, self).ok_or(None)?;
                let modulus = 1i128.checked_shl(width).filter(|_| (1..120).contains(&width)).ok_or(None)?;
                Ok(format!("(_ bv{} {width})", value.rem_euclid(modulus)))
            }
            ("@bvsize", [_]) => Ok(literal(number(term, self).ok_or(None)?)),
            ("eo::list_singleton_elim", [_, t]) => self.text(t),
            ("$seq_empty", [sort]) => Ok(match self.sort(sort)?.as_str() {
                "String" => "\"\"".to_owned(),
                sort => format!("(as seq.empty {sort})"),
            }),
            ("as", [what, sort]) => match (atom(what), self.sort(sort)?.as_str()) {
                (Some("seq.empty"), "String") => Ok("\"\"".to_owned()),
                (_, sort) => Ok(format!("(as {} {sort})", plain(what))),
            },
            ("_", _) => Ok(plain(term)),
            // cvc5's own choice by a bit.
            ("bvite", [bit, yes, no]) => {
                Ok(format!("(ite (= {} #b1) {} {})", self.text(bit)?, self.text(yes)?, self.text(no)?))
            }
            _ => self.application(name, arguments),
        }
    }

    fn application(&self, name: &str, arguments: &[Sexpr]) -> Result<String, Why> {
        if name.starts_with("eo::") || name.starts_with('$') {
            return Err(Some(format!("`{name}` is not known")));
        }
        let indices = INDEXED.iter().find(|i| i.0 == name).map_or(0, |i| i.1);
        let mut parts = Vec::new();
        for argument in arguments.iter().skip(indices) {
            match atom(argument).and_then(|a| self.symbols.get(a)) {
                Some((names, _)) => parts.extend(names.iter().cloned()),
                None => parts.push(self.text(argument)?),
            }
        }
        let name = OF_STRINGS.iter().find(|s| self.strings && s.0 == name).map_or(name, |s| s.1);
        if indices > 0 {
            let numbers = arguments.iter().take(indices).map(|a| self.index(a));
            let numbers: Vec<String> = numbers.map(|n| n.map(|n| n.to_string())).collect::<Result<_, _>>()?;
            return Ok(format!("((_ {name} {}) {})", numbers.join(" "), parts.join(" ")));
        }
        match (LISTED.iter().find(|l| l.0 == name), &parts[..]) {
            (Some(_), [only]) => Ok(only.clone()),
            (Some((_, neutral)), []) => neutral.map(str::to_owned).ok_or(None),
            // Not all of these take more than two arguments in the standard.
            (Some((_, _)), [first, rest @ ..]) if name != "distinct" => {
                Ok(rest.iter().fold(first.clone(), |all, next| format!("({name} {all} {next})")))
            }
            _ => Ok(format!("({name} {})", parts.join(" "))),
        }
    }

    fn atom(&self, name: &str) -> Result<String, Why> {
        if let Some(value) = self.numbers.get(name) {
            return Ok(literal(*value));
        }
        match self.symbols.get(name) {
            // A list stands only below an operator that takes lists.
            Some((names, _)) if names.len() != 1 => Err(None),
            Some((names, _)) => Ok(names[0].clone()),
            None => Ok(name.parse().map_or_else(|_| name.to_owned(), literal)),
        }
    }
}

fn literal(n: i128) -> String {
    if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() }
}
