//! Small contradictions without seeds, in two parts that share constants, and queries for their interpolants.
//!
//! A chain of inequalities contradicts itself: the first part bounds a shared constant from above through terms over its own
//! constants, and the second one bounds it from below. More formulas make either part stronger, so the chain stays contradictory.

use smelt_core::Expectation;

use crate::options::{OptionError, OptionRow, OptionText, Words};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::small::{self, FLAG, Kind, SORTS, Small};
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "interpolate",
    aliases: &[],
    about: "small contradictions in two parts that share constants, with queries for interpolants",
    needs: Needs::Nothing,
    options: &[
        small::OVER,
        OptionRow::text("ask", "any, sequence, conjecture", "any", "bitwuzla's query, or cvc5's"),
    ],
    ways: small::ways,
    make: |o| Ok(Box::new(Interpolate::new(o)?)),
};

const ASKS: &[&str] = &["any", "sequence", "conjecture"];
/// One chain in this many has a value between its ends, so that it may be satisfiable.
const LOOSE: usize = 8;
/// One query for the interpolant of a conjecture in this many is followed by one for another interpolant: cvc5 may search
/// for that until it is stopped.
const AGAIN: usize = 10;

/// The strategy `interpolate`.
#[derive(Debug)]
pub(crate) struct Interpolate {
    over: usize,
    ask: usize,
}

impl Interpolate {
    fn new(options: &OptionText) -> Result<Interpolate, OptionError> {
        let asks: Vec<(&str, usize)> = ASKS.iter().enumerate().map(|(i, word)| (*word, i)).collect();
        Ok(Interpolate { over: small::over(options)?, ask: options.choice("ask", 0, &asks)? })
    }
}

impl Strategy for Interpolate {
    fn name(&self) -> &'static str {
        ROW.name
    }

    fn options(&self) -> String {
        let words = Words::default().add("over", SORTS[self.over].0);
        words.add_if(self.ask != 0, "ask", ASKS[self.ask]).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        draft.clear();
        draft.header(pool, ROW.name, &self.options(), request.number);
        let mut rng = Rng::new(request.number);
        let mut small = Small { rng: &mut rng, constants: Vec::new() };
        small.choose(SORTS[self.over].1, 4);
        let mut text = format!("(declare-const {FLAG} Bool)\n");
        for (name, kind) in &small.constants {
            text += &format!("(declare-const {name} {})\n", kind.sort());
        }
        let (first, second) = contradiction(&mut small);
        // Only bitwuzla has the query for sequences, and it has no numbers.
        let is_bits = small.constants.iter().all(|(_, kind)| matches!(kind, Kind::Bits(_)));
        let is_sequence = match ASKS[self.ask] {
            "sequence" => true,
            "conjecture" => false,
            _ => is_bits && small.rng.one_in(2),
        };
        text += &match is_sequence {
            true => sequence(small.rng, &first, &second),
            false => conjecture(small.rng, &first, &second),
        };
        draft.text.extend_from_slice(text.as_bytes());
        draft.expectation = Expectation::Open;
        draft.log.extend_from_slice(b"ask for interpolants\n");
        Ok(())
    }
}

/// Two parts that contradict each other, each as formulas.
fn contradiction(small: &mut Small<'_>) -> (Vec<String>, Vec<String>) {
    let all = std::mem::take(&mut small.constants);
    // The first constant is shared; others may be, too.
    let mut own: [Vec<(String, Kind)>; 2] = [vec![all[0].clone()], vec![all[0].clone()]];
    for (i, constant) in all.iter().enumerate().skip(1) {
        match (i + small.rng.below(2)) % 3 {
            0 => own[0].push(constant.clone()),
            1 => own[1].push(constant.clone()),
            _ => own.iter_mut().for_each(|part| part.push(constant.clone())),
        }
    }
    let (name, kind) = all[0].clone();
    let (at_most, above) = match kind {
        Kind::Bits(_) => {
            *small.rng.pick(&[("bvule", "bvugt"), ("bvsle", "bvsgt")]).unwrap_or(&("bvule", "bvugt"))
        }
        _ => ("<=", ">"),
    };
    let middle = small.literal(kind);
    let [first_own, second_own] = own;
    small.constants = first_own;
    let term = small.term(kind, 2);
    let mut first = vec![format!("({at_most} {name} {term})"), format!("({at_most} {term} {middle})")];
    first.extend((0..small.rng.below(3)).map(|_| small.formula(2)).collect::<Vec<_>>());
    small.constants = second_own;
    let term = small.term(kind, 2);
    let low = if small.rng.one_in(LOOSE) { small.literal(kind) } else { middle };
    let mut second = vec![format!("({above} {name} {term})"), format!("({at_most} {low} {term})")];
    second.extend((0..small.rng.below(2)).map(|_| small.formula(2)).collect::<Vec<_>>());
    small.constants = all;
    (first, second)
}

/// Named assertions, and lists of their names: each moves some more of them from the second part to the first.
fn sequence(rng: &mut Rng, first: &[String], second: &[String]) -> String {
    let mut text = String::new();
    let mut lists: Vec<Vec<String>> = vec![Vec::new()];
    for (i, formula) in first.iter().chain(second).enumerate() {
        let name = format!("n{i}");
        text += &format!("(assert (! {formula} :named {name}))\n");
        // Most sequences end where the second part begins.
        if i < first.len() || rng.one_in(4) {
            if lists.last().is_some_and(|l| !l.is_empty()) && rng.one_in(2) {
                lists.push(Vec::new());
            }
            lists.last_mut().into_iter().for_each(|l| l.push(name.clone()));
        }
    }
    let lists: Vec<String> = lists.iter().map(|l| format!("({})", l.join(" "))).collect();
    text + &format!("(check-sat)\n(get-interpolants {})\n", lists.join(" "))
}

/// The first part as assertions, and the negation of the second one as a conjecture.
fn conjecture(rng: &mut Rng, first: &[String], second: &[String]) -> String {
    let mut text: String = first.iter().map(|formula| format!("(assert {formula})\n")).collect();
    text += &format!("(check-sat)\n(get-interpolant smelt-interpolant (not (and {})))\n", second.join(" "));
    if rng.one_in(AGAIN) {
        text += "(get-interpolant-next)\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_well_sorted_and_asks_for_interpolants() {
        small::assert_every_case(&ROW, |_, text| text.contains("(get-interpolant"));
    }
}
