//! `releases` and `lifetime`: the formulas of grammars, and known bugs, on all installed releases.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

use super::Row;
use super::lab::{Lab, chance, with_solvers, words};
use super::page::{Page, Part, Verdict};

pub(super) const RELEASES: Row = Row {
    name: "releases",
    source: "Winterer's thesis, chapter 7, figures 7.9 to 7.14, RQ2 to RQ4",
    shows: "The smallest formulas of eight grammars on all installed releases: wrong answers, solved formulas, speed.",
    minutes: 30,
    run: releases,
};

pub(super) const LIFETIME: Row = Row {
    name: "lifetime",
    source: "Winterer's thesis, figures 3.10 and 5.6",
    shows: "Formulas of known bugs on all installed releases: since when and until when they are answered wrongly.",
    minutes: 20,
    run: lifetime,
};

const GRAMMARS: [&str; 8] = ["core", "ints", "reals", "realints", "bitvectors", "arrays", "fp", "strings"];

/// All releases of z3, CVC4 and cvc5, from old to new.
fn all(lab: &Lab) -> Result<Vec<String>, String> {
    if !lab.solvers.is_empty() {
        return Ok(lab.solvers.clone());
    }
    Ok([lab.releases("z3")?, lab.solvers(&["cvc4"])?, lab.releases("cvc5")?].concat())
}

/// The figures of each release on the first formulas of a grammar.
fn studied(
    lab: &Lab,
    folder: &Path,
    grammar: &str,
    solvers: &[String],
    number: u64,
) -> Result<Value, String> {
    let mut a = words(&["study", grammar, "--json", "-j", "1", "--timeout", "1s", "-n", &number.to_string()]);
    a.extend(["-o".into(), folder.join("out").display().to_string()]);
    a.extend(["--cache".into(), folder.join("answers").display().to_string()]);
    with_solvers(&mut a, solvers);
    let study = lab.json(&a)?;
    let cells: Vec<Value> =
        study["cells"].as_array().into_iter().flatten().map(|row| row[0].clone()).collect();
    let triggers = study["triggers"].as_array().into_iter().flatten();
    let indices: Vec<Value> = triggers.map(|t| json!([t["release"], t["index"], t["kind"]])).collect();
    Ok(json!({"cells": cells, "triggers": indices}))
}

fn releases(lab: &mut Lab) -> Result<Page, String> {
    let solvers = all(lab)?;
    // About 20 ms for a formula and a release.
    let number = (lab.budget.as_secs() * 50 / (GRAMMARS.len() * solvers.len().max(1)) as u64).clamp(10, 1000);
    let mut grammars = Vec::new();
    for grammar in GRAMMARS {
        let value = lab.unit(grammar, chance(format!("{solvers:?} {number}")), |lab, folder| {
            studied(lab, folder, grammar, &solvers, number)
        })?;
        grammars.extend(value.map(|v| (grammar, v)));
    }
    let number_of = |v: &Value, key: &str| v[key].as_f64().unwrap_or_default();
    let mut rows = Vec::new();
    let mut joint = BTreeMap::new();
    let mut wrong_of = BTreeMap::new();
    for (i, solver) in solvers.iter().enumerate() {
        let sum = |key: &str| grammars.iter().map(|(_, v)| number_of(&v["cells"][i], key)).sum::<f64>();
        let solved: f64 = grammars
            .iter()
            .map(|(_, v)| {
                number_of(&v["cells"][i]["outcomes"], "sat") + number_of(&v["cells"][i]["outcomes"], "unsat")
            })
            .sum();
        joint.insert(solver.clone(), sum("joint_s"));
        wrong_of.insert(solver.clone(), sum("unsound") + sum("invalid_model") + sum("crash"));
        let where_: Vec<String> = grammars
            .iter()
            .map(|(g, v)| {
                (
                    g,
                    ["unsound", "invalid_model", "crash"]
                        .iter()
                        .map(|k| number_of(&v["cells"][i], k))
                        .sum::<f64>(),
                )
            })
            .filter(|(_, n)| *n > 0.0)
            .map(|(g, n)| format!("{g} {n:.0}"))
            .collect();
        rows.push(vec![
            solver.clone(),
            format!("{:.0}", sum("unsound")),
            format!("{:.0}", sum("invalid_model")),
            format!("{:.0}", sum("crash")),
            where_.join(", "),
            format!("{solved:.0}"),
            format!("{:.2}", sum("joint_s")),
        ]);
    }
    let ratio = match (joint.get("z3@4.8.10"), joint.get("z3@4.8.11")) {
        (Some(a), Some(b)) if *a > 0.0 => Some(b / a),
        _ => None,
    };
    let mut indices: Vec<f64> = Vec::new();
    for (_, v) in &grammars {
        let triggers = v["triggers"].as_array().into_iter().flatten();
        indices.extend(triggers.filter_map(|t| t[1].as_f64().or_else(|| t[1].as_str()?.parse().ok())));
    }
    indices.sort_by(f64::total_cmp);
    let early = indices.get((indices.len() * 99 / 100).min(indices.len().saturating_sub(1)));
    let bad: Vec<String> =
        wrong_of.iter().filter(|(_, n)| **n > 0.0).map(|(s, n)| format!("{s} {n:.0}")).collect();
    let slower = ratio.map_or("4.8.10 and 4.8.11 are not installed".to_owned(), |r| {
        format!("z3 4.8.11 takes {r:.2} times the time of 4.8.10")
    });
    Ok(Page {
        claim: "z3 4.8.11 is slower than 4.8.10 in all theories; releases of both solvers got more correct, and the newest ones have no triggers.".into(),
        ours: format!(
            "{slower}; triggers: {}.",
            if bad.is_empty() { "none".to_owned() } else { bad.join(", ") }
        ),
        verdict: match ratio {
            Some(r) if r > 1.05 => Verdict::HoldsInKind,
            Some(_) => Verdict::DoesNotHold,
            None => Verdict::NotComparable,
        },
        scale: format!("{number} of 1,000,000 formulas of each of {} of eight grammars, {} of 61 releases, 1 s instead of 8 s for a formula; one run.", grammars.len(),
            solvers.len()),
        differs: format!(
            "the first {number} formulas are the smallest ones, so most triggers of the thesis lie behind them. Times are CPU times on jointly solved formulas, measured once: read ratios of releases, not digits. \
             A trigger here needs evidence or another family that contradicts it. {}",
            early.map_or("No trigger was found.".to_owned(), |e| format!("99 % of our triggers are within the first {e:.0} formulas of a grammar."))
        ),
        parts: vec![Part::table(
            "Releases",
            &["release", "wrong answers", "invalid models", "crashes", "by grammar", "solved", "seconds on jointly solved formulas"],
            rows,
        )],
        solvers,
    })
}

fn lifetime(lab: &mut Lab) -> Result<Page, String> {
    const KINDS: [&str; 4] = ["refutation-unsound", "solution-unsound", "invalid-model", "crash"];
    let solvers = all(lab)?;
    // About a quarter of a second for a script and a release.
    let number = (lab.budget.as_secs() * 4 / solvers.len().max(1) as u64).clamp(4, 1504) as usize;
    let files =
        [lab.scripts("known-bugs/z3", number / 2, 3)?, lab.scripts("known-bugs/cvc5", number / 2, 3)?]
            .concat();
    // The releases with a finding, by file.
    let mut wrong: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (i, chunk) in files.chunks(20).enumerate() {
        let value =
            lab.unit(&format!("scripts {i}"), chance(format!("{chunk:?} {solvers:?}")), |lab, _| {
                let mut a = words(&["check", "--json", "--timeout", "1s"]);
                with_solvers(&mut a, &solvers);
                a.extend(chunk.iter().map(|f| f.display().to_string()));
                let checked = lab.json(&a)?;
                let mut found = Vec::new();
                for row in checked.as_array().into_iter().flatten() {
                    let name = row["file"].as_str().and_then(|f| f.rsplit('/').next()).unwrap_or_default();
                    for f in row["findings"].as_array().into_iter().flatten() {
                        let evidence = f["evidence"].as_str().unwrap_or_default();
                        if f["accused"].as_array().is_some_and(|a| a.len() == 1) && evidence != "vote" {
                            found.push(json!([name, f["accused"][0], f["kind"]]));
                        }
                    }
                }
                Ok(json!(found))
            })?;
        for f in value.as_ref().and_then(Value::as_array).into_iter().flatten() {
            let [file, solver, kind] = [0, 1, 2].map(|i| f[i].as_str().unwrap_or_default().to_owned());
            wrong.entry(file).or_default().insert(solver, kind);
        }
    }
    let is = |solver: &str, label: &str| solver == label || solver.starts_with(&format!("{label}@"));
    let mut rows = Vec::new();
    let mut totals = Vec::new();
    for label in &solvers {
        let count =
            |kind: &str| wrong.values().filter(|w| w.iter().any(|(s, k)| is(s, label) && k == kind)).count();
        let counts = KINDS.map(count);
        totals.push((label.clone(), counts[0] + counts[1]));
        rows.push([vec![label.clone()], counts.iter().map(usize::to_string).collect()].concat());
    }
    let spans: BTreeMap<String, usize> = wrong.values().fold(BTreeMap::new(), |mut spans, by| {
        let own: Vec<&String> =
            solvers.iter().filter(|l| l.starts_with("z3") && by.keys().any(|s| is(s, l))).collect();
        if let (Some(first), Some(last)) = (own.first(), own.last()) {
            *spans.entry(format!("{first} to {last}")).or_default() += 1;
        }
        spans
    });
    let spans: Vec<Vec<String>> = spans.into_iter().map(|(span, n)| vec![span, n.to_string()]).collect();
    let of = |start: &str| totals.iter().filter(|t| t.0.starts_with(start)).map(|t| t.1).collect::<Vec<_>>();
    let (z3, cvc) = (of("z3"), of("cvc"));
    let falls = z3.len() > 1 && z3.last() < z3.iter().max();
    Ok(Page {
        claim: "bugs stay for years: 8 wrong answers of fusion affect z3 since 4.5.0, and 3 bugs of TypeFuzz affect CVC4 1.6.".into(),
        ours: format!("scripts with a wrong answer by release, from old to new: z3 {z3:?}, CVC4 and cvc5 {cvc:?}."),
        verdict: if falls { Verdict::HoldsInKind } else { Verdict::NotComparable },
        scale: format!("{} of 1,504 scripts of bug reports, {} releases, default options, 1 s.", files.len(), solvers.len()),
        differs: "the thesis counts its own confirmed bugs; we count scripts of bug reports by anyone, and several may show one bug. Only releases that are \
                  installed can be run, and only with default options."
            .into(),
        parts: vec![
            Part::table("Scripts with a finding", &["release", "wrong unsat", "wrong sat", "invalid model", "crash"], rows),
            Part::table("From the first to the last affected release of z3", &["releases", "scripts"], spans),
        ],
        solvers,
    })
}
