//! Queries beyond `check-sat`: a mutant of `operator`, followed by queries about its terms.
//!
//! Each reply is checked separately by smelt's evaluator; the expectation for `check-sat` does not change.

use smelt_smtlib::script::{Direction, InfoValue, Promise, Script, tactics};
use smelt_smtlib::{Arena, Command, Sort, Term, View, parse_script, sym};

use crate::operator::Operator;
use crate::options::{OptionError, OptionRow, OptionText, Words};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "queries",
    aliases: &[],
    about: "operator mutation, with queries for values, simplified terms, goals and optima",
    needs: Needs::Seeds,
    options: &[
        OptionRow::text("ask", "values, simplify, apply, optimize", "values", "what is asked"),
        OptionRow::text("terms", "1 to 64", "4", "how many terms are asked about"),
    ],
    ways: || ASKS.iter().map(|(word, _)| format!("ask={word}")).collect(),
    make: |o| Ok(Box::new(Queries::new(o)?)),
};

/// What is asked about some terms of a script.
type Ask = fn(&mut Arena, &[Term], &mut Rng) -> Questions;

/// Commands before the query of the script, and behind it.
#[derive(Default)]
struct Questions {
    before: Vec<Command>,
    behind: Vec<Command>,
}

const ASKS: &[(&str, Ask)] =
    &[("values", values), ("simplify", simplify), ("apply", apply), ("optimize", optimize)];

/// The beginning of every query about all assertions.
const QUERY: &[u8] = b"(check-sat";

/// How many terms are asked about, unless an option says so.
const TERMS: u32 = 4;

fn behind(behind: Vec<Command>) -> Questions {
    Questions { behind, ..Questions::default() }
}

fn values(_: &mut Arena, terms: &[Term], _: &mut Rng) -> Questions {
    behind(vec![Command::GetValue(terms.into())])
}

fn simplify(_: &mut Arena, terms: &[Term], _: &mut Rng) -> Questions {
    behind(terms.iter().map(|term| Command::Simplify(*term)).collect())
}

fn apply(arena: &mut Arena, _: &[Term], rng: &mut Rng) -> Questions {
    let tactics: Vec<&str> = tactics(Promise::Equivalent).chain(tactics(Promise::Implied)).collect();
    let text = format!("(apply {})", tactics[rng.below(tactics.len())]);
    behind(vec![Command::Other(arena.symbol(b"apply"), arena.symbol(text.as_bytes()))])
}

/// Terms with an order become objectives, and others soft assertions.
fn optimize(arena: &mut Arena, terms: &[Term], rng: &mut Rng) -> Questions {
    let mut before = Vec::new();
    for &term in terms {
        let sort = arena.canonical(arena.sort_of(term));
        if matches!(sort, Sort::INT | Sort::REAL) || arena.bitvec_width(sort).is_some() {
            let direction = if rng.one_in(2) { Direction::Up } else { Direction::Down };
            before.push(Command::Optimize(direction, term));
        } else if sort == Sort::BOOL {
            before.push(Command::AssertSoft(term, Box::default()));
        }
    }
    if rng.one_in(2) {
        let (keyword, value) = (arena.symbol(b":opt.priority"), arena.symbol(b"box"));
        before.insert(0, Command::SetOption(InfoValue { keyword, value: Some(value) }));
    }
    let name = arena.symbol(b"get-objectives");
    let text = arena.symbol(b"(get-objectives)");
    Questions { before, behind: vec![Command::Other(name, text)] }
}

/// The strategy `queries`.
#[derive(Debug)]
pub(crate) struct Queries {
    base: Operator,
    ask: usize,
    terms: u32,
}

impl Queries {
    fn new(options: &OptionText) -> Result<Queries, OptionError> {
        let words: Vec<(&str, usize)> = ASKS.iter().enumerate().map(|(i, (word, _))| (*word, i)).collect();
        Ok(Queries {
            base: Operator::new(&OptionText::default())?,
            ask: options.choice("ask", 0, &words)?,
            terms: options.within("terms", TERMS, 1..=64)?,
        })
    }
}

impl Strategy for Queries {
    fn name(&self) -> &'static str {
        ROW.name
    }

    fn options(&self) -> String {
        let words = Words::default().add("ask", ASKS[self.ask].0);
        words.add_if(self.terms != TERMS, "terms", self.terms).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        self.base.next(pool, request, draft)?;
        let start = draft.text.iter().position(|b| *b == b'\n').map_or(0, |end| end + 1);
        let script = draft.text.split_off(start);
        draft.text.clear();
        let mut arena = Arena::new();
        let parsed = parse_script(&mut arena, &script).map_err(|_| Skip::Unsupported)?;
        let last = parsed.script.commands.last();
        if !matches!(last, Some(Command::CheckSat | Command::CheckSatAssuming(_) | Command::Plain(sym::EXIT)))
        {
            return Err(Skip::NotOneQuery);
        }
        let mut rng = Rng::new(request.number);
        let mut all = closed_terms(&arena, &parsed.script);
        let mut terms = Vec::new();
        while !all.is_empty() && terms.len() < self.terms as usize {
            terms.push(all.swap_remove(rng.below(all.len())));
        }
        if terms.is_empty() {
            return Err(Skip::NothingToChange);
        }
        let asked = (ASKS[self.ask].1)(&mut arena, &terms, &mut rng);
        let shown = |commands| arena.display_script(&Script { commands, comments: Vec::new() });
        draft.header(pool, ROW.name, &self.options(), request.number);
        let body = script.trim_ascii_end();
        let body = body.strip_suffix(b"(exit)").unwrap_or(body);
        // The query is the last command.
        let query = body.windows(QUERY.len()).rposition(|w| w == QUERY).unwrap_or(body.len());
        draft.text.extend_from_slice(&body[..query]);
        draft.text.extend(shown(asked.before));
        draft.text.extend_from_slice(&body[query..]);
        draft.text.push(b'\n');
        draft.text.extend(shown(asked.behind));
        draft.log.extend_from_slice(format!("ask for {}\n", ASKS[self.ask].0).as_bytes());
        Ok(())
    }
}

/// The applications in assertions that no binder or `let` encloses, each once.
fn closed_terms(arena: &Arena, script: &Script) -> Vec<Term> {
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    let mut work: Vec<Term> = script.assertions().collect();
    while let Some(term) = work.pop() {
        let is_open = matches!(arena.view(term), View::Binder(_) | View::Let(_) | View::Match(_));
        if is_open || !seen.insert(term) {
            continue;
        }
        let children = arena.children(term);
        let is_regex = arena.sort_view(arena.canonical(arena.sort_of(term))).head == sym::REGLAN;
        if matches!(arena.view(term), View::App(..)) && !children.is_empty() && !is_regex {
            found.push(term);
        }
        work.extend(children);
    }
    // Values say more than truths.
    if found.iter().any(|t| arena.sort_of(*t) != Sort::BOOL) {
        found.retain(|t| arena.sort_of(*t) != Sort::BOOL);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ask_stands_behind_the_script_and_can_be_read() {
        let mut pool = Pool::new();
        let text = b"(set-logic QF_LIA)(declare-const x Int)(assert (let ((y x)) (> y 1)))(assert (< (+ x 1) 9))(check-sat)(exit)";
        let seed = pool.add("a", text, None).unwrap();
        for (word, _) in ASKS {
            let mut strategy = ROW.make(&ROW.read(&format!("ask={word}")).unwrap()).unwrap();
            let mut draft = Draft::default();
            for number in 0..50 {
                strategy.next(&mut pool, &CaseRequest { seeds: &[seed], number }, &mut draft).unwrap();
                let mut arena = Arena::new();
                let parsed = parse_script(&mut arena, &draft.text).unwrap();
                assert!(parsed.diagnostics.is_empty(), "{}", String::from_utf8_lossy(&draft.text));
                let check = parsed.script.commands.iter().position(|c| *c == Command::CheckSat).unwrap();
                assert!(check + 1 < parsed.script.commands.len());
            }
        }
    }
}
