//! What the name of a logic says.

/// Theories a logic's name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Logic {
    /// Quantifiers.
    pub quantifiers: bool,
    /// Arrays.
    pub arrays: bool,
    /// Uninterpreted functions and sorts.
    pub functions: bool,
    /// Bit-vectors.
    pub bitvectors: bool,
    /// Floating point.
    pub floats: bool,
    /// Datatypes.
    pub datatypes: bool,
    /// Strings.
    pub strings: bool,
    /// Integers.
    pub ints: bool,
    /// Reals.
    pub reals: bool,
    /// Products of variables.
    pub nonlinear: bool,
    /// Differences of two variables only.
    pub difference: bool,
}

impl Logic {
    /// Everything: `ALL`.
    pub const ALL: Logic = Logic {
        quantifiers: true,
        arrays: true,
        functions: true,
        bitvectors: true,
        floats: true,
        datatypes: true,
        strings: true,
        ints: true,
        reals: true,
        nonlinear: true,
        difference: false,
    };

    /// Reads a name such as `QF_AUFBVDTLIA`; `None` for names outside the scheme.
    pub fn parse(name: &[u8]) -> Option<Logic> {
        let mut logic = Logic { quantifiers: true, ..Logic::default() };
        let mut rest = name;
        if let Some(r) = rest.strip_prefix(b"QF_") {
            logic.quantifiers = false;
            rest = r;
        }
        if rest == b"ALL" || rest == b"ALL_SUPPORTED" {
            return Some(Logic { quantifiers: logic.quantifiers, ..Logic::ALL });
        }
        if let Some(r) = rest.strip_prefix(b"AX") {
            logic.arrays = true;
            rest = r;
        } else if let Some(r) = rest.strip_prefix(b"A") {
            logic.arrays = true;
            rest = r;
        }
        let mut any = logic.arrays;
        // The order of the parts differs between files; each comes at most once.
        while !rest.is_empty() {
            let parts: [(&[u8], fn(&mut Logic)); 16] = [
                (b"UF", |l| l.functions = true),
                (b"BV", |l| l.bitvectors = true),
                (b"FP", |l| l.floats = true),
                (b"DT", |l| l.datatypes = true),
                (b"SLIA", |l| {
                    l.strings = true;
                    l.ints = true;
                }),
                (b"SNIA", |l| {
                    l.strings = true;
                    l.ints = true;
                    l.nonlinear = true;
                }),
                (b"LIRA", |l| {
                    l.ints = true;
                    l.reals = true;
                }),
                (b"NIRA", |l| {
                    l.ints = true;
                    l.reals = true;
                    l.nonlinear = true;
                }),
                (b"LIA", |l| l.ints = true),
                (b"LRA", |l| l.reals = true),
                (b"NIA", |l| {
                    l.ints = true;
                    l.nonlinear = true;
                }),
                (b"NRA", |l| {
                    l.reals = true;
                    l.nonlinear = true;
                }),
                (b"IDL", |l| {
                    l.ints = true;
                    l.difference = true;
                }),
                (b"RDL", |l| {
                    l.reals = true;
                    l.difference = true;
                }),
                (b"AT", |_| {}),
                (b"S", |l| {
                    l.strings = true;
                    l.ints = true;
                }),
            ];
            let (part, set) = parts.into_iter().find(|(p, _)| rest.starts_with(p))?;
            set(&mut logic);
            any = true;
            rest = &rest[part.len()..];
        }
        any.then_some(logic)
    }

    /// Whether numerals are reals: the logic has reals and no integers.
    pub fn numerals_are_real(&self) -> bool {
        self.reals && !self.ints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let l = Logic::parse(b"QF_AUFBVDTNIRA").unwrap();
        assert!(l.arrays && l.functions && l.bitvectors && l.datatypes && l.ints && l.reals && l.nonlinear);
        assert!(!l.quantifiers && !l.floats);
        assert!(Logic::parse(b"LRA").unwrap().numerals_are_real());
        assert!(!Logic::parse(b"AUFLIRA").unwrap().numerals_are_real());
        assert!(Logic::parse(b"QF_SLIA").unwrap().strings);
        assert!(Logic::parse(b"QF_AX").unwrap().arrays);
        assert_eq!(Logic::parse(b"HORN"), None);
        assert_eq!(Logic::parse(b"QF_"), None);
    }
}
