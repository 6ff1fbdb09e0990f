//! Solvers answer the printed text as they answer the original.
#![allow(clippy::print_stdout, reason = "the log says how many answers were compared")]

use std::path::Path;
use std::process::{Command, Stdio};

use smelt_smtlib::{Arena, parse_script};
use smelt_testing::{corpus, each_solver};

/// The answers and the number of errors in a solver's output; `None` when it ran out of time.
fn answers(solver: &[&str], file: &Path) -> Option<(Vec<String>, usize)> {
    let output =
        Command::new("timeout").arg("20").args(solver).arg(file).stdin(Stdio::null()).output().ok()?;
    if output.status.code() == Some(124) {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let verdicts =
        text.lines().filter(|l| matches!(*l, "sat" | "unsat" | "unknown")).map(str::to_owned).collect();
    Some((verdicts, text.matches("(error").count()))
}

/// Answers of a solver to files of the corpus and to what smelt prints of them.
fn solvers_answer_printed_text_as_the_original(solver: &str) {
    let command = if solver == "cvc5" { &["cvc5", "--incremental"][..] } else { &[solver] };
    let folder = std::env::temp_dir().join(format!("smelt-printed-{}-{solver}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let mut compared = 0;
    let mut different = Vec::new();
    for name in ["seeds", "regress", "known-bugs"] {
        let files = corpus(name);
        for file in files.iter().step_by((files.len() / 110).max(1)) {
            let source = std::fs::read(file).unwrap();
            let parsed = parse_script(&mut arena, &source).unwrap();
            let printed = folder.join("printed.smt2");
            std::fs::write(&printed, arena.display_script(&parsed.script)).unwrap();
            arena.rollback(empty);
            if let (Some(a), Some(b)) = (answers(command, file), answers(command, &printed)) {
                compared += 1;
                // A solver that rejects the original (another solver's dialect) may read what is printed.
                let rejected = a.0.is_empty() && a.1 > 0;
                if a != b && !rejected {
                    different.push(format!("{}: {a:?}, printed {b:?}", file.display()));
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{solver}: {compared} answers compared");
    assert!(compared > 0 && different.is_empty(), "{}", different.join("\n"));
}

each_solver!(solvers_answer_printed_text_as_the_original: z3 "needs z3, corpus, --slow", cvc5 "needs cvc5, corpus, --slow");
