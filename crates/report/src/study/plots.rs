//! A study as line plots: over releases, and over time limits.

use smelt_study::{Cell, LIMITS, Study};

use super::families;
use crate::plot::{Axis, Mark, Plot, Scale, Series, files};

/// All plots of a study that say something: the name of a file without its ending, and the SVG.
pub fn study_plots(study: &Study) -> Vec<(String, String)> {
    files(&plots(study))
}

/// A figure of a release on one grammar.
type Figure<'a> = &'a dyn Fn(&Cell) -> f64;

/// All plots of a study.
pub(super) fn plots(study: &Study) -> Vec<Plot> {
    families(study).iter().flat_map(|(family, releases)| of_family(study, family, releases)).collect()
}

fn of_family(study: &Study, family: &str, releases: &[usize]) -> Vec<Plot> {
    let names: Vec<String> = releases.iter().map(|r| study.releases[*r].solver.clone()).collect();
    let over_releases = |name: &str, title: &str, about: &str, y: Axis, series: Vec<Series>| Plot {
        name: format!("{family}-{name}"),
        title: format!("{family}: {title}"),
        about: about.to_owned(),
        x: Axis::new("", Scale::Names(names.clone())),
        y,
        series,
        ..Plot::default()
    };
    let line = |name: &str, f: &dyn Fn(usize) -> f64| {
        let points = releases.iter().enumerate().map(|(i, r)| (i as f64, f(*r))).collect();
        Series::new(name, Mark::Line, points)
    };
    let by_grammar = |f: Figure<'_>| -> Vec<Series> {
        let grammars = study.grammars.iter().enumerate();
        grammars.map(|(at, (grammar, _))| line(grammar, &|r| f(&study.cells[r][at]))).collect()
    };
    let sum = |r: usize, f: Figure<'_>| study.cells[r].iter().map(f).sum::<f64>();
    let by_kind = vec![
        line("unsound", &|r| sum(r, &|c| c.unsound as f64)),
        line("invalid model", &|r| sum(r, &|c| c.invalid_model as f64)),
        line("crash", &|r| sum(r, &|c| c.crash as f64)),
    ];
    let solved = |c: &Cell, at: usize| c.solved.get(at).copied().unwrap_or(0) as f64;
    let within = releases.iter().map(|r| {
        let points = LIMITS.iter().enumerate().map(|(i, limit)| (*limit, sum(*r, &|c| solved(c, i))));
        Series::new(&study.releases[*r].solver, Mark::Line, points.collect())
    });
    let last = LIMITS.len() - 1;
    let (triggers, formulas) = (|| Axis::new("triggers", Scale::Count), || Axis::linear("formulas"));
    vec![
        over_releases(
            "triggers",
            "triggers by kind",
            "Formulas with a confirmed wrong answer.",
            triggers(),
            by_kind,
        ),
        over_releases(
            "theories",
            "triggers by grammar",
            "The same by grammar, over all kinds.",
            triggers(),
            by_grammar(&|c| (c.unsound + c.invalid_model + c.crash) as f64),
        ),
        Plot {
            name: format!("{family}-solved"),
            title: format!("{family}: formulas solved within a time"),
            about: "Of the formulas that all releases ran with the full time limit and none rejected. Higher is better."
                .to_owned(),
            x: Axis::new("time limit (s)", Scale::Log),
            y: formulas(),
            series: within.collect(),
            ..Plot::default()
        },
        over_releases(
            "lowest",
            "solved within 1/64 s",
            "Share solved at once, by grammar, of the same formulas. Higher is better.",
            formulas(),
            by_grammar(&|c| solved(c, 0)),
        ),
        over_releases(
            "highest",
            "solved within 8 s",
            "Share solved within the longest limit, by grammar, of the same formulas. Higher is better.",
            formulas(),
            by_grammar(&|c| solved(c, last)),
        ),
        over_releases(
            "time",
            "time on jointly solved formulas",
            "On the formulas that all releases of the family solved. Lower is better.",
            Axis::new("seconds", Scale::Log),
            by_grammar(&|c| c.joint_s.max(1e-3)),
        ),
        over_releases(
            "throughput",
            "throughput",
            "On the formulas that all releases ran with the full time limit and none rejected. Higher is better.",
            Axis::new("formulas per second", Scale::Log),
            by_grammar(&|c| c.throughput.max(1e-3)),
        ),
    ]
}
