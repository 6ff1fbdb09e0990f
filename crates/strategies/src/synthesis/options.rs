//! The settings of the strategy, as text and as values.

use super::equation::Choice;
use super::preset::{self, Preset};
use crate::alive::DECIDED;
use crate::options::{OptionError, OptionRow, OptionText, Words, word_of};

/// The options of the row.
pub(super) const OPTIONS: &[OptionRow] = &[
    OptionRow::text(
        "preset",
        "paper, printed, strings, sequences, bitvectors, ints, reals, or one of `presets`",
        "strings",
        "what formulas are made of",
    )
    .long(),
    OptionRow::list(
        "family",
        "operation, assignment, terms, mixed, equivalence, variable, constant, noise, several",
        "only these families; default: all, without `mixed` and `several` for `preset=paper`",
    )
    .long(),
    OptionRow::text("samples", "a number", "", "the most formulas per family, evenly spread").long(),
    OptionRow::text(
        "solver-options",
        "none, z3, cvc4",
        "none",
        "add the options of the paper's experiment for these solvers",
    ),
    OptionRow::text("width", "a number", "", "the width of bit-vectors").long(),
    OptionRow::text("bound", "1 to 3", "1", "how deep the terms of term synthesis are").long(),
    OptionRow::text("pool", "first, all", "first", "choice among several terms with the same value").long(),
    OptionRow::text("patterns", "without, with, both", "both", "whether quantifiers have patterns").long(),
    OptionRow::text("steps", "1 to 3", "1", "the most replacements in one unsatisfiable formula").long(),
    OptionRow::list(
        "constants",
        "SORT=LITERAL,LITERAL;SORT=..",
        "boundary constants to use instead of those of the preset",
    )
    .long(),
    OptionRow::file("presets", "file of additional presets: operations, constants, pools"),
    OptionRow::file(
        "equivalences",
        "file of equivalences to use instead of the built-in ones; they are checked first",
    ),
    OptionRow::file(
        "equalities",
        "file of equalities to use instead of the built-in ones; they are checked first",
    ),
    DECIDED,
];

/// How a formula is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Family {
    /// One operation with free parameters.
    Operation,
    /// Constants for some or all of them.
    Assignment,
    /// Terms for them, with variables for all constants.
    Terms,
    /// Terms for them, with variables for some constants.
    Mixed,
    /// An operation against its definition.
    Equivalence,
    /// With a variable replaced by one that is equal for a reason.
    Variable,
    /// With a constant replaced by a variable that must be it.
    Constant,
    /// With a variable replaced that does not matter.
    Noise,
    /// Two or three equations of `Assignment` and `Terms` that share variables.
    Several,
}

impl Family {
    /// All by name, in the order they are numbered.
    pub(super) const ALL: [(&'static str, Family); 9] = [
        ("operation", Family::Operation),
        ("assignment", Family::Assignment),
        ("terms", Family::Terms),
        ("mixed", Family::Mixed),
        ("equivalence", Family::Equivalence),
        ("variable", Family::Variable),
        ("constant", Family::Constant),
        ("noise", Family::Noise),
        ("several", Family::Several),
    ];

    /// Its name in options and headers.
    pub(super) fn name(self) -> &'static str {
        word_of(&Family::ALL, self)
    }

    /// Whether its formulas are satisfiable.
    pub(super) fn is_sat(self) -> bool {
        use Family::{Assignment, Mixed, Operation, Several, Terms};
        matches!(self, Operation | Assignment | Terms | Mixed | Several)
    }
}

/// Whether quantifiers have patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patterns {
    /// None has.
    Without,
    /// All have.
    With,
    /// Both kinds are made.
    Both,
}

const PATTERNS: &[(&str, Patterns)] =
    &[("without", Patterns::Without), ("with", Patterns::With), ("both", Patterns::Both)];

/// The preset of the paper's experiment.
const PAPER: &str = "paper";

/// Whose options of the paper's experiment a script sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tuned {
    /// Nobody's.
    None,
    /// z3's.
    Z3,
    /// cvc4's, which cvc5 has too.
    Cvc4,
}

const TUNED: &[(&str, Tuned)] = &[("none", Tuned::None), ("z3", Tuned::Z3), ("cvc4", Tuned::Cvc4)];

impl Tuned {
    /// The options as commands.
    pub(super) fn commands(self) -> &'static str {
        match self {
            Tuned::None => "",
            Tuned::Z3 => {
                "(set-option :produce-models true)\n(set-option :produce-unsat-cores true)\n\
                 (set-option :smt.random_seed 0)\n(set-option :sat.random_seed 0)\n(set-option :smt.core.minimize true)\n"
            }
            Tuned::Cvc4 => {
                "(set-option :produce-models true)\n(set-option :produce-unsat-cores true)\n\
                 (set-option :random-seed 0)\n(set-option :strings-exp true)\n(set-option :full-saturate-quant true)\n"
            }
        }
    }
}

const CHOICES: &[(&str, Choice)] = &[("first", Choice::First), ("all", Choice::All)];

/// What is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    /// The name of the preset.
    pub(super) preset: String,
    /// The families; empty for all of the preset.
    pub(super) family: Vec<Family>,
    /// How many formulas of each family at most.
    pub(super) samples: Option<u32>,
    /// The solvers whose options of the paper's experiment are set.
    pub(super) tuned: Tuned,
    /// The width of bit-vectors, where the preset has one.
    pub(super) width: Option<u32>,
    /// How deep terms of the pool are.
    pub(super) bound: u32,
    /// Which of several terms with one value are used.
    pub(super) choice: Choice,
    /// Whether quantifiers have patterns.
    pub(super) patterns: Patterns,
    /// How many replacements an unsatisfiable formula has at most.
    pub(super) steps: u32,
    /// Boundary constants instead of those of the preset.
    pub(super) constants: Option<String>,
    /// The user's files of presets, equivalences and equalities.
    files: [Option<String>; 3],
}

impl Settings {
    pub(super) fn new(o: &OptionText) -> Result<Settings, OptionError> {
        let family =
            |word: &str| Family::ALL.iter().find(|(name, _)| *name == word).map(|(_, family)| *family);
        let named = o.get("family").unwrap_or_default().split(',').filter(|word| !word.is_empty());
        let named: Option<Vec<Family>> = named.map(family).collect();
        let unknown = || {
            let all = Family::ALL.map(|(name, _)| name).join(", ");
            OptionError::new(format!(
                "`family={}`: expected some of {all}",
                o.get("family").unwrap_or_default()
            ))
        };
        let mut named = named.ok_or_else(unknown)?;
        named.sort_unstable();
        named.dedup();
        let files = ["presets", "equivalences", "equalities"].map(|name| o.file(name).map(str::to_owned));
        let own = files[0].as_deref().and_then(preset::first_of);
        let preset = o.get("preset").map(str::to_owned).or(own);
        Ok(Settings {
            preset: preset.unwrap_or_else(|| "strings".to_owned()),
            family: named,
            samples: o.get("samples").map(|_| o.within("samples", 1, 1..=u32::MAX)).transpose()?,
            tuned: o.choice("solver-options", Tuned::None, TUNED)?,
            width: o.get("width").map(|_| o.parsed("width", 0)).transpose()?,
            bound: o.within("bound", 1, 1..=3)?,
            choice: o.choice("pool", Choice::First, CHOICES)?,
            patterns: o.choice("patterns", Patterns::Both, PATTERNS)?,
            steps: o.within("steps", 1, 1..=3)?,
            constants: o.get("constants").map(str::to_owned),
            files,
        })
    }

    /// The preset.
    pub(super) fn find_preset(&self) -> Result<Preset, String> {
        preset::find(&self.preset, self.width, self.files[0].as_deref())
    }

    /// The user's equivalences and equalities.
    pub(super) fn statement_files(&self) -> [Option<&str>; 2] {
        [self.files[1].as_deref(), self.files[2].as_deref()]
    }

    /// The families asked for.
    pub(super) fn families(&self) -> Vec<Family> {
        let all = Family::ALL.map(|(_, f)| f).into_iter();
        // Its experiment has one equation a formula, and none with variables for some constants only, of which there are over
        // a million.
        let is_usual = |f: &Family| self.preset != PAPER || !matches!(f, Family::Mixed | Family::Several);
        if self.family.is_empty() { all.filter(is_usual).collect() } else { self.family.clone() }
    }

    /// Whether building the formulas cannot fail: only preset and family differ from the default, or there are two steps, and
    /// these are tested.
    pub(super) fn is_plain(&self) -> bool {
        let words = self.to_text();
        self.files.iter().all(Option::is_none)
            && words
                .split(' ')
                .all(|w| w.starts_with("preset=") || w.starts_with("family=") || w == "steps=2")
    }

    /// The preset, and every setting that differs from its default, as text.
    pub(super) fn to_text(&self) -> String {
        self.words().text()
    }

    /// The preset, and every setting that differs from its default.
    pub(super) fn words(&self) -> Words {
        let words = Words::default().add("preset", &self.preset);
        let names: Vec<&str> = self.family.iter().map(|f| f.name()).collect();
        let words = words.add_if(!names.is_empty(), "family", names.join(","));
        let words = self.samples.iter().fold(words, |w, samples| w.add("samples", samples));
        let words = words.add_if(self.tuned != Tuned::None, "solver-options", word_of(TUNED, self.tuned));
        let words = self.width.iter().fold(words, |w, width| w.add("width", width));
        let words = words.add_if(self.bound != 1, "bound", self.bound);
        let words = words.add_if(self.choice != Choice::First, "pool", word_of(CHOICES, self.choice));
        let patterns = word_of(PATTERNS, self.patterns);
        let words = words.add_if(self.patterns != Patterns::Both, "patterns", patterns);
        let words = words.add_if(self.steps != 1, "steps", self.steps);
        self.constants.iter().fold(words, |w, constants| w.add("constants", constants))
    }
}
