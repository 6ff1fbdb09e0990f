//! Laws over real files: nearly all are read and typed, and printing loses nothing.
#![allow(clippy::print_stdout, reason = "a failing file is named in the log")]

use smelt_smtlib::{Arena, Flaw, Printer, Spelling, parse_script};
use smelt_testing::corpus;

/// Of the files in `folder`: at least these shares are parsed and typed.
fn check_shares(folder: &str, parsed_share: f64, typed_share: f64) {
    let files = corpus(folder);
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let (mut parsed, mut typed) = (0, 0);
    for file in &files {
        let source = std::fs::read(file).unwrap();
        match parse_script(&mut arena, &source) {
            Ok(p) => {
                parsed += 1;
                match p.diagnostics.iter().find(|d| d.flaw == Flaw::IllSorted) {
                    None => typed += 1,
                    Some(d) => println!("{}:{}", file.display(), d.locate(&source)),
                }
            }
            Err(e) => println!("{}:{}", file.display(), e.locate(&source)),
        }
        arena.rollback(empty);
    }
    let n = files.len() as f64;
    assert!(parsed as f64 >= n * parsed_share, "{folder}: {parsed} of {n} parsed");
    assert!(typed as f64 >= n * typed_share, "{folder}: {typed} of {n} typed");
}

#[test]
#[ignore = "needs corpus"]
fn all_seeds_are_parsed_and_typed() {
    check_shares("seeds", 1.0, 1.0);
}

#[test]
#[ignore = "needs corpus"]
fn regressions_are_parsed_and_nearly_all_typed() {
    check_shares("regress", 1.0, 0.98);
}

#[test]
#[ignore = "needs corpus"]
fn known_bugs_are_nearly_all_parsed_and_typed() {
    check_shares("known-bugs", 0.995, 0.98);
}

#[test]
#[ignore = "needs corpus"]
fn print_then_parse_gives_the_same_commands() {
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let mut text = Vec::new();
    for folder in ["seeds", "regress", "known-bugs"] {
        for file in corpus(folder) {
            let source = std::fs::read(&file).unwrap();
            let Ok(first) = parse_script(&mut arena, &source) else { continue };
            text.clear();
            Printer::new(&arena, &mut text).script(&first.script);
            let second = parse_script(&mut arena, &text).unwrap_or_else(|e| {
                panic!("{}: printed text does not parse: {}", file.display(), e.locate(&text))
            });
            assert_eq!(first.script, second.script, "{}", file.display());
            assert_eq!(first.diagnostics.len(), second.diagnostics.len(), "{}", file.display());
            arena.rollback(empty);
        }
    }
}

#[test]
#[ignore = "needs corpus"]
fn either_dialect_types_as_the_original_does() {
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let mut text = Vec::new();
    for file in corpus("seeds") {
        let source = std::fs::read(&file).unwrap();
        let first = parse_script(&mut arena, &source).unwrap();
        for spelling in [Spelling::Standard, Spelling::Legacy] {
            text.clear();
            Printer::new(&arena, &mut text).with_spelling(spelling).script(&first.script);
            let second = parse_script(&mut arena, &text).unwrap();
            assert_eq!(second.diagnostics, [], "{}", file.display());
        }
        arena.rollback(empty);
    }
}

#[test]
#[ignore = "needs corpus"]
fn a_rolled_back_arena_reads_as_a_new_one() {
    let mut used = Arena::new();
    let empty = used.checkpoint();
    for file in corpus("regress").into_iter().step_by(10) {
        let source = std::fs::read(&file).unwrap();
        let mut new = Arena::new();
        let (a, b) = (parse_script(&mut used, &source), parse_script(&mut new, &source));
        let (Ok(a), Ok(b)) = (a, b) else { continue };
        assert_eq!(a.script, b.script, "{}: ids are handed out alike", file.display());
        used.rollback(empty);
        assert_eq!(used.checkpoint(), empty);
    }
}
