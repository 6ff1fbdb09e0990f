//! Switches a seed to the logic `ALL`.
//!
//! Solvers choose their algorithms by the logic: under `ALL` a formula takes other paths than under its own logic,
//! and its mutants may use operators that its own logic does not have.

use smelt_smtlib::Arena;
use smelt_smtlib::rewrite::{decimal, rewrite};
use smelt_smtlib::script::{Command, Script};

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
