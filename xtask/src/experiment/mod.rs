//! `cargo xtask experiment`: the experiments of the papers, each made again by one command.
//!
//! A row names an experiment, its source and its budget; a module runs it. `lab` has what all need: the program,
//! solvers, repetitions and the cache of results. `page` writes the page.

mod chains;
mod found;
mod lab;
mod mutants;
mod page;
mod peers;
mod releases;
mod slow;
mod strings;
mod yields;

use std::path::PathBuf;
use std::time::Duration;

use lab::Lab;
use page::Page;

use crate::{options, root, target};

/// An experiment.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The paper, and the tables or figures there.
    pub(crate) source: &'static str,
    /// What it shows, in a sentence.
    pub(crate) shows: &'static str,
    /// The usual time of all units, in minutes.
    minutes: u64,
    run: fn(&mut Lab) -> Result<Page, String>,
}

/// All experiments.
pub(crate) const ROWS: &[Row] = &[
    mutants::COST,
    mutants::THROUGHPUT,
    found::RETRIGGER,
    releases::RELEASES,
    releases::LIFETIME,
    found::CONCAT,
    found::FUNCTIONS,
    chains::TRACES,
    found::ORTHOGONAL,
    chains::FASTER,
    strings::ROW,
    found::BITS,
    slow::ROW,
    peers::ROW,
    yields::ROW,
];

/// What to do.
pub(crate) struct Settings {
    action: Action,
    smelt: Option<PathBuf>,
    budget: Option<u64>,
    each: Option<u64>,
    repeat: Option<usize>,
    only: Vec<String>,
    solvers: Vec<String>,
    seeds: Option<PathBuf>,
    sample: Option<usize>,
    out: PathBuf,
    work: PathBuf,
    /// The command line, as it is printed on the page.
    command: String,
}

enum Action {
    List,
    Index,
    Run(&'static Row),
}

impl Settings {
    pub(crate) fn read(options: &[&str]) -> Option<Settings> {
        let (action, rest) = match options {
            ["--list", rest @ ..] => (Action::List, rest),
            ["--index", rest @ ..] => (Action::Index, rest),
            [name, rest @ ..] => (Action::Run(ROWS.iter().find(|r| r.name == *name)?), rest),
            [] => return None,
        };
        let mut s = Settings {
            action,
            smelt: None,
            budget: None,
            each: None,
            repeat: None,
            only: Vec::new(),
            solvers: Vec::new(),
            seeds: None,
            sample: None,
            out: root().join("docs/experiments"),
            work: target().join("experiment"),
            command: format!("cargo xtask experiment {}", without_places(options).join(" ")),
        };
        options::read(rest, |name, values| {
            match name {
                "--budget" => s.budget = Some(values.seconds()?),
                "--each" => s.each = Some(values.seconds()?),
                "--repeat" => s.repeat = Some(values.count()?),
                "--only" => s.only = values.text()?.split(',').map(str::to_owned).collect(),
                "-S" => s.solvers.push(values.text()?),
                "--seeds" => s.seeds = Some(values.parse()?),
                "--sample" => s.sample = Some(values.count()?),
                "--smelt" => s.smelt = Some(values.parse()?),
                "--out" => s.out = values.parse()?,
                "--work" => s.work = values.parse()?,
                _ => return None,
            }
            Some(())
        })?;
        Some(s)
    }
}

/// The options that say what is measured: not where programs and results are on this machine.
fn without_places<'a>(options: &[&'a str]) -> Vec<&'a str> {
    const PLACES: [&str; 4] = ["--smelt", "--out", "--work", "--seeds"];
    let mut kept = Vec::new();
    let mut all = options.iter();
    while let Some(option) = all.next() {
        match PLACES.contains(option) {
            true => drop(all.next()),
            false => kept.push(*option),
        }
    }
    kept
}

pub(crate) fn experiment(s: &Settings) -> Result<(), String> {
    let row = match s.action {
        Action::List => {
            for row in ROWS {
                println!("{:<18} {:>4} min  {}: {}", row.name, row.minutes, row.source, row.shows);
            }
            return Ok(());
        }
        Action::Index => {
            let file = s.out.join("README.md");
            return std::fs::write(&file, page::index(&s.out))
                .map_err(|e| format!("{}: {e}", file.display()));
        }
        Action::Run(row) => row,
    };
    // SAFETY: takes a number. Experiments must not slow down other work on the machine.
    unsafe { libc::nice(19) };
    let mut lab = Lab::new(crate::smelt(s.smelt.as_ref())?, s.work.join(row.name))?;
    lab.budget = Duration::from_secs(s.budget.unwrap_or(row.minutes * 60));
    lab.each = s.each.map(Duration::from_secs);
    lab.repeat = s.repeat.unwrap_or(lab.repeat);
    lab.sample = s.sample.unwrap_or(lab.sample);
    (lab.only, lab.solvers, lab.seeds) = (s.only.clone(), s.solvers.clone(), s.seeds.clone());
    let page = (row.run)(&mut lab)?;
    page::write(&s.out, row, &page, &lab, &s.command)?;
    println!("{}", s.out.join(format!("{}.md", row.name)).display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ROWS, without_places};
    use crate::{root, target};
    use std::collections::BTreeSet;
    use std::process::Command;

    #[test]
    fn the_command_on_a_page_names_no_places() {
        let options = ["yield", "--smelt", "/x/smelt", "--budget", "5s", "--out", "/y"];
        assert_eq!(without_places(&options), ["yield", "--budget", "5s"]);
    }

    #[test]
    fn experiments_have_different_names() {
        let names: BTreeSet<&str> = ROWS.iter().map(|r| r.name).collect();
        assert_eq!(names.len(), ROWS.len());
    }

    /// Each in its own process: an experiment waits for all processes that it started.
    #[test]
    #[ignore = "needs --slow"]
    fn every_experiment_runs_on_the_built_in_solver_and_writes_its_page() {
        let built = crate::cargo(&["build", "-q", "-p", "smelt", "-p", "xtask"]).status();
        assert!(built.is_ok_and(|s| s.success()), "cannot build smelt and xtask");
        let folder = tempfile::tempdir().unwrap();
        let seeds = folder.path().join("seeds");
        std::fs::create_dir_all(&seeds).unwrap();
        let scripts = [
            "(set-logic QF_BV)\n(set-info :status sat)\n(declare-const x (_ BitVec 4))\n(declare-const y (_ BitVec 4))\n\
             (assert (= y (bvudiv x #x0)))\n(assert (distinct x y #x3))\n(check-sat)\n",
            "(set-logic QF_LIA)\n(set-info :status sat)\n(declare-const a Int)\n(declare-const p Bool)\n\
             (assert (xor p (> a 3)))\n(check-sat)\n",
        ];
        for (i, script) in scripts.iter().enumerate() {
            std::fs::write(seeds.join(format!("{i}.smt2")), script).unwrap();
        }
        let out = folder.path().join("pages");
        for row in ROWS {
            // Of experiments with many units of the same kind, some.
            let only = match row.name {
                "yield" | "throughput" | "peers" => "operator,opfuzz",
                "functions" => "all functions",
                "bits" => "bv_few_sat",
                "slow" => "single objective/",
                "retrigger" => "known,PST,operator",
                _ => "",
            };
            let mut command = Command::new(target().join("debug/xtask"));
            command.args(["experiment", row.name, "--budget", "2s", "--repeat", "1", "--sample", "2"]);
            if !only.is_empty() {
                command.args(["--only", only]);
            }
            command.args(["-S", "builtin", "-S", "builtin:bvudiv-zero", "--seeds"]).arg(&seeds);
            command.arg("--smelt").arg(target().join("debug/smelt")).arg("--out").arg(&out);
            command.arg("--work").arg(folder.path().join("work")).current_dir(root());
            let ran = command.output().unwrap();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success(), "{}: {said}", row.name);
            let page = std::fs::read_to_string(out.join(format!("{}.md", row.name))).unwrap();
            for part in ["- Verdict: **", "- What differs: ", "\n| ", "## How this page was made"] {
                assert!(page.contains(part), "{}: no {part} in {page}", row.name);
            }
            assert!(!page.contains(&folder.path().display().to_string()), "{page}");
        }
        let index = std::fs::read_to_string(out.join("README.md")).unwrap();
        assert!(ROWS.iter().all(|r| index.contains(&format!("[{0}]({0}.md)", r.name))), "{index}");
    }
}
