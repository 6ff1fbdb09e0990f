//! The strategy `enumerate`: case n is the n-th script of a grammar.

use dashu_int::UBig;

use super::catalog::{CATALOG, PRINTED, shipped};
use super::classes::Classes;
use super::enumerator::Enumerator;
use super::grammar::Grammar;
use super::header::Header;
use super::params::Params;
use crate::alive::{DECIDED, Sieve};
use crate::options::{OptionError, OptionKind, OptionRow, OptionText, Words, word_of};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::strategy::{CaseRequest, Draft, Layer, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "enumerate",
    aliases: &["et"],
    about: "all scripts of a grammar, in order of size",
    needs: Needs::Nothing,
    options: &[
        OptionRow::text("grammar", "a name of `smelt enumerate --list`, or a file", "", "the grammar")
            .of_kind(OptionKind::NameOrFile(|name| shipped(name).is_some()))
            .long(),
        OptionRow::text("vars", "1 to 5", "2", "variables of each sort").long(),
        OptionRow::text("asserts", "1 or 2", "1", "assertions").long(),
        OptionRow::text(
            "classes",
            "renaming, commuting, both, none",
            "none",
            "one script of each class: up to renaming variables, commuting operands, or both",
        )
        .long(),
        OptionRow::text("from", "a number", "0", "the index of the first script"),
        OptionRow::text("to", "a number", "", "the index after the last script"),
        OptionRow::text("stride", "a number", "1", "use only every N-th script"),
        DECIDED,
    ],
    ways,
    make: |o| Ok(Box::new(Enumerate::new(o)?)),
};

/// The numbers of variables and assertions in campaigns: the smallest scripts with each of them are other scripts.
const SHAPES: [&str; 3] = ["", " vars=3", " vars=3 asserts=2"];

/// Every grammar with each of these numbers, without what simplification decides.
fn ways() -> Vec<String> {
    let grammars = CATALOG.iter().filter(|g| !g.is_printed());
    grammars.flat_map(|g| SHAPES.map(|shape| format!("grammar={}{shape} decided=skip", g.name))).collect()
}

/// The grammar of a name, or in a file; the error says in one line what is wrong with it.
pub fn load(name: &str, params: Params, classes: Classes) -> Result<Grammar, String> {
    match shipped(name) {
        Some(grammar) => read(name, grammar.text, params, classes),
        None => match std::fs::read_to_string(name) {
            Ok(text) => read(name, &text, params, classes),
            Err(e) => {
                let known: Vec<&str> = CATALOG.iter().chain(PRINTED).map(|g| g.name).collect();
                Err(format!("no grammar `{name}`: choose one of {}, or a file ({e})", known.join(", ")))
            }
        },
    }
}

fn read(name: &str, text: &str, params: Params, classes: Classes) -> Result<Grammar, String> {
    let is_unused = |parameter: &&str| {
        params.get(parameter) != Params::default().get(parameter) && !text.contains(&format!("{{{parameter}"))
    };
    if let Some(parameter) = Params::NAMES.into_iter().find(is_unused) {
        return Err(format!("the grammar `{name}` has no parameter `{parameter}`"));
    }
    let grammar = Grammar::read(text, params).map_err(|e| match e.place {
        Some(_) => format!("{name}:{e}"),
        None => format!("{name}: {e}"),
    })?;
    Ok(grammar.classes(classes))
}

/// The strategy `enumerate`.
#[derive(Debug)]
pub(super) struct Enumerate {
    grammar: String,
    params: Params,
    classes: Classes,
    from: UBig,
    to: Option<UBig>,
    stride: u64,
    all: Enumerator,
    /// The number of the case that comes next by itself.
    next: Option<u64>,
    sieve: Sieve,
}

impl Enumerate {
    fn new(options: &OptionText) -> Result<Enumerate, OptionError> {
        let missing = || OptionError::new("name a grammar, such as enumerate:ints");
        let grammar = options.get("grammar").ok_or_else(missing)?.to_owned();
        let default = Params::default();
        let params = Params {
            vars: options.parsed("vars", default.vars)?,
            asserts: options.parsed("asserts", default.asserts)?,
        };
        let classes = options.choice("classes", Classes::default(), Classes::ALL)?;
        let from = options.parsed("from", UBig::ZERO)?;
        let to = options.get("to").map(|_| options.parsed("to", UBig::ZERO)).transpose()?;
        let stride = options.parsed("stride", 1)?;
        if stride == 0 {
            return Err(OptionError::new("`stride=0`: stride is at least 1"));
        }
        let read = match options.file("grammar") {
            Some(text) => read(&grammar, text, params, classes),
            None => load(&grammar, params, classes),
        };
        let all = Enumerator::new(read.map_err(OptionError::new)?);
        let sieve = Sieve::of(options)?;
        Ok(Enumerate { grammar, params, classes, from, to, stride, all, next: None, sieve })
    }

    fn index(&self, number: u64) -> UBig {
        &self.from + UBig::from(number) * UBig::from(self.stride)
    }
}

impl Strategy for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn options(&self) -> String {
        let words = Words::default().add("grammar", &self.grammar);
        let words = words.add("vars", self.params.vars).add("asserts", self.params.asserts);
        let classes = word_of(Classes::ALL, self.classes);
        let words = words.add_if(self.classes != Classes::default(), "classes", classes);
        let words = words.add_if(!self.from.is_zero(), "from", &self.from);
        let words = self.to.iter().fold(words, |words, to| words.add("to", to));
        self.sieve.words(words.add_if(self.stride != 1, "stride", self.stride)).text()
    }

    fn next(&mut self, _: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        draft.clear();
        let number = request.number;
        let index = self.index(number);
        if self.to.as_ref().is_some_and(|to| index >= *to) {
            return Err(Skip::NoMoreCases);
        }
        let there = match self.next == Some(number) && self.stride == 1 {
            true => self.all.advance(),
            false => self.all.seek(&index),
        };
        if !there {
            self.next = None;
            return Err(Skip::NoMoreCases);
        }
        self.next = number.checked_add(1);
        self.sieve.passes(number, self.all.text())?;
        Header::new(&index, &self.options()).write(&mut draft.text);
        draft.text.extend_from_slice(self.all.text());
        Ok(())
    }

    fn leaves_out_decided(&self) -> bool {
        self.sieve.leaves_out()
    }

    fn total(&self) -> Option<u64> {
        let mut all = self.all.clone();
        let end = [self.to.clone(), all.total()].into_iter().flatten().min();
        let Some(end) = end else { return Some(u64::MAX) };
        if end <= self.from {
            return Some(0);
        }
        let count = (end - &self.from + UBig::from(self.stride - 1)) / UBig::from(self.stride);
        Some(u64::try_from(count).unwrap_or(u64::MAX))
    }

    fn layer(&mut self, number: u64) -> Option<Layer> {
        if !self.from.is_zero() || self.stride != 1 {
            return None;
        }
        let size = self.all.size_of(&UBig::from(number))?;
        let clip = |n: &UBig| u64::try_from(n.clone()).unwrap_or(u64::MAX);
        let from = clip(self.all.smaller(size));
        Some(Layer { size: size as u64, from, to: clip(self.all.smaller(size + 1)) })
    }
}
