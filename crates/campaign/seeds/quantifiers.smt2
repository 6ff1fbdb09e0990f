; ===== no_largest_integer
; there is no largest integer
(set-logic LIA)
(set-info :status unsat)
(declare-const m Int)
(assert (forall ((x Int)) (<= x m)))
(check-sat)

; ===== least_of_bounded
; a least element above a bound
(set-logic LIA)
(set-info :status sat)
(declare-const m Int)
(assert (> m 10))
(assert (forall ((x Int)) (=> (> x 10) (>= x m))))
(check-sat)

; ===== every_integer_even_or_odd
; a number neither even nor odd
(set-logic LIA)
(set-info :status unsat)
(assert (exists ((x Int)) (forall ((y Int)) (and (distinct x (* 2 y)) (distinct x (+ (* 2 y) 1))))))
(check-sat)

; ===== alternation_lia
; there is a larger one for all, and one bound for the rest
(set-logic LIA)
(set-info :status sat)
(declare-const k Int)
(assert (forall ((x Int)) (exists ((y Int)) (> y (+ x k)))))
(assert (exists ((y Int)) (forall ((x Int)) (=> (> x y) (> (+ x k) 10)))))
(assert (< k 5))
(check-sat)

; ===== dense_reals
; between two reals lies a third
(set-logic LRA)
(set-info :status sat)
(declare-const e Real)
(assert (> e 0))
(assert (forall ((x Real) (y Real)) (=> (< x y) (exists ((z Real)) (and (< x z) (< z y))))))
(check-sat)

; ===== discrete_integers
; between two integers there need not be a third
(set-logic LIA)
(set-info :status unsat)
(assert (forall ((x Int) (y Int)) (=> (< x y) (exists ((z Int)) (< x z y)))))
(check-sat)

; ===== least_real_does_not_exist
; an open interval has no least element
(set-logic LRA)
(set-info :status unsat)
(declare-const m Real)
(assert (> m 1))
(assert (forall ((x Real)) (=> (> x 1) (<= m x))))
(check-sat)

; ===== supremum
; the least upper bound of an open interval
(set-logic LRA)
(set-info :status sat)
(declare-const s Real)
(assert (forall ((x Real)) (=> (< x 2.5) (<= x s))))
(assert (not (exists ((b Real)) (and (< b s) (forall ((x Real)) (=> (< x 2.5) (<= x b)))))))
(check-sat)

; ===== variable_capture
; a bound variable hides a constant
(set-logic LIA)
(set-info :status unsat)
(declare-const x Int)
(assert (= x 3))
(assert (forall ((y Int)) (exists ((x Int)) (and (= x (+ y 1)) (< x y)))))
(check-sat)

; ===== shadowed_quantifiers
; a variable bound twice
(set-logic LIA)
(set-info :status sat)
(declare-const x Int)
(assert (exists ((x Int)) (and (> x 5) (forall ((x Int)) (or (<= x 5) (> x 4))))))
(assert (< x 0))
(check-sat)

; ===== quantified_divisibility
; a bounded number divisible by 2, 3 and 5
(set-logic LIA)
(set-info :status unsat)
(declare-const n Int)
(assert (< 0 n 30))
(assert (exists ((a Int) (b Int) (c Int)) (= n (* 2 a) (* 3 b) (* 5 c))))
(check-sat)

; ===== quantified_mod
; a remainder that no square-free step changes
(set-logic LIA)
(set-info :status sat)
(declare-const r Int)
(assert (forall ((k Int)) (= (mod (+ r (* 6 k)) 3) 2)))
(assert (<= 10 r 13))
(check-sat)

; ===== bits_absorb
; an element that absorbs under and
(set-logic BV)
(set-info :status sat)
(declare-const z (_ BitVec 4))
(assert (forall ((x (_ BitVec 4))) (= (bvand x z) z)))
(check-sat)

; ===== bits_neutral_of_product
; the neutral element of a product
(set-logic BV)
(set-info :status sat)
(declare-const e (_ BitVec 4))
(assert (forall ((x (_ BitVec 4))) (= (bvmul x e) x)))
(check-sat)

; ===== bits_no_universal_inverse
; not every element has an inverse
(set-logic BV)
(set-info :status unsat)
(assert (forall ((x (_ BitVec 4))) (exists ((y (_ BitVec 4))) (= (bvmul x y) #x1))))
(check-sat)

; ===== bits_every_element_has_negation
; every element has a negation
(set-logic BV)
(set-info :status unsat)
(assert (not (forall ((x (_ BitVec 8))) (exists ((y (_ BitVec 8))) (= (bvadd x y) #x00)))))
(check-sat)

; ===== bits_shift_threshold
; the shifts that clear everything
(set-logic BV)
(set-info :status sat)
(declare-const s (_ BitVec 4))
(assert (forall ((x (_ BitVec 4))) (= (bvlshr x s) #x0)))
(assert (bvult s #x6))
(check-sat)

; ===== bits_division_by_zero_quantified
; dividing by zero gives all ones, for every dividend
(set-logic BV)
(set-info :status unsat)
(declare-const d (_ BitVec 4))
(assert (= d #x0))
(assert (exists ((x (_ BitVec 4))) (distinct (bvudiv x d) #xf)))
(check-sat)

; ===== function_injective
; an injective function and a collision
(set-logic UF)
(set-info :status unsat)
(declare-sort S 0)
(declare-fun f (S) S)
(declare-const a S)
(declare-const b S)
(assert (forall ((x S) (y S)) (=> (= (f x) (f y)) (= x y))))
(assert (= (f (f a)) (f (f b))))
(assert (distinct a b))
(check-sat)

; ===== relation_strict_order
; a cycle in a strict order
(set-logic UF)
(set-info :status unsat)
(declare-sort S 0)
(declare-fun r (S S) Bool)
(declare-const a S)
(declare-const b S)
(declare-const c S)
(assert (forall ((x S) (y S) (z S)) (! (=> (and (r x y) (r y z)) (r x z)) :pattern ((r x y) (r y z)))))
(assert (forall ((x S)) (not (r x x))))
(assert (and (r a b) (r b c) (r c a)))
(check-sat)

; ===== relation_equivalence
; an equivalence with two classes
(set-logic UF)
(set-info :status sat)
(declare-sort S 0)
(declare-fun e (S S) Bool)
(declare-const a S)
(declare-const b S)
(declare-const c S)
(assert (forall ((x S)) (e x x)))
(assert (forall ((x S) (y S)) (=> (e x y) (e y x))))
(assert (forall ((x S) (y S) (z S)) (=> (and (e x y) (e y z)) (e x z))))
(assert (and (e a b) (not (e b c))))
(check-sat)

; ===== barber
; the barber who shaves those who do not
(set-logic UF)
(set-info :status unsat)
(declare-sort Man 0)
(declare-fun shaves (Man Man) Bool)
(assert (exists ((b Man)) (forall ((m Man)) (= (shaves b m) (not (shaves m m))))))
(check-sat)

; ===== two_element_universe
; a universe of at most two elements
(set-logic UF)
(set-info :status sat)
(declare-sort S 0)
(declare-fun f (S) S)
(declare-const a S)
(declare-const b S)
(assert (forall ((x S)) (or (= x a) (= x b))))
(assert (forall ((x S)) (distinct (f x) x)))
(check-sat)

; ===== two_element_universe_refuted
; three distinct elements among two
(set-logic UF)
(set-info :status unsat)
(declare-sort S 0)
(declare-fun f (S) S)
(declare-const a S)
(declare-const b S)
(assert (forall ((x S)) (or (= x a) (= x b))))
(assert (distinct a (f a) (f (f a))))
(check-sat)

; ===== drinker
; the drinker paradox
(set-logic UF)
(set-info :status unsat)
(declare-sort P 0)
(declare-fun drinks (P) Bool)
(assert (not (exists ((x P)) (=> (drinks x) (forall ((y P)) (drinks y))))))
(check-sat)

; ===== function_over_integers
; a strictly growing function that stays equal
(set-logic UFLIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const a Int)
(assert (forall ((x Int)) (< (f x) (f (+ x 1)))))
(assert (>= (f a) (f (+ a 2))))
(check-sat)

; ===== function_bounded
; a function that is never negative
(set-logic UFLIA)
(set-info :status sat)
(declare-fun f (Int) Int)
(assert (forall ((x Int)) (>= (f x) 0)))
(assert (= (f 3) 7))
(assert (< (f 4) (f 3)))
(check-sat)

; ===== sorted_array
; a sorted array with an inversion
(set-logic AUFLIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const n Int)
(assert (forall ((i Int) (j Int)) (=> (and (<= 0 i) (< i j) (< j n)) (<= (select a i) (select a j)))))
(assert (> n 3))
(assert (> (select a 1) (select a 3)))
(check-sat)

; ===== array_all_zero_but_one
; an array of zeros with a sum of one
(set-logic AUFLIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const k Int)
(assert (forall ((i Int)) (=> (distinct i k) (= (select a i) 0))))
(assert (= (+ (select a (+ k 1)) (select a (- k 1))) 1))
(check-sat)

; ===== quantified_floats
; no float is larger than all others by fp.lt
(set-logic ALL)
(set-info :status unsat)
(declare-const m Float32)
(assert (forall ((x Float32)) (fp.lt x m)))
(check-sat)

; ===== nested_alternation_bool
; quantified Booleans
(set-logic ALL)
(set-info :status sat)
(declare-const a Bool)
(declare-const b Bool)
(assert (forall ((p Bool)) (exists ((q Bool)) (and (xor p q a) (or p q b)))))
(assert (= a b))
(check-sat)

; ===== quantified_booleans_refuted
; quantified Booleans in the other order
(set-logic ALL)
(set-info :status unsat)
(declare-const a Bool)
(assert (exists ((q Bool)) (forall ((p Bool)) (xor p q a))))
(check-sat)

; ===== quantified_datatype
; every value of an enumeration has a successor, none twice
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((D 0)) (((a) (b) (c))))
(declare-fun s (D) D)
(assert (forall ((x D) (y D)) (=> (= (s x) (s y)) (= x y))))
(assert (forall ((x D)) (distinct (s x) a)))
(check-sat)

; ===== define_fun_rec_sum
; a recursive sum unrolled
(set-logic UFLIA)
(set-info :status unsat)
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(declare-const x Int)
(assert (= x (sum 3)))
(assert (distinct x 6))
(check-sat)

; ===== let_inside_quantifier
; a let under a quantifier that uses the bound variable
(set-logic LIA)
(set-info :status unsat)
(declare-const a Int)
(assert (forall ((x Int)) (let ((y (+ x a))) (exists ((z Int)) (let ((x z)) (and (= y (* 2 x)) (> y x)))))))
(check-sat)

; ===== named_quantified_core
; a core with a quantified assertion
(set-option :produce-unsat-cores true)
(set-logic UFLIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const a Int)
(assert (! (forall ((x Int)) (> (f x) x)) :named above))
(assert (! (< (f a) 0) :named low))
(assert (! (> a 4) :named high))
(assert (! (= (f 0) 1) :named spare))
(check-sat)
(get-unsat-core)

; ===== bits_fixed_mask
; a mask that hides a difference
(set-logic BV)
(set-info :status sat)
(declare-const m (_ BitVec 4))
(declare-const k (_ BitVec 4))
(assert (forall ((x (_ BitVec 4))) (= (bvand (bvadd x k) m) (bvand x m))))
(assert (distinct m #x0))
(assert (distinct k #x0))
(check-sat)

; ===== bits_signed_minimum
; the least element of the signed order
(set-logic BV)
(set-info :status sat)
(declare-const m (_ BitVec 6))
(assert (forall ((x (_ BitVec 6))) (bvsle m x)))
(assert (exists ((y (_ BitVec 6))) (and (distinct y #b000000) (= (bvadd y y) #b000000) (= y m))))
(check-sat)

; ===== function_over_bits
; an involution over two bits
(set-logic UFBV)
(set-info :status sat)
(declare-fun f ((_ BitVec 2)) (_ BitVec 2))
(assert (forall ((x (_ BitVec 2))) (= (f (f x)) x)))
(assert (distinct (f #b00) #b00))
(assert (= (f #b11) #b11))
(check-sat)

; ===== enumeration_order
; a successor over an enumeration
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((D 0)) (((a) (b) (c))))
(declare-fun s (D) D)
(assert (forall ((x D)) (distinct (s x) x)))
(assert (forall ((x D)) (= (s (s (s x))) x)))
(check-sat)
