; ===== udiv_by_zero_is_all_ones
; bvudiv by zero
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= y (bvand x (bvnot x))))
(assert (distinct (bvudiv x y) #xff))
(check-sat)

; ===== urem_by_zero_is_dividend
; bvurem by zero
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 12))
(declare-const y (_ BitVec 12))
(assert (= y #x000))
(assert (distinct (bvurem x y) x))
(check-sat)

; ===== sdiv_by_zero_depends_on_sign
; bvsdiv by zero is -1 or 1
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= (bvsdiv x #x00) #x01))
(assert (= (bvsdiv y #x00) #xff))
(assert (= (bvadd x y) #x10))
(check-sat)

; ===== srem_and_smod_by_zero
; bvsrem and bvsmod by zero give the dividend
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 6))
(declare-const z (_ BitVec 6))
(assert (= z #b000000))
(assert (not (= (bvsrem x z) (bvsmod x z) x)))
(check-sat)

; ===== sdiv_of_minimum_by_minus_one
; the one overflow of bvsdiv
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 16))
(assert (= x #x8000))
(assert (not (= (bvsdiv x #xffff) x)))
(check-sat)

; ===== smod_sign_follows_divisor
; a non-zero bvsmod has the sign of its divisor
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 5))
(declare-const y (_ BitVec 5))
(assert (distinct y #b00000))
(assert (distinct (bvsmod x y) #b00000))
(assert (distinct ((_ extract 4 4) (bvsmod x y)) ((_ extract 4 4) y)))
(check-sat)

; ===== srem_differs_from_smod
; bvsrem and bvsmod differ when signs do
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (distinct (bvsrem x y) (bvsmod x y)))
(assert (= (bvsmod x y) (bvadd (bvsrem x y) y)))
(assert (bvslt y #xf0))
(check-sat)

; ===== udiv_urem_identity
; x = (x udiv y) * y + (x urem y)
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(assert (distinct x (bvadd (bvmul (bvudiv x y) y) (bvurem x y))))
(check-sat)

; ===== shift_by_width_or_more
; shifts by the width or more lose every bit
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const s (_ BitVec 8))
(assert (bvuge s #x08))
(assert (not (= (bvshl x s) (bvlshr x s) #x00)))
(check-sat)

; ===== ashr_by_width_copies_sign
; bvashr by more than the width
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const s (_ BitVec 8))
(assert (bvugt s #x07))
(assert (distinct (bvashr x s) (ite (bvslt x #x00) #xff #x00)))
(check-sat)

; ===== shl_then_lshr_loses_bits
; shifting forth and back
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(declare-const s (_ BitVec 8))
(assert (distinct (bvlshr (bvshl x s) s) x))
(assert (= (bvashr (bvshl x s) s) x))
(assert (distinct s #x00))
(check-sat)

; ===== shift_amount_is_unsigned
; a shift by a variable with its sign bit set
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 4))
(declare-const s (_ BitVec 4))
(assert (= (bvashr x s) #b1111))
(assert (= (bvlshr x s) #b0000))
(assert (bvslt s #b0000))
(check-sat)

; ===== rotate_and_shift
; a rotation from two shifts
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (distinct ((_ rotate_left 3) x) (bvor (bvshl x #x03) (bvlshr x #x05))))
(check-sat)

; ===== rotate_beyond_width
; rotations are modulo the width
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 5))
(assert (distinct ((_ rotate_left 7) x) ((_ rotate_right 3) x)))
(check-sat)

; ===== extend_and_extract
; both extensions keep the low bits, and differ above
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 6))
(assert (bvslt x #b000000))
(assert (or (distinct ((_ extract 5 0) ((_ sign_extend 4) x)) ((_ extract 5 0) ((_ zero_extend 4) x)))
      (= ((_ sign_extend 4) x) ((_ zero_extend 4) x))))
(check-sat)

; ===== sign_extend_by_zero
; extending by no bits and repeating once change nothing
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 7))
(assert (not (= ((_ sign_extend 0) x) ((_ zero_extend 0) x) ((_ repeat 1) x) x)))
(check-sat)

; ===== concat_splits_back
; extract undoes concat
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 3))
(declare-const y (_ BitVec 5))
(assert (let ((c (concat x y))) (or (distinct ((_ extract 7 5) c) x) (distinct ((_ extract 4 0) c) y))))
(check-sat)

; ===== repeat_is_product
; a repeated pattern as a product
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 12))
(assert (= ((_ repeat 3) x) y))
(assert (= (bvmul ((_ zero_extend 8) x) #x111) y))
(assert (bvugt ((_ extract 6 5) y) #b01))
(check-sat)

; ===== bvcomp_is_one_bit
; bvcomp next to Boolean equality
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 9))
(declare-const y (_ BitVec 9))
(declare-const b (_ BitVec 1))
(assert (= b (bvcomp (bvadd x y) (bvsub x y))))
(assert (= b (bvnot (bvcomp x y))))
(assert (= (bvmul y y) (bvshl y #b000000001) ))
(assert (distinct y #b000000000))
(check-sat)

; ===== negation_of_minimum
; a negative number equal to its negation
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 10))
(assert (= (bvneg x) x))
(assert (bvslt x (bvnot x)))
(check-sat)

; ===== negation_is_complement_plus_one
; bvneg by bvnot
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 32))
(assert (distinct (bvneg x) (bvadd (bvnot x) #x00000001)))
(check-sat)

; ===== signed_and_unsigned_orders
; orders that disagree
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(declare-const z (_ BitVec 8))
(assert (and (bvult x y) (bvsgt x y)))
(assert (and (bvule y z) (bvsle z x)))
(assert (distinct x y z))
(check-sat)

; ===== unsigned_order_is_total
; bvuge, bvugt, bvsge against their duals
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (or (= (bvuge x y) (bvult x y)) (= (bvsge x y) (bvslt x y)) (and (bvugt x y) (bvule x y))))
(check-sat)

; ===== add_overflow
; signed overflow of a sum seen in its sign
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (bvsgt x #x00))
(assert (bvsgt y x))
(assert (bvslt (bvadd x y) #x00))
(assert (= (bvxor x y) #x0f))
(check-sat)

; ===== add_overflow_needs_large
; no unsigned overflow without the top bit
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 16))
(declare-const y (_ BitVec 16))
(assert (bvult x #x8000))
(assert (bvult y #x8000))
(assert (bvult (bvadd x y) x))
(check-sat)

; ===== mul_overflow_by_extension
; a product that does not fit
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(define-fun wide ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 16)
  (bvmul ((_ zero_extend 8) a) ((_ zero_extend 8) b)))
(assert (distinct ((_ extract 15 8) (wide x y)) #x00))
(assert (= (bvmul x y) #x06))
(assert (bvult x y))
(check-sat)

; ===== inverse_of_odd
; an odd number has an inverse
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(assert (= (bvmul x #x1d) #x01))
(check-sat)

; ===== no_inverse_of_even
; an even number has none
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= ((_ extract 0 0) x) #b0))
(assert (= (bvmul x y) #x01))
(check-sat)

; ===== xor_swap
; swapping by three exclusive ors
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 24))
(declare-const y (_ BitVec 24))
(assert (let ((a (bvxor x y))) (let ((b (bvxor a y))) (let ((c (bvxor a b))) (not (and (= b x) (= c y)))))))
(check-sat)

; ===== nand_nor_xnor
; the negated gates
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (not (and (= (bvnand x y) (bvnot (bvand x y)))
            (= (bvnor x y) (bvnot (bvor x y)))
            (= (bvxnor x y) (bvnot (bvxor x y))))))
(check-sat)

; ===== lowest_set_bit
; x and -x isolates the lowest bit
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 16))
(assert (= (bvand x (bvneg x)) #x0040))
(assert (= (bvurem x #x0007) #x0003))
(assert (bvugt x #xf000))
(check-sat)

; ===== clear_lowest_bit
; x and x - 1 has fewer bits
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (distinct x #x00))
(assert (bvuge (bvand x (bvsub x #x01)) x))
(check-sat)

; ===== width_one
; arithmetic and orders on one bit
(set-logic QF_BV)
(set-info :status sat)
(declare-const a (_ BitVec 1))
(declare-const b (_ BitVec 1))
(declare-const c (_ BitVec 1))
(assert (= (bvadd a b) (bvxor a b)))
(assert (bvslt a b))
(assert (= (bvudiv c b) (bvmul a a)))
(assert (= (bvsdiv a b) #b1))
(check-sat)

; ===== width_one_division
; every quotient by one bit is known
(set-logic QF_BV)
(set-info :status unsat)
(declare-const a (_ BitVec 1))
(declare-const b (_ BitVec 1))
(assert (distinct (bvudiv a b) (bvor a (bvnot b))))
(check-sat)

; ===== wide_constants
; widths beyond 64 with indexed literals
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 70))
(assert (= (bvadd x x) (bvneg (_ bv2 70))))
(assert (bvult x (bvshl (_ bv1 70) (_ bv69 70))))
(check-sat)

; ===== ite_min_max
; minimum plus maximum is the sum
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(define-fun min ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 8) (ite (bvult a b) a b))
(define-fun max ((a (_ BitVec 8)) (b (_ BitVec 8))) (_ BitVec 8) (ite (bvult a b) b a))
(assert (distinct (bvadd (min x y) (max x y)) (bvadd x y)))
(check-sat)

; ===== distinct_two_bits
; five distinct values of two bits
(set-logic QF_BV)
(set-info :status unsat)
(declare-const a (_ BitVec 2))
(declare-const b (_ BitVec 2))
(declare-const c (_ BitVec 2))
(declare-const d (_ BitVec 2))
(declare-const e (_ BitVec 2))
(assert (distinct a b c d e))
(check-sat)

; ===== distinct_two_bits_full
; four distinct values of two bits
(set-logic QF_BV)
(set-info :status sat)
(declare-const a (_ BitVec 2))
(declare-const b (_ BitVec 2))
(declare-const c (_ BitVec 2))
(declare-const d (_ BitVec 2))
(assert (distinct a b c d))
(assert (= (bvadd a b) (bvsub c d)))
(assert (bvslt a b))
(check-sat)

; ===== average_without_overflow
; the average by and and xor
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (distinct
    (bvadd (bvand x y) (bvlshr (bvxor x y) #x01))
    ((_ extract 8 1) (bvadd (concat #b0 x) (concat #b0 y)))))
(check-sat)

; ===== core_of_bits
; a core over masks
(set-option :produce-unsat-cores true)
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 8))
(assert (! (= (bvand x #x0f) #x05) :named low))
(assert (! (= (bvlshr x #x04) #x0a) :named high))
(assert (! (= ((_ extract 2 2) x) #b0) :named middle))
(assert (! (bvugt x #x10) :named spare))
(check-sat)
(get-unsat-core)

; ===== uninterpreted_bits
; a function of a quotient by zero
(set-logic QF_UFBV)
(set-info :status unsat)
(declare-fun f ((_ BitVec 8)) (_ BitVec 4))
(declare-const x (_ BitVec 8))
(declare-const y (_ BitVec 8))
(assert (= y #x00))
(assert (distinct (f (bvudiv x y)) (f (bvor x (bvnot x)))))
(check-sat)

; ===== uninterpreted_bits_permute
; a permutation of two bits without a fixed point
(set-logic QF_UFBV)
(set-info :status sat)
(declare-fun f ((_ BitVec 2)) (_ BitVec 2))
(declare-const x (_ BitVec 2))
(assert (distinct (f #b00) (f #b01) (f #b10) (f #b11)))
(assert (= (f (f x)) (bvadd x #b10)))
(assert (not (or (= (f #b00) #b00) (= (f #b01) #b01) (= (f #b10) #b10) (= (f #b11) #b11))))
(check-sat)

; ===== popcount_of_three
; three bits set, none adjacent
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(define-fun bit ((v (_ BitVec 8)) (i (_ BitVec 8))) (_ BitVec 8) (bvand (bvlshr v i) #x01))
(assert (= (bvadd (bit x #x00) (bvadd (bit x #x02) (bvadd (bit x #x05) (bit x #x07)))) #x03))
(assert (= (bvand x (bvshl x #x01)) #x00))
(assert (bvsgt x #x20))
(check-sat)

; ===== signed_division_rounds_to_zero
; bvsdiv against an arithmetic shift
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 8))
(assert (distinct (bvsdiv x #x04) (bvashr x #x02)))
(assert (= (bvsrem x #x04) #xfd))
(assert (bvsgt x #xe0))
(check-sat)

; ===== byte_swap
; a word equal to its swapped bytes
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 16))
(assert (= (concat ((_ extract 7 0) x) ((_ extract 15 8) x)) x))
(assert (= ((_ rotate_right 4) x) (bvnot x)))
(check-sat)

; ===== carry_chain
; a sum that ripples through every bit
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 12))
(declare-const y (_ BitVec 12))
(assert (= (bvadd x y) #x000))
(assert (= (bvand x y) #x001))
(assert (bvult y x))
(check-sat)

; ===== quotient_of_products
; products that wrap do not cancel
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 6))
(declare-const y (_ BitVec 6))
(assert (distinct (bvudiv (bvmul x y) y) x))
(assert (distinct y #b000000))
(assert (= (bvurem (bvmul x y) y) #b000010))
(check-sat)

; ===== comparisons_as_numbers
; one-bit comparisons summed up
(set-logic QF_BV)
(set-info :status sat)
(declare-const x (_ BitVec 4))
(declare-const y (_ BitVec 4))
(declare-const z (_ BitVec 4))
(define-fun lt ((a (_ BitVec 4)) (b (_ BitVec 4))) (_ BitVec 2) (ite (bvslt a b) #b01 #b00))
(assert (= (bvadd (lt x y) (bvadd (lt y z) (lt z x))) #b10))
(assert (= (bvxor (bvxor x y) z) #xf))
(check-sat)
