//! Every tiny format, exhaustively, against a naive definition: list all floats of the format with their
//! exact values and pick the correctly rounded one. Nothing here uses the rounding step under test.

use std::cmp::Ordering;

use crate::common::Random;
use smelt_semantics::RoundingMode::{self, Rna, Rne, Rtn, Rtp, Rtz};
use smelt_semantics::number::Int;
use smelt_semantics::{BitVec, Float, Format, Gap, Rational};

const MODES: [RoundingMode; 5] = [Rne, Rna, Rtp, Rtn, Rtz];

/// All floats of a format by definition.
struct Naive {
    format: Format,
    /// The value of each magnitude pattern; the pattern of infinity stands for the next power of two.
    magnitudes: Vec<Rational>,
}

fn power_of_two(e: i64) -> Rational {
    let power = Rational::from(1i64 << e.unsigned_abs());
    if e < 0 { power.recip().unwrap() } else { power }
}

impl Naive {
    fn new(eb: u32, sb: u32) -> Naive {
        let bias = (1i64 << (eb - 1)) - 1;
        let value = |pattern: i64| {
            let (field, low) = (pattern >> (sb - 1), pattern & ((1 << (sb - 1)) - 1));
            let (hidden, exponent) = if field == 0 { (0, 1 - bias) } else { (1 << (sb - 1), field - bias) };
            &Rational::from(hidden + low) * &power_of_two(exponent - i64::from(sb) + 1)
        };
        let infinity = ((1i64 << eb) - 1) << (sb - 1);
        Naive { format: Format::new(eb, sb).unwrap(), magnitudes: (0..=infinity).map(value).collect() }
    }

    fn float(&self, pattern: usize, negative: bool) -> Float {
        let bits = (pattern as u64) | u64::from(negative) << (self.format.width() - 1);
        Float::from_ieee(self.format, &BitVec::new(self.format.width(), bits)).unwrap()
    }

    fn infinity(&self) -> usize {
        self.magnitudes.len() - 1
    }

    /// Every float, NaN once, with its value if finite.
    fn all(&self) -> Vec<(Float, Option<Rational>)> {
        let mut out = vec![(Float::nan(self.format), None)];
        for negative in [false, true] {
            for (i, m) in self.magnitudes.iter().enumerate() {
                let value = if negative { -m } else { m.clone() };
                out.push((self.float(i, negative), (i < self.infinity()).then_some(value)));
            }
        }
        out
    }

    /// Rounds a magnitude that is known by comparison with rationals only.
    fn round_by(&self, mode: RoundingMode, negative: bool, exact: impl Fn(&Rational) -> Ordering) -> Float {
        let below = self.magnitudes.partition_point(|m| exact(m) != Ordering::Less) - 1;
        let toward_infinity = match mode {
            Rtp => !negative,
            Rtn => negative,
            _ => false,
        };
        let nearest = matches!(mode, Rne | Rna);
        if below == self.infinity() {
            let out = if nearest || toward_infinity { below } else { below - 1 };
            return self.float(out, negative);
        }
        let low = &self.magnitudes[below];
        if exact(low) == Ordering::Equal {
            return self.float(below, negative);
        }
        let high = &self.magnitudes[below + 1];
        let half = &(low + high) * &power_of_two(-1);
        let up = match (nearest, exact(&half)) {
            (false, _) => toward_infinity,
            (true, Ordering::Equal) => mode == Rna || below % 2 == 1,
            (true, order) => order == Ordering::Greater,
        };
        self.float(below + usize::from(up), negative)
    }

    fn round(&self, mode: RoundingMode, negative: bool, x: &Rational) -> Float {
        let size = x.abs();
        self.round_by(mode, if x.is_zero() { negative } else { x.signum() < 0 }, |c| size.cmp(c))
    }
}

fn tiny() -> impl Iterator<Item = Naive> {
    (2..=4).flat_map(|eb| (2..=4).map(move |sb| Naive::new(eb, sb)))
}

/// The integer nearest to `x` in the sense of a mode.
fn integer(mode: RoundingMode, x: &Rational) -> Int {
    let floor = x.floor();
    let rest = x - &Rational::from(floor.clone());
    let up = match mode {
        _ if rest.is_zero() => false,
        Rtn => false,
        Rtp => true,
        Rtz => x.signum() < 0,
        Rne | Rna => match rest.cmp(&power_of_two(-1)) {
            Ordering::Equal if mode == Rne => &floor % Int::from(2) != Int::ZERO,
            Ordering::Equal => x.signum() > 0,
            order => order == Ordering::Greater,
        },
    };
    if up { floor + Int::ONE } else { floor }
}

#[test]
fn sums_products_and_quotients_are_correctly_rounded() {
    for naive in tiny() {
        let all = naive.all();
        for (a, x) in &all {
            for (b, y) in &all {
                let (Some(x), Some(y)) = (x, y) else { continue };
                let (sum, product, quotient) = (x + y, x * y, x.div(y));
                let signs_differ = a.is_negative() != b.is_negative();
                for mode in MODES {
                    let zero_sign = if signs_differ || !x.is_zero() { mode == Rtn } else { a.is_negative() };
                    assert_eq!(a.add(mode, b), naive.round(mode, zero_sign, &sum), "{mode} {a} + {b}");
                    assert_eq!(a.mul(mode, b), naive.round(mode, signs_differ, &product), "{mode} {a} * {b}");
                    match &quotient {
                        Ok(q) => {
                            assert_eq!(a.div(mode, b), naive.round(mode, signs_differ, q), "{mode} {a} / {b}")
                        }
                        Err(_) if x.is_zero() => assert!(a.div(mode, b).is_nan()),
                        Err(_) => assert_eq!(a.div(mode, b), Float::infinity(naive.format, signs_differ)),
                    }
                }
            }
        }
    }
}

#[test]
fn remainders_are_exact() {
    for naive in tiny() {
        let all = naive.all();
        for (a, x) in &all {
            for (b, y) in &all {
                let (Some(x), Some(y)) = (x, y) else { continue };
                let Ok(quotient) = x.div(y) else {
                    assert!(a.rem(b).is_nan());
                    continue;
                };
                let rest = x - &(y * &integer(Rne, &quotient).into());
                let expected = naive.round(Rtz, a.is_negative(), &rest);
                assert_eq!(expected.to_real(), Ok(rest), "the remainder of {a} by {b} is a float");
                assert_eq!(a.rem(b), expected, "{a} rem {b}");
            }
        }
    }
}

#[test]
fn fused_multiply_add_rounds_once() {
    let mut random = Random::new(7);
    for naive in tiny() {
        let all = naive.all();
        for _ in 0..20_000 {
            let mut pick = || &all[random.below(all.len() as u64) as usize];
            let ((a, x), (b, y), (c, z)) = (pick(), pick(), pick());
            let (Some(x), Some(y), Some(z)) = (x, y, z) else { continue };
            let product = x * y;
            let product_sign = a.is_negative() != b.is_negative();
            let exact = &product + z;
            for mode in MODES {
                let same_zero = z.is_zero() && product.is_zero() && product_sign == c.is_negative();
                let zero_sign = if same_zero { product_sign } else { mode == Rtn };
                assert_eq!(a.fma(mode, b, c), naive.round(mode, zero_sign, &exact), "{mode} {a} * {b} + {c}");
            }
        }
    }
}

#[test]
fn square_roots_and_integral_roundings_are_correct() {
    for naive in tiny() {
        for (a, x) in naive.all() {
            let Some(x) = x else { continue };
            for mode in MODES {
                if x.signum() >= 0 {
                    let expected = naive.round_by(mode, a.is_negative(), |c| x.cmp(&(c * c)));
                    assert_eq!(a.sqrt(mode), expected, "{mode} sqrt {a}");
                } else {
                    assert!(a.sqrt(mode).is_nan());
                }
                let whole = integer(mode, &x).into();
                let expected = naive.round(mode, a.is_negative(), &whole);
                assert_eq!(a.round_to_integral(mode), expected, "{mode} {a}");
            }
        }
    }
}

#[test]
fn conversions_round_correctly_between_all_tiny_formats() {
    for from in tiny() {
        for (a, x) in from.all() {
            for to in tiny() {
                for mode in MODES {
                    let converted = a.to_format(to.format, mode);
                    match &x {
                        Some(x) => assert_eq!(converted, to.round(mode, a.is_negative(), x), "{mode} {a}"),
                        None => {
                            assert_eq!(
                                (converted.is_nan(), converted.is_infinite(), converted.is_negative()),
                                (a.is_nan(), a.is_infinite(), a.is_negative())
                            );
                        }
                    }
                }
            }
            for mode in MODES {
                for width in 1..=6 {
                    let whole = x.as_ref().map(|x| integer(mode, x));
                    let (unsigned, signed) = (a.to_unsigned(mode, width), a.to_signed(mode, width));
                    let Some(n) = whole else {
                        assert_eq!((unsigned, signed), (Err(Gap::Unspecified), Err(Gap::Unspecified)));
                        continue;
                    };
                    let bound = Int::ONE << width as usize;
                    let half = Int::ONE << (width as usize - 1);
                    let in_range = Int::ZERO <= n && n < bound;
                    assert_eq!(
                        unsigned.map(|b| b.to_unsigned_int()),
                        in_range.then(|| n.clone()).ok_or(Gap::Unspecified)
                    );
                    let in_range = -&half <= n && n < half;
                    assert_eq!(
                        signed.map(|b| b.to_signed_int()),
                        in_range.then_some(n).ok_or(Gap::Unspecified)
                    );
                }
            }
            assert_eq!(a.to_real().ok(), x);
            assert_eq!(a.to_ieee().ok(), (!a.is_nan()).then(|| a.canonical_bits().clone()));
        }
    }
}

#[test]
fn rationals_and_integers_round_correctly() {
    for naive in tiny() {
        for n in -300..=300i64 {
            let bits = BitVec::new(11, n as u64);
            for mode in MODES {
                let expected = naive.round(mode, false, &n.into());
                assert_eq!(Float::from_signed(naive.format, mode, &bits), expected);
                let expected = naive.round(mode, false, &bits.to_unsigned_int().into());
                assert_eq!(Float::from_unsigned(naive.format, mode, &bits), expected);
                for d in [3i64, 7, 16, 48, 1024] {
                    let x = Rational::new(n.into(), d.into()).unwrap();
                    assert_eq!(Float::from_rational(naive.format, mode, &x), naive.round(mode, false, &x));
                }
            }
        }
    }
}
