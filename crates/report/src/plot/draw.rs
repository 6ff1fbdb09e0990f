//! Drawing a plot: axes, series, legend.

use maud::{Markup, html};

use super::axis::{Fitted, Scale, number};
use super::{Mark, Plot, Series};

const WIDTH: f64 = 460.0;
/// The height of the area inside the axes, unless there are bars.
pub(super) const HEIGHT: f64 = 210.0;
/// The height of one bar with its gap.
const BAR: f64 = 22.0;
const RIGHT: f64 = 14.0;
/// The width of a letter of the usual size.
const LETTER: f64 = 6.6;
/// Names are cut after this many letters.
const LONGEST: usize = 24;
/// After this many colours they start over, dashed.
const COLOURS: usize = 10;

/// A coordinate, to a tenth.
fn tenth(value: f64) -> String {
    format!("{value:.1}")
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &name[..end]),
        None => name.to_owned(),
    }
}

fn width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// The area inside the axes, and where values are in it.
struct Frame<'a> {
    x: Fitted<'a>,
    y: Fitted<'a>,
    left: f64,
    top: f64,
    bottom: f64,
    /// The whole height.
    height: f64,
}

impl<'a> Frame<'a> {
    const RIGHT: f64 = WIDTH - RIGHT;

    fn new(plot: &'a Plot, titled: bool) -> Frame<'a> {
        let (mut across, mut up): (Vec<f64>, Vec<f64>) =
            plot.series.iter().flat_map(|s| s.points.iter().copied()).unzip();
        if is_bars(plot) {
            across = totals(plot).into_iter().map(|t| t * 1.08).collect();
        }
        if plot.diagonal {
            let both: Vec<f64> = across.iter().chain(&up).copied().collect();
            (across, up) = (both.clone(), both);
        }
        let x = Fitted::new(&plot.x.scale, across.into_iter());
        let y = Fitted::new(&plot.y.scale, up.into_iter());
        let longest = y.ticks().iter().map(|t| width(&cut(&t.1))).fold(0.0, f64::max);
        let left = longest + 12.0 + if plot.y.label.is_empty() { 0.0 } else { 16.0 };
        let top = if titled { 34.0 } else { 10.0 };
        let inner = match &plot.y.scale {
            Scale::Names(names) => names.len().max(1) as f64 * BAR,
            _ => HEIGHT,
        };
        let names = match &plot.x.scale {
            Scale::Names(names) => names.iter().map(|n| width(&cut(n))).fold(0.0, f64::max) * 0.6,
            _ => 0.0,
        };
        let labels = names + if plot.x.label.is_empty() { 24.0 } else { 40.0 };
        let bottom = top + inner;
        let height = bottom + labels + legend_rows(plot).len() as f64 * 17.0 + 4.0;
        Frame { x, y, left, top, bottom, height }
    }

    fn at_x(&self, value: f64) -> f64 {
        self.left + self.x.place(value) * (Self::RIGHT - self.left)
    }

    /// Names go from top to bottom.
    fn at_y(&self, value: f64) -> f64 {
        let place = self.y.place(value);
        let down = if matches!(self.y.scale, Scale::Names(_)) { place } else { 1.0 - place };
        self.top + down * (self.bottom - self.top)
    }
}

fn is_bars(plot: &Plot) -> bool {
    plot.series.iter().any(|s| s.mark == Mark::Bars)
}

/// The lengths of the bars of all names.
fn totals(plot: &Plot) -> Vec<f64> {
    let names = if let Scale::Names(names) = &plot.y.scale { names.len() } else { 0 };
    let mut totals = vec![0.0; names];
    for (value, name) in plot.series.iter().flat_map(|s| &s.points) {
        if let Some(total) = totals.get_mut(*name as usize) {
            *total += value;
        }
    }
    totals
}

/// The class of the colour of the `i`-th series.
fn colour(series: &Series, i: usize) -> String {
    series.colour.clone().unwrap_or_else(|| format!("c{}", i % COLOURS))
}

/// The whole drawing; one that is a file of its own has its title and its style.
pub(super) fn drawing(plot: &Plot, titled: bool) -> Markup {
    let frame = Frame::new(plot, titled);
    let size = format!("0 0 {WIDTH} {:.0}", frame.height);
    let border = format!("M{:.1} {:.1}V{:.1}H{:.1}", frame.left, frame.top, frame.bottom, Frame::RIGHT);
    html! {
        svg.plot xmlns="http://www.w3.org/2000/svg" viewBox=(size) role="img" aria-label=(plot.title) {
            @if titled {
                (super::style())
                rect.paper width="100%" height="100%" {}
                text.title x="8" y="20" { (plot.title) }
            }
            (vertical_axis(plot, &frame))
            (horizontal_axis(plot, &frame))
            path.axis d=(border) {}
            @if plot.diagonal {
                path.diagonal d=(format!("M{:.1} {:.1}L{:.1} {:.1}", frame.left, frame.bottom, Frame::RIGHT, frame.top)) {}
            }
            @if is_bars(plot) { (bars(plot, &frame)) }
            @for (i, series) in plot.series.iter().enumerate().filter(|(_, s)| s.mark != Mark::Bars) {
                (drawn(series, &frame, i))
            }
            (legend(plot, &frame))
        }
    }
}

/// Grid lines with their values, and the label of the y axis.
fn vertical_axis(plot: &Plot, frame: &Frame<'_>) -> Markup {
    let middle = tenth((frame.top + frame.bottom) / 2.0);
    let grid = !matches!(plot.y.scale, Scale::Names(_));
    html! {
        @for (value, label) in frame.y.ticks() {
            @let at = frame.at_y(value);
            @if grid {
                path.grid d=(format!("M{:.1} {at:.1}H{:.1}", frame.left, Frame::RIGHT)) {}
            }
            text.end x=(tenth(frame.left - 6.0)) y=(tenth(at + 4.0)) { (cut(&label)) }
        }
        @if !plot.y.label.is_empty() {
            text.middle x="12" y=(middle) transform={ "rotate(-90 12 " (middle) ")" } { (plot.y.label) }
        }
    }
}

/// Ticks with their values, slanted if they are names, and the label of the x axis.
fn horizontal_axis(plot: &Plot, frame: &Frame<'_>) -> Markup {
    let slanted = matches!(plot.x.scale, Scale::Names(_));
    let under = tenth(frame.bottom + 16.0);
    let label = frame.height - legend_rows(plot).len() as f64 * 17.0 - 10.0;
    html! {
        @for (value, name) in frame.x.ticks() {
            @let at = tenth(frame.at_x(value));
            @let turned = slanted.then(|| format!("rotate(-35 {at} {under})"));
            @if is_bars(plot) {
                path.grid d=(format!("M{at} {:.1}V{:.1}", frame.top, frame.bottom)) {}
            }
            path.axis d=(format!("M{at} {:.1}v4", frame.bottom)) {}
            text class=(if slanted { "end" } else { "middle" }) x=(at) y=(under) transform=[turned] { (cut(&name)) }
        }
        @if !plot.x.label.is_empty() {
            text.middle x=(tenth((frame.left + Frame::RIGHT) / 2.0)) y=(tenth(label)) { (plot.x.label) }
        }
    }
}

/// The series by number, in rows that fit the width.
fn legend_rows(plot: &Plot) -> Vec<Vec<usize>> {
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let mut used = WIDTH;
    if plot.series.len() < 2 {
        return rows;
    }
    for (i, series) in plot.series.iter().enumerate() {
        let needed = legend_width(series);
        if used + needed > WIDTH - 16.0 || rows.is_empty() {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += needed;
        if let Some(row) = rows.last_mut() {
            row.push(i);
        }
    }
    rows
}

fn legend_width(series: &Series) -> f64 {
    width(&cut(&series.name)) + 28.0
}

fn legend(plot: &Plot, frame: &Frame<'_>) -> Markup {
    let rows = legend_rows(plot);
    let first = frame.height - rows.len() as f64 * 17.0 + 6.0;
    html! {
        @for (row, places) in rows.iter().enumerate() {
            @let y = first + row as f64 * 17.0;
            @for (at, i) in places.iter().enumerate() {
                @let x = 10.0 + places[..at].iter().map(|j| legend_width(&plot.series[*j])).sum::<f64>();
                rect class={ (colour(&plot.series[*i], *i)) " mark" } x=(tenth(x)) y=(tenth(y - 8.0)) width="10" height="10" rx="2" {}
                text x=(tenth(x + 15.0)) y=(tenth(y + 1.0)) { (cut(&plot.series[*i].name)) }
            }
        }
    }
}

/// The `i`-th series. Its line is dashed when the colours start over.
fn drawn(series: &Series, frame: &Frame<'_>, i: usize) -> Markup {
    let finite = series.points.iter().filter(|(a, b)| a.is_finite() && b.is_finite());
    let places: Vec<(f64, f64)> = finite.map(|(a, b)| (frame.at_x(*a), frame.at_y(*b))).collect();
    let steps = places.iter().enumerate().map(|(i, (a, b))| match (i, series.mark) {
        (0, _) => format!("M{a:.1} {b:.1}"),
        (_, Mark::Steps) => format!("H{a:.1}V{b:.1}"),
        _ => format!("L{a:.1} {b:.1}"),
    });
    let dash = (series.colour.is_none() && i >= COLOURS).then_some("4 3");
    let radius = if series.mark == Mark::Dots { "2.2" } else { "2.4" };
    // Many points on a line are the line.
    let dotted = series.mark == Mark::Dots || (series.mark == Mark::Line && places.len() <= 40);
    let class = colour(series, i);
    html! {
        @if series.mark != Mark::Dots && places.len() > 1 {
            path class={ (class) " line" } d=(steps.collect::<String>()) stroke-dasharray=[dash] {}
        }
        @if dotted {
            g class={ (class) " mark" } {
                @for (a, b) in &places {
                    circle cx=(tenth(*a)) cy=(tenth(*b)) r=(radius) {}
                }
            }
        }
    }
}

/// Stacked bars, with the total behind each.
fn bars(plot: &Plot, frame: &Frame<'_>) -> Markup {
    let totals = totals(plot);
    let mut reached = vec![0.0; totals.len()];
    let mut pieces = Vec::new();
    for (i, series) in plot.series.iter().enumerate() {
        for (value, name) in &series.points {
            let Some(start) = reached.get_mut(*name as usize) else { continue };
            let (from, to) = (frame.at_x(*start), frame.at_x(*start + value));
            *start += value;
            let title = format!("{}: {}", series.name, number(*value));
            pieces.push((colour(series, i), from, (to - from).max(0.0), frame.at_y(*name), title));
        }
    }
    html! {
        @for (class, from, length, y, title) in pieces {
            @if length > 0.0 {
                rect class={ (class) " mark" } x=(tenth(from)) y=(tenth(y - 7.0)) width=(tenth(length)) height="14" {
                    title { (title) }
                }
            }
        }
        @for (i, total) in totals.iter().enumerate() {
            text.total x=(tenth(frame.at_x(*total) + 4.0)) y=(tenth(frame.at_y(i as f64) + 4.0)) { (number(*total)) }
        }
    }
}
