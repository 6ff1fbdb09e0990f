//! Axes: map values to positions, with round numbers, durations or names at the ticks.

/// An axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axis {
    /// What it measures, with the unit.
    pub(crate) label: String,
    /// How values become positions.
    pub(crate) scale: Scale,
}

impl Axis {
    /// An axis of evenly spaced numbers.
    pub(crate) fn linear(label: &str) -> Axis {
        Axis { label: label.to_owned(), scale: Scale::Linear }
    }

    /// An axis with another scale.
    pub(crate) fn new(label: &str, scale: Scale) -> Axis {
        Axis { label: label.to_owned(), scale }
    }
}

/// How values become positions on an axis.
#[derive(Clone, Debug, Default)]
pub(crate) enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// Evenly; values are durations in seconds.
    Time,
    /// By their logarithm; values are positive.
    Log,
    /// By the logarithm of one more, for counts that may be 0.
    Count,
    /// Names; value i is the i-th of them.
    Names(Vec<String>),
}

/// An axis with its bounds.
pub(super) struct Fitted<'a> {
    pub(super) scale: &'a Scale,
    low: f64,
    high: f64,
    /// Whether all values are whole numbers, which have no ticks in between.
    is_whole: bool,
}

/// Steps between ticks of durations, in seconds.
const DURATIONS: [f64; 18] = [
    0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0,
    21_600.0, 86_400.0,
];

impl<'a> Fitted<'a> {
    pub(super) fn new(scale: &'a Scale, values: impl Iterator<Item = f64>) -> Fitted<'a> {
        if let Scale::Names(names) = scale {
            return Fitted { scale, low: -0.5, high: names.len().max(1) as f64 - 0.5, is_whole: true };
        }
        let mut fitted = Fitted { scale, low: f64::INFINITY, high: f64::NEG_INFINITY, is_whole: true };
        for value in values {
            fitted.is_whole &= value.fract() == 0.0;
            let value = fitted.warp(value);
            if !value.is_finite() {
                continue;
            }
            fitted.low = fitted.low.min(value);
            fitted.high = fitted.high.max(value);
        }
        if !matches!(scale, Scale::Log) {
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
            Scale::Linear | Scale::Time | Scale::Names(_) => value,
        }
    }

    /// The position of a value, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        ((self.warp(value) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let span = self.high - self.low;
        let even = |step: f64, text: &dyn Fn(f64) -> String| {
            let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
            (first..=last).map(|i| i as f64 * step).map(|v| (v, text(v))).collect()
        };
        match self.scale {
            Scale::Names(names) => names.iter().enumerate().map(|(i, n)| (i as f64, n.clone())).collect(),
            Scale::Time => {
                let step = DURATIONS.into_iter().find(|s| span / s <= 6.0);
                even(step.unwrap_or_else(|| (span / 6.0 / 86_400.0).ceil() * 86_400.0), &duration)
            }
            Scale::Linear => {
                let rough = 10f64.powf((span / 5.0).log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * rough).into_iter().find(|s| span / s <= 6.0);
                let least = if self.is_whole { 1.0 } else { 0.0 };
                even(step.unwrap_or(rough * 10.0).max(least), &number)
            }
            Scale::Log | Scale::Count => {
                let (low, high) = (self.low.floor() as i32, self.high.ceil() as i32);
                let zero = matches!(self.scale, Scale::Count).then_some(0.0);
                let fits = |v: &f64| (self.low..=self.high).contains(&self.warp(*v));
                // Less than two powers of ten need steps in between.
                let between: &[f64] = match span {
                    s if s < 0.7 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
                    s if s < 2.0 => &[1.0, 2.0, 5.0],
                    _ => &[1.0],
                };
                let powers = (low..=high).flat_map(|p| between.iter().map(move |f| f * 10f64.powi(p)));
                let ticks: Vec<f64> = zero.into_iter().chain(powers).filter(fits).collect();
                match ticks.len() {
                    // Nearly equal values: evenly spaced numbers tell them apart.
                    0 | 1 if matches!(self.scale, Scale::Log) => {
                        let (low, high) = (10f64.powf(self.low), 10f64.powf(self.high));
                        Fitted { scale: &Scale::Linear, low, high, is_whole: false }.ticks()
                    }
                    _ => ticks.into_iter().map(|v| (v, number(v))).collect(),
                }
            }
        }
    }
}

/// A number as short text.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        v if (1e6..1e9).contains(&v) => format!("{}M", (value / 1e4).round() / 1e2),
        v if (1e4..1e6).contains(&v) => format!("{}k", (value / 1e2).round() / 1e1),
        v if !(1e-4..1e9).contains(&v) => format!("{value:e}"),
        _ => format!("{}", (value * 1e6).round() / 1e6),
    }
}

/// A duration of some seconds as short text.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let two = |a: u64, unit: &str, b: u64, smaller: &str| match b {
        0 => format!("{a} {unit}"),
        b => format!("{a} {unit} {b} {smaller}"),
    };
    match whole {
        _ if seconds < 0.001 => "0".to_owned(),
        _ if seconds < 1.0 => format!("{:.0} ms", seconds * 1e3),
        _ if seconds < 10.0 => format!("{} s", (seconds * 10.0).round() / 10.0),
        0..60 => format!("{whole} s"),
        60..3600 => two(whole / 60, "min", whole % 60, "s"),
        3600..86_400 => two(whole / 3600, "h", whole % 3600 / 60, "min"),
        _ => two(whole / 86_400, "d", whole % 86_400 / 3600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(scale: Scale, values: &[f64]) -> Vec<String> {
        Fitted::new(&scale, values.iter().copied()).ticks().into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_numbers_and_durations() {
        assert_eq!(ticks(Scale::Linear, &[0.0, 870.0]), ["0", "200", "400", "600", "800"]);
        assert_eq!(ticks(Scale::Linear, &[0.0, 2.0]), ["0", "1", "2"]);
        assert_eq!(ticks(Scale::Linear, &[0.0, 0.5, 2.0]), ["0", "0.5", "1", "1.5", "2"]);
        assert_eq!(ticks(Scale::Count, &[0.0, 4000.0]), ["0", "1", "10", "100", "1000"]);
        assert_eq!(ticks(Scale::Time, &[0.0, 610.0]), ["0", "2 min", "4 min", "6 min", "8 min", "10 min"]);
        assert_eq!(ticks(Scale::Log, &[1.0, 9.0]), ["1", "2", "5"]);
        assert_eq!(ticks(Scale::Log, &[0.051, 0.058]), ["0.052", "0.054", "0.056", "0.058"]);
        assert!(ticks(Scale::Time, &[0.0, 1e9]).len() <= 7);
    }

    #[test]
    fn durations_are_short() {
        let all = [0.0, 0.02, 2.34, 59.0, 61.0, 5400.0, 90_000.0].map(duration);
        assert_eq!(all, ["0", "20 ms", "2.3 s", "59 s", "1 min 1 s", "1 h 30 min", "1 d 1 h"]);
    }
}
