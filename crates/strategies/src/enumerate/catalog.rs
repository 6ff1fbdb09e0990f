//! The built-in grammars. Adding one is a file and a row.

/// A grammar that comes with smelt.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// What it is about, in one line.
    pub about: &'static str,
    /// Whether it is one of the eight theories of the standard that studies are about.
    pub basic: bool,
    /// Its text.
    pub text: &'static str,
}

/// All of them.
pub const CATALOG: &[Shipped] = &[
    Shipped {
        name: "core",
        about: "the Boolean operators",
        basic: true,
        text: include_str!("../../data/grammars/core.g4"),
    },
    Shipped {
        name: "ints",
        about: "integer arithmetic",
        basic: true,
        text: include_str!("../../data/grammars/ints.g4"),
    },
    Shipped {
        name: "reals",
        about: "real arithmetic with sine, cosine and tangent",
        basic: true,
        text: include_str!("../../data/grammars/reals.g4"),
    },
    Shipped {
        name: "realints",
        about: "integers and reals",
        basic: true,
        text: include_str!("../../data/grammars/realints.g4"),
    },
    Shipped {
        name: "bitvectors",
        about: "bit-vectors of 64 bits",
        basic: true,
        text: include_str!("../../data/grammars/bitvectors.g4"),
    },
    Shipped {
        name: "arrays",
        about: "arrays over bit-vectors of 64 bits",
        basic: true,
        text: include_str!("../../data/grammars/arrays.g4"),
    },
    Shipped {
        name: "fp",
        about: "floating-point numbers of double precision",
        basic: true,
        text: include_str!("../../data/grammars/fp.g4"),
    },
    Shipped {
        name: "strings",
        about: "strings and regular expressions",
        basic: true,
        text: include_str!("../../data/grammars/strings.g4"),
    },
    Shipped {
        name: "qints",
        about: "linear integer arithmetic under quantifiers",
        basic: false,
        text: include_str!("../../data/grammars/qints.g4"),
    },
    Shipped {
        name: "qbitvectors",
        about: "bit-vectors of 8 bits under quantifiers",
        basic: false,
        text: include_str!("../../data/grammars/qbitvectors.g4"),
    },
    Shipped {
        name: "uf",
        about: "uninterpreted sorts and functions",
        basic: false,
        text: include_str!("../../data/grammars/uf.g4"),
    },
    Shipped {
        name: "datatypes",
        about: "lists of an enumeration",
        basic: false,
        text: include_str!("../../data/grammars/datatypes.g4"),
    },
    Shipped {
        name: "stringints",
        about: "strings and integers together",
        basic: false,
        text: include_str!("../../data/grammars/stringints.g4"),
    },
    Shipped {
        name: "fpconv",
        about: "conversions of floating-point numbers",
        basic: false,
        text: include_str!("../../data/grammars/fpconv.g4"),
    },
    Shipped {
        name: "sequences",
        about: "sequences of integers (z3, cvc5)",
        basic: false,
        text: include_str!("../../data/grammars/sequences.g4"),
    },
    Shipped {
        name: "sets",
        about: "sets of integers (cvc5)",
        basic: false,
        text: include_str!("../../data/grammars/sets.g4"),
    },
    Shipped {
        name: "incremental",
        about: "integers on an assertion stack",
        basic: false,
        text: include_str!("../../data/grammars/incremental.g4"),
    },
];

/// The one of a name.
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    CATALOG.iter().find(|g| g.name == name)
}
