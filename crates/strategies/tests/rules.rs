//! Planted mistakes: a rule with a mistake is refused, or a solver proves that the changed rule holds too.

#![allow(clippy::print_stdout, reason = "the log says how many mistakes were planted")]

use std::io::Write;
use std::process::{Command, Stdio};

use smelt_strategies::rules::{BUILTIN, Effort, Rule, RuleSet};

/// The rules of a file, each as text.
fn entries(text: &str) -> Vec<String> {
    let text: String =
        text.lines().filter(|l| !l.trim_start().starts_with(';')).collect::<Vec<_>>().join("\n");
    let (mut all, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' => {
                if depth == 0 {
                    start = i;
                }
                depth += 1;
            }
            ')' => {
                depth -= 1;
                if depth == 0 {
                    all.push(text[start..=i].to_owned());
                }
            }
            _ => {}
        }
    }
    all
}

/// Operators that are easily mistaken for each other.
const SWAPS: &[(&str, &str)] = &[
    ("(< ", "(<= "),
    ("(<= ", "(< "),
    ("(> ", "(>= "),
    ("(>= ", "(> "),
    ("(>= ", "(<= "),
    ("(= ", "(distinct "),
    ("(distinct ", "(= "),
    ("(and ", "(or "),
    ("(or ", "(and "),
    ("(forall ", "(exists "),
    ("(exists ", "(forall "),
    ("bvule", "bvsle"),
    ("bvult", "bvugt"),
    ("bvsle", "bvsge"),
    ("bvuge", "bvugt"),
    ("bvand", "bvor"),
    ("bvor", "bvand"),
    ("bvlshr", "bvshl"),
    ("fp.leq", "fp.lt"),
    ("fp.eq", "="),
    ("fp.geq", "fp.leq"),
    ("isNaN", "isZero"),
    ("isZero", "isNormal"),
    ("str.<=", "str.<"),
    ("str.prefixof", "str.suffixof"),
    ("str.suffixof", "str.prefixof"),
    ("str.contains", "str.prefixof"),
    ("re.union", "re.inter"),
    ("re.inter", "re.union"),
    ("re.opt", "re.comp"),
    ("re.+", "re.*"),
    ("re.*", "re.+"),
    ("set.union", "set.inter"),
    ("set.inter", "set.minus"),
    ("(+ ", "(- "),
    ("zero_extend", "sign_extend"),
    ("sign_extend", "zero_extend"),
];

/// A rule with one mistake in it, in every way we know.
fn mistakes(entry: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (a, b) in [
        ("(weaker ", "(stronger "),
        ("(stronger ", "(weaker "),
        ("(weaker ", "(equal "),
        ("(stronger ", "(equal "),
    ] {
        if entry.contains(a) {
            all.push(entry.replace(a, b));
        }
    }
    if let Some(at) = entry.find("(when ") {
        let end = at + entry[at..].find("))").expect("a condition ends") + 2;
        all.push(format!("{}{}", &entry[..at], &entry[end..]));
    }
    // The template is the last part.
    let to = ["(weaker ", "(stronger ", "(equal "]
        .iter()
        .filter_map(|w| entry.rfind(w))
        .max()
        .expect("a template");
    let (head, template) = entry.split_at(to);
    for (a, b) in SWAPS {
        if template.contains(a) {
            all.push(format!("{head}{}", template.replacen(a, b, 1)));
        }
    }
    for (a, b) in [
        (" x ", " y "),
        (" x)", " y)"),
        (" y ", " x "),
        (" y)", " x)"),
        (" p ", " q "),
        (" q)", " p)"),
        ("(not p)", "p"),
        ("(not q)", "q"),
    ] {
        if template.contains(a) {
            all.push(format!("{head}{}", template.replacen(a, b, 1)));
        }
    }
    all
}

/// Whether one of the solvers proves all that follows from a rule. Those that do not answer soon get more time only when
/// no solver does, so that a busy machine makes this slower, not wrong.
fn is_proved(rule: &Rule) -> bool {
    [4, 60].into_iter().any(|seconds| SOLVERS.iter().any(|solver| is_proved_by(rule, solver, seconds)))
}

const SOLVERS: [&[&str]; 2] = [&["z3", "-in"], &["cvc5", "--lang=smt2", "--strings-exp", "-"]];

fn is_proved_by(rule: &Rule, solver: &[&str], seconds: u32) -> bool {
    rule.obligations().iter().all(|(_, script)| {
        let mut command = Command::new("timeout");
        command.arg(seconds.to_string()).args(solver);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("`timeout` runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let _ = stdin.write_all(script.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("output");
        String::from_utf8_lossy(&output.stdout).trim() == "unsat"
    })
}

#[test]
#[ignore = "needs z3, cvc5"]
fn a_mistake_planted_in_any_rule_is_caught() {
    // The default run is quick: solvers think long about what may be right after all.
    let step = if smelt_testing::is_slow() { 1 } else { 9 };
    let all = BUILTIN.iter().flat_map(|(file, text)| {
        let entries = entries(&String::from_utf8_lossy(text));
        entries.into_iter().flat_map(|entry| mistakes(&entry)).map(move |mistake| (file, mistake))
    });
    let (mut planted, mut refused, mut harmless, mut unclear) = (0, 0, 0, Vec::new());
    for (file, mistake) in all.skip(step - 1).step_by(step) {
        planted += 1;
        let set = RuleSet::unchecked(mistake.as_bytes());
        match set.as_ref().map(|set| &set.rules()[0]) {
            Ok(rule) if rule.check(Effort::LOAD).is_ok() => {
                if is_proved(rule) {
                    harmless += 1;
                } else {
                    unclear.push(format!("{file}: {mistake}"));
                }
            }
            _ => refused += 1,
        }
    }
    println!("{planted} mistakes planted, {refused} refused, {harmless} proved harmless");
    assert!(unclear.is_empty(), "not refused and not proved:\n{}", unclear.join("\n"));
}

#[test]
fn a_refused_file_names_the_rule_and_a_counterexample() {
    let text = b"(rule ok (theory t) (var x y Int) (from (< x y)) (weaker (<= x y)))
(rule suffix-le (theory strings) (var x y String) (from (str.suffixof x y)) (weaker (str.<= x y)))";
    let error = RuleSet::read(text, Effort::LOAD).unwrap_err().to_string();
    assert!(error.contains("rule `suffix-le` does not hold") && error.contains("x = \""), "{error}");
    for (text, message) in [
        ("(rule a (theory t) (var x Int) (from (> x 0)))", "no `(weaker ..)`"),
        ("(rule a (theory t) (var x Int) (from (> x 0)) (weaker (> x \"\")))", "not well-sorted"),
        (
            "(rule a (theory t) (var x Int) (const c Int) (when (> x 0)) (from (> x 0)) (weaker (> x c)))",
            "which is not a constant",
        ),
        ("(rule a (theory t) (bound v) (var p Bool) (from (forall v p)) (weaker p))", "not declared"),
        ("(rule a (theory t) (bound v) (var p Bool) (from p) (weaker (exists v p)))", "not declared"),
        ("(rule a (theory t) (var x Int) (from (> x)) (weaker true)", "`(` without its `)`"),
        (
            "(rule a (theory t) (var x y Int) (from (= (div x 0) 1)) (weaker (= (div y 0) 1)))",
            "does not hold",
        ),
        ("(rule a (theory t) (var x Int) (from (= (div x 0) 1)) (weaker (= (mod x 0) x)))", "is open"),
    ] {
        let error = RuleSet::read(text.as_bytes(), Effort::LOAD).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    let holds = b"(rule a (theory t) (var x y Int) (from (= x y)) (weaker (= (div x 0) (div y 0))))";
    assert!(RuleSet::read(holds, Effort::LOAD).is_ok(), "an open result is a function of its arguments");
}

#[test]
fn what_the_papers_print_wrong_is_refused() {
    let printed = include_str!("data/printed.txt");
    let all = entries(printed);
    assert_eq!(all.len(), 12);
    for entry in all {
        let error = RuleSet::read(entry.as_bytes(), Effort::LOAD).expect_err(&entry).to_string();
        assert!(error.contains("does not hold"), "{error}");
    }
}
