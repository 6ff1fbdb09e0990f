//! The plots of a campaign.

use std::collections::{BTreeMap, BTreeSet};

use smelt_store::Answer;

use super::class;
use super::data::Campaign;
use crate::plot::{Axis, Mark, Plot, Scale, Series};

/// Outcomes in the order in which bars show them; the colour has the same name.
const OUTCOMES: [&str; 8] = ["sat", "unsat", "unknown", "timeout", "memout", "crash", "rejected", "error"];
/// The groups of kinds of bugs: class, name, colour.
const KINDS: [(&str, &str, &str); 4] = [
    ("wrong", "wrong answer", "crash"),
    ("model", "wrong model or core", "timeout"),
    ("dead", "crash", "c6"),
    ("slow", "slow or undecided", "c5"),
];
/// At most this many bars in a plot.
const BARS: usize = 14;
/// At most this many points over time.
const POINTS: u64 = 40;
/// At most this many pairs of solvers.
const PAIRS: usize = 4;

/// All plots, those without data included.
pub(super) fn plots(campaign: &Campaign<'_>) -> Vec<Plot> {
    let mut all = vec![
        bugs_over_time(campaign),
        outcomes_by_solver(campaign),
        outcomes_over_time(campaign),
        strategies(campaign),
        bugs_by(
            campaign,
            "bugs-by-strategy",
            "Bugs by strategy",
            "The strategy that generated the main trigger of each bug.",
            |c, i| c.bugs()[i].finding.finding.strategy.clone().unwrap_or_default(),
        ),
        logics(campaign),
        bugs_by(campaign, "bugs-by-theory", "Bugs by theory", "The theory of each bug.", |c, i| {
            c.bugs()[i].as_finding().theory.unwrap_or_default()
        }),
    ];
    all.extend(pairs(campaign));
    all
}

fn bugs_over_time(campaign: &Campaign<'_>) -> Plot {
    let end = campaign.wall.as_secs_f64();
    let steps = |class_wanted: Option<&str>| -> Vec<(f64, f64)> {
        let bugs = campaign.bugs().iter().filter(|b| class_wanted.is_none_or(|c| class(b.kind) == c));
        let mut times: Vec<f64> =
            bugs.filter_map(|b| campaign.found_at(b)).map(|at| at.as_secs_f64()).collect();
        times.sort_by(f64::total_cmp);
        let mut points = vec![(0.0, 0.0)];
        points.extend(times.iter().enumerate().map(|(i, t)| (*t, (i + 1) as f64)));
        points.push((end.max(times.last().copied().unwrap_or(0.0)), times.len() as f64));
        points
    };
    let kinds: Vec<_> =
        KINDS.iter().filter(|k| campaign.bugs().iter().any(|b| class(b.kind) == k.0)).collect();
    let mut series = Vec::new();
    // The start, one bug and the end are no course.
    let all = steps(None);
    if all.len() > 3 {
        series.push(Series::new("all bugs", Mark::Steps, all).coloured("c7"));
    }
    if kinds.len() > 1 {
        let one = |k: &&(&str, &str, &str)| Series::new(k.1, Mark::Steps, steps(Some(k.0))).coloured(k.2);
        series.extend(kinds.iter().map(one));
    }
    Plot {
        name: "bugs".into(),
        title: "Bugs over time".into(),
        about: "Time at which the first trigger of each bug was found.".into(),
        x: Axis::new("campaign time", Scale::Time),
        y: Axis::linear("bugs"),
        series,
        ..Plot::default()
    }
}

fn outcomes_by_solver(campaign: &Campaign<'_>) -> Plot {
    let solvers = campaign.solvers();
    let series = OUTCOMES.iter().filter_map(|outcome| {
        let calls =
            |s: &&str| campaign.outcomes.get(&((*s).to_owned(), (*outcome).to_owned())).map_or(0, |n| n[0]);
        let points: Vec<(f64, f64)> =
            solvers.iter().enumerate().map(|(i, s)| (calls(s) as f64, i as f64)).collect();
        let any = points.iter().any(|p| p.0 > 0.0);
        any.then(|| Series::new(*outcome, Mark::Bars, points).coloured(*outcome))
    });
    Plot {
        name: "outcomes".into(),
        title: "Outcomes by solver".into(),
        about: "All queries. A solver that rejects a logic gets fewer of them.".into(),
        x: Axis::linear("solver calls"),
        y: Axis::new("", Scale::Names(solvers.iter().map(|s| (*s).to_owned()).collect())),
        series: series.collect(),
        ..Plot::default()
    }
}

fn outcomes_over_time(campaign: &Campaign<'_>) -> Plot {
    let length = campaign.spans.length.as_secs_f64().max(1e-3);
    // The last span has not ended yet. Several spans make one point, so that lines are calm.
    let whole = (campaign.wall.as_secs_f64() / length).floor() as u64;
    let together = whole.div_ceil(POINTS).max(1);
    let points = (whole / together) as usize;
    let seconds = length * together as f64;
    let series = OUTCOMES.iter().filter_map(|outcome| {
        let mut calls = vec![0u64; points];
        for ((span, _, of), n) in &campaign.spans.calls {
            if of == outcome
                && let Some(sum) = calls.get_mut((span / together) as usize)
            {
                *sum += n;
            }
        }
        let rate = |(i, n): (usize, &u64)| ((i as f64 + 0.5) * seconds, *n as f64 / seconds);
        let line = Series::new(*outcome, Mark::Line, calls.iter().enumerate().map(rate).collect());
        calls.iter().any(|n| *n > 0).then(|| line.coloured(*outcome))
    });
    Plot {
        name: "speed".into(),
        title: "Outcomes over time".into(),
        about: "Outcomes per second of each kind, over all solvers.".into(),
        x: Axis::new("campaign time", Scale::Time),
        y: Axis::linear("queries per second"),
        series: series.collect(),
        ..Plot::default()
    }
}

/// The longest bars first; at most `BARS`.
fn largest(mut rows: Vec<(String, Vec<f64>)>) -> Vec<(String, Vec<f64>)> {
    rows.retain(|r| r.1.iter().sum::<f64>() > 0.0);
    rows.sort_by(|a, b| b.1.iter().sum::<f64>().total_cmp(&a.1.iter().sum()).then_with(|| a.0.cmp(&b.0)));
    rows.truncate(BARS);
    rows
}

/// Stacked bars: rows with a value for each series.
fn bars(plot: Plot, rows: Vec<(String, Vec<f64>)>, series: &[(&str, &str)]) -> Plot {
    let rows = largest(rows);
    let one = |(i, (name, colour)): (usize, &(&str, &str))| {
        let points = rows.iter().enumerate().map(|(at, r)| (r.1.get(i).copied().unwrap_or(0.0), at as f64));
        Series::new(*name, Mark::Bars, points.collect()).coloured(*colour)
    };
    let all: Vec<Series> = series.iter().enumerate().map(one).collect();
    let series = all.into_iter().filter(|s| s.points.iter().any(|p| p.0 > 0.0)).collect();
    let names = rows.into_iter().map(|r| r.0).collect();
    Plot { y: Axis::new("", Scale::Names(names)), series, ..plot }
}

fn strategies(campaign: &Campaign<'_>) -> Plot {
    let rows = campaign.strategies.iter().map(|(name, (made, [tests, useful, ..]))| {
        // The scheduler counts each test once; its counts start over when it learns nothing.
        let share = if *tests == 0 { 0.0 } else { f64::from(*useful) / f64::from(*tests) };
        (name.clone(), vec![*made as f64 * share, *made as f64 * (1.0 - share)])
    });
    let plot = Plot {
        name: "strategies".into(),
        title: "Tests by strategy".into(),
        about: "A test is decided if some solver answers sat or unsat.".into(),
        x: Axis::linear("tests"),
        ..Plot::default()
    };
    bars(plot, rows.collect(), &[("decided", "unsat"), ("not decided", "rejected")])
}

fn logics(campaign: &Campaign<'_>) -> Plot {
    let rows = campaign.logics.iter().map(|(logic, [_, calls, answered])| {
        (logic.clone(), vec![*answered as f64, calls.saturating_sub(*answered) as f64])
    });
    let plot = Plot {
        name: "logics".into(),
        title: "Solver calls by logic".into(),
        about: "By the logic of the seed; tests without a seed are listed by strategy.".into(),
        x: Axis::linear("solver calls"),
        ..Plot::default()
    };
    bars(plot, rows.collect(), &[("sat or unsat", "unsat"), ("anything else", "rejected")])
}

fn bugs_by(
    campaign: &Campaign<'_>,
    name: &str,
    title: &str,
    about: &str,
    group: impl Fn(&Campaign<'_>, usize) -> String,
) -> Plot {
    let mut rows: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (i, bug) in campaign.bugs().iter().enumerate() {
        let row = rows.entry(group(campaign, i)).or_insert_with(|| vec![0.0; KINDS.len()]);
        if let Some(at) = KINDS.iter().position(|k| k.0 == class(bug.kind)) {
            row[at] += 1.0;
        }
    }
    let plot = Plot {
        name: name.into(),
        title: title.into(),
        about: about.into(),
        x: Axis::linear("bugs"),
        ..Plot::default()
    };
    bars(plot, rows.into_iter().collect(), &KINDS.map(|k| (k.1, k.2)))
}

/// Times of each pair of solvers on the same tests, for the pairs with most tests.
fn pairs(campaign: &Campaign<'_>) -> Vec<Plot> {
    let solvers: BTreeSet<&str> =
        campaign.samples.iter().flat_map(|s| s.keys().map(String::as_str)).collect();
    let solvers: Vec<&str> = solvers.into_iter().collect();
    let mut plots = Vec::new();
    for (i, a) in solvers.iter().enumerate() {
        for b in &solvers[i + 1..] {
            let both: Vec<(&Answer, &Answer)> =
                campaign.samples.iter().filter_map(|s| Some((s.get(*a)?, s.get(*b)?))).collect();
            plots.push((both.len(), pair(a, b, &both)));
        }
    }
    plots.sort_by_key(|p| std::cmp::Reverse(p.0));
    plots.into_iter().take(PAIRS).map(|p| p.1).collect()
}

fn pair(a: &str, b: &str, both: &[(&Answer, &Answer)]) -> Plot {
    let decided = |x: &Answer| matches!(x.outcome.as_str(), "sat" | "unsat");
    let ms = |x: &Answer| (x.wall_us as f64 / 1e3).max(0.1);
    let dots = |name: &str, colour: &str, wanted: &dyn Fn(bool, bool) -> bool| {
        let chosen = both.iter().filter(|(x, y)| wanted(decided(x), decided(y)));
        Series::new(name, Mark::Dots, chosen.map(|(x, y)| (ms(x), ms(y))).collect()).coloured(colour)
    };
    let series = [
        dots("neither decides", "rejected", &|x, y| !x && !y),
        dots("both decide", "sat", &|x, y| x && y),
        dots(&format!("only {a}"), "timeout", &|x, y| x && !y),
        dots(&format!("only {b}"), "unsat", &|x, y| !x && y),
    ];
    let series: Vec<Series> = series.into_iter().filter(|s| !s.points.is_empty()).collect();
    Plot {
        name: format!("times-{a}-{b}"),
        title: format!("{a} against {b}"),
        about: format!("CPU times on an even sample of {} tests. Below the line, {b} is faster.", both.len()),
        x: Axis::new(&format!("{a} (ms)"), Scale::Log),
        y: Axis::new(&format!("{b} (ms)"), Scale::Log),
        series,
        diagonal: true,
    }
}
