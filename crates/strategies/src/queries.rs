//! Queries beyond `check-sat`: a mutant of `operator`, followed by queries about its terms.
//!
//! Each reply is checked separately by smelt's evaluator; the expectation for `check-sat` does not change. Two variants ask for
//! the status in another way: with tactics in front of the solver, and again under assumptions.

use smelt_smtlib::script::{Direction, InfoValue, Promise, Script, tactics};
use smelt_smtlib::{Arena, Command, Sort, Symbol, Term, View, parse_script, sym};

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
    about: "operator mutation, with queries for values, simplified terms, goals, optima, assumptions and proofs",
    needs: Needs::Seeds,
    options: &[
        OptionRow::text(
            "ask",
            "values, simplify, apply, optimize, assumptions, tactics, proofs",
            "values",
            "what is asked",
        ),
        OptionRow::text("terms", "1 to 64", "4", "how many terms are asked about"),
    ],
    ways: || ASKS.iter().map(|(word, _)| format!("ask={word}")).collect(),
    make: |o| Ok(Box::new(Queries::new(o)?)),
};

/// What is asked about some terms of a script.
type Ask = fn(&mut Arena, &[Term], &mut Rng) -> Questions;

/// Commands before the script, before its query, and behind it.
#[derive(Default)]
struct Questions {
    start: Vec<Command>,
    before: Vec<Command>,
    behind: Vec<Command>,
    /// Replaces a plain `check-sat`.
    instead: Option<Command>,
}

const ASKS: &[(&str, Ask)] = &[
    ("values", values),
    ("simplify", simplify),
    ("apply", apply),
    ("optimize", optimize),
    ("assumptions", assumptions),
    ("tactics", tactical),
    ("proofs", proofs),
];

/// The beginning of every query about all assertions, and the plain one.
const QUERY: &[u8] = b"(check-sat";
const PLAIN: &[u8] = b"(check-sat)";
/// What the names of assumptions begin with.
const ASSUMED: &str = "smelt-assumed";

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
    Questions { before, ..behind(vec![Command::Other(name, text)]) }
}

/// Another query about facts of terms, each of which holds if a constant is true, or is false; it assumes these.
fn assumptions(arena: &mut Arena, terms: &[Term], rng: &mut Rng) -> Questions {
    let option = InfoValue {
        keyword: arena.symbol(b":produce-unsat-assumptions"),
        value: Some(arena.symbol(b"true")),
    };
    let (mut commands, mut assumed) = (Vec::new(), Vec::new());
    for (i, &term) in terms.iter().enumerate() {
        let fact = if arena.sort_of(term) == Sort::BOOL {
            Some(term)
        } else {
            let other = terms[rng.below(terms.len())];
            applied(arena, sym::EQUAL, &[term, other])
        };
        let fact =
            fact.and_then(|fact| if rng.one_in(2) { applied(arena, sym::NOT, &[fact]) } else { Some(fact) });
        let name = arena.symbol(format!("{ASSUMED}{i}").as_bytes());
        let fun = arena.fun(name, None, &[], None);
        let constant = arena.app(fun, &[], Sort::BOOL);
        let literal = if rng.one_in(2) { applied(arena, sym::NOT, &[constant]) } else { Some(constant) };
        let (Some(fact), Some(literal)) = (fact, literal) else { continue };
        let Some(guarded) = applied(arena, sym::IMPLIES, &[literal, fact]) else { continue };
        commands.extend([Command::DeclareConst(name, Sort::BOOL), Command::Assert(guarded)]);
        assumed.push(literal);
    }
    commands.push(Command::CheckSatAssuming(assumed.into()));
    commands.push(Command::Plain(sym::GET_UNSAT_ASSUMPTIONS));
    Questions { start: vec![Command::SetOption(option)], ..behind(commands) }
}

/// An operator of Core applied, if it fits.
fn applied(arena: &mut Arena, name: Symbol, args: &[Term]) -> Option<Term> {
    let op = arena.signatures().named(name).next()?;
    arena.apply_op(op, &[], args)
}

/// A proof, with the conclusion of every step; in every other script, cvc5 checks its own.
fn proofs(arena: &mut Arena, _: &[Term], rng: &mut Rng) -> Questions {
    let mut option = |keyword: &[u8], value: &[u8]| {
        let (keyword, value) = (arena.symbol(keyword), Some(arena.symbol(value)));
        Command::SetOption(InfoValue { keyword, value })
    };
    let mut start = vec![option(b":produce-proofs", b"true"), option(b":proof-format-mode", b"alethe")];
    if rng.one_in(2) {
        start.push(option(b":check-proofs", b"true"));
    }
    Questions { start, ..behind(vec![Command::Plain(sym::GET_PROOF)]) }
}

/// The query with tactics in front of z3's usual solver.
fn tactical(arena: &mut Arena, _: &[Term], rng: &mut Rng) -> Questions {
    let all: Vec<&str> = Promise::ALL.into_iter().flat_map(tactics).collect();
    let chosen: Vec<&str> = (0..1 + rng.below(3)).filter_map(|_| rng.pick(&all).copied()).collect();
    let text = format!("(check-sat-using (then {} smt))", chosen.join(" "));
    let query = Command::Other(arena.symbol(b"check-sat-using"), arena.symbol(text.as_bytes()));
    Questions { instead: Some(query), ..Questions::default() }
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
        draft.text.extend(shown(asked.start));
        draft.text.extend_from_slice(&body[..query]);
        draft.text.extend(shown(asked.before));
        match asked.instead {
            Some(instead) => {
                let rest = body[query..].strip_prefix(PLAIN).ok_or(Skip::NotOneQuery)?;
                draft.text.extend(shown(vec![instead]));
                draft.text.extend_from_slice(rest);
            }
            None => draft.text.extend_from_slice(&body[query..]),
        }
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
    fn every_ask_stands_behind_the_query_or_in_its_place_and_can_be_read() {
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
                let queries: Vec<usize> = (0..parsed.script.commands.len())
                    .filter(|&i| parsed.script.commands[i].is_query(&arena))
                    .collect();
                let is_behind = *word != "tactics";
                assert_eq!(queries.len(), 1, "{}", String::from_utf8_lossy(&draft.text));
                assert_eq!(queries[0] + 1 < parsed.script.commands.len(), is_behind);
            }
        }
    }
}
