//! Causes that follow directly from a script or a crash: the place of a crash, or the operators of a formula.
//!
//! The cause of a crash is its place in the solver's source, or the top frames of its stack, or its message without
//! numbers and quoted text. The cause of other bugs is the set of operators of the formula; leaves, names,
//! constants, order and repetition are ignored. Ids, addresses and release numbers are never part of a cause. For a
//! reduced script, only the most specific operators count ([`key_operators`]).

use crate::facts::facts;
use smelt_core::{Cause, Crash, SeedHash, Site};
use smelt_smtlib::logic::{is_nonzero_number, is_number};
use smelt_smtlib::{Arena, Sort, Term, View};
use std::{borrow::Cow, collections::BTreeSet};

/// How many frames of a stack are used.
const FRAMES: usize = 4;

/// The place of a crash, if it shows one.
pub fn site(crash: &Crash) -> Option<Site> {
    if let Some(site) = &crash.site {
        return Some(Site::Source(source_place(site)));
    }
    let frames: Vec<String> = crash
        .stack
        .iter()
        .map(|f| function(f))
        .filter(|f| !noise(f))
        .take(FRAMES)
        .map(str::to_owned)
        .collect();
    let signal = crash.signal;
    match frames.is_empty() {
        false => Some(Site::Frames { signal, frames }),
        // What a solver prints before it dies of a signal may be about anything.
        true => signal.is_none().then(|| Site::Message { signal, text: normalised(&crash.message) }),
    }
}

/// The cause of a crash, as far as it shows without reducing the script.
pub fn of_crash(crash: &Crash) -> Cause {
    // A message that only names the signal adds nothing.
    let is_plain = crash.signal.is_some_and(|s| crash.message == format!("signal {s}"));
    let message = (!is_plain).then(|| SeedHash::of(normalised(&crash.message).as_bytes()));
    let shape = || Cause::Shape { signal: crash.signal, message, operators: Vec::new() };
    site(crash).map_or_else(shape, Cause::Site)
}

/// How specific an operator is for a bug, from operators in any formula to operators that bugs are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Occurs in any formula, or only writes a value.
    Glue,
    /// Connectives: tell something if the formula has nothing else.
    Connective,
    /// Comparisons and uninterpreted functions: the same, but more.
    Predicate,
    /// The functions of theories, and quantifiers.
    Function,
}

/// Operators that write or convert values.
const WRITING: [&[u8]; 7] = [b"fp", b"const", b"seq.unit", b"char", b"to_real", b"not", b"="];

/// The operator of a term by its current name, and how specific it is; `None` for leaves, `let` and names.
fn operator(arena: &Arena, term: Term) -> Option<(Weight, Cow<'_, str>)> {
    let fun = match arena.view(term) {
        View::App(_, []) | View::Var(_) | View::Literal(..) | View::Let(_) => return None,
        // Only patterns matter to solvers; a reduced script keeps one that the bug needs.
        View::Annotated(annotated) => {
            let pattern =
                annotated.attributes().map(|a| arena.name(a.0)).find(|name| name.ends_with("pattern"));
            return Some((Weight::Function, pattern?));
        }
        View::Binder(binder) => return Some((Weight::Function, arena.name(binder.name))),
        View::Match(_) => return Some((Weight::Function, "match".into())),
        View::Apply(_) => return Some((Weight::Function, "(apply)".into())),
        View::App(fun, _) => arena.fun_view(fun),
    };
    let Some(op) = fun.op else { return Some((Weight::Predicate, "(function)".into())) };
    let row = arena.signatures().row(op);
    let weight = match (arena.text(row.name), arena.text(row.theory)) {
        (name, _) if WRITING.contains(&name) => Weight::Glue,
        (_, b"Core") => Weight::Connective,
        _ if arena.sort_of(term) == Sort::BOOL => Weight::Predicate,
        _ => Weight::Function,
    };
    Some((weight, arena.name(row.name)))
}

/// The operators of some assertions that tell most about a bug, sorted by name; and whether they are more than
/// comparisons and connectives.
pub fn key_operators(arena: &Arena, assertions: &[Term]) -> (Vec<String>, bool) {
    let found = weighed(arena, assertions);
    let most = found.last().map_or(Weight::Glue, |f| f.0);
    let names = found.into_iter().filter(|f| f.0 == most && most > Weight::Glue);
    (names.map(|f| f.1.into_owned()).collect(), most == Weight::Function)
}

/// All operators of some assertions that tell something about a bug, by name.
pub fn operators(arena: &Arena, assertions: &[Term]) -> Vec<String> {
    let names = weighed(arena, assertions).into_iter().filter(|f| f.0 > Weight::Glue);
    names.map(|f| f.1.into_owned()).collect()
}

fn weighed<'a>(arena: &'a Arena, assertions: &[Term]) -> BTreeSet<(Weight, Cow<'a, str>)> {
    // A negative number or a fraction is one value; a division by zero is not.
    let by_zero = |t: Term| match arena.view(t) {
        View::App(fun, &[_, divisor]) => {
            &*arena.name(arena.fun_view(fun).name) == "/" && !is_nonzero_number(arena, divisor)
        }
        _ => false,
    };
    let is_value = |t: Term| is_number(arena, t) && !arena.subterms([t]).any(by_zero);
    let terms = arena.subterms_if(assertions.iter().copied(), |t| !is_value(t));
    terms.filter_map(|t| operator(arena, t)).collect()
}

/// A place in the source, from the last `src` folder on, because builds happen in any folder.
fn source_place(site: &str) -> String {
    let parts: Vec<&str> = site.split(['/', '\\']).filter(|p| !matches!(*p, "" | "." | "..")).collect();
    let from = parts.iter().rposition(|p| *p == "src").map_or(parts.len().saturating_sub(2), |i| i + 1);
    parts[from..].join("/")
}

/// A function's name without template arguments.
fn function(frame: &str) -> &str {
    frame.split(['<', '(']).next().unwrap_or(frame)
}

/// Whether this frame is in the stack of every abort.
fn noise(function: &str) -> bool {
    facts("abort-frame").any(|name| function.starts_with(name))
}

/// A message without numbers, addresses and quoted text, which differ between triggers of one bug.
fn normalised(message: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    for c in message.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '|' | '`') => {
                quote = Some(if c == '`' { '\'' } else { c });
                out.push('_');
            }
            None => out.push(c),
        }
    }
    let word = |w: &str| if w.contains(|c: char| c.is_ascii_digit()) { "#".to_owned() } else { w.to_owned() };
    out.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// The hash of the set of operators in some assertions.
pub(crate) fn operators_hash(arena: &Arena, assertions: &[Term]) -> SeedHash {
    let terms = arena.subterms(assertions.iter().copied());
    let names: BTreeSet<Cow<'_, str>> = terms.filter_map(|t| Some(operator(arena, t)?.1)).collect();
    SeedHash::of(names.into_iter().collect::<Vec<_>>().join(" ").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::CrashKind;
    use smelt_smtlib::parse_script;

    fn hash_of(text: &str) -> SeedHash {
        let mut arena = Arena::new();
        let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
        let assertions: Vec<Term> = parsed.script.assertions().collect();
        operators_hash(&arena, &assertions)
    }

    #[test]
    fn leaves_and_names_do_not_change_the_hash() {
        let a = hash_of("(declare-const x Int)(assert (> (+ x 1) 2))");
        for text in [
            "(declare-const yy Int)(assert (> (+ yy 77) 0))",
            "(declare-const x Int)(assert (! (> (+ x x) 2) :named n))",
            "(declare-const x Int)(assert (let ((z 1)) (> (+ x z) 2)))",
            "(declare-const x Int)(assert (> (+ x 1) 2))(assert (> (+ 5 x) x))",
        ] {
            assert_eq!(hash_of(text), a, "{text}");
        }
    }

    #[test]
    fn operators_change_the_hash_and_old_names_do_not() {
        let of = |t: &str| hash_of(&format!("(declare-const x Int)(declare-const s String)(assert {t})"));
        assert_ne!(of("(> (+ x 1) 2)"), of("(> (- x 1) 2)"));
        assert_eq!(of("(= (str.to.int s) x)"), of("(= (str.to_int s) x)"));
        assert_eq!(of("(> (+ x 1) x)"), of("(> (+ x (+ x x)) x)"));
    }

    #[test]
    fn what_only_joins_operators_to_a_formula_does_not_tell() {
        for (text, names, functions) in [
            ("(= (str.replace s \"\" s) \"a\")", "str.replace", true),
            ("(not (str.prefixof (str.replace s \"\" s) \"a\"))", "str.replace", true),
            ("(and (< (div x (- 2)) (- 5)) (or p (not p)))", "div", true),
            ("(=> p (< x 3))", "<", false),
            ("(=> p (not p))", "=>", false),
            ("(= x (- 1))", "", false),
            ("(forall ((y Int)) (< y x))", "forall", true),
            ("(distinct x 1 2)", "distinct", false),
            ("(forall ((y Int)) (! (< y x) :pattern ((+ y 1))))", "+,:pattern,forall", true),
            ("(! (< x 3) :named n)", "<", false),
        ] {
            let script =
                format!("(declare-const x Int)(declare-const p Bool)(declare-const s String)(assert {text})");
            let mut arena = Arena::new();
            let parsed = parse_script(&mut arena, script.as_bytes()).unwrap();
            let assertions: Vec<Term> = parsed.script.assertions().collect();
            let (found, is_function) = key_operators(&arena, &assertions);
            assert_eq!((found.join(",").as_str(), is_function), (names, functions), "{text}");
        }
    }

    #[test]
    fn the_hash_is_the_same_on_every_machine() {
        let hash = hash_of("(declare-const x Int)(assert (> (+ x 1) 2))");
        assert_eq!(hash, SeedHash::of(b"+ >"));
    }

    fn crash(site: Option<&str>, stack: &[&str], message: &str) -> Crash {
        Crash {
            kind: CrashKind::Signal,
            signal: Some(11),
            exit_code: None,
            site: site.map(str::to_owned),
            message: message.to_owned(),
            stack: stack.iter().map(|s| (*s).to_owned()).collect(),
            lines: Vec::new(),
        }
    }

    #[test]
    fn a_crash_goes_by_its_place_wherever_it_was_built() {
        for site in ["../src/smt/a.cpp:12", "/build/x/src/smt/a.cpp:12", "smt/a.cpp:12"] {
            let found = of_crash(&crash(Some(site), &["f"], "m"));
            assert_eq!(found, Cause::Site(Site::Source("smt/a.cpp:12".into())), "{site}");
        }
    }

    #[test]
    fn a_crash_without_a_place_goes_by_its_stack_without_templates_and_abort() {
        let a = of_crash(&crash(None, &["raise", "abort", "ns::f<int>", "g"], "at 0x12"));
        let b = of_crash(&crash(None, &["ns::f<long>", "g"], "at 0x99"));
        assert_eq!(a, b);
        assert_ne!(a, of_crash(&crash(None, &["h"], "at 0x99")));
    }

    #[test]
    fn a_message_without_a_signal_is_a_place_and_a_signal_alone_is_not() {
        let of = |m| of_crash(&Crash { signal: None, ..crash(None, &[], m) });
        assert_eq!(of("bad term 'x' at 0x12 line 7"), of("bad term 'yy z' at 0x7f line 12"));
        assert_ne!(of("bad term 'x'"), of("bad sort 'x'"));
        let signal = of_crash(&crash(None, &[], "signal 11"));
        assert_eq!(signal, Cause::Shape { signal: Some(11), message: None, operators: Vec::new() });
    }
}
