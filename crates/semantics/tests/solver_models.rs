//! Slow: models of real solvers on the satisfiable seeds of the corpus are never false, and rarely unknown.
#![allow(clippy::print_stdout)] // a skipped test says so

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_smtlib::{Arena, parse_script};

fn satisfiable_seeds() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/seeds");
    let mut files: Vec<PathBuf> = std::fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .flat_map(|logic| std::fs::read_dir(logic.path().join("sat")).into_iter().flatten().flatten())
        .map(|e| e.path())
        .collect();
    files.sort();
    files
}

#[test]
fn models_of_solvers_are_true_or_unknown() {
    if std::env::var_os("SMELT_SLOW").is_none() {
        return println!("skipped: set SMELT_SLOW=1 or run `cargo xtask test --slow`");
    }
    let files = satisfiable_seeds();
    if files.is_empty() {
        return println!("skipped: there is no corpus/seeds");
    }
    let query = std::env::temp_dir().join(format!("smelt-models-{}.smt2", std::process::id()));
    let mut wrong = Vec::new();
    for solver in [&["z3", "-T:2"][..], &["cvc5", "--tlimit=2000"], &["cvc4", "--tlimit=2000"]] {
        if Command::new(solver[0]).arg("--version").output().is_err() {
            println!("skipped: {} is not installed", solver[0]);
            continue;
        }
        let (mut quantifier_free, mut unknown, mut all) = (0, 0, 0);
        for file in &files {
            let source = std::fs::read_to_string(file).unwrap();
            let text = source.replace("(exit)", "") + "\n(get-model)\n";
            std::fs::write(&query, format!("(set-option :produce-models true)\n{text}")).unwrap();
            let output = Command::new("timeout")
                .arg("4")
                .args(solver)
                .arg(&query)
                .stdin(Stdio::null())
                .output()
                .unwrap();
            if !output.stdout.starts_with(b"sat") {
                continue;
            }
            let mut arena = Arena::new();
            let parsed = parse_script(&mut arena, source.as_bytes()).unwrap();
            let goal = Goal::last(&parsed.script);
            let Ok(model) = Model::read(&mut arena, &parsed.scope, &goal, &output.stdout, Escapes::Standard)
            else {
                continue; // killed in the middle of its model
            };
            all += 1;
            let verdict = model.check(&arena, &goal).verdict();
            if file.to_string_lossy().contains("/QF_") {
                quantifier_free += 1;
                unknown += usize::from(verdict == Truth::Unknown);
            }
            if verdict == Truth::False {
                wrong.push(format!("{} {}", solver[0], file.display()));
            }
        }
        println!("{}: {all} models, {unknown} of {quantifier_free} without quantifiers unknown", solver[0]);
        assert!(unknown * 20 <= quantifier_free, "{}: {unknown} of {quantifier_free} unknown", solver[0]);
    }
    std::fs::remove_file(&query).unwrap();
    assert!(wrong.is_empty(), "false models:\n{}", wrong.join("\n"));
}
