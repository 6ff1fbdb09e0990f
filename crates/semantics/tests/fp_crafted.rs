//! The crafted floating-point suite: every file is decided as its `:status` says.
//!
//! By default a sample; all of it with SMELT_SLOW=1. Skipped where the corpus is not there.

#![allow(clippy::print_stdout)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use smelt_semantics::solver::{Session, Settings};

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/fp-crafted.tar.gz");
    path.exists().then_some(path)
}

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
fn every_file_is_decided_as_its_status_says() {
    let Some(archive) = corpus() else {
        println!("skipped: no corpus");
        return;
    };
    let slow = std::env::var_os("SMELT_SLOW").is_some();
    let files = files(&archive);
    assert!(files.len() > 2_000, "{}", files.len());
    let start = Instant::now();
    let mut decided = 0;
    let mut wrong = Vec::new();
    for file in files.iter().step_by(if slow { 1 } else { 9 }) {
        let status =
            file.lines().find_map(|l| l.strip_prefix("(set-info :status ")).unwrap().trim_end_matches(')');
        let (out, _) = Session::new(Settings::default()).answer(file.as_bytes());
        let answer = String::from_utf8(out).unwrap();
        decided += 1;
        if answer.trim() != status {
            wrong.push(format!("{} instead of {status}:\n{file}", answer.trim()));
        }
    }
    println!("{decided} files in {:.1?}, {} not as they say", start.elapsed(), wrong.len());
    assert!(wrong.is_empty(), "{} of {decided}:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
}
