//! Terms with variables, read from data files: the sides of laws, and the conditions of corner cases.

use smelt_semantics::eval::Function;
use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, RoundingMode};
use smelt_smtlib::Index;
use smelt_smtlib::sexpr::{Sexpr, SexprNode};
use smelt_smtlib::signature::{Associativity, Bindings, NumberPattern, Signatures, Variables};

use super::operator::{Indices, Op, find, is_float, op};
use super::sort::Sort;

/// A term with variables, and with numbers that depend on sorts.
pub(crate) enum Template {
    /// A variable, by its position.
    Var(usize),
    /// An application: the operators of that name, of which one fits the arguments.
    App(Vec<Op>, Vec<NumberPattern>, Vec<Template>),
    Literal(Value, Sort),
    /// Literals such as `(_ bv1 m)` and `(_ NaN e s)`.
    Constant(Constant, Vec<NumberPattern>),
}

/// A value of many sorts.
#[derive(Clone, Copy)]
pub(crate) enum Constant {
    Bits(u64),
    Float(Function),
}

impl Constant {
    /// Its value at a width, or at the two numbers of a format.
    pub(crate) fn value(self, numbers: Indices) -> Option<Value> {
        match self {
            Constant::Bits(value) => Some(BitVec::new(numbers[0], value).into()),
            Constant::Float(f) => {
                let [e, s] = numbers.map(Index::number);
                f.apply(&[e?, s?], &[]).ok()
            }
        }
    }
}

/// The values of up to two number patterns; `None` if one has none.
pub(crate) fn indices(patterns: &[NumberPattern], b: &Bindings) -> Option<Indices> {
    let mut all = [0; 2];
    for (i, n) in all.iter_mut().zip(patterns) {
        *i = n.value(b)?;
    }
    Some(all)
}

/// Reads a number that depends on the names that are known.
fn number(s: &Sexpr, names: &mut Variables) -> Option<NumberPattern> {
    let known = names.numbers.len();
    let number = Signatures::number_pattern(s, names).ok()?;
    (names.numbers.len() == known).then_some(number)
}

impl Template {
    /// Reads a term; `None` if it has something that formulas here do not have. `var` knows the variables by name.
    pub(crate) fn read(
        s: &Sexpr,
        var: &dyn Fn(&str) -> Option<usize>,
        names: &mut Variables,
    ) -> Option<Template> {
        let items = match &s.node {
            SexprNode::Atom(a) => return var(a).map(Template::Var).or_else(|| literal(a)),
            SexprNode::List(items) => items,
        };
        let (head, args) = items.split_first()?;
        if head.atom("a word").ok() == Some("_") {
            let (name, patterns) = args.split_first()?;
            let name = name.atom("a word").ok()?;
            let constant = match name.strip_prefix("bv").and_then(|v| v.parse().ok()) {
                Some(value) if patterns.len() == 1 => Constant::Bits(value),
                _ => {
                    let row = find(name, |row| row.args.is_empty() && is_float(&row.result))?;
                    Constant::Float(Function::of(row)?)
                }
            };
            let patterns = patterns.iter().map(|n| number(n, names)).collect::<Option<_>>()?;
            return Some(Template::Constant(constant, patterns));
        }
        let (name, indices) = match &head.node {
            SexprNode::Atom(a) => (a, Vec::new()),
            SexprNode::List(l) => match &l[..] {
                [underscore, name, patterns @ ..] if underscore.atom("_").ok()? == "_" => {
                    let SexprNode::Atom(name) = &name.node else { return None };
                    (name, patterns.iter().map(|n| number(n, names)).collect::<Option<_>>()?)
                }
                _ => return None,
            },
        };
        let ops: Vec<Op> = Op::all().filter(|op| op.name == name).collect();
        let first = *ops.first()?;
        let mut args: Vec<Template> =
            args.iter().map(|a| Template::read(a, var, names)).collect::<Option<_>>()?;
        // One argument of a connective stands for a list of one.
        let connective = matches!(first.row.associativity, Associativity::Left | Associativity::Right);
        if connective && args.len() == 1 && first.index() < op!("=").index() {
            return args.pop();
        }
        Some(Template::App(ops, indices, args))
    }

    /// Whether something is true of one of the applications in it.
    pub(crate) fn any(&self, test: &dyn Fn(Op, &[NumberPattern]) -> bool) -> bool {
        match self {
            Template::App(ops, indices, args) => test(ops[0], indices) || args.iter().any(|a| a.any(test)),
            _ => false,
        }
    }

    /// Its value, where variables have values; `None` where the standard leaves it open.
    pub(crate) fn value(&self, b: &Bindings, var: &dyn Fn(usize) -> Option<Value>) -> Option<Value> {
        match self {
            Template::Var(v) => var(*v),
            Template::Literal(value, _) => Some(value.clone()),
            Template::Constant(constant, patterns) => constant.value(indices(patterns, b)?),
            Template::App(ops, patterns, args) => {
                let and = ops[0] == op!("and");
                if and || ops[0] == op!("or") {
                    // The first argument that decides; the later ones may take long.
                    let mut decides = args.iter().map(|a| Some(a.value(b, var)?.as_bool()? != and));
                    let decided = decides.find(|d| *d != Some(false)).unwrap_or(Some(false))?;
                    return Some(Value::Bool(decided != and));
                }
                // No operator here has more than four arguments, but for `and` and `or`.
                let mut values = [const { Value::Bool(false) }; 4];
                for (value, a) in values.iter_mut().zip(args) {
                    *value = a.value(b, var)?;
                }
                let values: [&Value; 4] = std::array::from_fn(|i| &values[i]);
                let values = &values[..args.len()];
                let indices = indices(patterns, b)?;
                let fits = |op: &Op| {
                    let sorts: Option<Vec<Sort>> = values.iter().map(|v| Sort::of_value(v)).collect();
                    sorts.is_some_and(|s| op.result(&s, indices).is_some())
                };
                let op = if let [op] = ops[..] { op } else { *ops.iter().find(|op| fits(op))? };
                op.apply(values, indices).ok()
            }
        }
    }
}

fn literal(a: &str) -> Option<Template> {
    let (value, sort) = match a {
        "true" | "false" => (Value::Bool(a == "true"), Sort::Bool),
        _ => match (BitVec::parse(a), RoundingMode::parse(a)) {
            (Some(bits), _) => (bits.clone().into(), Sort::Bits(bits.width())),
            (_, Some(mode)) => (Value::RoundingMode(mode), Sort::Mode),
            _ => return None,
        },
    };
    Some(Template::Literal(value, sort))
}
