//! Maps each row of the signature table to the function that evaluates it.
//!
//! The table is made once, by name and theory. A row without a function has no meaning here, and terms with it are
//! unknown. A test lists these rows.

use std::cell::RefCell;
use std::sync::{LazyLock, OnceLock};

use smelt_smtlib::signature::{Row, Signatures};
use smelt_smtlib::{Arena, Index, Op, Sort, Symbol, Term};

use super::theories::{arithmetic, bits, collections, floats, strings};
use super::{Call, Domains, Evaluated, Evaluator, core};
use crate::regex::Languages;
use crate::value::Value;

/// A function of terms: decides itself which to evaluate.
pub(crate) type Lazy = fn(&mut Evaluator<'_>, &[Term]) -> Evaluated;
/// A function of values.
pub(crate) type Strict = fn(&Call<'_>, &mut Languages, &[&Value]) -> Evaluated;

/// How an operator is evaluated.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Lazy(Lazy),
    Strict(Strict),
}

/// A table of operators in which some were replaced: how the built-in solver's faults are planted.
#[derive(Clone)]
pub(crate) struct Operators {
    pub(super) table: Vec<Option<Operator>>,
    pub(super) hasty: bool,
}

impl Operators {
    /// The table as it should be.
    pub(crate) fn right() -> Self {
        Operators { table: operator_table().to_vec(), hasty: false }
    }

    /// With every row of this name replaced that has a meaning.
    pub(crate) fn replace(mut self, name: &str, by: Operator) -> Self {
        let signatures = Signatures::builtin();
        let arena = signatures.arena();
        for (op, row) in signatures.ops() {
            if arena.text(row.name) == name.as_bytes() && self.table[op.index()].is_some() {
                self.table[op.index()] = Some(by);
            }
        }
        self
    }

    /// With universals that are tried at one value only.
    pub(crate) fn hasty(mut self) -> Self {
        self.hasty = true;
        self
    }
}

/// By row of the built-in signature table.
pub(super) fn operator_table() -> &'static [Option<Operator>] {
    static TABLE: OnceLock<Vec<Option<Operator>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let signatures = Signatures::builtin();
        let arena = signatures.arena();
        let find = |row: &Row| operator(&arena.name(row.theory), &arena.name(row.name), row);
        signatures.rows().iter().map(find).collect()
    })
}

fn operator(theory: &str, name: &str, row: &Row) -> Option<Operator> {
    if theory == "Core" {
        let lazy: Lazy = match name {
            "true" => |_, _| Ok(Value::Bool(true)),
            "false" => |_, _| Ok(Value::Bool(false)),
            "not" => core::not,
            "and" => core::and,
            "or" => core::or,
            "xor" => core::xor,
            "=>" => core::implies,
            "=" => core::equal,
            "distinct" => core::distinct,
            "ite" => core::ite,
            _ => return None,
        };
        return Some(Operator::Lazy(lazy));
    }
    let strict = match theory {
        "Ints" | "Reals" | "Reals_Ints" => arithmetic::operator(name, row),
        "BitVectors" => bits::operator(name, row),
        "FloatingPoint" => floats::operator(name, row),
        "Strings" => strings::operator(name, row),
        "Arrays" => collections::array_operator(name, row),
        "Sequences" => collections::sequence_operator(name, row).or_else(|| strings::operator(name, row)),
        "Sets" => collections::set_operator(name, row),
        _ => None,
    };
    strict.map(Operator::Strict)
}

/// A theory operator as a function of values: what the evaluator computes once the arguments are known.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    strict: Strict,
    name: Symbol,
}

impl Function {
    /// The function of a row of the built-in table. `None` for operators without a meaning, and for those of Core,
    /// which decide themselves which arguments to evaluate.
    pub fn of(op: Op) -> Option<Function> {
        match operator_table()[op.index()]? {
            Operator::Strict(strict) => Some(Function { strict, name: Signatures::builtin().row(op).name }),
            Operator::Lazy(_) => None,
        }
    }

    /// The result for arguments of the right sorts, where no index is a symbol: symbols belong to an arena. Not for
    /// operators whose result depends on its own sort, such as constant arrays.
    pub fn apply(self, indices: &[Index], args: &[&Value]) -> Evaluated {
        static BUILTIN: LazyLock<Arena> = LazyLock::new(|| Signatures::builtin().arena());
        self.apply_in(&BUILTIN, indices, args)
    }

    /// The same for indices of an arena.
    pub fn apply_in(self, arena: &Arena, indices: &[Index], args: &[&Value]) -> Evaluated {
        static DOMAINS: LazyLock<Domains> = LazyLock::new(Domains::default);
        thread_local! {
            static LANGUAGES: RefCell<Languages> = RefCell::new(Languages::new());
        }
        let call = Call { arena, domains: &DOMAINS, indices, sort: Sort::UNKNOWN, name: self.name };
        LANGUAGES.with_borrow_mut(|languages| (self.strict)(&call, languages, args))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_standard_operator_has_a_meaning() {
        let signatures = Signatures::builtin();
        let arena = signatures.arena();
        let table = operator_table();
        let without: Vec<String> = signatures
            .ops()
            .filter(|(op, row)| row.dialect.is_none() && table[op.index()].is_none())
            .map(|(_, row)| format!("{} {}", arena.name(row.theory), arena.name(row.name)))
            .collect();
        // Transcendental functions have no exact values; function application is not first-order.
        let allowed = |w: &String| w.starts_with("Transcendentals ") || w.starts_with("HigherOrder ");
        let missing: Vec<&String> = without.iter().filter(|w| !allowed(w)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
