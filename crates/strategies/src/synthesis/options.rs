//! The settings of a generator, and the one text they are written as.

use std::fmt;

use super::equation::Choice;

/// How a formula is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
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
}

impl Family {
    /// All, in the order they are numbered.
    pub const ALL: [Family; 8] = [
        Family::Operation,
        Family::Assignment,
        Family::Terms,
        Family::Mixed,
        Family::Equivalence,
        Family::Variable,
        Family::Constant,
        Family::Noise,
    ];

    /// Its name in options and headers.
    pub fn name(self) -> &'static str {
        match self {
            Family::Operation => "operation",
            Family::Assignment => "assignment",
            Family::Terms => "terms",
            Family::Mixed => "mixed",
            Family::Equivalence => "equivalence",
            Family::Variable => "variable",
            Family::Constant => "constant",
            Family::Noise => "noise",
        }
    }

    /// Whether its formulas are satisfiable.
    pub fn is_sat(self) -> bool {
        matches!(self, Family::Operation | Family::Assignment | Family::Terms | Family::Mixed)
    }

    fn parse(word: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|f| f.name() == word)
    }
}

/// Whether quantifiers have patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patterns {
    /// None has.
    Without,
    /// All have.
    With,
    /// Both kinds are made.
    Both,
}

impl Patterns {
    const ALL: [(Patterns, &'static str); 3] =
        [(Patterns::Without, "without"), (Patterns::With, "with"), (Patterns::Both, "both")];
}

/// What is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The name of the preset.
    pub preset: String,
    /// The family; `None` for all.
    pub family: Option<Family>,
    /// The width of bit-vectors, where the preset has one.
    pub width: Option<u32>,
    /// How deep terms of the pool are.
    pub bound: u32,
    /// Which of several terms with one value are used.
    pub choice: Choice,
    /// Whether quantifiers have patterns.
    pub patterns: Patterns,
    /// How many replacements an unsatisfiable formula has at most.
    pub steps: u32,
    /// Boundary constants instead of those of the preset.
    pub constants: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            preset: "strings".to_owned(),
            family: None,
            width: None,
            bound: 1,
            choice: Choice::First,
            patterns: Patterns::Both,
            steps: 1,
            constants: None,
        }
    }
}

impl Settings {
    /// The families asked for.
    pub(super) fn families(&self) -> Vec<Family> {
        self.family.map_or(Family::ALL.to_vec(), |f| vec![f])
    }

    /// Reads `word=value` parts; what is not said is as by default.
    pub fn read(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        for part in text.split_whitespace() {
            let Some((key, value)) = part.split_once('=') else {
                return Err(format!("`{part}` is not of the form word=value"));
            };
            let number = || -> Result<u32, String> {
                value.parse().map_err(|_| format!("`{part}`: expected a number"))
            };
            match key {
                "preset" => settings.preset = value.to_owned(),
                "family" => {
                    let names: Vec<&str> = Family::ALL.iter().map(|f| f.name()).collect();
                    let family = Family::parse(value).ok_or_else(|| {
                        format!("there is no family `{value}`; there are {}", names.join(", "))
                    })?;
                    settings.family = Some(family);
                }
                "width" => settings.width = Some(number()?),
                "bound" => settings.bound = number()?,
                "steps" => settings.steps = number()?,
                "pool" => {
                    settings.choice = match value {
                        "first" => Choice::First,
                        "all" => Choice::All,
                        _ => return Err(format!("`{part}`: there are first and all")),
                    }
                }
                "patterns" => {
                    let found = Patterns::ALL.iter().find(|p| p.1 == value);
                    let found = found.ok_or_else(|| format!("`{part}`: there are without, with and both"))?;
                    settings.patterns = found.0;
                }
                "constants" => settings.constants = Some(value.to_owned()),
                _ => return Err(format!("`{key}` is no option of synthesis")),
            }
        }
        for (name, value) in [("bound", settings.bound), ("steps", settings.steps)] {
            if !(1..=3).contains(&value) {
                return Err(format!("{name} is from 1 to 3"));
            }
        }
        Ok(settings)
    }
}

impl fmt::Display for Settings {
    /// Every setting that is not as by default; the preset always.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = Settings::default();
        write!(f, "preset={}", self.preset)?;
        if let Some(family) = self.family {
            write!(f, " family={}", family.name())?;
        }
        if let Some(width) = self.width {
            write!(f, " width={width}")?;
        }
        if self.bound != default.bound {
            write!(f, " bound={}", self.bound)?;
        }
        if self.choice != default.choice {
            write!(f, " pool=all")?;
        }
        if self.patterns != default.patterns {
            let word = Patterns::ALL.iter().find(|p| p.0 == self.patterns).map_or("both", |p| p.1);
            write!(f, " patterns={word}")?;
        }
        if self.steps != default.steps {
            write!(f, " steps={}", self.steps)?;
        }
        if let Some(constants) = &self.constants {
            write!(f, " constants={constants}")?;
        }
        Ok(())
    }
}
