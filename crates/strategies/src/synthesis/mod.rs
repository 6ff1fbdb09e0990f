//! Synthesis: formulas about every operation of a theory, whose status is known by how they are made.
//!
//! Satisfiable ones are equations that the reference semantics says to hold for some values (`equation`), and come
//! with these as model. Unsatisfiable ones deny an operation and assert its definition (`goal`); their assertions are
//! named, and they come with the core that is needed (`needed`).
//! `docs/synthesis.md` has the families, the format of the data, and what is printed wrong in the paper.

mod equation;
mod goal;
mod needed;
mod options;
mod preset;
mod shape;
mod statement;
mod values;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt::Write;

use smelt_core::Expectation;

use crate::generator::Generator;
use crate::strategy::{Draft, OptionError, Skip};
use crate::template::plain;
pub use equation::Choice;
use equation::{Equation, Workshop};
use goal::{Goal, Move};
pub use options::{Family, Patterns, Settings};
use preset::Preset;
pub use preset::presets;
use shape::{is_quantified, without_patterns};
use statement::Statements;

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
    statements: Statements,
    /// The formulas, by family.
    families: Vec<(Family, Formulas)>,
}

/// The formulas of a family.
#[derive(Debug)]
enum Formulas {
    Sat(Vec<Equation>),
    Unsat(Vec<Chain>),
}

impl Formulas {
    fn len(&self) -> usize {
        match self {
            Formulas::Sat(all) => all.len(),
            Formulas::Unsat(all) => all.len(),
        }
    }
}

/// An equivalence with some replacements.
#[derive(Clone, Debug)]
struct Chain {
    equivalence: usize,
    moves: Box<[Move]>,
    patterns: bool,
}

/// More chains than this are a mistake in the options.
const MAX_CHAINS: usize = 2_000_000;

/// A case with all that is known about it.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its script, expectation and model.
    pub draft: Draft,
    /// How it was made.
    pub family: Option<Family>,
    /// Whether its quantifiers have patterns.
    pub patterns: bool,
    /// The names of the assertions that contradict each other.
    pub core: Vec<String>,
    /// For names of the core, a model of all other assertions. If each has one, there is no other minimal core.
    pub without: Vec<(String, String)>,
}

impl Case {
    /// Whether no other core is minimal.
    pub fn is_unique(&self) -> bool {
        self.core.len() == self.without.len()
    }
}

impl Synthesis {
    /// The generator of a text of options.
    pub fn read(options: &str) -> Result<Synthesis, OptionError> {
        Synthesis::new(Settings::read(options).map_err(OptionError)?)
    }

    /// The generator of some settings.
    pub fn new(settings: Settings) -> Result<Synthesis, OptionError> {
        Synthesis::build(settings).map_err(OptionError)
    }

    fn build(settings: Settings) -> Result<Synthesis, String> {
        let mut preset = preset::find(&settings.preset, settings.width)?;
        if let Some(text) = &settings.constants {
            for (sort, values) in preset::overrides(text)? {
                let Some(row) = preset.constants.iter_mut().find(|r| r.0 == sort) else {
                    return Err(format!("preset `{}` has no constants of sort `{sort}`", settings.preset));
                };
                row.1 = values;
            }
        }
        let mut shop = Workshop::new(&preset);
        let statements = Statements::of(&preset)?;
        let wanted = settings.families();
        let mut families = Vec::new();
        for &family in wanted.iter().filter(|f| f.is_sat()) {
            let made = match family {
                Family::Operation => shop.operations(&preset)?,
                Family::Assignment => shop.assignments(&preset)?,
                mixed => {
                    shop.synthesised(&preset, settings.bound, settings.choice, mixed == Family::Mixed)?
                }
            };
            families.push((family, Formulas::Sat(made)));
        }
        let unsat: Vec<Family> = wanted.into_iter().filter(|f| !f.is_sat()).collect();
        if !unsat.is_empty() {
            let mut chains = chains(&statements, &settings)?;
            for family in unsat {
                families.push((family, Formulas::Unsat(chains.remove(&family).unwrap_or_default())));
            }
        }
        Ok(Synthesis { settings, preset, shop, statements, families })
    }

    /// How many cases each family has, in the order they are numbered.
    pub fn counts(&self) -> Vec<(Family, u64)> {
        self.families.iter().map(|(f, all)| (*f, all.len() as u64)).collect()
    }

    /// Case `number`.
    pub fn case(&self, number: u64) -> Result<Case, Skip> {
        let mut at = usize::try_from(number).map_err(|_| Skip::NoMoreCases)?;
        for (family, all) in &self.families {
            match all {
                _ if at >= all.len() => at -= all.len(),
                Formulas::Sat(all) => return Ok(self.satisfiable(number, *family, &all[at])),
                Formulas::Unsat(all) => return Ok(self.unsatisfiable(number, *family, &all[at])),
            }
        }
        Err(Skip::NoMoreCases)
    }

    /// The first line of a script, and its logic and status.
    fn head(&self, number: u64, family: Family, logic: &str, status: &str) -> String {
        // The settings name the family too, if there is but one.
        let family = match self.settings.family {
            Some(_) => String::new(),
            None => format!(" made={}", family.name()),
        };
        format!(
            "; smelt strategy=synthesis number={number} {}{family}\n(set-logic {logic})\n(set-info :status {status})\n",
            self.settings
        )
    }

    fn satisfiable(&self, number: u64, family: Family, equation: &Equation) -> Case {
        let written = self.shop.write(equation);
        let mut text = self.head(number, family, &self.preset.logic, "sat");
        let mut model = "(\n".to_owned();
        for (name, sort, value) in &written.variables {
            let _ = writeln!(text, "(declare-const {name} {sort})");
            let _ = writeln!(model, "(define-fun {name} () {sort} {value})");
        }
        model.push_str(")\n");
        let _ = writeln!(text, "(assert {})", written.formula);
        for (name, _, value) in &written.variables {
            let _ = writeln!(text, "; model: {name} = {value}");
        }
        text.push_str("(check-sat)\n");
        Case {
            draft: Draft {
                text: text.into_bytes(),
                expectation: Expectation::Sat,
                log: format!("{} {}\n", family.name(), self.shop.head(equation)).into_bytes(),
                witness: model.into_bytes(),
                ..Draft::default()
            },
            family: Some(family),
            ..Case::default()
        }
    }

    fn goal(&self, chain: &Chain) -> Goal {
        let mut goal = Goal::new(&self.statements.equivalences[chain.equivalence], &self.statements);
        for &step in &chain.moves {
            goal = goal.replaced(&self.statements, step);
        }
        goal
    }

    fn unsatisfiable(&self, number: u64, family: Family, chain: &Chain) -> Case {
        let goal = self.goal(chain);
        let logic = if is_quantified(&goal.definition) { "ALL" } else { &self.preset.logic };
        let mut text = self.head(number, family, logic, "unsat");
        for (name, sort) in &goal.declarations {
            let _ = writeln!(text, "(declare-const {name} {sort})");
        }
        let mut core = Vec::new();
        for (i, (assertion, in_core)) in goal.assertions().into_iter().enumerate() {
            let assertion = if chain.patterns { assertion } else { without_patterns(&assertion) };
            let _ = writeln!(text, "(assert (! {} :named a{i}))", plain(&assertion));
            if in_core {
                core.push(format!("a{i}"));
            }
        }
        let needed = needed::needed(&goal).unwrap_or_default();
        debug_assert!(!needed.refuted, "there is no model of\n{text}");
        let mut without = Vec::new();
        for (i, model) in needed.models.into_iter().enumerate() {
            let name = format!("a{i}");
            if let Some(model) = model.filter(|_| core.contains(&name)) {
                without.push((name, model));
            }
        }
        let mut case =
            Case { family: Some(family), patterns: chain.patterns, core, without, ..Case::default() };
        let kind = if case.is_unique() { "the only minimal core" } else { "a core" };
        let _ = write!(text, "; {kind}: {}\n(check-sat)\n", case.core.join(" "));
        case.draft = Draft {
            text: text.into_bytes(),
            expectation: Expectation::Unsat,
            log: format!("{} {}\n", family.name(), goal.rules.join(" ")).into_bytes(),
            ..Draft::default()
        };
        case
    }
}

/// All unsatisfiable formulas up to a number of replacements, by the family of the last.
fn chains(statements: &Statements, settings: &Settings) -> Result<HashMap<Family, Vec<Chain>>, String> {
    let mut all: HashMap<Family, Vec<Chain>> = HashMap::new();
    let mut count = 0;
    for (equivalence, e) in statements.equivalences.iter().enumerate() {
        let mut work: Vec<(Goal, Vec<Move>)> = vec![(Goal::new(e, statements), Vec::new())];
        while let Some((goal, moves)) = work.pop() {
            let kinds: &[bool] = match (is_quantified(&goal.definition), settings.patterns) {
                // Without quantifiers there is nothing to say about patterns.
                (false, _) | (true, Patterns::Without) => &[false],
                (true, Patterns::With) => &[true],
                (true, Patterns::Both) => &[false, true],
            };
            count += kinds.len();
            if count > MAX_CHAINS {
                return Err(format!("more than {MAX_CHAINS} formulas: take fewer steps"));
            }
            for &patterns in kinds {
                let chain = Chain { equivalence, moves: moves.clone().into(), patterns };
                all.entry(goal.family).or_default().push(chain);
            }
            if moves.len() < settings.steps as usize {
                for step in goal.moves(statements, moves.last().copied()).into_iter().rev() {
                    let mut longer = moves.clone();
                    longer.push(step);
                    work.push((goal.replaced(statements, step), longer));
                }
            }
        }
    }
    Ok(all)
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
        *draft = self.case(number)?.draft;
        Ok(())
    }
}

/// The same, made when the first case is asked for: a campaign has many, and begins at once.
#[derive(Debug)]
pub(crate) struct OnDemand {
    settings: Settings,
    made: OnceCell<Option<Synthesis>>,
}

impl OnDemand {
    pub(crate) fn read(options: &str) -> Result<OnDemand, OptionError> {
        let settings = Settings::read(options).map_err(OptionError)?;
        preset::find(&settings.preset, settings.width).map_err(OptionError)?;
        // What only building can tell is told at once where the user chose it.
        let usual =
            Settings { preset: settings.preset.clone(), family: settings.family, ..Settings::default() };
        let made = OnceCell::new();
        if settings != usual {
            let _ = made.set(Some(Synthesis::new(settings.clone())?));
        }
        Ok(OnDemand { settings, made })
    }

    fn built(&self) -> Option<&Synthesis> {
        self.made.get_or_init(|| Synthesis::new(self.settings.clone()).ok()).as_ref()
    }
}

impl Generator for OnDemand {
    fn name(&self) -> &'static str {
        "synthesis"
    }

    fn options(&self) -> String {
        self.settings.to_string()
    }

    fn total(&self) -> Option<u64> {
        Some(self.built().map_or(0, |s| s.counts().iter().map(|c| c.1).sum()))
    }

    fn is_finite(&self) -> bool {
        true
    }

    fn make(&mut self, number: u64, draft: &mut Draft) -> Result<(), Skip> {
        self.built();
        match self.made.get_mut() {
            Some(Some(synthesis)) => synthesis.make(number, draft),
            _ => Err(Skip::NoMoreCases),
        }
    }
}
