//! Coverage of real instrumented programs that read SMT-LIB and behave like solvers: counts and rewards as computed by
//! hand.

use smelt_core::OutcomeKind;
use smelt_search::coverage::{Coverage, Gcov, Ledger, Lines, Llvm};
use smelt_solvers::{
    Catalog, Limits, Mode, Profiles, Query, Session, SessionConfig, Solver, SolverSpec, Zoo,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Says unsat if it counts more than two: one for each assertion, two for each other line that contains `distinct`.
const C: &str = r#"#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[4096];
    int count = 0;
    FILE *in = fopen(argv[argc - 1], "r");
    if (!in)
        return 1;
    while (fgets(line, sizeof line, in))
        if (!strncmp(line, "(assert", 7))
            count++;
        else if (strstr(line, "distinct"))
            count += 2;
    puts(count > 2 ? "unsat" : "sat");
    return 0;
}
"#;

/// The same in a language whose compiler brings LLVM's coverage along.
const RUST: &str = r#"fn main() {
    let path = std::env::args().last().unwrap();
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut count = 0;
    for line in text.lines() {
        if line.starts_with("(assert") {
            count += 1;
        }
    }
    println!("{}", if count > 2 { "unsat" } else { "sat" });
}
"#;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("smelt-coverage-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn compile(folder: &Path, source: (&str, &str), compiler: &str, arguments: &[&str]) {
    std::fs::write(folder.join(source.0), source.1).unwrap();
    let done = Command::new(compiler).args(arguments).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{compiler} cannot build {}: {done:?}", source.0);
}

fn solver(program: &Path) -> Solver {
    let catalog = Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), None);
    catalog.resolve(&program.display().to_string().parse::<SolverSpec>().unwrap()).unwrap()
}

/// The lines that a run covered.
fn covered(coverage: &dyn Coverage, solver: &Solver, script: &str, wanted: OutcomeKind) -> Option<Lines> {
    let prepared = coverage.prepare(solver.clone(), 0).unwrap();
    let limits = Limits::within(Duration::from_secs(120));
    let config = SessionConfig { mode: Mode::File, limits, ..SessionConfig::default() };
    let finished = Session::new(prepared, config).run(Query::new(script)).unwrap();
    assert_eq!(finished.outcome.kind, wanted, "{finished:?}");
    coverage.collect(0, &finished).unwrap().map(|b| b.lines)
}

const TWO: &str = "(set-logic QF_S)\n(assert true)\n(assert true)\n(check-sat)\n";
const THREE: &str = "(set-logic QF_S)\n(assert true)\n(assert true)\n(assert true)\n(check-sat)\n";
const OTHER: &str = "(set-logic QF_S)\n(define-fun d () Bool (distinct 1 2))\n(assert true)\n(check-sat)\n";

#[test]
#[ignore = "needs gcc, gcov"]
fn gcov_counts_lines_and_rewards_are_as_computed_by_hand() {
    let folder = Folder::new("gcov");
    let arguments = ["--coverage", "-O0", "-o", "reader", "reader.c"];
    compile(&folder.0, ("reader.c", C), "gcc", &arguments);
    let solver = solver(&folder.0.join("reader"));
    let gcov = Gcov::new(folder.0.join("data")).unwrap();
    let run = |script, wanted| covered(&gcov, &solver, script, wanted).expect("it left data");
    let once = [4, 6, 7, 8, 15, 16].map(|line| (line, 1));
    let expected = |rest: &[(u32, u64)]| {
        let mut all = [&once, rest].concat();
        all.sort_unstable();
        all
    };
    let only = |lines: &Lines| {
        assert_eq!(lines.len(), 1, "{lines:?}");
        // Whether the closing brace counts differs between compilers.
        lines.values().next().unwrap().iter().copied().filter(|l| l.0 != 17).collect::<Vec<_>>()
    };
    let mut ledger = Ledger::default();
    let mut reward = |lines: &Lines| {
        let kept = lines.keys().map(|file| (file.clone(), only(lines))).collect();
        ledger.reward(&kept)
    };

    // Four lines, two of them assertions. The file is new.
    let first = run(TWO, OutcomeKind::Sat);
    assert_eq!(only(&first), expected(&[(10, 5), (11, 4), (12, 2), (13, 2)]));
    assert_eq!(reward(&first), 1000.0);

    // Five lines, three of them assertions: the loop, its test and the counter run more often than ever (10 x 6, 10 x 5,
    // 10 x 3); line 13 as often as before, and six lines once again.
    let second = run(THREE, OutcomeKind::Unsat);
    assert_eq!(only(&second), expected(&[(10, 6), (11, 5), (12, 3), (13, 2)]));
    assert_eq!(reward(&second), 60.0 + 50.0 + 30.0 + 1.0 + 6.0);

    // One assertion and a new line, 14 (100 x 1, and 1); line 13 runs more often than ever (10 x 3); nine lines do not.
    let third = run(OTHER, OutcomeKind::Unsat);
    assert_eq!(only(&third), expected(&[(10, 5), (11, 4), (12, 1), (13, 3), (14, 1)]));
    assert_eq!(reward(&third), 101.0 + 30.0 + 9.0);

    // The counts of one run do not add to those of the next.
    assert_eq!(run(TWO, OutcomeKind::Sat), first);
}

#[test]
#[ignore = "needs gcc, gcov"]
fn a_program_that_is_not_instrumented_has_no_coverage() {
    let folder = Folder::new("plain");
    let arguments = ["-O0", "-o", "reader", "reader.c"];
    compile(&folder.0, ("reader.c", C), "gcc", &arguments);
    let gcov = Gcov::new(folder.0.join("data")).unwrap();
    assert_eq!(covered(&gcov, &solver(&folder.0.join("reader")), TWO, OutcomeKind::Sat), None);
}

#[test]
#[ignore = "needs rustc, llvm-tools"]
fn llvm_counts_lines_of_a_program_with_source_coverage() {
    let folder = Folder::new("llvm");
    let arguments = ["-C", "instrument-coverage", "-o", "reader", "reader.rs"];
    compile(&folder.0, ("reader.rs", RUST), "rustc", &arguments);
    let program = folder.0.join("reader");
    let llvm = Llvm::new(folder.0.join("data"), &program).unwrap();
    let solver = solver(&program);
    let prepared = llvm.prepare(solver.clone(), 0).unwrap();
    let config = SessionConfig { mode: Mode::File, ..SessionConfig::default() };
    let finished = Session::new(prepared, config).run(Query::new(TWO)).unwrap();
    let lines = llvm.collect(0, &finished).unwrap().expect("the program left data").lines;
    let (_, rows) = lines.iter().find(|(file, _)| file.ends_with("reader.rs")).unwrap();
    assert!(rows.contains(&(7, 2)) && rows.contains(&(4, 1)), "two assertions: {rows:?}");
}
