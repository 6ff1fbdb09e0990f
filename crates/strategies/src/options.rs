//! Options of strategies: text after the name, `skeleton:moves=lpi,steps=3`, the same in every command.
//!
//! A strategy lists its options in its row of the registry, and reads their values from an [`OptionText`]. Files
//! named in options are read once, when the text is parsed; from then on the options hold their content.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use crate::registry::{Row, find, names, rows};
use crate::strategy::Strategy;

/// Why a strategy cannot be made from its options: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionError(String);

impl OptionError {
    /// With this message.
    pub fn new(message: impl Into<String>) -> OptionError {
        OptionError(message.into())
    }
}

/// What the value of an option is.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// One word.
    Text,
    /// Several words, with commas, colons or equals signs between them.
    List,
    /// `yes` or `no`; the name alone means `yes`.
    Flag,
    /// The path of a file, whose content counts.
    File,
    /// A name for which the function is true, or else the path of a file.
    NameOrFile(fn(&str) -> bool),
}

/// A long flag of the command line that stands for an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongFlag {
    /// `--NAME VALUE`.
    Value(&'static str),
    /// `--NAME` stands for this value.
    Bare(&'static str, &'static str),
    /// `--NAME VALUE`, or `--NAME` for this value.
    Either(&'static str, &'static str),
}

impl LongFlag {
    /// Its name, without dashes.
    pub fn name(self) -> &'static str {
        match self {
            LongFlag::Value(name) | LongFlag::Bare(name, _) | LongFlag::Either(name, _) => name,
        }
    }
}

/// One option in the row of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// Its name.
    pub name: &'static str,
    /// What may be written behind the name, for help.
    pub values: &'static str,
    /// The default value; empty if there is none.
    pub default: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// What its value is.
    pub kind: OptionKind,
    /// The long flag that stands for it.
    pub flag: Option<LongFlag>,
}

impl OptionRow {
    /// One word, without a long flag.
    pub const fn text(
        name: &'static str,
        values: &'static str,
        default: &'static str,
        about: &'static str,
    ) -> OptionRow {
        OptionRow { name, values, default, about, kind: OptionKind::Text, flag: None }
    }

    /// A flag, off if it is not given.
    pub const fn switch(name: &'static str, about: &'static str) -> OptionRow {
        OptionRow::text(name, "yes, no", "no", about)
            .of_kind(OptionKind::Flag)
            .flag(LongFlag::Bare(name, "yes"))
    }

    /// A flag that is on if it is not given.
    #[must_use]
    pub const fn by_default(self) -> OptionRow {
        OptionRow { default: "yes", flag: None, ..self }
    }

    /// Several words, none if it is not given.
    pub const fn list(name: &'static str, values: &'static str, about: &'static str) -> OptionRow {
        OptionRow::text(name, values, "", about).of_kind(OptionKind::List)
    }

    /// A file, which `--NAME` names too.
    pub const fn file(name: &'static str, about: &'static str) -> OptionRow {
        OptionRow::text(name, "a file", "", about).of_kind(OptionKind::File).long()
    }

    /// With values of another kind.
    #[must_use]
    pub const fn of_kind(self, kind: OptionKind) -> OptionRow {
        OptionRow { kind, ..self }
    }

    /// With a long flag of the same name.
    #[must_use]
    pub const fn long(self) -> OptionRow {
        self.flag(LongFlag::Value(self.name))
    }

    /// With a long flag.
    #[must_use]
    pub const fn flag(self, flag: LongFlag) -> OptionRow {
        OptionRow { flag: Some(flag), ..self }
    }
}

/// How many steps a mutant takes.
pub(crate) const STEPS: OptionRow =
    OptionRow::text("steps", "a number", "1", "number of steps per mutant").long();

/// Whether each step of a chain is a case.
pub(crate) const EVERY_STEP: OptionRow =
    OptionRow::switch("every-step", "make each step of a chain a separate test");

/// How many bytes this many steps of one mutant may read.
const READ_BYTES: usize = 2 << 20;
const READ_STEPS: u32 = 25;

/// What is left for the steps of one mutant, where each step reads the text of the one before: mutants of large seeds take
/// fewer steps, so that none keeps a campaign from its end. It counts bytes and not time, so that a mutant can be made again.
#[derive(Debug)]
pub(crate) struct Allowance(usize);

impl Allowance {
    /// For a mutant of the longest chain with these options.
    pub(crate) fn new(chain: Chain) -> Allowance {
        Allowance(READ_BYTES.saturating_mul(chain.steps.div_ceil(READ_STEPS) as usize))
    }

    /// This many bytes.
    pub(crate) fn of(bytes: usize) -> Allowance {
        Allowance(bytes)
    }

    /// Takes a text that is read; false if it is too much.
    pub(crate) fn spend(&mut self, text: &[u8]) -> bool {
        let left = self.0.checked_sub(text.len());
        self.0 = left.unwrap_or(0);
        left.is_some()
    }

    /// Takes a text that a step reads; false if it is too much, which the log then says.
    pub(crate) fn take(&mut self, text: &[u8], log: &mut Vec<u8>) -> bool {
        let is_enough = self.spend(text);
        if !is_enough {
            log.extend_from_slice(b"the chain ends here: its formulas are too large to continue\n");
        }
        is_enough
    }
}

/// How long the chains of a strategy are, and whether each step is a case of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    steps: u32,
    every: bool,
}

impl Chain {
    /// From the options `steps` and `every-step`; at most `longest` steps.
    pub(crate) fn of(options: &OptionText, longest: u32) -> Result<Chain, OptionError> {
        let steps = options.parsed("steps", 1)?.clamp(1, longest);
        Ok(Chain { steps, every: options.flag("every-step", false)? })
    }

    /// Whether each case is one step from its seed.
    pub(crate) fn is_single(self) -> bool {
        self.steps == 1
    }

    /// How many numbers in a row, from a multiple of this on, are the steps of one chain.
    pub(crate) fn numbers(self) -> u32 {
        if self.every { self.steps } else { 1 }
    }

    /// What the random choices of case `number` start from, and how many steps it takes.
    pub(crate) fn split(self, number: u64) -> (u64, u32) {
        let step = number % u64::from(self.numbers());
        (number - step, if self.every { step as u32 + 1 } else { self.steps })
    }

    /// Its options.
    pub(crate) fn words(self) -> Words {
        Words::default().add("steps", self.steps).add_if(self.every, "every-step", "yes")
    }
}

/// Whether the seed is switched to the logic `ALL`.
pub(crate) const LOGIC: OptionRow = OptionRow::text(
    "logic",
    "own, all",
    "own",
    "all: switch the seed to the logic ALL first, and use all its theories",
)
.flag(LongFlag::Bare("wide", "all"));

/// The values of [`LOGIC`]: whether it is `ALL`.
pub(crate) const LOGICS: &[(&str, bool)] = &[("own", false), ("all", true)];

/// Whether other seeds lend expressions.
pub(crate) const POOL: OptionRow = OptionRow::switch("pool", "take expressions from all seeds");

/// Whether recent operators may be used.
pub(crate) const RECENT: OptionRow =
    OptionRow::switch("recent", "use operators that are new in SMT-LIB 2.7, which older releases reject");

/// Operator classes of the user's.
pub(crate) const CLASSES: OptionRow =
    OptionRow::file("classes", "file of operator classes, in addition to the built-in ones");

/// Rules of the user's.
pub(crate) const RULES: OptionRow =
    OptionRow::file("rules", "file of rules to use instead of the built-in ones; they are checked first");

/// Numbers of steps in a campaign. Small changes keep what makes a seed interesting; many leave little of it but its
/// operators, as other tools do.
pub(crate) fn steps_ways() -> Vec<String> {
    [1, 3, 12, 6, 24].map(|steps| format!("steps={steps}")).to_vec()
}

/// Numbers of steps in a campaign, with the seed's own logic and with `ALL`.
pub(crate) fn steps_and_logic_ways() -> Vec<String> {
    let way = |(steps, logic)| format!("steps={steps} logic={logic}");
    [(1, "own"), (3, "own"), (12, "own"), (1, "all"), (6, "all"), (24, "all")].map(way).to_vec()
}

/// Words with values, and the content of files that some of them named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OptionText {
    words: Vec<(String, String)>,
    files: BTreeMap<String, String>,
}

impl OptionText {
    /// The value of an option, if it is given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.words.iter().find(|w| w.0 == name).map(|w| &*w.1)
    }

    /// Gives an option a value, instead of the one it has.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.words.iter_mut().find(|w| w.0 == name) {
            Some(word) => value.clone_into(&mut word.1),
            None => self.words.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The content of the file that an option named.
    pub fn file(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(|text| &**text)
    }

    /// The contents of all files, by option.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// With these contents of files.
    #[must_use]
    pub fn with_files(mut self, files: &BTreeMap<String, String>) -> OptionText {
        self.files.extend(files.clone());
        self
    }

    /// All words, in the order in which they were given.
    pub fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.iter().map(|(name, value)| (&**name, &**value))
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some() || self.files.contains_key(name)
    }

    /// The value of an option that parses as a type, such as a number.
    pub fn parsed<T: FromStr>(&self, name: &str, default: T) -> Result<T, OptionError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        value.parse().map_err(|_| OptionError(format!("`{name}={value}`: {name} is a number")))
    }

    /// The value of an option that is a number in a range.
    pub fn within(&self, name: &str, default: u32, range: RangeInclusive<u32>) -> Result<u32, OptionError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        value.parse().ok().filter(|n| range.contains(n)).ok_or_else(|| {
            OptionError(format!("`{name}={value}`: {name} is from {} to {}", range.start(), range.end()))
        })
    }

    /// The value of an option that is one of some words.
    pub fn choice<T: Copy>(
        &self,
        name: &str,
        default: T,
        all: &[(&'static str, T)],
    ) -> Result<T, OptionError> {
        let Some(value) = self.get(name) else { return Ok(default) };
        all.iter().find(|row| row.0 == value).map(|row| row.1).ok_or_else(|| {
            let words: Vec<&str> = all.iter().map(|row| row.0).collect();
            OptionError(format!("no {name} `{value}`: choose one of {}", words.join(", ")))
        })
    }

    /// The value of an option that is on or off.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, OptionError> {
        self.choice(name, default, &[("yes", true), ("no", false), ("1", true), ("0", false)])
    }

    /// These options over others: what is given here counts.
    pub(crate) fn over(&self, mut base: OptionText) -> OptionText {
        self.words.iter().for_each(|(name, value)| base.set(name, value));
        base.files.extend(self.files.clone());
        base
    }

    /// Reads a file for each option that names one.
    fn load(&mut self, row: &Row, read_file: &mut FileReader<'_>) -> Result<(), OptionError> {
        for option in row.options {
            let Some(path) = self.get(option.name) else { continue };
            let is_path = match option.kind {
                OptionKind::File => true,
                OptionKind::NameOrFile(is_name) => !is_name(path),
                _ => false,
            };
            if is_path {
                let text = match (read_file(Path::new(path)), option.kind) {
                    (Ok(text), _) => text,
                    // The strategy says which names there are.
                    (Err(_), OptionKind::NameOrFile(_)) => continue,
                    (Err(e), _) => {
                        return Err(OptionError(format!("{}: cannot read {path}: {e}", row.name)));
                    }
                };
                self.files.insert(option.name.to_owned(), String::from_utf8_lossy(&text).into_owned());
                if matches!(option.kind, OptionKind::File) {
                    self.words.retain(|w| w.0 != option.name);
                }
            }
        }
        Ok(())
    }
}

/// The word of a value in a table of an option's values.
pub(crate) fn word_of<T: PartialEq>(all: &[(&'static str, T)], value: T) -> &'static str {
    all.iter().find(|row| row.1 == value).map_or("", |row| row.0)
}

/// Options in the making, as [`Strategy::options`] writes them.
#[derive(Debug, Default)]
pub struct Words(String);

impl Words {
    /// Adds a word.
    #[must_use]
    pub fn add(mut self, name: &str, value: impl Display) -> Words {
        let blank = if self.0.is_empty() { "" } else { " " };
        let _ = write!(self.0, "{blank}{name}={value}");
        self
    }

    /// Adds a word that differs from its default.
    #[must_use]
    pub fn add_if(self, differs: bool, name: &str, value: impl Display) -> Words {
        if differs { self.add(name, value) } else { self }
    }

    /// The words, one blank between them.
    pub fn text(self) -> String {
        self.0
    }
}

/// Reads the file of a path.
pub type FileReader<'a> = dyn FnMut(&Path) -> io::Result<Vec<u8>> + 'a;

/// One strategy with the options that a user gave.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The strategy.
    pub row: &'static Row,
    /// The options.
    pub options: OptionText,
}

/// One way in which a campaign uses a strategy.
pub struct Way {
    /// Its options.
    pub options: OptionText,
    /// The strategy, made from them.
    pub strategy: Box<dyn Strategy>,
}

impl Recipe {
    /// The strategy with these options.
    pub fn make(&self) -> Result<Box<dyn Strategy>, OptionError> {
        self.row.make(&self.options)
    }

    /// The ways in which a campaign uses the strategy: the user's options over each way of the row; or these alone, if
    /// they give the first option of the row, in which its ways differ.
    pub fn ways(&self) -> Result<Vec<Way>, OptionError> {
        let mut texts = if self.row.options.first().is_some_and(|o| self.options.has(o.name)) {
            Vec::new()
        } else {
            (self.row.ways)()
        };
        if texts.is_empty() {
            texts.push(String::new());
        }
        let mut ways: Vec<Way> = Vec::new();
        for text in texts {
            let options = self.options.over(self.row.read(&text)?);
            let strategy = self.row.make(&options)?;
            if ways.iter().all(|w| w.strategy.options() != strategy.options()) {
                ways.push(Way { options, strategy });
            }
        }
        Ok(ways)
    }
}

/// The strategies that texts such as `fusion,skeleton:moves=lpi,steps=3` stand for; every one for no text.
///
/// Options follow a name after a colon, with commas or colons between them. A piece between commas starts another
/// strategy if it starts with the name of one. `flags` are values of long flags; each goes to every strategy that has
/// it and was not given that option behind its name.
pub fn parse_recipes(
    texts: &[String],
    flags: &[(&'static OptionRow, String)],
    read_file: &mut FileReader<'_>,
) -> Result<Vec<Recipe>, OptionError> {
    let mut recipes: Vec<Recipe> = Vec::new();
    for text in texts {
        let first = recipes.len();
        for piece in text.split(',') {
            let (name, options) = piece.split_once(':').map_or((piece, None), |(n, o)| (n, Some(o)));
            if let Some(row) = find(name) {
                recipes.push(Recipe { row, options: OptionText::default() });
            } else if recipes.len() == first {
                return Err(no_strategy(name));
            }
            let recipe = recipes.last_mut().expect("pushed for this or an earlier piece");
            let (words, mut mark) = match find(name) {
                Some(_) => (options, ':'),
                None => (Some(piece), ','),
            };
            for word in words.into_iter().flat_map(|w| w.split(':')) {
                recipe.add(word, mark)?;
                mark = ':';
            }
        }
    }
    if texts.is_empty() {
        recipes.extend(rows().map(|row| Recipe { row, options: OptionText::default() }));
    }
    for (flag, value) in flags {
        apply_flag(&mut recipes, flag, value)?;
    }
    for recipe in &mut recipes {
        recipe.options.load(recipe.row, read_file)?;
        recipe.row.check(&recipe.options)?;
    }
    Ok(recipes)
}

/// The error for a name that no strategy has.
pub(crate) fn no_strategy(name: &str) -> OptionError {
    OptionError(format!("no strategy `{name}`: choose one of {}", names().join(", ")))
}

impl Recipe {
    /// Adds a word of the user's, which stood behind a comma or a colon.
    fn add(&mut self, word: &str, mark: char) -> Result<(), OptionError> {
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        };
        if let Some((name, value)) = word.split_once('=').filter(|(name, _)| is_name(name)) {
            self.options.set(name, value);
            return Ok(());
        }
        let find = |name: &str| self.row.options.iter().find(|o| o.name == name);
        if find(word).is_some_and(|o| matches!(o.kind, OptionKind::Flag)) {
            self.options.set(word, "yes");
            return Ok(());
        }
        match (self.options.words.last_mut(), self.row.options.first()) {
            (Some((name, value)), _) if find(name).is_some_and(|o| matches!(o.kind, OptionKind::List)) => {
                value.push(mark);
                value.push_str(word);
            }
            (None, Some(first)) if mark == ':' => self.options.set(first.name, word),
            _ if mark == ',' => return Err(no_strategy(word)),
            _ => {
                return Err(OptionError(format!(
                    "{}: `{word}` is not of the form word=value",
                    self.row.name
                )));
            }
        }
        Ok(())
    }
}

/// One option for each long flag of these rows: the first that has it. Options of the same flag that take something else
/// do not answer to it.
pub fn long_flags(rows: impl Iterator<Item = &'static Row>) -> Vec<&'static OptionRow> {
    let mut flags: Vec<&OptionRow> = Vec::new();
    let name = |option: &OptionRow| option.flag.map(LongFlag::name);
    for option in rows.flat_map(|row| row.options) {
        if option.flag.is_some() && flags.iter().all(|f| name(f) != name(option)) {
            flags.push(option);
        }
    }
    flags
}

impl OptionRow {
    /// Whether a long flag made from another option stands for this one too.
    pub fn answers_to(&self, flag: &OptionRow) -> bool {
        let is_file = |o: &OptionRow| matches!(o.kind, OptionKind::File);
        self.flag == flag.flag && is_file(self) == is_file(flag)
    }
}

fn apply_flag(recipes: &mut [Recipe], flag: &OptionRow, value: &str) -> Result<(), OptionError> {
    let mut is_used = false;
    for Recipe { row, options } in recipes {
        for option in row.options.iter().filter(|o| o.answers_to(flag)) {
            is_used = true;
            if !options.has(option.name) {
                options.set(option.name, value);
            }
        }
    }
    if is_used {
        return Ok(());
    }
    let takers: Vec<&str> =
        rows().filter(|row| row.options.iter().any(|o| o.answers_to(flag))).map(|row| row.name).collect();
    let name = flag.flag.map_or("", LongFlag::name);
    Err(OptionError(format!("no chosen strategy has --{name}: it belongs to {}", takers.join(", "))))
}

#[cfg(test)]
mod tests;
