//! Small scripts about each operator of the table, to compare two releases: which operators a release knows, and
//! what it answers.
//!
//! Each script applies one operator to literals of matching sorts. The first script leaves the result open; the others ask
//! for the result in the reference semantics, if it has one. The scripts show what is new in one of two releases, and
//! what one of them computes differently.

use smelt_smtlib::signature::{Bindings, Row};
use smelt_smtlib::{Arena, Index, Op, Sort, Term, parse_script};

use crate::operator::head_text;
use crate::rng::Rng;
use crate::samples::{sort_sexpr, values};
use crate::workbench::Workbench;

/// The scripts about one operator.
#[derive(Clone, Debug)]
pub struct OperatorProbes {
    /// Its name.
    pub name: String,
    /// The theory that declares it.
    pub theory: String,
    /// The scripts, well-sorted.
    pub scripts: Vec<Vec<u8>>,
}

/// The sorts that arguments may have.
const SORTS: &str = "
    (declare-const bool Bool) (declare-const int Int) (declare-const real Real) (declare-const string String)
    (declare-const reglan RegLan) (declare-const mode RoundingMode) (declare-const bits (_ BitVec 4))
    (declare-const more (_ BitVec 8)) (declare-const float (_ FloatingPoint 3 5))
    (declare-const array (Array Int Int)) (declare-const seq (Seq Int)) (declare-const set (Set Int))
    (declare-const bag (Bag Int)) (declare-const field (_ FiniteField 5)) (declare-const rel (Set (Tuple Int Int)))
    (declare-const tuple (Tuple Int Int)) (declare-const table (Bag (Tuple Int Int)))
    (declare-const map (-> Int Int)) (declare-const test (-> Int Bool)) (declare-const seqs (Seq (Seq Int)))";
/// How many combinations of argument sorts are tried for an operator.
const INSTANCES: usize = 3;
/// How many choices of values for each.
const CHOICES: usize = 4;
/// Indices that are tried where the sorts of the arguments do not determine them.
const INDICES: [u32; 6] = [0, 1, 2, 3, 5, 8];

/// The probes of every operator of the table that can be applied to values of some sorts.
pub fn operator_probes() -> Vec<OperatorProbes> {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, SORTS.as_bytes()).expect("the sorts of probes can be read");
    assert_eq!(parsed.diagnostics, [], "the sorts of probes are known");
    let constants: Vec<Constant> = parsed
        .script
        .commands
        .iter()
        .filter_map(|c| c.constant())
        .map(|(name, sort)| {
            let fun = arena.fun(name, None, &[], None);
            let sort = arena.canonical(sort);
            let literals = sort_sexpr(&arena.display_sort(sort)).and_then(|s| values(&s, 2));
            let name = arena.name(name).into_owned();
            Constant { term: arena.app(fun, &[], sort), sort, name, literals: literals.unwrap_or_default() }
        })
        .collect();
    let signatures = std::sync::Arc::clone(arena.signatures());
    let mut bench = Workbench::new("").expect("nothing is declared");
    let mut probes = Vec::new();
    for (number, (op, row)) in signatures.ops().enumerate() {
        let mark = arena.checkpoint();
        let (name, theory) = (arena.name(row.name).into_owned(), arena.name(row.theory).into_owned());
        let mut prober = Prober {
            arena: &mut arena,
            bench: &mut bench,
            constants: &constants,
            op,
            row,
            rng: Rng::new(number as u64),
            found: Vec::new(),
        };
        prober.arguments(Bindings::default(), &mut Vec::new());
        let mut scripts: Vec<Vec<u8>> = prober.found.into_iter().flatten().collect();
        arena.rollback(mark);
        scripts.dedup();
        if !scripts.is_empty() {
            probes.push(OperatorProbes { name, theory, scripts });
        }
    }
    probes
}

/// A constant of each sort, and values of it.
struct Constant {
    term: Term,
    sort: Sort,
    name: String,
    literals: Vec<String>,
}

struct Prober<'a> {
    arena: &'a mut Arena,
    /// Where results are evaluated.
    bench: &'a mut Workbench,
    constants: &'a [Constant],
    op: Op,
    row: &'a Row,
    rng: Rng,
    /// The scripts of each instance.
    found: Vec<Vec<Vec<u8>>>,
}

impl Prober<'_> {
    /// Tries every sort for each argument in turn.
    fn arguments(&mut self, bindings: Bindings, chosen: &mut Vec<usize>) {
        if self.found.len() >= INSTANCES {
            return;
        }
        if chosen.len() == self.row.args.len() {
            return self.finish(&bindings, chosen);
        }
        for i in 0..self.constants.len() {
            let mut b = bindings;
            if self.arena.accepts(&self.row.args[chosen.len()], self.constants[i].sort, &mut b) {
                chosen.push(i);
                self.arguments(b, chosen);
                chosen.pop();
            }
        }
    }

    /// The sorts are chosen: indices, and a check by the typing itself.
    fn finish(&mut self, bindings: &Bindings, chosen: &[usize]) {
        let determined: Option<Vec<u32>> = self.row.indices.iter().map(|n| n.value(bindings)).collect();
        let free = |count: usize| match count {
            1 => INDICES.iter().map(|&i| vec![i]).collect(),
            2 => INDICES.iter().flat_map(|&i| INDICES.map(|j| vec![i, j])).collect(),
            _ => Vec::new(),
        };
        let tried = determined.map_or_else(|| free(self.row.indices.len()), |indices| vec![indices]);
        let terms: Vec<Term> = chosen.iter().map(|&i| self.constants[i].term).collect();
        for indices in tried {
            let indices: Option<Vec<Index>> = indices.into_iter().map(Index::number).collect();
            let Some(indices) = indices else { continue };
            if let Some(made) = self.arena.apply_op(self.op, &indices, &terms) {
                let sort = self.arena.sort_of(made);
                let scripts: Vec<Vec<u8>> =
                    (0..CHOICES).filter_map(|i| self.script(&indices, chosen, sort, i > 0)).collect();
                if !scripts.is_empty() {
                    self.found.push(scripts);
                }
                return;
            }
        }
    }

    /// A script with some values as arguments, which asks for the result that they have, or leaves it open.
    fn script(
        &mut self,
        indices: &[Index],
        chosen: &[usize],
        sort: Sort,
        for_result: bool,
    ) -> Option<Vec<u8>> {
        let head = String::from_utf8(head_text(self.arena, self.row.name, indices).into()).ok()?;
        let mut declared = String::new();
        let mut term = head;
        if !chosen.is_empty() {
            term = format!("({term}");
            for &i in chosen {
                let constant = &self.constants[i];
                let argument = self.rng.pick(&constant.literals).unwrap_or(&constant.name);
                if argument == &constant.name && !declared.contains(&format!(" {argument} ")) {
                    let sort = self.arena.display_sort(constant.sort);
                    declared += &format!("(declare-const {argument} {sort})\n");
                }
                term += &format!(" {argument}");
            }
            term.push(')');
        }
        let atom = match sort {
            Sort::BOOL => term,
            Sort::REGLAN => format!("(str.in_re \"ab\" {term})"),
            _ => {
                let sort = self.arena.display_sort(sort);
                let value = (for_result && declared.is_empty()).then(|| self.literal(&term, &sort)).flatten();
                let result = value.unwrap_or_else(|| {
                    declared += &format!("(declare-const result {sort})\n");
                    "result".to_owned()
                });
                format!("(= {result} {term})")
            }
        };
        let script = format!("(set-logic ALL)\n{declared}(assert {atom})\n(check-sat)\n").into_bytes();
        let parsed = parse_script(self.arena, &script).ok()?;
        parsed.diagnostics.is_empty().then_some(script)
    }

    /// The value of a closed term, if the standard defines it.
    fn literal(&mut self, term: &str, sort: &str) -> Option<String> {
        let mark = self.bench.arena.checkpoint();
        let literal = self.bench.literal(term, sort).ok();
        self.bench.arena.rollback(mark);
        literal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_every_operator_has_probes_that_are_about_it() {
        let probes = operator_probes();
        let arena = Arena::new();
        let rows = arena.signatures().ops().count();
        let named: std::collections::BTreeSet<&str> = probes.iter().map(|p| &*p.name).collect();
        let lacking: Vec<String> = arena
            .signatures()
            .ops()
            .map(|(_, row)| arena.name(row.name).into_owned())
            .filter(|name| !named.contains(&**name))
            .collect();
        assert!(lacking.len() * 10 < rows, "{} of {rows}: {lacking:?}", lacking.len());
        for probe in &probes {
            for script in &probe.scripts {
                let script = String::from_utf8_lossy(script);
                assert!(script.contains(&probe.name), "{}: {script}", probe.name);
            }
        }
        for name in ["set.card", "ff.add", "seq.update", "fp.rem", "bvumul_noovfl", "str.replace_re"] {
            assert!(named.contains(name), "{name}");
        }
    }
}
