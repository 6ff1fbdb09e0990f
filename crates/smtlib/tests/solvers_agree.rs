//! Slow: solvers answer the printed text as they answer the original. Run by `cargo xtask test --slow`.
#![allow(clippy::print_stdout)] // a skipped test says so

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

use smelt_smtlib::{Arena, parse_script};

/// The answers and the number of errors in a solver's output; `None` when it ran out of time.
fn answers(solver: &[&str], file: &Path) -> Option<(Vec<String>, usize)> {
    let output =
        Command::new("timeout").arg("5").args(solver).arg(file).stdin(Stdio::null()).output().ok()?;
    if output.status.code() == Some(124) {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let verdicts =
        text.lines().filter(|l| matches!(*l, "sat" | "unsat" | "unknown")).map(str::to_owned).collect();
    Some((verdicts, text.matches("(error").count()))
}

#[test]
fn solvers_answer_printed_text_as_the_original() {
    if std::env::var_os("SMELT_SLOW").is_none() {
        return println!("skipped: set SMELT_SLOW=1 or run `cargo xtask test --slow`");
    }
    let folder = std::env::temp_dir().join(format!("smelt-printed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let mut compared = 0;
    let mut different = Vec::new();
    for solver in [&["z3"][..], &["cvc5", "--incremental"]] {
        if Command::new(solver[0]).arg("--version").output().is_err() {
            println!("skipped: {} is not installed", solver[0]);
            continue;
        }
        for name in ["seeds", "regress", "known-bugs"] {
            let files = common::corpus(name);
            for file in files.iter().step_by((files.len() / 110).max(1)) {
                let source = std::fs::read(file).unwrap();
                let parsed = parse_script(&mut arena, &source).unwrap();
                let printed = folder.join("printed.smt2");
                std::fs::write(&printed, arena.display_script(&parsed.script)).unwrap();
                arena.rollback(empty);
                if let (Some(a), Some(b)) = (answers(solver, file), answers(solver, &printed)) {
                    compared += 1;
                    // Refused as written (another solver's dialect), read as printed: nothing to compare.
                    let refused = a.0.is_empty() && a.1 > 0;
                    if a != b && !refused {
                        different.push(format!("{} {}: {a:?}, printed {b:?}", solver[0], file.display()));
                    }
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{compared} answers compared");
    assert!(different.is_empty(), "{}", different.join("\n"));
}
