//! `mutation-cost` and `throughput`: what a mutant costs, and how many are tested in an hour.

use serde_json::{Value, json};

use std::path::PathBuf;

use super::Row;
use super::lab::{Lab, Spread, chance, copy_by_label, with_solvers, words};
use super::page::{Page, Part, Verdict};

pub(super) const COST: Row = Row {
    name: "mutation-cost",
    source: "Yao et al., \"Skeletal approximation enumeration\", ESEC/FSE 2021, table 5",
    shows: "CPU time to make one mutant.",
    minutes: 10,
    run: cost,
};

pub(super) const THROUGHPUT: Row = Row {
    name: "throughput",
    source: "Yao et al., \"Skeletal approximation enumeration\", ESEC/FSE 2021, table 6",
    shows: "Mutants that two solvers are tested with in an hour.",
    minutes: 30,
    run: throughput,
};

/// A strategy, the paper's name for it, its milliseconds (mean, least, most, deviation) and its mutants an hour.
struct Compared {
    strategy: &'static str,
    paper: &'static str,
    cost: Option<[f64; 4]>,
    hourly: Option<f64>,
}

const COMPARED: [Compared; 6] = [
    Compared {
        strategy: "fusion",
        paper: "YinYang(Fusion)",
        cost: Some([4.5, 1.9, 78.0, 3.8]),
        hourly: Some(10_582.0),
    },
    Compared {
        strategy: "operator",
        paper: "YinYang(OpFuzz)",
        cost: Some([0.6, 0.3, 2.4, 0.6]),
        hourly: Some(34_417.0),
    },
    Compared {
        strategy: "skeleton:moves=pst",
        paper: "Sparrow(PST)",
        cost: Some([0.4, 0.2, 1.1, 0.2]),
        hourly: Some(33_736.0),
    },
    Compared {
        strategy: "skeleton:moves=lpi",
        paper: "Sparrow(LPI)",
        cost: Some([1.3, 0.6, 33.0, 2.4]),
        hourly: Some(26_676.0),
    },
    Compared {
        strategy: "skeleton:moves=both",
        paper: "Sparrow(PST+LPI)",
        cost: Some([0.7, 0.2, 3.2, 0.5]),
        hourly: Some(32_365.0),
    },
    Compared {
        strategy: "skeleton:moves=both,snippets=published",
        paper: "Sparrow, its Algorithm 1 exactly",
        cost: None,
        hourly: None,
    },
];

/// Mutants of one seed, ten times as many as in the paper: 300 take less time than the start of a program varies.
const MUTANTS: u64 = 3_000;

/// Mutants of one seed in this budget: fewer only in tests.
fn mutants(lab: &Lab) -> u64 {
    (lab.budget.as_secs() * 100).clamp(20, MUTANTS)
}

/// Milliseconds for a mutant, for each seed that the strategy can use.
fn cost_of(lab: &Lab, strategy: &str, files: &[PathBuf], round: usize) -> Result<Value, String> {
    let mut costs = Vec::new();
    for (file, other) in files.iter().zip(files.iter().cycle().skip(1)) {
        let mut a = words(&["mutate", strategy, "--seed", &round.to_string(), &file.display().to_string()]);
        if strategy.starts_with("fusion") {
            a.push(other.display().to_string());
        }
        let made = |n: u64| -> Result<(f64, u64), String> {
            let (text, cpu, _) = lab.output(&[&a[..], &words(&["-n", &n.to_string()])].concat(), None)?;
            Ok((cpu, text.matches("; smelt strategy=").count() as u64))
        };
        // A seed that the strategy cannot use, such as one without a status, makes no mutant.
        let (Ok(few), Ok(many)) = (made(1), made(mutants(lab) + 1)) else { continue };
        if many.1 > few.1 {
            costs.push((many.0 - few.0).max(0.0) * 1000.0 / (many.1 - few.1) as f64);
        }
    }
    Ok(json!(costs))
}

fn cost(lab: &mut Lab) -> Result<Page, String> {
    let number = (lab.budget.as_secs() / 6).clamp(2, 100) as usize;
    let files = lab.scripts("seeds", number, 37)?;
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    for c in &COMPARED {
        let mut costs = Vec::new();
        for round in 0..lab.repeat {
            let depends_on = chance(format!("{files:?} {}", mutants(lab)));
            let name = format!("{}/{}", c.strategy, round + 1);
            let value = lab.unit(&name, depends_on, |lab, _| cost_of(lab, c.strategy, &files, round))?;
            costs.extend(
                value.iter().flat_map(|v| v.as_array().into_iter().flatten()).filter_map(Value::as_f64),
            );
        }
        let s = Spread::of(&costs);
        let paper = c.cost.map_or(["-".to_owned(), "-".to_owned(), "-".to_owned(), "-".to_owned()], |p| {
            p.map(|v| v.to_string())
        });
        let mut row = vec![c.paper.to_owned()];
        row.extend(paper);
        row.push(format!("`{}`", c.strategy));
        row.extend([s.mean, s.least, s.most, s.deviation].map(|v| format!("{v:.4}")));
        row.push(format!("{} in {} runs", s.number, lab.repeat));
        rows.push(row);
        bars.push((c.strategy.to_owned(), s));
    }
    let means: Vec<f64> = bars.iter().map(|b| b.1.mean).collect();
    let mean_of = |strategy: &str| bars.iter().find(|b| b.0 == strategy).map_or(f64::NAN, |b| b.1.mean);
    let (pst, lpi, fusion) =
        (mean_of("skeleton:moves=pst"), mean_of("skeleton:moves=lpi"), mean_of("fusion"));
    let same_order = pst <= lpi && lpi <= fusion;
    Ok(Page {
        claim: "PST costs less than LPI, and both less than fusion: 0.4, 1.3 and 4.5 ms on average.".into(),
        ours: format!(
            "PST, LPI and fusion cost {pst:.4}, {lpi:.4} and {fusion:.4} ms; all strategies cost {:.4} to {:.4} ms on average.",
            means.iter().copied().fold(f64::INFINITY, f64::min),
            means.iter().copied().fold(0.0, f64::max)
        ),
        verdict: if same_order { Verdict::HoldsInKind } else { Verdict::DoesNotHold },
        scale: format!("{number} of 1,000 seeds, {} mutants of each instead of 300, {} runs instead of ten.",
            mutants(lab),
            lab.repeat),
        differs: "the paper measured each mutant; we measure the CPU time of all mutants of a seed with printing, without the start of the program and \
                  without parsing, so our least and most are those of seeds. The programs differ: Python there, Rust here, and on other machines."
            .into(),
        parts: vec![
            Part::table(
                "Milliseconds for a mutant",
                &["paper: tool", "mean", "least", "most", "deviation", "ours: strategy", "mean", "least", "most", "deviation", "seeds"],
                rows,
            ),
            Part::bars("cost", "Milliseconds of CPU time for a mutant", bars),
        ],
        solvers: Vec::new(),
    })
}

/// The paper's solvers are Z3 and CVC4 of 2021.
const SOLVERS: [&str; 2] = ["z3@4.8.10", "cvc4"];

fn throughput(lab: &mut Lab) -> Result<Page, String> {
    let solvers = lab.solvers(&SOLVERS)?;
    let share = lab.share(COMPARED.len() * lab.repeat);
    let (mut rows, mut bars) = (Vec::new(), Vec::new());
    let mut all: Vec<Vec<(f64, f64)>> = vec![Vec::new(); COMPARED.len()];
    for round in 0..lab.repeat {
        for (i, c) in COMPARED.iter().enumerate() {
            let depends_on = chance(format!("{share:?} {} {:?}", lab.sample, lab.seeds));
            let value = lab.unit(&format!("{}/{}", c.strategy, round + 1), depends_on, |lab, folder| {
                let seeds = folder.join("seeds");
                copy_by_label(&lab.scripts("seeds", lab.sample, round as u64)?, &seeds)?;
                let mut a = words(&[
                    "fuzz",
                    "--json",
                    "--no-reduce",
                    "-j",
                    "1",
                    "--timeout",
                    "10s",
                    "-s",
                    c.strategy,
                ]);
                a.extend([
                    seeds.display().to_string(),
                    "--out".into(),
                    folder.join("out").display().to_string(),
                ]);
                a.extend([
                    "--time".into(),
                    format!("{}s", share.as_secs()),
                    "--seed".into(),
                    (round + 1).to_string(),
                ]);
                with_solvers(&mut a, &solvers);
                let ran = lab.run(&a, Some(&folder.join("cache")))?;
                Ok(json!({"tests": ran.json["tests"], "wall": ran.wall, "cpu": ran.cpu}))
            })?;
            let hourly = |v: &Value, key: &str| {
                v["tests"].as_f64().unwrap_or(0.0) * 3600.0 / v[key].as_f64().unwrap_or(1.0)
            };
            all[i].extend(value.map(|v| (hourly(&v, "wall"), hourly(&v, "cpu"))));
        }
    }
    for (c, runs) in COMPARED.iter().zip(&all) {
        let wall = Spread::of(&runs.iter().map(|r| r.0).collect::<Vec<_>>());
        let cpu = Spread::of(&runs.iter().map(|r| r.1).collect::<Vec<_>>());
        rows.push(vec![
            c.paper.to_owned(),
            c.hourly.map_or("-".to_owned(), |h| format!("{h:.0}")),
            format!("`{}`", c.strategy),
            wall.text(0),
            cpu.text(0),
        ]);
        bars.push((c.strategy.to_owned(), cpu));
    }
    let fusion = bars[0].1.mean;
    let skeleton = bars[4].1.mean;
    Ok(Page {
        claim: "Sparrow tests three times as many mutants an hour as fusion (32,365 and 10,582).".into(),
        ours: format!("{skeleton:.0} mutants of `skeleton` and {fusion:.0} of `fusion` in an hour of CPU time."),
        verdict: if skeleton > fusion { Verdict::HoldsInKind } else { Verdict::DoesNotHold },
        scale: format!("{} rounds of {} s, one worker, {} seeds, instead of 1,000 seeds with 300 mutants each.", lab.repeat, share.as_secs(), lab.sample),
        differs: "a campaign first runs its seeds, which takes a large part of so short a run; it keeps solvers alive between tests, and runs \
                  with solvers of the same years but not the same commits. Rates by wall time depend on the other load of the machine."
            .into(),
        parts: vec![
            Part::table(
                &format!("Mutants an hour, {}", solvers.join(" and ")),
                &["paper: tool", "an hour", "ours: strategy", "an hour of wall time", "an hour of CPU time"],
                rows,
            ),
            Part::bars("rate", "Mutants an hour of CPU time", bars),
        ],
        solvers,
    })
}
