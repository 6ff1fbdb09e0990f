//! Rounding: every floating-point operation computes an exact result and rounds it here, once.

use super::sig::{Sig, Unpacked};
use super::{Float, Format, RoundingMode};

/// Drops the low `drop` bits of a magnitude, rounded; a sticky low bit needs `drop >= 2`.
pub(super) fn drop_bits<S: Sig>(mode: RoundingMode, negative: bool, sig: S, drop: u64) -> S {
    // Keep two bits below the cut: the half, and whether anything is below it.
    let sig = if drop >= 2 { sig.shr_sticky(drop - 2) } else { sig << (2 - drop as usize) };
    let rest = sig.low_two();
    let kept = sig >> 2;
    let up = rounds_up(mode, negative, rest, kept.is_odd());
    if up { kept + &S::from(1) } else { kept }
}

/// Whether a magnitude is rounded up by the two bits below the cut; `odd` is the last bit that is kept.
fn rounds_up(mode: RoundingMode, negative: bool, rest: u8, odd: bool) -> bool {
    match mode {
        RoundingMode::Rne => rest == 3 || (rest == 2 && odd),
        RoundingMode::Rna => rest >= 2,
        RoundingMode::Rtp => rest > 0 && !negative,
        RoundingMode::Rtn => rest > 0 && negative,
        RoundingMode::Rtz => false,
    }
}

/// The float nearest to an exact non-zero value in the sense of a rounding mode.
///
/// If the low bit of the significand is sticky, the significand has at least two bits more than the precision.
pub(super) fn round<S: Sig>(format: Format, mode: RoundingMode, x: Unpacked<S>) -> Float {
    let stored = i64::from(format.sb) - 1;
    // The exponent of the leading bit, or of where it would be in a subnormal number.
    let lead = (x.top() - 1).max(format.emin());
    let drop = lead - stored - x.exp;
    let kept = if drop > 0 {
        drop_bits(mode, x.negative, x.sig, drop as u64)
    } else {
        x.sig << drop.unsigned_abs() as usize
    };
    // A leading bit at position `stored` raises this field by one (normal), a carry out of it by two.
    let field = (lead - format.emin()) as u64;
    let carry = u64::from(kept.bit_length().saturating_sub(stored as u32));
    if field + carry >= format.top_field() {
        // Beyond the largest float: infinity counts as the next float above it, and the value as close to that.
        return match rounds_up(mode, x.negative, 3, true) {
            true => Float::infinity(format, x.negative),
            false => Float::largest(format, x.negative),
        };
    }
    Float::pack(format, x.negative, field, kept)
}
