//! The content and size of formulas: a preset, and options that change it.

use smelt_semantics::Format;

use super::operator::Op;
use super::rule::{Family, rules};
use crate::options::{LongFlag, OptionError, OptionRow, OptionText, Words, word_of};

/// What is known of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// Satisfiable, with a model.
    Sat,
    /// Unsatisfiable, with a core.
    Unsat,
    /// Not known: for comparing solvers.
    None,
}

/// Every status by its name.
const STATUSES: [(&str, Status); 3] =
    [("sat", Status::Sat), ("unsat", Status::Unsat), ("none", Status::None)];

/// The presets: each a name, which an end follows, and values of options.
const PRESETS: [(&str, &str); 6] = [
    ("bv_few", "widths=3 formats=0 rules=bits depth=3 arrays=0 functions=0"),
    ("bv_many", "widths=8 formats=0 rules=bits depth=3 arrays=0 functions=0"),
    ("fp_few", "widths=5 formats=2:3 rules=floats depth=2 arrays=0 functions=0"),
    ("fp_many", "widths=32 formats=8:24 rules=floats depth=2 arrays=0 functions=0"),
    ("fp_other", "widths=8 formats=3:3 rules=floats depth=2 arrays=0 functions=0"),
    ("mixed", "widths=8,32 formats=8:24,11:53 rules=bits,floats depth=2 arrays=1 functions=1"),
];

/// The end of a preset's name, for each status.
const ENDS: [(&str, &str); 3] = [("_sat", "sat"), ("_unsat", "unsat"), ("_syntactic", "none")];

/// The names of all presets.
pub fn presets() -> Vec<String> {
    PRESETS.iter().flat_map(|p| ENDS.map(|(end, _)| format!("{}{end}", p.0))).collect()
}

/// The options that a preset stands for.
fn preset(name: &str) -> Result<OptionText, OptionError> {
    let found = PRESETS.iter().find_map(|(start, text)| {
        let end = name.strip_prefix(start)?;
        ENDS.iter().find(|e| e.0 == end).map(|e| format!("preset={name} status={} {text}", e.1))
    });
    match found {
        Some(text) => super::ROW.read(&text),
        None => wrong(format!("no preset `{name}`: choose one of {}", presets().join(", "))),
    }
}

/// All that can be chosen.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Settings {
    preset: String,
    pub(crate) status: Status,
    pub(crate) widths: Vec<u32>,
    pub(crate) formats: Vec<Format>,
    pub(crate) families: Vec<Family>,
    pub(crate) assertions: u32,
    pub(crate) depth: u32,
    pub(crate) variables: u32,
    pub(crate) checks: u32,
    pub(crate) arrays: bool,
    pub(crate) functions: bool,
    /// Whether there are integers and reals, with conversions to and from them.
    pub(crate) numbers: bool,
    pub(crate) recent: bool,
    /// Operators by key; empty for all.
    pub(crate) operators: Vec<String>,
    /// Starts of names of rules or kernels, each with a weight; the last that fits counts.
    pub(crate) weights: Vec<(String, u32)>,
    /// The largest share of unsatisfiable formulas that need no theory to be so, in percent.
    pub(crate) theory_free: u32,
}

/// The options of the row.
pub(super) const OPTIONS: &[OptionRow] = &[
    OptionRow::text(
        "preset",
        "(bv_few|bv_many|fp_few|fp_many|fp_other|mixed)_(sat|unsat|syntactic)",
        "bv_many_sat",
        "kind of formulas; the other options override the preset",
    )
    .long(),
    OptionRow::text("status", "sat, unsat, none", "", "what is known of the answer").long(),
    OptionRow::list(
        "widths",
        "such as 3,8, or 0 for none",
        "widths of bit-vectors; the first is the most frequent",
    ),
    OptionRow::list("formats", "such as 2:3,8:24, or 0 for none", "of floats"),
    OptionRow::list("rules", "bits, floats or bits,floats", "the corners of operators to aim at"),
    OptionRow::text("assertions", "1 to 1000", "10", "assertions in a script"),
    OptionRow::text("depth", "1 to 20", "", "the depth of terms"),
    OptionRow::text("variables", "1 to 100", "6", "variables of each sort"),
    OptionRow::text("checks", "1 to 100", "1", "check-sat commands with push and pop")
        .flag(LongFlag::Either("incremental", "3")),
    OptionRow::text("arrays", "0 or 1", "", "whether there are arrays"),
    OptionRow::text("functions", "0 or 1", "", "use uninterpreted functions"),
    OptionRow::text("numbers", "0 or 1", "0", "convert to and from integers and reals; the logic is ALL"),
    OptionRow::switch("recent", "use operators that are new in SMT-LIB 2.7"),
    OptionRow::list("operators", "such as bvadd,fp.mul", "operators to use, in addition to those of Core"),
    OptionRow::list(
        "weights",
        "such as bvudiv:5,fp.add.tie:20",
        "weights of rules and kernels, by prefixes of their names",
    ),
    OptionRow::text(
        "theory-free",
        "0 to 100",
        "5",
        "the largest percentage of unsatisfiable formulas that need no theory reasoning",
    ),
];

fn wrong<T>(message: String) -> Result<T, OptionError> {
    Err(OptionError::new(message))
}

impl Settings {
    /// From the options of a user.
    pub(super) fn new(o: &OptionText) -> Result<Settings, OptionError> {
        let o = o.over(preset(o.get("preset").unwrap_or("bv_many_sat"))?);
        let options = Settings {
            preset: o.get("preset").unwrap_or_default().to_owned(),
            status: o.choice("status", Status::None, &STATUSES)?,
            widths: list(&o, "widths", |w| w.parse().ok().filter(|w| (1..=512).contains(w)))?,
            formats: list(&o, "formats", |text| {
                let (e, s) = text.split_once(':')?;
                Format::new(e.parse().ok()?, s.parse().ok()?).filter(|f| f.eb() <= 30 && f.sb() <= 256)
            })?,
            families: list(&o, "rules", |text| FAMILIES.iter().find(|f| f.0 == text).map(|f| f.1))?,
            assertions: o.within("assertions", 10, 1..=1000)?,
            depth: o.within("depth", 3, 1..=20)?,
            variables: o.within("variables", 6, 1..=100)?,
            checks: o.within("checks", 1, 1..=100)?,
            arrays: o.flag("arrays", false)?,
            functions: o.flag("functions", false)?,
            numbers: o.flag("numbers", false)?,
            recent: o.flag("recent", false)?,
            operators: list(&o, "operators", |name| Some(name.to_owned()))?,
            weights: list(&o, "weights", |text| {
                let (name, weight) = text.rsplit_once(':')?;
                let weight = weight.parse().ok().filter(|w| *w <= 1_000_000)?;
                (!name.is_empty()).then(|| (name.to_owned(), weight))
            })?,
            theory_free: o.within("theory-free", 5, 0..=100)?,
        };
        options.fit()?;
        Ok(options)
    }

    /// Whether the options go together.
    fn fit(&self) -> Result<(), OptionError> {
        if self.widths.is_empty() && self.formats.is_empty() {
            return wrong("there are neither bit-vectors nor floats".to_owned());
        }
        if self.widths.is_empty() && self.arrays {
            return wrong("arrays need a width of bit-vectors for their indices".to_owned());
        }
        if self.checks > self.assertions {
            return wrong("there are more checks than assertions".to_owned());
        }
        for name in &self.operators {
            if Op::all().all(|row| row.key != name && row.name != name) {
                return wrong(format!("there is no operator `{name}`"));
            }
        }
        for (name, _) in &self.weights {
            let known = rules().map(|r| r.name).chain(super::unsat::kernel_names());
            if !known.into_iter().any(|k| k.starts_with(&**name)) {
                return wrong(format!("no rule or kernel has a name that starts with `{name}`"));
            }
        }
        Ok(())
    }

    /// The weight of a rule or kernel.
    pub(crate) fn weight(&self, name: &str) -> u32 {
        self.weights.iter().rev().find(|w| name.starts_with(&*w.0)).map_or(1, |w| w.1)
    }

    /// The options as text that reads back: the preset, and what differs from it.
    pub(super) fn to_text(&self) -> String {
        let words = Words::default().add("preset", &self.preset);
        let Ok(base) = preset(&self.preset).and_then(|o| Settings::new(&o)) else { return words.text() };
        let texts = |o: &Settings| -> [String; 15] {
            let join = |all: Vec<String>| if all.is_empty() { "0".to_owned() } else { all.join(",") };
            let flag = |b: bool| u32::from(b).to_string();
            [
                word_of(&STATUSES, o.status).to_owned(),
                join(o.widths.iter().map(u32::to_string).collect()),
                join(o.formats.iter().map(|f| format!("{}:{}", f.eb(), f.sb())).collect()),
                join(o.families.iter().map(|f| word_of(&FAMILIES, *f).to_owned()).collect()),
                o.assertions.to_string(),
                o.depth.to_string(),
                o.variables.to_string(),
                o.checks.to_string(),
                flag(o.arrays),
                flag(o.functions),
                flag(o.numbers),
                flag(o.recent),
                o.operators.join(","),
                join(o.weights.iter().map(|(n, w)| format!("{n}:{w}")).collect()),
                o.theory_free.to_string(),
            ]
        };
        let values = texts(self).into_iter().zip(texts(&base));
        let each = OPTIONS[1..].iter().zip(values);
        each.fold(words, |words, (row, (own, other))| words.add_if(own != other, row.name, own)).text()
    }
}

const FAMILIES: [(&str, Family); 2] = [("bits", Family::Bits), ("floats", Family::Floats)];

/// A list with commas, if it is given; `0` is the empty one.
fn list<T>(
    options: &OptionText,
    name: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, OptionError> {
    let value = options.get(name).unwrap_or_default();
    let words = value.split(',').filter(|w| !w.is_empty() && value != "0");
    words.map(read).collect::<Option<Vec<T>>>().ok_or_else(|| {
        let values = OPTIONS.iter().find(|o| o.name == name).map_or("", |o| o.values);
        OptionError::new(format!("`{name}={value}`: expected {values}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::construct::ROW;

    fn read(text: &str) -> Result<Settings, OptionError> {
        let text = ROW.read(text)?;
        ROW.check(&text)?;
        Settings::new(&text)
    }

    #[test]
    fn options_are_written_and_read_back() {
        for preset in presets() {
            assert_eq!(read(&format!("preset={preset}")).unwrap().to_text(), format!("preset={preset}"));
        }
        let text = "preset=mixed_sat status=none widths=1,64 formats=0 rules=bits assertions=3 depth=5 variables=2 \
                    checks=2 arrays=0 functions=0 numbers=1 recent=1 operators=bvadd,to_fp weights=bvudiv:3,cycle:7 theory-free=20";
        assert_eq!(read(text).unwrap().to_text(), text);
    }

    #[test]
    fn wrong_options_are_refused_in_one_line() {
        for text in [
            "preset=nothing",
            "preset=x",
            "widths=0",
            "widths=513",
            "widths=-1",
            "formats=1:2",
            "formats=8",
            "depth=21",
            "checks=0",
            "checks=11",
            "operators=bvfoo",
            "weights=foo:1",
            "weights=bvadd",
            "size=3",
            "theory-free=101",
            "status=unknown",
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
