//! Proved laws over terms: read from the rule files, instantiated, and used to rewrite.
//!
//! A law is taken from a rule of `data/{construct,skeleton,weaken}.txt` that is about bit-vectors, floats, arrays or
//! formulas only. What holds for all values of its variables holds for all terms in their place, as long as no result
//! is left open; the terms that are put in ask open operators only where they are not.

use std::sync::OnceLock;

use smelt_core::Relation;
use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, Format, RoundingMode};
use smelt_smtlib::sexpr::{Sexpr, SexprNode};

use crate::construct::corner;
use crate::construct::grow::Grower;
use crate::construct::operator::{Op, Shape};
use crate::construct::options::Options;
use crate::construct::sort::{Element, Sort};
use crate::construct::term::{Head, Term, Terms};
use crate::construct::world::World;
use crate::rules::{self, Kind, Rule};

/// A law.
pub(crate) struct Law {
    pub(crate) name: &'static str,
    /// How `right` is related to `left`; terms are equal.
    pub(crate) relation: Relation,
    left: Template,
    right: Template,
    vars: Vec<Variable>,
    /// The names of numbers; the first four are m, n, e and s.
    numbers: Vec<(String, Option<(u32, u32)>)>,
    /// How many sort variables there are.
    params: usize,
    needs: Needs,
}

/// Which sorts and operators a law speaks of.
#[derive(Clone, Copy, Default, Debug)]
struct Needs {
    bits: bool,
    floats: bool,
    arrays: bool,
    recent: bool,
    /// Formats other than those of its variables.
    other_formats: bool,
}

struct Variable {
    sort: SortPattern,
    constant: bool,
}

enum SortPattern {
    Bool,
    Mode,
    Bits(Number),
    Float(Number, Number),
    Param(usize),
    Array(usize, usize),
}

/// A number in a sort or an index.
enum Number {
    Fixed(u32),
    Slot(usize),
    Sum(Box<Number>, Box<Number>),
    Difference(Box<Number>, Box<Number>),
}

enum Template {
    Var(usize),
    App(Vec<Op>, Vec<Number>, Vec<Template>),
    Literal(Value, Sort),
    /// `(_ bvN m)`.
    Bits(u64, Number),
    /// `(_ +zero e s)` and the like.
    Float(Special, Number, Number),
}

#[derive(Clone, Copy)]
enum Special {
    Zero(bool),
    Infinity(bool),
    Nan,
}

/// What variables, numbers and sort variables stand for.
#[derive(Default)]
pub(crate) struct Binding {
    vars: Vec<Option<Term>>,
    numbers: Vec<Option<u32>>,
    params: Vec<Option<Sort>>,
}

/// All laws.
pub(crate) fn laws() -> &'static [Law] {
    static LAWS: OnceLock<Vec<Law>> = OnceLock::new();
    LAWS.get_or_init(|| {
        let mut all: Vec<Law> = Vec::new();
        for file in ["construct", "skeleton", "weaken"] {
            for rule in rules::builtin(file).rules() {
                let own = ["bitvectors", "floats", "arrays", "core"].contains(&&*rule.theory);
                if own
                    && all.iter().all(|l| l.name != rule.name)
                    && let Some(law) = law(rule)
                {
                    all.push(law);
                }
            }
        }
        all
    })
}

/// Reads a rule; `None` if it speaks of what formulas here do not have.
fn law(rule: &Rule) -> Option<Law> {
    if rule.when.is_some() {
        return None;
    }
    let mut numbers: Vec<(String, Option<(u32, u32)>)> =
        ["m", "n", "e", "s"].iter().map(|n| ((*n).to_owned(), None)).collect();
    for v in &rule.vars {
        if let Kind::Number(low, high) = v.kind {
            numbers.push((v.name.clone(), Some((low, high))));
        }
    }
    let params = rule.param_names();
    let mut reader = Reader { rule, numbers: &numbers, params: &params, needs: Needs::default() };
    let mut vars = Vec::new();
    for v in &rule.vars {
        let (sort, constant) = match &v.kind {
            Kind::Term(sort) | Kind::List(sort) => (reader.sort(sort)?, false),
            Kind::Constant(sort) => (reader.sort(sort)?, true),
            Kind::Number(..) => (SortPattern::Bool, false),
            _ => return None,
        };
        vars.push(Variable { sort, constant });
    }
    // An equation of terms is written with a variable that both sides equal.
    let equation = || {
        let (a, b) = (equal_sides(&rule.from)?, equal_sides(&rule.to)?);
        let z =
            a.1.atom("z")
                .ok()
                .filter(|z| rule.relation == Relation::Same && b.1.atom("z").ok() == Some(*z))?;
        (!rules::mentions(a.0, z) && !rules::mentions(b.0, z)).then_some((a.0, b.0))
    };
    let (from, to) = equation().unwrap_or((&rule.from, &rule.to));
    let (left, right) = (reader.template(from)?, reader.template(to)?);
    let needs = reader.needs;
    Some(Law {
        name: String::leak(rule.name.clone()),
        relation: rule.relation,
        left,
        right,
        vars,
        numbers,
        params: params.len(),
        needs,
    })
}

fn equal_sides(s: &Sexpr) -> Option<(&Sexpr, &Sexpr)> {
    match s.list("an equation").ok()? {
        [head, a, b] if head.atom("=").ok()? == "=" => Some((a, b)),
        _ => None,
    }
}

struct Reader<'a> {
    rule: &'a Rule,
    numbers: &'a [(String, Option<(u32, u32)>)],
    params: &'a [String],
    needs: Needs,
}

impl Reader<'_> {
    fn number(&self, s: &Sexpr) -> Option<Number> {
        match &s.node {
            SexprNode::Atom(a) => match self.numbers.iter().position(|n| n.0 == *a) {
                Some(slot) => Some(Number::Slot(slot)),
                None => a.parse().ok().map(Number::Fixed),
            },
            SexprNode::List(l) => {
                let [op, x, y] = &l[..] else { return None };
                let (x, y) = (Box::new(self.number(x)?), Box::new(self.number(y)?));
                match op.atom("+").ok()? {
                    "+" => Some(Number::Sum(x, y)),
                    "-" => Some(Number::Difference(x, y)),
                    _ => None,
                }
            }
        }
    }

    fn param(&self, s: &Sexpr) -> Option<usize> {
        let name = s.atom("a sort").ok()?;
        self.params.iter().position(|p| p == name)
    }

    fn sort(&mut self, s: &Sexpr) -> Option<SortPattern> {
        if let Some(p) = self.param(s) {
            return Some(SortPattern::Param(p));
        }
        let items = match &s.node {
            SexprNode::Atom(a) => {
                return match &**a {
                    "Bool" => Some(SortPattern::Bool),
                    "RoundingMode" => {
                        self.needs.floats = true;
                        Some(SortPattern::Mode)
                    }
                    _ => None,
                };
            }
            SexprNode::List(items) => items,
        };
        let words: Vec<Option<&str>> = items.iter().map(|i| i.atom("a word").ok()).collect();
        match (&words[..], &items[..]) {
            ([Some("_"), Some("BitVec"), _], [_, _, w]) => {
                self.needs.bits = true;
                Some(SortPattern::Bits(self.number(w)?))
            }
            ([Some("_"), Some("FloatingPoint"), ..], [_, _, e, s]) => {
                self.needs.floats = true;
                Some(SortPattern::Float(self.number(e)?, self.number(s)?))
            }
            ([Some("Array"), ..], [_, i, e]) => {
                self.needs.arrays = true;
                Some(SortPattern::Array(self.param(i)?, self.param(e)?))
            }
            _ => None,
        }
    }

    fn template(&mut self, s: &Sexpr) -> Option<Template> {
        let items = match &s.node {
            SexprNode::Atom(a) => return self.atom(a),
            SexprNode::List(items) => items,
        };
        let (head, args) = items.split_first()?;
        if head.atom("a word").ok() == Some("_") {
            let [name, numbers @ ..] = args else { return None };
            let name = name.atom("a word").ok()?;
            if let Some(value) = name.strip_prefix("bv").and_then(|v| v.parse().ok()) {
                let [width] = numbers else { return None };
                return Some(Template::Bits(value, self.number(width)?));
            }
            let special = match name {
                "+zero" => Special::Zero(false),
                "-zero" => Special::Zero(true),
                "+oo" => Special::Infinity(false),
                "-oo" => Special::Infinity(true),
                "NaN" => Special::Nan,
                _ => return None,
            };
            let [e, s] = numbers else { return None };
            return Some(Template::Float(special, self.number(e)?, self.number(s)?));
        }
        let (name, indices) = match &head.node {
            SexprNode::Atom(a) => (a, Vec::new()),
            SexprNode::List(l) => match &l[..] {
                [underscore, name, numbers @ ..] if underscore.atom("_").ok()? == "_" => {
                    let SexprNode::Atom(name) = &name.node else { return None };
                    (name, numbers.iter().map(|n| self.number(n)).collect::<Option<_>>()?)
                }
                _ => return None,
            },
        };
        let ops: Vec<Op> = Op::all().filter(|op| op.name == name).collect();
        self.needs.recent |= ops.first()?.recent;
        let own = |n: &Number| matches!(n, Number::Slot(2 | 3));
        self.needs.other_formats |= name == "to_fp" && !indices.iter().all(own);
        let args: Vec<Template> = args.iter().map(|a| self.template(a)).collect::<Option<_>>()?;
        // One argument of a connective stands for a list of one.
        if let ([op], 1) = (&ops[..], args.len())
            && op.shape == Shape::Connective
        {
            return args.into_iter().next();
        }
        Some(Template::App(ops, indices, args))
    }

    fn atom(&mut self, a: &str) -> Option<Template> {
        if let Some(v) = self.rule.var(a) {
            return Some(Template::Var(v));
        }
        if let Some(bits) = BitVec::parse(a) {
            let sort = Sort::Bits(bits.width());
            return Some(Template::Literal(Value::BitVec(bits), sort));
        }
        if let Some(mode) = RoundingMode::parse(a) {
            return Some(Template::Literal(Value::RoundingMode(mode), Sort::Mode));
        }
        match a {
            "true" | "false" => Some(Template::Literal(Value::Bool(a == "true"), Sort::Bool)),
            _ => None,
        }
    }
}

impl Number {
    fn value(&self, numbers: &[Option<u32>]) -> Option<u32> {
        match self {
            Number::Fixed(n) => Some(*n),
            Number::Slot(i) => numbers[*i],
            Number::Sum(x, y) => x.value(numbers)?.checked_add(y.value(numbers)?),
            Number::Difference(x, y) => x.value(numbers)?.checked_sub(y.value(numbers)?),
        }
    }

    /// Whether it can be this number, binding it where nothing is known yet.
    fn unify(&self, n: u32, numbers: &mut [Option<u32>]) -> bool {
        match (self, self.value(numbers)) {
            (_, Some(known)) => known == n,
            (Number::Slot(i), None) => {
                numbers[*i] = Some(n);
                true
            }
            _ => false,
        }
    }
}

impl SortPattern {
    fn unify(&self, sort: Sort, b: &mut Binding) -> bool {
        let mut param = |p: usize, sort: Sort| *b.params[p].get_or_insert(sort) == sort;
        match (self, sort) {
            (SortPattern::Bool, Sort::Bool) | (SortPattern::Mode, Sort::Mode) => true,
            (SortPattern::Bits(w), Sort::Bits(v)) => w.unify(v, &mut b.numbers),
            (SortPattern::Float(e, s), Sort::Float(f)) => {
                e.unify(f.eb(), &mut b.numbers) && s.unify(f.sb(), &mut b.numbers)
            }
            (SortPattern::Param(p), sort) => param(*p, sort),
            (SortPattern::Array(i, e), Sort::Array(w, x)) => param(*i, Sort::Bits(w)) && param(*e, x.into()),
            _ => false,
        }
    }

    fn sort(&self, b: &Binding) -> Option<Sort> {
        Some(match self {
            SortPattern::Bool => Sort::Bool,
            SortPattern::Mode => Sort::Mode,
            SortPattern::Bits(w) => Sort::Bits(w.value(&b.numbers).filter(|w| *w > 0)?),
            SortPattern::Float(e, s) => Sort::Float(Format::new(e.value(&b.numbers)?, s.value(&b.numbers)?)?),
            SortPattern::Param(p) => b.params[*p]?,
            SortPattern::Array(i, e) => match (b.params[*i]?, b.params[*e]?) {
                (Sort::Bits(w), Sort::Bits(v)) => Sort::Array(w, Element::Bits(v)),
                (Sort::Bits(w), Sort::Float(f)) => Sort::Array(w, Element::Float(f)),
                _ => return None,
            },
        })
    }
}

impl Law {
    /// Whether the options have all that it speaks of.
    pub(crate) fn usable(&self, options: &Options) -> bool {
        let Needs { bits, floats, arrays, recent, other_formats } = self.needs;
        // Many solvers have the standard formats only.
        let standard = [Format::F16, Format::F32, Format::F64, Format::F128];
        (!bits || !options.widths.is_empty())
            && (!floats || !options.formats.is_empty())
            && (!arrays || options.arrays)
            && (!recent || options.recent)
            && (!other_formats || options.formats.iter().any(|f| !standard.contains(f)))
    }

    fn binding(&self) -> Binding {
        Binding {
            vars: vec![None; self.vars.len()],
            numbers: vec![None; self.numbers.len()],
            params: vec![None; self.params],
        }
    }

    /// Whether the numbers that are known are ones that the law speaks of.
    fn in_range(&self, b: &Binding) -> bool {
        let fits = |(range, known): (&Option<(u32, u32)>, &Option<u32>)| match (range, known) {
            (Some((low, high)), Some(n)) => (low..=high).contains(&n),
            _ => true,
        };
        self.numbers.iter().map(|n| &n.1).zip(&b.numbers).all(fits)
    }

    /// Gives every number and sort that is not known yet a value.
    fn complete(&self, g: &mut Grower<'_>, b: &mut Binding) -> Option<()> {
        let numbers = &mut b.numbers;
        if numbers[0].is_none() {
            numbers[0] = g.world.width(&mut g.rng);
        }
        numbers[1].get_or_insert_with(|| 1 + g.rng.below(4) as u32);
        if numbers[2].is_none() || numbers[3].is_none() {
            let format = g.world.format(&mut g.rng);
            numbers[2] = numbers[2].or(format.map(|f| f.eb()));
            numbers[3] = numbers[3].or(format.map(|f| f.sb()));
        }
        for (slot, (_, range)) in self.numbers.iter().enumerate() {
            if let (None, Some((low, high))) = (numbers[slot], range) {
                numbers[slot] = Some(low + g.rng.below((high - low + 1) as usize) as u32);
            }
        }
        for p in 0..b.params.len() {
            if b.params[p].is_none() {
                // The first of two is the index of an array.
                let index = b.params.len() == 2 && p == 0;
                let sort =
                    if index { Sort::Bits(g.world.width(&mut g.rng)?) } else { g.world.scalar(&mut g.rng) };
                b.params[p] = Some(sort);
            }
        }
        Some(())
    }

    /// Both sides, over any terms.
    pub(crate) fn instance(&self, g: &mut Grower<'_>, depth: u32) -> Option<(Term, Term)> {
        let mut b = self.binding();
        self.complete(g, &mut b)?;
        let left = self.build(&self.left, g, &mut b, depth)?;
        Some((left, self.build(&self.right, g, &mut b, depth)?))
    }

    /// The other side of an equal law, if a term has the form of one.
    fn rewrite(&self, g: &mut Grower<'_>, t: Term, backward: bool) -> Option<Term> {
        let (from, to) = if backward { (&self.right, &self.left) } else { (&self.left, &self.right) };
        let mut b = self.binding();
        if !self.matches(from, g.terms, t, &mut b) || !self.in_range(&b) {
            return None;
        }
        self.complete(g, &mut b)?;
        self.build(to, g, &mut b, 1).filter(|&u| g.terms.sort(u) == g.terms.sort(t))
    }

    fn build(&self, template: &Template, g: &mut Grower<'_>, b: &mut Binding, depth: u32) -> Option<Term> {
        match template {
            Template::Var(v) => {
                if let Some(t) = b.vars[*v] {
                    return Some(t);
                }
                let sort = self.vars[*v].sort.sort(b)?;
                let t = if self.vars[*v].constant {
                    let value = corner::value(&mut g.rng, sort);
                    g.terms.literal(sort, value)
                } else {
                    g.any(sort, depth)
                };
                b.vars[*v] = Some(t);
                Some(t)
            }
            Template::App(ops, numbers, args) => {
                let mut indices = [0; 2];
                for (i, n) in indices.iter_mut().zip(numbers) {
                    *i = n.value(&b.numbers)?;
                }
                let mut terms = Vec::with_capacity(args.len());
                for a in args {
                    terms.push(self.build(a, g, b, depth)?);
                }
                let sorts: Vec<Sort> = terms.iter().map(|&t| g.terms.sort(t)).collect();
                let op = ops.iter().find(|op| op.shape.result(&sorts, indices).is_some())?;
                g.terms.apply(*op, indices, &terms).ok()
            }
            Template::Literal(value, sort) => Some(g.terms.literal(*sort, value.clone())),
            Template::Bits(value, width) => {
                let width = width.value(&b.numbers)?;
                Some(g.terms.literal(Sort::Bits(width), BitVec::new(width, *value).into()))
            }
            Template::Float(special, e, s) => {
                let format = Format::new(e.value(&b.numbers)?, s.value(&b.numbers)?)?;
                Some(g.terms.literal(Sort::Float(format), special.value(format).into()))
            }
        }
    }

    fn matches(&self, template: &Template, terms: &Terms, t: Term, b: &mut Binding) -> bool {
        match template {
            Template::Var(v) => {
                let var = &self.vars[*v];
                let fits = !var.constant || terms.head(t) == Head::Literal;
                if let Some(bound) = b.vars[*v] {
                    return terms.same(bound, t);
                }
                b.vars[*v] = Some(t);
                fits && var.sort.unify(terms.sort(t), b)
            }
            Template::App(ops, numbers, args) => {
                let Head::Operator(op) = terms.head(t) else { return false };
                let indices = terms.indices(t);
                ops.contains(&op)
                    && terms.args(t).len() == args.len()
                    && args.iter().zip(terms.args(t)).all(|(a, &t)| self.matches(a, terms, t, b))
                    && numbers.iter().zip(indices).all(|(n, i)| n.unify(i, &mut b.numbers))
            }
            Template::Literal(value, _) => terms.head(t) == Head::Literal && terms.value(t) == Some(value),
            Template::Bits(value, width) => match (terms.head(t), terms.value(t)) {
                (Head::Literal, Some(Value::BitVec(bits))) => {
                    width.unify(bits.width(), &mut b.numbers) && *bits == BitVec::new(bits.width(), *value)
                }
                _ => false,
            },
            Template::Float(special, e, s) => match (terms.head(t), terms.value(t)) {
                (Head::Literal, Some(Value::Float(f))) => {
                    e.unify(f.format().eb(), &mut b.numbers)
                        && s.unify(f.format().sb(), &mut b.numbers)
                        && *f == special.value(f.format())
                }
                _ => false,
            },
        }
    }
}

impl Special {
    fn value(self, format: Format) -> Float {
        match self {
            Special::Zero(negative) => Float::zero(format, negative),
            Special::Infinity(negative) => Float::infinity(format, negative),
            Special::Nan => Float::nan(format),
        }
    }
}

/// The laws that options leave, filed by what they look for.
pub(crate) struct Laws {
    /// Those whose sides are contradicted.
    pub(crate) all: Vec<&'static Law>,
    /// Equal laws by the operator they look for, each with its direction.
    by_op: Vec<Vec<(&'static Law, bool)>>,
    /// Those that look for any term.
    anywhere: Vec<(&'static Law, bool)>,
}

impl Laws {
    pub(crate) fn new(options: &Options) -> Laws {
        let mut by_op: Vec<Vec<(&'static Law, bool)>> = Op::all().map(|_| Vec::new()).collect();
        let mut anywhere = Vec::new();
        let all: Vec<&'static Law> = laws().iter().filter(|l| l.usable(options)).collect();
        for &law in all.iter().filter(|l| l.relation == Relation::Same) {
            for backward in [false, true] {
                match if backward { &law.right } else { &law.left } {
                    Template::App(ops, ..) => {
                        ops.iter().for_each(|op| by_op[op.index()].push((law, backward)))
                    }
                    Template::Var(_) => anywhere.push((law, backward)),
                    _ => {}
                }
            }
        }
        Laws { all, by_op, anywhere }
    }
}

/// An equal term, by some law that fits.
pub(crate) fn rewrite(g: &mut Grower<'_>, t: Term, used: &mut Vec<&'static str>) -> Option<Term> {
    let world: &World = g.world;
    let fitting: &[(&'static Law, bool)] = match g.terms.head(t) {
        Head::Operator(op) if !g.rng.one_in(4) => &world.laws.by_op[op.index()],
        _ => &world.laws.anywhere,
    };
    for _ in 0..4 {
        let &(law, backward) = g.rng.pick(fitting)?;
        if let Some(u) = law.rewrite(g, t, backward) {
            used.push(law.name);
            return Some(u);
        }
    }
    None
}
