//! Conjuncts as a list of nodes over the free constants, in the order of evaluation.
//!
//! Definitions and `let` are expanded with sharing. Terms that ranges cannot describe become nodes with any value.
//! Comparisons become `<` and `<=` of terms that are equal up to the sign of zero.

use std::collections::HashMap;

use smelt_smtlib::{Arena, Sort, Symbol, Term, View, sym};

use crate::eval::{Meaning, format_of};
use crate::float::Format;
use crate::float::range::{Class, Range};
use crate::solver::state::State;
use crate::value::Value;
use crate::{Float, RoundingMode};

/// A position in a program.
pub(super) type Id = usize;

/// An operation on one float; those that round have a mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Unary {
    Neg,
    Abs,
    Sqrt(Id),
    Integral(Id),
    Convert(Format, Id),
}

/// An operation on two floats; those that round have a mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Binary {
    Add(Id),
    Mul(Id),
    Div(Id),
    Min,
    Max,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Node {
    Variable(usize),
    Constant(Value),
    /// A term that ranges say nothing about; the number keeps it different from all others.
    Any(usize, Option<Format>),
    Not(Id),
    And(Vec<Id>),
    Or(Vec<Id>),
    Ite(Id, Id, Id),
    Equal(Id, Id),
    Lt(Id, Id),
    Le(Id, Id),
    IeeeEq(Id, Id),
    Is(Class, Id),
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
}

/// Nodes, children first.
#[derive(Default)]
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    known: HashMap<Node, Id>,
    /// The conjuncts.
    pub(super) roots: Vec<Id>,
}

/// Larger programs are not made: too many nodes, or too many terms visited.
const MAX_NODES: usize = 3_000;
const MAX_WORK: usize = 50_000;
/// A `distinct` of more terms has too many pairs.
const MAX_DISTINCT: usize = 80;

pub(super) struct Compiler<'a, 's> {
    arena: &'a Arena,
    state: &'a mut State<'s>,
    variables: &'a HashMap<Symbol, usize>,
    pub(super) program: Program,
    locals: Vec<(Symbol, Id)>,
    base: usize,
    closed: HashMap<Term, Id>,
    work: usize,
}

impl<'a, 's> Compiler<'a, 's> {
    pub(super) fn new(
        arena: &'a Arena,
        state: &'a mut State<'s>,
        variables: &'a HashMap<Symbol, usize>,
    ) -> Self {
        Compiler {
            arena,
            state,
            variables,
            program: Program::default(),
            locals: Vec::new(),
            base: 0,
            closed: HashMap::new(),
            work: 0,
        }
    }

    /// Adds a conjunct; false when the program gets too large.
    pub(super) fn conjunct(&mut self, term: Term) -> bool {
        let root = self.term(term);
        self.program.roots.push(root);
        self.program.nodes.len() < MAX_NODES && self.work < MAX_WORK
    }

    /// Adds a conjunct that denies together all classes of a float that single conjuncts deny: it shows which are left.
    pub(super) fn join_denials(&mut self) {
        let mut denied: std::collections::BTreeMap<Id, Vec<Id>> = std::collections::BTreeMap::new();
        for &root in &self.program.roots {
            if let Node::Not(inner) = self.program.nodes[root]
                && let Node::Is(_, subject) = self.program.nodes[inner]
            {
                denied.entry(subject).or_default().push(inner);
            }
        }
        for parts in denied.into_values().filter(|p| p.len() > 1) {
            let any = self.node(Node::Or(parts));
            let none = self.node(Node::Not(any));
            self.program.roots.push(none);
        }
    }

    fn node(&mut self, node: Node) -> Id {
        if let Some(&id) = self.program.known.get(&node) {
            return id;
        }
        self.program.nodes.push(node.clone());
        self.program.known.insert(node, self.program.nodes.len() - 1);
        self.program.nodes.len() - 1
    }

    fn any(&mut self, sort: Sort) -> Id {
        let id = self.program.nodes.len();
        self.node(Node::Any(id, narrow_format(self.arena, sort)))
    }

    fn term(&mut self, term: Term) -> Id {
        self.work += 1;
        if self.work > MAX_WORK {
            return self.any(self.arena.sort_of(term));
        }
        let closed = self.locals.len() == self.base;
        if closed && let Some(&id) = self.closed.get(&term) {
            return id;
        }
        let id = crate::with_room(|| self.compile(term));
        if closed {
            self.closed.insert(term, id);
        }
        id
    }

    fn compile(&mut self, term: Term) -> Id {
        let sort = self.arena.sort_of(term);
        match self.arena.view(term) {
            View::Annotated(v) => self.term(v.term()),
            View::Var(name) => match self.locals[self.base..].iter().rev().find(|l| l.0 == name) {
                Some(l) => l.1,
                None => self.any(sort),
            },
            View::Let(v) => {
                let values: Vec<(Symbol, Id)> = v.bindings().map(|(n, t)| (n, self.term(t))).collect();
                let mark = self.locals.len();
                self.locals.extend(values);
                let body = self.term(v.body());
                self.locals.truncate(mark);
                body
            }
            View::App(fun, args) => {
                let f = self.arena.fun_view(fun);
                if f.op.is_some() {
                    return self.operator(term, f.name, args);
                }
                self.symbol(term, f.name, args)
            }
            View::Literal(..) => self.ground(term),
            _ => self.any(sort),
        }
    }

    /// A term without variables, by evaluation.
    fn ground(&mut self, term: Term) -> Id {
        match self.state.eval(self.arena, term) {
            Ok(value) => self.node(Node::Constant(value)),
            Err(_) => self.any(self.arena.sort_of(term)),
        }
    }

    fn symbol(&mut self, term: Term, name: Symbol, args: &[Term]) -> Id {
        if let Some(&v) = self.variables.get(&name) {
            return self.node(Node::Variable(v));
        }
        let sort = self.arena.sort_of(term);
        let (params, body) = match self.state.interpretation.meaning(name).cloned() {
            Some(Meaning::Value(v)) => return self.node(Node::Constant(v)),
            Some(Meaning::Definition { params, body, .. }) if params.len() == args.len() => (params, body),
            _ => return self.any(sort),
        };
        let values: Vec<(Symbol, Id)> = params.iter().zip(args).map(|(p, &a)| (p.0, self.term(a))).collect();
        let (mark, base) = (self.locals.len(), self.base);
        self.locals.extend(values);
        self.base = mark;
        let id = self.term(body);
        self.base = base;
        self.locals.truncate(mark);
        id
    }

    fn operator(&mut self, term: Term, name: Symbol, args: &[Term]) -> Id {
        let sort = self.arena.sort_of(term);
        let ids: Vec<Id> = args.iter().map(|&a| self.term(a)).collect();
        let constant = |c: &Self, id: Id| matches!(c.program.nodes[id], Node::Constant(_));
        // Evaluation knows no local variables, so a term that has a value does not depend on them.
        if ids.iter().all(|&i| constant(self, i))
            && let Ok(value) = self.state.eval(self.arena, term)
        {
            return self.node(Node::Constant(value));
        }
        let float = |c: &Self, i: usize| {
            args.get(i).is_some_and(|&a| narrow_format(c.arena, c.arena.sort_of(a)).is_some())
        };
        let text = self.arena.text(name);
        match (text, &ids[..]) {
            (b"true" | b"false", []) => self.node(Node::Constant(Value::Bool(text == b"true"))),
            (b"not", &[a]) => self.node(Node::Not(a)),
            (b"and", _) => self.node(Node::And(ids)),
            (b"or", _) => self.node(Node::Or(ids)),
            (b"=>", [premises @ .., last]) => {
                let mut parts: Vec<Id> = premises.iter().map(|&p| self.node(Node::Not(p))).collect();
                parts.push(*last);
                self.node(Node::Or(parts))
            }
            (b"ite", &[c, a, b]) => self.node(Node::Ite(c, a, b)),
            (b"=", _) => self.chain(&ids, |c, a, b| c.node(Node::Equal(a.min(b), a.max(b)))),
            (b"distinct", _) if ids.len() > MAX_DISTINCT => self.any(sort),
            (b"distinct", _) => {
                let mut parts = Vec::new();
                for (i, &a) in ids.iter().enumerate() {
                    for &b in &ids[i + 1..] {
                        let same = self.node(Node::Equal(a.min(b), a.max(b)));
                        parts.push(self.node(Node::Not(same)));
                    }
                }
                self.node(Node::And(parts))
            }
            _ if !(0..args.len()).any(|i| float(self, i)) => self.any(sort),
            (b"fp.lt", _) => self.chain(&ids, |c, a, b| c.less(a, b)),
            (b"fp.gt", _) => self.chain(&ids, |c, a, b| c.less(b, a)),
            (b"fp.leq", _) => self.chain(&ids, |c, a, b| c.at_most(a, b)),
            (b"fp.geq", _) => self.chain(&ids, |c, a, b| c.at_most(b, a)),
            (b"fp.eq", _) => self.chain(&ids, |c, a, b| {
                let (a, b) = (c.up_to_zero(a), c.up_to_zero(b));
                c.node(Node::IeeeEq(a.min(b), a.max(b)))
            }),
            (b"fp.isNaN", &[a]) => self.node(Node::Is(Class::Nan, a)),
            (b"fp.isInfinite", &[a]) => self.node(Node::Is(Class::Infinite, a)),
            (b"fp.isZero", &[a]) => self.node(Node::Is(Class::Zero, a)),
            (b"fp.isNormal", &[a]) => self.node(Node::Is(Class::Normal, a)),
            (b"fp.isSubnormal", &[a]) => self.node(Node::Is(Class::Subnormal, a)),
            (b"fp.isNegative", &[a]) => self.node(Node::Is(Class::Negative, a)),
            (b"fp.isPositive", &[a]) => self.node(Node::Is(Class::Positive, a)),
            (b"fp.neg", &[a]) => self.negated(a),
            (b"fp.abs", &[a]) => self.node(Node::Unary(Unary::Abs, a)),
            (b"fp.add", &[m, a, b]) => self.node(Node::Binary(Binary::Add(m), a, b)),
            (b"fp.sub", &[m, a, b]) => {
                let b = self.negated(b);
                self.node(Node::Binary(Binary::Add(m), a, b))
            }
            (b"fp.mul", &[m, a, b]) => self.node(Node::Binary(Binary::Mul(m), a, b)),
            (b"fp.div", &[m, a, b]) => self.node(Node::Binary(Binary::Div(m), a, b)),
            (b"fp.sqrt", &[m, a]) => self.node(Node::Unary(Unary::Sqrt(m), a)),
            (b"fp.roundToIntegral", &[m, a]) => self.node(Node::Unary(Unary::Integral(m), a)),
            (b"fp.min", &[a, b]) => self.node(Node::Binary(Binary::Min, a, b)),
            (b"fp.max", &[a, b]) => self.node(Node::Binary(Binary::Max, a, b)),
            (b"to_fp", &[m, a]) if float(self, 1) => match narrow_format(self.arena, sort) {
                Some(format) => self.node(Node::Unary(Unary::Convert(format, m), a)),
                None => self.any(sort),
            },
            _ => self.any(sort),
        }
    }

    fn chain(&mut self, ids: &[Id], mut pair: impl FnMut(&mut Self, Id, Id) -> Id) -> Id {
        let parts: Vec<Id> = ids.windows(2).map(|w| pair(self, w[0], w[1])).collect();
        if parts.len() == 1 { parts[0] } else { self.node(Node::And(parts)) }
    }

    fn negated(&mut self, id: Id) -> Id {
        match &self.program.nodes[id] {
            Node::Unary(Unary::Neg, inner) => *inner,
            Node::Constant(Value::Float(f)) => {
                let negated = Value::Float(f.neg());
                self.node(Node::Constant(negated))
            }
            _ => self.node(Node::Unary(Unary::Neg, id)),
        }
    }

    fn is_zero(&self, id: Id) -> bool {
        matches!(&self.program.nodes[id], Node::Constant(Value::Float(f)) if f.is_zero())
    }

    /// A node with the same number: adding a zero changes at most the sign of zero.
    fn up_to_zero(&self, id: Id) -> Id {
        match self.program.nodes[id] {
            Node::Binary(Binary::Add(_), a, b) if self.is_zero(b) => self.up_to_zero(a),
            Node::Binary(Binary::Add(_), a, b) if self.is_zero(a) => self.up_to_zero(b),
            _ => id,
        }
    }

    /// `a < b`. A difference is less than zero, or greater, exactly if its terms are, in every rounding mode: the exact
    /// difference of two floats is a multiple of the least float, and that of infinities has their order.
    fn less(&mut self, a: Id, b: Id) -> Id {
        let (a, b) = (self.up_to_zero(a), self.up_to_zero(b));
        if self.is_zero(b)
            && let Node::Binary(Binary::Add(_), x, y) = self.program.nodes[a]
        {
            let minus_y = self.negated(y);
            return self.node(Node::Lt(x, minus_y));
        }
        if self.is_zero(a)
            && let Node::Binary(Binary::Add(_), x, y) = self.program.nodes[b]
        {
            let minus_y = self.negated(y);
            return self.node(Node::Lt(minus_y, x));
        }
        self.node(Node::Lt(a, b))
    }

    fn at_most(&mut self, a: Id, b: Id) -> Id {
        let (a, b) = (self.up_to_zero(a), self.up_to_zero(b));
        self.node(Node::Le(a, b))
    }
}

impl Program {
    /// The two terms whose mean, rounded to nearest at both steps, a node is.
    pub(super) fn mean_of(&self, id: Id) -> Option<(Id, Id, Id)> {
        let nearest = |m: Id| {
            matches!(
                self.nodes[m],
                Node::Constant(Value::RoundingMode(RoundingMode::Rne | RoundingMode::Rna))
            )
        };
        let constant = |id: Id| match &self.nodes[id] {
            Node::Constant(Value::Float(f)) => f.to_real().ok(),
            _ => None,
        };
        let two = crate::Rational::from(2);
        let (m, sum) = match self.nodes[id] {
            Node::Binary(Binary::Div(m), sum, by) if constant(by).is_some_and(|c| c == two) => (m, sum),
            _ => return None,
        };
        match self.nodes[sum] {
            Node::Binary(Binary::Add(n), a, b) if nearest(m) && nearest(n) => Some((a, b, sum)),
            _ => None,
        }
    }
}

/// The range of a value that is a float.
pub(super) fn range_of(value: &Value) -> Option<Range> {
    value.as_float().filter(|f: &&Float| f.format().width() <= 64).map(Range::point)
}

/// Whether boxes have sides for constants of a sort.
pub(super) fn is_boxed(arena: &Arena, sort: Sort) -> bool {
    narrow_format(arena, sort).is_some()
        || matches!(arena.sort_view(sort).head, sym::BOOL | sym::ROUNDING_MODE)
}

/// The format of a float sort whose values fit 64 bits.
fn narrow_format(arena: &Arena, sort: Sort) -> Option<Format> {
    format_of(arena, sort).filter(|f| f.width() <= 64)
}
