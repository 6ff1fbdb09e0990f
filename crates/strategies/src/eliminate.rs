//! Small quantified formulas without seeds, and tactics that rewrite them: the result must preserve what the tactic
//! promises, such as equivalence or only satisfiability.

use smelt_core::Expectation;
use smelt_smtlib::script::{Promise, tactics};

use crate::options::{OptionError, OptionRow, OptionText, Words};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::small::{self, FLAG, SORTS, Small};
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "eliminate",
    aliases: &[],
    about: "small quantified formulas with quantifier-elimination and simplification commands",
    needs: Needs::Nothing,
    options: &[small::OVER, OptionRow::text("tactics", "1 to 32", "6", "how many tactics are applied")],
    ways: small::ways,
    make: |o| Ok(Box::new(Eliminate::new(o)?)),
};

/// How many tactics are applied, unless an option says so: a script costs more than a tactic on a small formula.
const TACTICS: u32 = 6;
/// Tactics that eliminate quantifiers: they stand first, where formulas have some.
const ELIMINATIONS: [&str; 5] = ["qe", "qe2", "qe-light", "qe_rec", "elim-small-bv"];
/// One script in this many asks for the status too.
const CHECKED: usize = 4;

/// The strategy `eliminate`.
#[derive(Debug)]
pub(crate) struct Eliminate {
    over: usize,
    tactics: u32,
}

impl Eliminate {
    fn new(options: &OptionText) -> Result<Eliminate, OptionError> {
        Ok(Eliminate { over: small::over(options)?, tactics: options.within("tactics", TACTICS, 1..=32)? })
    }
}

impl Strategy for Eliminate {
    fn name(&self) -> &'static str {
        ROW.name
    }

    fn options(&self) -> String {
        let words = Words::default().add("over", SORTS[self.over].0);
        words.add_if(self.tactics != TACTICS, "tactics", self.tactics).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        draft.clear();
        draft.header(pool, ROW.name, &self.options(), request.number);
        let mut rng = Rng::new(request.number);
        let mut small = Small { rng: &mut rng, constants: Vec::new() };
        small.choose(SORTS[self.over].1, 2);
        let mut text = format!("(declare-const {FLAG} Bool)\n");
        for (name, kind) in &small.constants {
            text += &format!("(declare-const {name} {})\n", kind.sort());
        }
        let quantified = quantified(&mut small);
        text += &format!("(get-qe {quantified})\n");
        text += &format!("(assert {quantified})\n");
        for _ in 0..small.rng.below(3) {
            text += &format!("(assert {})\n", small.formula(1));
        }
        for i in 0..self.tactics as usize {
            text += &format!("(apply {})\n", tactic(small.rng, i));
        }
        if small.rng.one_in(CHECKED) {
            text += "(check-sat)\n";
        }
        draft.text.extend_from_slice(text.as_bytes());
        draft.expectation = Expectation::Open;
        draft.log.extend_from_slice(b"apply tactics\n");
        Ok(())
    }
}

/// A quantified formula: a variable or two, with bounds or without, and a body over them and the constants.
fn quantified(small: &mut Small<'_>) -> String {
    let outside = small.constants.clone();
    let mut variables = String::new();
    let mut bounds = Vec::new();
    for i in 0..1 + small.rng.below(2) {
        let Some((_, kind)) = small.rng.pick(&outside).cloned() else { break };
        let name = format!("v{i}");
        variables += &format!("({name} {})", kind.sort());
        // With bounds, the evaluator can try every integer.
        if small.rng.one_in(2) {
            bounds.extend(small.bounds(&name, kind));
        }
        small.constants.push((name, kind));
    }
    let body = small.formula(2);
    let is_universal = small.rng.one_in(3);
    small.constants = outside;
    let (binder, body) = match (is_universal, &bounds[..]) {
        (true, []) => ("forall", body),
        (true, all) => ("forall", format!("(=> (and {}) {body})", all.join(" "))),
        (false, []) => ("exists", body),
        (false, all) => ("exists", format!("(and {} {body})", all.join(" "))),
    };
    format!("({binder} ({variables}) {body})")
}

/// A tactic, or two in a row.
fn tactic(rng: &mut Rng, place: usize) -> String {
    if let Some(elimination) = ELIMINATIONS.get(place).filter(|_| !rng.one_in(4)) {
        return (*elimination).to_owned();
    }
    let all: Vec<&str> = Promise::ALL.into_iter().flat_map(tactics).collect();
    let mut one = || *rng.pick(&all).unwrap_or(&"simplify");
    let (first, second) = (one(), one());
    if rng.one_in(4) { format!("(then {first} {second})") } else { first.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_formula_is_well_sorted_and_has_a_quantifier() {
        small::assert_every_case(&ROW, |_, text| text.contains("(exists") || text.contains("(forall"));
    }
}
