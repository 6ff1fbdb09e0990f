//! Computes the normal forms of terms.

use smelt_smtlib::{Arena, BinderView, Fun, IndexView, Sort, Symbol, Term, View, sym};

use super::law::{Law, law};
use super::node::{Bound, Env, Head, Normal, Normals};
use crate::BitVec;
use crate::eval::{field_constant, literal, parse_int, price};
use crate::value::Value;

/// Operators are evaluated on values up to this price: what is larger is not folded.
const PRICE: u64 = 2_000;

impl Normals {
    /// The normal form of a term without free variables.
    pub fn of(&mut self, arena: &Arena, term: Term) -> Normal {
        self.restart();
        self.read(arena, term, Env::default())
    }

    /// The normal form of a term below variables.
    fn read(&mut self, arena: &Arena, term: Term, env: Env) -> Normal {
        if let Some(&known) = self.done.get(&(term, env)) {
            return known;
        }
        let normal = crate::with_room(|| self.read_new(arena, term, env));
        self.note((term, env), normal);
        normal
    }

    fn opaque(&mut self, arena: &Arena, term: Term, env: Env) -> Normal {
        self.node(Head::Opaque(term, env), Box::default(), arena.sort_of(term))
    }

    fn read_new(&mut self, arena: &Arena, term: Term, env: Env) -> Normal {
        smelt_smtlib::abandon::tick();
        if self.left == 0 {
            return self.opaque(arena, term, env);
        }
        match arena.view(term) {
            View::App(fun, args) => {
                let args: Vec<Normal> = args.iter().map(|a| self.read(arena, *a, env)).collect();
                self.apply(arena, fun, &args, arena.sort_of(term))
            }
            View::Var(name) => self.variable(name, env).unwrap_or_else(|| self.opaque(arena, term, env)),
            View::Literal(kind, text) => match literal(arena, kind, text, arena.sort_of(term)) {
                Ok(value) => self.constant(value, arena.sort_of(term)),
                Err(_) => self.opaque(arena, term, Env::default()),
            },
            View::Let(v) => {
                let names = v.bindings().map(|(name, t)| (name, self.read(arena, t, env))).collect();
                let level = self.bound(env).level;
                let inner = self.env(Bound { outer: env, level, names });
                self.read(arena, v.body(), inner)
            }
            View::Binder(v) if matches!(v.name, sym::FORALL | sym::EXISTS) => self.quantifier(arena, &v, env),
            View::Annotated(v) => self.read(arena, v.term(), env),
            _ => self.opaque(arena, term, env),
        }
    }

    /// What a variable stands for.
    fn variable(&self, name: Symbol, mut env: Env) -> Option<Normal> {
        while env != Env::default() {
            let bound = self.bound(env);
            if let Some(found) = bound.names.iter().rev().find(|b| b.0 == name) {
                return Some(found.1);
            }
            env = bound.outer;
        }
        None
    }

    fn quantifier(&mut self, arena: &Arena, v: &BinderView<'_>, env: Env) -> Normal {
        let level = self.bound(env).level + 1;
        let vars: Box<[(Symbol, Sort)]> = v.vars().collect();
        let leaf = |normals: &mut Normals, (name, sort): (Symbol, Sort)| {
            (name, normals.node(Head::Variable(name, level), Box::default(), arena.canonical(sort)))
        };
        let names = vars.iter().map(|&var| leaf(self, var)).collect();
        let inner = self.env(Bound { outer: env, level, names });
        let body = self.read(arena, v.bodies[0], inner);
        let exists = v.name == sym::EXISTS;
        let body = if exists { self.not(body) } else { body };
        // No variable differs from a term for all its values.
        let parts = self.conjuncts(body);
        let body = match parts.into_iter().any(|part| self.excludes_a_value(part, level)) {
            true => Normal::FALSE,
            false => body,
        };
        // Every sort has an element.
        let all = match body.truth() {
            Some(_) => body,
            None => self.node(Head::ForAll(vars, level), Box::new([body]), Sort::BOOL),
        };
        if exists { self.not(all) } else { all }
    }

    /// Whether a form says that a variable of the binder of a level differs from a term without it.
    fn excludes_a_value(&self, part: Normal, level: u32) -> bool {
        let Some(equation) = self.negated(part) else { return false };
        let is_variable = |n: Normal| matches!(self.head(n), Head::Variable(_, l) if *l == level);
        match (self.head(equation), self.args(equation)) {
            (Head::Equal, &[a, b]) => {
                is_variable(a) && !self.may_contain(b, a) || is_variable(b) && !self.may_contain(a, b)
            }
            (Head::Zero, &[sum]) => self.isolated(sum).into_iter().any(|x| {
                let others = || self.args(sum).iter().filter(|a| **a != x);
                let is_alone = sum == x || !others().any(|a| self.may_contain(*a, x));
                is_variable(x) && is_alone && others().all(|a| self.sort(*a) == self.sort(x))
            }),
            _ => false,
        }
    }

    /// Whether a variable may occur in a form; an opaque form may contain it.
    fn may_contain(&self, n: Normal, variable: Normal) -> bool {
        let (mut work, mut seen) = (vec![n], super::node::Table::default());
        while let Some(n) = work.pop() {
            if n == variable || matches!(self.head(n), Head::Opaque(..)) {
                return true;
            }
            if seen.insert(n, ()).is_none() {
                work.extend_from_slice(self.args(n));
            }
        }
        false
    }

    /// The form of a head over forms.
    pub(super) fn apply(&mut self, arena: &Arena, fun: Fun, args: &[Normal], sort: Sort) -> Normal {
        let f = arena.fun_view(fun);
        let plain = |normals: &mut Normals| normals.node(Head::Fun(fun), args.into(), sort);
        let Some(op) = f.op else {
            if let Some(known) = self.of_datatype(arena, fun, args) {
                return known;
            }
            // `(as ff3 (_ FiniteField 5))`.
            if let (Some(sort), []) = (f.ascribed, args)
                && let Some(value) = field_constant(arena, arena.text(f.name), sort)
            {
                return self.constant(Value::Field(value), sort);
            }
            // `(_ bv5 8)`.
            if let ([width], []) = (f.indices, args)
                && let (IndexView::Number(width), Some(digits)) =
                    (width.view(), arena.text(f.name).strip_prefix(b"bv"))
                && let Some(Ok(value)) = parse_int(digits).map(|value| BitVec::from_int(width, &value))
            {
                return self.constant(Value::BitVec(value), sort);
            }
            return plain(self);
        };
        let Some(law) = law(op) else { return plain(self) };
        if f.ascribed.is_some() {
            // An empty sequence or set.
            let value = if args.is_empty() { self.folded(arena, law, f.indices, args, sort) } else { None };
            return value.unwrap_or_else(|| plain(self));
        }
        if let Some(value) = self.folded(arena, law, f.indices, args, sort) {
            return value;
        }
        self.by_law(arena, law, fun, args, sort).unwrap_or_else(|| plain(self))
    }

    /// The value of an operator over values.
    fn folded(
        &mut self,
        arena: &Arena,
        law: &Law,
        indices: &[smelt_smtlib::Index],
        args: &[Normal],
        sort: Sort,
    ) -> Option<Normal> {
        let function = law.function?;
        let value = {
            let values: Vec<&Value> = args.iter().map(|a| self.value(*a)).collect::<Option<_>>()?;
            if price(values.iter().copied()) > PRICE {
                return None;
            }
            match (law.chained, &values[..]) {
                (true, [_, _]) | (false, _) if values.len() <= law.arity => {
                    function.apply_in(arena, indices, &values).ok()?
                }
                (true, _) => {
                    let pairs =
                        values.windows(2).map(|w| function.apply_in(arena, indices, w).ok()?.as_bool());
                    Value::Bool(pairs.collect::<Option<Vec<bool>>>()?.into_iter().all(|b| b))
                }
                (false, [first, rest @ ..]) if law.left => {
                    let mut value = (*first).clone();
                    for next in rest {
                        value = function.apply_in(arena, indices, &[&value, next]).ok()?;
                    }
                    value
                }
                _ => return None,
            }
        };
        if price([&value]) > PRICE {
            return None;
        }
        Some(self.constant(crate::eval::coerce(arena, value, sort), sort))
    }

    /// The form after some forms were replaced by others.
    pub(super) fn replaced(
        &mut self,
        arena: &Arena,
        n: Normal,
        new: &mut super::node::Table<Normal, Normal>,
    ) -> Normal {
        if let Some(&known) = new.get(&n) {
            return known;
        }
        if self.left == 0 {
            return n;
        }
        crate::with_room(|| {
            let node = self.get(n).clone();
            let args: Vec<Normal> = node.args.iter().map(|a| self.replaced(arena, *a, new)).collect();
            let made =
                if args[..] == node.args[..] { n } else { self.rebuilt(arena, &node.head, &args, node.sort) };
            new.insert(n, made);
            made
        })
    }

    fn rebuilt(&mut self, arena: &Arena, head: &Head, args: &[Normal], sort: Sort) -> Normal {
        match head {
            Head::Value(_) | Head::Variable(..) | Head::Opaque(..) => {
                self.node(head.clone(), args.into(), sort)
            }
            Head::Fun(fun) => self.apply(arena, *fun, args, sort),
            Head::Not => self.not(args[0]),
            Head::And => self.and(args.iter().copied()),
            Head::Equal => self.equal(arena, args[0], args[1]),
            Head::Ite => self.ite(args[0], args[1], args[2], sort),
            Head::Zero => {
                let sum = self.as_sum(args[0]);
                let sort = self.sort(args[0]);
                self.zero(arena, sum, sort)
            }
            Head::AtMost => self.compared(arena, self.as_sum(args[0]), false),
            Head::BitsAtMost { signed } => self.bits_at_most(arena, *signed, args[0], args[1]),
            Head::Concat => self.concat(args),
            Head::Below => self.compared(arena, self.as_sum(args[0]), true),
            Head::Sum(constant, coefficients) => {
                let sum = self.combined(constant, coefficients, args);
                self.of_sum(arena, sum, sort)
            }
            Head::Product => self.product(arena, args, sort),
            Head::ForAll(..) if args[0].truth().is_some() => args[0],
            Head::ForAll(..) => self.node(head.clone(), args.into(), sort),
        }
    }
}
