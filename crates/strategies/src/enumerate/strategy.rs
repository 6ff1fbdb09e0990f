//! The generator `enumerate`: case n is the n-th script of a grammar.

use dashu_int::UBig;

use super::catalog::{CATALOG, shipped};
use super::classes::Classes;
use super::enumerator::Enumerator;
use super::grammar::Grammar;
use super::header::Header;
use super::params::Params;
use crate::generator::{Generator, Layer};
use crate::strategy::{Draft, OptionError, Skip};

/// The grammar of a name, or in a file; what is wrong with it in one line.
pub fn load(name: &str, params: Params, classes: Classes) -> Result<Grammar, String> {
    let read;
    let text = match shipped(name) {
        Some(grammar) => grammar.text,
        None => {
            read = std::fs::read_to_string(name).map_err(|e| {
                let known: Vec<&str> = CATALOG.iter().map(|g| g.name).collect();
                format!("no grammar `{name}`: there are {}, and files ({e})", known.join(", "))
            })?;
            &read
        }
    };
    let grammar = Grammar::read(text, params).map_err(|e| match e.place {
        Some(_) => format!("{name}:{e}"),
        None => format!("{name}: {e}"),
    })?;
    Ok(grammar.classes(classes))
}

/// The strategy `enumerate`.
#[derive(Debug)]
pub struct Enumerate {
    grammar: String,
    params: Params,
    classes: Classes,
    from: UBig,
    to: Option<UBig>,
    stride: u64,
    all: Enumerator,
    /// The number of the case that comes next by itself.
    next: Option<u64>,
}

impl Enumerate {
    /// Reads `grammar=ints vars=2 asserts=1 classes=none from=0 to=1000 stride=1`; all but the grammar may be left
    /// out, and its name may stand alone.
    pub fn new(options: &str) -> Result<Enumerate, OptionError> {
        let mut grammar = None;
        let (mut params, mut classes) = (Params::default(), Classes::default());
        let (mut from, mut to, mut stride) = (UBig::ZERO, None, 1);
        for word in options.split_whitespace() {
            let wrong = || OptionError(format!("`{word}` is no option of enumerate"));
            let (key, value) = word.split_once('=').unwrap_or(("grammar", word));
            let number = || value.parse::<UBig>().map_err(|_| wrong());
            match key {
                "grammar" => grammar = Some(value.to_owned()),
                "vars" => params.vars = value.parse().map_err(|_| wrong())?,
                "asserts" => params.asserts = value.parse().map_err(|_| wrong())?,
                "classes" => classes = Classes::parse(value).ok_or_else(wrong)?,
                "from" => from = number()?,
                "to" => to = Some(number()?),
                "stride" => stride = value.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?,
                _ => return Err(wrong()),
            }
        }
        let grammar = grammar.ok_or_else(|| OptionError("which grammar? write enumerate:ints".to_owned()))?;
        let all = Enumerator::new(load(&grammar, params, classes).map_err(OptionError)?);
        Ok(Enumerate { grammar, params, classes, from, to, stride, all, next: None })
    }

    /// Its scripts.
    pub fn scripts(&mut self) -> &mut Enumerator {
        &mut self.all
    }

    fn index(&self, number: u64) -> UBig {
        &self.from + UBig::from(number) * UBig::from(self.stride)
    }
}

impl Generator for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn options(&self) -> String {
        let Params { vars, asserts } = self.params;
        let mut words = format!("grammar={} vars={vars} asserts={asserts}", self.grammar);
        if self.classes != Classes::default() {
            words += &format!(" classes={}", self.classes.as_str());
        }
        if !self.from.is_zero() {
            words += &format!(" from={}", self.from);
        }
        if let Some(to) = &self.to {
            words += &format!(" to={to}");
        }
        if self.stride != 1 {
            words += &format!(" stride={}", self.stride);
        }
        words
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

    fn make(&mut self, number: u64, draft: &mut Draft) -> Result<(), Skip> {
        draft.clear();
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
        Header::new(&index, &self.options()).write(&mut draft.text);
        draft.text.extend_from_slice(self.all.text());
        Ok(())
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

/// The ways that a campaign uses.
pub(crate) fn ways() -> Vec<String> {
    CATALOG.iter().map(|g| format!("grammar={}", g.name)).collect()
}
