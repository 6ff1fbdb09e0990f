; ===== square_is_not_two_mod_four
; squares modulo 4
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(assert (= (mod (* x x) 4) 2))
(assert (<= (- 8) x 8))
(check-sat)

; ===== pythagoras_triple
; a triple of squares with distinct legs
(set-logic QF_NIA)
(set-info :status sat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(assert (= (+ (* a a) (* b b)) (* c c)))
(assert (< 0 a b c 14))
(assert (> a 4))
(check-sat)

; ===== product_sign
; the sign of a product of three
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (< x 0))
(assert (< y 0))
(assert (< z 0))
(assert (>= (* x y z) 0))
(check-sat)

; ===== square_is_not_negative
; a sum of squares below zero
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (< (+ (* x x) (* y y)) (abs (- (- 3) 3)) 6))
(assert (< (* (* x x) y y) (- x x)))
(check-sat)

; ===== division_by_zero_is_a_function
; equal numerators have equal quotients by zero
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= x y))
(assert (= z 0))
(assert (distinct (div x z) (div y 0)))
(check-sat)

; ===== division_by_zero_is_free
; quotients by zero may be anything, one per numerator
(set-logic QF_NIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= (div x z) 7))
(assert (= (div y z) (- 7)))
(assert (< (* x y) 0))
(assert (= z 0))
(check-sat)

; ===== mod_by_zero_is_free
; remainders by zero may be negative
(set-logic QF_NIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (= (mod x y) (- 3)))
(assert (= y (* x 0)))
(assert (> x 2))
(check-sat)

; ===== div_zero_of_zero
; 0 div 0 and 0 mod 0 against each other
(set-logic QF_NIA)
(set-info :status sat)
(declare-const z Int)
(assert (= z (- z)))
(assert (> (div z z) (mod z z) 1))
(check-sat)

; ===== division_by_variable
; a positive remainder is below its divisor
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (> y 0))
(assert (>= (mod x y) y))
(check-sat)

; ===== div_by_variable_exact
; quotient and remainder by a variable
(set-logic QF_NIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(declare-const q Int)
(assert (= q (div x y)))
(assert (= (mod x y) 4))
(assert (< y (- 4)))
(assert (= (* q y) 30))
(check-sat)

; ===== factor_of_semiprime
; two factors of 91, a negative pair
(set-logic QF_NIA)
(set-info :status sat)
(declare-const p Int)
(declare-const q Int)
(assert (= (* p q) 91))
(assert (< p q 0))
(assert (> p (- 50)))
(check-sat)

; ===== prime_has_no_factors
; 17 is prime
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const p Int)
(declare-const q Int)
(assert (= (* p q) 17))
(assert (< 1 p 17))
(assert (< 1 q 17))
(check-sat)

; ===== sum_of_two_cubes
; a sum of two cubes within small bounds
(set-logic QF_NIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (> (+ (* x x x) (* y y y)) 30))
(assert (and (<= (- 4) x 4) (<= (- 4) y 4)))
(assert (< x y))
(assert (< (* x y) 8))
(check-sat)

; ===== binomial_identity
; the square of a sum
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (distinct (* (+ x y) (+ x y)) (+ (* x x) (* 2 x y) (* y y))))
(check-sat)

; ===== monotone_product
; products keep order on positive numbers
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (< 0 x y))
(assert (> z 0))
(assert (>= (* x z) (* y z)))
(check-sat)

; ===== zero_product
; a product is zero only if a factor is
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (= (* x y) 0))
(assert (distinct x 0))
(assert (distinct y 0))
(check-sat)

; ===== ite_product
; abs by products and if-then-else
(set-logic QF_NIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (= (* x (ite (< x 0) (- 1) 1)) (abs y)))
(assert (= (* x y) (- 49)))
(assert (> y x))
(check-sat)

; ===== uninterpreted_square
; a function pinned to squares at two points
(set-logic QF_UFNIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const x Int)
(declare-const y Int)
(assert (= (f x) (* x x)))
(assert (= (f y) (* y y)))
(assert (= x (- y)))
(assert (distinct (f x) (f y)))
(check-sat)

; ===== uninterpreted_mod
; a function of a remainder by a variable
(set-logic QF_UFNIA)
(set-info :status sat)
(declare-fun f (Int) Int)
(declare-const x Int)
(declare-const y Int)
(assert (= (f (mod x y)) y))
(assert (= (f 2) 5))
(assert (= (f 0) 3))
(assert (> x 10))
(check-sat)
