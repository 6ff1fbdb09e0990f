//! `smelt parse` as a user meets it.

use crate::common::{Folder, json, text};
use std::process::Output;

fn folder(test: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(test);
    std::fs::create_dir_all(folder.0.join("inner")).unwrap();
    files.iter().fold(folder, |folder, (name, text)| folder.with(name, text))
}

fn parse(folder: &Folder, arguments: &[&str]) -> Output {
    folder.smelt(&[&["parse"], arguments].concat())
}

const GOOD: &str = "; EXPECT: sat\n(declare-const x Int)\n(assert (> x (- 1)))(check-sat) ; why\n";

#[test]
fn a_good_file_is_counted_and_exits_0() {
    let f = folder("good", &[("a.smt2", GOOD)]);
    let out = parse(&f, &["a.smt2"]);
    assert_eq!(out.status.code(), Some(0));
    assert!(text(&out.stdout).starts_with("1 file, "), "{}", text(&out.stdout));
    assert_eq!(text(&out.stderr), "");
}

#[test]
fn print_gives_the_canonical_form_with_header_comments() {
    let f = folder("print", &[("a.smt2", GOOD)]);
    let out = parse(&f, &["--print", "a.smt2"]);
    assert_eq!(
        text(&out.stdout),
        "; EXPECT: sat\n(declare-const x Int)\n(assert (> x (- 1)))\n(check-sat)\n; why\n"
    );
}

#[test]
fn print_in_either_dialect() {
    let f = folder("dialect", &[("a.smt2", "(assert (= (str.to.int \"1\") (str.to_code \"a\")))")]);
    let out = parse(&f, &["--print", "--names", "standard", "a.smt2"]);
    assert_eq!(text(&out.stdout), "(assert (= (str.to_int \"1\") (str.to_code \"a\")))\n");
    let out = parse(&f, &["--print", "--names", "legacy", "a.smt2"]);
    assert_eq!(text(&out.stdout), "(assert (= (str.to.int \"1\") (str.code \"a\")))\n");
}

#[test]
fn json_is_one_document_with_the_promised_fields() {
    let f =
        folder("json", &[("a.smt2", GOOD), ("b.smt2", "(assert (+ true 1))"), ("inner/c.smt2", "(assert (")]);
    let out = parse(&f, &["--json", "."]);
    assert_eq!(out.status.code(), Some(2));
    let json = json(&out);
    assert_eq!((&json["files"], &json["parsed"], &json["typed"]), (&3.into(), &2.into(), &1.into()));
    assert!(json["bytes"].as_u64().unwrap() > 0 && json["seconds"].as_f64().is_some());
    let failures: Vec<_> =
        json["failures"].as_array().unwrap().iter().map(|f| f["stage"].as_str().unwrap()).collect();
    assert_eq!(failures, ["type", "parse"]);
}

#[test]
fn a_broken_file_in_a_folder_is_listed_and_the_others_are_read() {
    let f = folder("folder", &[("a.smt2", GOOD), ("b.smt2", "(assert (or x\n"), ("c.smt2", GOOD)]);
    let out = parse(&f, &["."]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stdout).contains("3 files") && text(&out.stdout).contains("2 parsed"));
    assert_eq!(text(&out.stderr), "parse: ./b.smt2:2:1: expected a term, found the end of the input\n");
}

#[test]
fn bad_paths_exit_2_with_one_line() {
    let f = folder("paths", &[("notes.txt", "hello")]);
    for (path, line) in [
        ("nowhere.smt2", "smelt: cannot read nowhere.smt2: No such file or directory (os error 2)\n"),
        (".", "smelt: no .smt2 file in .\n"),
        ("notes.txt", "parse: notes.txt:1:1: expected `(` before a command, found `hello`\n"),
    ] {
        let out = parse(&f, &[path]);
        assert_eq!(out.status.code(), Some(2), "{path}");
        assert_eq!(text(&out.stderr), line);
    }
    assert_eq!(parse(&f, &[]).status.code(), Some(2), "no path at all is wrong usage");
}

#[test]
fn a_user_file_of_signatures_is_read() {
    let f = folder(
        "signatures",
        &[
            ("a.smt2", "(declare-const c Color)(assert (= (mix c red) red))"),
            (
                "mine.sig",
                "(theory Mine)(sort Color)(fun red () Color)(fun mix (Color Color) Color :left-assoc)",
            ),
            ("bad.sig", "(theory Mine)\n(fun red () Colour)"),
        ],
    );
    let out = parse(&f, &["--signatures", "mine.sig", "a.smt2"]);
    assert!(text(&out.stdout).contains("1 typed, 0 with undeclared names"), "{}", text(&out.stdout));
    let out = parse(&f, &["--signatures", "bad.sig", "a.smt2"]);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(text(&out.stderr), "smelt: bad.sig:2:13: no sort `Colour` is declared\n");
}
