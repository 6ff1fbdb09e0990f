//! The implications between atoms: known rules as edges, with all their instances.

use std::collections::HashMap;

use smelt_core::Relation;
use smelt_smtlib::rewrite::rewrite_term;
use smelt_smtlib::{Arena, Sort, Term, View};

use super::Candidate;
use super::grammar::{Atom, Theory};
use crate::rules::read::{Kind, Rule};
use crate::template::Env;
use crate::workbench::Workbench;

/// More instances of one rule than this are not listed.
const MAX_INSTANCES: usize = 200_000;

/// Implications between atoms, by position.
#[derive(Debug)]
pub(super) struct Graph {
    place: HashMap<Term, usize>,
    weaker: Vec<Vec<u32>>,
    /// The atom that says the opposite of the same terms, where there is one.
    opposite: Vec<Option<u32>>,
}

impl Graph {
    pub(super) fn new(arena: &Arena, atoms: &[Atom]) -> Graph {
        let place = atoms.iter().enumerate().map(|(i, a)| (a.term, i)).collect();
        let mut by_args: HashMap<(Term, Term), Vec<u32>> = HashMap::new();
        for (i, atom) in atoms.iter().enumerate() {
            if let [a, b] = *arena.children(atom.term) {
                by_args.entry((a.min(b), a.max(b))).or_default().push(i as u32);
            }
        }
        let mut opposite = vec![None; atoms.len()];
        for group in by_args.values() {
            for &i in group {
                let inverse = |j: &&u32| {
                    let (a, b) = (&atoms[i as usize].bits, &atoms[**j as usize].bits);
                    a.iter().zip(b).all(|(a, b)| *a == !b)
                };
                opposite[i as usize] = group.iter().find(inverse).copied();
            }
        }
        Graph { place, weaker: vec![Vec::new(); atoms.len()], opposite }
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

    fn edge(&mut self, arena: &mut Arena, strong: Term, weak: Term) {
        let (strong, weak) = (ordered(arena, strong), ordered(arena, weak));
        if let (Some(&s), Some(&w)) = (self.place.get(&strong), self.place.get(&weak)) {
            self.connect(s, w);
        }
    }

    /// Notes that one atom implies another, and what that says of their opposites.
    pub(super) fn connect(&mut self, strong: usize, weak: usize) {
        let mut note = |s: usize, w: usize| {
            let list = &mut self.weaker[s];
            if s != w && !list.contains(&(w as u32)) {
                list.push(w as u32);
            }
        };
        note(strong, weak);
        if let (Some(s), Some(w)) = (self.opposite[strong], self.opposite[weak]) {
            note(w as usize, s as usize);
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
        // Where there are many instances, those over leaves have to do.
        let all = terms.len().checked_pow(variables.len() as u32).is_some_and(|n| n <= MAX_INSTANCES);
        let fits = |arena: &Arena, t: Term| all || arena.children(t).is_empty();
        let choices: Vec<Vec<Term>> = variables
            .iter()
            .map(|v| {
                let sort = arena.sort_of(*v);
                terms.iter().filter(|t| t.0 == sort && fits(arena, t.1)).map(|t| t.1).collect()
            })
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
            self.edge(arena, s, w);
            if candidate.equal {
                self.edge(arena, w, s);
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
            let [s, w] = terms.map(|t| substitute(arena, t, &map)).map(|t| ordered(arena, t));
            let straight = (s, w) == (atoms[b.strong].term, atoms[b.weak].term);
            let crossed = b.equal && (w, s) == (atoms[b.strong].term, atoms[b.weak].term);
            same |= straight || crossed;
        }
        arena.rollback(mark);
        same
    }

    /// Adds what a rule of a file says about atoms of the grammar.
    pub(super) fn learn(&mut self, bench: &mut Workbench, theory: &Theory, rule: &Rule) {
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
        let mark = bench.arena.checkpoint();
        for k in 0..total {
            let mut env = Env::default();
            for (i, v) in rule.vars.iter().enumerate() {
                env.term(&v.name, names[k / n.pow(i as u32) % n]);
            }
            let mut read = |s| bench.term(&env.text(s)?).ok();
            // With a condition on constants nothing follows for all of them.
            if rule.when.is_none()
                && let (Some(from), Some(to)) = (read(&rule.from), read(&rule.to))
            {
                if rule.relation != Relation::Stronger {
                    self.edge(&mut bench.arena, from, to);
                }
                if rule.relation != Relation::Weaker {
                    self.edge(&mut bench.arena, to, from);
                }
            }
            bench.arena.rollback(mark);
        }
    }
}

/// An atom with the arguments of a commutative predicate in the order that the grammar has them.
fn ordered(arena: &mut Arena, atom: Term) -> Term {
    let commutative = arena.op(atom).is_some_and(|op| arena.signatures().row(op).commutative);
    match *arena.children(atom) {
        [a, b] if commutative && a > b => arena.with_children(atom, &[b, a]),
        _ => atom,
    }
}

/// The constants in terms, each once.
fn variables(arena: &Arena, terms: &[Term]) -> Vec<Term> {
    let is_constant = |t: &Term| match arena.view(*t) {
        View::App(fun, []) => arena.fun_view(fun).op.is_none() && arena.fun_view(fun).indices.is_empty(),
        _ => false,
    };
    let mut found: Vec<Term> = arena.subterms(terms.iter().copied()).filter(is_constant).collect();
    found.sort_unstable();
    found
}

/// A small term with constants exchanged.
pub(super) fn substitute(arena: &mut Arena, term: Term, map: &HashMap<Term, Term>) -> Term {
    rewrite_term(arena, term, &mut map.clone(), |_, t| t)
}
