//! Backtracking over values of the free constants and of open points that evaluation reaches.
//!
//! A conjunct that evaluates to false under a partial assignment is false under all of its extensions, so the
//! branch ends. A conjunct that evaluates to true holds in the whole branch. The next conjunct is always the one
//! that depends on the fewest assignments, and the next constant is the one with the smallest sort in it. An
//! equation with one known side fixes the other.
//!
//! The search runs in rounds that try more values each time. If the last round leaves out nothing, it decides the
//! goal.

use std::collections::HashMap;
use std::rc::Rc;

use smelt_smtlib::{Arena, Sort, Symbol, Term};

use super::candidates::Pool;
use super::propagate::equations;
use super::state::State;
use super::symbols::Symbols;
use crate::eval::{Allowed, Candidates, Interpretation, Meaning, Point, Unknown, coerce};
use crate::goal::Goal;
use crate::value::Value;

/// How many values of an unlisted or large sort each round tries, and the share of the effort it may take.
const ROUNDS: [(usize, u64); 4] = [(3, 10), (9, 5), (40, 3), (usize::MAX, 1)];
/// This many rounds are run before ranges are tried.
const FIRST: usize = 2;
/// Sorts of at most this many values are tried in full in every round.
const SMALL: usize = 16;

/// The result of a search.
pub(super) enum Decision {
    Sat,
    Unsat,
    Unknown(String),
}

struct Conjunct {
    term: Term,
    vars: Vec<usize>,
    /// `(x, t)` where the conjunct says `x = t`.
    equations: Vec<(usize, Term)>,
    settled: bool,
    /// Where evaluation stopped last.
    open: Option<Point>,
    reason: Option<Unknown>,
}

struct Variable {
    name: Symbol,
    sort: Sort,
    candidates: Rc<Candidates>,
    assigned: bool,
}

enum Flow {
    Found,
    Failed,
    Stopped,
}

pub(super) struct Search<'a, 's> {
    arena: &'a Arena,
    state: &'a mut State<'s>,
    symbols: &'a Symbols,
    pool: Pool,
    conjuncts: Vec<Conjunct>,
    variables: Vec<Variable>,
    occurrences: Vec<Vec<usize>>,
    width: usize,
    floor: u64,
    /// Why failing proves nothing, if something was left out.
    gap: Option<String>,
}

impl<'a, 's> Search<'a, 's> {
    pub(super) fn new(
        arena: &'a mut Arena,
        goal: &Goal,
        state: &'a mut State<'s>,
        symbols: &'a mut Symbols,
        terms: Vec<Term>,
    ) -> Self {
        let mut names: HashMap<Symbol, usize> = HashMap::new();
        let mut variables = Vec::new();
        let mut found = Vec::new();
        let mined: Vec<Term> = goal
            .assertions
            .iter()
            .copied()
            .chain(goal.context.commands.iter().flat_map(|c| c.terms()))
            .collect();
        let mut pool = Pool::mine(arena, state, &mined);
        for &term in &terms {
            let (free, _) = symbols.free(arena, state, term);
            let mut vars = Vec::new();
            for name in free {
                let Some(sort) = symbols.constant(name) else { continue };
                let at = *names.entry(name).or_insert_with(|| {
                    let candidates = pool.of(arena, state, sort);
                    variables.push(Variable { name, sort, candidates, assigned: false });
                    variables.len() - 1
                });
                vars.push(at);
            }
            let all = equations(arena, term);
            let equations = all.into_iter().filter_map(|(x, t)| Some((*names.get(&x)?, t))).collect();
            found.push(Conjunct { term, vars, equations, settled: false, open: None, reason: None });
        }
        let mut occurrences = vec![Vec::new(); variables.len()];
        for (i, c) in found.iter().enumerate() {
            c.vars.iter().for_each(|&v| occurrences[v].push(i));
        }
        Search {
            arena,
            state,
            symbols,
            pool,
            conjuncts: found,
            variables,
            occurrences,
            width: 0,
            floor: 0,
            gap: None,
        }
    }

    /// The first rounds, or the last ones.
    pub(super) fn run(&mut self, last: bool) -> Decision {
        let rounds = if last { &ROUNDS[FIRST..] } else { &ROUNDS[..FIRST] };
        for &(width, share) in rounds {
            self.width = width;
            self.floor = self.state.steps - self.state.steps / share;
            self.gap = None;
            let all: Vec<usize> = (0..self.conjuncts.len()).collect();
            match (self.descend(&all), &self.gap) {
                (Flow::Found, _) => return Decision::Sat,
                (Flow::Failed, None) => return Decision::Unsat,
                (Flow::Stopped, _) if self.state.spent() => break,
                _ => {}
            }
        }
        Decision::Unknown(self.gap.take().unwrap_or_else(|| "the effort limit was reached".to_owned()))
    }

    /// Tries ranges instead of values.
    pub(super) fn boxes(&mut self) -> Option<Decision> {
        let variables: Vec<(Symbol, Sort)> = self.variables.iter().map(|v| (v.name, v.sort)).collect();
        let terms: Vec<Term> = self.conjuncts.iter().map(|c| c.term).collect();
        super::boxes::decide(self.arena, self.state, &variables, &terms)
    }

    /// Searches below the current assignment, after conjuncts `touched` may have changed their value.
    fn descend(&mut self, touched: &[usize]) -> Flow {
        if self.state.steps <= self.floor || self.state.spent() {
            self.gap.get_or_insert_with(|| "the effort limit was reached".to_owned());
            return Flow::Stopped;
        }
        let mut settled = Vec::new();
        let mut flow = Flow::Failed;
        if self.evaluate(touched, &mut settled) {
            flow = crate::with_room(|| self.branch());
        }
        if !matches!(flow, Flow::Found) {
            settled.into_iter().for_each(|i| self.conjuncts[i].settled = false);
        }
        flow
    }

    /// Evaluates conjuncts; false if one is false.
    fn evaluate(&mut self, touched: &[usize], settled: &mut Vec<usize>) -> bool {
        for &i in touched {
            if self.conjuncts[i].settled {
                continue;
            }
            let (result, open) = self.state.holds(self.arena, self.conjuncts[i].term);
            match result {
                Ok(true) => {
                    self.conjuncts[i].settled = true;
                    settled.push(i);
                }
                Ok(false) => return false,
                Err(u) => {
                    self.conjuncts[i].open = open;
                    self.conjuncts[i].reason = Some(u);
                }
            }
        }
        true
    }

    fn branch(&mut self) -> Flow {
        // The open conjunct with the fewest assignments left to try.
        let mut best: Option<(f64, usize, Option<usize>)> = None;
        let mut visited = self.conjuncts.len();
        for (i, c) in self.conjuncts.iter().enumerate().filter(|(_, c)| !c.settled) {
            visited += 4 * c.vars.len();
            let open = c.vars.iter().filter(|&&v| !self.variables[v].assigned);
            let sizes = open.map(|&v| (self.variables[v].candidates.values.len(), v));
            let size: f64 = sizes.clone().map(|(n, _)| (n as f64 + 1.0).ln() + 0.01).sum();
            if best.is_none_or(|b| size < b.0) {
                best = Some((size, i, sizes.min().map(|s| s.1)));
            }
        }
        self.state.charge(visited / 16);
        let Some((_, conjunct, variable)) = best else { return Flow::Found };
        if let Some((v, value)) = self.forced() {
            return self.try_values(v, &[value]);
        }
        match variable {
            Some(v) => {
                let candidates = self.variables[v].candidates.clone();
                let values = self.cut(&candidates);
                self.try_values(v, values)
            }
            None => self.choose(conjunct),
        }
    }

    /// A constant that an equation gives the value of.
    fn forced(&mut self) -> Option<(usize, Value)> {
        for i in 0..self.conjuncts.len() {
            let c = &self.conjuncts[i];
            if c.settled || c.vars.iter().filter(|&&v| !self.variables[v].assigned).count() != 1 {
                continue;
            }
            for (v, t) in c.equations.clone() {
                let sort = self.variables[v].sort;
                let fits =
                    matches!(self.arena.sort_of(t), s if s == sort || (s == Sort::INT && sort == Sort::REAL));
                if self.variables[v].assigned || !fits {
                    continue;
                }
                if let Ok(value) = self.state.eval(self.arena, t) {
                    return Some((v, coerce(self.arena, value, sort)));
                }
            }
        }
        None
    }

    /// The values this round tries.
    fn cut<'c>(&mut self, candidates: &'c Candidates) -> &'c [Value] {
        let values = &candidates.values;
        if candidates.complete && values.len() <= SMALL.max(self.width) {
            return values;
        }
        if !candidates.complete || values.len() > self.width {
            self.gap.get_or_insert_with(|| "not every value was tried".to_owned());
        }
        &values[..values.len().min(self.width)]
    }

    /// Tries values of a constant.
    fn try_values(&mut self, v: usize, values: &[Value]) -> Flow {
        self.variables[v].assigned = true;
        let touched = self.occurrences[v].clone();
        let name = self.variables[v].name;
        let assign = |i: &mut Interpretation, value: &Value| i.assign(name, Meaning::Value(value.clone()));
        let flow = self.try_each(values, &touched, assign);
        if !matches!(flow, Flow::Found) {
            self.variables[v].assigned = false;
            self.state.interpretation.clear(name);
        }
        flow
    }

    /// Tries the values of an open point of a conjunct whose constants all have values.
    fn choose(&mut self, conjunct: usize) -> Flow {
        let c = &self.conjuncts[conjunct];
        let reason = c.reason;
        let point = c.open.clone();
        let sort = point
            .as_ref()
            .and_then(|p| if p.sort == Sort::UNKNOWN { self.symbols.result(p.name) } else { Some(p.sort) });
        let (Some(point), Some(sort)) = (point, sort) else {
            return self.undecided(reason);
        };
        let candidates = match point.allowed(self.arena) {
            Allowed::Any => self.pool.of(self.arena, self.state, sort),
            Allowed::OneOf(values) => Rc::new(Candidates { values, complete: true }),
            Allowed::Unknown => return self.undecided(reason),
        };
        let touched: Vec<usize> = (0..self.conjuncts.len()).filter(|&i| !self.conjuncts[i].settled).collect();
        let arena = self.arena;
        let choose = |i: &mut Interpretation, value: &Value| {
            i.choose(point.clone(), coerce(arena, value.clone(), sort))
        };
        let values = self.cut(&candidates);
        let flow = self.try_each(values, &touched, choose);
        if !matches!(flow, Flow::Found) {
            self.state.interpretation.unchoose(&point);
        }
        flow
    }

    /// Leaves a conjunct undecided: another may still be false, but sat is out of reach here.
    fn undecided(&mut self, reason: Option<Unknown>) -> Flow {
        self.gap = Some(reason.map_or("not decided".to_owned(), |u| u.describe(self.arena)));
        Flow::Failed
    }

    /// Searches below each of some values; stops at the first that does not fail.
    fn try_each(
        &mut self,
        values: &[Value],
        touched: &[usize],
        set: impl Fn(&mut Interpretation, &Value),
    ) -> Flow {
        for value in values {
            set(&mut self.state.interpretation, value);
            match self.descend(touched) {
                Flow::Failed => {}
                decided => return decided,
            }
        }
        Flow::Failed
    }
}
