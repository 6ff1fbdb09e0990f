//! Sort inference for operators: the matching row of the signature table for an application, and its sort.
//!
//! The first attempt is strict: sorts must be equal. If no row matches, the second attempt is as lenient as solvers
//! are: `Int` also matches `Real`, and an unknown sort matches everything.

use super::sort::{Index, Sort, SortKind, Sorts};
use super::symbol::{Symbol, sym};
use super::term::{Term, Terms};
use super::{Arena, Fun, Op};
use crate::signature::{Associativity, Bindings, NumberPattern, Row, Rule, SortPattern};

/// How exactly sorts must match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strictness {
    /// As the standard says.
    Strict,
    /// `Int` may stand for `Real`, unknown sorts for any.
    Lenient,
}

use Strictness::{Lenient, Strict};

impl Arena {
    /// The operator of the signature table that `name` applied to terms is, and the sort of the application.
    ///
    /// `args` is `None` for a name without parentheses.
    pub fn resolve(
        &mut self,
        name: Symbol,
        indices: &[Index],
        ascribed: Option<Sort>,
        args: Option<&[Term]>,
    ) -> Option<(Fun, Sort)> {
        for strictness in [Strict, Lenient] {
            for c in self.signatures.candidates(name) {
                let row = self.signatures.row(c.op);
                if args.is_none() && !row.args.is_empty() {
                    continue;
                }
                let args = args.unwrap_or(&[]);
                let ascribed = ascribed.map(|s| self.sorts.canonical(s));
                let mut typing = Typing { sorts: &mut self.sorts, terms: &self.terms, strictness };
                if let Some(sort) = typing.row_sort(row, indices, ascribed, args) {
                    let (op, plain) = (c.op, c.fun);
                    let fun = if indices.is_empty() && ascribed.is_none() {
                        plain
                    } else {
                        self.fun(name, Some(op), indices, ascribed)
                    };
                    return Some((fun, sort));
                }
            }
        }
        None
    }

    /// Applies a row of the signature table under its current name; `None` when sorts or indices do not fit.
    pub fn apply_op(&mut self, op: Op, indices: &[Index], args: &[Term]) -> Option<Term> {
        let row = self.signatures.row(op);
        let mut typing = Typing { sorts: &mut self.sorts, terms: &self.terms, strictness: Strict };
        let sort = typing.row_sort(row, indices, None, args)?;
        let name = row.name;
        let fun = self.fun(name, Some(op), indices, None);
        Some(self.app(fun, args, sort))
    }

    /// Whether a sort is of a pattern, strictly; binds the variables of the pattern that are free.
    pub fn accepts(&mut self, pattern: &SortPattern, sort: Sort, bindings: &mut Bindings) -> bool {
        Typing { sorts: &mut self.sorts, terms: &self.terms, strictness: Strict }
            .accept(pattern, sort, bindings)
    }

    /// The sort that a pattern stands for; `None` while a variable has no value.
    pub(crate) fn instance(&mut self, pattern: &SortPattern, bindings: &Bindings) -> Option<Sort> {
        build(pattern, &mut self.sorts, bindings)
    }

    /// Whether a term of sort `actual` can stand where `expected` is wanted.
    pub fn fits(&self, expected: Sort, actual: Sort, strictness: Strictness) -> bool {
        let (expected, actual) = (self.canonical(expected), self.canonical(actual));
        expected == actual || strictness == Lenient && lenient_fit(&self.sorts, expected, actual)
    }
}

/// `Int` for `Real`, unknown for anything, also inside other sorts.
fn lenient_fit(sorts: &Sorts, expected: Sort, actual: Sort) -> bool {
    if expected == actual || expected == Sort::UNKNOWN || actual == Sort::UNKNOWN {
        return true;
    }
    if expected == Sort::REAL && actual == Sort::INT {
        return true;
    }
    let (e, a) = (sorts.view(expected), sorts.view(actual));
    if e.kind == SortKind::Parameter || a.kind == SortKind::Parameter {
        return false;
    }
    // z3 has no function sort: its lambdas are arrays.
    let heads =
        e.head == a.head || matches!((e.head, a.head), (sym::ARROW, sym::ARRAY) | (sym::ARRAY, sym::ARROW));
    heads
        && !e.args.is_empty()
        && e.args.len() == a.args.len()
        && e.args.iter().zip(a.args).all(|(&e, &a)| lenient_fit(sorts, e, a))
}

/// The sorts and terms that typing reads, and how exactly sorts must match.
struct Typing<'a> {
    sorts: &'a mut Sorts,
    terms: &'a Terms,
    strictness: Strictness,
}

impl Typing<'_> {
    #[inline]
    fn sort_of(&self, term: &Term) -> Sort {
        self.terms.node(*term).sort
    }

    /// Whether a term of sort `actual` can stand where `expected` is wanted.
    fn fits(&self, expected: Sort, actual: Sort) -> bool {
        expected == actual || self.strictness == Lenient && lenient_fit(self.sorts, expected, actual)
    }

    /// The sort of `row` applied, if it fits.
    fn row_sort(
        &mut self,
        row: &Row,
        indices: &[Index],
        ascribed: Option<Sort>,
        args: &[Term],
    ) -> Option<Sort> {
        if let Some(rule) = row.rule {
            return self.rule_sort(rule, row, indices, args);
        }
        if row.indices.len() != indices.len() {
            return None;
        }
        let mut b = Bindings::default();
        for (pattern, index) in row.indices.iter().zip(indices) {
            if !pattern.accept(index.as_number()?, &mut b) {
                return None;
            }
        }
        if let Some(sort) = ascribed
            && !self.accept(&row.result, sort, &mut b)
        {
            return None;
        }
        let exact = args.len() == row.args.len();
        if row.associativity == Associativity::None || exact && !row.uniform {
            if !exact || !row.args.iter().zip(args).all(|(p, t)| self.accept(p, self.sort_of(t), &mut b)) {
                return None;
            }
        } else if row.uniform {
            // One argument is not standard, but read and printed by solvers.
            if args.is_empty() || !args.iter().all(|t| self.accept(&row.args[0], self.sort_of(t), &mut b)) {
                return None;
            }
        } else {
            // A fold over unlike sorts, such as `concat`.
            let mut rest = args.iter();
            let mut sort = self.sort_of(rest.next()?);
            if args.len() < 2 {
                return None;
            }
            for t in rest {
                let mut b = Bindings::default();
                let step = self.accept(&row.args[0], sort, &mut b)
                    && self.accept(&row.args[1], self.sort_of(t), &mut b);
                sort = if step { build(&row.result, self.sorts, &b)? } else { return None };
            }
            return Some(sort);
        }
        if row.condition.as_ref().is_some_and(|c| !c.holds(&b))
            && (self.strictness == Strict || numbers_known(row, &b))
        {
            return None;
        }
        if let SortPattern::Exact(sort) = row.result {
            return Some(sort);
        }
        // Unknown arguments, or nothing that determines a variable (`seq.empty` without `as`): unknown. But widths that are
        // known and make no sort are an error.
        let open = args.is_empty() && row.indices.is_empty()
            || args.iter().any(|t| self.sort_of(t) == Sort::UNKNOWN);
        build(&row.result, self.sorts, &b).or((self.strictness == Lenient && open).then_some(Sort::UNKNOWN))
    }

    /// Matches a sort against a pattern, binding variables.
    fn accept(&self, pattern: &SortPattern, sort: Sort, b: &mut Bindings) -> bool {
        let Typing { sorts, strictness, .. } = self;
        if *strictness == Lenient && sort == Sort::UNKNOWN {
            return true;
        }
        match pattern {
            SortPattern::Exact(want) => self.fits(*want, sort),
            SortPattern::Var(v) => {
                let bound = &mut b.sorts[*v as usize];
                if *bound == sort {
                    true
                } else if *bound == Sort::UNKNOWN || self.fits(sort, *bound) {
                    *bound = sort;
                    true
                } else {
                    self.fits(*bound, sort)
                }
            }
            SortPattern::BitVec(n) => {
                let v = sorts.view(sort);
                matches!((v.head, v.indices), (sym::BITVEC, [w]) if w.as_number().is_some_and(|w| n.accept(w, b)))
            }
            SortPattern::Float(e, s) => {
                let v = sorts.view(sort);
                v.head == sym::FLOATING_POINT
                    && matches!(v.indices, [x, y] if x.as_number().is_some_and(|x| e.accept(x, b))
                    && y.as_number().is_some_and(|y| s.accept(y, b)))
            }
            SortPattern::Constructor(head, args) => {
                let v = sorts.view(sort);
                v.head == *head
                    && v.kind == SortKind::Constructor
                    && v.args.len() == args.len()
                    && args.iter().zip(v.args).all(|(p, &s)| self.accept(p, s, b))
            }
        }
    }

    /// Operators that no pattern describes.
    fn rule_sort(&mut self, rule: Rule, row: &Row, indices: &[Index], args: &[Term]) -> Option<Sort> {
        let indexed = !row.indices.is_empty();
        if indexed == indices.is_empty() && !matches!(rule, Rule::Project) {
            return None;
        }
        let first = args.first().map(|t| self.sort_of(t));
        if self.strictness == Lenient && first == Some(Sort::UNKNOWN) {
            return Some(Sort::UNKNOWN);
        }
        let all_fit = |want: &[Sort], given: &[Term]| {
            want.len() == given.len() && want.iter().zip(given).all(|(&w, t)| self.fits(w, self.sort_of(t)))
        };
        let sorts = &*self.sorts;
        match rule {
            Rule::Select | Rule::Store => {
                let array = sorts.view(first?);
                if !matches!(array.head, sym::ARRAY | sym::ARROW) {
                    return None;
                }
                let (&value, places) = array.args.split_last()?;
                if rule == Rule::Select {
                    return all_fit(places, &args[1..]).then_some(value);
                }
                all_fit(array.args, &args[1..]).then_some(first?)
            }
            Rule::Apply => {
                let fun = sorts.view(first?);
                let (_, taken) = args.split_first().filter(|(_, taken)| !taken.is_empty())?;
                if fun.head != sym::ARROW || taken.len() >= fun.args.len() {
                    return None;
                }
                let (wanted, rest) = fun.args.split_at(taken.len());
                if !all_fit(wanted, taken) {
                    return None;
                }
                let rest = rest.to_vec();
                Some(function_sort(self.sorts, &rest))
            }
            Rule::Tuple => {
                let parts: Vec<Sort> = args.iter().map(|t| self.sort_of(t)).collect();
                Some(tuple_sort(self.sorts, &parts))
            }
            Rule::TupleSelect => tuple_part(sorts, first?, indices.first()?),
            Rule::TupleUpdate => {
                let part = tuple_part(sorts, first?, indices.first()?)?;
                self.fits(part, self.sort_of(args.get(1)?)).then_some(first?)
            }
            Rule::Insert => {
                let (set, members) = args.split_last()?;
                let set = self.sort_of(set);
                let element = *sorts.view(set).args.first()?;
                (sorts.view(set).head == sym::SET
                    && members.iter().all(|m| self.fits(element, self.sort_of(m))))
                .then_some(set)
            }
            Rule::Project | Rule::Product | Rule::Join | Rule::Transpose => {
                self.relation_sort(rule, indices, args)
            }
            Rule::ArrayMap => first.filter(|&array| sorts.view(array).head == sym::ARRAY),
            Rule::SameAsFirst => first,
            Rule::SameAsLast => args.last().map(|t| self.sort_of(t)),
            Rule::Unchecked => match row.result {
                SortPattern::Exact(sort) => Some(sort),
                _ => Some(Sort::UNKNOWN),
            },
        }
    }

    /// Operators that rearrange tuples, alone or in sets and bags.
    fn relation_sort(&mut self, rule: Rule, indices: &[Index], args: &[Term]) -> Option<Sort> {
        let parts_of = |i: usize| {
            let (wrapper, tuple) = unwrap_collection(self.sorts, self.sort_of(args.get(i)?));
            Some((wrapper, tuple_parts(self.sorts, tuple)?.to_vec()))
        };
        let (wrapper, mut parts) = parts_of(0)?;
        match rule {
            Rule::Project => {
                let part = |i: &Index| parts.get(i.as_number()? as usize).copied();
                parts = indices.iter().map(part).collect::<Option<_>>()?;
                let tuple = tuple_sort(self.sorts, &parts);
                return Some(wrapper.map_or(tuple, |w| constructor(self.sorts, w, &[tuple])));
            }
            Rule::Product => parts.extend(parts_of(1)?.1),
            Rule::Join => {
                let right = parts_of(1)?.1;
                let (head, tail) = right.split_first()?;
                if parts.pop()? != *head {
                    return None;
                }
                parts.extend(tail);
            }
            _ => parts.reverse(),
        }
        let tuple = constructor(self.sorts, sym::TUPLE, &parts);
        Some(constructor(self.sorts, wrapper?, &[tuple]))
    }
}

/// Whether every number variable of the row's arguments got a value (with unknown arguments, some did not).
fn numbers_known(row: &Row, b: &Bindings) -> bool {
    row.args.iter().all(|p| match p {
        SortPattern::BitVec(n) => n.value(b).is_some(),
        SortPattern::Float(e, s) => e.value(b).is_some() && s.value(b).is_some(),
        _ => true,
    })
}

/// See [`Arena::instance`].
fn build(pattern: &SortPattern, sorts: &mut Sorts, b: &Bindings) -> Option<Sort> {
    match pattern {
        SortPattern::Exact(sort) => Some(*sort),
        SortPattern::Var(v) => Some(b.sorts[*v as usize]).filter(|&s| s != Sort::UNKNOWN),
        SortPattern::BitVec(n) => {
            let width = n.value(b).filter(|&n| n > 0).and_then(Index::number)?;
            Some(sorts.intern(sym::BITVEC, SortKind::Constructor, &[width], &[], None))
        }
        SortPattern::Float(e, s) => {
            let width = |n: &NumberPattern| n.value(b).filter(|&n| n > 1).and_then(Index::number);
            let (e, s) = (width(e)?, width(s)?);
            Some(sorts.intern(sym::FLOATING_POINT, SortKind::Constructor, &[e, s], &[], None))
        }
        SortPattern::Constructor(head, args) => {
            let args = args.iter().map(|a| build(a, sorts, b)).collect::<Option<Vec<_>>>()?;
            Some(constructor(sorts, *head, &args))
        }
    }
}

fn constructor(sorts: &mut Sorts, head: Symbol, args: &[Sort]) -> Sort {
    sorts.intern(head, SortKind::Constructor, &[], args, None)
}

fn tuple_sort(sorts: &mut Sorts, parts: &[Sort]) -> Sort {
    constructor(sorts, if parts.is_empty() { sym::UNIT_TUPLE } else { sym::TUPLE }, parts)
}

/// The element sorts of a tuple.
fn tuple_parts(sorts: &Sorts, sort: Sort) -> Option<&[Sort]> {
    let v = sorts.view(sort);
    matches!(v.head, sym::TUPLE | sym::UNIT_TUPLE).then_some(v.args)
}

/// One element sort of a tuple.
fn tuple_part(sorts: &Sorts, sort: Sort, index: &Index) -> Option<Sort> {
    tuple_parts(sorts, sort)?.get(index.as_number()? as usize).copied()
}

/// `Set` or `Bag` and its element sort, or the sort itself.
fn unwrap_collection(sorts: &Sorts, sort: Sort) -> (Option<Symbol>, Sort) {
    let v = sorts.view(sort);
    match (v.head, v.args) {
        (sym::SET | sym::BAG, [inner]) => (Some(v.head), *inner),
        _ => (None, sort),
    }
}

/// The sort of a function that still takes all but the last of `parts`.
pub(crate) fn function_sort(sorts: &mut Sorts, parts: &[Sort]) -> Sort {
    match parts {
        [result] => *result,
        _ => constructor(sorts, sym::ARROW, parts),
    }
}
