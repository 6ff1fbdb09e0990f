//! States of bugs across campaigns: `smelt bugs mark` and `diff`, and the JUnit file.

use crate::common::{Folder, code, json, stderr, stdout};

const SEED: &str = "(set-logic QF_BV)(set-info :status unsat)(declare-const x (_ BitVec 4))\
    (declare-const y (_ BitVec 4))(assert (= y (bvadd x #x1)))\
    (assert (distinct (bvudiv x #x0) #xf))(check-sat)\n";

/// A folder with a campaign of one bug, and one that found nothing.
fn campaigns(name: &str) -> Folder {
    let folder = Folder::new(name).with("seed.smt2", SEED);
    for (out, solver) in [("found", "builtin:bvudiv-zero"), ("clean", "builtin")] {
        let line =
            format!("fuzz seed.smt2 -S builtin -S {solver} --seed 1 -n 5 --no-reduce -s shuffle --out {out}");
        folder.smelt(&line.split(' ').collect::<Vec<_>>());
    }
    let examined = folder.smelt(&["bugs", "examine", "found"]);
    assert_eq!(code(&examined), 10, "{}{}", stdout(&examined), stderr(&examined));
    folder
}

#[test]
fn a_bug_is_marked_as_known_filed_or_fixed() {
    let folder = campaigns("states");
    let list = |more: &[&str]| json(&folder.smelt(&[&["bugs", "found", "--json"], more].concat()));
    let bug = list(&[])[0].clone();
    let (id, print) = (bug["id"].as_str().unwrap(), bug["fingerprint"].as_str().unwrap());
    let filed = folder.smelt(&["bugs", "found", "mark", id, "filed", "https://x.example/1"]);
    assert_eq!(code(&filed), 0, "{}", stderr(&filed));
    let hidden = folder.smelt(&["bugs", "found"]);
    assert!(code(&hidden) == 0 && stdout(&hidden).contains("1 known"), "{}", stdout(&hidden));
    assert_eq!(list(&["--muted"])[0]["muted"], "filed https://x.example/1");
    folder.smelt(&["bugs", "found", "mark", id, "fixed", "in 9.9"]);
    let text = std::fs::read_to_string(folder.0.join("found/mute.txt")).unwrap();
    assert_eq!(text, format!("{print} fixed in 9.9\n"));
    let back = folder.smelt(&["bugs", "found"]);
    assert!(
        code(&back) == 10 && stdout(&back).contains("found again, although marked fixed in 9.9"),
        "{}",
        stdout(&back)
    );
    // A file of all campaigns.
    folder.file("known.txt", "# ours\n");
    folder.smelt(&["bugs", "found", "--mute", "known.txt", "mark", id, "known"]);
    assert_eq!(
        std::fs::read_to_string(folder.0.join("known.txt")).unwrap(),
        format!("# ours\n{print} known\n")
    );
    assert_eq!(code(&folder.smelt(&["bugs", "found", "--mute", "known.txt"])), 0);
    let nothing = folder.smelt(&["bugs", "found", "mark", "999", "known"]);
    assert!(code(&nothing) == 2 && stderr(&nothing).contains("999"), "{}", stderr(&nothing));
}

#[test]
fn campaigns_are_compared_and_told_to_other_programs() {
    let folder = campaigns("diff");
    let new = folder.smelt(&["bugs", "diff", "clean", "found"]);
    assert!(code(&new) == 10 && stdout(&new).contains("1 new, 0 gone, 0 in both"), "{}", stdout(&new));
    let gone = folder.smelt(&["bugs", "diff", "found", "clean"]);
    assert!(code(&gone) == 0 && stdout(&gone).contains("0 new, 1 gone, 0 in both"), "{}", stdout(&gone));
    let same = json(&folder.smelt(&["bugs", "diff", "found", "found", "--json"]));
    assert!(
        same["both"].as_array().unwrap().len() == 1 && same["new"].as_array().unwrap().is_empty(),
        "{same}"
    );
    let out = folder.smelt(&["bugs", "export", "found", "--junit", "smelt.xml"]);
    assert_eq!(code(&out), 10, "{}", stderr(&out));
    let text = std::fs::read_to_string(folder.0.join("smelt.xml")).unwrap();
    assert!(
        text.contains("tests=\"1\" failures=\"1\" skipped=\"0\"") && text.contains("<failure type="),
        "{text}"
    );
}
