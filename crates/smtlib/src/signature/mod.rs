//! The signature table: one row for each operator of each theory, read from the files in `theories/`.
//!
//! Typing, printing, mutation and enumeration read this table and nothing else, so a new operator is a new line. A
//! user's file in the same format extends the table. `docs/book/src/reference/signatures.md` describes the format.

mod pattern;
mod read;

use std::sync::{Arc, OnceLock};

pub use pattern::{Bindings, NumberPattern, SortPattern};

use crate::arena::{Arena, Fun, Op, Symbol};
use crate::error::Result;
use crate::sexpr::Sexpr;
use pattern::Condition;

/// How an operator takes more arguments than its signature has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Associativity {
    /// It does not.
    None,
    /// `(f a b c)` is `(f (f a b) c)`.
    Left,
    /// `(f a b c)` is `(f a (f b c))`.
    Right,
    /// `(f a b c)` is `(and (f a b) (f b c))`.
    Chainable,
    /// `(f a b c)` holds `f` for every two of them.
    Pairwise,
}

/// Operators whose sort does not follow from a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// z3's arrays of several indices: `(select a i j)`.
    Select,
    /// `(store a i j v)`
    Store,
    /// `(@ f x y)`, also with fewer arguments than the function takes.
    Apply,
    /// `(tuple a b)`
    Tuple,
    /// `((_ tuple.select i) t)`
    TupleSelect,
    /// `((_ tuple.update i) t v)`
    TupleUpdate,
    /// `((_ tuple.project i j) t)`, and the same on sets and bags of tuples.
    Project,
    /// `(set.insert a b s)`
    Insert,
    /// `(rel.product r s)`
    Product,
    /// `(rel.join r s)`
    Join,
    /// `(rel.transpose r)`
    Transpose,
    /// `((_ map f) a b)` on arrays, with a function known by its last argument's sort only.
    ArrayMap,
    /// Same sort as the last argument, others unchecked: for operators too irregular to describe.
    SameAsLast,
    /// Same sort as the first argument, others unchecked.
    SameAsFirst,
    /// The result pattern, arguments unchecked.
    Unchecked,
}

/// One operator at one signature.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in current SMT-LIB, or in the solver that has it.
    pub name: Symbol,
    /// The theory that declares it.
    pub theory: Symbol,
    /// Sorts of its arguments.
    pub args: Box<[SortPattern]>,
    /// Sort of its result.
    pub result: SortPattern,
    /// The variables its indices bind.
    pub indices: Box<[NumberPattern]>,
    /// How it takes more arguments.
    pub associativity: Associativity,
    /// Whether the order of arguments does not matter.
    pub commutative: bool,
    /// Whether SMT-LIB leaves it open for some arguments (division by zero, ..).
    pub partial: bool,
    /// The solver whose extension it is; `None` for the standard.
    pub dialect: Option<Symbol>,
    /// Older names of it, for older releases.
    pub legacy: Box<[Symbol]>,
    /// Further names that some solver accepts.
    pub also: Box<[Symbol]>,
    /// Typing that no pattern can express.
    pub rule: Option<Rule>,
    pub(crate) condition: Option<Condition>,
    /// Whether arguments and result have the same pattern, so that one loop checks any number of arguments.
    pub(crate) uniform: bool,
}

impl Row {
    /// Whether its numbers fulfil the row's side condition.
    pub fn allows(&self, numbers: &Bindings) -> bool {
        self.condition.as_ref().is_none_or(|c| c.holds(numbers))
    }
}

/// The names of the variables in patterns; a pattern has their positions.
#[derive(Clone, Default, Debug)]
pub struct Variables {
    /// Sort variables.
    pub sorts: Vec<String>,
    /// Number variables. Reading a pattern adds those it does not know.
    pub numbers: Vec<String>,
}

/// A sort constructor that theories declare.
#[derive(Clone, Debug)]
pub struct SortRow {
    /// Its name.
    pub name: Symbol,
    /// How many sorts it takes; `None` for any number from one on.
    pub arity: Option<u32>,
    /// How many numerals it takes.
    pub indices: u32,
    /// The sort it abbreviates, after its parameters.
    pub alias: Option<(Box<[Symbol]>, crate::arena::Sort)>,
    /// The theory that declares it.
    pub theory: Symbol,
}

/// A row and the head that names it by one of its spellings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) op: Op,
    pub(crate) fun: Fun,
}

/// The table, with the symbols, sorts and heads it uses already interned.
#[derive(Clone, Debug, Default)]
pub struct Signatures {
    rows: Vec<Row>,
    sorts: Vec<SortRow>,
    candidates: Vec<Candidate>,
    /// For each symbol the range of its candidates.
    by_symbol: Vec<(u32, u32)>,
    /// For each symbol one more than its position in `sorts`.
    sort_by_symbol: Vec<u32>,
    base: Option<Box<Arena>>,
}

/// Theory files by name, with their texts.
macro_rules! theories {
    ($($name:literal)*) => { &[$(($name, include_str!(concat!("../../theories/", $name, ".sig")))),*] };
}

/// The theory files, in the order their rows are tried.
const FILES: &[(&str, &str)] = theories!(
    "core" "ints" "reals" "bitvectors" "floats" "strings" "arrays" "sequences" "sets" "relations"
    "transcendentals" "higher_order" "extensions"
);

/// The table of this process.
static TABLE: OnceLock<Arc<Signatures>> = OnceLock::new();

impl Signatures {
    /// Makes a table the built-in one, before anything else is read; `false` if that is too late.
    pub fn install(table: Arc<Signatures>) -> bool {
        TABLE.set(table).is_ok()
    }

    /// The built-in table.
    pub fn builtin() -> &'static Arc<Signatures> {
        TABLE.get_or_init(|| {
            let files: Vec<&[u8]> = FILES.iter().map(|f| f.1.as_bytes()).collect();
            match read::compile(&files) {
                Ok(table) => Arc::new(table),
                Err((file, e)) => {
                    panic!(
                        "the built-in theory `{}` is well-formed: {}",
                        FILES[file].0,
                        e.locate(files[file])
                    )
                }
            }
        })
    }

    /// The built-in table and a user's file on top.
    pub fn extended(user: &[u8]) -> Result<Arc<Signatures>> {
        let mut files: Vec<&[u8]> = FILES.iter().map(|f| f.1.as_bytes()).collect();
        files.push(user);
        read::compile(&files).map(Arc::new).map_err(|(_, e)| e)
    }

    /// A new arena over this table.
    pub fn arena(self: &Arc<Self>) -> Arena {
        let base = self.base.as_deref().expect("a compiled table has its arena");
        base.clone().with_signatures(Arc::clone(self))
    }

    /// All rows; an [`Op`] is a position here.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All rows with their ids.
    pub fn ops(&self) -> impl ExactSizeIterator<Item = (Op, &Row)> {
        self.rows.iter().enumerate().map(|(i, row)| (Op(i as u32), row))
    }

    /// A row.
    #[inline]
    pub fn row(&self, op: Op) -> &Row {
        &self.rows[op.index()]
    }

    /// Reads a sort with variables, as rows have them.
    pub fn sort_pattern(&self, arena: &mut Arena, s: &Sexpr, vars: &mut Variables) -> Result<SortPattern> {
        read::sort_pattern(arena, self, s, vars)
    }

    /// Reads a number with variables.
    pub fn number_pattern(s: &Sexpr, vars: &mut Variables) -> Result<NumberPattern> {
        read::number_pattern(s, vars)
    }

    /// All sort constructors.
    pub fn sorts(&self) -> &[SortRow] {
        &self.sorts
    }

    /// The rows with this name, or with it as an older one.
    pub fn named(&self, name: Symbol) -> impl Iterator<Item = Op> {
        self.candidates(name).iter().map(|c| c.op)
    }

    #[inline]
    pub(crate) fn candidates(&self, name: Symbol) -> &[Candidate] {
        match self.by_symbol.get(name.index()) {
            Some(&(start, end)) => &self.candidates[start as usize..end as usize],
            None => &[],
        }
    }

    pub(crate) fn sort_row(&self, name: Symbol) -> Option<&SortRow> {
        let i = *self.sort_by_symbol.get(name.index())?;
        self.sorts.get((i as usize).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_complete() {
        let table = Signatures::builtin();
        let arena = table.arena();
        assert!(table.rows().len() > 400, "{} rows", table.rows().len());
        for (op, row) in table.ops() {
            let name = arena.name(row.name);
            assert!(table.named(row.name).any(|o| o == op), "{name} is found by its name");
            for &old in row.legacy.iter().chain(&row.also) {
                assert!(table.named(old).any(|o| o == op), "{name} is found by `{}`", arena.name(old));
            }
            if row.associativity != Associativity::None {
                assert_eq!(
                    row.args.len(),
                    2,
                    "{name}: an operator for any number of arguments is declared with two"
                );
            }
            if row.commutative {
                assert!(
                    row.args.windows(2).all(|w| w[0] == w[1]),
                    "{name}: commutative needs equal argument sorts"
                );
            }
        }
    }

    #[test]
    fn no_operator_is_declared_twice() {
        let table = Signatures::builtin();
        let arena = table.arena();
        for (i, a) in table.rows().iter().enumerate() {
            for b in &table.rows()[i + 1..] {
                let same = a.name == b.name && a.args == b.args && a.indices.len() == b.indices.len();
                assert!(!same, "{} is declared twice at one signature", arena.name(a.name));
            }
        }
    }

    #[test]
    fn a_user_file_adds_operators_and_sorts() {
        let table = Signatures::extended(
            b"(theory Mine) (sort Color) (fun red () Color) (fun mix (Color Color) Color :left-assoc)",
        )
        .unwrap();
        let arena = table.arena();
        assert!(arena.find_symbol(b"mix").is_some_and(|s| table.named(s).count() == 1));
        let error = Signatures::extended(b"(theory Mine)\n(fun f (Colour) Bool)").unwrap_err();
        assert_eq!(error.offset, 22);
    }
}
