//! The values that the search tries for a constant: all values of a small sort, else interesting ones, best first.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use smelt_smtlib::{Arena, Sort, Symbol, Term, View, sym};

use super::state::State;
use crate::eval::{Candidates, extended, format_of, key, price, subsets};
use crate::value::{Array, Datatype, Value};
use crate::{BitVec, Float, Format, Int, Real, RoundingMode, Str};

/// All values of a sort are listed up to this number.
pub(super) const MAX_COMPLETE: usize = 1 << 12;
/// At most this many interesting values of one sort are made.
const MAX_INTERESTING: usize = 400;
/// At most this many values of a formula are taken.
const MAX_MINED: usize = 300;
/// Values whose use costs more steps than this are not taken, nor combined with others.
const MAX_PRICE: u64 = 1_000;

/// Candidates by sort, made when first needed.
#[derive(Default)]
pub(super) struct Pool {
    mined: HashMap<Sort, Vec<Value>>,
    made: HashMap<Sort, Rc<Candidates>>,
}

impl Pool {
    /// A pool that has the values of the ground terms in a formula.
    pub(super) fn mine(arena: &Arena, state: &mut State<'_>, terms: &[Term]) -> Pool {
        let mut pool = Pool::default();
        let mut ground: HashMap<Term, bool> = HashMap::new();
        let mut order = Vec::new();
        let mut work: Vec<(Term, bool)> = terms.iter().rev().map(|&t| (t, false)).collect();
        while let Some((t, done)) = work.pop() {
            if done {
                let inside = arena.children(t).iter().all(|c| ground.get(c).copied().unwrap_or(false));
                let is = inside
                    && match arena.view(t) {
                        View::Literal(..) => true,
                        View::App(fun, _) => {
                            arena.fun_view(fun).op.is_some() || !arena.fun_view(fun).indices.is_empty()
                        }
                        _ => false,
                    };
                ground.insert(t, is);
                if is {
                    order.push(t);
                }
            } else if let Entry::Vacant(new) = ground.entry(t) {
                new.insert(false);
                work.push((t, true));
                work.extend(arena.children(t).iter().map(|&c| (c, false)));
            }
        }
        state.charge(ground.len() / 2);
        let mut seen = HashSet::new();
        for t in order.into_iter().rev().take(4 * MAX_MINED) {
            let sort = arena.sort_of(t);
            if sort == Sort::BOOL || seen.len() > MAX_MINED {
                continue;
            }
            let Ok(value) = state.eval(arena, t) else { continue };
            if let Value::RegLan(regex) = &value {
                if let Some(word) = state.word(regex) {
                    pool.mined.entry(Sort::STRING).or_default().push(Value::Str(word));
                }
                continue;
            }
            if price([&value]) <= MAX_PRICE && seen.insert(value.clone()) {
                pool.mined.entry(sort).or_default().push(value);
            }
        }
        pool
    }

    /// The candidates of a sort.
    pub(super) fn of(&mut self, arena: &Arena, state: &mut State<'_>, sort: Sort) -> Rc<Candidates> {
        let sort = arena.canonical(sort);
        if let Some(found) = self.made.get(&sort) {
            return found.clone();
        }
        let parts = RefCell::default();
        let made = Rc::new(Maker { mined: &self.mined, arena, state, depth: 0, parts: &parts }.make(sort));
        state.charge(made.values.len() + made.values.iter().map(|v| price([v]) as usize).sum::<usize>());
        self.made.insert(sort, made.clone());
        made
    }
}

/// Makes the candidates of a sort, and of the sorts it is built from.
#[derive(Clone, Copy)]
struct Maker<'a, 's> {
    mined: &'a HashMap<Sort, Vec<Value>>,
    arena: &'a Arena,
    state: &'a State<'s>,
    /// The nesting of the sort in the sort of the constant.
    depth: u32,
    /// Values of sorts that were asked for at some nesting.
    parts: &'a RefCell<HashMap<(Sort, u32), Rc<Candidates>>>,
}

impl<'a> Maker<'a, '_> {
    fn mined(&self, sort: Sort) -> &'a [Value] {
        self.mined.get(&sort).map_or(&[], |m| m)
    }

    fn make(self, sort: Sort) -> Candidates {
        let Maker { arena, state, .. } = self;
        let mut list = List::default();
        let mined = self.mined(sort);
        let default = state.domains.default_value(arena, sort);
        if let Some(all) = state.domains.values(arena, sort, MAX_COMPLETE) {
            list.extend(default.into_iter().filter(|v| all.contains(v)));
            list.extend(mined.iter().filter(|v| all.contains(v)).cloned());
            list.extend(all);
            return Candidates { values: list.values, complete: true };
        }
        if self.depth > 3 {
            list.extend(default);
        } else if let Some(width) = arena.bitvec_width(sort) {
            bit_vectors(width, mined, &mut list);
        } else if arena.float_format(sort).is_some() {
            if let Some(format) = format_of(arena, sort) {
                floats(format, mined, self.mined, &mut list);
            }
        } else {
            match (arena.sort_view(sort).head, default) {
                (sym::INT, _) => integers(mined, &mut list),
                (sym::REAL, _) => reals(mined, self.mined(Sort::INT), &mut list),
                (sym::STRING, _) => strings(mined, self.mined(Sort::INT), &mut list),
                (sym::ARRAY, Some(Value::Array(some))) => self.arrays(sort, &some, &mut list),
                (sym::SEQ, _) => self.sequences(sort, &mut list),
                (sym::SET, _) => self.sets(sort, &mut list),
                (head, default) => {
                    list.extend(mined.iter().cloned());
                    list.extend(default);
                    self.datatypes(head, &mut list);
                }
            }
        }
        Candidates { values: list.values, complete: false }
    }

    /// The candidates of an argument of a sort.
    fn argument(&self, sort: Sort, i: usize) -> Rc<Candidates> {
        let argument = self.arena.sort_view(sort).args.get(i).copied();
        argument.map_or(Rc::default(), |s| self.part(s))
    }

    fn part(&self, sort: Sort) -> Rc<Candidates> {
        let (sort, depth) = (self.arena.canonical(sort), self.depth + 1);
        let known = self.parts.borrow().get(&(sort, depth)).cloned();
        known.unwrap_or_else(|| {
            let made = Rc::new(Maker { depth, ..*self }.make(sort));
            self.parts.borrow_mut().insert((sort, depth), made.clone());
            made
        })
    }

    fn arrays(&self, sort: Sort, some: &Array, list: &mut List) {
        let (indices, elements) = (self.argument(sort, 0), self.argument(sort, 1));
        let (indices, elements) = (&indices.values, &elements.values);
        let constant = |v: &Value| Array::constant(some.domain().clone(), v.clone());
        list.extend(elements.iter().take(2).map(constant));
        list.extend(self.mined(sort).iter().cloned());
        list.extend(elements.iter().skip(2).take(6).map(constant));
        for base in elements.iter().take(2) {
            for i in indices.iter().take(6) {
                let stored = |v: &Value| constant(base).store(i.clone(), v.clone()).ok();
                list.extend(elements.iter().take(4).filter_map(stored));
            }
        }
    }

    fn sequences(&self, sort: Sort, list: &mut List) {
        let elements = &self.argument(sort, 0).values;
        list.extend([Value::Seq([].into())]);
        list.extend(self.mined(sort).iter().cloned());
        list.extend(elements.iter().take(6).map(|v| Value::Seq([v.clone()].into())));
        for a in elements.iter().take(4) {
            list.extend(elements.iter().take(4).map(|b| Value::Seq([a.clone(), b.clone()].into())));
        }
        list.extend(elements.iter().take(3).map(|v| Value::Seq(vec![v.clone(); 3].into())));
    }

    fn sets(&self, sort: Sort, list: &mut List) {
        let elements = &self.argument(sort, 0).values;
        list.extend(self.mined(sort).iter().cloned());
        list.extend(subsets(&elements[..elements.len().min(5)]));
    }

    fn datatypes(&self, head: Symbol, list: &mut List) {
        let Some(declaration) = self.state.domains.datatype(head) else { return };
        if !declaration.params.is_empty() {
            return;
        }
        for constructor in &declaration.constructors {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for &(_, field) in &constructor.selectors {
                let width = if constructor.selectors.len() > 2 { 5 } else { 6 };
                let values = &self.part(field).values;
                rows = extended(&rows, &values[..values.len().min(width)]).take(64).collect();
            }
            list.extend(rows.into_iter().map(|args| Datatype::new(key(constructor.name), args)));
        }
    }
}

/// Values in order, each once.
#[derive(Default)]
struct List {
    values: Vec<Value>,
    seen: HashSet<Value>,
}

impl List {
    fn extend(&mut self, values: impl IntoIterator<Item: Into<Value>>) {
        for v in values.into_iter().map(Into::into) {
            if self.values.len() < MAX_COMPLETE.max(MAX_INTERESTING) && self.seen.insert(v.clone()) {
                self.values.push(v);
            }
        }
    }
}

fn around(mined: &[Int]) -> Vec<Int> {
    let mut out: Vec<Int> = [0, 1, -1].map(Int::from).to_vec();
    out.extend(mined.iter().cloned());
    out.extend(mined.iter().flat_map(|c| [c + Int::ONE, c - Int::ONE, -c]));
    out.extend([2, -2, 3, 4, 5, 7, 8, 10, 16, 100, -3, -10].map(Int::from));
    for a in mined.iter().take(12) {
        out.extend(mined.iter().take(12).flat_map(|b| [a + b, a - b]));
    }
    out.extend((6..64).map(Int::from));
    out.extend([64, 127, 128, 255, 256, 1000, 65_536, 1i64 << 31, 1 << 32].map(Int::from));
    out
}

fn integers(mined: &[Value], list: &mut List) {
    let mined: Vec<Int> = mined.iter().filter_map(|v| v.as_int().cloned()).collect();
    list.extend(around(&mined));
}

fn reals(mined: &[Value], ints: &[Value], list: &mut List) {
    let real = |i: i64| Real::from(Int::from(i));
    let constants: Vec<Real> = mined
        .iter()
        .filter_map(|v| v.as_real().cloned())
        .chain(ints.iter().filter_map(|v| v.as_int().map(|i| Real::from(i.clone()))))
        .collect();
    list.extend([0, 1, -1].map(real));
    list.extend(constants.iter().cloned());
    let (one, two) = (real(1), real(2));
    for c in &constants {
        list.extend([c.add(&one), c.sub(&one), c.div(&two), Ok(c.neg())].into_iter().flatten());
    }
    list.extend([2, -2, 3, 10, 100].map(real));
    list.extend(one.div(&two));
    for a in constants.iter().take(8) {
        for b in constants.iter().take(8) {
            let middle = a.add(b).and_then(|s| s.div(&two));
            list.extend([a.add(b), a.sub(b), middle, a.div(b), a.mul(b)].into_iter().flatten());
        }
    }
}

fn bit_vectors(width: u32, mined: &[Value], list: &mut List) {
    let one = BitVec::new(width, 1);
    let mined: Vec<BitVec> = mined.iter().filter_map(|v| v.as_bitvec().cloned()).collect();
    let least = BitVec::ones(width).bvxor(&BitVec::ones(width).bvlshr(&one));
    list.extend([BitVec::zero(width), one.clone(), BitVec::ones(width)]);
    if price([&one.clone().into()]) > MAX_PRICE {
        return;
    }
    list.extend(mined.iter().cloned());
    list.extend(mined.iter().flat_map(|c| [c.bvadd(&one), c.bvsub(&one), c.bvneg(), c.bvnot()]));
    list.extend([least.clone(), least.bvsub(&one), BitVec::new(width, 2)]);
    list.extend((1..width.min(64)).map(|i| one.bvshl(&BitVec::new(width, u64::from(i)))));
    for a in mined.iter().take(8) {
        list.extend(mined.iter().take(8).flat_map(|b| [a.bvadd(b), a.bvxor(b), a.bvmul(b)]));
    }
}

fn floats(format: Format, mined: &[Value], all: &HashMap<Sort, Vec<Value>>, list: &mut List) {
    let near = RoundingMode::ALL[0].0;
    let number = |n: i64| Float::from_real(format, near, &Real::from(Int::from(n))).ok();
    let unit = BitVec::new(format.width(), 1);
    let step = |f: &Float, up: bool| {
        let bits = f.canonical_bits();
        Float::from_ieee(format, &if up { bits.bvadd(&unit) } else { bits.bvsub(&unit) })
    };
    let one = number(1);
    list.extend(one.clone());
    list.extend([Float::zero(format, false)]);
    if price([&Float::zero(format, false).into()]) > MAX_PRICE {
        return;
    }
    list.extend(mined.iter().cloned());
    list.extend([
        Float::zero(format, true),
        Float::nan(format),
        Float::infinity(format, false),
        Float::infinity(format, true),
        Float::largest(format, false),
        Float::largest(format, true),
    ]);
    let smallest = Float::from_ieee(format, &unit);
    let normal = unit.bvshl(&BitVec::new(format.width(), u64::from(format.sb()) - 1));
    let normal = Float::from_ieee(format, &normal);
    list.extend(smallest.into_iter().flat_map(|s| [s.clone(), s.neg()]));
    let below = normal.as_ref().and_then(|n| step(n, false));
    list.extend(normal.into_iter().chain(below));
    list.extend([2, -1, 3, 10, -2, 100, 1000].into_iter().filter_map(number));
    // Values of other formats and sorts, converted.
    let mut others: Vec<&Value> = all.values().flatten().collect();
    others.sort();
    for v in others.into_iter().take(100) {
        match v {
            Value::Float(f) => list.extend([f.to_format(format, near)]),
            Value::Real(r) => list.extend(Float::from_real(format, near, r)),
            _ => {}
        }
    }
    let mined: Vec<&Float> = mined.iter().filter_map(|v| v.as_float()).collect();
    for f in mined.iter().copied().chain(&one) {
        list.extend([step(f, true), step(f, false), Some(f.neg())].into_iter().flatten());
    }
    for a in mined.iter().copied().take(8).chain(&one) {
        for b in mined.iter().copied().take(8) {
            list.extend([a.add(near, b), a.sub(near, b), a.mul(near, b), a.div(near, b)]);
        }
    }
}

fn strings(mined: &[Value], ints: &[Value], list: &mut List) {
    let mined: Vec<&Str> = mined.iter().filter_map(|v| v.as_str()).collect();
    let ints: Vec<&Int> = ints.iter().filter_map(|v| v.as_int()).collect();
    list.extend([Str::empty()]);
    list.extend(mined.iter().copied().cloned());
    list.extend(["a", "b", "0", "1"].into_iter().filter_map(Str::from_text));
    let letters: BTreeSet<u32> = mined.iter().flat_map(|s| s.codes().iter().copied()).collect();
    list.extend(letters.iter().take(12).filter_map(|&c| Str::new(vec![c])));
    let first = letters.iter().next().copied().unwrap_or(u32::from('a'));
    for n in ints.iter().filter_map(|&i| usize::try_from(i).ok()).filter(|&n| n < 64) {
        list.extend([n, n + 1].into_iter().filter_map(|n| Str::new(vec![first; n])));
    }
    list.extend(ints.iter().take(10).map(|i| Str::from_int(i)));
    for a in mined.iter().take(10) {
        list.extend(mined.iter().take(10).filter_map(|b| Str::concat(&[a, b]).ok()));
    }
    list.extend(
        ["aa", "ab", "aaa", "00", "01", "-1", "A", "abc", "aaaa"].into_iter().filter_map(Str::from_text),
    );
    for s in mined.iter().take(10).map(|s| s.codes()) {
        let n = s.len();
        let parts = [s.get(..n / 2), s.get(n / 2..), s.get(1..), s.get(..n.max(1) - 1)];
        list.extend(parts.into_iter().flatten().filter_map(|c| Str::new(c.to_vec())));
    }
}
