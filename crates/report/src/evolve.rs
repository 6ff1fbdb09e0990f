//! A search for slow formulas as plots and a page: convergence, trade-offs, and how long formulas take.

use maud::html;
use smelt_search::{Generation, Individual, State, Timing, time_score};
use std::time::Duration;

use crate::page::{figures, page, script_details};
use crate::plot::{Axis, Mark, Plot, Scale, Series, svg};

/// All plots of a search: the name of a file without its ending, and the SVG. `limit` is the CPU time of one run.
pub fn search_plots(state: &State, limit: Duration) -> Vec<(String, String)> {
    let axis = |label: &str| Axis { label: label.to_owned(), ..Axis::default() };
    let over_time = |name: &str, f: &dyn Fn(&Generation) -> f64| Series {
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

/// For each time at which a run ended, the share of all runs that had ended by then.
fn shares(state: &State, limit: Duration, of: impl Fn(&Individual) -> Timing) -> Vec<(f64, f64)> {
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
    let time = |t: &Timing| format!("{} after {:.2} s", t.outcome, t.seconds);
    let confirmed = &state.candidates.confirmed;
    let body = html! {
        h1 { "Slow formulas" }
        p {
            (state.generation) " generations, " (state.evaluations) " formulas measured, "
            (state.candidates.candidates) " candidates, " (confirmed.len()) " confirmed."
        }
        (figures(search_plots(state, limit)))
        @if !confirmed.is_empty() {
            h2 { "Confirmed" }
        }
        @for c in confirmed {
            @let kind = c.kind.map_or("slow", |k| k.as_str());
            @let summary = html! {
                (c.id) ": " (kind) " (" (c.operators.join(" ")) "), complexity " (c.complexity)
            };
            @let releases: String = c.releases.iter().map(|(name, t)| format!("; {name}: {}", time(t))).collect();
            @let times = format!("target: {}; reference: {}{releases}", time(&c.target), time(&c.reference));
            (script_details(summary, &times, &c.script))
        }
    };
    page("smelt evolve", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_formulas_has_a_page_too() {
        let page = search_page(&State::default(), Duration::from_secs(5));
        assert_eq!(page.matches("<svg").count(), 5);
        assert!(page.ends_with("</html>\n"));
    }
}
