//! Regression tests in the format of a solver's repository. Each test is run on the release with the bug
//! and must fail there.

use std::path::Path;
use std::time::Duration;

use smelt_core::{Class, Kind, Verdict};
use smelt_report::{Expected, Facts};
use smelt_smtlib::{Arena, parse_script};
use smelt_solvers::{Limits, run_on_file};
use smelt_store::Bug;
use smelt_trial::NamedSolver;

use super::Campaign;
use crate::exit::Failure;
use crate::{output, setup};

/// The time limit of a test.
const TIME: Duration = Duration::from_secs(10);
/// The name of a test while it is run.
const FILE: &str = "test.smt2";
/// The Boolean that stands for all assertions.
const HOLDS: &str = "smelt.holds";

/// Where regression tests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Regress {
    /// A script and a file NAME.expected.out, as in z3test
    Z3,
    /// A script with `; EXPECT:`, as in test/regress of cvc5
    Cvc5,
}

/// A script, and the lines that a correct solver prints for it.
struct Test {
    script: Vec<u8>,
    expected: Vec<String>,
}

/// The numbers of bugs that became a test, and of those that did not, with the reason.
#[derive(Default)]
pub(super) struct Made {
    pub(super) tests: usize,
    pub(super) left: Vec<(String, String)>,
}

/// Writes the tests of bugs.
pub(super) fn write(
    case: &Campaign<'_>,
    bugs: &[&Bug],
    facts: &[Facts],
    which: Regress,
    to: &Path,
) -> Result<Made, Failure> {
    let mut made = Made::default();
    for (bug, f) in bugs.iter().zip(facts) {
        match test(case, bug, f)? {
            Err(why) => made.left.push((bug.id.clone(), why)),
            Ok((solver, test)) => {
                let name = format!("smelt-{:0>4}-{}", bug.id, bug.kind);
                let Test { script, expected } = test;
                match which {
                    Regress::Z3 => {
                        output::write(&to.join(format!("{name}.smt2")), &script)?;
                        let file = to.join(format!("{name}.expected.out"));
                        output::write(&file, format!("{}\n", expected.join("\n")))?;
                    }
                    Regress::Cvc5 => {
                        let mut text = options(&solver, &script).into_bytes();
                        expected.iter().for_each(|line| text.extend(format!("; EXPECT: {line}\n").bytes()));
                        text.extend(script);
                        output::write(&to.join(format!("{name}.smt2")), text)?;
                    }
                }
                made.tests += 1;
            }
        }
    }
    Ok(made)
}

/// The regression test of a bug, or the reason why it has none.
fn test(case: &Campaign<'_>, bug: &Bug, f: &Facts) -> Result<Result<(NamedSolver, Test), String>, Failure> {
    let no = |why: &str| Ok(Err(why.to_owned()));
    if !f.examined {
        return no("it was not examined");
    }
    let [accused] = &f.accused[..] else { return no("it is not settled which solver is wrong") };
    let Some(Expected { answer, proved: true, .. }) = f.expected else {
        return no("the correct answer is not proved");
    };
    let script = &f.shown.plain;
    if script.matches("(check-sat").count() != 1 {
        return no("it has several queries");
    }
    let origin = case.store.origin(&bug.finding.finding.id)?;
    case.trust.check(case.catalog, &origin.solvers, &case.store.place(), "use --allow-commands")?;
    let mut here = origin.solvers.iter().filter_map(|spec| setup::solver(case.catalog, spec).ok());
    let Some(solver) = here.find(|s| s.solver.id() == accused) else {
        return Ok(Err(format!("{accused} is not installed, so no test can be run on it")));
    };
    for Test { script, expected } in tests(f.kind, answer, script, &solver) {
        let script = solver.solver.spell(&script).into_owned();
        let command = solver.solver.shell_command(FILE, &script);
        let run = run_on_file(&command, (FILE, &script), &Limits::within(TIME), &|| false);
        let run = run.map_err(|e| Failure::internal(e.to_string()))?;
        let printed = String::from_utf8_lossy(&run.stdout);
        if !printed.trim_end().lines().eq(expected.iter().map(String::as_str)) {
            return Ok(Ok((solver, Test { script, expected })));
        }
    }
    Ok(Err(format!("no test in this format fails on {accused}")))
}

/// The tests that may show a bug of a kind, the best first.
fn tests(kind: Kind, answer: Verdict, script: &str, solver: &NamedSolver) -> Vec<Test> {
    let plain = || Test { script: script.as_bytes().to_vec(), expected: vec![answer.to_string()] };
    match kind.class() {
        Class::Wrong if kind != Kind::InvalidModel => vec![plain()],
        Class::Crash => [plain()].into_iter().chain(evaluated(script, answer)).collect(),
        Class::Wrong => {
            evaluated(script, answer).into_iter().chain(checked(script, answer, solver)).collect()
        }
        Class::Core => checked(script, answer, solver).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A test in which the solver itself evaluates all assertions in its model.
fn evaluated(script: &str, answer: Verdict) -> Option<Test> {
    let has_stack = ["(push", "(pop", "(reset", ":named"].iter().any(|word| script.contains(word));
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, script.as_bytes()).ok()?.script;
    let all: Vec<String> = parsed.assertions().map(|t| arena.display_term(t)).collect();
    if has_stack || all.is_empty() || answer != Verdict::Sat {
        return None;
    }
    let all = if let [one] = &all[..] { one.clone() } else { format!("(and {})", all.join(" ")) };
    let define = format!("(define-fun {HOLDS} () Bool {all})\n(check-sat");
    let script =
        smelt_core::shown_script(Some((":produce-models", &format!("(get-value ({HOLDS}))"))), script);
    let script = script.replace("(check-sat", &define).into_bytes();
    Some(Test { script, expected: vec![answer.to_string(), format!("(({HOLDS} true))")] })
}

/// A test in which the solver's own check of models and cores is on.
fn checked(script: &str, answer: Verdict, solver: &NamedSolver) -> Option<Test> {
    let options = &solver.solver.profile().enable.self_check;
    let option = |word: &String| {
        let (name, value) = word.trim_start_matches('-').split_once('=').unwrap_or((word, "true"));
        format!("(set-option :{} {value})\n", name.trim_start_matches('-'))
    };
    let options: String = options.iter().map(option).collect();
    let script = format!("{options}{script}").into_bytes();
    (!options.is_empty()).then(|| Test { script, expected: vec![answer.to_string()] })
}

/// The line with the options that a script needs, as cvc5 reads it.
fn options(solver: &NamedSolver, script: &[u8]) -> String {
    let (user, given) = (solver.solver.user_args(), solver.solver.given_options(script));
    let flags: Vec<&str> = user.iter().chain(&given).map(String::as_str).collect();
    if flags.is_empty() { String::new() } else { format!("; COMMAND-LINE: {}\n", flags.join(" ")) }
}
