//! `peers`: smelt beside yinyang, on the same seeds, with the same solvers, time and cores.
//!
//! In each round every tool runs once, in random order, without reducing anything. Afterwards all results go
//! through smelt's triage: scripts saved by yinyang run through `smelt check`, and one script per kind of finding
//! is then examined like smelt's own findings. A bug is a fingerprint.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Row;
use super::lab::{Lab, Spread, chance, collect, copy_by_label, with_solvers, words};
use super::page::{Page, Part, Verdict};
use super::yields::{is_certified, strings};
use crate::yinyang::{Counts, Task, Yinyang};

pub(super) const ROW: Row = Row {
    name: "peers",
    source: "no paper: the tools of the papers beside smelt",
    shows: "Answers a second and distinct certified bugs of yinyang's programs and of smelt, in equal budgets.",
    minutes: 105,
    run,
};

/// Contenders: the tool, and its program or strategy; an empty strategy is smelt's default.
const CONTENDERS: [(Tool, &str); 7] = [
    (Tool::Yinyang, "opfuzz"),
    (Tool::Smelt, "operator"),
    (Tool::Yinyang, "typefuzz"),
    (Tool::Smelt, "generative"),
    (Tool::Yinyang, "yinyang"),
    (Tool::Smelt, "fusion"),
    (Tool::Smelt, ""),
];

/// The most time for one solver on one test, in seconds.
const TIMEOUT: u64 = 2;
/// How long the triage may reduce one finding, and all of a run.
const EACH: &str = "10s";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Smelt,
    Yinyang,
}

fn name(contender: usize) -> String {
    match CONTENDERS[contender] {
        (Tool::Yinyang, program) => format!("yinyang's {program}"),
        (Tool::Smelt, "") => "smelt's default".to_owned(),
        (Tool::Smelt, strategy) => format!("smelt's {strategy}"),
    }
}

/// One run: what all runs of a round have in common.
struct Round<'a> {
    lab: &'a Lab,
    solvers: &'a [String],
    files: &'a [PathBuf],
    number: usize,
    time: Duration,
}

fn run(lab: &mut Lab) -> Result<Page, String> {
    let solvers = lab.solvers(&["z3@4.8.5", "cvc4"])?;
    let share = lab.share(CONTENDERS.len() * lab.repeat);
    let mut runs: Vec<Vec<Value>> = vec![Vec::new(); CONTENDERS.len()];
    for round in 0..lab.repeat {
        let files = lab.scripts("seeds", lab.sample, round as u64)?;
        let mut order: Vec<usize> = (0..CONTENDERS.len()).collect();
        order.sort_by_key(|c| chance((round, *c)));
        for c in order {
            let depends_on = chance(format!("{share:?} {solvers:?} {files:?}"));
            let unit = format!("{}/{}", name(c), round + 1);
            let value = lab.unit(&unit, depends_on, |lab, folder| {
                let r = Round { lab, solvers: &solvers, files: &files, number: round, time: share };
                // Without Python's packages, or with solvers that are not programs, the other tool cannot run.
                r.run(c, folder).or_else(|what| match CONTENDERS[c].0 {
                    Tool::Yinyang => Ok(json!({"left_out": what})),
                    Tool::Smelt => Err(what),
                })
            })?;
            runs[c].extend(value);
        }
    }
    Ok(page(lab, &runs, &solvers, share))
}

fn page(lab: &Lab, runs: &[Vec<Value>], solvers: &[String], share: Duration) -> Page {
    let (mut rows, mut bars, mut rates, mut left_out) = (Vec::new(), Vec::new(), Vec::new(), BTreeSet::new());
    for (c, all) in runs.iter().enumerate() {
        left_out.extend(all.iter().filter_map(|r| r["left_out"].as_str()));
        let own: Vec<&Value> = all.iter().filter(|r| r["left_out"].is_null()).collect();
        let of = |key: &str| own.iter().map(|r| r[key].as_f64().unwrap_or_default()).collect::<Vec<_>>();
        let sum = |key: &str| of(key).iter().sum::<f64>();
        let rate = |key: &str| {
            Spread::of(&of(key).iter().zip(of("wall")).map(|(n, s)| n / s.max(1e-9)).collect::<Vec<_>>())
        };
        let each: Vec<f64> = own.iter().map(|r| strings(&r["bugs"]).count() as f64).collect();
        let distinct: BTreeSet<&str> = own.iter().flat_map(|r| strings(&r["bugs"])).collect();
        rows.push(vec![
            name(c),
            rate("tests").text(1),
            rate("answers").text(1),
            format!("{:.0}", 100.0 * sum("answers") / sum("calls").max(1.0)),
            format!("{:.0}", sum("triggers")),
            each.iter().map(|n| format!("{n:.0}")).collect::<Vec<_>>().join(", "),
            distinct.len().to_string(),
            format!("{:.0}", sum("errors")),
        ]);
        rates.push(rate("answers").mean);
        bars.push((name(c), rate("answers")));
    }
    let pairs = [(0, 1), (2, 3), (4, 5)].map(|(theirs, ours)| match rates[theirs] > 0.0 {
        true => format!("{} {:.1} times", CONTENDERS[ours].1, rates[ours] / rates[theirs]),
        false => format!("{} not compared", CONTENDERS[ours].1),
    });
    let note = match left_out.is_empty() {
        true => String::new(),
        false => format!(" Left out: {}.", left_out.into_iter().collect::<Vec<_>>().join("; ")),
    };
    Page {
        claim: "none: the papers do not compare with smelt.".into(),
        ours: format!("answers a second, smelt to yinyang: {}.", pairs.join(", ")),
        verdict: Verdict::NotComparable,
        scale: format!(
            "{} rounds of {} s for each, one process, {} seeds.",
            lab.repeat,
            share.as_secs(),
            lab.sample
        ),
        differs: format!(
            "yinyang starts a process for each query and runs with the options of its manual; smelt keeps solvers alive. The time of smelt includes its first \
             runs of seeds. A report of yinyang that `smelt check` does not confirm does not count.{note}"
        ),
        parts: vec![
            Part::table(
                &solvers.join(" and "),
                &[
                    "",
                    "tests a second",
                    "answers a second",
                    "% of calls answered",
                    "it reports",
                    "certified distinct bugs in each round",
                    "in all rounds",
                    "own errors",
                ],
                rows,
            ),
            Part::bars("answers", "Answers a second", bars),
        ],
        solvers: solvers.to_vec(),
    }
}

impl Round<'_> {
    fn run(&self, contender: usize, folder: &Path) -> Result<Value, String> {
        let seeds = folder.join("seeds");
        copy_by_label(self.files, &seeds)?;
        let (tool, word) = CONTENDERS[contender];
        let start = Instant::now();
        let (counts, wall, bugs) = match tool {
            Tool::Smelt => {
                let (counts, wall) = self.with_smelt(word, &seeds, folder)?;
                (counts, wall, self.bugs(&folder.join("campaign"), None)?)
            }
            Tool::Yinyang => {
                // Before anything is installed: it runs programs only.
                let missing = self.solvers.iter().find(|s| crate::peers::program(s).is_none());
                if let Some(solver) = missing {
                    return Err(format!("yinyang cannot run {solver}, which is not a program here"));
                }
                let counts = Yinyang::new(&self.lab.folder)?.run(&Task {
                    program: word,
                    solvers: self.solvers,
                    seeds: &seeds,
                    time: self.time,
                    timeout: TIMEOUT,
                    jobs: 1,
                    folder,
                })?;
                let wall = start.elapsed().as_secs_f64();
                (counts, wall, self.triage(folder)?)
            }
        };
        Ok(
            json!({"tests": counts.tests, "calls": counts.calls, "answers": counts.answers, "triggers": counts.triggers,
            "errors": counts.errors, "wall": wall, "bugs": bugs}),
        )
    }

    fn with_smelt(&self, strategy: &str, seeds: &Path, folder: &Path) -> Result<(Counts, f64), String> {
        let mut a = words(&["fuzz", "--json", "--no-reduce", "-j", "1", "--timeout", &format!("{TIMEOUT}s")]);
        a.extend([
            seeds.display().to_string(),
            "--out".into(),
            folder.join("campaign").display().to_string(),
        ]);
        a.extend(["--time".into(), format!("{}s", self.time.as_secs())]);
        a.extend(["--seed".into(), (self.number + 1).to_string()]);
        with_solvers(&mut a, self.solvers);
        if !strategy.is_empty() {
            a.extend(["-s".into(), strategy.to_owned()]);
        }
        // Answers about seeds are remembered between campaigns: each run starts without them.
        let ran = self.lab.run(&a, Some(&folder.join("cache")))?;
        Ok((counts(&ran.json)?, ran.wall))
    }

    /// The certified bugs of a campaign, after an examination; of the named kinds of finding only, if any are named.
    fn bugs(&self, campaign: &Path, kinds: Option<&BTreeSet<String>>) -> Result<BTreeSet<String>, String> {
        let (place, time) = (campaign.display().to_string(), format!("{}s", self.time.as_secs().max(10)));
        self.lab
            .output(&words(&["bugs", &place, "examine", "--each", EACH, "--time", &time, "-j", "1"]), None)?;
        Ok(distinct(&self.lab.json(&words(&["bugs", &place, "--json"]))?, kinds))
    }

    /// The bugs in the scripts that yinyang saved.
    fn triage(&self, folder: &Path) -> Result<BTreeSet<String>, String> {
        let saved = folder.join("bugs");
        let mut files = Vec::new();
        collect(&saved, &mut files).map_err(|e| e.to_string())?;
        let mut bugs = BTreeSet::new();
        if files.is_empty() {
            return Ok(bugs);
        }
        let mut check =
            words(&["check", "--json", "--timeout", &format!("{TIMEOUT}s"), &saved.display().to_string()]);
        with_solvers(&mut check, self.solvers);
        let smallest = smallest(&self.lab.json(&check)?);
        let kinds: BTreeSet<String> = smallest.keys().cloned().collect();
        let chosen: BTreeSet<&String> = smallest.values().map(|(_, file)| file).collect();
        for (i, file) in chosen.into_iter().enumerate() {
            // A campaign runs a seed itself before it makes a test of it: what the test alone shows is left out.
            let campaign = folder.join(format!("triage-{i}"));
            let mut fuzz = words(&["fuzz", "--json", "--no-reduce", "-s", "shuffle", "--tests", "1", file]);
            fuzz.extend(["--out".into(), campaign.display().to_string()]);
            with_solvers(&mut fuzz, self.solvers);
            if let Err(what) = self.lab.json(&fuzz) {
                eprintln!("xtask: left out: {what}");
                continue;
            }
            bugs.extend(self.bugs(&campaign, Some(&kinds))?);
        }
        Ok(bugs)
    }
}

/// The figures of a campaign.
fn counts(summary: &Value) -> Result<Counts, String> {
    let number = |key: &str| summary[key].as_u64().ok_or_else(|| format!("no {key} in {summary}"));
    let outcome = |word: &str| summary["by_outcome"][word].as_u64().unwrap_or_default();
    Ok(Counts {
        tests: number("tests")?,
        calls: number("solver_calls")?,
        answers: outcome("sat") + outcome("unsat"),
        triggers: summary["findings"].as_array().map_or(0, |f| f.len() as u64),
        errors: 0,
    })
}

/// For each fingerprint in what `smelt check` says, the smallest file and its size.
fn smallest(checked: &Value) -> BTreeMap<String, (u64, String)> {
    let mut found: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let findings = checked.as_array().into_iter().flatten().filter_map(|file| file["findings"].as_array());
    for finding in findings.flatten() {
        let (Some(fingerprint), Some(file)) = (finding["fingerprint"].as_str(), finding["file"].as_str())
        else {
            continue;
        };
        let candidate = (finding["bytes"].as_u64().unwrap_or(u64::MAX), file.to_owned());
        let best = found.entry(fingerprint.to_owned()).or_insert_with(|| candidate.clone());
        *best = candidate.min(best.clone());
    }
    found
}

/// The fingerprints of certified bugs in a list.
fn distinct(list: &Value, kinds: Option<&BTreeSet<String>>) -> BTreeSet<String> {
    let bugs = list.as_array().into_iter().flatten().filter(|bug| {
        is_certified(bug)
            && kinds
                .is_none_or(|kinds| bug["trigger"].as_str().is_some_and(|trigger| kinds.contains(trigger)))
    });
    bugs.filter_map(|bug| Some(bug["fingerprint"].as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::{counts, distinct, smallest};
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn answers_are_sat_and_unsat() {
        let summary = json!({"tests": 9, "solver_calls": 20, "by_outcome": {"sat": 8, "unsat": 5, "unknown": 4, "crash": 3}});
        let counts = counts(&summary).expect("the summary is complete");
        assert_eq!((counts.tests, counts.calls, counts.answers), (9, 20, 13));
        assert!(super::counts(&json!({"tests": 9})).is_err());
    }

    #[test]
    fn the_smallest_script_of_each_fingerprint_is_kept() {
        let finding =
            |f: &str, file: &str, bytes: u64| json!({"fingerprint": f, "file": file, "bytes": bytes});
        let checked = json!([
            {"findings": [finding("a", "1", 30), finding("b", "1", 30)]},
            {"findings": [finding("a", "2", 20)]},
            {"findings": []},
        ]);
        let kept: Vec<(String, String)> =
            smallest(&checked).into_iter().map(|(f, (_, file))| (f, file)).collect();
        assert_eq!(kept, [("a".to_owned(), "2".to_owned()), ("b".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn bugs_are_fingerprints_of_the_kinds_asked_for() {
        let list = json!([
            {"fingerprint": "z3/wrong/div", "trigger": "t1", "kind": "invalid-model", "evidence": "model"},
            {"fingerprint": "z3/crash/a.cpp:1", "trigger": "t2", "kind": "crash", "evidence": null},
            {"fingerprint": "a/unsound/div", "trigger": "t3", "kind": "unsound", "evidence": null},
            {"fingerprint": "b/wrong/mod", "trigger": "t4", "kind": "solution-unsound", "evidence": "vote"},
        ]);
        let all = ["z3/crash/a.cpp:1", "z3/wrong/div"].map(str::to_owned);
        assert_eq!(distinct(&list, None), BTreeSet::from(all));
        let kinds = BTreeSet::from(["t2".to_owned()]);
        assert_eq!(distinct(&list, Some(&kinds)), BTreeSet::from(["z3/crash/a.cpp:1".to_owned()]));
    }
}
