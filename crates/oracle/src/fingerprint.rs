//! Fingerprints: the identity of a bug over many triggers, coarse for each trigger, finer for a reduced script.
//!
//! A crash is identified by its place in the solver's source, else by the stack, else by signal and message without
//! numbers and quoted text. Any other finding is identified by solver, kind, theory and the set of operators in the
//! formula: leaves, names, constants, order and repetition do not count. Hashes are fixed; no ids, addresses or
//! release numbers go in.
//!
//! For a reduced script only the operators that tell most count ([`key_operators`]).

use crate::facts::facts;
use smelt_core::{Crash, FindingKind, SeedHash};
use smelt_smtlib::logic::{is_nonzero_number, is_number};
use smelt_smtlib::{Arena, Sort, Term, View};
use std::{borrow::Cow, collections::BTreeSet};

/// How many frames of a stack are used.
const FRAMES: usize = 4;

/// The fingerprint of a crash of a solver (its name, without the release).
pub fn of_crash(solver: &str, crash: &Crash) -> String {
    let solver = solver_word(solver);
    if let Some(site) = &crash.site {
        return format!("{solver}/crash/{}", source_place(site));
    }
    let frames: Vec<&str> =
        crash.stack.iter().map(|f| function(f)).filter(|f| !noise(f)).take(FRAMES).collect();
    let signal = crash.signal.map_or("exit".to_owned(), |s| format!("signal-{s}"));
    // A message that only names the signal tells nothing more.
    if frames.is_empty() && crash.signal.is_some_and(|s| crash.message == format!("signal {s}")) {
        return format!("{solver}/crash/{signal}");
    }
    let what = if frames.is_empty() { normalised(&crash.message) } else { frames.join("<") };
    format!("{solver}/crash/{signal}/{}", SeedHash::of(what.as_bytes()))
}

/// The fingerprint of any other finding, by the hash of the operators in its formula.
pub(crate) fn of_formula(solver: &str, kind: FindingKind, theory: &str, operators: u64) -> String {
    format!("{}/{kind}/{theory}/{operators:016x}", solver_word(solver))
}

/// How much an operator tells about a bug, from operators in any formula to those that bugs are about.
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

/// The operator of a term by its name of today, and how much it tells; `None` for leaves, `let` and names.
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

/// A list of operators as one word; no operator has a comma in its name.
pub fn operator_list(operators: &[String]) -> String {
    const SHOWN: usize = 4;
    match operators {
        [] => "-".to_owned(),
        few if few.len() <= SHOWN => few.join(","),
        many => {
            let hash = SeedHash::of(many.join(" ").as_bytes()).to_string();
            format!("{},{}-more-{}", many[..SHOWN - 1].join(","), many.len() - SHOWN + 1, &hash[..8])
        }
    }
}

/// Whether a crash shows its place in the solver. If not, the formula tells most about it.
pub fn has_place(crash: &Crash) -> bool {
    crash.site.is_some() || crash.stack.iter().any(|f| !noise(function(f))) || crash.signal.is_none()
}

/// The name of a solver as one word; a hash for a command line.
pub fn solver_word(solver: &str) -> String {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_.:+@".contains(c);
    if solver.chars().all(known) {
        return solver.to_owned();
    }
    format!("command-{}", SeedHash::of(solver.as_bytes()))
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
pub(crate) fn operators_hash(arena: &Arena, assertions: &[Term]) -> u64 {
    let terms = arena.subterms(assertions.iter().copied());
    let names: BTreeSet<Cow<'_, str>> = terms.filter_map(|t| Some(operator(arena, t)?.1)).collect();
    SeedHash::of(names.into_iter().collect::<Vec<_>>().join(" ").as_bytes()).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::CrashKind;
    use smelt_smtlib::parse_script;

    fn hash_of(text: &str) -> u64 {
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
            ("(= x (- 1))", "-", false),
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
            assert_eq!((operator_list(&found).as_str(), is_function), (names, functions), "{text}");
        }
        let many: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        assert!(operator_list(&many).starts_with("a,b,c,2-more-"), "{}", operator_list(&many));
    }

    #[test]
    fn the_hash_is_the_same_on_every_machine() {
        let hash = hash_of("(declare-const x Int)(assert (> (+ x 1) 2))");
        assert_eq!(format!("{hash:016x}"), SeedHash::of(b"+ >").to_string());
    }

    fn crash(site: Option<&str>, stack: &[&str], message: &str) -> Crash {
        Crash {
            kind: CrashKind::Signal,
            signal: Some(11),
            exit_code: None,
            site: site.map(str::to_owned),
            message: message.to_owned(),
            stack: stack.iter().map(|s| (*s).to_owned()).collect(),
        }
    }

    #[test]
    fn a_crash_goes_by_its_place_wherever_it_was_built() {
        for site in ["../src/smt/a.cpp:12", "/build/x/src/smt/a.cpp:12", "smt/a.cpp:12"] {
            assert_eq!(of_crash("z3", &crash(Some(site), &["f"], "m")), "z3/crash/smt/a.cpp:12", "{site}");
        }
    }

    #[test]
    fn a_crash_without_a_place_goes_by_its_stack_without_templates_and_abort() {
        let a = of_crash("z3", &crash(None, &["raise", "abort", "ns::f<int>", "g"], "at 0x12"));
        let b = of_crash("z3", &crash(None, &["ns::f<long>", "g"], "at 0x99"));
        assert_eq!(a, b);
        assert_ne!(a, of_crash("z3", &crash(None, &["h"], "at 0x99")));
    }

    #[test]
    fn a_crash_with_a_message_only_goes_by_its_words() {
        let of = |m| of_crash("z3", &crash(None, &[], m));
        assert_eq!(of("bad term 'x' at 0x12 line 7"), of("bad term 'yy z' at 0x7f line 12"));
        assert_ne!(of("bad term 'x'"), of("bad sort 'x'"));
        assert_eq!(of("signal 11"), "z3/crash/signal-11");
    }

    #[test]
    fn a_command_line_makes_one_word() {
        let print = of_crash("sh /tmp/a b.sh", &crash(Some("a.c:1"), &[], ""));
        assert!(print.starts_with("command-") && print.ends_with("/crash/a.c:1"), "{print}");
    }
}
