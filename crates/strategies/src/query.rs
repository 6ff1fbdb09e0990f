//! Which scripts ask one plain query about a flat list of assertions.

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
