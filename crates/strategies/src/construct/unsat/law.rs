//! Proved laws over terms: read from the rule files, instantiated, and used to rewrite.
//!
//! A law is a rule of `data/{construct,skeleton,weaken}.txt` that is only about bit-vectors, floats, arrays or
//! formulas. A law that holds for all values of its variables also holds for all terms instead of them, as long as
//! no result is left open. The terms used here apply partial operators only where the standard defines the result.

use std::sync::OnceLock;

use smelt_core::Relation;
use smelt_semantics::Format;
use smelt_semantics::value::Value;
use smelt_smtlib::Arena;
use smelt_smtlib::sexpr::Sexpr;
use smelt_smtlib::signature::{NumberPattern, Signatures, SortPattern, Variables};

use crate::construct::corner;
use crate::construct::grow::Grower;
use crate::construct::operator::{Op, SortRule, is_array, is_bits, is_float, is_number};
use crate::construct::options::Settings;
use crate::construct::sort::{self, Sort};
use crate::construct::template::{Template, indices};
use crate::construct::term::{Head, Term, Terms};
use crate::construct::world::World;
use crate::rules::{self, Kind, Rule};

/// A law.
pub(crate) struct Law {
    pub(crate) name: &'static str,
    /// How `right` is related to `left`: `Same` for equations of terms.
    pub(crate) relation: Relation,
    left: Template,
    right: Template,
    vars: Vec<Variable>,
    /// The ranges of its numbers; the first four are m, n, e and s, which depend on sorts.
    ranges: Vec<Option<(u32, u32)>>,
    /// How many sort variables there are.
    params: usize,
}

struct Variable {
    sort: SortPattern,
    constant: bool,
}

/// What variables, numbers and sort variables stand for.
struct Binding {
    vars: Vec<Option<Term>>,
    types: sort::Binding,
}

/// All laws.
pub(crate) fn laws() -> &'static [Law] {
    static LAWS: OnceLock<Vec<Law>> = OnceLock::new();
    LAWS.get_or_init(|| {
        let mut arena = Signatures::builtin().arena();
        let mut all: Vec<Law> = Vec::new();
        for file in ["construct", "skeleton", "weaken"] {
            for rule in rules::builtin(file).rules() {
                let own = ["bitvectors", "floats", "arrays", "core"].contains(&&*rule.theory);
                if own
                    && all.iter().all(|l| l.name != rule.name)
                    && let Some(law) = law(rule, &mut arena)
                {
                    all.push(law);
                }
            }
        }
        all
    })
}

/// Reads a rule; `None` if it is about sorts or operators that formulas here do not have.
fn law(rule: &Rule, arena: &mut Arena) -> Option<Law> {
    if rule.when.is_some() {
        return None;
    }
    let mut ranges = vec![None; 4];
    let mut names =
        Variables { sorts: rule.param_names(), numbers: ["m", "n", "e", "s"].map(str::to_owned).to_vec() };
    for v in &rule.vars {
        if let Kind::Number(low, high) = v.kind {
            names.numbers.push(v.name.clone());
            ranges.push(Some((low, high)));
        }
    }
    let mut vars = Vec::new();
    for v in &rule.vars {
        let (sort, constant) = match &v.kind {
            Kind::Term(sort) | Kind::List(sort) => (sort, false),
            Kind::Constant(sort) => (sort, true),
            Kind::Number(..) => {
                vars.push(Variable { sort: SortPattern::Exact(smelt_smtlib::Sort::BOOL), constant: false });
                continue;
            }
            _ => return None,
        };
        let sort = Signatures::builtin().sort_pattern(arena, sort, &mut names).ok().filter(is_known)?;
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
    let var = |name: &str| rule.var(name);
    let (left, right) = (Template::read(from, &var, &mut names)?, Template::read(to, &var, &mut names)?);
    let fits = names.numbers.len() == ranges.len();
    let (name, params) = (String::leak(rule.name.clone()), names.sorts.len());
    fits.then_some(Law { name, relation: rule.relation, left, right, vars, ranges, params })
}

/// Whether variables of this sort can stand for terms here.
fn is_known(pattern: &SortPattern) -> bool {
    match pattern {
        SortPattern::Exact(s) => [smelt_smtlib::Sort::BOOL, smelt_smtlib::Sort::ROUNDING_MODE].contains(s),
        SortPattern::Constructor(head, args) => {
            *head == smelt_smtlib::sym::ARRAY && args.iter().all(|a| matches!(a, SortPattern::Var(_)))
        }
        _ => true,
    }
}

fn equal_sides(s: &Sexpr) -> Option<(&Sexpr, &Sexpr)> {
    match s.list("an equation").ok()? {
        [head, a, b] if head.atom("=").ok()? == "=" => Some((a, b)),
        _ => None,
    }
}

impl Law {
    /// Whether the options have all sorts and operators that it is about.
    pub(crate) fn usable(&self, options: &Settings) -> bool {
        let about = |kind: fn(&SortPattern) -> bool| self.vars.iter().any(|v| kind(&v.sort));
        let mode = |p: &SortPattern| *p == SortPattern::Exact(smelt_smtlib::Sort::ROUNDING_MODE);
        let applies =
            |test: &dyn Fn(Op, &[NumberPattern]) -> bool| self.left.any(test) || self.right.any(test);
        // Formats other than those of its variables; many solvers have the standard formats only.
        let own = |n: &NumberPattern| matches!(n, NumberPattern::Var(2 | 3));
        let standard = [Format::F16, Format::F32, Format::F64, Format::F128];
        (!about(is_bits) || !options.widths.is_empty())
            && (!(about(is_float) || about(mode)) || !options.formats.is_empty())
            && (!about(is_array) || options.arrays)
            && (!applies(&|op, _| op.mentions(is_number)) || options.numbers)
            && (!applies(&|op, _| op.recent) || options.recent)
            && (!applies(&|op, numbers| op.name == "to_fp" && !numbers.iter().all(own))
                || options.formats.iter().any(|f| !standard.contains(f)))
    }

    fn binding(&self) -> Binding {
        Binding { vars: vec![None; self.vars.len()], types: sort::Binding::default() }
    }

    /// Whether the numbers that are known are ones that the law is about.
    fn in_range(&self, b: &Binding) -> bool {
        let fits = |(range, known): (&Option<(u32, u32)>, &Option<u32>)| match (range, known) {
            (Some((low, high)), Some(n)) => (low..=high).contains(&n),
            _ => true,
        };
        self.ranges.iter().zip(&b.types.numbers.numbers).all(fits)
    }

    /// Gives every number and sort that is not known yet a value.
    fn complete(&self, g: &mut Grower<'_>, b: &mut Binding) -> Option<()> {
        let numbers = &mut b.types.numbers.numbers;
        if numbers[0].is_none() {
            numbers[0] = g.world.width(&mut g.rng);
        }
        numbers[1].get_or_insert_with(|| 1 + g.rng.below(4) as u32);
        if numbers[2].is_none() || numbers[3].is_none() {
            let format = g.world.format(&mut g.rng);
            numbers[2] = numbers[2].or(format.map(|f| f.eb()));
            numbers[3] = numbers[3].or(format.map(|f| f.sb()));
        }
        for (slot, range) in self.ranges.iter().enumerate() {
            if let (None, Some((low, high))) = (numbers[slot], range) {
                numbers[slot] = Some(low + g.rng.below((high - low + 1) as usize) as u32);
            }
        }
        for p in 0..self.params {
            if b.types.sorts[p].is_none() {
                // The first of two is the index of an array.
                let index = self.params == 2 && p == 0;
                let sort =
                    if index { Sort::Bits(g.world.width(&mut g.rng)?) } else { g.world.scalar(&mut g.rng) };
                b.types.sorts[p] = Some(sort);
            }
        }
        Some(())
    }

    /// Both sides, with random terms for the variables.
    pub(crate) fn instance(&self, g: &mut Grower<'_>, depth: u32) -> Option<(Term, Term)> {
        let mut b = self.binding();
        self.complete(g, &mut b)?;
        let left = self.build(&self.left, g, &mut b, depth)?;
        Some((left, self.build(&self.right, g, &mut b, depth)?))
    }

    /// The other side of an equation, if a term matches one side.
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
                let sort = Sort::of(&self.vars[*v].sort, &b.types)?;
                let t = if self.vars[*v].constant {
                    let value = corner::value(&mut g.rng, sort);
                    g.terms.literal(sort, value)
                } else {
                    g.any(sort, depth)
                };
                b.vars[*v] = Some(t);
                Some(t)
            }
            Template::App(ops, patterns, args) => {
                let indices = indices(patterns, &b.types.numbers)?;
                let mut terms = Vec::with_capacity(args.len());
                for a in args {
                    terms.push(self.build(a, g, b, depth)?);
                }
                let fits = |op: &&Op| {
                    // Sides of laws are well-sorted; what may not fit are indices and the number of arguments.
                    if terms.len() == op.arity() && !matches!(op.sort, SortRule::Computed) {
                        return true;
                    }
                    let sorts: Vec<Sort> = terms.iter().map(|&t| g.terms.sort(t)).collect();
                    op.result(&sorts, indices).is_some()
                };
                let op = *ops.iter().find(fits)?;
                g.terms.apply(op, indices, &terms).ok()
            }
            Template::Literal(value, sort) => Some(g.terms.literal(*sort, value.clone())),
            Template::Constant(constant, patterns) => {
                let value = constant.value(indices(patterns, &b.types.numbers)?)?;
                Some(g.terms.literal(Sort::of_value(&value)?, value))
            }
        }
    }

    fn matches(&self, template: &Template, terms: &Terms, t: Term, b: &mut Binding) -> bool {
        let literal = terms.value(t).filter(|_| terms.head(t) == Head::Literal);
        match template {
            Template::Var(v) => {
                let var = &self.vars[*v];
                if let Some(bound) = b.vars[*v] {
                    return terms.same(bound, t);
                }
                b.vars[*v] = Some(t);
                (!var.constant || literal.is_some()) && terms.sort(t).fits(&var.sort, &mut b.types)
            }
            Template::App(ops, patterns, args) => {
                let Head::Operator(op) = terms.head(t) else { return false };
                ops.contains(&op)
                    && terms.args(t).len() == args.len()
                    && args.iter().zip(terms.args(t)).all(|(a, &t)| self.matches(a, terms, t, b))
                    && patterns.iter().zip(terms.indices(t)).all(|(n, i)| n.accept(i, &mut b.types.numbers))
            }
            Template::Literal(value, _) => literal == Some(value),
            Template::Constant(constant, patterns) => {
                let given = match literal {
                    Some(Value::BitVec(v)) if patterns.len() == 1 => [v.width(), 0],
                    Some(Value::Float(f)) if patterns.len() == 2 => [f.format().eb(), f.format().sb()],
                    _ => return false,
                };
                patterns.iter().zip(given).all(|(n, i)| n.accept(i, &mut b.types.numbers))
                    && constant.value(given).as_ref() == literal
            }
        }
    }
}

/// The laws that the options allow, by the operator at their top.
pub(crate) struct Laws {
    /// All of them.
    pub(crate) all: Vec<&'static Law>,
    /// Equations that rewrite an application, by its operator, each with its direction.
    by_op: Vec<Vec<(&'static Law, bool)>>,
    /// Equations that rewrite any term.
    anywhere: Vec<(&'static Law, bool)>,
}

impl Laws {
    pub(crate) fn new(options: &Settings) -> Laws {
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

/// An equal term, by a random law that fits.
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
