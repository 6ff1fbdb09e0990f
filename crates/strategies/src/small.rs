//! Small terms and formulas over a few constants, as text, for strategies with queries beyond `check-sat`.

use crate::rng::Rng;

/// A sort of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Real,
    /// A bit-vector of this width.
    Bits(u32),
}

/// The sorts of each word. The width of bit-vectors is drawn anew for each case.
pub(crate) const SORTS: &[(&str, &[Kind])] = &[
    ("ints", &[Kind::Int]),
    ("reals", &[Kind::Real]),
    ("bits", &[Kind::Bits(0)]),
    ("mixed", &[Kind::Int, Kind::Real, Kind::Bits(0)]),
];

/// Widths of bit-vectors: all assignments of a few small ones can be tried.
const WIDTHS: [u32; 5] = [1, 3, 4, 6, 8];
/// The largest number in a script.
const LARGEST: usize = 12;
/// The Boolean constant that formulas may use.
pub(crate) const FLAG: &str = "p0";

/// Makes terms over constants.
pub(crate) struct Small<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) constants: Vec<(String, Kind)>,
}

impl Kind {
    /// The sort as text.
    pub(crate) fn sort(self) -> String {
        match self {
            Kind::Int => "Int".to_owned(),
            Kind::Real => "Real".to_owned(),
            Kind::Bits(width) => format!("(_ BitVec {width})"),
        }
    }
}

impl Small<'_> {
    /// New constants, at most this many of each sort.
    pub(crate) fn choose(&mut self, kinds: &[Kind], most: usize) {
        let width = *self.rng.pick(&WIDTHS).unwrap_or(&4);
        for kind in kinds {
            let kind = if let Kind::Bits(_) = kind { Kind::Bits(width) } else { *kind };
            let letter = match kind {
                Kind::Int => "x",
                Kind::Real => "r",
                Kind::Bits(_) => "b",
            };
            let more = 1 + self.rng.below(most);
            self.constants.extend((0..more).map(|i| (format!("{letter}{i}"), kind)));
        }
    }

    /// Bounds of a constant, as two formulas.
    pub(crate) fn bounds(&mut self, name: &str, kind: Kind) -> Vec<String> {
        if let Kind::Bits(_) = kind {
            return Vec::new();
        }
        let (low, high) = (self.literal(kind), self.literal(kind));
        let strict = if kind == Kind::Real && self.rng.one_in(3) { "<" } else { "<=" };
        vec![format!("({strict} (- {high}) {name})"), format!("({strict} {name} (+ {low} {high}))")]
    }

    pub(crate) fn literal(&mut self, kind: Kind) -> String {
        let n = self.rng.below(LARGEST);
        match kind {
            Kind::Int => n.to_string(),
            Kind::Real if self.rng.one_in(3) => format!("{n}.5"),
            Kind::Real => format!("{n}.0"),
            Kind::Bits(width) => format!("(_ bv{} {width})", n % (1 << width)),
        }
    }

    pub(crate) fn constant(&mut self, kind: Kind) -> String {
        let all: Vec<String> = self.constants.iter().filter(|c| c.1 == kind).map(|c| c.0.clone()).collect();
        match self.rng.pick(&all).cloned() {
            Some(name) => name,
            None => self.literal(kind),
        }
    }

    pub(crate) fn term(&mut self, kind: Kind, depth: u32) -> String {
        if depth == 0 || self.rng.one_in(4) {
            return if self.rng.one_in(4) { self.literal(kind) } else { self.constant(kind) };
        }
        let choice = self.rng.below(10);
        if choice == 0 {
            let condition = self.formula(depth - 1);
            return format!(
                "(ite {condition} {} {})",
                self.term(kind, depth - 1),
                self.term(kind, depth - 1)
            );
        }
        let (a, b) = (self.term(kind, depth - 1), self.term(kind, depth - 1));
        let literal = self.literal(kind);
        if let Kind::Bits(_) = kind {
            const OPERATORS: [&str; 11] = [
                "bvadd", "bvsub", "bvmul", "bvand", "bvor", "bvxor", "bvshl", "bvlshr", "bvudiv", "bvurem",
                "bvashr",
            ];
            let operator = self.rng.pick(&OPERATORS).unwrap_or(&"bvadd");
            return format!("({operator} {a} {b})");
        }
        match choice {
            1..=3 => format!("(+ {a} {b})"),
            4 | 5 => format!("(- {a} {b})"),
            6 => format!("(- {a})"),
            7 => format!("(* {literal} {a})"),
            8 if self.rng.one_in(3) => format!("(* {a} {b})"),
            9 if kind == Kind::Int => {
                let operator = if self.rng.one_in(2) { "div" } else { "mod" };
                format!("({operator} {a} {})", 2 + self.rng.below(4))
            }
            9 => format!("(/ {a} 2.0)"),
            _ => format!("(+ {a} {literal})"),
        }
    }

    pub(crate) fn formula(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.one_in(3) {
            let Some((_, kind)) = self.rng.pick(&self.constants).cloned() else { return FLAG.to_owned() };
            if self.rng.one_in(6) {
                return FLAG.to_owned();
            }
            let (a, b) = (self.term(kind, depth + 1), self.term(kind, depth));
            let operators: &[&str] = match kind {
                Kind::Bits(_) => &["bvult", "bvule", "bvslt", "bvsle", "=", "distinct"],
                _ => &["<", "<=", ">", ">=", "=", "distinct"],
            };
            return format!("({} {a} {b})", self.rng.pick(operators).unwrap_or(&"="));
        }
        let (a, b) = (self.formula(depth - 1), self.formula(depth - 1));
        match self.rng.below(5) {
            0 => format!("(not {a})"),
            1 => format!("(and {a} {b})"),
            2 => format!("(=> {a} {b})"),
            3 => format!("(xor {a} {b})"),
            _ => format!("(or {a} {b})"),
        }
    }
}
