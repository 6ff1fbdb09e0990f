; ===== nan_is_not_equal_to_itself
; fp.eq of a NaN
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(assert (fp.isNaN x))
(assert (or (fp.eq x x) (fp.leq x x) (fp.lt x x) (not (= x (_ NaN 8 24)))))
(check-sat)

; ===== nan_equality_against_fp_eq
; equal floats that are not fp.eq
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(assert (= x y))
(assert (not (fp.eq x y)))
(assert (not (fp.isZero y)))
(check-sat)

; ===== zeros_equal_but_distinct
; the two zeros: fp.eq but not equal
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.eq x y))
(assert (distinct x y))
(assert (fp.isNegative x))
(check-sat)

; ===== zeros_only_exception
; fp.eq of distinct floats means zeros
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.eq x y))
(assert (distinct x y))
(assert (or (not (fp.isZero x)) (not (fp.isZero y))))
(check-sat)

; ===== signed_zero_sum
; x + (-x) is +0 but towards negative -0
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(assert (not (or (fp.isNaN x) (fp.isInfinite x))))
(assert (not (and (= (fp.add RNE x (fp.neg x)) (_ +zero 8 24)) (= (fp.add RTN x (fp.neg x)) (_ -zero 8 24)))))
(check-sat)

; ===== signed_zero_products
; zero times a negative number
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(declare-const z Float32)
(assert (= (fp.mul RNE x z) (_ -zero 8 24)))
(assert (= (fp.mul RTP z z) (_ +zero 8 24)))
(assert (fp.isNegative z))
(assert (fp.isSubnormal x))
(check-sat)

; ===== division_of_zeros
; quotients of zeros and by zeros
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float16)
(declare-const z Float16)
(assert (fp.isZero z))
(assert (or (not (fp.isNaN (fp.div RNE z z))) (and (fp.isNormal x) (not (fp.isInfinite (fp.div RTZ x z))))))
(check-sat)

; ===== infinity_arithmetic
; infinity minus infinity, infinity times zero
(set-logic QF_FP)
(set-info :status unsat)
(declare-const r RoundingMode)
(declare-const x Float32)
(declare-const y Float32)
(declare-const z Float32)
(assert (= x (_ +oo 8 24)))
(assert (fp.isInfinite y))
(assert (fp.isNegative y))
(assert (fp.isZero z))
(assert (not (and (fp.isNaN (fp.add r x y)) (fp.isNaN (fp.mul r y z)))))
(check-sat)

; ===== overflow_by_rounding_mode
; overflow to infinity or to the largest number
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.isInfinite (fp.add RNE x y)))
(assert (not (fp.isInfinite (fp.add RTZ x y))))
(assert (fp.lt x y))
(assert (fp.isPositive x))
(check-sat)

; ===== no_overflow_towards_zero
; RTZ never overflows a sum of finite numbers
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (not (or (fp.isInfinite x) (fp.isInfinite y))))
(assert (fp.isInfinite (fp.add RTZ x y)))
(check-sat)

; ===== rounding_modes_order
; rounding down is never above rounding up
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float16)
(declare-const y Float16)
(declare-const r RoundingMode)
(assert (fp.gt (fp.add RTN x y) (fp.add r x y)))
(check-sat)

; ===== rounding_modes_all_differ
; a sum that tells rounding modes apart
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float16)
(declare-const y Float16)
(assert (fp.lt (fp.add RTN x y) (fp.add RTP x y)))
(assert (distinct (fp.add RNE x y) (fp.add RNA x y)))
(assert (fp.isNegative (fp.add RNE x y)))
(check-sat)

; ===== five_rounding_modes
; there are five rounding modes
(set-logic QF_FP)
(set-info :status unsat)
(declare-const a RoundingMode)
(declare-const b RoundingMode)
(declare-const c RoundingMode)
(declare-const d RoundingMode)
(declare-const e RoundingMode)
(declare-const f RoundingMode)
(assert (distinct a b c d e f))
(check-sat)

; ===== rounding_mode_variables
; rounding modes as unknowns, long and short names
(set-logic QF_FP)
(set-info :status sat)
(declare-const a RoundingMode)
(declare-const b RoundingMode)
(declare-const c RoundingMode)
(declare-const x Float32)
(assert (distinct a b c))
(assert (= a roundNearestTiesToAway))
(assert (not (or (= b RTP) (= b RNE) (= c roundTowardZero))))
(assert (distinct (fp.roundToIntegral b x) (fp.roundToIntegral c x)))
(check-sat)

; ===== gradual_underflow
; a difference of distinct finite floats is not zero
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (not (fp.isInfinite x)))
(assert (not (fp.isInfinite y)))
(assert (fp.lt x y))
(assert (fp.isZero (fp.sub RNE y x)))
(check-sat)

; ===== subnormal_product
; two normal numbers whose product is subnormal
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float16)
(declare-const y Float16)
(assert (fp.isNormal x))
(assert (fp.isNormal y))
(assert (fp.isSubnormal (fp.mul RNE x y)))
(assert (fp.isNegative (fp.mul RNE x y)))
(check-sat)

; ===== smallest_subnormal
; nothing between zero and the smallest subnormal
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float16)
(assert (fp.lt (_ +zero 5 11) x (fp #b0 #b00000 #b0000000001)))
(check-sat)

; ===== subnormal_boundary
; the largest subnormal below the smallest normal
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float16)
(declare-const y Float16)
(assert (fp.isSubnormal x))
(assert (fp.isNormal y))
(assert (= (fp.sub RNE y x) (fp #b0 #b00000 #b0000000001)))
(check-sat)

; ===== rem_is_small
; fp.rem is at most half the divisor
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x (_ FloatingPoint 3 4))
(declare-const y (_ FloatingPoint 3 4))
(assert (not (or (fp.isNaN (fp.rem x y)) (fp.isInfinite y))))
(assert (fp.gt (fp.abs (fp.rem x y)) (fp.abs y)))
(check-sat)

; ===== rem_negative_of_positive
; fp.rem of positive numbers may be negative
(set-logic QF_FP)
(set-info :status sat)
(declare-const x (_ FloatingPoint 3 4))
(declare-const y (_ FloatingPoint 3 4))
(assert (fp.isPositive x))
(assert (fp.isPositive y))
(assert (fp.isNegative (fp.rem x y)))
(assert (fp.isNormal (fp.rem x y)))
(check-sat)

; ===== rem_by_infinity
; fp.rem by infinity gives the dividend
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x (_ FloatingPoint 3 5))
(declare-const y (_ FloatingPoint 3 5))
(assert (fp.isInfinite y))
(assert (or (fp.isNormal x) (fp.isSubnormal x)))
(assert (distinct (fp.rem x y) x))
(check-sat)

; ===== rem_invalid
; fp.rem of infinity or by zero is NaN
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x (_ FloatingPoint 3 5))
(declare-const y (_ FloatingPoint 3 5))
(assert (or (fp.isInfinite x) (fp.isZero y)))
(assert (not (fp.isNaN (fp.rem x y))))
(check-sat)

; ===== sqrt_of_negative
; roots of negative numbers and of -0
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float16)
(assert (fp.isNegative x))
(assert (not (ite (fp.isZero x) (= (fp.sqrt RNE x) x) (fp.isNaN (fp.sqrt RTP x)))))
(check-sat)

; ===== sqrt_inexact
; a root that is not exact
(set-logic QF_FP)
(set-info :status sat)
(declare-const x (_ FloatingPoint 4 6))
(assert (fp.isNormal x))
(assert (fp.lt (fp.sqrt RTN x) (fp.sqrt RTP x)))
(assert (fp.gt x ((_ to_fp 4 6) RNE 2.0)))
(check-sat)

; ===== fma_is_rounded_once
; fp.fma against a product and a sum
(set-logic QF_FP)
(set-info :status sat)
(declare-const x (_ FloatingPoint 3 4))
(declare-const y (_ FloatingPoint 3 4))
(declare-const z (_ FloatingPoint 3 4))
(assert (fp.isNormal (fp.fma RNE x y z)))
(assert (fp.isNormal (fp.add RNE (fp.mul RNE x y) z)))
(assert (distinct (fp.fma RNE x y z) (fp.add RNE (fp.mul RNE x y) z)))
(check-sat)

; ===== addition_not_associative
; grouping changes a sum
(set-logic QF_FP)
(set-info :status sat)
(declare-const x (_ FloatingPoint 4 5))
(declare-const y (_ FloatingPoint 4 5))
(declare-const z (_ FloatingPoint 4 5))
(assert (fp.isNormal (fp.add RNE (fp.add RNE x y) z)))
(assert (not (fp.eq (fp.add RNE (fp.add RNE x y) z) (fp.add RNE x (fp.add RNE y z)))))
(assert (fp.isPositive x))
(assert (fp.isPositive z))
(check-sat)

; ===== addition_commutes
; the order of two summands
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x (_ FloatingPoint 3 4))
(declare-const y (_ FloatingPoint 3 4))
(assert (distinct (fp.add RNE x y) (fp.add RNE y x)))
(assert (fp.isSubnormal x))
(check-sat)

; ===== min_max_of_nan
; fp.min and fp.max ignore one NaN
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (= x (_ NaN 8 24)))
(assert (not (= (fp.min x y) (fp.max y x) y)))
(check-sat)

; ===== min_max_of_numbers
; fp.min and fp.max around zero
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(declare-const z Float32)
(assert (fp.lt (fp.min x y) (fp.max x y) z))
(assert (fp.isSubnormal (fp.max x y)))
(assert (fp.isInfinite (fp.min y z)))
(check-sat)

; ===== round_to_integral_ties
; a tie rounded to even and away
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(assert (fp.lt (fp.roundToIntegral RNE x) (fp.roundToIntegral RNA x)))
(assert (= (fp.roundToIntegral RTZ x) (fp.roundToIntegral RNE x)))
(assert (fp.geq x ((_ to_fp 8 24) RNE 3.0)))
(check-sat)

; ===== round_to_integral_keeps_zero_sign
; rounding a small negative number up gives -0
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(assert (fp.lt (fp.neg ((_ to_fp 8 24) RNE 1.0)) x (_ -zero 8 24)))
(assert (distinct (fp.roundToIntegral RTP x) (_ -zero 8 24)))
(check-sat)

; ===== abs_and_neg
; fp.abs and fp.neg touch only the sign
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float64)
(assert (not (fp.isNaN x)))
(assert (not (or (= (fp.abs x) x) (= (fp.abs x) (fp.neg x)))))
(check-sat)

; ===== classes_are_exclusive
; every float is in one class
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float64)
(assert (not (xor (fp.isNaN x) (fp.isInfinite x) (fp.isZero x) (fp.isSubnormal x) (fp.isNormal x))))
(check-sat)

; ===== nan_has_no_sign
; NaN is neither negative nor positive
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(assert (fp.isNaN (fp.neg x)))
(assert (or (fp.isNegative x) (fp.isPositive x) (distinct x (fp.abs x))))
(check-sat)

; ===== chained_comparisons
; chains of every comparison
(set-logic QF_FP)
(set-info :status sat)
(declare-const a Float32)
(declare-const b Float32)
(declare-const c Float32)
(declare-const d Float32)
(assert (fp.lt a b c))
(assert (fp.geq d c b))
(assert (fp.leq (fp.neg c) a (_ -zero 8 24)))
(assert (distinct a b c d (_ +oo 8 24)))
(check-sat)

; ===== one_tenth_three_times
; 0.1 + 0.2 is not 0.3 in double precision
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float64)
(declare-const y Float64)
(assert (= x ((_ to_fp 11 53) RNE 0.1)))
(assert (= y ((_ to_fp 11 53) RNE 0.2)))
(assert (fp.eq (fp.add RNE x y) ((_ to_fp 11 53) RNE 0.3)))
(check-sat)

; ===== real_literal_by_mode
; a decimal rounded down and up
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(assert (= x ((_ to_fp 8 24) RTN 0.1)))
(assert (= y ((_ to_fp 8 24) RTP 0.1)))
(assert (fp.lt x y))
(assert (or (= x ((_ to_fp 8 24) RNE 0.1)) (= y ((_ to_fp 8 24) RNE 0.1))))
(check-sat)

; ===== narrowing_loses_and_overflows
; from single to half precision and back
(set-logic QF_FP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.isInfinite ((_ to_fp 5 11) RNE x)))
(assert (fp.isNormal x))
(assert (fp.isZero ((_ to_fp 5 11) RTZ y)))
(assert (fp.isNormal y))
(assert (fp.lt y (_ +zero 8 24)))
(check-sat)

; ===== widening_is_exact
; from half to single precision and back
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float16)
(declare-const r RoundingMode)
(assert (distinct ((_ to_fp 5 11) r ((_ to_fp 8 24) r x)) x))
(check-sat)

; ===== double_rounding
; rounding twice is not rounding once
(set-logic QF_FP)
(set-info :status sat)
(declare-const x (_ FloatingPoint 5 11))
(assert (distinct ((_ to_fp 3 4) RNE ((_ to_fp 4 6) RNE x)) ((_ to_fp 3 4) RNE x)))
(assert (not (fp.isInfinite ((_ to_fp 3 4) RNE x))))
(check-sat)

; ===== odd_format
; a format of eleven bits
(set-logic QF_FP)
(set-info :status sat)
(declare-const x (_ FloatingPoint 4 7))
(declare-const y (_ FloatingPoint 4 7))
(assert (fp.lt x (fp.add RNA x y) y))
(assert (fp.isNormal x))
(assert (fp.isNegative x))
(assert (fp.gt (fp.div RTP y x) x))
(check-sat)

; ===== core_of_floats
; a core over classes and orders
(set-option :produce-unsat-cores true)
(set-logic QF_FP)
(set-info :status unsat)
(declare-const x Float32)
(declare-const y Float32)
(assert (! (fp.isSubnormal x) :named tiny))
(assert (! (fp.isNormal y) :named large))
(assert (! (fp.gt (fp.abs x) (fp.abs y)) :named order))
(assert (! (fp.isPositive y) :named spare))
(check-sat)
(get-unsat-core)
