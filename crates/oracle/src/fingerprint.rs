//! The identity of a bug over many triggers: a first, coarse one of each trigger, and that of a reduced script.
//!
//! Crashes go by the place in the solver's source, else by the stack, else by signal and message with numbers and
//! quoted text taken out. All else goes by solver, kind, theory and the set of operators in the formula: leaves,
//! names, constants, order and repetition do not count. Fixed hashes only; no ids, no addresses, no release numbers.
//!
//! Of a reduced script the telling operators count ([`telling`]): what only joins them to a formula does not.

use smelt_core::{Crash, FindingKind, SeedHash};
use smelt_smtlib::logic::is_number;
use smelt_smtlib::{Arena, Sort, Term, View};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How many frames of a stack count.
const FRAMES: usize = 4;

/// The fingerprint of a crash of a solver (its name, without the release).
pub fn of_crash(solver: &str, crash: &Crash) -> String {
    let solver = plain(solver);
    if let Some(site) = &crash.site {
        return format!("{solver}/crash/{}", source_place(site));
    }
    let frames: Vec<&str> =
        crash.stack.iter().map(|f| function(f)).filter(|f| !noise(f)).take(FRAMES).collect();
    let signal = crash.signal.map_or("exit".to_owned(), |s| format!("signal-{s}"));
    let what = if frames.is_empty() { normalised(&crash.message) } else { frames.join("<") };
    format!("{solver}/crash/{signal}/{}", SeedHash::of(what.as_bytes()))
}

/// The fingerprint of any other finding.
pub fn of_formula(solver: &str, kind: FindingKind, theory: &str, shape: Shape) -> String {
    format!("{}/{kind}/{theory}/{:016x}", plain(solver), shape.operators)
}

/// How much an operator tells about a bug, from what any formula needs to what a bug is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Makes a formula of anything, or writes a value down.
    Glue,
    /// Tells something where there is nothing else: connectives.
    Connective,
    /// The same for comparisons and functions without a meaning.
    Predicate,
    /// What theories are about, and quantifiers.
    Function,
}

/// Operators that write values down, or convert them.
const WRITING: [&[u8]; 7] = [b"fp", b"const", b"seq.unit", b"char", b"to_real", b"not", b"="];

fn weight(arena: &Arena, term: Term) -> Option<Weight> {
    match arena.view(term) {
        View::App(_, []) | View::Var(_) | View::Literal(..) | View::Let(_) | View::Annotated(_) => None,
        View::Binder(_) | View::Match(_) | View::Apply(_) => Some(Weight::Function),
        View::App(fun, _) => Some(match arena.fun_view(fun).op {
            None => Weight::Predicate,
            Some(op) => {
                let row = arena.signatures().row(op);
                let truth = arena.sort_of(term) == Sort::BOOL;
                match (arena.text(row.name), arena.text(row.theory)) {
                    (name, _) if WRITING.contains(&name) => Weight::Glue,
                    (_, b"Core") => Weight::Connective,
                    _ if truth => Weight::Predicate,
                    _ => Weight::Function,
                }
            }
        }),
    }
}

/// The operators of some assertions that tell most, by name and in order; and whether they are more than comparisons
/// and connectives.
pub fn telling(arena: &Arena, assertions: &[Term]) -> (Vec<String>, bool) {
    let found = weighed(arena, assertions);
    let most = found.last().map_or(Weight::Glue, |f| f.0);
    let tells = |f: &(Weight, String)| f.0 == most && most > Weight::Glue;
    let names = found.into_iter().filter(tells).map(|f| f.1).collect();
    (names, most == Weight::Function)
}

/// All operators of some assertions that may tell something, by name.
pub fn operators(arena: &Arena, assertions: &[Term]) -> Vec<String> {
    weighed(arena, assertions).into_iter().filter(|f| f.0 > Weight::Glue).map(|f| f.1).collect()
}

fn weighed(arena: &Arena, assertions: &[Term]) -> BTreeSet<(Weight, String)> {
    let mut found: BTreeSet<(Weight, String)> = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut work = assertions.to_vec();
    while let Some(term) = work.pop() {
        // A negative number or a fraction is one value.
        if !seen.insert(term) || is_number(arena, term) {
            continue;
        }
        if let (Some(weight), Some(label)) = (weight(arena, term), label(arena, term)) {
            found.insert((weight, String::from_utf8_lossy(&label).into_owned()));
        }
        work.extend(arena.children(term));
    }
    found
}

/// A list of operators as one word.
pub fn word(operators: &[String]) -> String {
    const SHOWN: usize = 4;
    match operators {
        [] => "-".to_owned(),
        few if few.len() <= SHOWN => few.join("+"),
        many => {
            let hash = SeedHash::of(many.join(" ").as_bytes()).to_string();
            format!("{}+{}-more-{}", many[..SHOWN - 1].join("+"), many.len() - SHOWN + 1, &hash[..8])
        }
    }
}

/// Whether a crash says where it happened. Of those that do not, the formula says most.
pub fn is_placed(crash: &Crash) -> bool {
    crash.site.is_some() || crash.stack.iter().any(|f| !noise(function(f))) || crash.signal.is_none()
}

/// A command line as one word.
pub fn plain(solver: &str) -> String {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_.:+@".contains(c);
    if solver.chars().all(known) {
        return solver.to_owned();
    }
    format!("command-{}", SeedHash::of(solver.as_bytes()))
}

/// A place in the source, from the last `src` folder on: builds happen anywhere.
fn source_place(site: &str) -> String {
    let parts: Vec<&str> = site.split(['/', '\\']).filter(|p| !matches!(*p, "" | "." | "..")).collect();
    let from = parts.iter().rposition(|p| *p == "src").map_or(parts.len().saturating_sub(2), |i| i + 1);
    parts[from..].join("/")
}

/// A function's name without template arguments.
fn function(frame: &str) -> &str {
    frame.split(['<', '(']).next().unwrap_or(frame)
}

/// Frames of every abort, which tell nothing.
fn noise(function: &str) -> bool {
    [
        "abort",
        "raise",
        "gsignal",
        "__assert_fail",
        "__libc",
        "_start",
        "main",
        "__GI_",
        "pthread_kill",
        "__interceptor",
    ]
    .iter()
    .any(|n| function.starts_with(n))
}

/// A message without what differs from trigger to trigger: numbers, addresses and quoted text.
fn normalised(message: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    for c in message.chars() {
        match quote {
            Some(q) if c == q => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '|') => {
                quote = Some(c);
                out.push('_');
            }
            None if c == '`' => {
                quote = Some('\'');
                out.push('_');
            }
            None => out.push(c),
        }
    }
    let word = |w: &str| if w.contains(|c: char| c.is_ascii_digit()) { "#".to_owned() } else { w.to_owned() };
    out.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// The shape of a formula modulo leaves, in two grains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Hash of the set of operators.
    pub operators: u64,
    /// Hash of the terms' structure: operators and how they nest; order and multiplicity of assertions aside.
    pub skeleton: u64,
}

/// The shape of some assertions.
pub fn shape(arena: &Arena, assertions: &[Term]) -> Shape {
    let mut operators = BTreeSet::new();
    let mut skeletons: HashMap<Term, u64> = HashMap::new();
    // Children first; a term is met again once they are done.
    let mut work: Vec<(Term, bool)> = assertions.iter().map(|t| (*t, false)).collect();
    while let Some((term, ready)) = work.pop() {
        if skeletons.contains_key(&term) {
            continue;
        }
        if !ready {
            work.push((term, true));
            work.extend(arena.children(term).iter().map(|t| (*t, false)));
            continue;
        }
        let label = label(arena, term);
        let children = arena.children(term);
        let start = SeedHash::of(label.as_deref().unwrap_or_default()).0;
        let skeleton = match arena.view(term) {
            View::Annotated(annotated) => skeletons[&annotated.term()],
            _ => children.iter().map(|c| skeletons[c]).fold(start, mix),
        };
        operators.extend(label);
        skeletons.insert(term, skeleton);
    }
    let all: BTreeSet<u64> = assertions.iter().map(|t| skeletons[t]).collect();
    let list: Vec<u8> = operators.into_iter().collect::<Vec<_>>().join(&b' ');
    Shape { operators: SeedHash::of(&list).0, skeleton: all.into_iter().fold(0, mix) }
}

fn mix(hash: u64, next: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&hash.to_le_bytes());
    bytes[8..].copy_from_slice(&next.to_le_bytes());
    SeedHash::of(&bytes).0
}

/// What a term is, leaves aside; operators by their name of today.
fn label(arena: &Arena, term: Term) -> Option<Vec<u8>> {
    match arena.view(term) {
        View::App(_, []) | View::Var(_) | View::Literal(..) | View::Let(_) | View::Annotated(_) => None,
        View::App(fun, _) => Some(match arena.fun_view(fun).op {
            Some(op) => arena.text(arena.signatures().row(op).name).to_vec(),
            None => b"(function)".to_vec(),
        }),
        View::Binder(binder) => Some(arena.text(binder.name).to_vec()),
        View::Match(_) => Some(b"match".to_vec()),
        View::Apply(_) => Some(b"(apply)".to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::CrashKind;
    use smelt_smtlib::parse_script;

    fn shape_of(text: &str) -> Shape {
        let mut arena = Arena::new();
        let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
        let assertions: Vec<Term> = parsed.script.assertions().collect();
        shape(&arena, &assertions)
    }

    #[test]
    fn leaves_and_names_do_not_change_the_shape() {
        let a = shape_of("(declare-const x Int)(assert (> (+ x 1) 2))");
        for text in [
            "(declare-const yy Int)(assert (> (+ yy 77) 0))",
            "(declare-const x Int)(assert (! (> (+ x x) 2) :named n))",
            "(declare-const x Int)(assert (let ((z 1)) (> (+ x z) 2)))",
            "(declare-const x Int)(assert (> (+ x 1) 2))(assert (> (+ 5 x) x))",
        ] {
            assert_eq!(shape_of(text).operators, a.operators, "{text}");
        }
        assert_eq!(shape_of("(declare-const y Int)(assert (> (+ y 3) y))"), a);
    }

    #[test]
    fn operators_change_the_shape_and_old_names_do_not() {
        let of = |t: &str| shape_of(&format!("(declare-const x Int)(declare-const s String)(assert {t})"));
        assert_ne!(of("(> (+ x 1) 2)").operators, of("(> (- x 1) 2)").operators);
        assert_ne!(of("(> (+ x 1) 2)").skeleton, of("(> 2 (- x 1))").skeleton);
        assert_eq!(of("(= (str.to.int s) x)"), of("(= (str.to_int s) x)"));
        assert_eq!(of("(> (+ x 1) x)").operators, of("(> (+ x (+ x x)) x)").operators);
        assert_ne!(of("(> (+ x 1) x)").skeleton, of("(> (+ x (+ x x)) x)").skeleton);
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
        ] {
            let script =
                format!("(declare-const x Int)(declare-const p Bool)(declare-const s String)(assert {text})");
            let mut arena = Arena::new();
            let parsed = parse_script(&mut arena, script.as_bytes()).unwrap();
            let assertions: Vec<Term> = parsed.script.assertions().collect();
            let (found, is_function) = telling(&arena, &assertions);
            assert_eq!((word(&found).as_str(), is_function), (names, functions), "{text}");
        }
        let many: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        assert!(word(&many).starts_with("a+b+c+2-more-"), "{}", word(&many));
    }

    #[test]
    fn the_shape_is_the_same_on_every_machine() {
        let shape = shape_of("(declare-const x Int)(assert (> (+ x 1) 2))");
        assert_eq!(format!("{:016x}", shape.operators), SeedHash::of(b"+ >").to_string());
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
    }

    #[test]
    fn a_command_line_makes_one_word() {
        let print = of_crash("sh /tmp/a b.sh", &crash(Some("a.c:1"), &[], ""));
        assert!(print.starts_with("command-") && print.ends_with("/crash/a.c:1"), "{print}");
    }
}
