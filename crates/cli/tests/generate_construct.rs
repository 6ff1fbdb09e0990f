//! `smelt generate construct` as a process.

use std::process::{Command, Output};

fn generate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smelt"))
        .args(["generate", "construct"])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn stats_count_rules_of_satisfiable_and_kernels_of_unsatisfiable_formulas() {
    for (preset, rule) in [("bv_few_sat", "bvudiv.by-zero"), ("fp_many_unsat", "float-interval")] {
        let output = generate(&["--preset", preset, "-n", "400", "--stats", "--json"]);
        assert_eq!(output.status.code(), Some(0));
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["made"], 400);
        assert!(document["rules"][rule].as_u64().unwrap() > 5, "{preset}: {}", document["rules"]);
        assert_eq!(document["options"], format!("preset={preset}"));
    }
}

#[test]
fn status_and_incremental_change_a_preset() {
    let output =
        generate(&["--preset", "bv_few_sat", "--status", "unsat", "--incremental", "2", "-o", "widths=65"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("preset=bv_few_sat status=unsat widths=65 checks=2\n"), "{text}");
    assert_eq!(text.matches("(check-sat)").count(), 2);
    assert_eq!(text.matches("; core: c").count(), 2);
    assert!(text.contains("(_ BitVec 65)"), "{text}");
}

#[test]
fn a_wrong_option_is_one_line_and_exit_2() {
    for arguments in [&["--preset", "bv_some_sat"][..], &["-o", "depth=0"], &["-o", "colour=red"]] {
        let output = generate(arguments);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("smelt: ") && message.lines().count() == 1, "{message}");
    }
}
