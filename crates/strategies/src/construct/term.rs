//! The terms of one formula, with their values under its assignment, if there is one.
//!
//! This is not the arena of `smtlib`: nothing is hashed and no operator is looked up by name, so a term costs tens
//! of nanoseconds; docs/book/src/reference/construct.md has the figures. Arguments have smaller numbers than the
//! terms that contain them.

use std::io::Write;

use smelt_semantics::Float;
use smelt_semantics::eval::Unknown;
use smelt_semantics::value::{Array, Value};

use super::operator::{Indices, Op, SortRule};
use super::sort::Sort;

/// A term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Term(u32);

impl Term {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Head {
    /// A declared constant, by its number.
    Variable(u32),
    /// A literal: the term's value.
    Literal,
    Operator(Op),
    /// A declared function, by its number.
    Function(u32),
}

/// A term as it is stored.
#[derive(Clone, Debug)]
struct Node {
    head: Head,
    indices: Indices,
    start: u32,
    arity: u8,
    sort: Sort,
    /// Operators and leaves in it, counted as often as they are written.
    size: u32,
}

/// A declared function, with its values at the arguments used so far.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) args: Vec<Sort>,
    pub(crate) result: Sort,
    pub(crate) graph: Vec<(Vec<Value>, Value)>,
    /// The value everywhere else.
    pub(crate) default: Option<Value>,
}

/// The terms of one formula.
#[derive(Default, Debug)]
pub(crate) struct Terms {
    nodes: Vec<Node>,
    values: Vec<Option<Value>>,
    args: Vec<Term>,
    variables: Vec<Term>,
    /// The variables of each sort that has some.
    by_sort: Vec<(Sort, Vec<Term>)>,
    pub(crate) functions: Vec<Function>,
}

impl Terms {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.values.clear();
        self.args.clear();
        self.variables.clear();
        self.by_sort.clear();
        self.functions.clear();
    }

    fn push(&mut self, node: Node, value: Option<Value>) -> Term {
        self.nodes.push(node);
        self.values.push(value);
        Term(self.nodes.len() as u32 - 1)
    }

    /// Every term, arguments first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.nodes.len() as u32).map(Term)
    }

    pub(crate) fn literal(&mut self, sort: Sort, value: Value) -> Term {
        let node = Node { head: Head::Literal, indices: [0; 2], start: 0, arity: 0, sort, size: 1 };
        self.push(node, Some(value))
    }

    /// A new variable, with its value in the assignment.
    pub(crate) fn variable(&mut self, sort: Sort, value: Option<Value>) -> Term {
        let head = Head::Variable(self.variables.len() as u32);
        let node = Node { head, indices: [0; 2], start: 0, arity: 0, sort, size: 1 };
        let term = self.push(node, value);
        self.variables.push(term);
        match self.by_sort.iter_mut().find(|group| group.0 == sort) {
            Some(group) => group.1.push(term),
            None => self.by_sort.push((sort, vec![term])),
        }
        term
    }

    /// The variables of a sort, in the order of their numbers.
    pub(crate) fn variables_of(&self, sort: Sort) -> &[Term] {
        self.by_sort.iter().find(|group| group.0 == sort).map_or(&[], |group| &group.1)
    }

    /// Every variable, in the order of their numbers.
    pub(crate) fn variables(&self) -> &[Term] {
        &self.variables
    }

    fn node_over(&mut self, head: Head, indices: Indices, args: &[Term], sort: Sort) -> Node {
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        let sizes = args.iter().map(|a| self.nodes[a.index()].size);
        let size = sizes.fold(1u32, |n, s| n.saturating_add(s));
        Node { head, indices, start, arity: args.len() as u8, sort, size }
    }

    /// An operator over terms. Its value is known if all arguments' are; `Err` where the standard leaves it open.
    pub(crate) fn apply(&mut self, op: Op, indices: Indices, args: &[Term]) -> Result<Term, Unknown> {
        let computed = |terms: &Terms| {
            let sorts: Vec<Sort> = args.iter().map(|&a| terms.sort(a)).collect();
            let sort = op.result(&sorts, indices);
            sort.unwrap_or_else(|| panic!("{} does not fit {sorts:?} {indices:?}", op.key))
        };
        let sort = match op.sort {
            SortRule::Bool => Sort::Bool,
            SortRule::Argument(i) => self.sort(args[i]),
            SortRule::Computed => computed(self),
        };
        debug_assert_eq!(sort, computed(self));
        let value = self.evaluate(op, indices, args, &self.values)?;
        let node = self.node_over(Head::Operator(op), indices, args, sort);
        Ok(self.push(node, value))
    }

    /// The same without indices, for operators that are never open or where the value does not matter.
    pub(crate) fn app(&mut self, op: Op, args: &[Term]) -> Term {
        self.apply(op, [0; 2], args).unwrap_or_else(|_| {
            debug_assert!(op.open(), "only open operators have gaps");
            args[0]
        })
    }

    /// The value of an operator over terms whose values are in a list; `None` if one of them is not known.
    fn evaluate(
        &self,
        op: Op,
        indices: Indices,
        args: &[Term],
        values: &[Option<Value>],
    ) -> Result<Option<Value>, Unknown> {
        let known = Value::Bool(false);
        let mut few = [&known; 8];
        if args.len() <= 8 {
            for (place, a) in few.iter_mut().zip(args) {
                match &values[a.index()] {
                    Some(v) => *place = v,
                    None => return Ok(None),
                }
            }
            return op.apply(&few[..args.len()], indices).map(Some);
        }
        let all: Option<Vec<&Value>> = args.iter().map(|a| values[a.index()].as_ref()).collect();
        all.map(|all| op.apply(&all, indices)).transpose()
    }

    /// A declared function over terms, with its value there.
    pub(crate) fn call(&mut self, function: u32, args: &[Term], value: Option<Value>) -> Term {
        let sort = self.functions[function as usize].result;
        let node = self.node_over(Head::Function(function), [0; 2], args, sort);
        self.push(node, value)
    }

    pub(crate) fn sort(&self, t: Term) -> Sort {
        self.nodes[t.index()].sort
    }

    pub(crate) fn size(&self, t: Term) -> u32 {
        self.nodes[t.index()].size
    }

    pub(crate) fn head(&self, t: Term) -> Head {
        self.nodes[t.index()].head
    }

    pub(crate) fn indices(&self, t: Term) -> Indices {
        self.nodes[t.index()].indices
    }

    pub(crate) fn value(&self, t: Term) -> Option<&Value> {
        self.values[t.index()].as_ref()
    }

    pub(crate) fn args(&self, t: Term) -> &[Term] {
        let node = &self.nodes[t.index()];
        &self.args[node.start as usize..node.start as usize + node.arity as usize]
    }

    /// Whether two terms are written the same.
    pub(crate) fn same(&self, a: Term, b: Term) -> bool {
        if a == b {
            return true;
        }
        let (x, y) = (&self.nodes[a.index()], &self.nodes[b.index()]);
        x.size == y.size
            && (x.head, x.indices, x.sort, x.arity) == (y.head, y.indices, y.sort, y.arity)
            && match x.head {
                Head::Literal => self.values[a.index()] == self.values[b.index()],
                Head::Variable(_) => true,
                _ => self.args(a).iter().zip(self.args(b)).all(|(a, b)| self.same(*a, *b)),
            }
    }

    /// The term with other arguments.
    pub(crate) fn with_args(&mut self, t: Term, args: &[Term]) -> Result<Term, Unknown> {
        match self.head(t) {
            Head::Operator(op) => self.apply(op, self.indices(t), args),
            Head::Function(f) => Ok(self.call(f, args, None)),
            Head::Variable(_) | Head::Literal => Ok(t),
        }
    }

    /// Sets `live` to whether each term is part of one of the roots, by index.
    pub(crate) fn mark(&self, roots: &[Term], live: &mut Vec<bool>) {
        live.clear();
        live.resize(self.nodes.len(), false);
        roots.iter().for_each(|r| live[r.index()] = true);
        for i in (0..self.nodes.len()).rev() {
            if live[i] {
                self.args(Term(i as u32)).iter().for_each(|a| live[a.index()] = true);
            }
        }
    }

    /// Evaluates terms, arguments first, under other values of the variables: `None` where a result is open, or
    /// depends on one that is. `values` has a place for every term.
    pub(crate) fn evaluate_all(&self, order: &[Term], variables: &[Value], values: &mut [Option<Value>]) {
        for &t in order {
            let node = &self.nodes[t.index()];
            let value = match node.head {
                Head::Variable(n) => variables.get(n as usize).cloned(),
                Head::Literal => self.values[t.index()].clone(),
                Head::Function(_) => None,
                Head::Operator(op) => self.evaluate(op, node.indices, self.args(t), values).ok().flatten(),
            };
            values[t.index()] = value;
        }
    }

    /// Writes a term.
    pub(crate) fn write(&self, t: Term, out: &mut Vec<u8>) {
        let node = &self.nodes[t.index()];
        match node.head {
            Head::Literal => write_value(self.values[t.index()].as_ref(), node.sort, out),
            Head::Variable(n) => write_name(node.sort.letter(), n, out),
            Head::Operator(op) => {
                out.push(b'(');
                match op.row.indices.len() {
                    0 => out.extend_from_slice(op.name.as_bytes()),
                    n => {
                        out.extend_from_slice(b"(_ ");
                        out.extend_from_slice(op.name.as_bytes());
                        for &i in &node.indices[..n] {
                            out.push(b' ');
                            write_number(i, out);
                        }
                        out.push(b')');
                    }
                }
                self.write_args(t, out);
            }
            Head::Function(n) => {
                out.push(b'(');
                write_name('f', n, out);
                self.write_args(t, out);
            }
        }
    }

    fn write_args(&self, t: Term, out: &mut Vec<u8>) {
        for &a in self.args(t) {
            out.push(b' ');
            self.write(a, out);
        }
        out.push(b')');
    }
}

/// A letter and a number.
pub(crate) fn write_name(letter: char, n: u32, out: &mut Vec<u8>) {
    out.push(letter as u8);
    write_number(n, out);
}

/// A number in decimal.
pub(crate) fn write_number(n: u32, out: &mut Vec<u8>) {
    if n >= 10 {
        write_number(n / 10, out);
    }
    out.push(b'0' + (n % 10) as u8);
}

/// A value as a literal.
pub(crate) fn write_value(value: Option<&Value>, sort: Sort, out: &mut Vec<u8>) {
    match value {
        Some(Value::Bool(b)) => out.extend_from_slice(if *b { b"true" } else { b"false" }),
        Some(Value::RoundingMode(m)) => {
            let _ = write!(out, "{m}");
        }
        Some(Value::BitVec(b)) => {
            let _ = write!(out, "{b}");
        }
        Some(Value::Float(f)) => write_float(f, out),
        Some(Value::Int(n)) => out.extend_from_slice(smelt_semantics::number::int::to_smtlib(n).as_bytes()),
        Some(Value::Real(r)) => out.extend_from_slice(r.to_smtlib().as_bytes()),
        Some(Value::Array(a)) => write_array(a, sort, out),
        _ => unreachable!("a literal has a value of its sort"),
    }
}

fn write_float(f: &Float, out: &mut Vec<u8>) {
    let format = f.format();
    if f.is_nan() || f.is_infinite() {
        let _ = write!(out, "{f}");
        return;
    }
    let bits = f.canonical_bits();
    let (width, stored) = (format.width(), format.sb() - 1);
    out.extend_from_slice(b"(fp ");
    for (high, low) in [(width - 1, width - 1), (width - 2, stored), (stored - 1, 0)] {
        let end = if low == 0 { ')' } else { ' ' };
        let _ = write!(out, "{}{end}", bits.extract(high, low).expect("within the width"));
    }
}

fn write_array(a: &Array, sort: Sort, out: &mut Vec<u8>) {
    let Sort::Array(width, element) = sort else { unreachable!("an array has an array sort") };
    (0..a.exceptions().len()).for_each(|_| out.extend_from_slice(b"(store "));
    out.extend_from_slice(b"((as const ");
    sort.write(out);
    out.extend_from_slice(b") ");
    write_value(Some(a.default_value()), element.into(), out);
    out.push(b')');
    for (i, v) in a.exceptions() {
        out.push(b' ');
        write_value(Some(i), Sort::Bits(width), out);
        out.push(b' ');
        write_value(Some(v), element.into(), out);
        out.push(b')');
    }
}
