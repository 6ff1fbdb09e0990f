//! The free symbols of a goal, and which of them a term depends on.

use std::collections::{BTreeSet, HashMap, HashSet};

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Sort, Symbol, Term, View, sym};

use super::state::State;
use crate::eval::{Interpretation, Meaning};
use crate::goal::Goal;
use crate::model::declared;

/// The symbols that a goal declares without a definition.
#[derive(Default)]
pub(super) struct Symbols {
    constants: HashMap<Symbol, Sort>,
    functions: HashMap<Symbol, (Box<[Sort]>, Sort)>,
    sorts: Vec<Symbol>,
    /// Constants that a definition or a fixed constant depends on, and how much evaluating it costs.
    reached: HashMap<Symbol, (BTreeSet<Symbol>, u64)>,
}

impl Symbols {
    pub(super) fn of_goal(arena: &Arena, goal: &Goal) -> Self {
        let mut s = Symbols::default();
        for (name, args, sort) in declared(goal) {
            let sort = arena.canonical(sort);
            if args.is_empty() {
                s.constants.insert(name, sort);
            } else {
                s.functions.insert(name, (args, sort));
            }
        }
        for command in &goal.context.commands {
            if let Command::DeclareSort(name, _) = command {
                s.sorts.push(*name);
            }
        }
        s
    }

    /// The sort of a constant.
    pub(super) fn constant(&self, name: Symbol) -> Option<Sort> {
        self.constants.get(&name).copied()
    }

    /// The names of all functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = Symbol> {
        self.functions.keys().copied()
    }

    /// The result sort of a function.
    pub(super) fn result(&self, name: Symbol) -> Option<Sort> {
        self.functions.get(&name).map(|f| f.1)
    }

    /// The constants without a value that a term depends on, and what evaluating it costs.
    pub(super) fn free(
        &mut self,
        arena: &Arena,
        state: &mut State<'_>,
        term: Term,
    ) -> (BTreeSet<Symbol>, u64) {
        let mut visited = 0;
        let found = self.reach(arena, &state.interpretation, term, &mut visited);
        state.charge(visited / 2);
        found
    }

    fn reach(
        &mut self,
        arena: &Arena,
        i: &Interpretation,
        term: Term,
        visited: &mut usize,
    ) -> (BTreeSet<Symbol>, u64) {
        let mut found = BTreeSet::new();
        let mut cost = 0u64;
        let mut seen = HashSet::new();
        let mut work = vec![term];
        while let Some(t) = work.pop() {
            cost = cost.saturating_add(1);
            *visited += 1;
            if !seen.insert(t) {
                continue;
            }
            if let View::App(fun, _) = arena.view(t)
                && arena.fun_view(fun).op.is_none()
            {
                let name = arena.fun_view(fun).name;
                match i.meaning(name) {
                    None if self.constants.contains_key(&name) => drop(found.insert(name)),
                    Some(Meaning::Definition { body, .. }) => {
                        if !self.reached.contains_key(&name) {
                            // While a recursive definition is visited, it counts as depending on nothing.
                            self.reached.insert(name, (BTreeSet::new(), 1));
                            let body = *body;
                            let all = crate::with_room(|| self.reach(arena, i, body, visited));
                            self.reached.insert(name, all);
                        }
                        let (names, more) = &self.reached[&name];
                        *visited += names.len();
                        found.extend(names.iter().filter(|n| i.meaning(**n).is_none()));
                        cost = cost.saturating_add(*more);
                        // Constants that got a definition since then.
                        if names.iter().any(|n| matches!(i.meaning(*n), Some(Meaning::Definition { .. }))) {
                            self.reached.remove(&name);
                            work.push(t);
                            seen.remove(&t);
                            continue;
                        }
                    }
                    _ => {}
                }
            }
            work.extend(arena.children(t));
        }
        (found, cost)
    }

    /// Gives uninterpreted sorts elements: one for each constant, and one more. True if a larger universe could change
    /// the answer.
    pub(super) fn bound_sorts(&self, arena: &mut Arena, goal: &Goal, state: &mut State<'_>) -> bool {
        if self.sorts.is_empty() {
            return false;
        }
        for &sort in &self.sorts {
            let constants = self.constants.values().filter(|s| arena.sort_view(**s).head == sort).count();
            let count = (constants + 1).min(8);
            let text = arena.name(sort).into_owned();
            let elements = (0..count).map(|i| arena.symbol(format!("{text}!val!{i}").as_bytes())).collect();
            state.domains.set_universe(sort, elements);
        }
        // Without quantifiers, and with constants as the only terms of such a sort, more elements change nothing.
        let own = |s: Sort| self.mentions(arena, s);
        let constants: Vec<Sort> = self.constants.values().copied().filter(|&s| own(s)).collect();
        let simple = constants
            .iter()
            .all(|&s| arena.sort_view(s).args.is_empty() && self.sorts.contains(&arena.sort_view(s).head))
            && constants.len() < 8
            && self.functions.values().all(|(args, result)| {
                !own(*result) && args.iter().all(|&a| arena.sort_view(a).args.is_empty())
            });
        !simple || goal.assertions.iter().any(|&a| self.depends_on_universe(arena, &state.interpretation, a))
    }

    fn mentions(&self, arena: &Arena, sort: Sort) -> bool {
        // A datatype may have such fields.
        let known = |head| sym::is_standard_sort(head) || matches!(head, sym::SEQ | sym::SET);
        !arena.sort_heads(sort).all(known)
    }

    /// Whether there are quantifiers, or terms of such a sort that are neither constants nor choices between them.
    fn depends_on_universe(&self, arena: &Arena, i: &Interpretation, term: Term) -> bool {
        let mut seen = HashSet::new();
        let mut work = vec![term];
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            match arena.view(t) {
                View::Binder(_) | View::Match(_) => return true,
                View::App(fun, args) => {
                    let name = arena.fun_view(fun).name;
                    if let Some(Meaning::Definition { body, .. }) = i.meaning(name) {
                        work.push(*body);
                    } else if self.mentions(arena, arena.sort_of(t)) && !args.is_empty() && name != sym::ITE {
                        return true;
                    }
                }
                _ => {}
            }
            work.extend(arena.children(t));
        }
        false
    }
}
