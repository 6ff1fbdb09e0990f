//! Sort inference for operators: which row of the signature table an application is, and its sort.
//!
//! First strictly: the sorts as they are. If no row fits, leniently, as solvers read real files: `Int` where a
//! `Real` is wanted, and anything where a sort is unknown.

use super::sort::{Index, Sort, SortKind, Sorts};
use super::symbol::{Symbol, sym};
use super::term::{Kind, Term, Terms};
use super::{Arena, Fun, Op};
use crate::signature::{Associativity, Bindings, NumberPattern, Row, Rule, SortPattern};

/// How exactly sorts must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strictness {
    /// As the standard says.
    Strict,
    /// `Int` may stand for `Real`, unknown sorts for any.
    Lenient,
}

use Strictness::{Lenient, Strict};

impl Arena {
    /// What `name` applied to terms resolves to among the operators of the signature table.
    ///
    /// `args` is `None` for a name that stands alone.
    pub fn resolve(
        &mut self,
        name: Symbol,
        indices: &[Index],
        ascribed: Option<Sort>,
        args: Option<&[Term]>,
    ) -> Option<(Fun, Sort)> {
        let candidates = self.signatures.candidates(name);
        if candidates.is_empty() {
            return None;
        }
        for strictness in [Strict, Lenient] {
            for c in self.signatures.candidates(name) {
                let row = self.signatures.row(c.op);
                if args.is_none() && !row.args.is_empty() {
                    continue;
                }
                let args = args.unwrap_or(&[]);
                let ascribed = ascribed.map(|s| self.sorts.canonical(s));
                let found = row_sort(row, &mut self.sorts, &self.terms, indices, ascribed, args, strictness);
                if let Some(sort) = found {
                    let (op, plain) = (c.op, c.fun);
                    let fun = if indices.is_empty() && ascribed.is_none() {
                        plain
                    } else {
                        self.funs.intern(name, Some(op), indices, ascribed)
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
        let sort = row_sort(row, &mut self.sorts, &self.terms, indices, None, args, Strict)?;
        let name = row.name;
        let fun = self.funs.intern(name, Some(op), indices, None);
        Some(self.terms.intern(Kind::App, fun.0, sort, args, &[]))
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

/// The sort of `row` applied, if it fits.
fn row_sort(
    row: &Row,
    sorts: &mut Sorts,
    terms: &Terms,
    indices: &[Index],
    ascribed: Option<Sort>,
    args: &[Term],
    strictness: Strictness,
) -> Option<Sort> {
    if let Some(rule) = row.rule {
        return rule_sort(rule, row, sorts, terms, indices, args, strictness);
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
        && !accept(&row.result, sort, sorts, &mut b, strictness)
    {
        return None;
    }
    let sort_of = |t: &Term| terms.node(*t).sort;
    let exact = args.len() == row.args.len();
    if row.associativity == Associativity::None || exact && !row.uniform {
        if !exact || !row.args.iter().zip(args).all(|(p, t)| accept(p, sort_of(t), sorts, &mut b, strictness))
        {
            return None;
        }
    } else if row.uniform {
        // One argument is not standard, but read and printed by solvers.
        if args.is_empty()
            || !args.iter().all(|t| accept(&row.args[0], sort_of(t), sorts, &mut b, strictness))
        {
            return None;
        }
    } else {
        // A fold over unlike sorts, such as `concat`.
        let mut rest = args.iter();
        let mut sort = sort_of(rest.next()?);
        if args.len() < 2 {
            return None;
        }
        for t in rest {
            let mut b = Bindings::default();
            let step = accept(&row.args[0], sort, sorts, &mut b, strictness)
                && accept(&row.args[1], sort_of(t), sorts, &mut b, strictness);
            sort = if step { build(&row.result, sorts, &b)? } else { return None };
        }
        return Some(sort);
    }
    if row.condition.as_ref().is_some_and(|c| !c.holds(&b)) && (strictness == Strict || b.numbers_known(row))
    {
        return None;
    }
    if let SortPattern::Exact(sort) = row.result {
        return Some(sort);
    }
    // Unknown arguments, or nothing that determines a variable (`seq.empty` without `as`): unknown. But widths that are
    // known and make no sort are an error.
    let open = args.is_empty() && row.indices.is_empty() || args.iter().any(|t| sort_of(t) == Sort::UNKNOWN);
    build(&row.result, sorts, &b).or((strictness == Lenient && open).then_some(Sort::UNKNOWN))
}

impl Bindings {
    /// Whether every number variable of the row's arguments got a value (with unknown arguments, some did not).
    fn numbers_known(&self, row: &Row) -> bool {
        fn numbers<'a>(p: &'a SortPattern, out: &mut Vec<&'a NumberPattern>) {
            match p {
                SortPattern::BitVec(n) => out.push(n),
                SortPattern::Float(e, s) => out.extend([e, s]),
                _ => {}
            }
        }
        let mut all = Vec::new();
        row.args.iter().for_each(|p| numbers(p, &mut all));
        all.iter().all(|n| n.value(self).is_some())
    }
}

/// Matches a sort against a pattern, binding variables.
fn accept(
    pattern: &SortPattern,
    sort: Sort,
    sorts: &Sorts,
    b: &mut Bindings,
    strictness: Strictness,
) -> bool {
    if strictness == Lenient && sort == Sort::UNKNOWN {
        return true;
    }
    match pattern {
        SortPattern::Exact(want) => *want == sort || strictness == Lenient && lenient_fit(sorts, *want, sort),
        SortPattern::Var(v) => {
            let bound = &mut b.sorts[*v as usize];
            if *bound == sort {
                true
            } else if *bound == Sort::UNKNOWN || strictness == Lenient && lenient_fit(sorts, sort, *bound) {
                *bound = sort;
                true
            } else {
                strictness == Lenient && lenient_fit(sorts, *bound, sort)
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
                && args.iter().zip(v.args).all(|(p, &s)| accept(p, s, sorts, b, strictness))
        }
    }
}

/// The sort a pattern stands for; `None` while a variable has no value.
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
            Some(sorts.intern(*head, SortKind::Constructor, &[], &args, None))
        }
    }
}

/// Operators that no pattern describes.
fn rule_sort(
    rule: Rule,
    row: &Row,
    sorts: &mut Sorts,
    terms: &Terms,
    indices: &[Index],
    args: &[Term],
    strictness: Strictness,
) -> Option<Sort> {
    let sort_of = |i: usize| args.get(i).map(|t| terms.node(*t).sort);
    let make =
        |sorts: &mut Sorts, head, args: &[Sort]| sorts.intern(head, SortKind::Constructor, &[], args, None);
    let fits =
        |sorts: &Sorts, want, have| want == have || strictness == Lenient && lenient_fit(sorts, want, have);
    let indexed = !row.indices.is_empty();
    if indexed == indices.is_empty() && !matches!(rule, Rule::Project) {
        return None;
    }
    let first = sort_of(0);
    if strictness == Lenient && first == Some(Sort::UNKNOWN) {
        return Some(Sort::UNKNOWN);
    }
    match rule {
        Rule::Select | Rule::Store => {
            let array = sorts.view(first?);
            if !matches!(array.head, sym::ARRAY | sym::ARROW) {
                return None;
            }
            let (&value, places) = array.args.split_last()?;
            let extra = if rule == Rule::Store { 1 } else { 0 };
            let places_fit = args.len() == places.len() + 1 + extra
                && places
                    .iter()
                    .enumerate()
                    .all(|(i, &p)| fits(sorts, p, sort_of(i + 1).unwrap_or(Sort::UNKNOWN)));
            match (places_fit, rule) {
                (true, Rule::Select) => Some(value),
                (true, _) => fits(sorts, value, sort_of(args.len() - 1)?).then_some(first?),
                (false, _) => None,
            }
        }
        Rule::Apply => {
            let fun = sorts.view(first?);
            if fun.head != sym::ARROW || args.len() < 2 || args.len() > fun.args.len() {
                return None;
            }
            let taken = args.len() - 1;
            if !(0..taken).all(|i| fits(sorts, fun.args[i], sort_of(i + 1).unwrap_or(Sort::UNKNOWN))) {
                return None;
            }
            let rest = fun.args[taken..].to_vec();
            Some(function_sort(sorts, &rest))
        }
        Rule::Tuple => {
            let parts: Vec<Sort> = (0..args.len()).filter_map(sort_of).collect();
            Some(if parts.is_empty() {
                make(sorts, sym::UNIT_TUPLE, &[])
            } else {
                make(sorts, sym::TUPLE, &parts)
            })
        }
        Rule::TupleSelect => tuple_parts(sorts, first?)?.get(indices.first()?.as_number()? as usize).copied(),
        Rule::TupleUpdate => {
            let part = *tuple_parts(sorts, first?)?.get(indices.first()?.as_number()? as usize)?;
            fits(sorts, part, sort_of(1)?).then_some(first?)
        }
        Rule::Project => {
            let (wrapper, tuple) = unwrap_collection(sorts, first?);
            let parts = tuple_parts(sorts, tuple)?.to_vec();
            let chosen: Option<Vec<Sort>> =
                indices.iter().map(|i| parts.get(i.as_number()? as usize).copied()).collect();
            let chosen = chosen?;
            let tuple = if chosen.is_empty() {
                make(sorts, sym::UNIT_TUPLE, &[])
            } else {
                make(sorts, sym::TUPLE, &chosen)
            };
            Some(wrapper.map_or(tuple, |w| make(sorts, w, &[tuple])))
        }
        Rule::Insert => {
            let set = sort_of(args.len().checked_sub(1)?)?;
            let element = *sorts.view(set).args.first()?;
            let members =
                (0..args.len() - 1).all(|i| fits(sorts, element, sort_of(i).unwrap_or(Sort::UNKNOWN)));
            (sorts.view(set).head == sym::SET && members).then_some(set)
        }
        Rule::Product | Rule::Join => {
            let (wrapper, x) = unwrap_collection(sorts, first?);
            let (_, y) = unwrap_collection(sorts, sort_of(1)?);
            let (x, y) = (tuple_parts(sorts, x)?.to_vec(), tuple_parts(sorts, y)?.to_vec());
            let parts = if rule == Rule::Product {
                [x, y].concat()
            } else {
                let (last, init) = x.split_last()?;
                let (head, tail) = y.split_first()?;
                if last != head {
                    return None;
                }
                [init, tail].concat()
            };
            let tuple = make(sorts, sym::TUPLE, &parts);
            Some(make(sorts, wrapper?, &[tuple]))
        }
        Rule::Transpose => {
            let (wrapper, tuple) = unwrap_collection(sorts, first?);
            let mut parts = tuple_parts(sorts, tuple)?.to_vec();
            parts.reverse();
            let tuple = make(sorts, sym::TUPLE, &parts);
            Some(make(sorts, wrapper?, &[tuple]))
        }
        Rule::ArrayMap => {
            let array = sorts.view(first?);
            (array.head == sym::ARRAY).then_some(first?)
        }
        Rule::SameAsFirst => first,
        Rule::SameAsLast => sort_of(args.len().checked_sub(1)?),
        Rule::Unchecked => match row.result {
            SortPattern::Exact(sort) => Some(sort),
            _ => Some(Sort::UNKNOWN),
        },
    }
}

/// The element sorts of a tuple.
fn tuple_parts(sorts: &Sorts, sort: Sort) -> Option<&[Sort]> {
    let v = sorts.view(sort);
    matches!(v.head, sym::TUPLE | sym::UNIT_TUPLE).then_some(v.args)
}

/// `Set` or `Bag` and what it holds, or the sort itself.
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
        _ => sorts.intern(sym::ARROW, SortKind::Constructor, &[], parts, None),
    }
}
