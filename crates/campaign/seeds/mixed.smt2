; ===== array_lia_partition
; a partition of three elements around a pivot
(set-logic QF_AUFLIA)
(set-info :status sat)
(declare-fun pivot (Int) Int)
(declare-const a (Array Int Int))
(declare-const k Int)
(assert (= k (pivot (select a 1))))
(assert (and (< (select a 0) k) (= (select a 1) k) (> (select a 2) k)))
(assert (= (+ (select a 0) (select a 2)) (* 2 k)))
(check-sat)

; ===== array_lia_index_arithmetic
; indices that arithmetic makes equal
(set-logic QF_AUFLIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (= b (store a (+ i i) (f j))))
(assert (= (* 2 i) (- j 1)))
(assert (distinct (select b (- j 1)) (f (+ i i 1))))
(check-sat)

; ===== array_of_array_of_bits
; a bank of memories
(set-logic ALL)
(set-info :status sat)
(declare-const m (Array (_ BitVec 2) (Array (_ BitVec 2) (_ BitVec 4))))
(declare-const n (Array (_ BitVec 2) (Array (_ BitVec 2) (_ BitVec 4))))
(declare-const b (_ BitVec 2))
(declare-const i (_ BitVec 2))
(assert (= n (store m b (store (select m b) i (bvadd (select (select m b) i) #x1)))))
(assert (= (select (select n b) i) #x0))
(assert (distinct (select m (bvnot b)) (select n b)))
(check-sat)

; ===== bits_and_function_of_array
; a hash of equal memories
(set-logic QF_AUFBV)
(set-info :status unsat)
(declare-fun h ((Array (_ BitVec 3) (_ BitVec 8))) (_ BitVec 8))
(declare-const m (Array (_ BitVec 3) (_ BitVec 8)))
(declare-const i (_ BitVec 3))
(assert (distinct (h m) (h (store m i (bvor (select m i) (bvand (select m i) #x0f))))))
(check-sat)

; ===== bits_and_function_sat
; a hash that collides
(set-logic QF_AUFBV)
(set-info :status sat)
(declare-fun h ((Array (_ BitVec 3) (_ BitVec 8))) (_ BitVec 8))
(declare-const m (Array (_ BitVec 3) (_ BitVec 8)))
(declare-const n (Array (_ BitVec 3) (_ BitVec 8)))
(declare-const i (_ BitVec 3))
(assert (distinct (select m i) (select n i)))
(assert (= (h m) (h n) (bvadd (select m i) (select n i))))
(assert (bvugt (h n) (select m i)))
(check-sat)

; ===== strings_and_lengths
; lengths in a linear system
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(declare-const z String)
(declare-const n Int)
(assert (= (str.++ x y) (str.++ "ab" z)))
(assert (= (+ (str.len x) (* 2 (str.len y))) n))
(assert (= n 7))
(assert (= (str.len z) 3))
(check-sat)

; ===== strings_and_division
; a length that is half an odd number
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (= (str.len (str.++ x x y)) 7))
(assert (= (mod (str.len y) 2) 0))
(check-sat)

; ===== strings_and_arrays
; a table of strings by number
(set-logic ALL)
(set-info :status sat)
(declare-const t (Array Int String))
(declare-const i Int)
(assert (= (str.len (select t i)) i))
(assert (= (str.++ (select t i) (select t (+ i 1))) "abc"))
(check-sat)

; ===== strings_and_numbers_sum
; numbers written out, added and written again
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const n Int)
(assert (= x (str.from_int n)))
(assert (= (str.from_int (+ n 1)) "10"))
(assert (= (str.len x) 1))
(check-sat)

; ===== strings_and_functions
; a function of equal strings
(set-logic ALL)
(set-info :status unsat)
(declare-fun f (String) Int)
(declare-const x String)
(declare-const y String)
(assert (= (str.++ x "a") (str.++ y "a")))
(assert (distinct (f x) (f y)))
(check-sat)

; ===== strings_and_datatypes
; a record with a name and a number
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((Row 0)) (((row (name String) (id Int)))))
(declare-const r Row)
(declare-const s Row)
(assert (= (str.len (name r)) (id s)))
(assert (= (str.++ (name r) (name s)) "keyvalue"))
(assert (= (id r) (+ (id s) 2)))
(assert (> (id s) 3))
(check-sat)

; ===== small_integers_have_short_floats
; a byte as a float has zeros as its last bits
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const b (_ BitVec 32))
(assert (= ((_ to_fp 8 24) b) ((_ to_fp_unsigned 8 24) RNE ((_ extract 7 0) b))))
(assert (distinct ((_ extract 7 0) b) #x00))
(check-sat)

; ===== float_sign_bit
; fp.neg flips the top bit
(set-logic QF_BVFP)
(set-info :status unsat)
(declare-const b (_ BitVec 32))
(declare-const x Float32)
(assert (= x ((_ to_fp 8 24) b)))
(assert (not (fp.isNaN x)))
(assert (distinct (fp.neg x) ((_ to_fp 8 24) (bvxor b #x80000000))))
(check-sat)

; ===== float_in_function
; a function of a float through two equalities
(set-logic ALL)
(set-info :status unsat)
(declare-fun f (Float32) Int)
(declare-const x Float32)
(declare-const y Float32)
(assert (distinct (f x) (f y)))
(assert (fp.isInfinite x))
(assert (= (fp.neg x) (fp.neg y)))
(check-sat)

; ===== float_in_function_sat
; fp.eq arguments with different values
(set-logic ALL)
(set-info :status sat)
(declare-fun f (Float32) Int)
(declare-const x Float32)
(declare-const y Float32)
(assert (distinct (f x) (f y)))
(assert (fp.eq x y))
(assert (= (+ (f x) (f y)) 3))
(check-sat)

; ===== float_in_array
; an array indexed by floats
(set-logic ALL)
(set-info :status sat)
(declare-const a (Array Float32 Int))
(declare-const x Float32)
(assert (= (select (store a x 1) (fp.neg x)) 2))
(assert (fp.isZero x))
(assert (fp.isNegative x))
(check-sat)

; ===== float_array_nan_index
; NaN is one index
(set-logic ALL)
(set-info :status unsat)
(declare-const a (Array Float32 Int))
(declare-const x Float32)
(declare-const y Float32)
(assert (and (fp.isNaN x) (fp.isNaN y)))
(assert (distinct (select (store a x 1) y) 1))
(check-sat)

; ===== datatype_and_lia
; intervals that do not meet
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((I 0)) (((mk (lo Int) (hi Int)))))
(declare-const a I)
(declare-const b I)
(define-fun meets ((x I) (y I)) Bool (and (<= (lo x) (hi y)) (<= (lo y) (hi x))))
(assert (meets a b))
(assert (< (hi a) (lo b)))
(check-sat)

; ===== datatype_tree_sum
; the sum of a small tree of integers
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((T 0)) (((leaf (v Int)) (node (l T) (r T)))))
(declare-const t T)
(define-fun val ((x T)) Int (ite ((_ is leaf) x) (v x) 1))
(assert ((_ is node) t))
(assert (= (+ (val (l t)) (* 2 (val (r t)))) 12))
(assert ((_ is node) (r t)))
(check-sat)

; ===== sequence_and_array
; a sequence copied from an array
(set-logic ALL)
(set-info :status sat)
(declare-const a (Array Int Int))
(declare-const s (Seq Int))
(assert (= s (seq.++ (seq.unit (select a 0)) (seq.unit (select a 1)))))
(assert (= (seq.nth s 0) (+ 1 (seq.nth s 1))))
(assert (seq.contains s (seq.unit 4)))
(check-sat)

; ===== reals_and_arrays
; the value at a rounded index
(set-logic AUFLIRA)
(set-info :status unsat)
(declare-const a (Array Int Real))
(declare-const x Real)
(assert (= (select a (to_int x)) x))
(assert (< 2.0 x 3.0))
(assert (is_int (select a 2)))
(check-sat)

; ===== integers_reals_functions
; a step function over rounded reals
(set-logic AUFLIRA)
(set-info :status sat)
(declare-fun step (Int) Real)
(declare-const x Real)
(declare-const y Real)
(assert (< x y))
(assert (= (step (to_int x)) y))
(assert (= (step (to_int y)) x))
(assert (< (- y x) 0.5))
(check-sat)

; ===== functions_of_everything
; one function over four sorts
(set-logic ALL)
(set-info :status sat)
(declare-sort U 0)
(declare-fun f (Int (_ BitVec 4) U Bool) U)
(declare-const u U)
(declare-const i Int)
(declare-const b (_ BitVec 4))
(assert (= (f i b u true) u))
(assert (distinct (f (+ i 1) b u true) (f i (bvneg b) u true) u))
(assert (= (f 0 #x8 u (< i 0)) u))
(check-sat)

; ===== mixed_core
; a core over arrays, functions and sums
(set-option :produce-unsat-cores true)
(set-logic QF_AUFLIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const a (Array Int Int))
(declare-const i Int)
(assert (! (= (select a i) (f i)) :named read))
(assert (! (= (f i) (+ (f 0) 1)) :named step))
(assert (! (= i 0) :named zero))
(assert (! (> (select a 7) 3) :named spare))
(check-sat)
(get-unsat-core)

; ===== nonlinear_array
; products of array elements
(set-logic ALL)
(set-info :status sat)
(declare-const a (Array Int Int))
(declare-const i Int)
(assert (= (* (select a i) (select a (+ i 1))) 35))
(assert (< (select a (+ i 1)) (select a i) 0))
(assert (= (select a 0) (* i i)))
(check-sat)

; ===== bits_in_datatype_and_array
; packets in an array
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((Pkt 0)) (((pkt (src (_ BitVec 4)) (dst (_ BitVec 4))))))
(declare-const a (Array (_ BitVec 4) Pkt))
(declare-const i (_ BitVec 4))
(define-fun reply ((p Pkt)) Pkt (pkt (dst p) (src p)))
(assert (= (select a (bvadd i #x1)) (reply (select a i))))
(assert (distinct (reply (select a (bvsub i #xf))) (select a i)))
(check-sat)
