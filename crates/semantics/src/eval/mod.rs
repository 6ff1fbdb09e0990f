//! Evaluation of terms: their SMT-LIB meaning under an interpretation of the script's symbols.
//!
//! The result is a value, or [`Unknown`] with a reason. Boolean connectives, `ite` and quantifiers decide with the
//! known operands (`(and false ?)` is false). Nothing is guessed: where the standard leaves a result open, the
//! value comes from the interpretation.
//!
//! The evaluator follows the term as written: a `let` is evaluated once, and a term is never expanded. It recurses
//! on terms with a stack on the heap, so only memory bounds the depth.

mod core;
mod cost;
mod domain;
mod guard;
mod interpretation;
mod operators;
mod quantifier;
mod steps;
mod theories;

use std::fmt;

use smelt_smtlib::signature::Associativity;
use smelt_smtlib::{Arena, Fun, Index, IndexView, Literal, Op, Sort, Symbol, Term, View, sym};

pub(crate) use self::core::all;
pub(crate) use cost::price;
pub use domain::{Domains, bitvec_values, float_values};
pub(crate) use domain::{extended, format_of, key, subsets};
pub use interpretation::{Allowed, Interpretation, Meaning, Point};
pub use operators::{Function, has_meaning};
pub(crate) use operators::{Lazy, Operator, Operators, Strict};
pub(crate) use quantifier::Candidates;
pub use steps::Step;
pub(crate) use theories::fields::constant as field_constant;
pub(crate) use theories::{Arguments, same_format, same_width};

use crate::regex::Languages;
use crate::value::{Datatype, Value};
use crate::{BitVec, Gap, Int, Rational, Real, Str};
use operators::operator_table;
use theories::collections::read;

/// Why a term has no known value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The standard leaves this operator open for these arguments, and the model does not say.
    Unspecified(Symbol),
    /// Finding the value exceeds a bound on time or memory.
    TooLarge,
    /// The model has no value for this symbol.
    NoValue(Symbol),
    /// No meaning is known for this symbol or operator.
    NoMeaning(Symbol),
    /// A quantifier over a domain that is too large, with no witness among the values at hand.
    Quantifier,
    /// The term, or the value the model gives, is not of the sort it should be.
    IllSorted,
}

impl Unknown {
    /// The reason as text for messages.
    pub fn describe(self, arena: &Arena) -> String {
        match self {
            Unknown::Unspecified(s) => format!("the standard does not define `{}` here", arena.name(s)),
            Unknown::TooLarge => "beyond the effort limit".to_owned(),
            Unknown::NoValue(s) => format!("the model has no value for `{}`", arena.name(s)),
            Unknown::NoMeaning(s) => format!("no meaning is known for `{}`", arena.name(s)),
            Unknown::Quantifier => "a quantifier over too many values".to_owned(),
            Unknown::IllSorted => "a value has the wrong sort".to_owned(),
        }
    }
}

/// The evaluator puts the name of the operator into `Unspecified`.
impl From<Gap> for Unknown {
    fn from(gap: Gap) -> Unknown {
        match gap {
            Gap::Unspecified => Unknown::Unspecified(sym::UNKNOWN),
            Gap::TooLarge => Unknown::TooLarge,
        }
    }
}

/// Operators that are open for some arguments, and the names under which solvers print what they chose.
pub(crate) const OPEN: [(&str, &str); 5] =
    [("/", "/0"), ("div", "div0"), ("mod", "mod0"), ("rem", "rem0"), ("seq.nth", "seq.nth_u")];

/// The result of evaluation.
pub type Evaluated = Result<Value, Unknown>;

/// The effort for an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Operator applications; one on large values counts as many.
    pub steps: u64,
    /// Assignments to the variables of one quantifier.
    pub assignments: u64,
    /// Calls inside calls.
    pub depth: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { steps: 20_000_000, assignments: 70_000, depth: 2_000 }
    }
}

/// Evaluates terms of one arena.
pub struct Evaluator<'a> {
    arena: &'a Arena,
    interpretation: &'a Interpretation,
    operators: &'a [Option<Operator>],
    /// A planted fault: universals are tried at one value only.
    hasty: bool,
    /// The first point that evaluation met and that has no chosen value.
    open: Option<Point>,
    domains: &'a Domains,
    languages: Languages,
    /// Local variables, innermost last; those below `base` belong to callers.
    locals: Vec<(Symbol, Evaluated)>,
    base: usize,
    effort: Effort,
    steps: u64,
    depth: u32,
}

impl fmt::Debug for Evaluator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Evaluator({} steps)", self.steps)
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator of terms under an interpretation.
    pub fn new(arena: &'a Arena, interpretation: &'a Interpretation, domains: &'a Domains) -> Self {
        Evaluator {
            arena,
            interpretation,
            operators: operator_table(),
            hasty: false,
            open: None,
            domains,
            languages: Languages::new(),
            locals: Vec::new(),
            base: 0,
            effort: Effort::default(),
            steps: 0,
            depth: 0,
        }
    }

    /// With other bounds.
    pub fn with_effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self.languages.allow(effort.steps);
        self
    }

    /// With another table of operators, if there is one.
    pub(crate) fn with_operators(mut self, operators: Option<&'a Operators>) -> Self {
        if let Some(operators) = operators {
            self.operators = &operators.table;
            self.hasty = operators.hasty;
        }
        self
    }

    /// With the regular languages that an earlier evaluator computed.
    pub(crate) fn with_languages(mut self, languages: Languages) -> Self {
        self.languages = languages;
        self.languages.allow(self.effort.steps);
        self
    }

    /// The regular languages computed so far, and the first point without a value.
    pub(crate) fn finish(self) -> (Languages, Option<Point>) {
        (self.languages, self.open)
    }

    /// How many operator applications were evaluated so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The value of a term without free local variables.
    pub fn eval(&mut self, term: Term) -> Evaluated {
        crate::with_room(|| self.term(term))
    }

    /// The value of a term with more local variables.
    fn eval_with(&mut self, more: impl IntoIterator<Item = (Symbol, Evaluated)>, term: Term) -> Evaluated {
        let mark = self.locals.len();
        self.locals.extend(more);
        let value = self.eval(term);
        self.locals.truncate(mark);
        value
    }

    /// The truth value of a Boolean term.
    pub fn holds(&mut self, term: Term) -> Result<bool, Unknown> {
        self.eval(term)?.as_bool().ok_or(Unknown::IllSorted)
    }

    fn term(&mut self, term: Term) -> Evaluated {
        self.charge(1)?;
        match self.arena.view(term) {
            View::App(fun, args) => self.application(term, fun, args),
            View::Var(name) => {
                let visible = &self.locals[self.base..];
                let found = visible.iter().rposition(|l| l.0 == name);
                let searched = visible.len() - found.unwrap_or(0);
                let value = found.map_or(Err(Unknown::NoValue(name)), |at| visible[at].1.clone());
                self.charge(searched as u64 / 32)?;
                value
            }
            View::Literal(kind, text) => {
                self.charge(self.arena.text(text).len() as u64 / 32)?;
                literal(self.arena, kind, text, self.arena.sort_of(term))
            }
            View::Let(v) => {
                // Definitions do not see each other: bound together, behind all.
                let values: Vec<_> = v.bindings().map(|(name, t)| (name, self.eval(t))).collect();
                self.eval_with(values, v.body())
            }
            View::Binder(v) => self.binder(&v),
            View::Match(v) => {
                let Value::Datatype(d) = self.eval(v.scrutinee())? else { return Err(Unknown::IllSorted) };
                for (pattern, body) in v.cases() {
                    if pattern.constructor.is_some_and(|c| c.index() != d.constructor().0 as usize) {
                        continue;
                    }
                    let whole = [Value::Datatype(d.clone())];
                    let values = if pattern.constructor.is_some() { d.args() } else { &whole };
                    let fields = pattern.vars().zip(values).map(|((n, _), v)| (n, Ok(v.clone())));
                    return self.eval_with(fields, body);
                }
                Err(Unknown::IllSorted)
            }
            View::Annotated(v) => self.eval(v.term()),
            View::Apply(children) => {
                let head = self.eval(children[0])?;
                let args = self.values(&children[1..])?;
                match (&head, &args[..]) {
                    (Value::Function(_), _) if args.iter().any(Value::has_other_forms) => {
                        Err(Unknown::TooLarge)
                    }
                    (Value::Function(f), _) => f.apply(&args).cloned().ok_or(Unknown::IllSorted),
                    _ => applied(head, &args),
                }
            }
        }
    }

    /// All values, or the first unknown.
    fn values(&mut self, terms: &[Term]) -> Result<Vec<Value>, Unknown> {
        let mut values = Vec::with_capacity(terms.len());
        for &t in terms {
            values.push(self.eval(t)?);
        }
        Ok(values)
    }

    fn application(&mut self, term: Term, fun: Fun, args: &[Term]) -> Evaluated {
        let view = self.arena.fun_view(fun);
        match view.op {
            Some(op) => {
                let value = self.operator(term, op, view.indices, args)?;
                // `Int` where a `Real` is meant.
                Ok(coerce(self.arena, value, self.arena.sort_of(term)))
            }
            None => self.symbol(term, view.name, view.indices, args),
        }
    }

    fn operator(&mut self, term: Term, op: Op, indices: &[Index], args: &[Term]) -> Evaluated {
        let row = self.arena.signatures().row(op);
        let Some(Some(operator)) = self.operators.get(op.index()) else {
            return Err(Unknown::NoMeaning(row.name));
        };
        match *operator {
            Operator::Lazy(f) => f(self, args),
            Operator::Strict(f) => {
                let call = |e: &mut Self, args: &[&Value]| {
                    let sort = e.arena.sort_of(term);
                    let call = Call { arena: e.arena, domains: e.domains, indices, sort, name: row.name };
                    e.charge(price(args.iter().copied()))?;
                    let result = f(&call, &mut e.languages, args);
                    let more = e.languages.take_work() + result.as_ref().map_or(0, |v| price([v]));
                    e.charge(more)?;
                    match result {
                        Err(Unknown::Unspecified(_)) => e.unspecified(row.name, sort, args),
                        other => other,
                    }
                };
                match (row.associativity, args) {
                    (Associativity::Left, [first, rest @ ..]) if rest.len() != 1 => {
                        let mut value = self.eval(*first)?;
                        for &t in rest {
                            let next = self.eval(t)?;
                            value = call(self, &[&value, &next])?;
                        }
                        Ok(value)
                    }
                    (Associativity::Chainable, _) if args.len() != 2 => {
                        let values = self.values(args)?;
                        let mut all = true;
                        for pair in values.windows(2) {
                            all &= call(self, &[&pair[0], &pair[1]])?.as_bool().ok_or(Unknown::IllSorted)?;
                        }
                        Ok(Value::Bool(all))
                    }
                    _ => match args {
                        // The common shapes without a vector.
                        [] => call(self, &[]),
                        [a] => {
                            let a = self.eval(*a)?;
                            call(self, &[&a])
                        }
                        [a, b] => {
                            let (a, b) = (self.eval(*a)?, self.eval(*b)?);
                            call(self, &[&a, &b])
                        }
                        [a, b, c] => {
                            let (a, b, c) = (self.eval(*a)?, self.eval(*b)?, self.eval(*c)?);
                            call(self, &[&a, &b, &c])
                        }
                        _ => {
                            let values = self.values(args)?;
                            call(self, &values.iter().collect::<Vec<_>>())
                        }
                    },
                }
            }
        }
    }

    /// The model's value where the standard leaves it open: solvers print such functions under names of their own.
    fn unspecified(&mut self, name: Symbol, sort: Sort, args: &[&Value]) -> Evaluated {
        let text = self.arena.text(name);
        // Integers are divided as reals.
        let as_divided = |v: &&Value| {
            if text == b"/" { coerce(self.arena, (*v).clone(), Sort::REAL) } else { (*v).clone() }
        };
        let args: Vec<Value> = args.iter().map(as_divided).collect();
        if let Some(value) = self.chosen(name, sort, &args) {
            return Ok(value);
        }
        let open = Err(Unknown::Unspecified(name));
        // A model must not give a meaning to what a solver means otherwise.
        if (Point { name, sort, args: args.clone() }).allowed(self.arena) == Allowed::Unknown {
            return open;
        }
        let Some((_, own)) = OPEN.iter().find(|o| o.0.as_bytes() == text) else { return open };
        let Some(own) = self.arena.find_symbol(own.as_bytes()) else { return open };
        let Some(Meaning::Definition { params, .. }) = self.interpretation.meaning(own) else { return open };
        // z3 prints `/0` over the dividend alone, older releases over both.
        let given = &args[..params.len().min(args.len())];
        let value = self.call(own, given.to_vec())?;
        let fits = sort == Sort::UNKNOWN || self.domains.has(self.arena, sort, &value);
        if fits { Ok(value) } else { Err(Unknown::IllSorted) }
    }

    /// A symbol of the script, or of a family such as `bv5`.
    fn symbol(&mut self, term: Term, name: Symbol, indices: &[Index], args: &[Term]) -> Evaluated {
        if indices.is_empty() {
            if self.interpretation.meaning(name).is_some() {
                let mut values = self.values(args)?;
                // An integer instead of a real means that real.
                for (v, s) in
                    values.iter_mut().zip(self.interpretation.ranks.get(&name).into_iter().flatten())
                {
                    *v = coerce(self.arena, std::mem::replace(v, Value::Bool(false)), *s);
                }
                return self.call(name, values);
            }
            if self.interpretation.constructors.contains_key(&name) {
                let mut values = self.values(args)?;
                let sorts = &self.interpretation.constructors[&name];
                if sorts.len() != values.len() {
                    return Err(Unknown::IllSorted);
                }
                for (v, s) in values.iter_mut().zip(sorts) {
                    *v = coerce(self.arena, std::mem::replace(v, Value::Bool(false)), s.1);
                }
                return Ok(Value::Datatype(Datatype::new(key(name), values)));
            }
            if let (Some(_), [record]) = (self.interpretation.selectors.get(&name), args) {
                let Value::Datatype(d) = self.eval(*record)? else { return Err(Unknown::IllSorted) };
                let places = &self.interpretation.selectors[&name];
                let found = places.iter().find(|p| key(p.0) == d.constructor());
                return match found.and_then(|p| d.args().get(p.1).cloned()) {
                    Some(value) => Ok(value),
                    None => {
                        let sort = self.arena.sort_of(term);
                        self.chosen(name, sort, &[Value::Datatype(d)]).ok_or(Unknown::Unspecified(name))
                    }
                };
            }
            if let (Some(constructor), [arg]) = (self.arena.text(name).strip_prefix(b"is-"), args) {
                let constructor = self.arena.find_symbol(constructor).ok_or(Unknown::NoMeaning(name))?;
                return self.is_constructed_by(*arg, constructor);
            }
            if let Some(root) = crate::model::algebraic(self.arena, name, args) {
                return root;
            }
            if let Some(field) =
                theories::fields::constant(self.arena, self.arena.text(name), self.arena.sort_of(term))
            {
                return Ok(field.into());
            }
            if args.is_empty() && self.domains.is_element(name) {
                return Ok(Domains::element(name));
            }
            return Err(Unknown::NoValue(name));
        }
        match (name, indices, args) {
            (sym::IS, [c], [arg]) => match c.view() {
                IndexView::Text(c) => self.is_constructed_by(*arg, c),
                IndexView::Number(_) => Err(Unknown::IllSorted),
            },
            (sym::UPDATE | sym::UPDATE_FIELD, [s], [record, new]) => {
                let IndexView::Text(s) = s.view() else { return Err(Unknown::IllSorted) };
                let (Value::Datatype(d), new) = (self.eval(*record)?, self.eval(*new)?) else {
                    return Err(Unknown::IllSorted);
                };
                let places = self.interpretation.selectors.get(&s).ok_or(Unknown::NoMeaning(s))?;
                let place = places.iter().find(|p| key(p.0) == d.constructor());
                Ok(Value::Datatype(match place {
                    Some(p) => d.with_arg(p.1, new).ok_or(Unknown::IllSorted)?,
                    None => d, // of another constructor: unchanged
                }))
            }
            (sym::AS_ARRAY, [f], []) => {
                let IndexView::Text(f) = f.view() else { return Err(Unknown::IllSorted) };
                self.array_of_function(f)
            }
            (_, [width], []) => {
                let digits = self.arena.text(name).strip_prefix(b"bv").ok_or(Unknown::NoMeaning(name))?;
                let width = width.as_number().ok_or(Unknown::IllSorted)?;
                let value = parse_int(digits).ok_or(Unknown::NoMeaning(name))?;
                Ok(BitVec::from_int(width, &value)?.into())
            }
            _ => Err(Unknown::NoMeaning(name)),
        }
    }

    fn is_constructed_by(&mut self, term: Term, constructor: Symbol) -> Evaluated {
        match self.eval(term)? {
            Value::Datatype(d) => Ok(Value::Bool(d.constructor() == key(constructor))),
            _ => Err(Unknown::IllSorted),
        }
    }

    /// The first point that evaluation met and that has no value, if any.
    pub fn open_point(&self) -> Option<&Point> {
        self.open.as_ref()
    }

    /// The value chosen at a point; the first point without one is remembered.
    fn chosen(&mut self, name: Symbol, sort: Sort, args: &[Value]) -> Option<Value> {
        let point = Point { name, sort, args: args.to_vec() };
        let value = self.interpretation.choices.get(&point).cloned();
        if value.is_none() && self.open.is_none() {
            self.open = Some(point);
        }
        value
    }

    /// Applies the meaning of a symbol.
    pub(crate) fn call(&mut self, name: Symbol, args: Vec<Value>) -> Evaluated {
        let interpretation = self.interpretation;
        match interpretation.meaning(name).ok_or(Unknown::NoValue(name))? {
            Meaning::Value(v) if args.is_empty() => Ok(v.clone()),
            // Tables are searched for arguments as they are written.
            Meaning::Value(Value::Function(_)) | Meaning::Table(_)
                if args.iter().any(Value::has_other_forms) =>
            {
                Err(Unknown::TooLarge)
            }
            Meaning::Value(Value::Function(f)) => f.apply(&args).cloned().ok_or(Unknown::NoValue(name)),
            Meaning::Value(value) => applied(value.clone(), &args),
            Meaning::Table(f) => match f.apply(&args) {
                Some(value) => Ok(value.clone()),
                None => self.chosen(name, Sort::UNKNOWN, &args).ok_or(Unknown::NoValue(name)),
            },
            Meaning::Definition { params, result, body } => {
                if params.len() != args.len() {
                    return Err(if args.is_empty() { Unknown::NoMeaning(name) } else { Unknown::IllSorted });
                }
                if self.depth >= self.effort.depth {
                    return Err(Unknown::TooLarge);
                }
                let arena = self.arena;
                let values = params.iter().zip(args).map(|(p, value)| (p.0, Ok(coerce(arena, value, p.1))));
                let base = std::mem::replace(&mut self.base, self.locals.len());
                self.depth += 1;
                let value = self.eval_with(values, *body);
                self.depth -= 1;
                self.base = base;
                // A model may define a function with any body.
                let value = coerce(self.arena, value?, *result);
                let fits = *result == Sort::UNKNOWN || self.domains.has(self.arena, *result, &value);
                if fits { Ok(value) } else { Err(Unknown::IllSorted) }
            }
        }
    }
}

/// The context of a call of a strict operator.
pub(crate) struct Call<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) domains: &'a Domains,
    pub(crate) indices: &'a [Index],
    pub(crate) sort: Sort,
    pub(crate) name: Symbol,
}

impl Call<'_> {
    /// The `i`-th index as a number.
    pub(crate) fn index(&self, i: usize) -> Result<u32, Unknown> {
        self.indices.get(i).and_then(|x| x.as_number()).ok_or(Unknown::IllSorted)
    }
}

/// An integer where a real is wanted becomes one.
pub(crate) fn coerce(arena: &Arena, value: Value, sort: Sort) -> Value {
    match value {
        Value::Int(i) if arena.canonical(sort) == Sort::REAL => Value::Real(Real::from(i)),
        other => other,
    }
}

pub(crate) fn parse_int(digits: &[u8]) -> Option<Int> {
    let text = std::str::from_utf8(digits).ok()?;
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Int::from_str_radix(text, 10).ok()
}

/// A function of one argument, which is an array, applied to one argument after the other: each result but the last is such
/// a function too.
fn applied(function: Value, args: &[Value]) -> Evaluated {
    args.iter().try_fold(function, |function, arg| match &function {
        Value::Array(a) => read(a, arg),
        _ => Err(Unknown::IllSorted),
    })
}

/// The value of a literal.
pub(crate) fn literal(arena: &Arena, kind: Literal, text: Symbol, sort: Sort) -> Evaluated {
    let bytes = arena.text(text);
    let as_text = || std::str::from_utf8(bytes).map_err(|_| Unknown::IllSorted);
    Ok(match kind {
        Literal::Numeral => {
            let value = parse_int(bytes).ok_or(Unknown::IllSorted)?;
            if sort == Sort::REAL { Value::Real(Real::from(value)) } else { Value::Int(value) }
        }
        Literal::Decimal => Value::Real(Real::from(Rational::parse(as_text()?).ok_or(Unknown::IllSorted)?)),
        Literal::Hex | Literal::Binary => Value::BitVec(BitVec::parse(as_text()?).ok_or(Unknown::IllSorted)?),
        Literal::String => {
            let body = as_text()?.replace("\"\"", "\"");
            Value::Str(Str::from_literal(&body).ok_or(Unknown::NoMeaning(text))?)
        }
        Literal::Sharp => theories::fields::literal(bytes).ok_or(Unknown::NoMeaning(text))?.into(),
    })
}
