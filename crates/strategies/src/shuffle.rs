//! Variants that must have the same answer as the seed: renamed, reordered, with other query commands.
//!
//! Every change keeps the set of models, or their number: renaming; another order of assertions, of declarations
//! and of commutative arguments; assertions under `push`, or an irrelevant stack removed; some assertions as
//! assumptions; another query before, followed by `pop` or `reset`.

use std::collections::HashSet;

use smelt_core::{Expectation, Relation};
use smelt_smtlib::rename::{Renaming, bound_names, declared_names};
use smelt_smtlib::rewrite::rewrite;
use smelt_smtlib::script::{Command, InfoValue, Script};
use smelt_smtlib::{Arena, Printer, Sort, Symbol, Term, View, sym};

use crate::options::OptionRow;
use crate::pool::{Pool, Seed};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use crate::widen::widened;

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "shuffle",
    aliases: &[],
    about: "rename, reorder and rephrase queries; the answer must not change",
    needs: Needs::Seeds,
    options: &[OptionRow::text("changes", "all", "all", "which changes are made")],
    ways: Vec::new,
    make: |o| o.choice("changes", (), &[("all", ())]).map(|()| Box::new(Shuffle::default()) as _),
};

/// The strategy `shuffle`.
#[derive(Debug, Default)]
pub(crate) struct Shuffle {}

/// A change: what it is called, and what it does. `false` when the script does not offer it.
type Change = (&'static str, fn(&mut Arena, &mut Script, &mut Rng) -> bool);

const CHANGES: &[Change] = &[
    ("ask something else and pop", ask_and_pop),
    ("ask something else and reset", ask_and_reset),
    ("flatten the stack", flatten),
    ("put under push", wrap),
    ("assert as assumptions", assume),
    ("reorder assertions", reorder_assertions),
    ("reorder declarations", reorder_declarations),
    ("reorder arguments", reorder_arguments),
    ("rename", rename),
    ("widen the logic", widen),
];

/// How many of the changes, the first, are made one time in eight only: they cost a second query or a new process.
const RARE: usize = 2;

impl Strategy for Shuffle {
    fn name(&self) -> &'static str {
        "shuffle"
    }

    fn options(&self) -> String {
        "all".to_owned()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let id = request.seed()?;
        draft.start(id);
        let mut rng = Rng::new(request.number);
        let (arena, seed) = pool.parts(id);
        let odd = |c: &Command| {
            matches!(c, Command::Malformed(_) | Command::Plain(sym::RESET | sym::RESET_ASSERTIONS))
        };
        if !seed.script.commands.iter().any(is_query) || seed.script.commands.iter().any(odd) {
            return Err(Skip::NotOneQuery);
        }
        let mark = arena.checkpoint();
        let mut script = seed.script.clone();
        let must = rng.below(CHANGES.len());
        for (i, (name, change)) in CHANGES.iter().enumerate() {
            let odds = if i < RARE { 8 } else { 2 };
            if (i == must || rng.one_in(odds)) && change(arena, &mut script, &mut rng) {
                draft.log.extend_from_slice(name.as_bytes());
                draft.log.push(b'\n');
            }
        }
        if draft.log.is_empty() {
            arena.rollback(mark);
            return Err(Skip::NothingToChange);
        }
        draft.header(pool, "shuffle", &self.options(), request.number);
        let (arena, seed) = pool.parts(id);
        write(arena, seed, &script, &mut draft.text);
        draft.expectation = Expectation::Related(Relation::Same);
        arena.rollback(mark);
        Ok(())
    }
}

/// The script as text, its status behind the logic if it is known.
fn write(arena: &Arena, seed: &Seed, script: &Script, out: &mut Vec<u8>) {
    let single = script.commands.iter().filter(|c| is_query(c)).count() == 1;
    let status = seed.status.filter(|_| single).map(|s| format!("(set-info :status {s})\n"));
    let logic = script.commands.iter().position(|c| matches!(c, Command::SetLogic(_)));
    if let (None, Some(status)) = (logic, &status) {
        out.extend_from_slice(status.as_bytes());
    }
    for (i, command) in script.commands.iter().enumerate() {
        Printer::new(arena, out).command(command);
        out.push(b'\n');
        if let (true, Some(status)) = (Some(i) == logic, &status) {
            out.extend_from_slice(status.as_bytes());
        }
    }
}

fn is_query(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_))
}

/// The only query of a script without a stack, if it is a plain one.
fn single_query(script: &Script) -> Option<usize> {
    let stack = |c: &Command| matches!(c, Command::Push(_) | Command::Pop(_) | Command::Other(..));
    if script.commands.iter().any(stack) || script.commands.iter().filter(|c| is_query(c)).count() != 1 {
        return None;
    }
    script.commands.iter().position(|c| matches!(c, Command::CheckSat))
}

/// Takes away a stack from which nothing is popped before the only query.
fn flatten(_: &mut Arena, script: &mut Script, _: &mut Rng) -> bool {
    let position = |f: fn(&Command) -> bool| script.commands.iter().position(f);
    let queries = script.commands.iter().filter(|c| is_query(c)).count();
    let (Some(query), Some(_)) = (position(is_query), position(|c| matches!(c, Command::Push(_)))) else {
        return false;
    };
    let pop = position(|c| matches!(c, Command::Pop(_))).unwrap_or(script.commands.len());
    let quiet = |c: &Command| {
        matches!(c, Command::Pop(_) | Command::Push(_) | Command::Plain(_) | Command::SetInfo(_))
    };
    if queries != 1 || pop < query || !script.commands[pop..].iter().all(quiet) {
        return false;
    }
    script.commands.retain(|c| !matches!(c, Command::Push(_) | Command::Pop(_)));
    true
}

/// Puts some assertions of a flat script above a `push`. Nothing is popped: models are asked for at the end.
fn wrap(_: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    let Some(query) = single_query(script) else { return false };
    let first = script.commands.iter().position(|c| matches!(c, Command::Assert(_))).unwrap_or(query);
    let at = first + rng.below(query - first + 1);
    script.commands.insert(at, Command::Push(1));
    true
}

/// Asks of the negation of an assertion, or of a contradiction, before the only query, and takes it back.
fn ask_and_pop(arena: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    let Some(query) = single_query(script) else { return false };
    let Some(other) = contrary(arena, script, rng) else { return false };
    let mut detour = vec![Command::Push(1), Command::Assert(other), Command::Pop(1)];
    if rng.one_in(2) {
        detour.insert(2, Command::CheckSat);
    }
    script.commands.splice(query..query, detour);
    true
}

/// Asks of the script with a contradiction first, then resets the solver and asks of the script as it is.
fn ask_and_reset(arena: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    let Some(query) = single_query(script) else { return false };
    let Some(other) = contrary(arena, script, rng) else { return false };
    let mut first = script.commands[..query].to_vec();
    first.retain(|c| !matches!(c, Command::SetInfo(_) | Command::Plain(_)));
    // Solvers forget with the rest that models were asked for.
    let models = InfoValue { keyword: arena.symbol(b":produce-models"), value: Some(sym::TRUE) };
    first.extend([Command::Assert(other), Command::CheckSat, Command::Plain(sym::RESET)]);
    first.push(Command::SetOption(models));
    script.commands.splice(0..0, first);
    true
}

/// Something that contradicts a script's assertions: the negation of one, or `false`.
fn contrary(arena: &mut Arena, script: &Script, rng: &mut Rng) -> Option<Term> {
    if has_names(arena, script) {
        return None;
    }
    let asserted: Vec<Term> = script
        .commands
        .iter()
        .filter_map(|c| if let Command::Assert(t) = c { Some(*t) } else { None })
        .collect();
    let op = |name| arena.signatures().named(name).next();
    match rng.pick(&asserted) {
        Some(&term) if rng.one_in(2) => {
            let not = op(sym::NOT)?;
            arena.apply_op(not, &[], &[term])
        }
        _ => {
            let falsity = op(sym::FALSE)?;
            arena.apply_op(falsity, &[], &[])
        }
    }
}

/// Makes some assertions depend on a new constant that the query assumes.
fn assume(arena: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    let Some(query) = script.commands.iter().position(|c| matches!(c, Command::CheckSat)) else {
        return false;
    };
    // Another query, such as one by a solver's own tactic, would not assume anything.
    let queries = script.commands.iter().filter(|c| is_query(c) || c.is_query(arena)).count();
    if queries != 1 || has_names(arena, script) {
        return false;
    }
    let mut asserted: Vec<usize> =
        (0..query).filter(|&i| matches!(script.commands[i], Command::Assert(_))).collect();
    if asserted.is_empty() || script.commands[..query].iter().any(|c| matches!(c, Command::Pop(_))) {
        return false;
    }
    rng.shuffle(&mut asserted);
    asserted.truncate(1 + rng.below(3));
    asserted.sort_unstable();
    let prefix = free_prefix(arena, script, b"assumed");
    let Some(implies) = arena.signatures().named(sym::IMPLIES).next() else { return false };
    let mut assumptions = Vec::new();
    for (k, &i) in asserted.iter().enumerate().rev() {
        let name = arena.symbol(&[&prefix[..], k.to_string().as_bytes()].concat());
        let fun = arena.fun(name, None, &[], None);
        let constant = arena.app(fun, &[], Sort::BOOL);
        let Command::Assert(term) = script.commands[i] else { unreachable!("only assertions were listed") };
        let Some(guarded) = arena.apply_op(implies, &[], &[constant, term]) else { return false };
        script.commands[i] = Command::Assert(guarded);
        script.commands.insert(i, Command::DeclareConst(name, Sort::BOOL));
        assumptions.push(constant);
    }
    let query = script.commands.iter().position(|c| matches!(c, Command::CheckSat)).expect("it was there");
    script.commands[query] = Command::CheckSatAssuming(assumptions.into());
    true
}

/// Shuffles each run of commands that `fits`; whether there was a run of two.
fn shuffle_runs(script: &mut Script, rng: &mut Rng, fits: fn(&Command) -> bool) -> bool {
    let mut any = false;
    for run in script.commands.chunk_by_mut(|a, b| fits(a) && fits(b)) {
        if run.len() > 1 {
            rng.shuffle(run);
            any = true;
        }
    }
    any
}

fn reorder_assertions(arena: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    // A name must be given before it is used.
    !has_names(arena, script) && shuffle_runs(script, rng, |c| matches!(c, Command::Assert(_)))
}

fn reorder_declarations(_: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    // With two declarations of one name, the order says which is meant.
    let mut seen = HashSet::new();
    let mut names = script.commands.iter().filter_map(|c| match c {
        Command::DeclareConst(n, _) | Command::DeclareFun(n, _, _) => Some(*n),
        _ => None,
    });
    let declares: fn(&Command) -> bool = |c| matches!(c, Command::DeclareConst(..) | Command::DeclareFun(..));
    names.all(|n| seen.insert(n)) && shuffle_runs(script, rng, declares)
}

/// Shuffles the arguments of commutative operators.
fn reorder_arguments(arena: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    if has_names(arena, script) {
        return false;
    }
    let mut changed = false;
    rewrite(arena, script, |arena, term| {
        let commutes = arena.op(term).is_some_and(|op| arena.signatures().row(op).commutative);
        if !commutes {
            return term;
        }
        let mut children = arena.children(term).to_vec();
        rng.shuffle(&mut children);
        let new = if children == arena.children(term) { term } else { arena.with_children(term, &children) };
        changed |= new != term;
        new
    });
    changed
}

/// Switches the script to the logic `ALL`.
fn widen(arena: &mut Arena, script: &mut Script, _: &mut Rng) -> bool {
    let wide = widened(arena, script);
    let changed = wide.is_some();
    *script = wide.unwrap_or_else(|| std::mem::take(script));
    changed
}

/// Gives everything the script declares a new name.
fn rename(arena: &mut Arena, script: &mut Script, rng: &mut Rng) -> bool {
    let names = declared_names(arena, script);
    if names.is_empty() {
        return false;
    }
    let styles: [&[u8]; 4] = [b"v", b"a_", b"Sym", b"x.y"];
    let prefix = free_prefix(arena, script, rng.pick(&styles).expect("there are styles"));
    let mut numbers: Vec<usize> = (0..names.len()).collect();
    rng.shuffle(&mut numbers);
    let mut renaming = Renaming::default();
    for (name, n) in names.into_iter().zip(numbers) {
        let new = arena.symbol(&[&prefix[..], n.to_string().as_bytes()].concat());
        renaming.rename(arena, name, new);
    }
    *script = renaming.script(arena, script);
    true
}

/// Whether `:named` stands anywhere.
fn has_names(arena: &Arena, script: &Script) -> bool {
    let mut terms = arena.subterms(script.commands.iter().flat_map(Command::terms));
    terms.any(|t| matches!(arena.view(t), View::Annotated(a) if a.name().is_some()))
}

/// A prefix that no name of the script has: `base`, made longer where needed.
fn free_prefix(arena: &Arena, script: &Script, base: &[u8]) -> Vec<u8> {
    let mut names: Vec<Symbol> = declared_names(arena, script);
    names.extend(bound_names(arena, script));
    let mut prefix = base.to_vec();
    while names.iter().any(|&n| arena.text(n).starts_with(&prefix)) {
        prefix.push(b'_');
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::drafts;
    use smelt_core::Verdict;

    fn variants(text: &str, status: Option<Verdict>) -> Vec<(String, String)> {
        let text_of = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let all = drafts(&mut Shuffle::default(), &[text], status, 300);
        assert!(all.iter().all(|d| d.expectation == Expectation::Related(Relation::Same)));
        all.into_iter().map(|d| (text_of(d.text), text_of(d.log))).collect()
    }

    const TEXT: &str = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
(assert (> (+ x y) 1))(assert (= x 2 y))(assert (forall ((v0 Int)) (= v0 x)))(check-sat)(get-model)(exit)";

    #[test]
    fn every_change_is_made_and_the_status_stays() {
        let all = variants(TEXT, Some(Verdict::Unsat));
        for (name, _) in CHANGES.iter().filter(|c| c.0 != "flatten the stack") {
            assert!(all.iter().any(|(_, log)| log.contains(name)), "{name}");
        }
        let detour = |log: &str| log.contains("ask something else");
        let stated = |t: &str| {
            let logics = ["QF_LIA", "ALL"];
            logics.iter().any(|l| t.contains(&format!("(set-logic {l})\n(set-info :status unsat)")))
        };
        assert!(all.iter().all(|(t, log)| stated(t) || detour(log)));
        assert!(all.iter().any(|(t, _)| t.contains("(+ y x)")));
        assert!(all.iter().any(|(t, _)| t.contains("(check-sat-assuming (assumed")));
        assert!(all.iter().any(|(t, _)| t.contains("(assert false)\n(check-sat)\n(reset)")));
        let wrapped = all.iter().find(|(_, log)| log.contains("put under push")).unwrap();
        assert!(wrapped.0.contains("(push 1)\n"), "{}", wrapped.0);
    }

    #[test]
    fn a_stack_is_flattened_only_where_nothing_was_popped() {
        let stack = "(push 1)(declare-const x Int)(assert (> x 1))(push 1)(assert (> x 2))(check-sat)(pop 2)";
        assert!(variants(stack, None).iter().any(|(t, log)| log.contains("flatten") && !t.contains("push")));
        let popped = "(declare-const x Int)(push 1)(assert (> x 1))(pop 1)(assert (< x 1))(check-sat)";
        assert!(!variants(popped, None).iter().any(|(_, log)| log.contains("flatten")));
    }

    #[test]
    fn nothing_becomes_an_assumption_where_another_query_would_not_assume_it() {
        let tactic = "(declare-const x Int)(assert (> x x))(check-sat)(check-sat-using smt)";
        assert!(variants(tactic, None).iter().all(|(t, _)| !t.contains("assuming")));
    }

    #[test]
    fn names_given_in_assertions_keep_their_order() {
        let named = "(declare-const p Bool)(assert (! p :named n))(assert (and n p))(check-sat)";
        for (text, _) in variants(named, None) {
            assert!(text.find(":named").unwrap() < text.rfind("(assert").unwrap(), "{text}");
        }
    }
}
