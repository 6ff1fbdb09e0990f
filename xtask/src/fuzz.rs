//! `cargo xtask compare fuzz`: compares smelt with yinyang on the same seeds, with the same solvers, time and
//! cores.
//!
//! In each round every tool runs once, in random order, without reducing anything. Afterwards all results go
//! through smelt's triage: scripts saved by yinyang run through `smelt check`, and one script per kind of finding
//! is then examined like smelt's own findings. A bug is a fingerprint.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::yinyang::{Counts, Task, Yinyang};
use crate::{options, peers, root, target};

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
/// Solvers unless others are named.
const SOLVERS: [&str; 2] = ["z3@4.8.5", "cvc4"];
/// How long the triage may reduce one finding.
const EXAMINATION: &str = "20s";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tool {
    Smelt,
    Yinyang,
}

pub(crate) struct Settings {
    /// How long each run takes, in seconds.
    time: u64,
    /// How many runs of each contender.
    rounds: usize,
    /// The folder that the seeds are taken from, and how many.
    seeds: PathBuf,
    sample: usize,
    solvers: Vec<String>,
    /// The most time for one solver on one test, in seconds.
    timeout: u64,
    jobs: usize,
    /// Decides the sample, the order, and smelt's choices.
    seed: u64,
    /// Only contenders whose name has this in it.
    only: String,
    /// Another smelt than the one built here.
    smelt: Option<PathBuf>,
}

impl Settings {
    pub(crate) fn read(options: &[&str]) -> Option<Settings> {
        let mut settings = Settings {
            time: 300,
            rounds: 3,
            seeds: root().join("../shared/corpus/seeds"),
            sample: 300,
            solvers: Vec::new(),
            timeout: 2,
            jobs: 2,
            seed: 1,
            only: String::new(),
            smelt: None,
        };
        options::read(options, |name, values| {
            match name {
                "--time" => settings.time = values.seconds()?,
                "--rounds" => settings.rounds = values.count()?,
                "--seeds" => settings.seeds = values.parse()?,
                "--sample" => settings.sample = values.count()?,
                "-S" => settings.solvers.push(values.text()?),
                "--timeout" => settings.timeout = values.seconds()?,
                "-j" => settings.jobs = values.count()?,
                "--seed" => settings.seed = values.parse()?,
                "--only" => settings.only = values.text()?,
                "--smelt" => settings.smelt = Some(values.parse()?),
                _ => return None,
            }
            Some(())
        })?;
        if settings.solvers.is_empty() {
            settings.solvers = SOLVERS.map(str::to_owned).to_vec();
        }
        Some(settings)
    }
}

/// The bugs of a run: fingerprints, and whether each is certified.
type Bugs = BTreeMap<String, bool>;

/// One run of a contender.
struct Run {
    counts: Counts,
    wall: Duration,
    bugs: Bugs,
}

/// What all runs have in common.
struct Contest<'a> {
    settings: &'a Settings,
    smelt: PathBuf,
    yinyang: Yinyang,
    seeds: PathBuf,
}

pub(crate) fn fuzz(settings: &Settings) -> Result<(), String> {
    let smelt = crate::smelt(settings.smelt.as_ref())?;
    let smelt = smelt.canonicalize().map_err(|e| format!("{}: {e}", smelt.display()))?;
    let work = target().join("compare-fuzz");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).map_err(|e| e.to_string())?;
    let work = work.canonicalize().map_err(|e| e.to_string())?;
    let (seeds, taken) = sample(settings, &work)?;
    let contest = Contest { settings, smelt, yinyang: Yinyang::new(&work)?, seeds };
    let is_wanted = |c: &usize| name(*c).contains(&settings.only);
    let wanted: Vec<usize> = (0..CONTENDERS.len()).filter(is_wanted).collect();
    let mut runs: Vec<(usize, Run)> = Vec::new();
    for round in 1..=settings.rounds {
        let mut order = wanted.clone();
        order.sort_by_key(|c| chance((settings.seed, round, *c)));
        for c in order {
            let run = contest.run(c, round, &work.join(format!("{round}-{c}")))?;
            eprintln!(
                "xtask: round {round}, {}: {} tests, {} answers, {} bugs",
                name(c),
                run.counts.tests,
                run.counts.answers,
                run.bugs.len()
            );
            runs.push((c, run));
        }
    }
    let report = report(settings, taken, &wanted, &runs);
    let file = work.join("report.md");
    fs::write(&file, &report).map_err(|e| e.to_string())?;
    print!("{report}");
    eprintln!("xtask: written to {}", file.display());
    Ok(())
}

fn name(contender: usize) -> String {
    match CONTENDERS[contender] {
        (Tool::Yinyang, program) => format!("yinyang's {program}"),
        (Tool::Smelt, "") => "smelt's default".to_owned(),
        (Tool::Smelt, strategy) => format!("smelt's {strategy}"),
    }
}

/// A number that looks random, and is the same for the same thing.
fn chance(thing: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}

/// Copies some of the seeds into folders by their label; their folder and number.
fn sample(settings: &Settings, work: &Path) -> Result<(PathBuf, usize), String> {
    let mut files = Vec::new();
    scripts(&settings.seeds, &mut files).map_err(|e| format!("{}: {e}", settings.seeds.display()))?;
    let place = |f: &PathBuf| f.strip_prefix(&settings.seeds).unwrap_or(f).to_owned();
    files.sort_by_cached_key(|f| chance((settings.seed, place(f))));
    files.truncate(settings.sample);
    if files.is_empty() {
        return Err(format!("no seeds in {}", settings.seeds.display()));
    }
    let seeds = work.join("seeds");
    for label in ["sat", "unsat", "unlabelled"] {
        fs::create_dir_all(seeds.join(label)).map_err(|e| e.to_string())?;
    }
    for (i, file) in files.iter().enumerate() {
        let text = fs::read(file).map_err(|e| e.to_string())?;
        let label = label(&String::from_utf8_lossy(&text));
        fs::write(seeds.join(label).join(format!("{i}.smt2")), text).map_err(|e| e.to_string())?;
    }
    Ok((seeds, files.len()))
}

fn scripts(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            scripts(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "smt2") {
            found.push(path);
        }
    }
    Ok(())
}

/// The status that a script claims of itself; none if it claims several.
pub(crate) fn label(script: &str) -> &'static str {
    let after = |rest: &str| rest.split_whitespace().next().map(|w| w.trim_end_matches(')').to_owned());
    let claimed: BTreeSet<String> = script.split(":status").skip(1).filter_map(after).collect();
    match claimed.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["sat"] => "sat",
        ["unsat"] => "unsat",
        _ => "unlabelled",
    }
}

impl Contest<'_> {
    fn run(&self, contender: usize, round: usize, folder: &Path) -> Result<Run, String> {
        fs::create_dir_all(folder).map_err(|e| e.to_string())?;
        let (tool, word) = CONTENDERS[contender];
        let start = Instant::now();
        match tool {
            Tool::Smelt => {
                let (counts, wall) = self.with_smelt(word, round, folder)?;
                Ok(Run { counts, wall, bugs: self.bugs(&folder.join("campaign"), None)? })
            }
            Tool::Yinyang => {
                let settings = self.settings;
                let counts = self.yinyang.run(&Task {
                    program: word,
                    solvers: &settings.solvers,
                    seeds: &self.seeds,
                    time: Duration::from_secs(settings.time),
                    timeout: settings.timeout,
                    jobs: settings.jobs,
                    folder,
                })?;
                let wall = start.elapsed();
                Ok(Run { counts, wall, bugs: self.triage(folder)? })
            }
        }
    }

    fn smelt(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.smelt);
        command.args(arguments);
        command
    }

    fn with_smelt(&self, strategy: &str, round: usize, folder: &Path) -> Result<(Counts, Duration), String> {
        let s = self.settings;
        let mut command = self.smelt(&["fuzz", "--json", "--no-reduce"]);
        command.arg(&self.seeds).arg("--out").arg(folder.join("campaign"));
        command.args(["--time", &format!("{}s", s.time), "--timeout", &format!("{}s", s.timeout)]);
        command.args(["-j", &s.jobs.to_string(), "--seed", &(s.seed + round as u64).to_string()]);
        command.args(s.solvers.iter().flat_map(|s| ["-S", s]));
        if !strategy.is_empty() {
            command.args(["-s", strategy]);
        }
        // Answers about seeds are remembered between campaigns: each run starts without them.
        let cache = folder.join("cache/smelt");
        fs::create_dir_all(&cache).map_err(|e| e.to_string())?;
        if let Some(releases) = peers::releases() {
            std::os::unix::fs::symlink(releases, cache.join("solvers")).map_err(|e| e.to_string())?;
        }
        command.env("XDG_CACHE_HOME", folder.join("cache"));
        let start = Instant::now();
        let summary = json(command)?;
        Ok((counts(&summary)?, start.elapsed()))
    }

    /// The bugs of a campaign, after an examination; of the named kinds of finding only, if any are named.
    fn bugs(&self, campaign: &Path, kinds: Option<&BTreeSet<String>>) -> Result<Bugs, String> {
        let mut examine = self.smelt(&["bugs"]);
        examine.arg(campaign).args(["examine", "--each", EXAMINATION]);
        examine.stdout(Stdio::null()).stderr(Stdio::null());
        examine.status().map_err(|e| e.to_string())?;
        let mut list = self.smelt(&["bugs", "--json"]);
        list.arg(campaign);
        Ok(distinct(&json(list)?, kinds))
    }

    /// The bugs in the scripts that yinyang saved.
    fn triage(&self, folder: &Path) -> Result<Bugs, String> {
        let saved = folder.join("bugs");
        let mut files = Vec::new();
        scripts(&saved, &mut files).map_err(|e| e.to_string())?;
        if files.is_empty() {
            return Ok(Bugs::new());
        }
        let solvers = || self.settings.solvers.iter().flat_map(|s| ["-S", s]);
        let mut check = self.smelt(&["check", "--json", "--timeout", &format!("{}s", self.settings.timeout)]);
        check.args(solvers()).arg(&saved);
        let smallest = smallest(&json(check)?);
        let kinds: BTreeSet<String> = smallest.keys().cloned().collect();
        let chosen: BTreeSet<&String> = smallest.values().map(|(_, file)| file).collect();
        let mut bugs = Bugs::new();
        for (i, file) in chosen.into_iter().enumerate() {
            // A campaign runs a seed itself before it makes a test of it: what the test alone shows is left out.
            let campaign = folder.join(format!("triage-{i}"));
            let mut fuzz = self.smelt(&["fuzz", "--json", "--no-reduce", "-s", "shuffle", "--tests", "1"]);
            fuzz.args(solvers()).arg(file).arg("--out").arg(&campaign);
            if let Err(what) = json(fuzz) {
                eprintln!("xtask: left out: {what}");
                continue;
            }
            bugs.extend(self.bugs(&campaign, Some(&kinds))?);
        }
        Ok(bugs)
    }
}

/// What a command of smelt prints; its exit code says whether there are findings.
fn json(mut command: Command) -> Result<Value, String> {
    let shown = format!("{command:?}").replace('"', "");
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("cannot run {shown}: {e}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("{shown}: {e}\n{}", String::from_utf8_lossy(&output.stderr).trim_end()))
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

/// Evidence that only counts opinions.
const OPINIONS: [&str; 2] = ["vote", "self-check"];

/// The fingerprints in a list of bugs. A crash is certified by itself, everything else by its evidence.
fn distinct(list: &Value, kinds: Option<&BTreeSet<String>>) -> Bugs {
    let bugs = list.as_array().into_iter().flatten().filter(|bug| {
        kinds.is_none_or(|kinds| bug["trigger"].as_str().is_some_and(|trigger| kinds.contains(trigger)))
    });
    let entry = |bug: &Value| {
        let proved = bug["evidence"].as_str().is_some_and(|e| !OPINIONS.contains(&e));
        let certified = bug["kind"] == "crash" || proved;
        Some((bug["fingerprint"].as_str()?.to_owned(), certified))
    };
    bugs.filter_map(entry).collect()
}

fn report(settings: &Settings, taken: usize, wanted: &[usize], runs: &[(usize, Run)]) -> String {
    let mut text = format!(
        "{taken} seeds, {}, {} s for each run, {} cores, at most {} s for a solver on a test; rounds: {}.\n\n",
        settings.solvers.join(" and "),
        settings.time,
        settings.jobs,
        settings.timeout,
        settings.rounds
    );
    text += "| | tests/s | answers/s | share of calls answered | it reports | distinct bugs in each round | in all rounds | certified | own errors |\n";
    text += "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |\n";
    for &c in wanted {
        let own: Vec<&Run> = runs.iter().filter(|r| r.0 == c).map(|r| &r.1).collect();
        let (mut sum, mut all) = (Counts::default(), Bugs::new());
        for run in &own {
            sum.add(run.counts);
            all.extend(run.bugs.clone());
        }
        let seconds: f64 = own.iter().map(|r| r.wall.as_secs_f64()).sum();
        let each: Vec<String> = own.iter().map(|r| r.bugs.len().to_string()).collect();
        let _ = writeln!(
            text,
            "| {} | {:.1} | {:.1} | {:.0} % | {} | {} | {} | {} | {} |",
            name(c),
            sum.tests as f64 / seconds,
            sum.answers as f64 / seconds,
            100.0 * sum.answers as f64 / sum.calls.max(1) as f64,
            sum.triggers,
            each.join(", "),
            all.len(),
            all.values().filter(|certified| **certified).count(),
            sum.errors
        );
    }
    text += "\nFingerprints:\n";
    for &c in wanted {
        let own = runs.iter().filter(|r| r.0 == c).flat_map(|r| r.1.bugs.keys());
        let all: BTreeSet<&String> = own.collect();
        let all: Vec<String> = all.iter().map(|f| format!("`{f}`")).collect();
        let _ = writeln!(
            text,
            "- {}: {}",
            name(c),
            if all.is_empty() { "none".to_owned() } else { all.join(", ") }
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{counts, distinct, label, smallest};
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn a_label_is_the_one_status_a_script_claims() {
        assert_eq!(label("(set-info :status sat)\n(check-sat)"), "sat");
        assert_eq!(label("(set-info :status  unsat )"), "unsat");
        assert_eq!(label("(set-info :status unknown)"), "unlabelled");
        assert_eq!(label("(set-info :status sat)(set-info :status unsat)"), "unlabelled");
        assert_eq!(label("(check-sat)"), "unlabelled");
    }

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
        let certified: Vec<bool> = distinct(&list, None).into_values().collect();
        assert_eq!(certified, [false, false, true, true]);
        let kinds = BTreeSet::from(["t2".to_owned()]);
        assert_eq!(distinct(&list, Some(&kinds)).into_keys().collect::<Vec<_>>(), ["z3/crash/a.cpp:1"]);
    }
}
