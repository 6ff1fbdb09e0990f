//! The meaning of a script's symbols, and choices: values where neither the standard nor the script defines one.
//!
//! The standard leaves some results open, and a function without a definition can be any function. When evaluation
//! reaches such a point, a solver chooses a value; the same point then always has that value, so choices are
//! functions. Some points allow only certain values ([`Allowed`]): for example, `fp.max` of two zeros is a zero.

use std::collections::HashMap;
use std::sync::Arc;

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term};

use crate::value::{Function, Value};

/// The meaning of a symbol of the script.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A value.
    Value(Value),
    /// A function by its definition.
    Definition {
        /// Its parameters, with sorts.
        params: Box<[(Symbol, Sort)]>,
        /// Its result sort.
        result: Sort,
        /// Its body.
        body: Term,
    },
    /// A function by its graph.
    Table(Arc<Function>),
}

/// The meaning of a script's symbols: its definitions, and an assignment to its declarations.
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    meanings: HashMap<Symbol, Meaning>,
    /// Constructors with their selectors and the sorts of these.
    pub(super) constructors: HashMap<Symbol, Box<[(Symbol, Sort)]>>,
    /// Selectors with the constructors that have them, and their positions there.
    pub(super) selectors: HashMap<Symbol, Vec<(Symbol, usize)>>,
    pub(super) choices: HashMap<Point, Value>,
    /// The sorts of the arguments of declared functions.
    pub(super) ranks: HashMap<Symbol, Box<[Sort]>>,
}

impl Interpretation {
    /// The definitions and datatypes of a script; its declarations have no value yet.
    pub fn of_script(script: &Script) -> Self {
        let mut i = Interpretation::default();
        for command in &script.commands {
            match command {
                Command::DeclareFun(name, args, _) if !args.is_empty() => {
                    i.ranks.insert(*name, args.clone());
                }
                Command::DefineConst(name, sort, body) => i.define(*name, &[], *sort, *body),
                Command::DeclareDatatypes(_, datatypes) => {
                    for c in datatypes.iter().flat_map(|d| &d.constructors) {
                        i.constructors.insert(c.name, c.selectors.clone());
                        for (position, s) in c.selectors.iter().enumerate() {
                            i.selectors.entry(s.0).or_default().push((c.name, position));
                        }
                    }
                }
                _ => {
                    let definitions = command.definitions();
                    definitions.for_each(|(h, body)| i.define(h.name, &h.params, h.result, body));
                }
            }
        }
        i
    }

    /// Gives a symbol a definition.
    pub fn define(&mut self, name: Symbol, params: &[(Symbol, Sort)], result: Sort, body: Term) {
        self.meanings.insert(name, Meaning::Definition { params: params.into(), result, body });
    }

    /// Gives a symbol a meaning.
    pub fn assign(&mut self, name: Symbol, meaning: Meaning) {
        self.meanings.insert(name, meaning);
    }

    /// Removes a symbol's meaning.
    pub fn clear(&mut self, name: Symbol) {
        self.meanings.remove(&name);
    }

    /// The meaning of a symbol, if it has one.
    pub fn meaning(&self, name: Symbol) -> Option<&Meaning> {
        self.meanings.get(&name)
    }

    /// All symbols that stand for a value.
    pub fn values(&self) -> impl Iterator<Item = (Symbol, &Value)> {
        self.meanings.iter().filter_map(|(n, m)| if let Meaning::Value(v) = m { Some((*n, v)) } else { None })
    }

    /// Chooses a value at a point.
    pub fn choose(&mut self, point: Point, value: Value) {
        self.choices.insert(point, value);
    }

    /// Removes a choice.
    pub fn unchoose(&mut self, point: &Point) {
        self.choices.remove(point);
    }

    /// All choices, in a fixed order.
    pub fn choices(&self) -> Vec<(&Point, &Value)> {
        let mut all: Vec<_> = self.choices.iter().collect();
        all.sort();
        all
    }
}

/// An operator or function at some arguments.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// Its name.
    pub name: Symbol,
    /// The sort of the result, which distinguishes operators with different indices; unknown for functions of the script.
    pub sort: Sort,
    /// The arguments.
    pub args: Vec<Value>,
}

/// The values that a result may have at a point where it is open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Allowed {
    /// Every value of its sort.
    Any,
    /// One of these.
    OneOf(Vec<Value>),
    /// Not known: a solver's own operator, which gives these arguments a meaning of its own.
    Unknown,
}

impl Point {
    /// The values that the result may have here.
    pub fn allowed(&self, arena: &Arena) -> Allowed {
        let table = arena.signatures();
        let mut rows = table.named(self.name).map(|op| table.row(op)).peekable();
        match (arena.text(self.name), &self.args[..]) {
            (b"fp.min" | b"fp.max", [Value::Float(_), Value::Float(_)]) => Allowed::OneOf(self.args.clone()),
            (b"set.choose", [Value::Set(set)]) if !set.is_empty() => {
                Allowed::OneOf(set.iter().cloned().collect())
            }
            (b"set.choose", _) => Allowed::Any,
            // A function of the script, or a selector at another constructor.
            (_, [Value::Datatype(_)]) => Allowed::Any,
            _ if self.sort == Sort::UNKNOWN || rows.peek().is_none() => Allowed::Any,
            _ if rows.any(|row| row.partial && row.dialect.is_none()) => Allowed::Any,
            _ => Allowed::Unknown,
        }
    }
}
