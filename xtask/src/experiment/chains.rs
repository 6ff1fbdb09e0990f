//! `weaker-is-faster` and `traces`: how time and traces of solvers change along chains of mutants.

use serde_json::{Value, json};

use super::Row;
use super::lab::{Lab, Spread, chance, with_solvers, words};
use super::page::{Page, Part, Verdict};

pub(super) const FASTER: Row = Row {
    name: "weaker-is-faster",
    source: "Winterer's thesis, figure 6.5",
    shows: "Time of solvers along chains of weakening and strengthening steps.",
    minutes: 20,
    run: faster,
};

pub(super) const TRACES: Row = Row {
    name: "traces",
    source: "Winterer's thesis, figure 4.10",
    shows: "Similarity of a solver's trace with that of the original formula, along chains of operator mutations.",
    minutes: 15,
    run: traces,
};

/// With fewer chains, a mean says little.
const FEW: usize = 10;

/// One chain of each file: for each solver, seconds and similarity at each step.
fn chain(
    lab: &Lab,
    strategy: &str,
    file: &std::path::Path,
    solvers: &[String],
    round: usize,
) -> Result<Value, String> {
    let mut a =
        words(&["mutate", strategy, &file.display().to_string(), "-n", "1", "--json", "-j", "1", "--traces"]);
    a.extend(["--seed".into(), (round + 1).to_string()]);
    with_solvers(&mut a, solvers);
    lab.json(&a)
}

/// The values of a field at each step, for one solver, over all chains that have it.
fn at_steps(all: &[Value], solver: usize, key: &str) -> Vec<Vec<f64>> {
    let mut steps: Vec<Vec<f64>> = Vec::new();
    for value in all {
        let own = value["solvers"][solver]["steps"].as_array().into_iter().flatten();
        for (i, step) in own.enumerate() {
            if steps.len() <= i {
                steps.push(Vec::new());
            }
            steps[i].extend(step[key].as_f64());
        }
    }
    steps
}

/// Chains of as many files as the budget allows.
fn run(lab: &mut Lab, strategy: &str, solvers: &[String], folders: &[&str]) -> Result<Vec<Value>, String> {
    let start = std::time::Instant::now();
    let mut all = Vec::new();
    let mut files = Vec::new();
    for folder in folders {
        match lab.scripts(folder, 200, 65) {
            Ok(own) => files.extend(own),
            Err(what) => eprintln!("xtask: left out: {what}"),
        }
    }
    files.sort_by_cached_key(|f| chance(f.file_name().map(std::ffi::OsStr::to_owned)));
    for (i, file) in files.iter().enumerate() {
        if start.elapsed() > lab.budget {
            break;
        }
        let name = format!("{strategy} {i}");
        let value = lab.unit(&name, chance(format!("{file:?} {solvers:?}")), |lab, _| {
            Ok(chain(lab, strategy, file, solvers, 0).unwrap_or_else(|what| json!({"error": what})))
        })?;
        all.extend(value);
    }
    Ok(all)
}

fn faster(lab: &mut Lab) -> Result<Page, String> {
    const STEPS: usize = 100;
    const AT: [usize; 6] = [0, 10, 25, 50, 75, 100];
    let solvers = lab.solvers(&["z3@5.4.0", "cvc5@1.4.2"])?;
    let strategy = format!("weaken:steps={STEPS},every-step=yes");
    let all = run(lab, &strategy, &solvers, &["seeds/QF_NRA", "seeds/NRA", "seeds/QF_ANIA"])?;
    let (mut rows, mut gains) = (Vec::new(), Vec::new());
    for (s, solver) in solvers.iter().enumerate() {
        let steps = at_steps(&all, s, "seconds");
        // Only chains with all steps: a mean over other chains at each step compares different formulas.
        let whole: Vec<Value> = all
            .iter()
            .filter(|v| {
                v["solvers"][s]["steps"].as_array().is_some_and(|a| a.len() >= steps.len().min(STEPS))
            })
            .cloned()
            .collect();
        let steps = at_steps(&whole, s, "seconds");
        let mean = |i: usize| steps.get(i).map(|v| Spread::of(v));
        let mut row = vec![solver.clone(), whole.len().to_string()];
        row.extend(AT.iter().map(|i| mean(*i).map_or("-".to_owned(), |m| format!("{:.1}", m.mean * 1000.0))));
        rows.push(row);
        if let (Some(first), Some(last)) = (mean(0), steps.last().map(|v| Spread::of(v))) {
            gains.push((solver.clone(), first.mean / last.mean.max(1e-9)));
        }
    }
    let faster = gains.iter().filter(|g| g.1 > 1.0).count();
    let said: Vec<String> = gains.iter().map(|(s, g)| format!("{s} {g:.2} times as fast")).collect();
    Ok(Page {
        claim: "after 100 steps of weakening and strengthening, z3 and cvc5 solve nonlinear formulas faster on average than before.".into(),
        ours: format!("after {STEPS} steps: {}.", if said.is_empty() { "no chain was complete".to_owned() } else { said.join(", ") }),
        verdict: match (faster, gains.len()) {
            _ if all.len() < FEW => Verdict::NotComparable,
            (_, 0) => Verdict::NotComparable,
            (n, all) if n == all => Verdict::HoldsInKind,
            _ => Verdict::DoesNotHold,
        },
        scale: format!("{} chains instead of 1,000 formulas, half sat and half unsat there.", all.len()),
        differs: "CPU times instead of wall times; the newest releases instead of those of 2021. As in the thesis, chains with a timeout of 8 s are left out. \
                  `weaken` avoids mutants that simplification decides, which are the fastest ones: so smelt's chains keep more of the difficulty."
            .into(),
        parts: vec![Part::table(
            "Milliseconds of CPU time at a step, mean over chains",
            &["solver", "chains", "original", "step 10", "step 25", "step 50", "step 75", "step 100"],
            rows,
        )],
        solvers,
    })
}

fn traces(lab: &mut Lab) -> Result<Page, String> {
    const STEPS: usize = 40;
    const AT: [usize; 6] = [1, 5, 10, 20, 30, 40];
    let solvers = lab.solvers(&["z3@5.4.0", "cvc5@1.4.2"])?;
    let strategy = format!("operator:steps={STEPS},every-step=yes");
    let all = run(lab, &strategy, &solvers, &["seeds"])?;
    let (mut rows, mut falls) = (Vec::new(), Vec::new());
    for (s, solver) in solvers.iter().enumerate() {
        let steps = at_steps(&all, s, "in_order");
        let mean = |i: usize| steps.get(i).filter(|v| !v.is_empty()).map(|v| Spread::of(v).mean);
        let mut row = vec![solver.clone(), steps.first().map_or(0, Vec::len).to_string()];
        row.extend(AT.iter().map(|i| mean(*i).map_or("-".to_owned(), |m| format!("{m:.3}"))));
        rows.push(row);
        if let (Some(first), Some(last)) = (mean(1), steps.iter().rposition(|v| !v.is_empty()).and_then(mean))
        {
            falls.push((solver.clone(), first, last));
        }
    }
    let said: Vec<String> = falls.iter().map(|(s, a, b)| format!("{s} from {a:.2} to {b:.2}")).collect();
    let holds = !falls.is_empty() && falls.iter().all(|(_, a, b)| b < a);
    Ok(Page {
        claim: "with each mutation step, the trace becomes less similar to that of the original formula.".into(),
        ours: format!("from step 1 to step {STEPS} the similarity falls: {}.", if said.is_empty() { "no solver printed a trace".to_owned() } else { said.join(", ") }),
        verdict: if falls.is_empty() || all.len() < FEW { Verdict::NotComparable } else if holds { Verdict::Holds } else { Verdict::DoesNotHold },
        scale: format!("{} chains instead of 1,000 formulas.", all.len()),
        differs: "the thesis compares function traces of instrumented builds; we compare what solvers print as statistics or traces, without special \
                  builds, so the level of similarity is not the same. The axis of the thesis has no figures that could stand here."
            .into(),
        parts: vec![Part::table(
            "Similarity of traces (1: equal), mean over chains",
            &["solver", "chains", "step 1", "step 5", "step 10", "step 20", "step 30", "step 40"],
            rows,
        )],
        solvers,
    })
}
