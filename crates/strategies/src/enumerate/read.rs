//! Reading grammars: a subset of ANTLR 4, with errors that show line and column.
//!
//! A grammar is `grammar NAME;` and rules `name : alternative | alternative ;`. An alternative is a sequence of
//! `'literals'`, names of rules and `( groups )`, each with `?`, `*`, `+`, a count `{3}` or a range of counts `{1,2}`
//! after it. A count may be a parameter (`{asserts}`) or a comparison with one, which counts 1 or 0 (`{vars>1}`). An
//! alternative that starts with a comparison and a question mark (`{vars>1}?`) is there only if that holds, as with
//! ANTLR's predicates. Comments are `// ..` and `/* .. */`.

use super::params::Params;

/// What is wrong with a grammar, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .place.map_or(String::new(), |(line, column)| format!("{line}:{column}: ")))]
pub struct GrammarError {
    /// Line and column, from 1; `None` where it is about the whole.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
}

impl GrammarError {
    pub(super) fn at(place: (usize, usize), message: impl Into<String>) -> GrammarError {
        GrammarError { place: Some(place), message: message.into() }
    }
}

/// Line and column, from 1.
pub(super) type Place = (usize, usize);

/// A grammar as written.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) name: String,
    pub(super) rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) alternatives: Vec<Alternative>,
}

#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) guard: Option<Amount>,
    pub(super) items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) element: Element,
    pub(super) times: Times,
    pub(super) place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Element {
    Literal(String),
    Name(String),
    Group(Vec<Alternative>),
}

/// How often an element comes.
#[derive(Clone, Debug)]
pub(super) enum Times {
    /// From the first to the second number.
    Between(Amount, Amount),
    /// At least so often.
    From(u32),
}

/// A number, or what becomes one once parameters are known.
#[derive(Clone, Debug)]
pub(super) enum Amount {
    Number(u32),
    Parameter(String),
    /// 1 if the parameter is greater (or else less) than the number, else 0.
    Compare(String, bool, u32),
}

impl Amount {
    pub(super) fn value(&self, params: &Params) -> u32 {
        let of = |name: &str| params.get(name).unwrap_or(0);
        match self {
            Amount::Number(n) => *n,
            Amount::Parameter(name) => of(name),
            Amount::Compare(name, true, n) => u32::from(of(name) > *n),
            Amount::Compare(name, false, n) => u32::from(of(name) < *n),
        }
    }
}

/// Groups inside groups, at most.
const DEPTH: usize = 64;
/// Repetitions, at most.
const MOST: u32 = 1024;

/// Reads a grammar.
pub(super) fn read(text: &str) -> Result<Source, GrammarError> {
    let mut reader = Reader { rest: text, line: 1, column: 1 };
    reader.blank()?;
    let place = reader.place();
    if reader.word()? != "grammar" {
        return Err(GrammarError::at(place, "a grammar starts with `grammar NAME;`"));
    }
    let name = reader.word()?;
    reader.expect(';')?;
    let mut rules: Vec<Rule> = Vec::new();
    while reader.peek().is_some() {
        let place = reader.place();
        let name = reader.word()?;
        reader.expect(':')?;
        let alternatives = reader.alternatives(0)?;
        reader.expect(';')?;
        if let Some(other) = rules.iter().find(|r| r.name == name) {
            let message = format!("there is a rule `{name}` already, in line {}", other.place.0);
            return Err(GrammarError::at(place, message));
        }
        rules.push(Rule { name, place, alternatives });
    }
    if rules.is_empty() {
        return Err(GrammarError::at(reader.place(), "no rule: write `start : ..;`"));
    }
    Ok(Source { name, rules })
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl Reader<'_> {
    fn place(&self) -> Place {
        (self.line, self.column)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        (self.line, self.column) = if c == '\n' { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        Some(c)
    }

    /// Skips spaces and comments.
    fn blank(&mut self) -> Result<(), GrammarError> {
        loop {
            if self.rest.starts_with("//") {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.take();
                }
            } else if self.rest.starts_with("/*") {
                let place = self.place();
                while !self.rest.starts_with("*/") {
                    self.take().ok_or_else(|| GrammarError::at(place, "this comment has no end"))?;
                }
                self.take();
                self.take();
            } else if self.peek().is_some_and(char::is_whitespace) {
                self.take();
            } else {
                return Ok(());
            }
        }
    }

    fn wrong(&self, wanted: &str) -> GrammarError {
        let found = self.peek().map_or("the end".to_owned(), |c| format!("`{c}`"));
        GrammarError::at(self.place(), format!("{wanted} is missing, there is {found}"))
    }

    fn expect(&mut self, c: char) -> Result<(), GrammarError> {
        if self.peek() != Some(c) {
            return Err(self.wrong(&format!("`{c}`")));
        }
        self.take();
        self.blank()
    }

    fn try_take(&mut self, c: char) -> Result<bool, GrammarError> {
        let there = self.peek() == Some(c);
        if there {
            self.expect(c)?;
        }
        Ok(there)
    }

    fn word(&mut self) -> Result<String, GrammarError> {
        let mut word = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            word.push(c);
            self.take();
        }
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.wrong("a name"));
        }
        self.blank()?;
        Ok(word)
    }

    fn number(&mut self) -> Result<u32, GrammarError> {
        let place = self.place();
        let mut digits = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_digit) {
            digits.push(c);
            self.take();
        }
        if digits.is_empty() {
            return Err(self.wrong("a number"));
        }
        self.blank()?;
        let value = digits.parse().ok().filter(|n| *n <= MOST);
        value.ok_or_else(|| GrammarError::at(place, format!("{digits} is too large: at most {MOST}")))
    }

    fn alternatives(&mut self, depth: usize) -> Result<Vec<Alternative>, GrammarError> {
        if depth > DEPTH {
            let message = format!("groups are nested more than {DEPTH} deep");
            return Err(GrammarError::at(self.place(), message));
        }
        let mut all = Vec::new();
        loop {
            let mut guard = None;
            if self.try_take('{')? {
                guard = Some(self.amount()?);
                self.expect('}')?;
                self.expect('?')?;
            }
            let mut items = Vec::new();
            while let Some(item) = self.item(depth)? {
                items.push(item);
            }
            all.push(Alternative { guard, items });
            if !self.try_take('|')? {
                return Ok(all);
            }
        }
    }

    fn item(&mut self, depth: usize) -> Result<Option<Item>, GrammarError> {
        let place = self.place();
        let element = match self.peek() {
            Some('\'') => Element::Literal(self.literal()?),
            Some('(') => {
                self.expect('(')?;
                let alternatives = self.alternatives(depth + 1)?;
                self.expect(')')?;
                Element::Group(alternatives)
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => Element::Name(self.word()?),
            Some('|' | ';' | ')') | None => return Ok(None),
            Some(_) => return Err(self.wrong("a literal, a name or a group")),
        };
        Ok(Some(Item { element, times: self.times()?, place }))
    }

    fn times(&mut self) -> Result<Times, GrammarError> {
        let exactly = |n| Times::Between(Amount::Number(n), Amount::Number(n));
        Ok(match self.peek() {
            Some('?') => {
                self.expect('?')?;
                Times::Between(Amount::Number(0), Amount::Number(1))
            }
            Some('*') => {
                self.expect('*')?;
                Times::From(0)
            }
            Some('+') => {
                self.expect('+')?;
                Times::From(1)
            }
            Some('{') => {
                self.expect('{')?;
                let low = self.amount()?;
                let high = if self.try_take(',')? { self.amount()? } else { low.clone() };
                self.expect('}')?;
                Times::Between(low, high)
            }
            _ => exactly(1),
        })
    }

    fn amount(&mut self) -> Result<Amount, GrammarError> {
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(Amount::Number(self.number()?));
        }
        let place = self.place();
        let name = self.word()?;
        if Params::default().get(&name).is_none() {
            let message = format!("no parameter `{name}`: there are {}", Params::NAMES.join(", "));
            return Err(GrammarError::at(place, message));
        }
        if self.try_take('>')? {
            return Ok(Amount::Compare(name, true, self.number()?));
        }
        if self.try_take('<')? {
            return Ok(Amount::Compare(name, false, self.number()?));
        }
        Ok(Amount::Parameter(name))
    }

    fn literal(&mut self) -> Result<String, GrammarError> {
        let place = self.place();
        let open = || GrammarError::at(place, "this literal does not end on its line");
        self.take();
        let mut text = String::new();
        loop {
            match self.take().filter(|c| *c != '\n').ok_or_else(open)? {
                '\'' => break,
                '\\' => {
                    let here = self.place();
                    match self.take() {
                        Some('n') => text.push('\n'),
                        Some(c @ ('\\' | '\'')) => text.push(c),
                        _ => return Err(GrammarError::at(here, r"after `\` comes `n`, `\` or `'`")),
                    }
                }
                c => text.push(c),
            }
        }
        self.blank()?;
        Ok(text)
    }
}
