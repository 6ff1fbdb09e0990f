//! A strategy of one's own in every command that knows strategies.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

struct Folder(PathBuf);

impl Folder {
    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_smelt-toy"));
        command.current_dir(&self.0).args(arguments.split_whitespace()).output().unwrap()
    }

    fn json(&self, arguments: &str) -> Value {
        let out = self.run(arguments);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        serde_json::from_slice(&out.stdout).unwrap_or_else(|e| panic!("{arguments}: {e}: {error}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_registered_strategy_is_listed_mutates_fuzzes_replays_and_resumes() {
    let folder = Folder(std::env::temp_dir().join(format!("smelt-toy-{}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let seed = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)";
    std::fs::write(folder.0.join("seed.smt2"), seed).unwrap();
    std::fs::write(folder.0.join("remark.txt"), "made for a test").unwrap();

    let rows = folder.json("strategies --json");
    assert!(rows["strategies"].as_array().unwrap().iter().any(|row| row["name"] == "toy"), "{rows}");

    let made = folder.json("mutate example:most=2 seed.smt2 -n 5 --seed 1 --remark remark.txt --json");
    let mutant = made["mutants"][0].as_str().unwrap();
    assert!(mutant.contains(" most=2\n; made for a test\n"), "{mutant}");
    let refused = folder.run("mutate toy:least=2 seed.smt2");
    assert!(
        String::from_utf8_lossy(&refused.stderr)
            .contains("toy has no option `least`: choose one of most, remark")
    );

    let first = folder.json(
        "fuzz seed.smt2 -s toy:remark=remark.txt -S builtin -S builtin:segfault-xor --seed 1 -j 1 --tests 10 \
         --no-reduce --out out --json",
    );
    assert_eq!(first["by_strategy"]["toy"], 10, "{first}");
    let finding = &first["findings"][0];
    assert_eq!((&finding["kind"], &finding["strategy"]), (&"crash".into(), &"toy".into()), "{first}");

    // From here on the campaign must do without the file.
    std::fs::remove_file(folder.0.join("remark.txt")).unwrap();
    let stored = std::fs::read(folder.0.join(finding["file"].as_str().unwrap())).unwrap();
    assert!(String::from_utf8_lossy(&stored).contains("; made for a test\n"));
    let replayed = folder.run(&format!("replay {} out --print", finding["id"].as_str().unwrap()));
    assert_eq!(replayed.stdout, stored);

    let second = folder.json("fuzz --resume --tests 25 --out out --save-cases cases --no-reduce --json");
    assert_eq!(second["by_strategy"]["toy"], 25, "{second}");
    for case in std::fs::read_dir(folder.0.join("cases")).unwrap() {
        let text = std::fs::read_to_string(case.unwrap().path()).unwrap();
        assert!(text.contains("; made for a test\n"), "{text}");
    }
}
