//! A study as line plots: over releases, and over time limits.

use smelt_study::{Cell, LIMITS, Study};

use super::families;
use crate::plot::{Axis, Plot, Scale, Series, svg};

/// All plots of a study: the name of a file without its ending, and the SVG.
pub fn study_plots(study: &Study) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (family, releases) in families(study) {
        let names: Vec<String> = releases.iter().map(|r| study.releases[*r].solver.clone()).collect();
        let over_releases = |title: &str, label: &str, scale: Scale, series: Vec<Series>| {
            svg(&Plot {
                title: format!("{family}: {title}"),
                x: Axis { label: String::new(), scale: Scale::Names(names.clone()) },
                y: Axis { label: label.to_owned(), scale },
                series,
            })
        };
        let by_grammar = |f: &dyn Fn(&Cell) -> f64| -> Vec<Series> {
            let line = |(at, (grammar, _)): (usize, &(String, u64))| Series {
                name: grammar.clone(),
                points: releases
                    .iter()
                    .enumerate()
                    .map(|(i, r)| (i as f64, f(&study.cells[*r][at])))
                    .collect(),
                ..Series::default()
            };
            study.grammars.iter().enumerate().map(line).collect()
        };
        let kinds: [(&str, &dyn Fn(&Cell) -> u64); 3] =
            [("unsound", &|c| c.unsound), ("invalid model", &|c| c.invalid_model), ("crash", &|c| c.crash)];
        let by_kind = kinds.map(|(name, f)| Series {
            name: name.to_owned(),
            points: releases
                .iter()
                .enumerate()
                .map(|(i, r)| (i as f64, study.cells[*r].iter().map(f).sum::<u64>() as f64))
                .collect(),
            ..Series::default()
        });
        let wrong = |c: &Cell| (c.unsound + c.invalid_model + c.crash) as f64;
        let solved = |at: usize| move |c: &Cell| c.solved.get(at).copied().unwrap_or(0) as f64;
        let within = releases.iter().map(|r| Series {
            name: study.releases[*r].solver.clone(),
            points: (0..LIMITS.len())
                .map(|i| {
                    (
                        LIMITS[i],
                        study.cells[*r].iter().map(|c| c.solved.get(i).copied().unwrap_or(0)).sum::<u64>()
                            as f64,
                    )
                })
                .collect(),
            ..Series::default()
        });
        let last = LIMITS.len() - 1;
        let plots = [
            ("triggers", over_releases("triggers by kind", "triggers", Scale::Count, by_kind.to_vec())),
            ("theories", over_releases("triggers by grammar", "triggers", Scale::Count, by_grammar(&wrong))),
            (
                "solved",
                svg(&Plot {
                    title: format!("{family}: formulas solved within a time"),
                    x: Axis { label: "time limit (s)".into(), scale: Scale::Log },
                    y: Axis { label: "formulas".into(), scale: Scale::Linear },
                    series: within.collect(),
                }),
            ),
            (
                "lowest",
                over_releases("solved within 1/64 s", "formulas", Scale::Linear, by_grammar(&solved(0))),
            ),
            (
                "highest",
                over_releases("solved within 8 s", "formulas", Scale::Linear, by_grammar(&solved(last))),
            ),
            (
                "time",
                over_releases(
                    "time on jointly solved formulas",
                    "seconds",
                    Scale::Log,
                    by_grammar(&|c| c.joint_s.max(1e-3)),
                ),
            ),
            (
                "throughput",
                over_releases(
                    "throughput",
                    "formulas a second",
                    Scale::Log,
                    by_grammar(&|c| c.throughput.max(1e-3)),
                ),
            ),
        ];
        all.extend(plots.into_iter().map(|(name, svg)| (format!("{family}-{name}"), svg)));
    }
    all
}
