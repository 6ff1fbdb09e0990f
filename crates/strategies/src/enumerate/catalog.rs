//! The built-in grammars. A new grammar is a file, whose first line describes it, and a row.

/// A grammar that comes with smelt.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Whether it is one of the eight theories of the standard that studies are about.
    pub basic: bool,
    /// Its text.
    pub text: &'static str,
}

impl Shipped {
    /// What it is about, in one line: its first comment.
    pub fn about(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches("// ")
    }

    /// Whether it is kept as a paper prints it, mistakes included: for studies, not for campaigns.
    pub(crate) fn is_printed(&self) -> bool {
        self.name.starts_with("printed-")
    }
}

/// All of them.
pub const CATALOG: &[Shipped] = &[
    Shipped { name: "core", basic: true, text: include_str!("../../data/grammars/core.g4") },
    Shipped { name: "ints", basic: true, text: include_str!("../../data/grammars/ints.g4") },
    Shipped { name: "reals", basic: true, text: include_str!("../../data/grammars/reals.g4") },
    Shipped { name: "realints", basic: true, text: include_str!("../../data/grammars/realints.g4") },
    Shipped { name: "bitvectors", basic: true, text: include_str!("../../data/grammars/bitvectors.g4") },
    Shipped { name: "arrays", basic: true, text: include_str!("../../data/grammars/arrays.g4") },
    Shipped { name: "fp", basic: true, text: include_str!("../../data/grammars/fp.g4") },
    Shipped { name: "strings", basic: true, text: include_str!("../../data/grammars/strings.g4") },
    Shipped { name: "qints", basic: false, text: include_str!("../../data/grammars/qints.g4") },
    Shipped { name: "qbitvectors", basic: false, text: include_str!("../../data/grammars/qbitvectors.g4") },
    Shipped { name: "uf", basic: false, text: include_str!("../../data/grammars/uf.g4") },
    Shipped { name: "datatypes", basic: false, text: include_str!("../../data/grammars/datatypes.g4") },
    Shipped { name: "stringints", basic: false, text: include_str!("../../data/grammars/stringints.g4") },
    Shipped { name: "fpconv", basic: false, text: include_str!("../../data/grammars/fpconv.g4") },
    Shipped { name: "sequences", basic: false, text: include_str!("../../data/grammars/sequences.g4") },
    Shipped { name: "sets", basic: false, text: include_str!("../../data/grammars/sets.g4") },
    Shipped { name: "trigonometry", basic: false, text: include_str!("../../data/grammars/trigonometry.g4") },
    Shipped { name: "incremental", basic: false, text: include_str!("../../data/grammars/incremental.g4") },
];

/// The eight grammars of the thesis as it prints them, for comparing like with like. They are in no campaign of their own
/// accord: some of their scripts are not well-sorted.
pub const PRINTED: &[Shipped] = &[
    Shipped { name: "printed-core", basic: false, text: include_str!("../../data/grammars/printed/core.g4") },
    Shipped { name: "printed-ints", basic: false, text: include_str!("../../data/grammars/printed/ints.g4") },
    Shipped {
        name: "printed-reals",
        basic: false,
        text: include_str!("../../data/grammars/printed/reals.g4"),
    },
    Shipped {
        name: "printed-realints",
        basic: false,
        text: include_str!("../../data/grammars/printed/realints.g4"),
    },
    Shipped {
        name: "printed-bitvectors",
        basic: false,
        text: include_str!("../../data/grammars/printed/bitvectors.g4"),
    },
    Shipped {
        name: "printed-arrays",
        basic: false,
        text: include_str!("../../data/grammars/printed/arrays.g4"),
    },
    Shipped { name: "printed-fp", basic: false, text: include_str!("../../data/grammars/printed/fp.g4") },
    Shipped {
        name: "printed-strings",
        basic: false,
        text: include_str!("../../data/grammars/printed/strings.g4"),
    },
];

/// The one of a name.
pub fn shipped(name: &str) -> Option<&'static Shipped> {
    CATALOG.iter().chain(PRINTED).find(|g| g.name == name)
}
