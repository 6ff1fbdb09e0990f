//! The operators of generated formulas: rows of the signature table, with the evaluator's functions.

use std::sync::LazyLock;

use smelt_semantics::eval::{Evaluated, Function};
use smelt_semantics::value::Value;
use smelt_smtlib::signature::{Associativity, Row, Signatures, SortPattern};
use smelt_smtlib::{Arena, Index};

use super::sort::{Binding, Element, Sort};

/// Up to two indices; unused ones are zero.
pub(crate) type Indices = [u32; 2];

/// The key of every operator, in the order of their numbers. A key is the name; overloads of `to_fp` have a suffix. One
/// blank or line end stands between two.
const KEYS: &str = include_str!("../../data/constructed.txt");

/// Operators that are new in SMT-LIB 2.7.
const RECENT: &str = "bvnego bvuaddo bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo";

/// An operator.
pub(crate) struct Operator {
    /// Its name among the operators; overloads differ.
    pub(crate) key: &'static str,
    /// Its name in scripts.
    pub(crate) name: &'static str,
    /// Whether it is new in SMT-LIB 2.7.
    pub(crate) recent: bool,
    /// What the signature table says of it.
    pub(crate) row: &'static Row,
    /// How its sort follows from its arguments.
    pub(crate) sort: SortRule,
    meaning: Meaning,
}

/// How the sort of a result is found without matching patterns.
#[derive(Clone, Copy)]
pub(crate) enum SortRule {
    Bool,
    /// The sort of an argument.
    Argument(usize),
    /// By [`Operator::result`].
    Computed,
}

#[derive(Clone, Copy)]
enum Meaning {
    Theory(Function),
    Core(fn(&[&Value]) -> Value),
}

static OPERATORS: LazyLock<Vec<Operator>> = LazyLock::new(|| KEYS.split_whitespace().map(operator).collect());

fn operator(key: &'static str) -> Operator {
    let signatures = Signatures::builtin();
    let name = match key.strip_suffix(".real") {
        Some(name) => name,
        None if key.starts_with("to_fp.") => "to_fp",
        None => key,
    };
    let (int, real) =
        (SortPattern::Exact(smelt_smtlib::Sort::INT), SortPattern::Exact(smelt_smtlib::Sort::REAL));
    let wanted = |row: &Row| match (key, &row.args[..]) {
        // Of two numbers: there are others of one, and of floats.
        ("+" | "-" | "<=" | "<", args) => *args == [int.clone(), int.clone()],
        ("+.real" | "-.real" | "<=.real" | "<.real", args) => *args == [real.clone(), real.clone()],
        ("to_fp.real", args) => args.len() == 2 && args[1] == real,
        ("to_fp.bits", [SortPattern::BitVec(_)])
        | ("to_fp.float", [_, SortPattern::Float(..)])
        | ("to_fp.signed", [_, SortPattern::BitVec(_)]) => true,
        _ => name == key,
    };
    let op = find(name, wanted).unwrap_or_else(|| panic!("the signature table has no `{key}`"));
    let meaning = Function::of(op).map_or_else(|| Meaning::Core(core(key)), Meaning::Theory);
    let recent = RECENT.split_whitespace().any(|r| r == key);
    let row = signatures.row(op);
    let sort = match row.args.iter().position(|a| *a == row.result) {
        _ if row.result == SortPattern::Exact(smelt_smtlib::Sort::BOOL) => SortRule::Bool,
        Some(i) => SortRule::Argument(i),
        None => SortRule::Computed,
    };
    Operator { key, name, recent, row, sort, meaning }
}

/// A standard row of the signature table, by its name.
pub(super) fn find(name: &str, wanted: impl Fn(&Row) -> bool) -> Option<smelt_smtlib::Op> {
    static ARENA: LazyLock<Arena> = LazyLock::new(|| Signatures::builtin().arena());
    let symbol = ARENA.find_symbol(name.as_bytes())?;
    let standard = |row: &Row| row.name == symbol && row.dialect.is_none() && wanted(row);
    Signatures::builtin().named(symbol).find(|op| standard(Signatures::builtin().row(*op)))
}

/// The operators of Core, over values that are all known.
fn core(key: &str) -> fn(&[&Value]) -> Value {
    fn truth(v: &Value) -> bool {
        v.as_bool() == Some(true)
    }
    match key {
        "not" => |a| Value::Bool(!truth(a[0])),
        "and" => |a| Value::Bool(a.iter().all(|v| truth(v))),
        "or" => |a| Value::Bool(a.iter().any(|v| truth(v))),
        "xor" => |a| Value::Bool(a.iter().fold(false, |x, v| x ^ truth(v))),
        "=>" => |a| Value::Bool(a[..a.len() - 1].iter().any(|v| !truth(v)) || truth(a[a.len() - 1])),
        "=" => |a| Value::Bool(a.windows(2).all(|w| w[0] == w[1])),
        "distinct" => |a| Value::Bool((1..a.len()).all(|i| a[..i].iter().all(|v| *v != a[i]))),
        "ite" => |a| if truth(a[0]) { a[1] } else { a[2] }.clone(),
        _ => panic!("the evaluator has no function for `{key}`"),
    }
}

impl Operator {
    /// The value for arguments of the right sorts; `Err` where the standard leaves it open.
    pub(crate) fn apply(&self, args: &[&Value], indices: Indices) -> Evaluated {
        match self.meaning {
            Meaning::Core(f) => Ok(f(args)),
            Meaning::Theory(f) if self.row.indices.is_empty() => f.apply(&[], args),
            Meaning::Theory(f) => {
                let indices = indices.map(|i| Index::number(i).expect("indices are small"));
                f.apply(&indices[..self.row.indices.len()], args)
            }
        }
    }

    /// The sort of the result; `None` if the arguments do not fit.
    pub(crate) fn result(&self, args: &[Sort], indices: Indices) -> Option<Sort> {
        let row = self.row;
        let declared = row.args.len();
        let longer = matches!(self.meaning, Meaning::Core(_)) && row.associativity != Associativity::None;
        if args.len() < declared || (args.len() > declared && !longer) {
            return None;
        }
        let mut b = Binding::default();
        let fits = row.indices.iter().zip(indices).all(|(p, i)| p.accept(i, &mut b.numbers))
            && args.iter().enumerate().all(|(i, s)| s.fits(&row.args[i.min(declared - 1)], &mut b))
            && row.allows(&b.numbers);
        if fits { Sort::of(&row.result, &b) } else { None }
    }

    /// How many arguments are declared.
    pub(crate) fn arity(&self) -> usize {
        self.row.args.len()
    }

    /// Whether the standard leaves the result open for some arguments.
    pub(crate) fn open(&self) -> bool {
        self.row.partial
    }

    /// Whether arguments or result are sorts of this kind.
    pub(crate) fn mentions(&self, kind: fn(&SortPattern) -> bool) -> bool {
        self.row.args.iter().chain([&self.row.result]).any(kind)
    }
}

/// Whether a pattern is one of bit-vectors.
pub(crate) fn is_bits(p: &SortPattern) -> bool {
    matches!(p, SortPattern::BitVec(_))
}

/// Whether a pattern is one of floats.
pub(crate) fn is_float(p: &SortPattern) -> bool {
    matches!(p, SortPattern::Float(..))
}

/// Whether a pattern is one of arrays.
pub(crate) fn is_array(p: &SortPattern) -> bool {
    matches!(p, SortPattern::Constructor(..))
}

/// Whether a pattern is one of numbers.
pub(crate) fn is_number(p: &SortPattern) -> bool {
    matches!(p, SortPattern::Exact(smelt_smtlib::Sort::INT | smelt_smtlib::Sort::REAL))
}

/// The number of an operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Op(u8);

impl Op {
    /// The operator of a key that stands in the code: see [`op`].
    pub(crate) const fn of(key: &str) -> Op {
        let (keys, key) = (KEYS.as_bytes(), key.as_bytes());
        let (mut at, mut number) = (0, 0);
        while at < keys.len() {
            let mut length = 0;
            let mut same = true;
            while at + length < keys.len() && !keys[at + length].is_ascii_whitespace() {
                same = same && length < key.len() && keys[at + length] == key[length];
                length += 1;
            }
            if same && length == key.len() {
                return Op(number);
            }
            at += length + 1;
            number += 1;
        }
        panic!("there is no such operator")
    }

    /// Every operator.
    pub(crate) fn all() -> impl Iterator<Item = Op> {
        (0..OPERATORS.len()).map(|i| Op(i as u8))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator by its key, found when smelt is compiled.
macro_rules! op {
    ($key:literal) => {
        const { $crate::construct::operator::Op::of($key) }
    };
}
pub(crate) use op;

impl std::ops::Deref for Op {
    type Target = Operator;

    fn deref(&self) -> &Operator {
        &OPERATORS[self.index()]
    }
}

/// The element of a sort, if arrays of it are made.
pub(crate) fn element(sort: Sort) -> Option<Element> {
    match sort {
        Sort::Bits(w) => Some(Element::Bits(w)),
        Sort::Float(f) => Some(Element::Float(f)),
        _ => None,
    }
}
