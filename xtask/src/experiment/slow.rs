//! `slow`: variants of the search for slow formulas.

use serde_json::Value;
use std::path::Path;
use std::time::Duration;

use super::Row;
use super::lab::{Lab, Spread, chance, words};
use super::page::{Page, Part, Verdict};

pub(super) const ROW: Row = Row {
    name: "slow",
    source: "Ren et al., \"Multi-objective evolutionary algorithm for string SMT solver testing\", table I",
    shows: "Variants of the search for formulas on which one solver is slow and another fast.",
    minutes: 60,
    run,
};

/// A variant: its name, its arguments, and the paper's method, timeouts and complexity.
struct Variant {
    name: &'static str,
    arguments: &'static [&'static str],
    paper: [&'static str; 4],
}

const VARIANTS: [Variant; 9] = [
    Variant {
        name: "single objective",
        arguments: &["--single"],
        paper: ["StringFuzz, Default", "4.33", "4", "44.07"],
    },
    Variant {
        name: "single objective, time difference",
        arguments: &["--single", "--objectives", "time"],
        paper: ["StringFuzz, Runtime-difference", "4.78", "5", "48.87"],
    },
    Variant { name: "default", arguments: &[], paper: ["-", "-", "-", "-"] },
    Variant {
        name: "paper's search",
        arguments: &["--search", "paper"],
        paper: ["MulStringFuzz, Default", "7.85", "13", "22.88"],
    },
    Variant {
        name: "paper's search, time of the target",
        arguments: &["--search", "paper", "--objectives", "target,coverage,complexity"],
        paper: ["MulStringFuzz, Only-Time", "4.25", "6", "21.26"],
    },
    Variant {
        name: "paper's search, no coverage",
        arguments: &["--search", "paper", "--objectives", "time,complexity"],
        paper: ["MulStringFuzz, No-Coverage", "5.93", "5", "20.5"],
    },
    Variant {
        name: "paper's search, no complexity",
        arguments: &["--search", "paper", "--objectives", "time,coverage"],
        paper: ["MulStringFuzz, No-Complexity", "8.98", "12", "95.5"],
    },
    Variant {
        name: "paper's search, classic crowding",
        arguments: &["--search", "paper", "--crowding", "classic"],
        paper: ["MulStringFuzz, Default-Crowding", "7.56", "10", "26.03"],
    },
    Variant { name: "population of 80", arguments: &["--population", "80"], paper: ["-", "-", "-", "-"] },
];

/// The figures of one search.
fn searched(
    lab: &Lab,
    folder: &Path,
    [target, reference]: [&str; 2],
    v: &Variant,
    (share, round): (Duration, usize),
) -> Result<Value, String> {
    let mut a = words(&[
        "evolve",
        "-S",
        target,
        "-R",
        reference,
        "--json",
        "-j",
        "1",
        "--timeout",
        "2s",
        "--confirm",
        "20s",
    ]);
    a.extend(["--time".into(), format!("{}s", share.as_secs()), "--seed".into(), (round + 1).to_string()]);
    a.extend(["--out".into(), folder.join("out").display().to_string()]);
    a.extend(words(v.arguments));
    if target.starts_with("builtin") {
        a.extend(words(&["--coverage", "none"]));
    }
    let s = lab.json(&a)?;
    let keys = [
        "mean_time_score",
        "hangs",
        "candidates",
        "waiting",
        "mean_complexity",
        "population_complexity",
        "total_lines",
        "generations",
        "timeouts",
    ];
    Ok(keys.iter().map(|k| ((*k).to_owned(), s[*k].clone())).collect::<serde_json::Map<_, _>>().into())
}

fn run(lab: &mut Lab) -> Result<Page, String> {
    let solvers = lab.solvers(&["z3@4.8.10 smt.string_solver=z3str3", "cvc4"])?;
    let (target, reference) = match &solvers[..] {
        [target, reference, ..] => (target.clone(), reference.clone()),
        [one] => (one.clone(), one.clone()),
        [] => return Err("no solver is installed".into()),
    };
    let share = lab.share(VARIANTS.len() * lab.repeat);
    let mut all: Vec<Vec<Value>> = vec![Vec::new(); VARIANTS.len()];
    for round in 0..lab.repeat {
        for (i, v) in VARIANTS.iter().enumerate() {
            let name = format!("{}/{}", v.name, round + 1);
            let value = lab.unit(&name, chance(format!("{share:?}")), |lab, folder| {
                searched(lab, folder, [&target, &reference], v, (share, round))
            });
            match value {
                Ok(value) => all[i].extend(value),
                // Without coverage, a variant that needs it cannot run.
                Err(what) => eprintln!("xtask: left out: {name}: {what}"),
            }
        }
    }
    let spread =
        |i: usize, key: &str| Spread::of(&all[i].iter().filter_map(|v| v[key].as_f64()).collect::<Vec<_>>());
    let mut rows = Vec::new();
    let mut bars = Vec::new();
    for (i, v) in VARIANTS.iter().enumerate() {
        let mut row: Vec<String> = v.paper.iter().map(|p| (*p).to_owned()).collect();
        row.push(v.name.to_owned());
        row.extend([
            spread(i, "mean_time_score").text(2),
            spread(i, "timeouts").text(1),
            spread(i, "candidates").text(1),
            spread(i, "population_complexity").text(1),
            spread(i, "generations").text(0),
        ]);
        rows.push(row);
        bars.push((v.name.to_owned(), spread(i, "mean_time_score")));
    }
    let (single, many) = (spread(0, "timeouts").mean, spread(3, "timeouts").mean);
    let (small, large) = (spread(3, "population_complexity").mean, spread(6, "population_complexity").mean);
    Ok(Page {
        claim: "several objectives find more timeouts than one (13 and 4), and without the complexity objective formulas become four times as complex.".into(),
        ours: format!("timeouts: {single:.1} with one objective, {many:.1} with the paper's search; mean complexity {small:.1}, and {large:.1} without that objective."),
        verdict: match (all.iter().all(Vec::is_empty), many > single, large > small) {
            (true, ..) => Verdict::NotComparable,
            (_, true, true) => Verdict::HoldsInKind,
            _ => Verdict::DoesNotHold,
        },
        scale: format!("{} runs of {} s on one core for each variant, instead of 50 runs of 24 hours; a timeout is 2 s instead of 2,400 s.", lab.repeat, share.as_secs()),
        differs: "coverage comes from the statistics that solvers print, since there are no builds with gcov: lines are not comparable. StringFuzz's rows are our own \
                  search with one objective, not that program. In so few generations a search has hardly begun: figures 3 to 6 of the paper show 60 generations."
            .into(),
        parts: vec![
            Part::table(
                &format!("Variants, target {target}, reference {reference}"),
                &[
                    "paper: variant", "mean tScore", "timeouts", "mean complexity", "ours: variant", "mean tScore", "timeouts", "candidates",
                    "mean complexity", "generations",
                ],
                rows,
            ),
            Part::bars("score", "Mean time score of the population", bars),
        ],
        solvers: vec![target, reference],
    })
}

#[cfg(test)]
mod tests {
    use super::VARIANTS;

    #[test]
    fn variants_have_different_names() {
        let names: std::collections::BTreeSet<&str> = VARIANTS.iter().map(|v| v.name).collect();
        assert_eq!(names.len(), VARIANTS.len());
    }
}
