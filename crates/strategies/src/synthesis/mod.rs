//! Synthesis: formulas about every operation of a theory, whose status is known by how they are made.
//!
//! Satisfiable ones are equations that the reference semantics says to hold for some values (`equation`), and come
//! with these as model.
//! `docs/synthesis.md` has the families, the format of the data, and what is printed wrong in the paper.

mod equation;
mod options;
mod preset;
mod values;

#[cfg(test)]
mod tests;

use std::fmt::Write;

use smelt_core::Expectation;

use crate::generator::Generator;
use crate::strategy::{Draft, OptionError, Skip};
pub use equation::Choice;
use equation::{Equation, Workshop};
pub use options::{Family, Patterns, Settings};
use preset::Preset;
pub use preset::presets;

/// The options that campaigns use: a family of a preset is a way of its own.
pub(crate) fn ways() -> Vec<String> {
    let all = presets().into_iter().filter(|p| p.0 != "paper");
    all.flat_map(|(name, _)| Family::ALL.map(|f| format!("preset={name} family={}", f.name()))).collect()
}

/// Makes formulas about operations, each the same for its number.
#[derive(Debug)]
pub struct Synthesis {
    settings: Settings,
    preset: Preset,
    shop: Workshop,
    /// The satisfiable formulas, by family.
    equations: Vec<(Family, Vec<Equation>)>,
}

impl Synthesis {
    /// The generator of a text of options.
    pub fn read(options: &str) -> Result<Synthesis, OptionError> {
        Synthesis::new(Settings::read(options).map_err(OptionError)?)
    }

    /// The generator of some settings.
    pub fn new(settings: Settings) -> Result<Synthesis, OptionError> {
        let mut preset = preset::find(&settings.preset, settings.width).map_err(OptionError)?;
        if let Some(text) = &settings.constants {
            for (sort, values) in preset::overrides(text).map_err(OptionError)? {
                let Some(row) = preset.constants.iter_mut().find(|r| r.0 == sort) else {
                    return Err(OptionError(format!(
                        "preset `{}` has no constants of sort `{sort}`",
                        settings.preset
                    )));
                };
                row.1 = values;
            }
        }
        let mut shop = Workshop::new(&preset);
        let mut equations = Vec::new();
        for family in settings.families() {
            let made = match family {
                Family::Operation => shop.operations(&preset),
                Family::Assignment => shop.assignments(&preset),
                Family::Terms => shop.synthesised(&preset, settings.bound, settings.choice, false),
                Family::Mixed => shop.synthesised(&preset, settings.bound, settings.choice, true),
                _ => continue,
            };
            equations.push((family, made.map_err(OptionError)?));
        }
        Ok(Synthesis { settings, preset, shop, equations })
    }

    /// How many cases each family has, in the order they are numbered.
    pub fn counts(&self) -> Vec<(Family, u64)> {
        self.equations.iter().map(|(f, all)| (*f, all.len() as u64)).collect()
    }

    fn satisfiable(&self, number: u64, family: Family, equation: &Equation, draft: &mut Draft) {
        let written = self.shop.write(equation);
        let mut text = String::new();
        let _ = write!(
            text,
            "; smelt strategy=synthesis number={number} family={} {}\n(set-logic {})\n(set-info :status sat)\n",
            family.name(),
            self.settings,
            self.preset.logic
        );
        for (name, sort, value) in &written.variables {
            let _ = writeln!(text, "; model: {name} = {value}");
            let _ = writeln!(text, "(declare-const {name} {sort})");
        }
        let _ = write!(text, "(assert {})\n(check-sat)\n", written.formula);
        draft.text.extend_from_slice(text.as_bytes());
        let mut model = "(\n".to_owned();
        for (name, sort, value) in &written.variables {
            let _ = writeln!(model, "(define-fun {name} () {sort} {value})");
        }
        model.push_str(")\n");
        draft.witness.extend_from_slice(model.as_bytes());
        draft.expectation = Expectation::Sat;
        draft.log.extend_from_slice(format!("{} {}\n", family.name(), self.shop.head(equation)).as_bytes());
    }
}

impl Generator for Synthesis {
    fn name(&self) -> &'static str {
        "synthesis"
    }

    fn options(&self) -> String {
        self.settings.to_string()
    }

    fn total(&self) -> Option<u64> {
        Some(self.counts().iter().map(|c| c.1).sum())
    }

    fn make(&mut self, number: u64, draft: &mut Draft) -> Result<(), Skip> {
        draft.clear();
        let mut at = number;
        for (family, all) in &self.equations {
            match usize::try_from(at).ok().and_then(|i| all.get(i)) {
                Some(equation) => {
                    self.satisfiable(number, *family, equation, draft);
                    return Ok(());
                }
                None => at -= all.len() as u64,
            }
        }
        Err(Skip::NoMoreCases)
    }
}
