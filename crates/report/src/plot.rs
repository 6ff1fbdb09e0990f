//! Plots as SVG: lines, steps and dots over numbers or names. Knows nothing of what it shows.

use std::fmt::Write;

/// A plot.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// What is drawn, the first at the back.
    pub series: Vec<Series>,
}

/// An axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    /// What it measures, with the unit.
    pub label: String,
    /// How values become places.
    pub scale: Scale,
}

/// How values become places.
#[derive(Clone, Debug, Default)]
pub enum Scale {
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

/// What belongs together.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Where it goes.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub mark: Mark,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
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

/// Colours that people with colour blindness tell apart.
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

    /// Where a value is, from 0 to 1.
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

/// Text as SVG and HTML take it.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Draws a plot.
pub fn svg(plot: &Plot) -> String {
    let points = || plot.series.iter().flat_map(|s| &s.points);
    let x = Fitted::new(&plot.x.scale, points().map(|p| p.0));
    let y = Fitted::new(&plot.y.scale, points().map(|p| p.1));
    let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let at_x = |v: f64| LEFT + x.place(v) * width;
    let at_y = |v: f64| TOP + (1.0 - y.place(v)) * height;
    let (right, bottom) = (LEFT + width, TOP + height);
    let mut out = String::new();
    let title = escape(&plot.title);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"{title}\">"
    );
    let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"18\" font-size=\"13\" font-weight=\"bold\">{title}</text>");
    for (value, label) in y.ticks() {
        let at = at_y(value);
        let _ = writeln!(out, "<path d=\"M{LEFT} {at:.1}H{right:.1}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    let slanted = matches!(plot.x.scale, Scale::Names(_));
    for (value, label) in x.ticks() {
        let (at, label) = (at_x(value), escape(&label));
        let _ = writeln!(out, "<path d=\"M{at:.1} {bottom:.1}v4\" stroke=\"#888\"/>");
        let under = bottom + 16.0;
        let _ = match slanted {
            true => writeln!(
                out,
                "<text x=\"{at:.1}\" y=\"{under:.1}\" text-anchor=\"end\" transform=\"rotate(-35 {at:.1} {under:.1})\">{label}</text>"
            ),
            false => {
                writeln!(out, "<text x=\"{at:.1}\" y=\"{under:.1}\" text-anchor=\"middle\">{label}</text>")
            }
        };
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        LEFT + width / 2.0,
        HEIGHT - 6.0,
        escape(&plot.x.label)
    );
    let middle = TOP + height / 2.0;
    let _ = writeln!(
        out,
        "<text x=\"14\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {middle:.1})\">{}</text>",
        escape(&plot.y.label)
    );
    let _ = writeln!(out, "<path d=\"M{LEFT} {TOP}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"#888\"/>");
    for (i, series) in plot.series.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let places: Vec<(f64, f64)> = series.points.iter().map(|(a, b)| (at_x(*a), at_y(*b))).collect();
        draw(&mut out, series.mark, &places, colour, i >= COLOURS.len());
        let at = TOP + 8.0 + 16.0 * i as f64;
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>",
            right + 12.0,
            at - 8.0
        );
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            right + 27.0,
            at + 1.0,
            escape(&series.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, mark: Mark, places: &[(f64, f64)], colour: &str, dashed: bool) {
    let mut path = String::new();
    for (i, (a, b)) in places.iter().enumerate() {
        let _ = match (i, mark) {
            (0, _) => write!(path, "M{a:.1} {b:.1}"),
            (_, Mark::Steps) => write!(path, "H{a:.1}V{b:.1}"),
            _ => write!(path, "L{a:.1} {b:.1}"),
        };
    }
    let dash = if dashed { " stroke-dasharray=\"4 3\"" } else { "" };
    if mark != Mark::Dots && places.len() > 1 {
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash}/>"
        );
    }
    if mark != Mark::Steps {
        let radius = if mark == Mark::Dots { 2.0 } else { 2.6 };
        for (a, b) in places {
            let _ = writeln!(out, "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"{radius}\" fill=\"{colour}\"/>");
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
    fn every_point_is_drawn_inside_of_the_frame() {
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
    fn nothing_and_odd_values_are_drawn_too() {
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
