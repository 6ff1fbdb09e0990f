//! The queries of a script: one plain query about a flat list of assertions, or several queries about frames of
//! them.

use smelt_core::{Expectation, Relation, Verdict};
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
    let is_query = |c: &Command| is_query(arena, c);
    let is_odd = |c: &Command| match c {
        Command::Malformed(_) | Command::Plain(sym::RESET) => true,
        Command::Other(..) => !c.is_harmless(arena) && !is_query(c),
        _ => false,
    };
    let is_known = script.commands.iter().any(is_query) && !script.commands.iter().any(is_odd);
    if is_known { Ok(Asks::Often) } else { Err(Skip::NotOneQuery) }
}

/// Which way the commands of a script with several queries may change, by the labels of the queries that see them.
///
/// An assertion that only satisfiable queries see may get weaker, one that only unsatisfiable queries see stronger. Where
/// both see it, only an equivalent formula may take its place; where no label says anything, either way is fine.
#[derive(Debug, Default)]
pub(crate) struct Views {
    /// By command; empty if no query of several has a label.
    ways: Vec<Way>,
    /// For each query: the commands that it sees.
    seen: Vec<Vec<u32>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    /// No query with a label sees it.
    #[default]
    Free,
    One(Relation),
    Same,
}

impl Way {
    /// The way of a command that a query with this label sees too.
    fn with(self, label: Option<Verdict>) -> Way {
        let wish = match label {
            Some(Verdict::Sat) => Relation::Weaker,
            Some(Verdict::Unsat) => Relation::Stronger,
            _ => return self,
        };
        match self {
            Way::Free => Way::One(wish),
            Way::One(other) if other == wish => self,
            _ => Way::Same,
        }
    }
}

impl Views {
    /// The views of a script whose queries have these labels, in order.
    pub(crate) fn of(arena: &Arena, script: &Script, labels: &[Option<Verdict>]) -> Views {
        if labels.len() < 2 || labels.iter().all(Option::is_none) {
            return Views::default();
        }
        let (mut ways, mut seen) = (vec![Way::Free; script.commands.len()], Vec::new());
        let (mut list, mut levels): (Vec<u32>, Vec<usize>) = (Vec::new(), Vec::new());
        // A definition may be used anywhere behind it.
        let defines = |c: &Command| matches!(c, Command::DefineConst(..)) || c.definitions().next().is_some();
        let all = script.commands.iter().enumerate();
        let definitions: Vec<u32> = all.filter(|(_, c)| defines(c)).map(|(i, _)| i as u32).collect();
        for (i, command) in script.commands.iter().enumerate() {
            match command {
                Command::Assert(_) => list.push(i as u32),
                // Frames beyond this many are popped together.
                Command::Push(n) => (0..(*n).min(1 << 16)).for_each(|_| levels.push(list.len())),
                Command::Pop(n) => {
                    for _ in 0..*n {
                        let Some(level) = levels.pop() else { break };
                        list.truncate(level);
                    }
                }
                Command::Plain(sym::RESET_ASSERTIONS) => {
                    list.clear();
                    levels.clear();
                }
                _ if is_query(arena, command) => {
                    let label = labels.get(seen.len()).copied().flatten();
                    let mut sees: Vec<u32> = list.iter().chain(&definitions).copied().collect();
                    if matches!(command, Command::CheckSatAssuming(_)) {
                        sees.push(i as u32);
                    }
                    sees.iter().for_each(|&c| ways[c as usize] = ways[c as usize].with(label));
                    seen.push(sees);
                }
                _ => {}
            }
        }
        Views { ways, seen }
    }

    /// The way of a command; `None` if only an equivalent formula may take the place of one in it. `free` is the way where
    /// no label says anything.
    pub(crate) fn at(&self, command: u32, free: Relation) -> Option<Relation> {
        match self.ways.get(command as usize) {
            None | Some(Way::Free) => Some(free),
            Some(Way::One(way)) => Some(*way),
            Some(Way::Same) => None,
        }
    }

    /// What to expect of each query; empty if all are related to those of the seed in the same way.
    pub(crate) fn expectations(&self, free: Relation) -> Vec<Expectation> {
        let of_query = |sees: &Vec<u32>| {
            let has = |way| sees.iter().any(|&c| self.at(c, free) == Some(way));
            match (has(Relation::Weaker), has(Relation::Stronger)) {
                (true, true) => Expectation::Open,
                (true, false) => Expectation::Related(Relation::Weaker),
                (false, true) => Expectation::Related(Relation::Stronger),
                (false, false) => Expectation::Related(Relation::Same),
            }
        };
        self.seen.iter().map(of_query).collect()
    }
}

/// Whether a command asks whether assertions can be satisfied.
pub(crate) fn is_query(arena: &Arena, command: &Command) -> bool {
    command.is_query(arena) || matches!(command, Command::CheckSatAssuming(_))
}

/// The labels of the queries of a script: what a `:status` before each says, if there is one of its own.
pub(crate) fn labels(arena: &Arena, script: &Script) -> Vec<Option<Verdict>> {
    let (mut labels, mut stated) = (Vec::new(), None);
    for command in &script.commands {
        match command {
            Command::SetInfo(info) if info.keyword == sym::K_STATUS => {
                stated = info.value.and_then(|s| Verdict::of_status(arena.text(s)));
            }
            _ if is_query(arena, command) => labels.push(stated.take()),
            _ => {}
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    #[test]
    fn an_assertion_goes_the_way_of_the_queries_that_see_it() {
        let text =
            "(declare-const p Bool)(assert p)(push 1)(assert (not p))(set-info :status unsat)(check-sat)
(pop 1)(push 1)(assert (or p p))(set-info :status sat)(check-sat)(pop 1)(assert true)(check-sat)
(set-info :status sat)(check-sat-assuming (p))";
        let mut arena = Arena::new();
        let mut script = parse_script(&mut arena, text.as_bytes()).unwrap().script;
        let labels = labels(&arena, &script);
        assert_eq!(labels, [Some(Verdict::Unsat), Some(Verdict::Sat), None, Some(Verdict::Sat)]);
        script.commands.retain(|c| !matches!(c, Command::SetInfo(_)));
        let views = Views::of(&arena, &script, &labels);
        let (weaker, stronger) = (Relation::Weaker, Relation::Stronger);
        let ways: Vec<_> = [1, 3, 7, 10, 12].map(|c| views.at(c, stronger)).to_vec();
        assert_eq!(ways, [None, Some(stronger), Some(weaker), Some(weaker), Some(weaker)]);
        let related = Expectation::Related;
        let wanted = [related(stronger), related(weaker), related(weaker), related(weaker)];
        assert_eq!(views.expectations(stronger), wanted);
        assert!(Views::of(&arena, &script, &[None; 4]).expectations(weaker).is_empty());
    }
}
