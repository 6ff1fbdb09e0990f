//! Random formulas over sets, bags, relations, sequences and finite fields, without seeds.
//!
//! Half of the cases are satisfiable by construction: constants get values first, and an assertion that is false there is
//! negated. The values are the model of the case. The other half have no expectation.

use std::sync::LazyLock;

use smelt_core::Expectation;
use smelt_semantics::eval::Evaluator;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, print_value};
use smelt_smtlib::sexpr::{Sexpr, SexprNode, read_all};
use smelt_smtlib::{Arena, Command, Error, parse_script};

use crate::options::{OptionError, OptionRow, OptionText, Words};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use crate::template::plain;

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "collections",
    aliases: &[],
    about: "random formulas over sets, bags, relations, sequences and finite fields",
    needs: Needs::Nothing,
    options: &[
        OptionRow::text(
            "over",
            "sets, plainsets, ranges, bitsets, bags, relations, sequences, fields",
            "sets",
            "the theory",
        ),
        OptionRow::text("depth", "1 to 8", "3", "how deep terms are at most"),
    ],
    ways: || THEORIES.iter().map(|t| format!("over={}", t.name)).collect(),
    make: |o| Ok(Box::new(Collections::new(o)?)),
};

/// How deep terms are at most, unless an option says so.
const DEPTH: u32 = 3;
/// One script in this many asks for values of terms too.
const VALUES: usize = 3;

/// A theory of `data/collections.txt`.
struct Theory {
    name: String,
    logic: String,
    /// The templates of atoms, and those of each sort and part.
    entries: Vec<Entry>,
}

/// Templates of terms of one sort.
struct Entry {
    /// How templates name it: `atoms`, or a word behind `$`.
    name: String,
    /// The sort, if it has constants.
    sort: Option<String>,
    templates: Vec<Sexpr>,
}

/// The name of the entry with the atoms of formulas.
const ATOMS: &str = "atoms";

static THEORIES: LazyLock<Vec<Theory>> = LazyLock::new(|| {
    let rows = read_all(include_bytes!("../data/collections.txt"));
    let all: Result<Vec<Theory>, Error> = rows.and_then(|rows| rows.iter().map(theory).collect());
    all.unwrap_or_else(|e| panic!("collections.txt can be read: {e}"))
});

fn theory(item: &Sexpr) -> Result<Theory, Error> {
    let (name, [logic, entries @ ..]) = item.entry("theory")? else {
        return Err(item.error("expected `(theory NAME LOGIC ENTRY ..)`"));
    };
    let entries: Result<Vec<Entry>, Error> = entries.iter().map(entry).collect();
    Ok(Theory { name: name.to_owned(), logic: logic.atom("a logic")?.to_owned(), entries: entries? })
}

fn entry(item: &Sexpr) -> Result<Entry, Error> {
    let words = "`atoms`, `sort` or `part`";
    let (name, sort, templates) = match item.part(words)? {
        (ATOMS, templates) => (ATOMS, None, templates),
        ("sort", [name, sort, templates @ ..]) => (name.atom("a name")?, Some(plain(sort)), templates),
        ("part", [name, templates @ ..]) => (name.atom("a name")?, None, templates),
        _ => return Err(item.error(format!("expected {words}"))),
    };
    if templates.is_empty() {
        return Err(item.error("expected a template"));
    }
    Ok(Entry { name: name.to_owned(), sort, templates: templates.to_vec() })
}

/// The strategy `collections`.
#[derive(Debug)]
pub(crate) struct Collections {
    over: usize,
    depth: u32,
}

impl Collections {
    fn new(options: &OptionText) -> Result<Collections, OptionError> {
        let words: Vec<(&str, usize)> = THEORIES.iter().enumerate().map(|(i, t)| (&*t.name, i)).collect();
        Ok(Collections {
            over: options.choice("over", 0, &words)?,
            depth: options.within("depth", DEPTH, 1..=8)?,
        })
    }
}

impl Strategy for Collections {
    fn name(&self) -> &'static str {
        ROW.name
    }

    fn options(&self) -> String {
        let words = Words::default().add("over", &THEORIES[self.over].name);
        words.add_if(self.depth != DEPTH, "depth", self.depth).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        draft.clear();
        draft.header(pool, ROW.name, &self.options(), request.number);
        let mut rng = Rng::new(request.number);
        let theory = &THEORIES[self.over];
        let constants = constants(theory, &mut rng);
        let mut text = format!("(set-logic {})\n", theory.logic);
        for (name, entry) in &constants {
            text += &format!("(declare-const {name} {})\n", entry.sort.as_deref().unwrap_or_default());
        }
        let mut writer = Writer { theory, constants: &constants, rng: &mut rng };
        let mut assertions: Vec<String> =
            (0..1 + writer.rng.below(4)).map(|_| writer.formula(1 + self.depth / 2, self.depth)).collect();
        draft.expectation = Expectation::Open;
        if writer.rng.one_in(2)
            && let Some(model) = certify(&text, &constants, &mut assertions, writer.rng, theory)
        {
            draft.expectation = Expectation::SAT;
            draft.witness = model.into_bytes();
            draft.log.extend_from_slice(b"choose values of constants, and negate what is false there\n");
        }
        for assertion in &assertions {
            text += &format!("(assert {assertion})\n");
        }
        text += "(check-sat)\n";
        let mut writer = Writer { theory, constants: &constants, rng: &mut rng };
        if writer.rng.one_in(VALUES) {
            let sorts: Vec<&Entry> = theory.entries.iter().filter(|e| e.sort.is_some()).collect();
            let mut asked = || {
                let entry = writer.rng.pick(&sorts)?;
                Some(writer.term(&entry.name, 2))
            };
            let terms: Vec<String> = (0..2).filter_map(|_| asked()).collect();
            text += &format!("(get-value ({}))\n", terms.join(" "));
        }
        draft.text.extend_from_slice(text.as_bytes());
        draft.category.clone_from(&theory.name);
        Ok(())
    }
}

/// Some constants of each sort: their names, and what they are.
fn constants<'t>(theory: &'t Theory, rng: &mut Rng) -> Vec<(String, &'t Entry)> {
    let mut all = Vec::new();
    for entry in theory.entries.iter().filter(|e| e.sort.is_some()) {
        let letter = entry.name.to_lowercase();
        all.extend((0..1 + rng.below(3)).map(|i| (format!("{letter}{i}"), entry)));
    }
    all
}

/// Writes random terms.
struct Writer<'a> {
    theory: &'a Theory,
    /// The constants that terms may have; without any, terms are ground.
    constants: &'a [(String, &'a Entry)],
    rng: &'a mut Rng,
}

impl Writer<'_> {
    fn formula(&mut self, depth: u32, terms: u32) -> String {
        if depth == 0 || self.rng.one_in(2) {
            return self.term(ATOMS, terms + 1);
        }
        let (a, b) = (self.formula(depth - 1, terms), self.formula(depth - 1, terms));
        match self.rng.below(4) {
            0 => format!("(not {a})"),
            1 => format!("(and {a} {b})"),
            2 => format!("(=> {a} {b})"),
            _ => format!("(or {a} {b})"),
        }
    }

    fn term(&mut self, name: &str, depth: u32) -> String {
        let theory = self.theory;
        let entry = theory.entries.iter().find(|e| e.name == name).expect("templates name entries");
        if entry.sort.is_some() && (depth == 0 || self.rng.one_in(3)) {
            let fitting: Vec<&String> =
                self.constants.iter().filter(|c| c.1.name == name).map(|c| &c.0).collect();
            if let Some(constant) = self.rng.pick(&fitting) {
                return (*constant).clone();
            }
        }
        // Parts without constants are small by themselves.
        let is_leaf = depth == 0 && entry.name != ATOMS && entry.sort.is_some();
        let choice = if is_leaf { 0 } else { self.rng.below(entry.templates.len()) };
        let mut text = String::new();
        self.fill(&entry.templates[choice], depth.saturating_sub(1), &mut text);
        text
    }

    fn fill(&mut self, template: &Sexpr, depth: u32, out: &mut String) {
        match &template.node {
            SexprNode::Atom(atom) => match atom.strip_prefix('$') {
                Some(name) => *out += &self.term(name, depth),
                None => *out += atom,
            },
            SexprNode::List(items) => {
                out.push('(');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { " " } else { "" });
                    self.fill(item, depth, out);
                }
                out.push(')');
            }
        }
    }
}

/// Gives the constants values and negates the assertions that are false there; those without a truth value are dropped. The
/// values as a model; `None` if no assertion is left, or a value is not known.
fn certify(
    declared: &str,
    constants: &[(String, &Entry)],
    assertions: &mut Vec<String>,
    rng: &mut Rng,
    theory: &Theory,
) -> Option<String> {
    let mut script = declared.to_owned();
    for assertion in assertions.iter() {
        script += &format!("(assert {assertion})\n");
    }
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, script.as_bytes()).ok()?;
    let goal = Goal::last(&parsed.script);
    let mut values = String::from("(\n");
    let mut writer = Writer { theory, constants: &[], rng };
    for (name, entry) in constants {
        let depth = 1 + writer.rng.below(3) as u32;
        let term = writer.term(&entry.name, depth);
        values += &format!("  (define-fun {name} () {} {term})\n", entry.sort.as_deref()?);
    }
    values.push(')');
    let model = Model::read(&mut arena, &parsed.scope, &goal, values.as_bytes(), Escapes::Standard).ok()?;
    let truths: Vec<Option<bool>> = parsed
        .script
        .assertions()
        .map(|t| Evaluator::new(&arena, &model.interpretation, &model.domains).holds(t).ok())
        .collect();
    let mut shown = b"(\n".to_vec();
    for (name, sort) in parsed.script.commands.iter().filter_map(Command::constant) {
        let value = model.value(name)?.clone();
        let head = format!("  (define-fun {} () {} ", arena.name(name), arena.display_sort(sort));
        shown.extend_from_slice(head.as_bytes());
        print_value(&mut arena, &model.domains, &value, sort, &mut shown).ok()?;
        shown.extend_from_slice(b")\n");
    }
    shown.push(b')');
    let kept: Vec<String> = assertions
        .iter()
        .zip(truths)
        .filter_map(|(text, truth)| Some(if truth? { text.clone() } else { format!("(not {text})") }))
        .collect();
    if kept.is_empty() {
        return None;
    }
    *assertions = kept;
    String::from_utf8(shown).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certified::satisfies;

    #[test]
    fn every_formula_is_well_sorted_and_the_model_of_a_case_is_true() {
        let mut pool = Pool::new();
        for way in (ROW.ways)() {
            let mut strategy = ROW.make(&ROW.read(&way).unwrap()).unwrap();
            let (mut draft, mut certified) = (Draft::default(), 0);
            for number in 0..200 {
                strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft).unwrap();
                let mut arena = Arena::new();
                let parsed = parse_script(&mut arena, &draft.text).unwrap();
                let text = String::from_utf8_lossy(&draft.text);
                assert!(parsed.diagnostics.is_empty(), "{text}{:?}", parsed.diagnostics);
                assert_eq!(draft.witness.is_empty(), draft.expectation == Expectation::Open);
                if !draft.witness.is_empty() {
                    certified += 1;
                    let model = String::from_utf8_lossy(&draft.witness);
                    assert!(satisfies(&mut Arena::new(), &draft.text, &model), "{text}{model}");
                }
            }
            assert!(certified > 60, "{way}: {certified}");
        }
    }

    #[test]
    fn a_planted_set_operation_contradicts_the_model_of_a_case_within_a_few_hundred() {
        use smelt_semantics::solver::{Fault, Limits, Session, Settings};
        let mut pool = Pool::new();
        let mut strategy = ROW.make(&ROW.read("over=bitsets").unwrap()).unwrap();
        let mut draft = Draft::default();
        let wrong = |fault: Option<&'static Fault>, script: &[u8]| {
            let settings = Settings { limits: Limits { steps: 200_000 }, fault };
            Session::new(settings).answer(script).0.starts_with(b"unsat")
        };
        let mut found = 0;
        for number in 0..300 {
            strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft).unwrap();
            if !draft.witness.is_empty() {
                assert!(!wrong(None, &draft.text), "{}", String::from_utf8_lossy(&draft.text));
                found += usize::from(wrong(Fault::named("set-minus-keeps"), &draft.text));
            }
        }
        assert!(found > 0);
    }
}
