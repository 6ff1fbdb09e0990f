//! The queries of a script: one plain query about a flat list of assertions, or several queries about frames of
//! them.

use smelt_smtlib::Arena;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sym;

use crate::strategy::Skip;

/// Whether a script asks one plain query about a flat list of assertions. Commands of solvers that leave the status of the
/// assertions as it is, such as `assert-soft`, may stand between.
pub(crate) fn is_flat(arena: &Arena, script: &Script) -> Result<(), Skip> {
    let is_query = |c: &Command| c.is_query(arena);
    let is_odd = |c: &Command| match c {
        Command::Push(_) | Command::Pop(_) | Command::CheckSatAssuming(_) | Command::Malformed(_) => true,
        Command::Plain(name) => matches!(*name, sym::RESET | sym::RESET_ASSERTIONS),
        Command::Other(..) => !c.is_harmless(arena),
        _ => false,
    };
    let queries = script.commands.iter().filter(|c| is_query(c)).count();
    let query = script.commands.iter().position(is_query);
    let last = script.commands.iter().rposition(|c| matches!(c, Command::Assert(_)));
    if queries != 1 || script.commands.iter().any(is_odd) || last > query {
        return Err(Skip::NotOneQuery);
    }
    Ok(())
}

/// How a script asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// One plain query about a flat list of assertions.
    Once,
    /// Several queries, or about frames or assumptions. A change of an assertion is seen by each query in whose scope it
    /// is; one that makes assertions weaker, wherever they stand, makes the goal of no query stronger.
    Often,
}

/// The query form of a script; an error if its queries cannot be separated from its commands.
pub(crate) fn asks(arena: &Arena, script: &Script) -> Result<Asks, Skip> {
    if is_flat(arena, script).is_ok() {
        return Ok(Asks::Once);
    }
    let is_query = |c: &Command| c.is_query(arena) || matches!(c, Command::CheckSatAssuming(_));
    let is_odd = |c: &Command| match c {
        Command::Malformed(_) | Command::Plain(sym::RESET) => true,
        Command::Other(..) => !c.is_harmless(arena) && !is_query(c),
        _ => false,
    };
    let is_known = script.commands.iter().any(is_query) && !script.commands.iter().any(is_odd);
    if is_known { Ok(Asks::Often) } else { Err(Skip::NotOneQuery) }
}
