//! Studies that machines share on a PostgreSQL server of the test's own.

use crate::books::smelt;
use crate::common::{Folder, code, json, stderr, stdout, wait_until};
use smelt_testing::Cluster;
use std::process::{Command, Stdio};

const FORMULAS: u64 = 400;

/// The same study on a machine, with answers in the store or in a file.
fn study(folder: &Folder, machine: &str, answers: [&str; 2]) -> Command {
    let mut command = smelt(folder, machine);
    command.args(["study", "core", "-S", "builtin", "-S", "builtin:segfault-xor", "-j", "1", "--json"]);
    command.args(["-n", &FORMULAS.to_string(), "--out", &folder.path(&format!("{machine}-out"))]);
    command.args(answers).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Every cell of a stage was done once, and no lease is held.
fn the_books_balance(cluster: &Cluster) {
    assert_eq!(cluster.sql("SELECT COUNT(*) FROM smelt_s.ranges"), "0");
    assert_eq!(cluster.sql("SELECT COUNT(*) FROM smelt_s.machines WHERE NOT gone"), "0");
    let given: u64 = cluster.sql("SELECT COALESCE(SUM(next), 0) FROM smelt_s.streams").parse().unwrap();
    let done: u64 = cluster.sql("SELECT COALESCE(SUM(cases), 0) FROM smelt_s.machines").parse().unwrap();
    assert!(given > 0 && given == done, "{given} given, {done} done");
    let answers = cluster.sql("SELECT COUNT(*) FROM \"smelt-answers-1\".outcomes");
    assert_eq!(answers, (2 * FORMULAS).to_string());
}

#[test]
#[ignore = "needs postgresql"]
fn machines_share_the_cells_of_a_study_and_all_see_the_whole() {
    let (cluster, folder) = (Cluster::start(), Folder::new("study-shared"));
    cluster.sql("CREATE ROLE smelt_add; CREATE ROLE worker LOGIN IN ROLE smelt_add");
    let place = format!("{}#s", cluster.url("smelt"));
    let machines = ["m0", "m1"].map(|m| study(&folder, m, ["--store", &place]).spawn().unwrap());
    let [one, two] = machines.map(|m| m.wait_with_output().unwrap());
    assert_eq!((code(&one), code(&two)), (10, 10), "{}{}", stderr(&one), stderr(&two));
    let (one, two) = (json(&one), json(&two));
    // Times too: they read the same answers.
    assert_eq!(one["cells"], two["cells"]);
    assert_eq!(one["triggers"], two["triggers"]);
    the_books_balance(&cluster);
    let alone = json(&study(&folder, "alone", ["--cache", &folder.path("cache")]).output().unwrap());
    for key in ["outcomes", "crash", "unsound", "invalid_model"] {
        for solver in 0..2 {
            assert_eq!(one["cells"][solver][0][key], alone["cells"][solver][0][key], "{key} of {solver}");
        }
    }
    // Who may only add finds all answers too, and has nothing to do.
    let place = format!("{}#s", cluster.url("worker"));
    let later = study(&folder, "m2", ["--store", &place]).output().unwrap();
    assert_eq!(code(&later), 10, "{}{}", stdout(&later), stderr(&later));
    assert_eq!(cluster.sql("SELECT COUNT(*) FROM smelt_s.machines"), "3");
    the_books_balance(&cluster);
    assert_eq!(json(&later)["cells"], one["cells"]);
}

#[test]
#[ignore = "needs postgresql"]
fn cells_of_a_machine_that_died_are_done_by_another() {
    let (cluster, folder) = (Cluster::start(), Folder::new("study-killed"));
    let place = format!("{}#s", cluster.url("smelt"));
    let mut first = study(&folder, "m0", ["--store", &place]).arg("--fresh").spawn().unwrap();
    let is_there = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'smelt-answers-1'";
    wait_until(|| cluster.sql(is_there) != "0");
    cluster.sql("INSERT INTO smelt_s.campaign VALUES ('lease_ms', '6000')");
    let held = "SELECT COUNT(*) FROM smelt_s.ranges";
    wait_until(|| cluster.sql(held) != "0");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_ne!(cluster.sql("SELECT COUNT(*) FROM smelt_s.machines WHERE NOT gone"), "0");
    let second = study(&folder, "m1", ["--store", &place]).arg("--fresh").output().unwrap();
    assert_eq!(code(&second), 10, "{}{}", stdout(&second), stderr(&second));
    the_books_balance(&cluster);
}
