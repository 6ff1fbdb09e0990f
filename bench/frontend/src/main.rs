//! smelt's front end against yaspar-ir: parse plus type check, one core, one run, the same files.
//!
//! Usage: `bench-frontend FOLDER`. Run through `cargo xtask bench`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use smelt_smtlib::{Arena, Flaw, parse_script};
use yaspar_ir::ast::{Context, Typecheck};
use yaspar_ir::untyped::UntypedAst;

fn scripts(root: PathBuf) -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "smt2") {
                texts.extend(String::from_utf8(std::fs::read(path).expect("a readable file")));
            }
        }
    }
    texts
}

fn smelt(arena: &mut Arena, text: &str) -> bool {
    let empty = arena.checkpoint();
    let result = parse_script(arena, text.as_bytes());
    let ok = result.is_ok_and(|p| p.diagnostics.iter().all(|d| d.flaw == Flaw::Undeclared));
    arena.rollback(empty);
    ok
}

fn yaspar(text: &str) -> bool {
    let Ok(commands) = UntypedAst.parse_script_str(text) else { return false };
    commands.type_check(&mut Context::new()).is_ok()
}

/// Median of several passes.
fn time(mut pass: impl FnMut()) -> f64 {
    let mut times: Vec<Duration> = (0..7)
        .map(|_| {
            let start = Instant::now();
            pass();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn main() {
    let folder = std::env::args().nth(1).expect("usage: bench-frontend FOLDER");
    let texts = scripts(folder.into());
    let mut arena = Arena::new();
    std::panic::set_hook(Box::new(|_| {}));
    let (mut ours, mut both) = (Vec::new(), Vec::new());
    let mut theirs = 0;
    for text in &texts {
        let accepted = std::panic::catch_unwind(|| yaspar(text)).unwrap_or(false);
        theirs += usize::from(accepted);
        if smelt(&mut arena, text) {
            ours.push(text);
            if accepted {
                both.push(text);
            }
        }
    }
    let bytes = |texts: &[&String]| texts.iter().map(|t| t.len()).sum::<usize>() as f64 / 1e6;
    println!("{} files: smelt types {}, yaspar-ir {theirs}, both {}", texts.len(), ours.len(), both.len());
    let all = time(|| assert!(ours.iter().all(|t| smelt(&mut arena, t))));
    println!("smelt, all it accepts: {:.1} MB/s", bytes(&ours) / all);
    let mine = time(|| assert!(both.iter().all(|t| smelt(&mut arena, t))));
    let other = time(|| assert!(both.iter().all(|t| yaspar(t))));
    println!("on the files both accept ({:.2} MB):", bytes(&both));
    println!("  smelt     {:.1} MB/s", bytes(&both) / mine);
    println!("  yaspar-ir {:.1} MB/s", bytes(&both) / other);
    println!("  ratio     {:.1}", other / mine);
}
