//! Checks whether assertions contradict each other without any theory: every operator except those of Core counts
//! as an unknown function, and different literals count as different. Such formulas test no theory.
//!
//! The abstraction is a circuit of connectives over equalities of terms. The search makes one assertion after the
//! other true; a choice of equalities counts only if congruence does not contradict it.

use std::collections::HashMap;

use crate::construct::operator::{Indices, op};
use crate::construct::sort::Sort;
use crate::construct::term::{Head, Term, Terms, write_value};

/// Choices in one search, at most. A formula that needs more counts as free of theory.
const CHOICES: u32 = 1600;

/// A term of the abstraction: a leaf or an unknown function over others.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Symbol {
    Variable(u32),
    Literal(Sort, Vec<u8>),
    Operator(&'static str, Indices),
    Function(u32),
    /// The value of a formula inside a term, or of an `ite` of terms, by the term it stands for.
    Defined(Term),
}

type Node = usize;
type Gate = usize;

const TRUE: Node = 0;
const FALSE: Node = 1;

/// A formula of the abstraction.
enum Formula {
    /// An equality of terms, by position among the atoms.
    Atom(usize),
    Not(Gate),
    And(Vec<Gate>),
    Or(Vec<Gate>),
    Xor(Gate, Gate),
}

/// The abstraction of some assertions.
struct Abstraction<'a> {
    terms: &'a Terms,
    nodes: Vec<(Symbol, Vec<Node>)>,
    numbers: HashMap<(Symbol, Vec<Node>), Node>,
    atoms: Vec<(Node, Node)>,
    atom_numbers: HashMap<(Node, Node), usize>,
    gates: Vec<Formula>,
    /// Gates of Boolean terms and nodes of the others, once they are made.
    gate_of: HashMap<Term, Gate>,
    node_of: HashMap<Term, Node>,
    /// Formulas that must hold.
    roots: Vec<Gate>,
}

/// Whether the assertions contradict each other without any theory, or it takes too long to tell.
pub(crate) fn is_theory_free(terms: &Terms, assertions: &[Term]) -> bool {
    let mut abstraction = Abstraction {
        terms,
        nodes: Vec::new(),
        numbers: HashMap::new(),
        atoms: Vec::new(),
        atom_numbers: HashMap::new(),
        gates: Vec::new(),
        gate_of: HashMap::new(),
        node_of: HashMap::new(),
        roots: Vec::new(),
    };
    for value in [b"true".to_vec(), b"false".to_vec()] {
        abstraction.node(Symbol::Literal(Sort::Bool, value), Vec::new());
    }
    for &assertion in assertions {
        let gate = abstraction.formula(assertion);
        abstraction.roots.push(gate);
    }
    // Most formulas have a model at once; looking for contradictions after each choice is for the others.
    [false, true].into_iter().all(|eager| {
        let mut search =
            Search { of: &abstraction, chosen: vec![None; abstraction.atoms.len()], eager, left: CHOICES };
        search.run() != Some(true)
    })
}

impl Abstraction<'_> {
    fn node(&mut self, symbol: Symbol, args: Vec<Node>) -> Node {
        let key = (symbol, args);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        self.nodes.push(key.clone());
        self.numbers.insert(key, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn gate(&mut self, formula: Formula) -> Gate {
        self.gates.push(formula);
        self.gates.len() - 1
    }

    fn equal(&mut self, a: Node, b: Node) -> Gate {
        if a == b {
            return self.gate(Formula::And(Vec::new()));
        }
        let atom = (a.min(b), a.max(b));
        let next = self.atoms.len();
        let number = *self.atom_numbers.entry(atom).or_insert(next);
        if number == next {
            self.atoms.push(atom);
        }
        self.gate(Formula::Atom(number))
    }

    fn same(&mut self, a: Gate, b: Gate) -> Gate {
        let differ = self.gate(Formula::Xor(a, b));
        self.gate(Formula::Not(differ))
    }

    /// The equality of two terms of any sort.
    fn equality(&mut self, a: Term, b: Term) -> Gate {
        if self.terms.sort(a) == Sort::Bool {
            let (a, b) = (self.formula(a), self.formula(b));
            return self.same(a, b);
        }
        let (a, b) = (self.term(a), self.term(b));
        self.equal(a, b)
    }

    /// The gate of a Boolean term.
    fn formula(&mut self, t: Term) -> Gate {
        if let Some(&known) = self.gate_of.get(&t) {
            return known;
        }
        let terms = self.terms;
        let args = terms.args(t);
        let name = connective(terms, t).unwrap_or_default();
        let formula = match name {
            "=" | "distinct" => {
                let pairs: Vec<(usize, usize)> = match name {
                    "=" => (1..args.len()).map(|i| (i - 1, i)).collect(),
                    _ => (1..args.len()).flat_map(|i| (0..i).map(move |j| (j, i))).collect(),
                };
                let mut all = Vec::new();
                for (i, j) in pairs {
                    let equal = self.equality(args[i], args[j]);
                    all.push(if name == "=" { equal } else { self.gate(Formula::Not(equal)) });
                }
                Formula::And(all)
            }
            "" => {
                let node = self.leaf(t);
                let gate = self.equal(node, TRUE);
                self.gate_of.insert(t, gate);
                return gate;
            }
            _ => {
                let mut parts: Vec<Gate> = args.iter().map(|a| self.formula(*a)).collect();
                match name {
                    "not" => Formula::Not(parts[0]),
                    "and" => Formula::And(parts),
                    "or" => Formula::Or(parts),
                    "=>" => {
                        let last = parts.len() - 1;
                        for part in &mut parts[..last] {
                            *part = self.gate(Formula::Not(*part));
                        }
                        Formula::Or(parts)
                    }
                    "xor" => {
                        let last = parts.pop().unwrap_or_default();
                        let first = parts.into_iter().reduce(|a, b| self.gate(Formula::Xor(a, b)));
                        Formula::Xor(first.unwrap_or(last), last)
                    }
                    _ => Formula::Or(self.branches(parts[0], parts[1], parts[2])),
                }
            }
        };
        let gate = self.gate(formula);
        self.gate_of.insert(t, gate);
        gate
    }

    /// The two cases of an `ite`.
    fn branches(&mut self, condition: Gate, then: Gate, other: Gate) -> Vec<Gate> {
        let not = self.gate(Formula::Not(condition));
        [vec![condition, then], vec![not, other]].map(|case| self.gate(Formula::And(case))).to_vec()
    }

    /// The node of a term of any sort, which may be a formula inside a term.
    fn term(&mut self, t: Term) -> Node {
        if let Some(&known) = self.node_of.get(&t) {
            return known;
        }
        let node = match connective(self.terms, t) {
            None => self.leaf(t),
            Some(_) => self.node(Symbol::Defined(t), Vec::new()),
        };
        self.node_of.insert(t, node);
        if connective(self.terms, t).is_some() {
            let holds = if self.terms.sort(t) == Sort::Bool {
                let (gate, value) = (self.formula(t), self.equal(node, TRUE));
                self.same(gate, value)
            } else {
                let args = self.terms.args(t);
                let condition = self.formula(args[0]);
                let sides = [args[1], args[2]].map(|side| {
                    let side = self.term(side);
                    self.equal(node, side)
                });
                let cases = self.branches(condition, sides[0], sides[1]);
                self.gate(Formula::Or(cases))
            };
            self.roots.push(holds);
        }
        node
    }

    /// The node of a term whose head is not of Core.
    fn leaf(&mut self, t: Term) -> Node {
        let terms = self.terms;
        let args = terms.args(t).iter().map(|a| self.term(*a)).collect();
        let symbol = match terms.head(t) {
            Head::Variable(n) => Symbol::Variable(n),
            Head::Function(n) => Symbol::Function(n),
            Head::Operator(op) => Symbol::Operator(op.key, terms.indices(t)),
            Head::Literal => {
                let mut text = Vec::new();
                write_value(terms.value(t), terms.sort(t), &mut text);
                Symbol::Literal(terms.sort(t), text)
            }
        };
        self.node(symbol, args)
    }

    /// Whether congruence allows these equalities and disequalities.
    fn is_consistent(&self, chosen: &[Option<bool>]) -> bool {
        let mut parent: Vec<Node> = (0..self.nodes.len()).collect();
        for (&(a, b), value) in self.atoms.iter().zip(chosen) {
            match (value, b == TRUE || a == TRUE) {
                (Some(true), _) => union(&mut parent, a, b),
                (Some(false), true) => union(&mut parent, a.max(b), FALSE),
                _ => {}
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            let mut seen: HashMap<(&Symbol, Vec<Node>), Node> = HashMap::new();
            for (node, (symbol, args)) in self.nodes.iter().enumerate().filter(|(_, n)| !n.1.is_empty()) {
                let key = (symbol, args.iter().map(|a| find(&mut parent, *a)).collect());
                let other = *seen.entry(key).or_insert(node);
                if find(&mut parent, other) != find(&mut parent, node) {
                    union(&mut parent, other, node);
                    changed = true;
                }
            }
        }
        let mut literals: HashMap<Node, Node> = HashMap::new();
        for node in 0..self.nodes.len() {
            let root = find(&mut parent, node);
            let is_literal = matches!(self.nodes[node].0, Symbol::Literal(..));
            if is_literal && *literals.entry(root).or_insert(node) != node {
                return false;
            }
        }
        let differ = |(&(a, b), value): (&(Node, Node), &Option<bool>)| {
            *value != Some(false) || find(&mut parent, a) != find(&mut parent, b)
        };
        self.atoms.iter().zip(chosen).all(differ)
    }
}

/// The name of the head, if it is an operator of Core.
fn connective(terms: &Terms, t: Term) -> Option<&'static str> {
    let Head::Operator(head) = terms.head(t) else { return None };
    let core =
        [op!("not"), op!("and"), op!("or"), op!("xor"), op!("=>"), op!("="), op!("distinct"), op!("ite")];
    core.contains(&head).then_some(head.name)
}

fn find(parent: &mut [Node], mut node: Node) -> Node {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

fn union(parent: &mut [Node], a: Node, b: Node) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// A search for equalities under which every root holds.
struct Search<'a> {
    of: &'a Abstraction<'a>,
    chosen: Vec<Option<bool>>,
    /// Whether every choice must be consistent at once, and not only the last.
    eager: bool,
    left: u32,
}

impl Search<'_> {
    /// Whether there are some; `None` if it takes too long.
    fn run(&mut self) -> Option<bool> {
        self.left = self.left.checked_sub(1)?;
        let values = self.values();
        let mut open = None;
        for &root in &self.of.roots {
            match values[root] {
                Some(true) => {}
                Some(false) => return Some(false),
                None => open = open.or(Some(root)),
            }
        }
        if (self.eager || open.is_none()) && !self.of.is_consistent(&self.chosen) {
            // Without eager checks it is unknown which choice was wrong.
            return self.eager.then_some(false);
        }
        let Some(root) = open else { return Some(true) };
        let (atom, wanted) = self.choice(root, true, &values);
        for value in [wanted, !wanted] {
            self.chosen[atom] = Some(value);
            if self.run()? {
                return Some(true);
            }
        }
        self.chosen[atom] = None;
        Some(false)
    }

    /// The values of all gates; parts stand before the gates they are in.
    fn values(&self) -> Vec<Option<bool>> {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.of.gates.len());
        for gate in &self.of.gates {
            let any = |parts: &[Gate], wanted: bool| {
                let is = |value: Option<bool>| parts.iter().any(|p| values[*p] == value);
                if is(Some(wanted)) {
                    Some(wanted)
                } else if is(None) {
                    None
                } else {
                    Some(!wanted)
                }
            };
            let value = match gate {
                Formula::Atom(atom) => self.chosen[*atom],
                Formula::Not(part) => values[*part].map(|v| !v),
                Formula::And(parts) => any(parts, false),
                Formula::Or(parts) => any(parts, true),
                Formula::Xor(a, b) => values[*a].zip(values[*b]).map(|(a, b)| a != b),
            };
            values.push(value);
        }
        values
    }

    /// An open atom of an open gate, and the value that helps the gate to the wanted one.
    fn choice(&self, mut gate: Gate, mut wanted: bool, values: &[Option<bool>]) -> (usize, bool) {
        loop {
            match &self.of.gates[gate] {
                Formula::Atom(atom) => return (*atom, wanted),
                Formula::Not(part) => (gate, wanted) = (*part, !wanted),
                Formula::And(parts) | Formula::Or(parts) => {
                    let open = parts.iter().find(|p| values[**p].is_none());
                    gate = *open.expect("an open gate has an open part");
                }
                Formula::Xor(a, b) => {
                    let (open, other) = if values[*a].is_none() { (*a, *b) } else { (*b, *a) };
                    wanted ^= values[other].unwrap_or(false);
                    gate = open;
                }
            }
        }
    }
}
