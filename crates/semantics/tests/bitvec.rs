//! Laws of bit-vectors: small widths against integer arithmetic, wide vectors against narrow ones.

use crate::common::Random;
use smelt_semantics::BitVec;

fn signed(v: u64, w: u32) -> i64 {
    ((v << (64 - w)) as i64) >> (64 - w)
}

/// Truncating division by `b` as the standard defines it through `bvudiv`, so total.
fn sdiv(a: i64, b: i64) -> i64 {
    if b == 0 { if a < 0 { 1 } else { -1 } } else { a / b }
}

#[test]
fn every_function_of_small_widths_is_integer_arithmetic() {
    for w in 1..=5u32 {
        let m = (1u64 << w) - 1;
        let bv = |n: i64| BitVec::new(w, n as u64);
        let fits = |n: i64| -(1 << (w - 1)) <= n && n < 1 << (w - 1);
        for a in 0..=m {
            for b in 0..=m {
                let (x, y) = (BitVec::new(w, a), BitVec::new(w, b));
                let (s, t) = (signed(a, w), signed(b, w));
                let (ai, bi) = (a as i64, b as i64);
                assert_eq!(x.bvadd(&y), bv(ai + bi));
                assert_eq!(x.bvsub(&y), bv(ai - bi));
                assert_eq!(x.bvmul(&y), bv(ai * bi));
                assert_eq!(x.bvudiv(&y), bv(ai.checked_div(bi).unwrap_or(-1)));
                assert_eq!(x.bvurem(&y), bv(ai.checked_rem(bi).unwrap_or(ai)));
                assert_eq!(x.bvsdiv(&y), bv(sdiv(s, t)), "{x} {y}");
                assert_eq!(x.bvsrem(&y), bv(s.checked_rem(t).unwrap_or(s)));
                let floor_mod = if t == 0 { s } else { s - t * (s as f64 / t as f64).floor() as i64 };
                assert_eq!(x.bvsmod(&y), bv(floor_mod), "{x} {y}");
                assert_eq!(x.bvshl(&y), bv(if b < w.into() { ai << b } else { 0 }));
                assert_eq!(x.bvlshr(&y), bv(ai >> b.min(63)));
                assert_eq!(x.bvashr(&y), bv(s >> b.min(63)));
                assert_eq!((x.bvult(&y), x.bvule(&y)), (a < b, a <= b));
                assert_eq!((x.bvslt(&y), x.bvsle(&y)), (s < t, s <= t));
                assert_eq!(x.bvuaddo(&y), a + b > m);
                assert_eq!(x.bvumulo(&y), a * b > m);
                assert_eq!(x.bvusubo(&y), a < b);
                assert_eq!(x.bvsaddo(&y), !fits(s + t));
                assert_eq!(x.bvssubo(&y), !fits(s - t));
                assert_eq!(x.bvsmulo(&y), !fits(s * t));
                assert_eq!(x.bvsdivo(&y), t != 0 && !fits(sdiv(s, t)));
                assert_eq!(x.bvnego(), !fits(-s));
                assert_eq!(x.bvnand(&y), bv(!(ai & bi)));
                assert_eq!(x.bvnor(&y), bv(!(ai | bi)));
                assert_eq!(x.bvxnor(&y), bv(!(ai ^ bi)));
                assert_eq!(x.bvcomp(&y), BitVec::from_bool(a == b));
                assert_eq!(x.ext_rotate_left(&y), x.rotate_left(b as u32));
                assert_eq!(x.ext_rotate_right(&y).rotate_left(b as u32), x);
                assert_eq!(x.concat(&y).unwrap(), BitVec::new(2 * w, a << w | b));
            }
        }
    }
}

/// Both words of a wide vector are driven by a law that ties it to narrower vectors.
#[test]
fn wide_vectors_agree_with_sign_extended_narrow_ones() {
    let mut random = Random::new(1);
    for _ in 0..4000 {
        let (a, b) = (BitVec::new(64, random.word()), BitVec::new(64, random.word()));
        let (x, y) = (a.sign_extend(70).unwrap(), b.sign_extend(70).unwrap());
        let same = |wide: BitVec, narrow: BitVec| {
            assert_eq!(wide.extract(63, 0).unwrap(), narrow, "{a} {b}");
        };
        same(x.bvadd(&y), a.bvadd(&b));
        same(x.bvsub(&y), a.bvsub(&b));
        same(x.bvmul(&y), a.bvmul(&b));
        same(x.bvnot(), a.bvnot());
        same(x.bvneg(), a.bvneg());
        same(x.bvxnor(&y), a.bvxnor(&b));
        if !b.is_zero() {
            same(x.bvsdiv(&y), a.bvsdiv(&b));
            same(x.bvsrem(&y), a.bvsrem(&b));
            same(x.bvsmod(&y), a.bvsmod(&b));
            assert_eq!(x.bvudiv(&y).bvmul(&y).bvadd(&x.bvurem(&y)), x);
        }
        assert_eq!(x.bvslt(&y), a.bvslt(&b));
        assert!(!x.bvsaddo(&y) && !x.bvssubo(&y) && !x.bvsmulo(&y) && !x.bvsdivo(&y) && !x.bvnego());
        assert_eq!(x.to_signed_int(), a.to_signed_int());
        let by = BitVec::new(134, random.below(140));
        assert_eq!(x.bvashr(&by).to_signed_int(), a.to_signed_int() >> by.to_u64().unwrap() as usize);
        assert_eq!(x.rotate_left(13).rotate_right(13), x);
        assert_eq!(x.rotate_left(134), x);
        assert_eq!(x.repeat(3).unwrap(), x.concat(&x).unwrap().concat(&x).unwrap());
    }
}

#[test]
fn wide_overflow_happens_exactly_at_the_edges() {
    let one = BitVec::new(100, 1);
    let least = one.bvshl(&BitVec::new(100, 99));
    let most = least.bvnot();
    assert!(most.bvsaddo(&one) && !most.bvssubo(&one) && least.bvssubo(&one) && !least.bvsaddo(&one));
    assert!(least.bvnego() && least.bvsdivo(&BitVec::ones(100)) && !most.bvnego());
    assert!(least.bvsmulo(&BitVec::ones(100)) && !most.bvsmulo(&BitVec::ones(100)));
    assert!(least.bvumulo(&BitVec::new(100, 2)) && !most.bvumulo(&BitVec::new(100, 2)));
    assert!(BitVec::ones(100).bvuaddo(&one) && !most.bvuaddo(&most));
    assert!(BitVec::ones(100).bvudiv(&BitVec::zero(100)) == BitVec::ones(100));
}

#[test]
fn widening_is_bounded() {
    let v = BitVec::new(8, 1);
    assert!(
        v.repeat(u32::MAX).is_err() && v.zero_extend(u32::MAX).is_err() && v.sign_extend(u32::MAX).is_err()
    );
    assert_eq!(v.extract(8, 0), None);
    assert_eq!(v.extract(3, 4), None);
}
