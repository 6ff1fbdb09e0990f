//! Prints a formula as a script, with its model or the names of its core.

use std::io::Write;

use smelt_core::Expectation;

use super::options::{Settings, Status};
use super::sort::Sort;
use super::term::{Head, Term, Terms, write_name, write_value};
use crate::rng::Rng;
use crate::strategy::Draft;

/// One assertion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assertion {
    pub(crate) term: Term,
    /// Whether it is part of the core.
    pub(crate) core: bool,
}

/// The assertions of each check. A check may also see those of earlier checks, or they are popped before it.
#[derive(Default, Debug)]
pub(crate) struct Formula {
    pub(crate) checks: Vec<Vec<Assertion>>,
}

impl Formula {
    /// Every assertion.
    pub(crate) fn terms(&self) -> impl Iterator<Item = Term> {
        self.checks.iter().flatten().map(|a| a.term)
    }
}

/// Which sorts and symbols are used.
#[derive(Default)]
struct Used {
    bits: bool,
    floats: bool,
    arrays: bool,
    functions: bool,
    numbers: bool,
    variables: Vec<bool>,
    called: Vec<bool>,
}

fn used(terms: &Terms, live: &[bool]) -> Used {
    let mut used = Used {
        variables: vec![false; terms.variables().len()],
        called: vec![false; terms.functions.len()],
        ..Used::default()
    };
    for t in terms.all().filter(|t| live[t.index()]) {
        match terms.sort(t) {
            Sort::Bool => {}
            Sort::Mode | Sort::Float(_) => used.floats = true,
            Sort::Bits(_) => used.bits = true,
            Sort::Array(..) => used.arrays = true,
            Sort::Int | Sort::Real => used.numbers = true,
        }
        match terms.head(t) {
            Head::Variable(n) => used.variables[n as usize] = true,
            Head::Function(n) => {
                used.functions = true;
                used.called[n as usize] = true;
            }
            Head::Literal | Head::Operator(_) => {}
        }
    }
    used
}

impl Used {
    /// The smallest logic that has all these sorts and symbols.
    fn logic(&self) -> String {
        // Logics with bit-vectors or floats have no numbers.
        if self.numbers {
            return "ALL".to_owned();
        }
        let mut name = "QF_".to_owned();
        let parts = [(self.arrays, "A"), (self.functions, "UF"), (self.bits, "BV"), (self.floats, "FP")];
        parts.iter().filter(|p| p.0).for_each(|p| name.push_str(p.1));
        match &*name {
            "QF_" => "QF_UF".to_owned(),
            _ => name,
        }
    }
}

/// Writes the script; `live` says which terms are part of it.
pub(crate) fn write(
    terms: &Terms,
    live: &[bool],
    formula: &Formula,
    options: &Settings,
    rng: &mut Rng,
    draft: &mut Draft,
) {
    let used = used(terms, live);
    let out = &mut draft.text;
    // Writing to a vector does not fail.
    let _ = writeln!(out, "(set-logic {})", used.logic());
    let status = match options.status {
        Status::Sat => "(set-info :status sat)\n",
        Status::Unsat => "(set-info :status unsat)\n",
        Status::None => "",
    };
    declare(terms, &used, out);
    let (mut number, mut open) = (0, 0);
    let single = formula.checks.len() == 1;
    for check in &formula.checks {
        if !single {
            // Some checks also see the assertions of earlier ones.
            if open > 0 && rng.one_in(2) {
                let _ = writeln!(out, "(pop {open})");
                open = 0;
            }
            out.extend_from_slice(b"(push 1)\n");
            open += 1;
        }
        let first = number;
        for a in check {
            out.extend_from_slice(if a.core { b"(assert (! " } else { b"(assert " });
            terms.write(a.term, out);
            if a.core {
                out.extend_from_slice(b" :named ");
                write_name('c', number, out);
                out.push(b')');
                number += 1;
            }
            out.extend_from_slice(b")\n");
        }
        out.extend_from_slice(status.as_bytes());
        out.extend_from_slice(b"(check-sat)\n");
        if options.status == Status::Unsat {
            out.extend_from_slice(b"; core:");
            for n in first..number {
                out.push(b' ');
                write_name('c', n, out);
            }
            out.push(b'\n');
        }
    }
    draft.expectation = match options.status {
        Status::Sat => Expectation::SAT,
        Status::Unsat => Expectation::UNSAT,
        Status::None => Expectation::Open,
    };
    if options.status == Status::Sat {
        model(terms, &used, &mut draft.witness);
        draft.text.extend_from_slice(b"; model:\n");
        for line in draft.witness.split_inclusive(|&b| b == b'\n') {
            draft.text.extend_from_slice(b"; ");
            draft.text.extend_from_slice(line);
        }
    }
}

fn declare(terms: &Terms, used: &Used, out: &mut Vec<u8>) {
    for (n, &v) in terms.variables().iter().enumerate().filter(|(n, _)| used.variables[*n]) {
        let sort = terms.sort(v);
        out.extend_from_slice(b"(declare-const ");
        write_name(sort.letter(), n as u32, out);
        out.push(b' ');
        sort.write(out);
        out.extend_from_slice(b")\n");
    }
    for (n, f) in terms.functions.iter().enumerate().filter(|(n, _)| used.called[*n]) {
        out.extend_from_slice(b"(declare-fun ");
        write_name('f', n as u32, out);
        for (i, s) in f.args.iter().enumerate() {
            out.extend_from_slice(if i == 0 { b" (" } else { b" " });
            s.write(out);
        }
        out.extend_from_slice(b") ");
        f.result.write(out);
        out.extend_from_slice(b")\n");
    }
}

/// The assignment, as a solver prints it.
fn model(terms: &Terms, used: &Used, out: &mut Vec<u8>) {
    out.extend_from_slice(b"(\n");
    for (n, &v) in terms.variables().iter().enumerate().filter(|(n, _)| used.variables[*n]) {
        let sort = terms.sort(v);
        out.extend_from_slice(b"(define-fun ");
        write_name(sort.letter(), n as u32, out);
        out.extend_from_slice(b" () ");
        sort.write(out);
        out.push(b' ');
        write_value(terms.value(v), sort, out);
        out.extend_from_slice(b")\n");
    }
    for (n, f) in terms.functions.iter().enumerate().filter(|(n, _)| used.called[*n]) {
        out.extend_from_slice(b"(define-fun ");
        write_name('f', n as u32, out);
        out.extend_from_slice(b" (");
        for (i, s) in f.args.iter().enumerate() {
            out.push(b'(');
            write_name('z', i as u32, out);
            out.push(b' ');
            s.write(out);
            out.push(b')');
        }
        out.extend_from_slice(b") ");
        f.result.write(out);
        out.push(b' ');
        for (point, value) in &f.graph {
            out.extend_from_slice(b"(ite (and");
            for (i, (v, s)) in point.iter().zip(&f.args).enumerate() {
                out.extend_from_slice(b" (= ");
                write_name('z', i as u32, out);
                out.push(b' ');
                write_value(Some(v), *s, out);
                out.push(b')');
            }
            out.extend_from_slice(b" true) ");
            write_value(Some(value), f.result, out);
            out.push(b' ');
        }
        write_value(f.default.as_ref(), f.result, out);
        f.graph.iter().for_each(|_| out.push(b')'));
        out.extend_from_slice(b")\n");
    }
    out.extend_from_slice(b")\n");
}
