//! A search for slow formulas as plots and a page: convergence, trade-offs, and how long formulas take.

use smelt_search::{Individual, State, time_score};
use std::fmt::Write;
use std::time::Duration;

use crate::plot::{Axis, Mark, Plot, Scale, Series, escape, svg};
use crate::study::STYLE;

/// All plots of a search: the name of a file without its ending, and the SVG. `limit` is the CPU time of one run.
pub fn search_plots(state: &State, limit: Duration) -> Vec<(String, String)> {
    let axis = |label: &str| Axis { label: label.to_owned(), ..Axis::default() };
    let over_time = |name: &str, f: &dyn Fn(&smelt_search::Generation) -> f64| Series {
        name: name.to_owned(),
        points: state.history.iter().map(|g| (g.number as f64, f(g))).collect(),
        ..Series::default()
    };
    let convergence = Plot {
        title: "Time score by generation".to_owned(),
        x: axis("generation"),
        y: axis("time score"),
        series: vec![over_time("best", &|g| g.best), over_time("mean", &|g| g.mean)],
    };
    let objectives: [(&str, &dyn Fn(&Individual) -> f64); 3] = [
        ("time score", &|i| time_score(i.target.seconds, i.reference.seconds)),
        ("coverage score", &|i| i.covered),
        ("complexity", &|i| i.complexity as f64),
    ];
    let mut all = vec![("convergence".to_owned(), svg(&convergence))];
    for (a, b) in [(0, 2), (0, 1), (1, 2)] {
        let ((x, f), (y, g)) = (objectives[a], objectives[b]);
        let dots = |name: &str, kept: &dyn Fn(&Individual) -> bool| Series {
            name: name.to_owned(),
            points: state.population.iter().filter(|i| kept(i)).map(|i| (f(i), g(i))).collect(),
            mark: Mark::Dots,
        };
        let plot = Plot {
            title: format!("{y} against {x}, last population"),
            x: axis(x),
            y: axis(y),
            series: vec![
                dots("ended", &|i| !i.target.is_timeout()),
                dots("timeout", &|i| i.target.is_timeout()),
            ],
        };
        all.push((format!("{x} {y}").replace(' ', "-"), svg(&plot)));
    }
    let distribution = Plot {
        title: format!("Share of the last population done within a time (limit {} s)", limit.as_secs_f64()),
        x: Axis { label: "CPU time in seconds".to_owned(), scale: Scale::Log },
        y: axis("share"),
        series: vec![
            Series { name: "target".into(), points: shares(state, limit, |i| i.target), mark: Mark::Steps },
            Series {
                name: "reference".into(),
                points: shares(state, limit, |i| i.reference),
                mark: Mark::Steps,
            },
        ],
    };
    all.push(("times".to_owned(), svg(&distribution)));
    all
}

/// For each time at which something ended, the share of all that had ended by then.
fn shares(
    state: &State,
    limit: Duration,
    of: impl Fn(&Individual) -> smelt_search::Timing,
) -> Vec<(f64, f64)> {
    let n = state.population.len() as f64;
    let mut ended: Vec<f64> =
        state.population.iter().map(&of).filter(|t| !t.is_timeout()).map(|t| t.seconds.max(1e-3)).collect();
    ended.sort_by(f64::total_cmp);
    let last = (limit.as_secs_f64(), ended.len() as f64 / n);
    let steps = ended.into_iter().enumerate().map(|(k, t)| (t, (k + 1) as f64 / n));
    steps.chain(if n > 0.0 { Some(last) } else { None }).collect()
}

/// The page of a search: needs no other file.
pub fn search_page(state: &State, limit: Duration) -> String {
    let mut out = String::new();
    let confirmed = &state.desk.confirmed;
    let _ = writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>smelt evolve</title><style>{STYLE}</style>\n\
         <h1>Slow formulas</h1>\n<p>{} generations, {} formulas measured, {} candidates, {} confirmed.</p>",
        state.generation,
        state.evaluations,
        state.desk.candidates,
        confirmed.len()
    );
    for (_, svg) in search_plots(state, limit) {
        let _ = writeln!(out, "<figure>{svg}</figure>");
    }
    if !confirmed.is_empty() {
        out.push_str("<h2>Confirmed</h2>\n");
    }
    for c in confirmed {
        let time = |t: &smelt_search::Timing| format!("{} after {:.2} s", t.outcome, t.seconds);
        let releases: Vec<String> =
            c.releases.iter().map(|(name, t)| format!("{name}: {}", time(t))).collect();
        let _ = writeln!(
            out,
            "<details><summary>{}: {} ({}), complexity {}</summary><p>target: {}; reference: {}{}</p><pre>{}</pre></details>",
            escape(&c.id),
            c.kind.map_or("slow", |k| k.as_str()),
            escape(&c.operators.join(" ")),
            c.complexity,
            time(&c.target),
            time(&c.reference),
            escape(&releases.iter().map(|r| format!("; {r}")).collect::<String>()),
            escape(&c.script)
        );
    }
    out.push_str("</html>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_anything_has_a_page_too() {
        let page = search_page(&State::default(), Duration::from_secs(5));
        assert_eq!(page.matches("<svg").count(), 5);
        assert!(page.ends_with("</html>\n"));
    }
}
