//! The parameters of a grammar.

/// Numbers that a grammar may use for counts and predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    /// Variables of each sort, 1 to 5.
    pub vars: u32,
    /// Assertions, 1 or 2.
    pub asserts: u32,
}

impl Default for Params {
    fn default() -> Self {
        Params { vars: 2, asserts: 1 }
    }
}

impl Params {
    /// Their names.
    pub const NAMES: [&'static str; 2] = ["vars", "asserts"];

    /// The value of one by its name.
    pub fn get(&self, name: &str) -> Option<u32> {
        match name {
            "vars" => Some(self.vars),
            "asserts" => Some(self.asserts),
            _ => None,
        }
    }

    /// What is wrong with them, if something is.
    pub fn trouble(&self) -> Option<String> {
        let bounds = [("vars", self.vars, 5), ("asserts", self.asserts, 2)];
        let bad = bounds.into_iter().find(|(_, value, most)| !(1..=*most).contains(value))?;
        Some(format!("{}={} is out of bounds: 1 to {}", bad.0, bad.1, bad.2))
    }
}
