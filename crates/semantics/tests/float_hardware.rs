//! Arithmetic of 32 and 64 bits is what the hardware computes (round to nearest even).
//!
//! A million operands for each function, twenty with `cargo xtask test --slow`.

use crate::common::{Random, rounds};
use smelt_semantics::RoundingMode::{self, Rne};
use smelt_semantics::{BitVec, Float, Format};

/// The remainder of the x87 unit. The C library's own gives +0 for some negative dividends, against IEEE 754.
#[cfg(target_arch = "x86_64")]
fn remainder(x: f64, y: f64) -> f64 {
    let mut out = x;
    // SAFETY: pushes two numbers on the x87 stack, reduces until the status word says it is done, pops both;
    // memory is touched only through the two given pointers.
    unsafe {
        std::arch::asm!(
            "fld qword ptr [{y}]",
            "fld qword ptr [{x}]",
            "2: fprem1",
            "fnstsw ax",
            "test ah, 4",
            "jnz 2b",
            "fstp qword ptr [{x}]",
            "fstp st(0)",
            x = in(reg) &mut out,
            y = in(reg) &y,
            out("ax") _,
            out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
            out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
        );
    }
    out
}

/// Elsewhere there is no hardware remainder to compare with; the tiny formats test it by definition.
#[cfg(not(target_arch = "x86_64"))]
fn remainder(x: f64, y: f64) -> f64 {
    let ours = |v: f64| Float::from_ieee(Format::F64, &BitVec::new(64, v.to_bits())).unwrap();
    ours(x).rem(&ours(y)).canonical_bits().to_u64().map_or(f64::NAN, f64::from_bits)
}

/// Exact in double precision, since a remainder by a single-precision number is a single-precision number.
fn remainderf(x: f32, y: f32) -> f32 {
    remainder(x.into(), y.into()) as f32
}

/// A bit pattern with weight on zeros, subnormals, extremes, ties and neighbours of `near`.
fn operand(random: &mut Random, format: Format, near: u64) -> u64 {
    let (stored, width) = (format.sb() - 1, format.width());
    let top = (1u64 << format.eb()) - 1;
    let (r, low) = (random.bits(), random.bits() & ((1 << stored) - 1));
    let sign = (r >> 63) << (width - 1);
    let field = random.below(top + 1);
    let magnitude = match random.below(12) {
        0 => *[0, 1, top << stored, (top << stored) - 1, 1 << stored, (1 << stored) - 1]
            .get((r % 8) as usize)
            .unwrap_or(&((top << stored) | 1)),
        1 => low,
        2 => low >> (r % u64::from(stored)),
        3 => ((top - 1) << stored) | low,
        4 => (field << stored) | (low & (low << (r % 40))),
        5 => (field << stored) | (1 << (r % u64::from(stored))),
        6 => ((top / 2 + r % 64) << stored) | (low & !((1 << (stored / 2)) - 1)),
        7 => near.wrapping_add(r % 5).wrapping_sub(2),
        8 => (near & !((1 << stored) - 1)) | low,
        9 => near.wrapping_add((r % 128) << stored).wrapping_sub(64 << stored),
        10 => ((top / 2 + r % 8) << stored) | low,
        _ => r,
    };
    (magnitude & ((1 << (width - 1)) - 1)) | sign
}

macro_rules! agree {
    ($test:ident, $seed:expr, $F:ty, $U:ty, $format:expr, $remainder:ident) => {
        #[test]
        fn $test() {
            let mut random = Random::new($seed);
            let ours =
                |bits: $U| Float::from_ieee($format, &BitVec::new($format.width(), bits.into())).unwrap();
            for _ in 0..rounds(1_000_000, 20_000_000) {
                let a = operand(&mut random, $format, 1 << ($format.width() - 2)) as $U;
                let b = operand(&mut random, $format, a.into()) as $U;
                // Near the product, so that the addition in fma cancels.
                let product = <$F>::from_bits(a) * <$F>::from_bits(b);
                let c = operand(&mut random, $format, product.to_bits().into()) as $U;
                let (x, y, z) = (ours(a), ours(b), ours(c));
                let (f, g, h) = (<$F>::from_bits(a), <$F>::from_bits(b), <$F>::from_bits(c));
                let same = |name: &str, mine: Float, hardware: $F| {
                    assert_eq!(mine, ours(hardware.to_bits()), "{name} {f:e} {g:e} {h:e}");
                };
                same("add", x.add(Rne, &y), f + g);
                same("sub", x.sub(Rne, &y), f - g);
                same("mul", x.mul(Rne, &y), f * g);
                same("div", x.div(Rne, &y), f / g);
                same("sqrt", x.sqrt(Rne), f.sqrt());
                same("fma", x.fma(Rne, &y, &z), f.mul_add(g, h));
                same("rem", x.rem(&y), $remainder(f, g));
                same("rint", x.round_to_integral(Rne), f.round_ties_even());
                same("round", x.round_to_integral(RoundingMode::Rna), f.round());
                same("trunc", x.round_to_integral(RoundingMode::Rtz), f.trunc());
                same("floor", x.round_to_integral(RoundingMode::Rtn), f.floor());
                same("ceil", x.round_to_integral(RoundingMode::Rtp), f.ceil());
                same("abs", x.abs(), f.abs());
                same("neg", x.neg(), -f);
                assert_eq!((x.ieee_lt(&y), x.ieee_le(&y), x.ieee_eq(&y)), (f < g, f <= g, f == g));
                assert_eq!(x.compare(&y), f.partial_cmp(&g));
                assert_eq!(
                    (x.is_nan(), x.is_infinite(), x.is_zero(), x.is_normal(), x.is_subnormal()),
                    (f.is_nan(), f.is_infinite(), f == 0.0, f.is_normal(), f.is_subnormal()),
                );
                let n = random.word();
                same("from i64", Float::from_signed($format, Rne, &BitVec::new(64, n)), n as i64 as $F);
                same("from u64", Float::from_unsigned($format, Rne, &BitVec::new(64, n)), n as $F);
                if let Ok(bits) = x.to_signed(RoundingMode::Rtz, 64) {
                    assert_eq!(bits.to_u64(), Some(f as i64 as u64));
                }
            }
        }
    };
}

agree!(single_precision_equals_the_hardware, 11, f32, u32, Format::F32, remainderf);
agree!(double_precision_equals_the_hardware, 12, f64, u64, Format::F64, remainder);

#[test]
fn conversion_between_formats_equals_the_hardware() {
    let mut random = Random::new(13);
    for _ in 0..rounds(1_000_000, 20_000_000) {
        let wide = f64::from_bits(operand(&mut random, Format::F64, 0x3ff0_0000_0000_0000));
        let wide = if random.below(2) == 0 {
            wide
        } else {
            f64::from(f32::from_bits(random.bits() as u32)) * 1.000_000_1
        };
        let ours = Float::from_ieee(Format::F64, &BitVec::new(64, wide.to_bits())).unwrap();
        let narrow = Float::from_ieee(Format::F32, &BitVec::new(32, (wide as f32).to_bits().into())).unwrap();
        assert_eq!(ours.to_format(Format::F32, Rne), narrow, "{wide:e}");
        let back = Float::from_ieee(Format::F64, &BitVec::new(64, f64::from(wide as f32).to_bits())).unwrap();
        assert_eq!(narrow.to_format(Format::F64, Rne), back);
    }
}
