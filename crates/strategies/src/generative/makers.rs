//! What can make a term of a given sort in a seed: operators and the script's own functions, at the sorts that
//! occur.

use smelt_smtlib::signature::{Associativity, Bindings, NumberPattern, Row, SortPattern};
use smelt_smtlib::{Arena, Index, Op, Role, Sort, Term};

use super::expressions::{Expressions, NOWHERE};
use crate::gate::{Classes, is_awkward};
use crate::operator::head_text;
use crate::pool::Seed;

/// A head at fixed sorts.
#[derive(Debug)]
pub(crate) struct Maker {
    /// As it is printed.
    pub(crate) head: Box<[u8]>,
    /// Its operator, if it is one of the standard or of a solver.
    pub(crate) op: Option<Op>,
    /// Positions of its argument sorts among the seed's.
    pub(crate) args: Box<[u32]>,
    /// Whether it takes a further argument of the last sort.
    pub(crate) variadic: bool,
    /// Whether two equal arguments say nothing: connectives, comparisons, differences.
    pub(crate) distinct: bool,
    /// Which arguments must be numbers written out, for the logic to stay linear.
    literal: Literals,
    /// One more than the command that declares it.
    pub(crate) needs: u32,
}

/// Where a linear logic wants numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Literals {
    Nowhere,
    /// All but the last.
    Factors,
    /// All but the first, and not zero.
    Divisors,
}

/// What an argument must be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Any,
    Number,
    Nonzero,
}

impl Maker {
    /// A constant of the standard.
    pub(super) fn constant(name: &[u8]) -> Maker {
        let (args, literal) = (Box::default(), Literals::Nowhere);
        Maker { head: name.into(), op: None, args, variadic: false, distinct: false, literal, needs: 0 }
    }

    /// Whether all its arguments are of this sort.
    pub(super) fn is_connective(&self, truth: u32) -> bool {
        !self.args.is_empty() && self.args.iter().all(|a| *a == truth)
    }

    /// Whether new terms may stand as its arguments: in a linear logic, not where they could make a product of unknowns.
    pub(crate) fn is_changeable(&self) -> bool {
        self.literal == Literals::Nowhere
    }

    /// What argument `i` must be, where `last` is the last one.
    pub(crate) fn wanted(&self, i: usize, last: usize) -> Wanted {
        match self.literal {
            Literals::Factors if i != last => Wanted::Number,
            Literals::Divisors if i > 0 => Wanted::Nonzero,
            _ => Wanted::Any,
        }
    }
}

/// At most this many instances of one operator for one sort.
const INSTANCES: usize = 12;

/// The makers of each sort of a seed, grouped by operator or function.
pub(crate) fn makers(
    arena: &mut Arena,
    seed: &Seed,
    classes: &Classes,
    all: &Expressions,
) -> Vec<Vec<Vec<Maker>>> {
    let ops: Vec<Op> = arena.signatures().ops().map(|(op, _)| op).collect();
    let ops: Vec<Op> = ops.into_iter().filter(|&op| seed.gate.allows(arena, classes, op)).collect();
    let mut by_sort: Vec<Vec<Vec<Maker>>> = all.sorts.iter().map(|_| Vec::new()).collect();
    let signatures = std::sync::Arc::clone(arena.signatures());
    for (s, groups) in by_sort.iter_mut().enumerate() {
        let sort = all.sorts[s].0;
        for &op in &ops {
            let row = signatures.row(op);
            if row.args.is_empty() || row.rule.is_some() {
                continue;
            }
            let mut found = Vec::new();
            let mut bindings = Bindings::default();
            // A result of computed width is checked once the arguments are known.
            if is_plain(&row.result) && !arena.accepts(&row.result, sort, &mut bindings) {
                continue;
            }
            let mut search = Search { arena, seed, classes, all, op, row, sort, found: &mut found };
            search.arguments(bindings, &mut Vec::new());
            if !found.is_empty() {
                groups.push(found);
            }
        }
        groups.extend(functions(arena, seed, all, sort));
    }
    by_sort
}

struct Search<'a> {
    arena: &'a mut Arena,
    seed: &'a Seed,
    classes: &'a Classes,
    all: &'a Expressions,
    op: Op,
    row: &'a Row,
    sort: Sort,
    found: &'a mut Vec<Maker>,
}

impl Search<'_> {
    /// Tries every sort that occurs for each argument in turn.
    fn arguments(&mut self, bindings: Bindings, chosen: &mut Vec<u32>) {
        if self.found.len() >= INSTANCES {
            return;
        }
        if chosen.len() == self.row.args.len() {
            return self.finish(&bindings, chosen);
        }
        for i in 0..self.all.sorts.len().min(32) {
            let mut b = bindings;
            if self.arena.accepts(&self.row.args[chosen.len()], self.all.sorts[i].0, &mut b) {
                chosen.push(i as u32);
                self.arguments(b, chosen);
                chosen.pop();
            }
        }
    }

    /// The sorts are chosen: indices, and a check by the typing itself.
    fn finish(&mut self, bindings: &Bindings, chosen: &[u32]) {
        let sorts: Vec<Sort> = chosen.iter().map(|&i| self.all.sorts[i as usize].0).collect();
        if is_awkward(self.arena, &self.seed.gate, self.row, &sorts) {
            return;
        }
        let terms: Vec<Term> =
            chosen.iter().map(|&i| self.all.list[self.all.sorts[i as usize].1[0] as usize].term).collect();
        for indices in self.indices(bindings, &sorts) {
            let mark = self.arena.checkpoint();
            let made = self.arena.apply_op(self.op, &indices, &terms);
            let fits = made.is_some_and(|t| self.arena.sort_of(t) == self.sort);
            self.arena.rollback(mark);
            if fits {
                let same = sorts.windows(2).all(|w| w[0] == w[1]);
                // Of three truth values two are equal.
                let pigeons = sorts[0] == Sort::BOOL && self.row.associativity == Associativity::Pairwise;
                let variadic = same
                    && !pigeons
                    && self.classes.is_variadic(self.arena, self.row)
                    && match self.row.associativity {
                        Associativity::None => false,
                        Associativity::Left | Associativity::Right => sorts[0] == self.sort,
                        Associativity::Chainable | Associativity::Pairwise => true,
                    };
                let literal = match self.arena.text(self.row.name) {
                    b"*" if self.seed.gate.linear => Literals::Factors,
                    b"/" | b"div" | b"mod" if self.seed.gate.linear => Literals::Divisors,
                    _ => Literals::Nowhere,
                };
                let head = head_text(self.arena, self.row.name, &indices);
                let distinct = same && is_void_on_equals(self.arena.text(self.row.name), self.sort);
                let op = Some(self.op);
                self.found.push(Maker {
                    head,
                    op,
                    args: chosen.into(),
                    variadic,
                    distinct,
                    literal,
                    needs: 0,
                });
            }
        }
    }

    /// Useful indices: those that the sorts determine, else some reasonable ones.
    fn indices(&self, b: &Bindings, args: &[Sort]) -> Vec<Vec<Index>> {
        let determined: Option<Vec<u32>> = self.row.indices.iter().map(|n| n.value(b)).collect();
        let width = |s: Sort| self.arena.bitvec_width(s).unwrap_or(0);
        let (to, from) = (width(self.sort), args.first().map_or(0, |&s| width(s)));
        let mut choices: Vec<Vec<u32>> = match (determined, self.row.indices.len()) {
            (Some(indices), _) => vec![indices],
            (None, 1) if to > from && from > 0 => vec![vec![to - from], vec![to / from]],
            (None, 1) => [0, 1, 2, 3, 7].iter().map(|&i| vec![i]).collect(),
            (None, 2) if to > 0 && from >= to => {
                let spare = from - to;
                [0, 1, spare / 2, spare]
                    .iter()
                    .filter(|&&j| j <= spare)
                    .map(|&j| vec![j + to - 1, j])
                    .collect()
            }
            (None, 2) => vec![vec![0, 2], vec![1, 3]],
            _ => Vec::new(),
        };
        choices.sort();
        choices.dedup();
        choices.into_iter().filter_map(|c| c.into_iter().map(Index::number).collect()).collect()
    }
}

/// The script's own functions, constructors, selectors and testers that give `sort`.
fn functions(arena: &mut Arena, seed: &Seed, all: &Expressions, sort: Sort) -> Vec<Vec<Maker>> {
    let mut found = Vec::new();
    for d in seed.scope.declarations() {
        if d.parametric || d.role == Role::Named {
            continue;
        }
        let own = if d.role == Role::Tester {
            let constructor = arena.text(d.name).strip_prefix(b"is-").and_then(|c| arena.find_symbol(c));
            constructor.map_or(NOWHERE, |c| all.declared(c))
        } else {
            all.declared(d.name)
        };
        if own == NOWHERE {
            continue;
        }
        let args: Option<Box<[u32]>> = d.args.iter().map(|&a| all.sort_index(a).map(|i| i as u32)).collect();
        if let Some(args) = args.filter(|a| !a.is_empty() && d.result == sort && d.role != Role::Tester) {
            let head = head_text(arena, d.name, &[]);
            found.push(vec![Maker {
                head,
                op: None,
                args,
                variadic: false,
                distinct: false,
                literal: Literals::Nowhere,
                needs: own,
            }]);
        }
        if d.role == Role::Constructor
            && sort == Sort::BOOL
            && let Some(i) = all.sort_index(d.result)
        {
            let mut head = b"(_ is ".to_vec();
            smelt_smtlib::Printer::new(arena, &mut head).symbol(d.name);
            head.push(b')');
            let args = Box::new([i as u32]);
            found.push(vec![Maker {
                head: head.into(),
                op: None,
                args,
                variadic: false,
                distinct: false,
                literal: Literals::Nowhere,
                needs: own,
            }]);
        }
    }
    found
}

/// Operators that give one of two equal arguments back, or always the same value for them, besides those that give a
/// truth value.
const VOID: &[&[u8]] = &[
    b"-",
    b"/",
    b"div",
    b"mod",
    b"bvsub",
    b"bvand",
    b"bvor",
    b"bvxor",
    b"bvxnor",
    b"bvcomp",
    b"bvudiv",
    b"bvurem",
    b"bvsdiv",
    b"bvsrem",
    b"bvsmod",
    b"re.union",
    b"re.inter",
    b"re.diff",
    b"str.replace",
    b"str.replace_all",
    b"str.indexof",
    b"fp.min",
    b"fp.max",
    b"fp.rem",
    b"fp.sub",
    b"fp.div",
];

/// Whether an operator says nothing about two equal arguments.
fn is_void_on_equals(name: &[u8], result: Sort) -> bool {
    result == Sort::BOOL || VOID.contains(&name)
}

/// Whether a pattern holds no computed number.
fn is_plain(pattern: &SortPattern) -> bool {
    let plain = |n: &NumberPattern| matches!(n, NumberPattern::Exact(_) | NumberPattern::Var(_));
    match pattern {
        SortPattern::Exact(_) | SortPattern::Var(_) => true,
        SortPattern::BitVec(n) => plain(n),
        SortPattern::Float(e, s) => plain(e) && plain(s),
        SortPattern::Constructor(_, args) => args.iter().all(is_plain),
    }
}
