//! `smelt reduce` as a user meets it.

use crate::common::{Folder, json, stderr, stdout, wait_until};
use std::process::{Command, Output, Stdio};

fn smelt(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt")).arg("reduce").args(args).output().unwrap()
}

const SCRIPT: &str = "(set-logic QF_LIA)
(declare-fun apple () Int)
(declare-fun pear () Int)
(assert (and (< apple (+ pear 17)) (= (mod apple 3) 1)))
(assert (or (> pear 4) (not (= apple pear))))
(check-sat)
(exit)
";

/// smelt prints one clear line on stderr, exits with 2, and leaves the input unchanged.
fn refused(args: &[&str], file: &str, says: &str) {
    let before = std::fs::read(file).unwrap();
    let output = smelt(args);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{error}");
    let last = error.lines().last().unwrap_or_default();
    assert!(last.starts_with("smelt: ") && last.contains(says), "{error}");
    assert!(output.stdout.is_empty());
    assert_eq!(std::fs::read(file).unwrap(), before);
}

#[test]
fn a_command_stays_true_and_the_figures_are_printed() {
    let folder = Folder::new("command");
    let file = folder.file("a.smt2", SCRIPT);
    let out = folder.0.join("out.smt2").display().to_string();
    let output = smelt(&[&file, "--cmd", "grep -q mod", "--json", "-o", &out]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let json = json(&output);
    let reduced = std::fs::read_to_string(&out).unwrap();
    assert_eq!(reduced, "(assert (= (mod 0 0) 0))\n");
    assert_eq!(json["bytes_before"], SCRIPT.len());
    assert_eq!(json["bytes_after"], reduced.len());
    assert_eq!(json["terms_after"], 5);
    assert!(json["terms_before"].as_u64() > Some(10) && json["checks"].as_u64() > Some(3));
    assert!(json["wall_s"].is_number());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), SCRIPT, "the input is untouched");
}

#[test]
fn a_command_can_be_held_to_what_it_printed() {
    let folder = Folder::new("match");
    let file = folder.file("a.smt2", SCRIPT);
    let count = folder.program("count", "grep -c apple \"$1\" | head -c 1; grep -o 'mod' \"$1\"; exit 3");
    let output = smelt(&[&file, "--cmd", &format!("{count} {{}}"), "--cmd-match"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("mod") && text.matches("apple").count() >= 2, "{text}");
    assert!(text.len() < SCRIPT.len());
}

#[test]
fn a_false_a_flaky_and_a_hanging_predicate_are_refused() {
    let folder = Folder::new("refused");
    let file = folder.file("a.smt2", SCRIPT);
    refused(&[&file, "--cmd", "false"], &file, "not interesting");
    let flip =
        folder.program("flip", &format!("f={}/n; echo >>$f; [ $(wc -l <$f) -lt 4 ]", folder.0.display()));
    refused(&[&file, "--cmd", &flip], &file, "flaky");
    let hang = folder.program("hang", "sleep 100000");
    refused(&[&file, "--cmd", &hang, "--timeout", "300ms"], &file, "does not finish");
    refused(&[&file, "--cmd", "/no/such/program"], &file, "no program");
    refused(&[&file], &file, "-S");
    refused(&[&file, "-S", "builtin"], &file, "no bug");
    refused(&[&file, "--expect", "builtin=unsat"], &file, "not interesting");
    refused(&[&file, "--expect", "builtin"], &file, "SOLVER=OUTCOME");
    refused(&[&file, "--cmd", "true", "-o", &file], &file, "never changed");
    let broken = folder.file("b.smt2", "(assert \"");
    refused(&[&broken, "--cmd", "true"], &broken, "not SMT-LIB");
}

#[test]
fn a_wanted_outcome_stays() {
    let folder = Folder::new("expect");
    let file = folder.file("a.smt2", SCRIPT);
    let output = smelt(&[&file, "--expect", "builtin=sat"]);
    assert_eq!(stdout(&output), "(check-sat)\n");
}

#[test]
fn an_interrupt_leaves_the_best_so_far() {
    let folder = Folder::new("interrupt");
    let file = folder.file("a.smt2", SCRIPT);
    let out = folder.0.join("out.smt2").display().to_string();
    // Slow once it has accepted something smaller; `later` then grows with each check.
    let slow = format!(
        "cd {}; if [ -e accepted ]; then echo >> later; sleep 1; fi\n\
         grep -q mod \"$1\" || exit 1\n[ $(wc -c < \"$1\") -ge {} ] || touch accepted",
        folder.0.display(),
        SCRIPT.len() / 2
    );
    let slow = folder.program("slow", &slow);
    let child = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["reduce", &file, "--cmd", &slow, "-j", "1", "-o", &out])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| std::fs::read(folder.0.join("later")).is_ok_and(|lines| lines.len() >= 3));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("stopped early"));
    let best = std::fs::read_to_string(&out).unwrap();
    assert!(best.contains("mod") && best.len() < SCRIPT.len(), "{best}");
}

#[test]
fn unneeded_flags_of_a_solver_are_removed() {
    let folder = Folder::new("flags");
    let file = folder.file("a.smt2", SCRIPT);
    let solver =
        folder.program("solver", "[ \"$1\" = --bug ] || [ \"$2\" = --bug ] && echo unsat || echo sat");
    let config = folder.file("smelt.toml", "");
    let spec = format!("{solver} --other --bug=unsat");
    let spec = spec.replace("--bug=unsat", "--bug");
    let output = smelt(&[&file, "--expect", &format!("{spec}=unsat"), "--json", "--config", &config]);
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let json = json(&output);
    assert_eq!(json["solvers"][0], format!("{solver} --bug"));
}

/// Algorithm 7: one script is reduced, and the rule is tried again at each of its places; no solver proves anything.
#[test]
fn a_rule_after_which_the_solver_is_unsure_is_kept() {
    let folder = Folder::new("rule");
    let text = "(set-logic QF_BV)(declare-const p Bool)(declare-const q Bool)(declare-const x (_ BitVec 4))
(assert (bvult x #x5))(assert (and q (bvugt x #x2)))(assert p)(check-sat)";
    let file = folder.file("a.smt2", text);
    let second = folder.0.join("second.smt2").display().to_string();
    let rule = ["-S", "builtin:unknown-disjunction", "--rule", "and-or", "--pair-output", &second];
    let output = smelt(&[&[&*file], &rule[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let reduced = stdout(&output);
    assert!(
        reduced.contains("(and ") && !reduced.contains("(or ") && reduced.len() * 2 < text.len(),
        "{reduced}"
    );
    let after = std::fs::read_to_string(&second).unwrap();
    assert!(after.contains("(or ") && !after.contains("(and "), "{after}");
    assert!(stderr(&output).contains("no solver proves the implication"), "{}", stderr(&output));
    refused(&[&file, "-S", "builtin", "--rule", "none"], &file, "no rule `none`");
}
