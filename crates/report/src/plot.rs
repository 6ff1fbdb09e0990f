//! Plots as SVG: lines, steps and dots over numbers or names, of any data.

use maud::{Markup, html};

/// A plot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plot {
    /// The title above it.
    pub(crate) title: String,
    /// From left to right.
    pub(crate) x: Axis,
    /// From bottom to top.
    pub(crate) y: Axis,
    /// What is drawn; later series cover earlier ones.
    pub(crate) series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    /// What it measures, with the unit.
    pub(crate) label: String,
    /// How values become positions.
    pub(crate) scale: Scale,
}

/// How values become positions on an axis.
#[derive(Clone, Debug, Default)]
pub(crate) enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithm; values are positive.
    Log,
    /// By the logarithm of one more, for counts that may be 0.
    Count,
    /// Names; value i is the i-th of them.
    Names(Vec<String>),
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
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 32.0;
const BOTTOM: f64 = 84.0;

/// Colours that people with colour blindness can distinguish.
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#444444", "#8c564b",
    "#a6761d",
];

/// An axis with its bounds.
struct Fitted<'a> {
    scale: &'a Scale,
    low: f64,
    high: f64,
}

impl<'a> Fitted<'a> {
    fn new(scale: &'a Scale, values: impl Iterator<Item = f64>) -> Fitted<'a> {
        if let Scale::Names(names) = scale {
            return Fitted { scale, low: -0.5, high: names.len() as f64 - 0.5 };
        }
        let mut fitted = Fitted { scale, low: f64::INFINITY, high: f64::NEG_INFINITY };
        for value in values.map(|v| fitted.warp(v)).filter(|v| v.is_finite()).collect::<Vec<_>>() {
            fitted.low = fitted.low.min(value);
            fitted.high = fitted.high.max(value);
        }
        if matches!(scale, Scale::Linear | Scale::Count) {
            fitted.low = fitted.low.min(0.0);
        }
        if !fitted.low.is_finite() || fitted.high <= fitted.low {
            fitted.low = if fitted.low.is_finite() { fitted.low } else { 0.0 };
            fitted.high = fitted.low + 1.0;
        }
        fitted.high += (fitted.high - fitted.low) * 0.04;
        fitted
    }

    fn warp(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Log => value.log10(),
            Scale::Count => (1.0 + value.max(0.0)).log10(),
            Scale::Linear | Scale::Names(_) => value,
        }
    }

    /// The position of a value, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        ((self.warp(value) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Names(names) => names.iter().enumerate().map(|(i, n)| (i as f64, n.clone())).collect(),
            Scale::Linear => {
                let span = self.high - self.low;
                let rough = 10f64.powf((span / 5.0).log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * rough).into_iter().find(|s| span / s <= 6.0);
                let step = step.unwrap_or(rough * 10.0);
                let first = (self.low / step).ceil() as i64;
                let last = (self.high / step).floor() as i64;
                (first..=last).map(|i| i as f64 * step).map(|v| (v, number(v))).collect()
            }
            Scale::Log | Scale::Count => {
                let (low, high) = (self.low.floor() as i32, self.high.ceil() as i32);
                let powers = (low..=high).map(|p| 10f64.powi(p));
                let zero = matches!(self.scale, Scale::Count).then_some(0.0);
                let fits = |v: &f64| (self.low..=self.high).contains(&self.warp(*v));
                zero.into_iter().chain(powers).filter(fits).map(|v| (v, number(v))).collect()
            }
        }
    }
}

fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if (1e5..1e7).contains(&v) => format!("{}k", value / 1e3),
        v if !(1e-4..1e7).contains(&v) => format!("{value:e}"),
        _ => format!("{}", (value * 1e6).round() / 1e6),
    }
}

/// A coordinate, to a tenth.
fn tenth(value: f64) -> String {
    format!("{value:.1}")
}

/// The area inside the axes, and where values are in it.
struct Frame<'a> {
    x: Fitted<'a>,
    y: Fitted<'a>,
}

impl Frame<'_> {
    const RIGHT: f64 = WIDTH - RIGHT;
    const BOTTOM: f64 = HEIGHT - BOTTOM;

    fn at_x(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (Self::RIGHT - LEFT)
    }

    fn at_y(&self, value: f64) -> f64 {
        TOP + (1.0 - self.y.place(value)) * (Self::BOTTOM - TOP)
    }
}

/// Draws a plot.
pub(crate) fn svg(plot: &Plot) -> String {
    let points = || plot.series.iter().flat_map(|s| &s.points);
    let frame = Frame {
        x: Fitted::new(&plot.x.scale, points().map(|p| p.0)),
        y: Fitted::new(&plot.y.scale, points().map(|p| p.1)),
    };
    let border = format!("M{LEFT} {TOP}V{:.1}H{:.1}", Frame::BOTTOM, Frame::RIGHT);
    let drawing = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) }
            font-family="sans-serif" font-size="11" role="img" aria-label=(plot.title)
        {
            rect width="100%" height="100%" fill="#fff" {}
            text x=(LEFT) y="18" font-size="13" font-weight="bold" { (plot.title) }
            (vertical_axis(plot, &frame))
            (horizontal_axis(plot, &frame))
            path d=(border) fill="none" stroke="#888" {}
            @for (i, series) in plot.series.iter().enumerate() {
                (drawn(series, &frame, i))
                (legend(&series.name, i))
            }
        }
    };
    drawing.into_string() + "\n"
}

/// Grid lines with their values, and the label of the y axis.
fn vertical_axis(plot: &Plot, frame: &Frame<'_>) -> Markup {
    let middle = tenth((TOP + Frame::BOTTOM) / 2.0);
    html! {
        @for (value, label) in frame.y.ticks() {
            @let at = frame.at_y(value);
            path d=(format!("M{LEFT} {at:.1}H{:.1}", Frame::RIGHT)) stroke="#ddd" {}
            text x=(tenth(LEFT - 6.0)) y=(tenth(at + 4.0)) text-anchor="end" { (label) }
        }
        text x="14" y=(middle) text-anchor="middle" transform={ "rotate(-90 14 " (middle) ")" } {
            (plot.y.label)
        }
    }
}

/// Ticks with their values, slanted if they are names, and the label of the x axis.
fn horizontal_axis(plot: &Plot, frame: &Frame<'_>) -> Markup {
    let slanted = matches!(plot.x.scale, Scale::Names(_));
    let under = tenth(Frame::BOTTOM + 16.0);
    let label = if slanted { HEIGHT - 6.0 } else { Frame::BOTTOM + 34.0 };
    html! {
        @for (value, name) in frame.x.ticks() {
            @let at = tenth(frame.at_x(value));
            @let turned = slanted.then(|| format!("rotate(-35 {at} {under})"));
            @let anchor = if slanted { "end" } else { "middle" };
            path d=(format!("M{at} {:.1}v4", Frame::BOTTOM)) stroke="#888" {}
            text x=(at) y=(under) text-anchor=(anchor) transform=[turned] { (name) }
        }
        text x=(tenth((LEFT + Frame::RIGHT) / 2.0)) y=(tenth(label)) text-anchor="middle" { (plot.x.label) }
    }
}

/// The colour of the `i`-th series.
fn colour(i: usize) -> &'static str {
    COLOURS[i % COLOURS.len()]
}

fn legend(name: &str, i: usize) -> Markup {
    let at = TOP + 8.0 + 16.0 * i as f64;
    html! {
        rect x=(tenth(Frame::RIGHT + 12.0)) y=(tenth(at - 8.0)) width="10" height="10" fill=(colour(i)) {}
        text x=(tenth(Frame::RIGHT + 27.0)) y=(tenth(at + 1.0)) { (name) }
    }
}

/// The `i`-th series. Its line is dashed when the colours start over.
fn drawn(series: &Series, frame: &Frame<'_>, i: usize) -> Markup {
    let places: Vec<(f64, f64)> =
        series.points.iter().map(|(a, b)| (frame.at_x(*a), frame.at_y(*b))).collect();
    let steps = places.iter().enumerate().map(|(i, (a, b))| match (i, series.mark) {
        (0, _) => format!("M{a:.1} {b:.1}"),
        (_, Mark::Steps) => format!("H{a:.1}V{b:.1}"),
        _ => format!("L{a:.1} {b:.1}"),
    });
    let dash = (i >= COLOURS.len()).then_some("4 3");
    let radius = if series.mark == Mark::Dots { "2" } else { "2.6" };
    html! {
        @if series.mark != Mark::Dots && places.len() > 1 {
            path d=(steps.collect::<String>()) fill="none" stroke=(colour(i)) stroke-width="1.8"
                stroke-dasharray=[dash] {}
        }
        @if series.mark != Mark::Steps {
            @for (a, b) in &places {
                circle cx=(tenth(*a)) cy=(tenth(*b)) r=(radius) fill=(colour(i)) {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(scale: Scale, points: Vec<(f64, f64)>) -> String {
        let series = vec![Series { name: "a < b".into(), points, mark: Mark::Line }];
        let y = Axis { label: "count".into(), scale };
        svg(&Plot { title: "T & U".into(), x: Axis::default(), y, series })
    }

    #[test]
    fn every_point_is_drawn_inside_the_frame() {
        for scale in [Scale::Linear, Scale::Log, Scale::Count] {
            let text = plot(scale, vec![(1.0, 1.0), (2.0, 1000.0), (3.0, 20.0)]);
            assert_eq!(text.matches("<circle").count(), 3);
            for part in text.split("cy=\"").skip(1) {
                let y: f64 = part.split('"').next().unwrap().parse().unwrap();
                assert!((TOP..=HEIGHT - BOTTOM).contains(&y), "{y}");
            }
            assert!(text.contains("a &lt; b") && text.contains("T &amp; U"));
        }
    }

    #[test]
    fn no_values_and_infinite_values_are_drawn_too() {
        for points in [vec![], vec![(0.0, 0.0)], vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)]] {
            assert!(plot(Scale::Log, points.clone()).ends_with("</svg>\n"));
            assert!(plot(Scale::Linear, points).ends_with("</svg>\n"));
        }
    }

    #[test]
    fn ticks_are_round_numbers() {
        let fitted = Fitted::new(&Scale::Linear, [0.0, 870.0].into_iter());
        let ticks: Vec<String> = fitted.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(ticks, ["0", "200", "400", "600", "800"]);
        let fitted = Fitted::new(&Scale::Count, [0.0, 400.0].into_iter());
        let ticks: Vec<String> = fitted.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(ticks, ["0", "1", "10", "100"]);
    }
}
