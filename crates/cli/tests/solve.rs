//! `smelt solve` as a process: streaming, exit codes, faults that kill.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

fn solve(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .arg("solve")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn stdin_is_answered_command_by_command() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["solve", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |text: &str| {
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    };
    assert_eq!(ask("(declare-const x (_ BitVec 4))(assert (bvugt x #x3))(check-sat)\n"), "sat\n");
    assert_eq!(ask("(assert (bvult x #x2))(check-sat)"), "unsat\n");
    assert_eq!(ask("(reset)(check-sat)"), "sat\n");
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn faults_kill_the_process_as_real_bugs_do() {
    let crash = solve(
        &["--stdin", "--fault", "assertion-nested-ite"],
        "(assert (ite true (ite true true false) true))(check-sat)",
    );
    assert_eq!(crash.status.signal(), Some(6));
    let message = String::from_utf8(crash.stderr).unwrap();
    assert!(message.contains("Assertion `") && message.contains(".rs:417"), "{message}");
    let segfault = solve(&["--stdin", "--fault", "segfault-xor"], "(assert (xor true false))(check-sat)");
    assert_eq!(segfault.status.signal(), Some(11));
}

#[test]
fn faults_are_listed_and_others_are_wrong_usage() {
    let list = solve(&["--list-faults"], "");
    let text = String::from_utf8(list.stdout).unwrap();
    assert!(list.status.success() && text.lines().count() >= 12 && text.contains("bvudiv-zero"), "{text}");
    let unknown = solve(&["--stdin", "--fault", "nonsense"], "");
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(solve(&["/no/such/file.smt2"], "").status.code(), Some(2));
}

#[test]
fn a_fault_in_an_operator_leaves_other_formulas_alone() {
    let script = "(declare-const a Float16)(assert (fp.lt a a))(check-sat)";
    for fault in ["bvudiv-zero", "distinct-neighbours", "str-to-int-zeros"] {
        let out = solve(&["--stdin", "--fault", fault], script);
        assert_eq!(out.stdout, solve(&["--stdin"], script).stdout, "{fault}");
        assert_eq!(out.stdout, b"unsat\n");
    }
}
