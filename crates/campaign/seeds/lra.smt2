; ===== no_largest_below
; a convex combination outside its ends
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(declare-const m Real)
(assert (< x y))
(assert (= m (/ (+ x y) 2)))
(assert (or (<= m x) (>= m y)))
(check-sat)

; ===== strict_corner
; strict bounds that meet in one open corner
(set-logic QF_LRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (> x 0.5))
(assert (< (+ x y) 1))
(assert (> (- y x) (- (/ 1 4))))
(assert (distinct y (/ 1 3)))
(check-sat)

; ===== farkas_certificate
; three half-planes with no common point
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (<= (+ (* 2 x) y) 4))
(assert (<= (- y (* 3 x)) (- 9)))
(assert (>= y 1))
(check-sat)

; ===== strict_makes_it_empty
; a single point that strictness removes
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(assert (<= x y z))
(assert (<= z x))
(assert (or (< x z) (distinct y z)))
(check-sat)

; ===== decimal_is_exact
; decimals are rationals, not floats
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(assert (= x (+ 0.1 0.2)))
(assert (distinct (* 10 x) 3.0))
(check-sat)

; ===== nested_constant_quotients
; quotients of constants, left-associative
(set-logic QF_LRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (= x (/ 1 2 4)))
(assert (= (* 8 y) (- x (/ 3 (- 4)))))
(assert (< y x))
(check-sat)

; ===== ite_piecewise
; a piecewise function without the value 1.5
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (= y (ite (< x 0) (- x) (ite (< x 1) (* 0.5 x) (+ x 1)))))
(assert (= y 1.5))
(assert (> x (- 1)))
(check-sat)

; ===== ite_piecewise_reached
; a piecewise function that reaches a value twice
(set-logic QF_LRA)
(set-info :status sat)
(declare-const x Real)
(declare-const z Real)
(define-fun saw ((t Real)) Real (ite (<= t 1) t (- 2 t)))
(assert (= (saw x) (saw z) 0.25))
(assert (> z x))
(check-sat)

; ===== disjunction_of_boxes
; one box of several meets a line
(set-logic QF_LRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (or (and (< 0 x 1) (< 0 y 1)) (and (< 4 x 5) (< 4 y 5)) (and (< 9 x 10) (< 0 y 1))))
(assert (= (+ x (* 2 y)) 13.5))
(check-sat)

; ===== disjunction_of_boxes_missed
; a line that misses every box
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (or (and (<= 0 x 1) (<= 0 y 1)) (and (<= 4 x 5) (<= 4 y 5))))
(assert (= (+ x y) 3.5))
(check-sat)

; ===== difference_of_reals
; a negative cycle with a strict edge
(set-logic QF_RDL)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(assert (< (- a b) 2))
(assert (<= (- b c) (- 5)))
(assert (<= (- c a) 3))
(check-sat)

; ===== difference_of_reals_met
; a cycle of weight zero
(set-logic QF_RDL)
(set-info :status sat)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(declare-const d Real)
(assert (<= (- a b) 2))
(assert (<= (- b c) (- 5)))
(assert (<= (- c a) 3))
(assert (< (- d a) (- 1)))
(assert (or (= a d) (= b d) (distinct a b c d)))
(check-sat)

; ===== uninterpreted_real
; equality found by arithmetic, used by congruence
(set-logic QF_UFLRA)
(set-info :status unsat)
(declare-fun f (Real Real) Real)
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(assert (<= x y))
(assert (<= (+ y z) x))
(assert (>= z 0))
(assert (not (= (f x z) (f y 0.0))))
(check-sat)

; ===== uninterpreted_real_interpolates
; a function through four points
(set-logic QF_UFLRA)
(set-info :status sat)
(declare-fun f (Real) Real)
(declare-const x Real)
(assert (= (f 0.0) 1))
(assert (= (f 1.5) (- 1)))
(assert (= (f x) (* 2 x)))
(assert (= (f (f x)) (/ 7 3)))
(check-sat)

; ===== distinct_reals
; distinct reals squeezed between close bounds
(set-logic QF_LRA)
(set-info :status sat)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(declare-const d Real)
(assert (distinct a b c d))
(assert (<= 0 a 0.001))
(assert (<= 0 b 0.001))
(assert (= (+ c d) (+ a b)))
(assert (< c a d))
(check-sat)

; ===== subtraction_and_negation
; negation distributes over subtraction
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(assert (distinct (- (- x y z)) (+ (- x) y z)))
(check-sat)

; ===== core_of_half_planes
; the core of an empty polygon
(set-option :produce-unsat-cores true)
(set-logic QF_LRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (! (>= x 0) :named left))
(assert (! (<= (+ x y) (- 1)) :named below))
(assert (! (> y (- 0.5)) :named above))
(assert (! (< x 10) :named right))
(check-sat)
(get-unsat-core)

; ===== bounded_sum
; many terms with one feasible direction
(set-logic QF_LRA)
(set-info :status sat)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(declare-const d Real)
(declare-const e Real)
(assert (= (+ a (* 2 b) (* 3 c) (* (- 4) d) (* 0.5 e)) 1))
(assert (and (< a 0) (< b 0) (< c 0)))
(assert (=> (> e 0) (> d e)))
(check-sat)
