//! The crafted floating-point suite: every file is decided as its `:status` says.
//!
//! By default a sample; all of it with `cargo xtask test --slow`.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use smelt_semantics::solver::{Session, Settings};

/// The files of the archive, cut at their ends.
fn files(archive: &Path) -> Vec<String> {
    let mut child = Command::new("tar")
        .arg("-xzOf")
        .arg(archive)
        .args(["--wildcards", "*.smt2"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    text.split_inclusive("(exit)").filter(|f| f.contains("(check-sat)")).map(str::to_owned).collect()
}

#[test]
#[ignore = "needs corpus"]
fn every_file_is_decided_as_its_status_says() {
    let files = files(&smelt_testing::corpus_folder("fp-crafted.tar.gz"));
    assert!(files.len() > 2_000, "{}", files.len());
    let mut decided = 0;
    let mut wrong = Vec::new();
    for file in files.iter().step_by(if smelt_testing::is_slow() { 1 } else { 9 }) {
        let status =
            file.lines().find_map(|l| l.strip_prefix("(set-info :status ")).unwrap().trim_end_matches(')');
        let (out, _) = Session::new(Settings::default()).answer(file.as_bytes());
        let answer = String::from_utf8(out).unwrap();
        decided += 1;
        if answer.trim() != status {
            wrong.push(format!("{} instead of {status}:\n{file}", answer.trim()));
        }
    }
    assert!(wrong.is_empty(), "{} of {decided}:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}
