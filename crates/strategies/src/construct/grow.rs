//! Grows terms: any term of a sort, or a term that has a given value under the assignment.
//!
//! The assignment is built along the way: a new variable gets the value that its place needs. The options bound the
//! depth of terms, and therefore of recursion.

use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, Format, RoundingMode};
use smelt_smtlib::signature::{NumberPattern, SortPattern};

use super::corner;
use super::operator::{Indices, Op, element, op};
use super::options::Status;
use super::sort::{Binding, Element, Sort};
use super::term::{Function, Head, Term, Terms};
use super::world::World;
use crate::rng::Rng;

/// Grows the terms of one formula.
pub(crate) struct Grower<'a> {
    pub(crate) world: &'a World,
    pub(crate) rng: Rng,
    pub(crate) terms: &'a mut Terms,
    /// Whether there is an assignment: then every term has a value. Where there is none yet, but later terms need one,
    /// variables have values, and applications as far as the standard says what they give.
    pub(crate) valued: bool,
}

/// The sorts of the arguments of an operator, and its indices.
pub(crate) struct Plan {
    sorts: [Sort; 4],
    arity: usize,
    pub(crate) indices: Indices,
}

impl Plan {
    pub(crate) fn new(sorts: &[Sort], indices: Indices) -> Option<Plan> {
        let mut all = [Sort::Bool; 4];
        all[..sorts.len()].copy_from_slice(sorts);
        Some(Plan { sorts: all, arity: sorts.len(), indices })
    }

    pub(crate) fn sorts(&self) -> &[Sort] {
        &self.sorts[..self.arity]
    }

    /// What the signature says of an operator. The numbers in it that are not bound yet are drawn: those of indices
    /// before those of arguments.
    pub(crate) fn of_row(
        op: Op,
        mut b: Binding,
        rng: &mut Rng,
        width: impl Fn(&mut Rng) -> Option<u32>,
        format: impl Fn(&mut Rng) -> Option<Format>,
    ) -> Option<Plan> {
        let mut draw = |numbers: &[&NumberPattern], b: &mut Binding| -> Option<()> {
            if numbers.iter().all(|n| n.value(&b.numbers).is_some()) {
                return Some(());
            }
            let drawn = match numbers {
                [_] => [width(rng)?, 0],
                _ => format(rng).map(|f| [f.eb(), f.sb()])?,
            };
            numbers.iter().zip(drawn).all(|(n, d)| n.accept(d, &mut b.numbers)).then_some(())
        };
        let row = op.row;
        match &row.indices[..] {
            [] => {}
            [w] => draw(&[w], &mut b)?,
            [e, s, ..] => draw(&[e, s], &mut b)?,
        }
        let mut sorts = [Sort::Bool; 4];
        for (sort, arg) in sorts.iter_mut().zip(&row.args) {
            match arg {
                SortPattern::BitVec(w) => draw(&[w], &mut b)?,
                SortPattern::Float(e, s) => draw(&[e, s], &mut b)?,
                _ => {}
            }
            *sort = Sort::of(arg, &b)?;
        }
        let mut indices = [0; 2];
        for (i, n) in indices.iter_mut().zip(&row.indices) {
            *i = n.value(&b.numbers)?;
        }
        Plan::new(&sorts[..row.args.len()], indices)
    }
}

/// Bit-vectors inside of terms get no wider than this, or than the widest of the options.
const WIDE: u32 = 72;

impl Grower<'_> {
    /// Sorts of arguments for which an operator gives this sort.
    fn plan(&mut self, op: Op, result: Sort) -> Option<Plan> {
        let rng = &mut self.rng;
        let below = |rng: &mut Rng, n: u32| rng.below(n.max(1) as usize) as u32;
        match (op.key, result) {
            ("rotate_left" | "rotate_right", Sort::Bits(w)) => {
                Plan::new(&[result], [below(rng, 2 * w + 1), 0])
            }
            ("concat", Sort::Bits(w)) => {
                let low = if w > 1 { 1 + below(rng, w - 1) } else { return None };
                Plan::new(&[Sort::Bits(w - low), Sort::Bits(low)], [0; 2])
            }
            ("extract", Sort::Bits(w)) => {
                let wide = w + below(rng, 5.min(WIDE.saturating_sub(w)));
                let low = below(rng, wide - w + 1);
                Plan::new(&[Sort::Bits(wide)], [low + w - 1, low])
            }
            ("zero_extend" | "sign_extend", Sort::Bits(w)) => {
                let by = below(rng, w);
                Plan::new(&[Sort::Bits(w - by)], [by, 0])
            }
            ("repeat", Sort::Bits(w)) => {
                let times = [1, 2, 3, w][rng.below(4)];
                w.is_multiple_of(times).then(|| Plan::new(&[Sort::Bits(w / times)], [times, 0]))?
            }
            ("fp", Sort::Float(f)) => {
                Plan::new(&[Sort::Bits(1), Sort::Bits(f.eb()), Sort::Bits(f.sb() - 1)], [0; 2])
            }
            ("to_fp.bits", Sort::Float(f)) => Plan::new(&[Sort::Bits(f.width())], [f.eb(), f.sb()]),
            _ => {
                let mut b = Binding::default();
                let world = self.world;
                result
                    .fits(&op.row.result, &mut b)
                    .then(|| Plan::of_row(op, b, rng, |rng| world.width(rng), |rng| world.format(rng)))?
            }
        }
    }

    /// A random variable of the sort, with the value if one is given; and how many variables the sort has.
    fn find_variable(&mut self, sort: Sort, value: Option<&Value>) -> (Option<Term>, u32) {
        let all = self.terms.variables_of(sort);
        let (mut found, mut fitting) = (None, 0);
        for &v in all {
            if value.is_none() || self.terms.value(v) == value {
                fitting += 1;
                if self.rng.one_in(fitting) {
                    found = Some(v);
                }
            }
        }
        (found, all.len() as u32)
    }

    /// A new variable.
    pub(crate) fn fresh(&mut self, sort: Sort, value: Option<Value>) -> Term {
        let later = self.world.options.status == Status::Unsat;
        let value = match value {
            None if later => Some(corner::value(&mut self.rng, sort)),
            value => value.filter(|_| self.valued || later),
        };
        self.terms.variable(sort, value)
    }

    /// A variable or literal with a value.
    pub(crate) fn leaf(&mut self, value: &Value, sort: Sort) -> Term {
        if sort == Sort::Bool {
            let (found, count) = self.find_variable(sort, Some(value));
            return match found {
                Some(v) => v,
                None if count < self.world.options.variables => self.fresh(sort, Some(value.clone())),
                None => self.terms.literal(sort, value.clone()),
            };
        }
        let (found, count) = self.find_variable(sort, Some(value));
        match found {
            Some(v) if !self.rng.one_in(4) => v,
            // Sometimes a literal, to save variables for values that come later.
            None if count < self.world.options.variables && !self.rng.one_in(3) => {
                self.fresh(sort, Some(value.clone()))
            }
            _ if matches!(sort, Sort::Array(..)) => self.fresh(sort, Some(value.clone())),
            _ => self.terms.literal(sort, value.clone()),
        }
    }

    /// A variable or literal with any value.
    fn any_leaf(&mut self, sort: Sort) -> Term {
        let (found, count) = self.find_variable(sort, None);
        let room = count < self.world.options.variables;
        match found {
            Some(v) if self.rng.below(self.world.options.variables as usize + 1) < count as usize => v,
            _ if room && (!self.rng.one_in(4) || matches!(sort, Sort::Array(..))) => {
                let value = corner::value(&mut self.rng, sort);
                self.fresh(sort, Some(value))
            }
            Some(v) if sort == Sort::Bool || matches!(sort, Sort::Array(..)) => v,
            _ => {
                let value = corner::value(&mut self.rng, sort);
                self.terms.literal(sort, value)
            }
        }
    }

    /// Any term of a sort.
    pub(crate) fn any(&mut self, sort: Sort, depth: u32) -> Term {
        if depth == 0 || self.rng.one_in(4) {
            return self.any_leaf(sort);
        }
        match sort {
            Sort::Bool => return self.any_formula(depth),
            Sort::Mode => return self.any_leaf(sort),
            Sort::Array(width, e) => return self.any_array(width, e, depth),
            Sort::Bits(_) | Sort::Float(_) | Sort::Int | Sort::Real => {}
        }
        if self.rng.one_in(12) {
            let c = self.any(Sort::Bool, depth - 1);
            let (x, y) = (self.any(sort, depth - 1), self.any(sort, depth - 1));
            return self.terms.app(op!("ite"), &[c, x, y]);
        }
        if self.rng.one_in(8)
            && let Some(t) = self.any_lookup(sort, depth)
        {
            return t;
        }
        let ops = self.world.operators(sort);
        let Some(&op) = self.rng.pick(ops) else { return self.any_leaf(sort) };
        self.any_application(op, sort, depth).unwrap_or_else(|| self.any_leaf(sort))
    }

    fn any_application(&mut self, op: Op, sort: Sort, depth: u32) -> Option<Term> {
        let plan = self.plan(op, sort)?;
        let mut args = [Term::default(); 4];
        for (arg, &sort) in args.iter_mut().zip(plan.sorts()) {
            *arg = self.any(sort, depth - 1);
        }
        let args = &args[..plan.arity];
        if op.open() && !self.valued {
            return self.guarded(op, plan.indices, args);
        }
        self.terms.apply(op, plan.indices, args).ok()
    }

    /// An open operator below a condition: it is applied only where the standard says what it gives.
    fn guarded(&mut self, op: Op, indices: Indices, args: &[Term]) -> Option<Term> {
        let Ok(inner) = self.terms.apply(op, indices, args) else {
            return Some(args[0]).filter(|_| op.row.indices.is_empty());
        };
        match (op.key, args) {
            ("fp.min" | "fp.max", [x, y]) => {
                let zero = [self.terms.app(op!("fp.isZero"), &[*x]), self.terms.app(op!("fp.isZero"), &[*y])];
                let both = self.terms.app(op!("and"), &zero);
                Some(self.terms.app(op!("ite"), &[both, *x, inner]))
            }
            ("fp.to_ubv" | "fp.to_sbv", [_, x]) => {
                let Sort::Float(format) = self.terms.sort(*x) else { return None };
                let (low, high) = integer_range(format, indices[0], op.key == "fp.to_sbv")?;
                let sort = Sort::Float(format);
                let (low, high) =
                    (self.terms.literal(sort, low.into()), self.terms.literal(sort, high.into()));
                let bounds =
                    [self.terms.app(op!("fp.leq"), &[low, *x]), self.terms.app(op!("fp.leq"), &[*x, high])];
                let within = self.terms.app(op!("and"), &bounds);
                let other = self.any_leaf(Sort::Bits(indices[0]));
                Some(self.terms.app(op!("ite"), &[within, inner, other]))
            }
            _ => None,
        }
    }

    fn any_array(&mut self, width: u32, e: Element, depth: u32) -> Term {
        let sort = Sort::Array(width, e);
        let array = self.any(sort, depth - 1);
        let (i, v) = (self.any(Sort::Bits(width), depth - 1), self.any(e.into(), depth - 1));
        self.terms.apply(op!("store"), [0; 2], &[array, i, v]).unwrap_or(array)
    }

    /// `select` from an array, or a function application.
    fn any_lookup(&mut self, sort: Sort, depth: u32) -> Option<Term> {
        if self.world.options.arrays && self.rng.one_in(2) {
            let (width, e) = (self.world.width(&mut self.rng)?, element(sort)?);
            let (a, i) = (self.any(Sort::Array(width, e), depth - 1), self.any(Sort::Bits(width), depth - 1));
            return self.terms.apply(op!("select"), [0; 2], &[a, i]).ok();
        }
        let value = self.valued.then(|| corner::value(&mut self.rng, sort));
        self.call(sort, value, depth)
    }

    /// An application of a declared function. At arguments that are new it gets the value; else it has one already.
    fn call(&mut self, sort: Sort, value: Option<Value>, depth: u32) -> Option<Term> {
        if !self.world.options.functions {
            return None;
        }
        let fitting: Vec<u32> = (0..self.terms.functions.len() as u32)
            .filter(|&f| self.terms.functions[f as usize].result == sort)
            .collect();
        let function = match self.rng.pick(&fitting) {
            Some(&f) if fitting.len() > 1 || !self.rng.one_in(3) => f,
            _ => {
                let args = (0..1 + self.rng.below(2)).map(|_| self.world.scalar(&mut self.rng)).collect();
                let default = self.valued.then(|| corner::value(&mut self.rng, sort));
                self.terms.functions.push(Function { args, result: sort, graph: Vec::new(), default });
                self.terms.functions.len() as u32 - 1
            }
        };
        let sorts = self.terms.functions[function as usize].args.clone();
        let args: Vec<Term> =
            sorts.into_iter().map(|s| self.any(s, depth.saturating_sub(1).min(1))).collect();
        if !self.valued {
            return Some(self.terms.call(function, &args, None));
        }
        let point: Option<Vec<Value>> = args.iter().map(|&a| self.terms.value(a).cloned()).collect();
        let point = point?;
        let graph = &mut self.terms.functions[function as usize].graph;
        let value = match graph.iter().find(|e| e.0 == point) {
            Some((_, known)) => known.clone(),
            None => {
                let value = value?;
                graph.push((point, value.clone()));
                value
            }
        };
        Some(self.terms.call(function, &args, Some(value)))
    }

    /// A connective over any formulas, or an atom.
    pub(crate) fn any_formula(&mut self, depth: u32) -> Term {
        if depth < 2 || self.rng.one_in(2) {
            return self.any_atom(depth);
        }
        let ops = [op!("and"), op!("or"), op!("xor"), op!("=>"), op!("not"), op!("="), op!("ite")];
        let op = ops[self.rng.below(ops.len())];
        let arity = if op.arity() == 2 { 2 + self.rng.below(2) } else { op.arity() };
        let args: Vec<Term> = (0..arity).map(|_| self.any(Sort::Bool, depth - 1)).collect();
        self.terms.app(op, &args)
    }

    /// A predicate over any terms.
    fn any_atom(&mut self, depth: u32) -> Term {
        let sort = self.world.scalar(&mut self.rng);
        let below = depth.saturating_sub(1).max(1);
        if self.rng.one_in(3) {
            let arrays = self.world.options.arrays && self.rng.one_in(6);
            let sort = match (arrays, element(sort), self.world.width(&mut self.rng)) {
                (true, Some(e), Some(width)) => Sort::Array(width, e),
                _ => sort,
            };
            let (x, y) = (self.any(sort, below), self.any(sort, below));
            let op = if self.rng.one_in(3) { op!("distinct") } else { op!("=") };
            return self.terms.app(op, &[x, y]);
        }
        let ops = self.world.atoms(sort);
        let Some(&op) = self.rng.pick(ops) else {
            let (x, y) = (self.any(sort, below), self.any(sort, below));
            return self.terms.app(op!("="), &[x, y]);
        };
        let args = [self.any(sort, below), self.any(sort, below)];
        self.terms.app(op, &args[..op.arity()])
    }

    /// A term that has a value.
    pub(crate) fn with_value(&mut self, value: &Value, sort: Sort, depth: u32) -> Term {
        if depth == 0 || self.rng.one_in(3) {
            return self.leaf(value, sort);
        }
        let made = match value {
            Value::Bool(want) => Some(self.formula(*want, depth)),
            Value::BitVec(b) => self.bits_with(b, depth - 1),
            Value::Float(f) => self.float_with(f, depth - 1),
            Value::Int(_) | Value::Real(_) => self.number_with(value, sort, depth - 1),
            _ => None,
        };
        let made = made.filter(|&t| self.terms.value(t) == Some(value));
        made.unwrap_or_else(|| self.leaf(value, sort))
    }

    /// A term with a value by a way that bit-vectors and floats share: `ite`, an array or a function.
    fn either_with(&mut self, value: &Value, sort: Sort, depth: u32) -> Option<Term> {
        match self.rng.below(3) {
            0 => {
                let c = self.rng.one_in(2);
                let condition = self.formula(c, depth);
                let (x, y) = (self.with_value(value, sort, depth), self.any(sort, depth));
                Some(self.terms.app(op!("ite"), &if c { [condition, x, y] } else { [condition, y, x] }))
            }
            1 if self.world.options.arrays => {
                let (width, e) = (self.world.width(&mut self.rng)?, element(sort)?);
                let array = self.any(Sort::Array(width, e), depth);
                let (i, x) = (self.any(Sort::Bits(width), depth), self.with_value(value, sort, depth));
                let stored = self.terms.apply(op!("store"), [0; 2], &[array, i, x]).ok()?;
                // The same index in another form.
                let index = self.terms.value(i)?.clone();
                let j = self.with_value(&index, Sort::Bits(width), depth);
                self.terms.apply(op!("select"), [0; 2], &[stored, j]).ok()
            }
            _ => self.call(sort, Some(value.clone()), depth),
        }
    }

    fn bits_with(&mut self, v: &BitVec, depth: u32) -> Option<Term> {
        let (w, sort) = (v.width(), Sort::Bits(v.width()));
        if self.world.options.numbers && self.rng.one_in(4) {
            return self.bits_of_number(v, depth);
        }
        let with = |g: &mut Self, b: BitVec| {
            let sort = Sort::Bits(b.width());
            g.with_value(&Value::BitVec(b), sort, depth)
        };
        match self.rng.below(13) {
            0 => {
                let x = with(self, v.bvnot());
                Some(self.terms.app(op!("bvnot"), &[x]))
            }
            1 => {
                let x = with(self, v.bvneg());
                Some(self.terms.app(op!("bvneg"), &[x]))
            }
            k @ 2..=4 => {
                let x = self.any(sort, depth.min(1));
                let known = self.terms.value(x)?.as_bitvec()?.clone();
                let (op, rest) = match k {
                    2 => (op!("bvadd"), v.bvsub(&known)),
                    3 => (op!("bvxor"), v.bvxor(&known)),
                    _ => (op!("bvsub"), known.bvsub(v)),
                };
                let y = with(self, rest);
                Some(self.terms.app(op, &[x, y]))
            }
            k @ (5 | 6) => {
                let mask = corner::any_bits(&mut self.rng, w);
                let (op, x, y) = match k {
                    5 => (op!("bvand"), v.bvor(&mask), v.bvor(&mask.bvnot())),
                    _ => (op!("bvor"), v.bvand(&mask), v.bvand(&mask.bvnot())),
                };
                let args = [with(self, x), with(self, y)];
                Some(self.terms.app(op, &args))
            }
            7 if w > 1 => {
                let low = 1 + self.rng.below(w as usize - 1) as u32;
                let args = [with(self, v.extract(w - 1, low)?), with(self, v.extract(low - 1, 0)?)];
                Some(self.terms.app(op!("concat"), &args))
            }
            8 if w < WIDE => {
                let (above, below) = (self.rng.below(4) as u32, self.rng.below(3) as u32);
                let (a, b) = (corner::any_bits(&mut self.rng, above), corner::any_bits(&mut self.rng, below));
                let x = with(self, a.concat(v).ok()?.concat(&b).ok()?);
                self.terms.apply(op!("extract"), [below + w - 1, below], &[x]).ok()
            }
            9 => {
                let by = self.rng.below(2 * w as usize + 1) as u32;
                let x = with(self, v.rotate_right(by));
                self.terms.apply(op!("rotate_left"), [by, 0], &[x]).ok()
            }
            10 if w > 1 => {
                let by = self.rng.below(w as usize) as u32;
                let part = v.extract(w - 1 - by, 0)?;
                let op =
                    if part.zero_extend(by).ok()? == *v { op!("zero_extend") } else { op!("sign_extend") };
                let x = with(self, part);
                self.terms.apply(op, [by, 0], &[x]).ok()
            }
            11 if !self.world.options.formats.is_empty() => {
                let format = self.world.format(&mut self.rng)?;
                let signed = self.rng.one_in(2);
                let (op, x) = if signed {
                    (op!("fp.to_sbv"), Float::from_signed(format, RoundingMode::Rne, v))
                } else {
                    (op!("fp.to_ubv"), Float::from_unsigned(format, RoundingMode::Rne, v))
                };
                let x = self.with_value(&Value::Float(x), Sort::Float(format), depth);
                let mode = self.any_leaf(Sort::Mode);
                self.terms.apply(op, [w, 0], &[mode, x]).ok()
            }
            _ => self.either_with(&Value::BitVec(v.clone()), sort, depth),
        }
    }

    fn float_with(&mut self, v: &Float, depth: u32) -> Option<Term> {
        let format = v.format();
        let sort = Sort::Float(format);
        if self.world.options.numbers && self.rng.one_in(4) {
            return self.float_of_number(v, depth);
        }
        let with = |g: &mut Self, f: Float| {
            let sort = Sort::Float(f.format());
            g.with_value(&Value::Float(f), sort, depth)
        };
        let convertible = !self.world.options.widths.is_empty();
        match self.rng.below(12) {
            0 => {
                let x = with(self, v.neg());
                Some(self.terms.app(op!("fp.neg"), &[x]))
            }
            1 if !v.is_negative() => {
                let x = if self.rng.one_in(2) { with(self, v.neg()) } else { with(self, v.clone()) };
                Some(self.terms.app(op!("fp.abs"), &[x]))
            }
            2 | 3 if convertible => self.float_from_bits(v, depth),
            4 => {
                let other = corner::related(&mut self.rng, &Value::Float(v.clone()), sort);
                let (x, y) = (with(self, v.clone()), self.with_value(&other, sort, depth));
                let op = if self.rng.one_in(2) { op!("fp.min") } else { op!("fp.max") };
                self.terms.apply(op, [0; 2], &[x, y]).ok()
            }
            k @ 5..=7 => {
                let negative = self.rng.one_in(2);
                let one = Float::one(format, false);
                let (op, neutral) = match k {
                    5 => (op!("fp.add"), Float::zero(format, !negative || v.is_negative())),
                    6 => (op!("fp.mul"), one),
                    _ => (op!("fp.div"), one),
                };
                let (mode, x, y) = (self.any_leaf(Sort::Mode), with(self, v.clone()), with(self, neutral));
                Some(self.terms.app(op, &[mode, x, y]))
            }
            8 => {
                let (mode, x) = (self.any_leaf(Sort::Mode), with(self, v.clone()));
                Some(self.terms.app(op!("fp.roundToIntegral"), &[mode, x]))
            }
            9 => {
                let other = self.world.format(&mut self.rng)?;
                let (mode, x) =
                    (self.any_leaf(Sort::Mode), with(self, v.to_format(other, RoundingMode::Rne)));
                self.terms.apply(op!("to_fp.float"), [format.eb(), format.sb()], &[mode, x]).ok()
            }
            10 if convertible => {
                let width = self.world.width(&mut self.rng)?;
                let x = v.to_signed(RoundingMode::Rne, width).ok()?;
                let mode = self.any_leaf(Sort::Mode);
                let x = self.with_value(&Value::BitVec(x), Sort::Bits(width), depth);
                self.terms.apply(op!("to_fp.signed"), [format.eb(), format.sb()], &[mode, x]).ok()
            }
            _ => self.either_with(&Value::Float(v.clone()), sort, depth),
        }
    }

    /// A float from its encoding; for NaN, from any of its encodings.
    fn float_from_bits(&mut self, v: &Float, depth: u32) -> Option<Term> {
        let format = v.format();
        let (width, stored) = (format.width(), format.sb() - 1);
        let bits = if v.is_nan() {
            let payload = corner::any_bits(&mut self.rng, stored).bvor(&BitVec::new(stored, 1));
            let sign = BitVec::from_bool(self.rng.one_in(2));
            sign.concat(&BitVec::ones(format.eb())).ok()?.concat(&payload).ok()?
        } else {
            v.canonical_bits().clone()
        };
        if self.rng.one_in(2) {
            let x = self.with_value(&Value::BitVec(bits), Sort::Bits(width), depth);
            return self.terms.apply(op!("to_fp.bits"), [format.eb(), format.sb()], &[x]).ok();
        }
        let mut parts = [Term::default(); 3];
        let places = [(width - 1, width - 1), (width - 2, stored), (stored - 1, 0)];
        for (part, (high, low)) in parts.iter_mut().zip(places) {
            *part = self.with_value(
                &Value::BitVec(bits.extract(high, low)?),
                Sort::Bits(high - low + 1),
                depth.min(1),
            );
        }
        self.terms.apply(op!("fp"), [0; 2], &parts).ok()
    }

    /// Whether a formula is true under the assignment.
    pub(crate) fn truth(&self, t: Term) -> bool {
        self.terms.value(t).and_then(Value::as_bool) == Some(true)
    }

    /// The formula or its negation: the one that has the truth value.
    pub(crate) fn settle(&mut self, t: Term, want: bool) -> Term {
        if self.truth(t) == want {
            return t;
        }
        if let Head::Operator(op) = self.terms.head(t)
            && let Some(opposite) = opposite(op)
            && self.rng.one_in(2)
        {
            let [x, y] = self.terms.args(t)[..] else { return self.terms.app(op!("not"), &[t]) };
            return self.terms.app(opposite, &[x, y]);
        }
        self.terms.app(op!("not"), &[t])
    }
}

/// The operator that holds for two terms exactly if the given one does not.
fn opposite(op: Op) -> Option<Op> {
    const PAIRS: &[(Op, Op)] = &[
        (op!("bvult"), op!("bvuge")),
        (op!("bvule"), op!("bvugt")),
        (op!("bvslt"), op!("bvsge")),
        (op!("bvsle"), op!("bvsgt")),
        (op!("="), op!("distinct")),
    ];
    PAIRS.iter().find_map(|&(a, b)| if op == a { Some(b) } else { (op == b).then_some(a) })
}

/// The ends of a range of floats that all round to integers of a width, in every mode; `None` if there is none.
fn integer_range(format: Format, width: u32, signed: bool) -> Option<(Float, Float)> {
    let greatest = if signed { BitVec::greatest(width) } else { BitVec::ones(width) };
    let high = Float::from_unsigned(format, RoundingMode::Rtz, &greatest);
    let low = if signed { high.neg() } else { Float::zero(format, false) };
    (!high.is_infinite()).then_some((low, high))
}
