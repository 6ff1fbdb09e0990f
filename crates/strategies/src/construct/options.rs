//! What formulas are made of and how large they are: presets by name, and one `word=value` for each change.

use std::fmt::Write;

use smelt_semantics::Format;

use super::operator::Op;
use super::rule::{Family, rules};
use crate::strategy::OptionError;

/// What is known of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Satisfiable, with a model.
    Sat,
    /// Unsatisfiable, with a core.
    Unsat,
    /// Not known: for comparing solvers.
    None,
}

impl Status {
    /// Every status with its name.
    pub const ALL: [(Status, &'static str); 3] =
        [(Status::Sat, "sat"), (Status::Unsat, "unsat"), (Status::None, "none")];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        Status::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

/// A row of presets.
struct Preset {
    name: &'static str,
    widths: &'static [u32],
    formats: &'static [(u32, u32)],
    families: &'static [Family],
    /// Of terms: solvers take long over large floats.
    depth: u32,
    /// Arrays and functions too.
    rich: bool,
}

/// By the first part of their names; each stands for three, which end in `_sat`, `_unsat` and `_syntactic`.
///
/// Those for floats have bit-vectors for conversions only, and a second format to convert to.
const PRESETS: &[Preset] = &[
    Preset { name: "bv_few", widths: &[3], formats: &[], families: &[Family::Bits], depth: 3, rich: false },
    Preset { name: "bv_many", widths: &[8], formats: &[], families: &[Family::Bits], depth: 3, rich: false },
    Preset {
        name: "fp_few",
        widths: &[5],
        formats: &[(2, 3), (3, 3)],
        families: &[Family::Floats],
        depth: 2,
        rich: false,
    },
    Preset {
        name: "fp_many",
        widths: &[32],
        formats: &[(8, 24), (11, 53)],
        families: &[Family::Floats],
        depth: 2,
        rich: false,
    },
    Preset {
        name: "mixed",
        widths: &[8, 32],
        formats: &[(8, 24), (11, 53)],
        families: &[Family::Bits, Family::Floats],
        depth: 2,
        rich: true,
    },
];

/// The end of a preset's name, for each status.
const ENDS: [(Status, &str); 3] =
    [(Status::Sat, "_sat"), (Status::Unsat, "_unsat"), (Status::None, "_syntactic")];

/// The names of all presets.
pub fn presets() -> Vec<String> {
    PRESETS.iter().flat_map(|p| ENDS.map(|(_, end)| format!("{}{end}", p.name))).collect()
}

/// All that can be chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    preset: String,
    pub(crate) status: Status,
    pub(crate) widths: Vec<u32>,
    pub(crate) formats: Vec<Format>,
    pub(crate) families: Vec<Family>,
    pub(crate) assertions: u32,
    pub(crate) depth: u32,
    pub(crate) variables: u32,
    pub(crate) checks: u32,
    pub(crate) arrays: bool,
    pub(crate) functions: bool,
    pub(crate) recent: bool,
    /// Operators by key; empty for all.
    pub(crate) operators: Vec<String>,
    /// Starts of names of rules or kernels, each with a weight; the last that fits counts.
    pub(crate) weights: Vec<(String, u32)>,
}

/// Each word, and what its value is; the words of `Options::set`.
pub const WORDS: &[(&str, &str)] = &[
    ("preset", "a name, before all other words"),
    ("status", "sat, unsat or none"),
    ("widths", "widths of bit-vectors, such as 3,8; the first is the most frequent; 0 for none"),
    ("formats", "float formats, such as 2:3,8:24; 0 for none"),
    ("rules", "corners to aim at: bits, floats or both"),
    ("assertions", "1 to 1000"),
    ("depth", "of terms, 1 to 20"),
    ("variables", "of each sort, 1 to 100"),
    ("checks", "check-sat commands with push and pop, 1 to 100"),
    ("arrays", "0 or 1"),
    ("functions", "0 or 1"),
    ("recent", "0 or 1: operators that are new in SMT-LIB 2.7"),
    ("operators", "names of operators, such as bvadd,fp.mul; those of Core always come"),
    ("weights", "starts of rule names, such as bvudiv:5,fp.add.tie:20"),
];

fn wrong<T>(message: String) -> Result<T, OptionError> {
    Err(OptionError(message))
}

impl Options {
    /// A preset, unchanged.
    pub fn preset(name: &str) -> Result<Options, OptionError> {
        let found = PRESETS.iter().find_map(|p| {
            let end = name.strip_prefix(p.name)?;
            ENDS.iter().find(|e| e.1 == end).map(|e| (p, e.0))
        });
        let Some((p, status)) = found else {
            return wrong(format!("there is no preset `{name}`: {}", presets().join(", ")));
        };
        Ok(Options {
            preset: name.to_owned(),
            status,
            widths: p.widths.to_vec(),
            formats: p.formats.iter().filter_map(|&(e, s)| Format::new(e, s)).collect(),
            families: p.families.to_vec(),
            assertions: 10,
            depth: p.depth,
            variables: 6,
            checks: 1,
            arrays: p.rich,
            functions: p.rich,
            recent: false,
            operators: Vec::new(),
            weights: Vec::new(),
        })
    }

    /// Reads options: words with values, one or more spaces between them.
    pub fn read(text: &str) -> Result<Options, OptionError> {
        let mut words = text.split_whitespace().peekable();
        let preset = words.next_if(|w| w.starts_with("preset=")).map_or("bv_many_sat", |w| &w[7..]);
        let mut options = Options::preset(preset)?;
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                return wrong(format!("`{word}` is no `word=value`"));
            };
            options.set(name, value)?;
        }
        options.fit()?;
        Ok(options)
    }

    /// Changes one option.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let bad = || {
            let want = WORDS.iter().find(|w| w.0 == name).map_or("", |w| w.1);
            OptionError(format!("`{name}={value}`: expected {want}"))
        };
        let number = |low: u32, high: u32| -> Result<u32, OptionError> {
            value.parse().ok().filter(|n| (low..=high).contains(n)).ok_or_else(bad)
        };
        match name {
            "status" => {
                self.status = Status::ALL.iter().find(|row| row.1 == value).ok_or_else(bad)?.0;
            }
            "widths" => {
                self.widths =
                    list(value, |w| w.parse().ok().filter(|w| (1..=512).contains(w))).ok_or_else(bad)?
            }
            "formats" => {
                let read = |text: &str| {
                    let (e, s) = text.split_once(':')?;
                    Format::new(e.parse().ok()?, s.parse().ok()?).filter(|f| f.eb() <= 30 && f.sb() <= 256)
                };
                self.formats = list(value, read).ok_or_else(bad)?;
            }
            "rules" => {
                let read = |text: &str| FAMILIES.iter().find(|f| f.1 == text).map(|f| f.0);
                self.families = list(value, read).ok_or_else(bad)?;
            }
            "assertions" => self.assertions = number(1, 1000)?,
            "depth" => self.depth = number(1, 20)?,
            "variables" => self.variables = number(1, 100)?,
            "checks" => self.checks = number(1, 100)?,
            "arrays" => self.arrays = number(0, 1)? == 1,
            "functions" => self.functions = number(0, 1)? == 1,
            "recent" => self.recent = number(0, 1)? == 1,
            "operators" => {
                let all = value.split(',').filter(|w| !w.is_empty());
                self.operators = all.map(str::to_owned).collect();
                for name in &self.operators {
                    if Op::all().all(|op| op.key != name && op.name != name) {
                        return wrong(format!("there is no operator `{name}`"));
                    }
                }
            }
            "weights" => {
                let read = |text: &str| {
                    let (name, weight) = text.rsplit_once(':')?;
                    let weight = weight.parse().ok().filter(|w| *w <= 1_000_000)?;
                    (!name.is_empty()).then(|| (name.to_owned(), weight))
                };
                self.weights = list(value, read).ok_or_else(bad)?;
                for (name, _) in &self.weights {
                    let known = rules().map(|r| r.name).chain(super::unsat::kernel_names());
                    if !known.into_iter().any(|k| k.starts_with(&**name)) {
                        return wrong(format!("no rule or kernel has a name that starts with `{name}`"));
                    }
                }
            }
            _ => {
                let words: Vec<&str> = WORDS.iter().map(|w| w.0).collect();
                return wrong(format!("there is no option `{name}`: {}", words.join(", ")));
            }
        }
        Ok(())
    }

    /// Whether the options go together.
    fn fit(&self) -> Result<(), OptionError> {
        if self.widths.is_empty() && self.formats.is_empty() {
            return wrong("there are neither bit-vectors nor floats".to_owned());
        }
        if self.widths.is_empty() && self.arrays {
            return wrong("arrays need a width of bit-vectors for their indices".to_owned());
        }
        if self.checks > self.assertions {
            return wrong("there are more checks than assertions".to_owned());
        }
        Ok(())
    }

    /// The weight of a rule or kernel.
    pub(crate) fn weight(&self, name: &str) -> u32 {
        self.weights.iter().rev().find(|w| name.starts_with(&*w.0)).map_or(1, |w| w.1)
    }

    /// The options as text that reads back: the preset, and what differs from it.
    pub fn to_text(&self) -> String {
        let mut text = format!("preset={}", self.preset);
        let Ok(base) = Options::preset(&self.preset) else { return text };
        let mut word = |name: &str, own: String, other: String| {
            if own != other {
                let _ = write!(text, " {name}={own}");
            }
        };
        let texts = |o: &Options| -> [String; 13] {
            let join = |all: Vec<String>| if all.is_empty() { "0".to_owned() } else { all.join(",") };
            let flag = |b: bool| u32::from(b).to_string();
            [
                o.status.as_str().to_owned(),
                join(o.widths.iter().map(u32::to_string).collect()),
                join(o.formats.iter().map(|f| format!("{}:{}", f.eb(), f.sb())).collect()),
                join(o.families.iter().map(|f| family_name(*f).to_owned()).collect()),
                o.assertions.to_string(),
                o.depth.to_string(),
                o.variables.to_string(),
                o.checks.to_string(),
                flag(o.arrays),
                flag(o.functions),
                flag(o.recent),
                o.operators.join(","),
                join(o.weights.iter().map(|(n, w)| format!("{n}:{w}")).collect()),
            ]
        };
        for ((name, _), (own, other)) in WORDS[1..].iter().zip(texts(self).into_iter().zip(texts(&base))) {
            word(name, own, other);
        }
        text
    }
}

const FAMILIES: [(Family, &str); 2] = [(Family::Bits, "bits"), (Family::Floats, "floats")];

fn family_name(family: Family) -> &'static str {
    FAMILIES.iter().find(|f| f.0 == family).map_or("", |f| f.1)
}

/// A list with commas; `0` is the empty one.
fn list<T>(value: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    if value == "0" { Some(Vec::new()) } else { value.split(',').map(read).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_and_read_back() {
        for preset in presets() {
            assert_eq!(Options::preset(&preset).unwrap().to_text(), format!("preset={preset}"));
        }
        let text = "preset=mixed_sat status=none widths=1,64 formats=0 rules=bits assertions=3 depth=5 variables=2 \
                    checks=2 arrays=0 functions=0 recent=1 operators=bvadd,to_fp weights=bvudiv:3,cycle:7";
        assert_eq!(Options::read(text).unwrap().to_text(), text);
    }

    #[test]
    fn wrong_options_are_refused_in_one_line() {
        for text in [
            "preset=nothing",
            "x",
            "widths=0",
            "widths=513",
            "widths=-1",
            "formats=1:2",
            "formats=8",
            "depth=21",
            "checks=0",
            "checks=11",
            "operators=bvfoo",
            "weights=foo:1",
            "weights=bvadd",
            "size=3",
            "depth=3 preset=bv_few_sat",
            "status=unknown",
        ] {
            let error = Options::read(text).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
