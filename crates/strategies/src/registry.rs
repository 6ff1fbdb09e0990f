//! The registry: one row per strategy. A new strategy is one module with its row, and one line here.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::options::{OptionError, OptionRow, OptionText, no_strategy};
use crate::strategy::Strategy;
use crate::{
    certified, collections, construct, eliminate, enumerate, evolve, fusion, generative, interpolate,
    operator, optimize, queries, shuffle, skeleton, synthesis, transplant, weaken,
};

/// What a strategy makes cases from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing but a number.
    Nothing,
    /// Seeds.
    Seeds,
    /// Seeds; the mutants of one without label follow what solvers answer to it. A campaign runs the seed first.
    Answers,
    /// Seeds of which a model is known. A campaign hands over the models that solvers found.
    Models,
}

impl Needs {
    /// Whether seeds are needed.
    pub fn seeds(self) -> bool {
        self != Needs::Nothing
    }
}

/// What is known of a strategy without making it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Other names, such as that of the tool that introduced it.
    pub aliases: &'static [&'static str],
    /// What it does, in one line.
    pub about: &'static str,
    /// What it makes cases from.
    pub needs: Needs,
    /// Its options. A word without a name is the value of the first.
    pub options: &'static [OptionRow],
    /// The options that a campaign uses, each a way of its own; they differ in the first option at least.
    pub ways: fn() -> Vec<String>,
    /// Makes it from options; [`Row::make`] checks their names first.
    pub make: fn(&OptionText) -> Result<Box<dyn Strategy>, OptionError>,
}

/// The strategies of smelt. Campaigns draw from them in this order.
static BUILTIN: [Row; 17] = [
    operator::ROW,
    generative::ROW,
    certified::ROW,
    fusion::ROW,
    shuffle::ROW,
    skeleton::ROW,
    weaken::ROW,
    transplant::ROW,
    evolve::ROW,
    enumerate::ROW,
    construct::ROW,
    synthesis::ROW,
    collections::ROW,
    queries::ROW,
    optimize::ROW,
    eliminate::ROW,
    interpolate::ROW,
];

static REGISTERED: OnceLock<&'static [Row]> = OnceLock::new();

/// Adds the strategies of a program that embeds smelt, before anything else is done.
///
/// # Panics
/// If it is called twice, or if a name is taken.
pub fn register(rows: &'static [Row]) {
    for row in rows {
        for name in row.names() {
            assert!(find(name).is_none(), "the name of strategy `{name}` is new");
        }
    }
    assert!(REGISTERED.set(rows).is_ok(), "strategies are registered once");
}

/// Every strategy.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    BUILTIN.iter().chain(REGISTERED.get().copied().unwrap_or_default())
}

/// The names of all strategies.
pub fn names() -> Vec<&'static str> {
    rows().map(|row| row.name).collect()
}

/// The strategy of a name or alias.
pub fn find(name: &str) -> Option<&'static Row> {
    rows().find(|row| row.names().any(|n| n == name))
}

/// A strategy of a name, from its options as it writes them.
pub fn strategy(
    name: &str,
    options: &str,
    files: &BTreeMap<String, String>,
) -> Result<Box<dyn Strategy>, OptionError> {
    let row = find(name).ok_or_else(|| no_strategy(name))?;
    row.make(&row.read(options)?.with_files(files))
}

impl Row {
    /// Its name and aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.aliases.iter().copied())
    }

    /// Reads options: words with blanks between them, as [`Strategy::options`] writes them.
    pub fn read(&self, text: &str) -> Result<OptionText, OptionError> {
        let mut options = OptionText::default();
        for word in text.split_whitespace() {
            match (word.split_once('='), self.options.first()) {
                (Some((name, value)), _) => options.set(name, value),
                (None, Some(first)) => options.set(first.name, word),
                (None, None) => return Err(OptionError::new(format!("{} has no options", self.name))),
            }
        }
        Ok(options)
    }

    /// Makes the strategy from options.
    pub fn make(&self, options: &OptionText) -> Result<Box<dyn Strategy>, OptionError> {
        self.check(options)?;
        (self.make)(options).map_err(|e| OptionError::new(format!("{}: {e}", self.name)))
    }

    /// Whether there are options of the names given, and their values have no blanks.
    pub(crate) fn check(&self, options: &OptionText) -> Result<(), OptionError> {
        for (name, value) in options.words() {
            if self.options.iter().all(|o| o.name != name) {
                let list: Vec<&str> = self.options.iter().map(|o| o.name).collect();
                let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
                let message = format!("{} has no option `{name}`: choose one of {list}", self.name);
                return Err(OptionError::new(message));
            }
            if value.contains(char::is_whitespace) {
                let message = format!("`{name}={value}`: write a blank in a literal as \\u{{20}}");
                return Err(OptionError::new(message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{LongFlag, OptionKind, Recipe};

    #[test]
    fn each_name_is_there_once_and_makes_the_strategy_of_that_name() {
        let mut seen = std::collections::HashSet::new();
        for row in rows() {
            for name in row.names() {
                assert!(seen.insert(name), "{name}");
                assert_eq!(find(name).unwrap().name, row.name);
            }
            assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{}", row.name);
            let mut options = std::collections::HashSet::new();
            for option in row.options {
                assert!(options.insert(option.name), "{} {}", row.name, option.name);
                assert!(
                    !option.about.is_empty() && !option.values.is_empty(),
                    "{} {}",
                    row.name,
                    option.name
                );
            }
        }
        assert_eq!(find("yinyang").unwrap().name, "fusion");
        assert!(find("nothing").is_none());
    }

    #[test]
    fn every_way_is_made_and_its_options_are_read_back() {
        for row in rows() {
            let ways = Recipe { row, options: OptionText::default() }.ways().unwrap();
            assert!(!ways.is_empty());
            for way in ways {
                let text = way.strategy.options();
                assert_eq!(way.strategy.name(), row.name);
                assert_eq!(strategy(row.name, &text, &BTreeMap::new()).unwrap().options(), text);
            }
        }
    }

    #[test]
    fn values_and_defaults_of_the_schema_are_accepted() {
        for row in rows() {
            let first = (row.ways)().into_iter().next().unwrap_or_default();
            for option in row.options {
                let mut values = vec![option.default];
                if matches!(option.kind, OptionKind::Flag)
                    || option.values.contains(", ") && option.name != "rules"
                {
                    values.extend(option.values.split(", "));
                }
                if let Some(LongFlag::Bare(_, value) | LongFlag::Either(_, value)) = option.flag {
                    values.push(value);
                }
                let words = values.into_iter().filter(|v| !v.is_empty() && !v.contains([' ', ';']));
                for value in words {
                    let options = row.read(&format!("{first} {}={value}", option.name)).unwrap();
                    assert!(row.make(&options).is_ok(), "{} {}={value}", row.name, option.name);
                }
            }
        }
    }
}
