//! The plug-in point of strategies that need no seeds: a generator makes case number n, the same one each time.

use smelt_core::{Provenance, TestCase};

use crate::strategy::{Draft, OptionError, Skip};
use crate::{construct, enumerate, synthesis};

/// Makes test cases from nothing.
///
/// The same number under the same options gives the same bytes, whatever was made before: a case is made again from
/// its strategy, options and number alone.
pub trait Generator: Send {
    /// Its name in the list of generators.
    fn name(&self) -> &'static str;

    /// Its options in one `word=value` each, as its entry reads them back.
    fn options(&self) -> String;

    /// How many cases there are, numbered from 0. `None` if any number makes one, and numbers are drawn at random.
    fn total(&self) -> Option<u64>;

    /// Whether there is a last case. Cheap, where counting them is not.
    fn is_finite(&self) -> bool {
        self.total().is_some()
    }

    /// Makes case `number` into `draft`, which is cleared first.
    fn make(&mut self, number: u64, draft: &mut Draft) -> Result<(), Skip>;

    /// The layer that case `number` is in, for generators that go through all cases by size. Being through with a
    /// layer is worth telling.
    fn layer(&mut self, _number: u64) -> Option<Layer> {
        None
    }
}

/// All cases of one size, which follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The size.
    pub size: u64,
    /// The number of the first case.
    pub from: u64,
    /// The number after the last.
    pub to: u64,
}

/// The draft of a generator as a case of its own.
pub fn generated(draft: &Draft, generator: &dyn Generator, number: u64) -> TestCase {
    TestCase {
        script: draft.text.clone(),
        expectation: draft.expectation,
        provenance: Provenance {
            seeds: Vec::new(),
            strategy: generator.name().to_owned(),
            options: generator.options(),
            rng: number,
            steps: String::from_utf8_lossy(&draft.log).lines().map(str::to_owned).collect(),
        },
    }
}

/// A row of the list of generators.
pub struct GeneratorEntry {
    /// Its name.
    pub name: &'static str,
    /// The name of the tool that introduced it, where there is one.
    pub alias: Option<&'static str>,
    /// What it does, in one line.
    pub about: &'static str,
    /// The options that a campaign uses, each a way of its own.
    pub ways: fn() -> Vec<String>,
    /// Makes it from its options.
    pub make: fn(&str) -> Result<Box<dyn Generator>, OptionError>,
}

/// Every generator.
pub const GENERATORS: &[GeneratorEntry] = &[
    GeneratorEntry {
        name: "enumerate",
        alias: Some("et"),
        about: "all scripts of a grammar in the order of their size",
        ways: enumerate::ways,
        make: |options| Ok(Box::new(enumerate::Enumerate::new(options)?)),
    },
    GeneratorEntry {
        name: "construct",
        alias: None,
        about: "bit-vector and floating-point formulas that are satisfiable or not by construction",
        ways: construct::ways,
        make: |options| Ok(Box::new(construct::Construct::read(options)?)),
    },
    GeneratorEntry {
        name: "synthesis",
        alias: None,
        about: "formulas about every operation of a theory, each with its model or its unsat core",
        ways: synthesis::ways,
        make: |options| Ok(Box::new(synthesis::OnDemand::read(options)?)),
    },
];

/// The generator of a name or alias.
pub fn find_generator(name: &str) -> Option<&'static GeneratorEntry> {
    GENERATORS.iter().find(|e| e.name == name || e.alias == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn each_name_is_there_once_and_options_are_read_back() {
        let mut names = std::collections::HashSet::new();
        for entry in GENERATORS {
            for name in [Some(entry.name), entry.alias].into_iter().flatten() {
                assert!(names.insert(name) && find(name).is_none(), "{name}");
            }
            for way in (entry.ways)() {
                let generator = (entry.make)(&way).unwrap();
                assert_eq!(generator.name(), entry.name);
                assert_eq!((entry.make)(&generator.options()).unwrap().options(), generator.options());
            }
        }
    }
}
