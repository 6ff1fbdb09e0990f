//! Models of real solvers on the satisfiable seeds of the corpus are never false, and rarely unknown.
#![allow(clippy::print_stdout, reason = "the log says how many models were checked")]

use std::path::PathBuf;
use std::process::{Command, Stdio};

use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_smtlib::{Arena, parse_script};
use smelt_testing::each_solver;

fn satisfiable_seeds() -> Vec<PathBuf> {
    let root = smelt_testing::corpus_folder("seeds");
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

fn models_of_solvers_are_true_or_unknown(solver: &str) {
    let limit = if solver == "z3" { "-T:2" } else { "--tlimit=2000" };
    let files = satisfiable_seeds();
    let query = std::env::temp_dir().join(format!("smelt-models-{}-{solver}.smt2", std::process::id()));
    let mut wrong = Vec::new();
    let (mut quantifier_free, mut unknown, mut all) = (0, 0, 0);
    for file in &files {
        let source = std::fs::read_to_string(file).unwrap();
        let text = source.replace("(exit)", "") + "\n(get-model)\n";
        std::fs::write(&query, format!("(set-option :produce-models true)\n{text}")).unwrap();
        let mut command = Command::new("timeout");
        command.arg("20").args([solver, limit]).arg(&query).stdin(Stdio::null());
        let output = command.output().unwrap();
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
            wrong.push(file.display().to_string());
        }
    }
    std::fs::remove_file(&query).unwrap();
    println!("{solver}: {all} models, {unknown} of {quantifier_free} without quantifiers unknown");
    assert!(all > 0 && unknown * 20 <= quantifier_free, "{unknown} of {quantifier_free} unknown");
    assert!(wrong.is_empty(), "false models:\n{}", wrong.join("\n"));
}

each_solver!(models_of_solvers_are_true_or_unknown: z3 "needs z3, corpus, --slow", cvc5 "needs cvc5, corpus, --slow",
    cvc4 "needs cvc4, corpus, --slow");
