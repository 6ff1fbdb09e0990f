//! Interned byte strings: names, and the texts of literals and attributes.

use super::Arena;
use crate::intern::{IdTable, hash_bytes, ids};

ids! {
    /// An interned byte string. Names are stored without bars: `|x|` and `x` are one symbol.
    Symbol
}

/// All symbols of an arena.
#[derive(Clone, Debug)]
pub(crate) struct Symbols {
    bytes: Vec<u8>,
    /// Where each symbol ends in `bytes`; it starts where the one before ends.
    ends: Vec<u32>,
    table: IdTable,
}

impl Symbols {
    pub(crate) fn new() -> Self {
        Symbols {
            bytes: Vec::with_capacity(1 << 14),
            ends: Vec::with_capacity(1 << 11),
            table: IdTable::with_capacity(1 << 11),
        }
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.table.truncate(len);
        self.ends.truncate(len);
        self.bytes.truncate(self.ends.last().map_or(0, |&e| e as usize));
    }
}

impl Arena {
    /// Interns the symbols that code refers to by name, at their fixed ids.
    pub(super) fn intern_fixed_symbols(&mut self) {
        for (i, name) in sym::ALL.iter().enumerate() {
            let symbol = self.symbol(name.as_bytes());
            assert_eq!(symbol.index(), i, "fixed symbols are listed once each: {name}");
        }
    }

    /// The symbol of a name or text.
    #[inline]
    pub fn symbol(&mut self, text: &[u8]) -> Symbol {
        let hash = hash_bytes(text);
        match self.symbols.table.find(hash, |id| self.text(Symbol(id)) == text) {
            Ok(id) => Symbol(id),
            Err(vacant) => {
                let Symbols { bytes, ends, table } = &mut self.symbols;
                bytes.extend_from_slice(text);
                ends.push(u32::try_from(bytes.len()).expect("an arena holds less than 4 GiB of names"));
                Symbol(table.insert(vacant, hash))
            }
        }
    }

    /// The symbol of a text, if anything has interned it.
    pub fn find_symbol(&self, text: &[u8]) -> Option<Symbol> {
        self.symbols.table.find(hash_bytes(text), |id| self.text(Symbol(id)) == text).ok().map(Symbol)
    }

    /// The bytes of a symbol.
    #[inline]
    pub fn text(&self, symbol: Symbol) -> &[u8] {
        let Symbols { bytes, ends, .. } = &self.symbols;
        let i = symbol.index();
        let start = if i == 0 { 0 } else { ends[i - 1] as usize };
        &bytes[start..ends[i] as usize]
    }

    /// The text of a symbol for messages.
    pub fn name(&self, symbol: Symbol) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.text(symbol))
    }

    /// How many symbols there are; ids are below.
    pub(crate) fn symbol_count(&self) -> usize {
        self.symbols.ends.len()
    }
}

macro_rules! fixed_symbols {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// Symbols that code refers to, at fixed ids in every arena.
        #[allow(missing_docs)]
        pub mod sym {
            use super::Symbol;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Id { $($name),* }
            $(pub const $name: Symbol = Symbol(Id::$name as u32);)*
            pub(crate) const ALL: &[&str] = &[$($text),*];

            /// Whether a sort of this name is one of the standard's, the same in every script.
            pub fn is_standard_sort(head: Symbol) -> bool {
                matches!(
                    head,
                    BOOL | INT | REAL | STRING | REGLAN | ROUNDING_MODE | BITVEC | FLOATING_POINT | ARRAY
                )
            }
        }
    };
}

fixed_symbols! {
    // Reserved words.
    LET = "let", FORALL = "forall", EXISTS = "exists", LAMBDA = "lambda", MATCH = "match", BANG = "!",
    UNDERSCORE = "_", AS = "as", PAR = "par", NUMERAL = "NUMERAL", DECIMAL = "DECIMAL", STRING_WORD = "STRING",
    BINARY_WORD = "BINARY", HEXADECIMAL = "HEXADECIMAL",
    // Binders beyond the standard.
    CHOICE = "choice", COMPREHENSION = "set.comprehension", OLD_COMPREHENSION = "comprehension", WITNESS = "witness",
    // Sorts.
    UNKNOWN = "<unknown>", BOOL = "Bool", INT = "Int", REAL = "Real", STRING = "String", REGLAN = "RegLan",
    ROUNDING_MODE = "RoundingMode", BITVEC = "BitVec", FLOATING_POINT = "FloatingPoint", ARRAY = "Array",
    SEQ = "Seq", SET = "Set", BAG = "Bag", ARROW = "->", TUPLE = "Tuple", FINITE_FIELD = "FiniteField",
    UNIT_TUPLE = "UnitTuple", FLOAT16 = "Float16", FLOAT32 = "Float32", FLOAT64 = "Float64",
    FLOAT128 = "Float128", NULLABLE = "Nullable", TABLE = "Table", RELATION = "Relation", CHAR = "Unicode",
    // Terms whose rules are code.
    TRUE = "true", FALSE = "false", EQUAL = "=", NOT = "not", AND = "and", OR = "or", IMPLIES = "=>", ITE = "ite",
    MINUS = "-", IS = "is", UPDATE = "update", UPDATE_FIELD = "update-field", CONST = "const",
    HO_APPLY = "@", CHAR_CONST = "char", AS_ARRAY = "as-array", MAP = "map",
    // Keywords and commands.
    K_NAMED = ":named", K_PATTERN = ":pattern", K_NO_PATTERN = ":no-pattern", K_STATUS = ":status",
    K_GLOBAL_DECLARATIONS = ":global-declarations",
    ASSERT = "assert", CHECK_SAT = "check-sat", CHECK_SAT_ASSUMING = "check-sat-assuming",
    DECLARE_CONST = "declare-const", DECLARE_DATATYPE = "declare-datatype",
    DECLARE_DATATYPES = "declare-datatypes", DECLARE_CODATATYPE = "declare-codatatype",
    DECLARE_CODATATYPES = "declare-codatatypes", DECLARE_FUN = "declare-fun", DECLARE_SORT = "declare-sort",
    DECLARE_SORT_PARAMETER = "declare-sort-parameter", DEFINE_CONST = "define-const", DEFINE_FUN = "define-fun",
    DEFINE_FUN_REC = "define-fun-rec", DEFINE_FUNS_REC = "define-funs-rec", DEFINE_SORT = "define-sort",
    ECHO = "echo", EXIT = "exit", GET_ASSERTIONS = "get-assertions", GET_ASSIGNMENT = "get-assignment",
    GET_INFO = "get-info", GET_MODEL = "get-model", GET_OPTION = "get-option", GET_PROOF = "get-proof",
    GET_UNSAT_ASSUMPTIONS = "get-unsat-assumptions", GET_UNSAT_CORE = "get-unsat-core", GET_VALUE = "get-value",
    POP = "pop", PUSH = "push", RESET = "reset", RESET_ASSERTIONS = "reset-assertions", SET_INFO = "set-info",
    SET_LOGIC = "set-logic", SET_OPTION = "set-option", SIMPLIFY = "simplify",
    MAXIMIZE = "maximize", MINIMIZE = "minimize", ASSERT_SOFT = "assert-soft",
    // Extensions that declare something.
    DECLARE_VAR = "declare-var", DECLARE_REL = "declare-rel", DECLARE_POOL = "declare-pool",
    DECLARE_ORACLE_FUN = "declare-oracle-fun", SYNTH_FUN = "synth-fun", SYNTH_INV = "synth-inv",
}

impl Symbol {
    /// Whether the grammar reserves the word, so that a symbol of this name needs bars.
    pub fn is_reserved(self) -> bool {
        self.0 <= sym::HEXADECIMAL.0
    }
}
