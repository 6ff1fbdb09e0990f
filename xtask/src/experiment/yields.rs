//! `yield`: certified distinct bugs for each hour of CPU time, by strategy, on old, middle and new releases.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Row;
use super::lab::{Lab, Spread, copy_by_label, with_solvers, words};
use super::page::{Page, Part, Verdict, number};

pub(super) const ROW: Row = Row {
    name: "yield",
    source: "no paper: the figure by which smelt's strategies are compared",
    shows: "Certified distinct bugs for each hour of CPU time, by strategy, on three sets of solvers.",
    minutes: 180,
    run,
};

/// The sets of solvers.
const SETS: [(&str, [&str; 2]); 3] =
    [("old", ["z3@4.8.5", "cvc4"]), ("middle", ["z3", "cvc5"]), ("newest", ["z3@5.4.0", "cvc5@1.4.2"])];

/// The strategies; an empty one is smelt's default, all of them with learning.
const STRATEGIES: [&str; 14] = [
    "",
    "operator",
    "generative",
    "certified",
    "fusion",
    "skeleton",
    "weaken",
    "transplant",
    "shuffle",
    "queries",
    "synthesis",
    "construct",
    "enumerate",
    "collections",
];

/// The time limit of one solver on one test.
const TIMEOUT: &str = "2s";

fn run(lab: &mut Lab) -> Result<Page, String> {
    let sets: Vec<(String, Vec<String>)> = match lab.solvers.is_empty() {
        true => SETS
            .iter()
            .map(|(name, solvers)| Ok(((*name).to_owned(), lab.solvers(solvers)?)))
            .collect::<Result<_, String>>()?,
        false => vec![("given".to_owned(), lab.solvers.clone())],
    };
    let share = lab.share(sets.len() * STRATEGIES.len() * lab.repeat);
    let mut results: BTreeMap<(usize, usize), Vec<Value>> = BTreeMap::new();
    // Each round has all strategies once: a run that is stopped early has about as many rounds of each.
    for round in 0..lab.repeat {
        for (s, (set, solvers)) in sets.iter().enumerate() {
            for (t, strategy) in STRATEGIES.iter().enumerate() {
                let name = format!("{set}/{}/{}", label(strategy), round + 1);
                let depends_on = (share, solvers, lab.sample, &lab.seeds);
                let depends_on = super::lab::chance(format!("{depends_on:?}"));
                let value = lab.unit(&name, depends_on, |lab, folder| {
                    let files = lab.scripts("seeds", lab.sample, round as u64)?;
                    campaign(lab, folder, &Campaign { strategy, solvers, files: &files, round, time: share })
                })?;
                results.entry((s, t)).or_default().extend(value);
            }
        }
    }
    Ok(page(lab, &sets, &results, share))
}

fn label(strategy: &str) -> &str {
    if strategy.is_empty() { "all" } else { strategy }
}

/// One campaign: its strategy, empty for smelt's default, and what it runs on.
pub(super) struct Campaign<'a> {
    pub(super) strategy: &'a str,
    pub(super) solvers: &'a [String],
    pub(super) files: &'a [PathBuf],
    pub(super) round: usize,
    pub(super) time: Duration,
}

/// Runs a campaign: its bugs, its tests and its CPU time.
pub(super) fn campaign(lab: &Lab, folder: &Path, c: &Campaign<'_>) -> Result<Value, String> {
    let seeds = folder.join("seeds");
    copy_by_label(c.files, &seeds)?;
    let (out, cache) = (folder.join("campaign"), folder.join("cache"));
    let mut a = words(&["fuzz", "--json", "--no-reduce", "-j", "1", "--timeout", TIMEOUT]);
    a.extend([seeds.display().to_string(), "--out".into(), out.display().to_string()]);
    a.extend(["--time".into(), format!("{}s", c.time.as_secs()), "--seed".into(), (c.round + 1).to_string()]);
    with_solvers(&mut a, c.solvers);
    if !c.strategy.is_empty() {
        a.extend(["-s".into(), c.strategy.to_owned()]);
    }
    let ran = match lab.run(&a, Some(&cache)) {
        // A strategy that can use none of the seeds has no tests and no bugs.
        Err(what) if what.contains("no test") || what.contains("nothing to test") => {
            return Ok(
                json!({"bugs": [], "of_seeds": [], "all": 0, "left": 0, "tests": 0, "cpu": 0.0, "wall": 0.0}),
            );
        }
        ran => ran?,
    };
    let mut value = bugs(lab, &out, &cache, c.time)?;
    value["tests"] = ran.json["tests"].clone();
    value["cpu"] = ran.cpu.into();
    value["wall"] = ran.wall.into();
    Ok(value)
}

/// The certified bugs of a campaign after an examination, and how many findings are left.
fn bugs(lab: &Lab, campaign: &Path, cache: &Path, time: Duration) -> Result<Value, String> {
    let place = campaign.display().to_string();
    let limit = format!("{}s", time.as_secs().max(10));
    let examine = words(&["bugs", &place, "examine", "--each", "10s", "--time", &limit, "-j", "1"]);
    lab.output(&examine, Some(cache))?;
    let list = lab.run(&words(&["bugs", &place, "--json"]), Some(cache))?.json;
    let rows = || list.as_array().into_iter().flatten();
    let prints = |of_seeds: bool| -> BTreeSet<&str> {
        let own = rows().filter(|b| b["examined"] == true && is_certified(b));
        let own = own.filter(|b| (b["strategy"] == "seed") == of_seeds);
        own.filter_map(|b| b["fingerprint"].as_str()).collect()
    };
    let left = rows().filter(|b| b["examined"] != true).count();
    let all = rows().filter(|b| b["examined"] == true).count();
    Ok(json!({"bugs": prints(false), "of_seeds": prints(true), "all": all, "left": left}))
}

/// Whether a bug has evidence beyond opinions, and is more than a missing or late answer.
pub(super) fn is_certified(bug: &Value) -> bool {
    const OPINIONS: [&str; 2] = ["vote", "self-check"];
    let kind = bug["kind"].as_str().unwrap_or_default();
    let is_late = ["incomplete", "perf", "hang"].iter().any(|k| kind.starts_with(k));
    let proved = bug["evidence"].as_str().is_some_and(|e| !OPINIONS.contains(&e));
    !is_late && (kind == "crash" || proved)
}

pub(super) fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

type Results = BTreeMap<(usize, usize), Vec<Value>>;

fn page(lab: &Lab, sets: &[(String, Vec<String>)], results: &Results, share: Duration) -> Page {
    let mut parts = Vec::new();
    let mut best = Vec::new();
    for (s, (set, solvers)) in sets.iter().enumerate() {
        let (mut rows, mut bars) = (Vec::new(), Vec::new());
        for (t, strategy) in STRATEGIES.iter().enumerate() {
            let runs = results.get(&(s, t)).map_or(&[][..], |r| &r[..]);
            if runs.is_empty() {
                continue;
            }
            let number_of =
                |key: &str| -> Vec<f64> { runs.iter().map(|r| strings(&r[key]).count() as f64).collect() };
            let hours: Vec<f64> =
                runs.iter().map(|r| r["cpu"].as_f64().unwrap_or_default() / 3600.0).collect();
            let found = number_of("bugs");
            let rate: Vec<f64> = found.iter().zip(&hours).map(|(n, h)| n / h.max(1e-9)).collect();
            let distinct: BTreeSet<&str> = runs.iter().flat_map(|r| strings(&r["bugs"])).collect();
            let sum = |key: &str| runs.iter().map(|r| r[key].as_f64().unwrap_or_default()).sum::<f64>();
            let rate = Spread::of(&rate);
            rows.push(vec![
                label(strategy).to_owned(),
                rate.text(1),
                found.iter().map(|n| format!("{n:.0}")).collect::<Vec<_>>().join(", "),
                distinct.len().to_string(),
                Spread::of(&number_of("of_seeds")).text(1),
                format!("{:.0}", sum("left")),
                format!("{:.0}", sum("tests")),
                format!("{:.0}", sum("cpu")),
            ]);
            bars.push((label(strategy).to_owned(), rate));
        }
        if rows.is_empty() {
            continue;
        }
        let first = bars.iter().filter(|b| b.1.mean > 0.0).max_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
        best.extend(first.map(|(name, rate)| format!("{set}: `{name}` with {}", number(rate.mean))));
        parts.push(Part::table(
            &format!("{set}: {}", solvers.join(", ")),
            &[
                "strategy",
                "certified distinct bugs an hour of CPU time",
                "in each round",
                "in all rounds",
                "of seeds",
                "findings not examined",
                "tests",
                "CPU time, s",
            ],
            rows,
        ));
        parts.push(Part::bars(
            set,
            &format!("Certified distinct bugs an hour of CPU time, {set} releases"),
            bars,
        ));
    }
    parts.push(Part::Text(
        "A bug is a fingerprint after reduction. It is certified if it is a crash that was reproduced in fresh processes, or a wrong answer, model, core, \
         value, rewrite or optimum with evidence stronger than a vote or the solver's own check. Bugs that seeds show unchanged are counted apart. CPU time \
         is that of the campaign with all solvers, without the examination of findings afterwards."
            .to_owned(),
    ));
    let ours = match best.is_empty() {
        true => "no strategy found a certified bug in this time.".to_owned(),
        false => format!("the best strategies, in bugs an hour of CPU time: {}.", best.join("; ")),
    };
    Page {
        claim: "none; papers count bugs over months, after developers confirmed them.".into(),
        ours,
        verdict: Verdict::NotComparable,
        scale: format!(
            "{} rounds of {} s for each strategy and set of solvers, one worker, {} seeds drawn by hash in each round.",
            lab.repeat,
            share.as_secs(),
            lab.sample
        ),
        differs: "rounds are minutes, so a figure depends on few bugs: read the spread. Campaigns of a strategy alone learn nothing from others. A \
                  campaign also runs its seeds, which takes a part of its time."
            .into(),
        parts,
        solvers: sets.iter().flat_map(|s| s.1.clone()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_certified;
    use serde_json::json;

    #[test]
    fn votes_and_late_answers_are_not_certified_bugs() {
        for (kind, evidence, certified) in [
            ("crash", json!(null), true),
            ("invalid-model", json!("model"), true),
            ("solution-unsound", json!("vote"), false),
            ("incomplete-implication", json!("metamorphic"), false),
            ("unsound", json!(null), false),
        ] {
            assert_eq!(is_certified(&json!({"kind": kind, "evidence": evidence})), certified, "{kind}");
        }
    }
}
