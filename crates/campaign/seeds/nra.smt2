; ===== near_square_root_of_two
; a negative number near an irrational root
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (< 1.9 (* x x) 2.1))
(assert (< x 0))
(assert (> (* y x) (+ y 1)))
(check-sat)

; ===== square_root_of_minus_one
; a sum of squares below zero
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (< (+ (* x x) (* y y)) 0))
(check-sat)

; ===== circle_and_far_line
; a line that misses a circle
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (<= (+ (* x x) (* y y)) 1))
(assert (>= (+ x y) 1.5))
(check-sat)

; ===== circle_and_line
; a line through a ring, off its axes
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (<= 24 (+ (* x x) (* y y)) 26))
(assert (= (+ x y) 6.5))
(assert (> x y))
(check-sat)

; ===== square_of_difference
; the square of a difference, multiplied out
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (distinct (* (- x y) (- x y)) (+ (* x x) (* (- 2) x y) (* y y))))
(check-sat)

; ===== division_by_zero_real_is_a_function
; x/0 is one value for each x
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (= y 0))
(assert (> (/ x y) (/ x 0)))
(check-sat)

; ===== division_by_zero_real_is_free
; 1/0 and 2/0 may be anything
(set-logic QF_NRA)
(set-info :status sat)
(declare-const z Real)
(assert (= (* z z) 0))
(assert (= (/ 1 z) (- 3)))
(assert (= (/ 2 z) 5))
(check-sat)

; ===== division_by_zero_not_cancelled
; multiplying back a quotient by zero
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (distinct (* y (/ x y)) x))
(assert (= (* x (/ y x)) y))
(assert (< (/ x y) x 0))
(check-sat)

; ===== division_by_zero_not_both
; x and y cannot both fail to cancel
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (distinct (* y (/ x y)) x))
(assert (distinct (* x (/ y x)) y))
(check-sat)

; ===== quotient_cancels_if_nonzero
; multiplying back a quotient by a non-zero number
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (distinct y 0))
(assert (distinct (* (/ x y) y) x))
(check-sat)

; ===== quotient_of_sum
; reciprocals that add up
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (= (+ (/ 1 x) (/ 1 y)) 1))
(assert (= (+ x y) 4))
(assert (distinct x 0))
(check-sat)

; ===== cube_against_square
; a cube below its square, above its number
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(assert (= y (* x x)))
(assert (= z (* x y)))
(assert (< z y))
(assert (> (+ x y) 0))
(check-sat)

; ===== product_of_two_signs
; a product of factors of both signs
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const a Real)
(declare-const b Real)
(assert (= x (+ a 1) (+ b 2)))
(assert (< 1 x 2))
(assert (> (* a b) 0))
(check-sat)

; ===== no_root_above_zero
; a quadratic without a linear part has no root above its minimum
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(declare-const x Real)
(assert (= (+ (* x x) (* a a) b) 0))
(assert (> b 0))
(check-sat)

; ===== product_below_one
; signs and magnitudes of a product of three
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(declare-const z Real)
(assert (= (* x y z) (- 1)))
(assert (> (* x y) 1))
(assert (< x y 0))
(check-sat)

; ===== monotone_square
; squares keep the order of magnitudes
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(assert (< 0 a b))
(assert (or (>= (* a a) (* b b)) (> (* a a a) (* b b b))))
(check-sat)

; ===== uninterpreted_over_product
; congruence after a non-linear equality
(set-logic QF_UFNRA)
(set-info :status unsat)
(declare-fun f (Real) Real)
(declare-const x Real)
(declare-const y Real)
(assert (= (* x x) (* y y)))
(assert (and (> x 0) (> y 0)))
(assert (distinct (f x) (f y)))
(check-sat)

; ===== uninterpreted_reciprocal
; a function near a reciprocal
(set-logic QF_UFNRA)
(set-info :status sat)
(declare-fun inv (Real) Real)
(declare-const x Real)
(assert (< 0 (* x (inv x)) 2))
(assert (= (inv (inv x)) (* 2 x)))
(assert (= (inv 0.0) 4))
(assert (< x (- 1)))
(check-sat)

; ===== hyperbola_branch
; a branch of a hyperbola with a let
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (let ((p (* x y)) (s (+ x y))) (and (= p 6) (< s (- 5)) (> (- (* s s) (* 4 p)) 1))))
(check-sat)
