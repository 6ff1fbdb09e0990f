//! What is implied by what: known rules as edges between atoms, with all their instances.

use std::collections::HashMap;

use smelt_core::Relation;
use smelt_smtlib::{Arena, Parser, Scope, Sort, Term, View};

use super::Candidate;
use super::grammar::{Atom, Theory};
use crate::rules::read::{Kind, Rule};
use crate::template::Env;

/// Implications between atoms, by position.
#[derive(Debug)]
pub(super) struct Graph {
    place: HashMap<Term, usize>,
    weaker: Vec<Vec<u32>>,
}

impl Graph {
    pub(super) fn new(atoms: &[Atom]) -> Graph {
        let place = atoms.iter().enumerate().map(|(i, a)| (a.term, i)).collect();
        Graph { place, weaker: vec![Vec::new(); atoms.len()] }
    }

    /// Whether one atom follows from another by what is known.
    pub(super) fn implies(&self, atoms: &[Atom], strong: usize, weak: usize) -> bool {
        let mut seen = vec![false; atoms.len()];
        let mut work = vec![strong];
        seen[strong] = true;
        while let Some(at) = work.pop() {
            if at == weak {
                return true;
            }
            for &next in &self.weaker[at] {
                let next = next as usize;
                // Whatever leads to the goal is true on no more assignments than the goal.
                if !seen[next] && atoms[next].is_within(&atoms[weak]) {
                    seen[next] = true;
                    work.push(next);
                }
            }
        }
        false
    }

    fn edge(&mut self, strong: Term, weak: Term) {
        if let (Some(&s), Some(&w)) = (self.place.get(&strong), self.place.get(&weak)) {
            let list = &mut self.weaker[s];
            if s != w && !list.contains(&(w as u32)) {
                list.push(w as u32);
            }
        }
    }

    /// Adds a new rule with its instances, over all terms that fit.
    pub(super) fn add(
        &mut self,
        arena: &mut Arena,
        atoms: &[Atom],
        terms: &[(Sort, Term)],
        candidate: Candidate,
    ) {
        let (strong, weak) = (atoms[candidate.strong].term, atoms[candidate.weak].term);
        let variables = variables(arena, &[strong, weak]);
        let choices: Vec<Vec<Term>> = variables
            .iter()
            .map(|v| terms.iter().filter(|t| t.0 == arena.sort_of(*v)).map(|t| t.1).collect())
            .collect();
        let mut map: HashMap<Term, Term> = HashMap::new();
        let total: usize = choices.iter().map(Vec::len).product();
        let mark = arena.checkpoint();
        for k in 0..total {
            let mut rest = k;
            for (v, c) in variables.iter().zip(&choices) {
                map.insert(*v, c[rest % c.len()]);
                rest /= c.len();
            }
            let (s, w) = (substitute(arena, strong, &map), substitute(arena, weak, &map));
            self.edge(s, w);
            if candidate.equal {
                self.edge(w, s);
            }
            arena.rollback(mark);
        }
    }

    /// Whether two candidates are the same up to the names of variables.
    pub(super) fn is_renamed(&self, arena: &mut Arena, atoms: &[Atom], a: Candidate, b: Candidate) -> bool {
        let terms = [atoms[a.strong].term, atoms[a.weak].term];
        let variables = variables(arena, &terms);
        let n = variables.len();
        let mark = arena.checkpoint();
        let mut same = false;
        for k in 0..n.pow(n as u32) {
            let map: HashMap<Term, Term> =
                variables.iter().enumerate().map(|(i, v)| (*v, variables[k / n.pow(i as u32) % n])).collect();
            let [s, w] = terms.map(|t| substitute(arena, t, &map));
            let straight = (s, w) == (atoms[b.strong].term, atoms[b.weak].term);
            let crossed = b.equal && (w, s) == (atoms[b.strong].term, atoms[b.weak].term);
            same |= straight || crossed;
        }
        arena.rollback(mark);
        same
    }

    /// Adds what a rule of a file says about atoms of the grammar.
    pub(super) fn learn(&mut self, arena: &mut Arena, scope: &Scope, theory: &Theory, rule: &Rule) {
        let plain =
            rule.vars.iter().all(|v| matches!(v.kind, Kind::Term(_) | Kind::List(_) | Kind::Constant(_)));
        if !plain {
            return;
        }
        // Constants are atoms' leaves at most, and lists have one element here.
        let names: Vec<&str> = theory.vars.iter().map(|v| &*v.0).collect();
        let n = names.len();
        let count = rule.vars.len() as u32;
        let Some(total) = n.checked_pow(count).filter(|t| *t <= 1000) else { return };
        let mark = arena.checkpoint();
        for k in 0..total {
            let mut env = Env::default();
            for (i, v) in rule.vars.iter().enumerate() {
                env.term(&v.name, names[k / n.pow(i as u32) % n]);
            }
            let mut read = |s| {
                let text = env.text(s)?;
                let mut parser = Parser::new(arena, scope.clone(), text.as_bytes()).ok()?;
                let term = parser.next_term().ok()?;
                parser.take_diagnostics().is_empty().then_some(term)
            };
            // With a condition on constants nothing follows for all of them.
            if rule.when.is_none()
                && let (Some(from), Some(to)) = (read(&rule.from), read(&rule.to))
            {
                if rule.relation != Relation::Stronger {
                    self.edge(from, to);
                }
                if rule.relation != Relation::Weaker {
                    self.edge(to, from);
                }
            }
            arena.rollback(mark);
        }
    }
}

/// The constants in terms, each once.
fn variables(arena: &Arena, terms: &[Term]) -> Vec<Term> {
    let mut found = Vec::new();
    let mut work = terms.to_vec();
    while let Some(t) = work.pop() {
        if let View::App(fun, []) = arena.view(t)
            && arena.fun_view(fun).op.is_none()
            && arena.fun_view(fun).indices.is_empty()
            && !found.contains(&t)
        {
            found.push(t);
        }
        work.extend(arena.children(t));
    }
    found.sort_unstable();
    found
}

/// A small term with constants exchanged.
fn substitute(arena: &mut Arena, term: Term, map: &HashMap<Term, Term>) -> Term {
    if let Some(&new) = map.get(&term) {
        return new;
    }
    let children: Vec<Term> = arena.children(term).to_vec();
    if children.is_empty() {
        return term;
    }
    let new: Vec<Term> = children.iter().map(|&c| substitute(arena, c, map)).collect();
    arena.with_children(term, &new)
}
