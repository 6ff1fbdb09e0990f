//! Synthesis: formulas about every operation of a theory, with a status known by construction.
//!
//! Satisfiable formulas are equations that hold for some values in the reference semantics (`equation`), and these
//! values are the model. Unsatisfiable formulas negate an operation and assert its definition (`goal`); their
//! assertions are named, and their needed core is known (`needed`). `docs/book/src/reference/synthesis.md`
//! describes the families, the format of the data, and the misprints in the paper.

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

use crate::alive::Sieve;
use crate::options::{OptionError, OptionText};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use crate::template::plain;
use equation::{Equation, Workshop};
use goal::{Goal, Move};
use options::{Family, Patterns, Settings};
use preset::Preset;
use shape::{is_quantified, without_patterns};
use statement::Statements;

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "synthesis",
    aliases: &[],
    about: "formulas about each operation of a theory, with their model or unsat core",
    needs: Needs::Nothing,
    options: options::OPTIONS,
    ways,
    make: |o| Ok(Box::new(Synthesis::new(o)?)),
};

/// A family of a preset is a way of its own, without what simplification decides.
fn ways() -> Vec<String> {
    let all = preset::names().filter(|name| !matches!(*name, "paper" | "printed"));
    let of_preset = |name| {
        let way = move |(family, _)| format!("preset={name} family={family} decided=skip");
        // Two replacements in one formula.
        let deeper = ["variable", "constant", "noise"];
        let deeper = deeper.map(|family| format!("preset={name} family={family} steps=2 decided=skip"));
        Family::ALL.map(way).into_iter().chain(deeper)
    };
    all.flat_map(of_preset).collect()
}

/// The strategy `synthesis`. The formulas are built when the first case is made: a campaign has many such strategies,
/// and begins at once.
#[derive(Debug)]
pub(crate) struct Synthesis {
    settings: Settings,
    built: OnceCell<Option<Built>>,
    sieve: Sieve,
}

impl Synthesis {
    fn new(options: &OptionText) -> Result<Synthesis, OptionError> {
        let settings = Settings::new(options)?;
        settings.find_preset().map_err(OptionError::new)?;
        let built = OnceCell::new();
        if !settings.is_plain() {
            // Errors occur only when the formulas are built: do it now, so that the user sees them.
            let _ = built.set(Some(Built::new(&settings).map_err(OptionError::new)?));
        }
        Ok(Synthesis { settings, built, sieve: Sieve::of(options)? })
    }

    fn built(&self) -> Option<&Built> {
        self.built.get_or_init(|| Built::new(&self.settings).ok()).as_ref()
    }
}

impl Strategy for Synthesis {
    fn name(&self) -> &'static str {
        "synthesis"
    }

    fn options(&self) -> String {
        self.sieve.words(self.settings.words()).text()
    }

    fn next(&mut self, _: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        *draft = self.built().ok_or(Skip::NoMoreCases)?.case(request.number)?;
        self.sieve.passes(request.number, &draft.text)
    }

    fn leaves_out_decided(&self) -> bool {
        self.sieve.leaves_out()
    }

    fn total(&self) -> Option<u64> {
        Some(self.built().map_or(0, |built| built.counts().map(|c| c.1).sum()))
    }

    fn is_finite(&self) -> bool {
        true
    }

    fn statistics(&self) -> Option<(&'static str, Vec<(String, u64)>)> {
        let counts = self.built()?.counts().map(|(family, n)| (family.name().to_owned(), n));
        Some(("families", counts.collect()))
    }
}

/// All formulas of some settings.
#[derive(Debug)]
struct Built {
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
    /// Groups of some equations, by position.
    Several(Vec<Equation>, Vec<Box<[u32]>>),
}

impl Formulas {
    /// Keeps this many, spread evenly over all.
    fn thin(&mut self, most: u64) {
        fn keep<T>(all: &mut Vec<T>, most: u64) {
            let (len, mut at) = (all.len() as u64, 0);
            // Number i is kept if a multiple of len / most lies between it and the next.
            all.retain(|_| {
                let kept = at * most % len < most;
                at += 1;
                kept
            });
        }
        if self.len() as u64 > most {
            match self {
                Formulas::Sat(all) => keep(all, most),
                Formulas::Unsat(all) => keep(all, most),
                Formulas::Several(_, all) => keep(all, most),
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Formulas::Sat(all) => all.len(),
            Formulas::Unsat(all) => all.len(),
            Formulas::Several(_, all) => all.len(),
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

impl Built {
    fn new(settings: &Settings) -> Result<Built, String> {
        let mut preset = settings.find_preset()?;
        if let Some(text) = &settings.constants {
            for (sort, values) in preset::overrides(text)? {
                let Some(row) = preset.constants.iter_mut().find(|r| r.0 == sort) else {
                    return Err(format!("preset `{}` has no constants of sort `{sort}`", settings.preset));
                };
                row.1 = values;
            }
        }
        let mut shop = Workshop::new(&preset);
        let statements = Statements::of(&preset, settings.statement_files())?;
        let wanted = settings.families();
        let mut families = Vec::new();
        for &family in wanted.iter().filter(|f| f.is_sat() && **f != Family::Several) {
            let made = match family {
                Family::Operation => shop.operations(&preset)?,
                Family::Assignment => shop.assignments(&preset)?,
                mixed => {
                    shop.synthesised(&preset, settings.bound, settings.choice, mixed == Family::Mixed)?
                }
            };
            families.push((family, Formulas::Sat(made)));
        }
        let unsat: Vec<Family> = wanted.iter().copied().filter(|f| !f.is_sat()).collect();
        if !unsat.is_empty() {
            let mut chains = chains(&statements, settings)?;
            for family in unsat {
                families.push((family, Formulas::Unsat(chains.remove(&family).unwrap_or_default())));
            }
        }
        if wanted.contains(&Family::Several) {
            let mut equations = shop.assignments(&preset)?;
            equations.extend(shop.synthesised(&preset, settings.bound, settings.choice, false)?);
            let groups = shop.groups(&equations);
            families.push((Family::Several, Formulas::Several(equations, groups)));
        }
        if let Some(samples) = settings.samples {
            families.iter_mut().for_each(|(_, all)| all.thin(samples.into()));
        }
        Ok(Built { settings: settings.clone(), preset, shop, statements, families })
    }

    /// How many cases each family has, in the order they are numbered.
    fn counts(&self) -> impl Iterator<Item = (Family, u64)> {
        self.families.iter().map(|(f, all)| (*f, all.len() as u64))
    }

    /// Case `number`.
    fn case(&self, number: u64) -> Result<Draft, Skip> {
        let mut at = usize::try_from(number).map_err(|_| Skip::NoMoreCases)?;
        for (family, all) in &self.families {
            if at >= all.len() {
                at -= all.len();
                continue;
            }
            match all {
                Formulas::Sat(all) => return Ok(self.satisfiable(number, *family, &[&all[at]])),
                Formulas::Several(equations, all) => {
                    let group: Vec<&Equation> = all[at].iter().map(|i| &equations[*i as usize]).collect();
                    return Ok(self.satisfiable(number, *family, &group));
                }
                Formulas::Unsat(all) => return self.unsatisfiable(number, *family, &all[at]),
            }
        }
        Err(Skip::NoMoreCases)
    }

    /// The first line of a script, and its logic and status.
    fn head(&self, number: u64, family: Family, logic: &str, status: &str) -> String {
        // The settings name the family too, if there is but one.
        let family = match self.settings.family[..] {
            [_] => String::new(),
            _ => format!(" made={}", family.name()),
        };
        format!(
            "; smelt strategy=synthesis number={number} {}{family}\n{}(set-logic {logic})\n(set-info :status {status})\n",
            self.settings.to_text(),
            self.settings.tuned.commands()
        )
    }

    fn satisfiable(&self, number: u64, family: Family, equations: &[&Equation]) -> Draft {
        let (written, before) = self.shop.write_all(equations);
        let mut text = self.head(number, family, &self.preset.logic, "sat");
        let mut model = "(\n".to_owned();
        for (name, sort, value) in &written.variables {
            let _ = writeln!(text, "(declare-const {name} {sort})");
            let _ = writeln!(model, "(define-fun {name} () {sort} {value})");
        }
        model.push_str(")\n");
        for formula in before.iter().chain([&written.formula]) {
            let _ = writeln!(text, "(assert {formula})");
        }
        for (name, _, value) in &written.variables {
            let _ = writeln!(text, "; model: {name} = {value}");
        }
        text.push_str("(check-sat)\n");
        let heads: Vec<&str> = equations.iter().map(|e| self.shop.head(e)).collect();
        Draft {
            text: text.into_bytes(),
            expectation: Expectation::SAT,
            log: format!("{} {}\n", family.name(), heads.join(" ")).into_bytes(),
            witness: model.into_bytes(),
            category: family.name().to_owned(),
            ..Draft::default()
        }
    }

    fn goal(&self, chain: &Chain) -> Goal {
        let mut goal = Goal::new(&self.statements.equivalences[chain.equivalence], &self.statements);
        for &step in &chain.moves {
            goal = goal.replaced(&self.statements, step);
        }
        goal
    }

    fn unsatisfiable(&self, number: u64, family: Family, chain: &Chain) -> Result<Draft, Skip> {
        let goal = self.goal(chain);
        let needed = needed::needed(&goal).unwrap_or_default();
        if needed.refuted {
            return Err(Skip::Refuted);
        }
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
        let mut without = Vec::new();
        for (i, model) in needed.models.into_iter().enumerate() {
            let name = format!("a{i}");
            if let Some(model) = model.filter(|_| core.contains(&name)) {
                without.push((name, model));
            }
        }
        // With a model of all the others for each name of the core, there is no other minimal core.
        let kind = if core.len() == without.len() { "the only minimal core" } else { "a core" };
        let _ = write!(text, "; {kind}: {}\n(check-sat)\n", core.join(" "));
        Ok(Draft {
            text: text.into_bytes(),
            expectation: Expectation::UNSAT,
            log: format!("{} {}\n", family.name(), goal.rules.join(" ")).into_bytes(),
            category: format!("{}{}", family.name(), if chain.patterns { " with patterns" } else { "" }),
            core,
            models_without: without,
            ..Draft::default()
        })
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
