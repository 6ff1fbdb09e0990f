//! The sides of a box: the range of each constant, points of a box, and cutting a box in two.

use crate::float::range::{Range, at};
use crate::value::Value;

/// The possible values of one constant in a box.
#[derive(Clone, Debug)]
pub(super) enum Side {
    Range(Range),
    Values(Vec<Value>),
}

/// Some points of a box: its middle and corners.
pub(super) fn samples(sides: &[Side]) -> Vec<Vec<Side>> {
    let pick = |choose: &dyn Fn(usize, &Range) -> i64| {
        let side = |(i, s): (usize, &Side)| match s {
            Side::Range(r) if r.is_empty() => s.clone(),
            Side::Range(r) => {
                let p = choose(i, r).clamp(r.lo, r.hi);
                Side::Range(Range { lo: p, hi: p, nan: false, ..*r })
            }
            Side::Values(values) => Side::Values(values[..1].to_vec()),
        };
        sides.iter().enumerate().map(side).collect()
    };
    let middle = |r: &Range| ((r.lo as i128 + r.hi as i128) / 2) as i64;
    vec![
        pick(&|_, r| middle(r)),
        pick(&|_, r| r.lo),
        pick(&|_, r| r.hi),
        pick(&|i, r| if i % 2 == 0 { r.lo } else { r.hi }),
        pick(&|i, r| if i % 2 == 1 { r.lo } else { r.hi }),
    ]
}

/// The two halves of a box; none if it is a single point.
pub(super) fn split(sides: &[Side]) -> Option<(Vec<Side>, Vec<Side>)> {
    let size = |s: &Side| match s {
        Side::Range(r) if r.nan && !r.is_empty() => f64::INFINITY,
        Side::Range(r) if r.hi <= r.lo => -1.0,
        Side::Range(r) => extent(r),
        Side::Values(values) if values.len() > 1 => f64::INFINITY,
        Side::Values(_) => -1.0,
    };
    let (v, _) = sides
        .iter()
        .enumerate()
        .map(|(i, s)| (i, size(s)))
        .filter(|s| s.1 >= 0.0)
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let (a, b) = match &sides[v] {
        Side::Values(values) => {
            let (a, b) = values.split_at(values.len() / 2);
            (Side::Values(a.to_vec()), Side::Values(b.to_vec()))
        }
        Side::Range(r) if r.nan => {
            (Side::Range(Range { nan: false, ..*r }), Side::Range(Range { lo: 0, hi: -1, ..*r }))
        }
        Side::Range(r) => {
            let middle = if r.lo < 0 && r.hi >= 0 { -1 } else { ((r.lo as i128 + r.hi as i128) >> 1) as i64 };
            (Side::Range(Range { hi: middle, ..*r }), Side::Range(Range { lo: middle + 1, ..*r }))
        }
    };
    let with = |side: Side| {
        let mut sides = sides.to_vec();
        sides[v] = side;
        sides
    };
    Some((with(a), with(b)))
}

/// The approximate distance between the ends of a range.
fn extent(r: &Range) -> f64 {
    let number = |p: i64| -> f64 {
        let bits = at(r.format, p).canonical_bits().to_u64().unwrap_or(0);
        match (r.format.eb(), r.format.sb()) {
            (8, 24) => f64::from(f32::from_bits(bits as u32)),
            (11, 53) => f64::from_bits(bits),
            _ => p as f64,
        }
    };
    let extent = number(r.hi) - number(r.lo);
    if extent.is_nan() { f64::MAX } else { extent }
}
