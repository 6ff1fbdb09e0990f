//! A seed in the logic that has everything.
//!
//! Solvers choose their engines by the logic: a formula under `ALL` goes other ways than under the logic it was
//! written for, and its mutants may use operators that logic does not have.

use smelt_smtlib::rewrite::rewrite;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Literal, Sort, Term, View};

/// The script under `ALL`, with numerals that stand for reals written as decimals. `None` for a script that names no
/// logic, or this one.
pub(crate) fn widened(arena: &mut Arena, script: &Script) -> Option<Script> {
    let all = arena.symbol(b"ALL");
    if script.logic().is_none_or(|l| l == all) {
        return None;
    }
    let mut script = script.clone();
    for command in &mut script.commands {
        if let Command::SetLogic(logic) = command {
            *logic = all;
        }
    }
    rewrite(arena, &mut script, decimal);
    Some(script)
}

/// A numeral that means a real as a decimal: another logic would read it as an integer. Other terms stay.
pub(crate) fn decimal(arena: &mut Arena, term: Term) -> Term {
    match arena.view(term) {
        View::Literal(Literal::Numeral, text) if arena.sort_of(term) == Sort::REAL => {
            let text = arena.symbol(&[arena.text(text), b".0"].concat());
            arena.literal(Literal::Decimal, text, Sort::REAL)
        }
        _ => term,
    }
}
