//! The texts of the program: every help and the errors of common mistakes, as they are in `texts.txt`.
//!
//! `SMELT_BLESS=1 cargo test -p smelt texts` writes the file. Read the difference as a user would.

use crate::common::{Folder, code, stderr, stdout};
use crate::grammar::{COMMANDS, words};
use std::fmt::Write;
use std::path::Path;

/// Common mistakes, whose errors do not depend on the machine.
const MISTAKES: [&str; 31] = [
    "fuzz a.smt2 --time 90",
    "fuzz a.smt2 --time soon",
    "fuzz a.smt2 --time 0s",
    "fuzz a.smt2 --memory 4Q",
    "fuzz a.smt2 --tests 0",
    "fuzz a.smt2 -n many",
    "fuzz a.smt2 --seed -1",
    "fuzz a.smt2 -S builtin -s nothing",
    "fuzz a.smt2 -S builtin --shard 5/4",
    "fuzz a.smt2 -S builtin --shard 1/4 --schedule learn",
    "fuzz a.smt2 -S builtin --store folder",
    "fuzz nowhere -S builtin",
    "fuzz --resume --out nothing",
    "bugs nothing",
    "merge nothing --out all",
    "check nowhere.smt2 -S builtin",
    "check none.smt2 -S builtin",
    "check a.smt2 -S builtin:bvudiv-zer",
    "reduce a.smt2",
    "reduce a.smt2 -S builtin",
    "reduce a.smt2 -S builtin --slower-than 1x",
    "bisect a.smt2 -S nothing",
    "bisect a.smt2 -S builtin",
    "evolve -S builtin -R builtin --crossover 2",
    "enumerate ints --vars 9",
    "enumerate ints --size 100000",
    "mutate construct a.smt2",
    "generate fusion",
    "generate synthesis:preset=lists",
    "solve --fault nothing a.smt2",
    "serve --port 70000",
];

#[test]
fn every_help_and_every_error_reads_as_written() {
    let folder = Folder::new("texts")
        .with("a.smt2", "(declare-const x Int)\n(assert (> x 1))\n(check-sat)\n")
        .with("none.smt2", "(declare-const x Int)\n");
    let mut text = String::new();
    for command in COMMANDS {
        for flag in ["-h", "--help"] {
            let out = folder.command().args(words(command)).arg(flag).env("COLUMNS", "80").output().unwrap();
            writeln!(text, "$ smelt {command} {flag}\n{}", stdout(&out)).unwrap();
        }
    }
    for line in MISTAKES {
        let out = folder.smelt(&words(line));
        assert_eq!(code(&out), 2, "{line}: {}", stderr(&out));
        writeln!(text, "$ smelt {line}\n{}", stderr(&out).replace(env!("CARGO_PKG_VERSION"), "VERSION"))
            .unwrap();
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts.txt");
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    if std::env::var_os("SMELT_BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    } else if let Some((i, (now, then))) =
        text.lines().zip(written.lines()).enumerate().find(|(_, (a, b))| a != b)
    {
        panic!("{}:{}: now\n{now}\ninstead of\n{then}", file.display(), i + 1);
    } else {
        assert_eq!(text.len(), written.len(), "{} is shorter or longer", file.display());
    }
}
