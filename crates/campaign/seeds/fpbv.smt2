; ===== bits_to_float
; a bit pattern read as a float
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const b (_ BitVec 32))
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) b)))
(assert (fp.isNegative x))
(assert (= ((_ extract 30 23) b) #xfe))
(assert (= (bvand b #x00000003) #x00000002))
(check-sat)

; ===== bits_of_nan
; two NaN patterns with different payloads
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const b (_ BitVec 32))
(declare-const c (_ BitVec 32))
(assert (fp.isNaN ((_ to_fp 8 24) b)))
(assert (= ((_ to_fp 8 24) b) ((_ to_fp 8 24) c)))
(assert (bvult (bvadd b #x00000100) c))
(check-sat)

; ===== bits_order_of_positive_floats
; positive floats are ordered as their bits
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const b (_ BitVec 32))
(declare-const c (_ BitVec 32))
(declare-const x Float32)
(declare-const y Float32)
(assert (= x ((_ to_fp 8 24) b)))
(assert (= y ((_ to_fp 8 24) c)))
(assert (and (fp.isPositive x) (fp.isPositive y)))
(assert (xor (fp.lt x y) (bvult b c)))
(check-sat)

; ===== fp_constructor_fields
; zero exponent and fraction make a zero
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const s (_ BitVec 1))
(declare-const e (_ BitVec 5))
(declare-const m (_ BitVec 10))
(assert (= (bvor (concat e m) #b000000000000000) #b000000000000000))
(assert (not (fp.isZero (fp s e m))))
(check-sat)

; ===== fp_constructor_subnormal
; a subnormal from its fields
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const e (_ BitVec 5))
(declare-const m (_ BitVec 10))
(assert (fp.isSubnormal (fp #b1 e m)))
(assert (= (bvurem m #b0000000111) #b0000000101))
(assert (fp.isNormal (fp.mul RNE (fp #b1 e m) (fp #b0 #b10001 #b0000000000))))
(check-sat)

; ===== to_ubv_rounds
; conversion to an unsigned integer by mode
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float32)
(assert (= ((_ fp.to_ubv 8) RNE x) #x04))
(assert (= ((_ fp.to_ubv 8) RTP x) #x05))
(assert (fp.lt ((_ to_fp 8 24) RNE 4.25) x ((_ to_fp 8 24) RNE 6.0)))
(check-sat)

; ===== to_sbv_of_negative
; truncation of a number between -3 and -2
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float32)
(assert (fp.lt ((_ to_fp 8 24) RTP #xfd) x ((_ to_fp 8 24) RTN #xfe)))
(assert (distinct ((_ fp.to_sbv 8) RTZ x) #xfe))
(check-sat)

; ===== to_ubv_out_of_range
; a conversion out of range next to one in range
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const x Float32)
(declare-const y Float32)
(assert (fp.isNaN x))
(assert (fp.lt ((_ to_fp 8 24) RNE 9.0) y ((_ to_fp 8 24) RNE 9.75)))
(assert (or (= ((_ fp.to_ubv 4) RTZ x) #x0) (= ((_ fp.to_ubv 4) RTZ y) #x9)))
(assert (= ((_ fp.to_ubv 4) RTP y) #xa))
(check-sat)

; ===== to_ubv_is_a_function
; out of range or not, one value per argument
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const x Float16)
(declare-const y Float16)
(assert (and (fp.isNaN x) (fp.isNaN y)))
(assert (distinct ((_ fp.to_ubv 4) RTZ x) ((_ fp.to_ubv 4) RTZ y)))
(check-sat)

; ===== from_sbv_and_back
; a signed byte survives half precision
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const b (_ BitVec 8))
(declare-const r RoundingMode)
(assert (distinct ((_ fp.to_sbv 8) r ((_ to_fp 5 11) r b)) b))
(check-sat)

; ===== from_ubv_rounds
; an unsigned integer too wide for its significand
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const b (_ BitVec 16))
(assert (fp.lt ((_ to_fp_unsigned 8 5) RTZ b) ((_ to_fp_unsigned 8 5) RNE b)))
(assert (= ((_ extract 15 12) b) #x0))
(check-sat)

; ===== signed_against_unsigned_source
; readings of bits as signed and unsigned integers
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const b (_ BitVec 8))
(assert (bvslt b #x00))
(assert (fp.leq ((_ to_fp_unsigned 8 24) RNE b) ((_ to_fp 8 24) RNE b)))
(check-sat)

; ===== increment_is_next_float
; adding one to the bits steps to the next float
(set-logic QF_BVFP)
(set-info :status sat)
(declare-const b (_ BitVec 16))
(declare-const x Float16)
(assert (= x ((_ to_fp 5 11) b)))
(assert (= (fp.sub RNE ((_ to_fp 5 11) (bvadd b #x0001)) x) ((_ to_fp 5 11) RNE 0.5)))
(assert (fp.isPositive x))
(check-sat)

; ===== array_of_floats
; floats stored in an array of bits
(set-logic ALL)
(set-info :status unsat)
(declare-const m (Array (_ BitVec 4) (_ BitVec 32)))
(declare-const i (_ BitVec 4))
(declare-const x Float32)
(assert (= (select m i) #x7f800000))
(assert (= x ((_ to_fp 8 24) (select (store m (bvadd i #x1) #x00000000) i))))
(assert (not (fp.isInfinite x)))
(check-sat)

; ===== array_of_floats_kept
; two floats of a memory that differ in a sign
(set-logic ALL)
(set-info :status sat)
(declare-const m (Array (_ BitVec 4) (_ BitVec 32)))
(declare-const i (_ BitVec 4))
(declare-const j (_ BitVec 4))
(assert (= ((_ to_fp 8 24) (select m i)) (fp.neg ((_ to_fp 8 24) (select m j)))))
(assert (fp.isNormal ((_ to_fp 8 24) (select m i))))
(assert (bvult i j))
(check-sat)
