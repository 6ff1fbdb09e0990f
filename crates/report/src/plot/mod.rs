//! Plots as SVG: lines, steps, dots and bars over numbers, durations or names.
//!
//! Colours are classes: the style sheet `plot.css` defines a light and a dark theme, for pages and for files.

mod axis;
mod draw;

use maud::{Markup, PreEscaped, html};

pub(crate) use axis::{Axis, Scale, duration};
use draw::drawing;

/// The style of plots, in pages and in files.
pub(crate) const STYLE: &str = include_str!("../../assets/plot.css");

/// A plot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plot {
    /// The name of its file, without an ending.
    pub(crate) name: String,
    /// The title above it.
    pub(crate) title: String,
    /// What it shows, in a sentence or two for the page.
    pub(crate) about: String,
    /// From left to right.
    pub(crate) x: Axis,
    /// From bottom to top; names from top to bottom.
    pub(crate) y: Axis,
    /// What is drawn; later series cover earlier ones, and bars are stacked.
    pub(crate) series: Vec<Series>,
    /// Whether to draw the line on which both axes have the same value.
    pub(crate) diagonal: bool,
}

/// Points that belong together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub(crate) name: String,
    /// Its points.
    pub(crate) points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub(crate) mark: Mark,
    /// The class of its colour; otherwise the next colour is used.
    pub(crate) colour: Option<String>,
}

impl Series {
    /// A series in the next colour.
    pub(crate) fn new(name: impl Into<String>, mark: Mark, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), points, mark, colour: None }
    }

    /// With the colour of a class.
    pub(crate) fn coloured(self, class: impl Into<String>) -> Series {
        Series { colour: Some(class.into()), ..self }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Points with lines between them.
    #[default]
    Line,
    /// Steps, as of a distribution.
    Steps,
    /// Points alone.
    Dots,
    /// Horizontal bars from the names of the y axis; the x value is their length. All series of a plot are bars, or none.
    Bars,
}

impl Plot {
    /// Whether it shows more than a single point or nothing.
    pub(crate) fn says_something(&self) -> bool {
        let finite = |s: &&Series| s.points.iter().filter(|p| p.0.is_finite() && p.1.is_finite()).count();
        let nonzero = |s: &Series| {
            s.points.iter().any(|p| if s.mark == Mark::Bars { p.0 } else { p.1 }.abs() > f64::EPSILON)
        };
        let shown: Vec<&Series> = self.series.iter().filter(|s| nonzero(s)).collect();
        match self.series.first().map(|s| s.mark) {
            // Dots in one column or row compare nothing.
            Some(Mark::Dots) => {
                let all =
                    || shown.iter().flat_map(|s| &s.points).filter(|p| p.0.is_finite() && p.1.is_finite());
                let varies = |of: fn(&(f64, f64)) -> f64| {
                    let first = all().next().map(of);
                    all().any(|p| Some(of(p)) != first)
                };
                varies(|p| p.0) && varies(|p| p.1)
            }
            Some(Mark::Bars) => {
                let bars =
                    shown.iter().flat_map(|s| s.points.iter().filter(|p| p.0 > 0.0).map(|p| p.1 as usize));
                bars.collect::<std::collections::BTreeSet<_>>().len() > 1
            }
            _ => shown.iter().any(|s| finite(s) > 1),
        }
    }

    /// The plot as a file of its own.
    pub(crate) fn file(&self) -> String {
        drawing(self, true).into_string() + "\n"
    }

    /// The plot as a figure of a page.
    pub(crate) fn figure(&self) -> Markup {
        html! {
            figure {
                figcaption { b { (self.title) } " " span.dim { (self.about) } }
                (drawing(self, false))
            }
        }
    }
}

/// Those plots that say something, side by side on wide screens.
pub(crate) fn figures(plots: &[Plot]) -> Markup {
    let shown: Vec<&Plot> = plots.iter().filter(|p| p.says_something()).collect();
    html! {
        @if !shown.is_empty() {
            div.plots {
                @for plot in shown { (plot.figure()) }
            }
        }
    }
}

/// Those plots that say something as files: name and content.
pub(crate) fn files(plots: &[Plot]) -> Vec<(String, String)> {
    plots.iter().filter(|p| p.says_something()).map(|p| (p.name.clone(), p.file())).collect()
}

/// The style sheet, for a file of its own.
fn style() -> Markup {
    html! { style { (PreEscaped(STYLE)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(scale: Scale, points: Vec<(f64, f64)>) -> Plot {
        let series = vec![Series::new("a < b", Mark::Line, points), Series::new("c", Mark::Dots, vec![])];
        Plot { title: "T & U".into(), y: Axis::new("count", scale), series, ..Plot::default() }
    }

    #[test]
    fn every_point_is_drawn_inside_the_frame() {
        for scale in [Scale::Linear, Scale::Log, Scale::Count, Scale::Time] {
            let text = plot(scale, vec![(1.0, 1.0), (2.0, 1000.0), (3.0, 20.0)]).file();
            assert_eq!(text.matches("<circle").count(), 3);
            for part in text.split("cy=\"").skip(1) {
                let y: f64 = part.split('"').next().unwrap().parse().unwrap();
                assert!((34.0..=34.0 + draw::HEIGHT).contains(&y), "below the title: {y}");
            }
            assert!(text.contains("a &lt; b") && text.contains("T &amp; U"));
        }
    }

    #[test]
    fn no_values_and_infinite_values_are_drawn_too() {
        for points in [vec![], vec![(0.0, 0.0)], vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)]] {
            for scale in [Scale::Log, Scale::Linear, Scale::Time, Scale::Names(vec!["a".into()])] {
                let one = plot(scale, points.clone());
                assert!(one.file().ends_with("</svg>\n") && !one.file().contains("NaN"));
            }
        }
    }

    #[test]
    fn a_plot_without_data_or_with_one_point_is_not_shown() {
        for points in [vec![], vec![(1.0, 5.0)], vec![(1.0, 0.0), (2.0, 0.0)]] {
            assert!(!plot(Scale::Linear, points).says_something());
        }
        let two = plot(Scale::Linear, vec![(1.0, 5.0), (2.0, 0.0)]);
        assert!(two.says_something());
        let shown = figures(&[two, Plot::default()]).into_string();
        assert_eq!(shown.matches("<figure").count(), 1);
        let bar = |points| Plot { series: vec![Series::new("a", Mark::Bars, points)], ..Plot::default() };
        assert!(!bar(vec![(3.0, 0.0)]).says_something());
        assert!(bar(vec![(3.0, 0.0), (4.0, 1.0)]).says_something());
    }
}
