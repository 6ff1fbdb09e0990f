//! Formats beyond machine words: both significand types agree, and no exponent range costs memory or time.

use crate::common::Random;
use smelt_semantics::RoundingMode::{self, Rna, Rne, Rtn, Rtp, Rtz};
use smelt_semantics::number::{Int, Poly, Real};
use smelt_semantics::{BitVec, Float, Format, Gap, Rational};

const MODES: [RoundingMode; 5] = [Rne, Rna, Rtp, Rtn, Rtz];

fn random_float(random: &mut Random, format: Format, spread: u64) -> Float {
    let width = format.width();
    let sig = (0..4).fold(Int::ZERO, |n, _| (n << 64) + Int::from(random.word()));
    let sig = BitVec::from_int(format.sb() - 1, &sig).unwrap();
    let middle = (1u64 << (format.eb() - 1)) - 1;
    let field = BitVec::new(format.eb(), middle + random.below(spread) - spread / 2);
    let float = Float::from_parts(&BitVec::new(1, random.bits()), &field, &sig).unwrap();
    assert_eq!(float.canonical_bits().width(), width);
    float
}

/// The exact result of rational arithmetic, rounded by `from_rational`, is an independent path: it never
/// aligns, never uses sticky sums, and always uses naturals.
#[test]
fn results_equal_the_rounded_exact_rational() {
    let mut random = Random::new(3);
    for (eb, sb) in [(5, 11), (8, 24), (11, 53), (12, 61), (12, 62), (12, 63), (15, 64), (15, 113), (17, 237)]
    {
        let format = Format::new(eb, sb).unwrap();
        for i in 0..400 {
            let spread = if i % 2 == 0 { 6 } else { (1 << (eb - 1)).min(600) };
            let mut pick = || random_float(&mut random, format, spread);
            let (a, b, c) = (pick(), pick(), pick());
            let (x, y, z) = (a.to_real().unwrap(), b.to_real().unwrap(), c.to_real().unwrap());
            for mode in MODES {
                let same = |name: &str, got: Float, exact: &Rational| {
                    if !exact.is_zero() {
                        assert_eq!(
                            got,
                            Float::from_rational(format, mode, exact),
                            "{mode} {name} {a} {b} {c}"
                        );
                    }
                };
                same("add", a.add(mode, &b), &(&x + &y));
                same("sub", a.sub(mode, &b), &(&x - &y));
                same("mul", a.mul(mode, &b), &(&x * &y));
                same("fma", a.fma(mode, &b, &c), &(&(&x * &y) + &z));
                if let Ok(q) = x.div(&y) {
                    same("div", a.div(mode, &b), &q);
                }
                let root = a.abs().sqrt(mode);
                let r = root.to_real().unwrap();
                let order = (&r * &r).cmp(&x.abs());
                assert!(order.is_eq() || mode != Rtz || order.is_lt());
                assert!(order.is_eq() || mode != Rtp || order.is_gt());
                let integral = a.round_to_integral(mode);
                assert!(integral.to_real().unwrap().is_integer());
            }
            let rest = a.rem(&b).to_real().unwrap();
            assert!((&x - &rest).div(&y).unwrap().is_integer());
            assert!(&rest.abs() + &rest.abs() <= y.abs());
        }
    }
}

#[test]
fn huge_exponent_ranges_cost_nothing() {
    for (eb, sb) in [(30, 5), (30, 80), (60, 24), (60, 113)] {
        let format = Format::new(eb, sb).unwrap();
        let one = Float::from_int(format, Rne, &Int::ONE);
        let largest = Float::largest(format, false);
        let least = Float::from_ieee(format, &BitVec::new(format.width(), 1)).unwrap();
        let three = Float::from_int(format, Rne, &3.into());
        assert_eq!(largest.add(Rne, &least), largest);
        assert_eq!(largest.add(Rtp, &least), Float::infinity(format, false));
        assert_eq!(largest.fma(Rne, &least, &one).to_real().unwrap().signum(), 1);
        assert!(largest.rem(&least).is_zero());
        let rest = largest.rem(&three).to_real().unwrap();
        // The significand is 2^sb - 1, a multiple of three for even sb.
        assert_eq!(rest.is_zero(), sb % 2 == 0);
        assert!(rest.is_zero() || rest.abs() == Rational::ONE);
        assert_eq!(least.rem(&largest), least);
        assert_eq!(largest.to_real(), Err(Gap::TooLarge));
        assert_eq!(largest.to_unsigned(Rne, 64), Err(Gap::Unspecified));
        assert_eq!(least.to_unsigned(Rtp, 64).unwrap().to_u64(), Some(1));
        assert_eq!(largest.to_format(Format::F64, Rne), Float::infinity(Format::F64, false));
        assert_eq!(least.round_to_integral(Rtp), one);
        assert!(!least.sqrt(Rne).mul(Rne, &least.sqrt(Rne)).is_zero());
    }
    assert_eq!(Format::new(61, 10), None);
    assert_eq!(Format::new(1, 10), None);
    assert_eq!(Format::new(2, 1), None);
}

#[test]
fn irrational_reals_round_like_their_square_roots() {
    for n in [2i64, 3, 5, 1000] {
        let poly = Poly::new(vec![Int::from(-n), Int::ZERO, Int::ONE]);
        for (index, mode) in MODES.into_iter().flat_map(|m| [(1, m), (2, m)]) {
            let real = Real::nth_root_of(&poly, index).unwrap().unwrap();
            let got = Float::from_real(Format::F32, mode, &real).unwrap();
            let mirrored = match (index, mode) {
                (1, Rtp) => Rtn,
                (1, Rtn) => Rtp,
                _ => mode,
            };
            let root = Float::from_int(Format::F32, Rne, &n.into()).sqrt(mirrored);
            assert_eq!(got, if index == 1 { root.neg() } else { root });
        }
    }
}

#[test]
fn specials_follow_the_standard() {
    let f = Format::F16;
    let (nan, inf, zero, minus) =
        (Float::nan(f), Float::infinity(f, false), Float::zero(f, false), Float::zero(f, true));
    let one = Float::from_int(f, Rne, &Int::ONE);
    assert_eq!(nan, Float::from_ieee(f, &BitVec::ones(16)).unwrap());
    assert!(zero != minus && zero.ieee_eq(&minus) && !nan.ieee_eq(&nan));
    assert_eq!(zero.minimum(&minus), Err(Gap::Unspecified));
    assert_eq!(minus.maximum(&zero), Err(Gap::Unspecified));
    assert_eq!(minus.maximum(&minus), Ok(minus.clone()));
    assert_eq!((nan.minimum(&one), one.maximum(&nan)), (Ok(one.clone()), Ok(one.clone())));
    assert_eq!((one.minimum(&inf), one.maximum(&inf)), (Ok(one.clone()), Ok(inf.clone())));
    assert!(
        inf.add(Rne, &inf.neg()).is_nan() && inf.mul(Rne, &zero).is_nan() && zero.div(Rne, &zero).is_nan()
    );
    assert!(inf.fma(Rne, &one, &inf.neg()).is_nan() && inf.fma(Rne, &zero, &nan).is_nan());
    assert_eq!((inf.rem(&one).is_nan(), one.rem(&zero).is_nan(), one.rem(&inf)), (true, true, one.clone()));
    assert!(!nan.is_negative() && !nan.is_positive() && minus.is_negative() && nan.neg() == nan);
    assert_eq!(minus.sqrt(Rtp), minus);
    assert_eq!((nan.to_ieee(), inf.to_real()), (Err(Gap::Unspecified), Err(Gap::Unspecified)));
    assert_eq!(one.to_string(), "(fp #b0 #b01111 #b0000000000)");
    assert_eq!(minus.to_string() + &nan.to_string(), "(_ -zero 5 11)(_ NaN 5 11)");
    assert_eq!(Float::from_ieee(f, &BitVec::zero(17)), None);
}
