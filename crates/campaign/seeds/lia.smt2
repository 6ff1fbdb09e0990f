; ===== div_rounds_to_floor_or_ceiling
; div by 3 and by -3 of the same number
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(assert (not (= (div x (- 3)) (- (div x 3)))))
(check-sat)

; ===== mod_of_negative_is_not_negative
; mod is at least zero and below the divisor without its sign
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (< x (- 10)))
(assert (= y (mod x (- 7))))
(assert (or (< y 0) (>= y 7)))
(check-sat)

; ===== div_mod_identity
; x = n * (x div n) + (x mod n), for n = -5
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const q Int)
(declare-const r Int)
(assert (= q (div x (- 5))))
(assert (= r (mod x (- 5))))
(assert (distinct x (+ (* (- 5) q) r)))
(check-sat)

; ===== remainders_of_two_moduli
; a number from its remainders
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(assert (= (mod x 5) 3))
(assert (= (mod x 7) 4))
(assert (= (mod x 9) 8))
(assert (< (- 1000) x (- 300)))
(check-sat)

; ===== remainders_that_clash
; remainders modulo 6 and 9 that differ modulo 3
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(assert (= (mod x 6) 1))
(assert (= (mod x 9) 5))
(check-sat)

; ===== remainders_of_combinations
; remainders of sums and differences, both signs
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (= (mod (+ x y) 4) 0))
(assert (not (= (mod x 2) 0)))
(assert (= (mod (- x y) (- 3)) 2))
(assert (< (div x 5) (- 2) y))
(check-sat)

; ===== abs_triangle
; the triangle inequality of abs
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (> (abs (+ x y)) (+ (abs x) (abs y))))
(check-sat)

; ===== abs_strict_triangle
; abs of a sum below the sum of abs
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (< (abs (+ x y z)) (- (+ (abs x) (abs y) (abs z)) 5)))
(assert (> x y))
(assert (>= (abs y) 2))
(check-sat)

; ===== minus_is_left_associative
; a - b - c is not a - (b - c) unless c is 0
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(assert (= (- a b c) (- a (- b c))))
(assert (distinct c 0))
(check-sat)

; ===== unary_minus_chain
; unary minus against binary minus
(set-logic QF_LIA)
(set-info :status sat)
(declare-const a Int)
(declare-const b Int)
(assert (= (- (- a)) (- b (- a))))
(assert (< (- a) b (+ a 1)))
(assert (distinct a b))
(check-sat)

; ===== chained_less_than_gap
; four integers strictly between 1 and 5
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(declare-const d Int)
(assert (< 1 a b c d 5))
(assert (<= a d))
(check-sat)

; ===== chained_mixed_order
; chains of every order relation
(set-logic QF_LIA)
(set-info :status sat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(declare-const d Int)
(assert (< a b c))
(assert (>= c d b))
(assert (<= a (- d 2) b))
(assert (> (+ a b c d) 50))
(check-sat)

; ===== odd_equals_even
; parity of a sum of even numbers
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= (+ (* 4 x) (* 6 y) (* (- 2) z)) 7))
(check-sat)

; ===== thin_strip_without_points
; a rational strip with no integer point
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (<= 1 (- (* 3 x) (* 3 y)) 2))
(assert (<= 0 x 20))
(check-sat)

; ===== knapsack
; coins that add up exactly
(set-logic QF_LIA)
(set-info :status sat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(assert (>= a 0))
(assert (>= b 0))
(assert (>= c 0))
(assert (= (+ (* 6 a) (* 9 b) (* 20 c)) 44))
(check-sat)

; ===== coins_that_never_add_up
; the largest number 6, 9 and 20 cannot make
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(assert (and (>= a 0) (>= b 0) (>= c 0)))
(assert (= (+ (* 6 a) (* 9 b) (* 20 c)) 43))
(check-sat)

; ===== ite_max_of_three
; a maximum below one of its arguments
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(define-fun max ((a Int) (b Int)) Int (ite (< a b) b a))
(assert (let ((m (max x (max y z)))) (or (< m y) (and (distinct m x) (distinct m y) (distinct m z)))))
(check-sat)

; ===== ite_under_arithmetic
; if-then-else under sums, products and div
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(declare-const p Bool)
(assert (= (+ (* 3 (ite p x y)) (ite (not p) x (- y))) 17))
(assert (= (div (ite p y x) 2) (- 3)))
(check-sat)

; ===== magic_line
; distinct digits with equal sums
(set-logic QF_LIA)
(set-info :status sat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(declare-const d Int)
(declare-const e Int)
(declare-const f Int)
(assert (distinct a b c d e f))
(assert (and (<= 1 a 6) (<= 1 b 6) (<= 1 c 6) (<= 1 d 6) (<= 1 e 6) (<= 1 f 6)))
(assert (= (+ a b c) (+ c d e) (+ e f a)))
(check-sat)

; ===== distinct_in_small_range
; four distinct values in a range of three
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(declare-const d Int)
(assert (distinct a b c d))
(assert (and (<= 0 a 2) (<= 0 b 2) (<= 0 c 2) (<= 0 d 2)))
(check-sat)

; ===== nested_div
; dividing by 4 and then by 3 is dividing by 12
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(assert (distinct (div (div x 4) 3) (div x 12)))
(check-sat)

; ===== div_of_sum
; div does not distribute over sums
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (= (+ (div x 2) (div y 2) 1) (div (+ x y) 2)))
(assert (< x 0 y))
(check-sat)

; ===== big_coefficients
; numerals beyond 64 bits
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (= (- x (* 18446744073709551629 y)) 36893488147419103233))
(assert (< 0 x 73786976294838206464))
(assert (distinct (mod x 10) 3))
(check-sat)

; ===== big_bounds
; bounds beyond 64 bits that leave no multiple
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(assert (< 340282366920938463463374607431768211455 (* 2 x) 340282366920938463463374607431768211457))
(assert (= (mod x 2) 1))
(check-sat)

; ===== difference_cycle
; a negative cycle of differences
(set-logic QF_IDL)
(set-info :status unsat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(declare-const d Int)
(assert (<= (- a b) 3))
(assert (<= (- b c) (- 2)))
(assert (< (- c d) 1))
(assert (or (<= (- d a) (- 2)) (<= (- d a) (- 5))))
(check-sat)

; ===== difference_schedule
; three jobs on one machine
(set-logic QF_IDL)
(set-info :status sat)
(declare-const s Int)
(declare-const t Int)
(declare-const u Int)
(assert (or (>= (- s t) 2) (>= (- t s) 3)))
(assert (or (>= (- t u) 4) (>= (- u t) 2)))
(assert (or (>= (- s u) 4) (>= (- u s) 3)))
(assert (distinct s t u))
(check-sat)

; ===== core_of_bounds
; bounds of which three conflict
(set-option :produce-unsat-cores true)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (! (> x 3) :named low))
(assert (! (< y 9) :named unused))
(assert (! (= (+ x y) 2) :named sum))
(assert (! (>= y 0) :named high))
(check-sat)
(get-unsat-core)

; ===== core_of_parity
; a core that needs integrality
(set-option :produce-unsat-cores true)
(set-logic QF_LIA)
(set-info :status unsat)
(declare-const x Int)
(declare-const y Int)
(assert (! (= (* 2 x) (+ y 1)) :named odd))
(assert (! (= (mod y 2) 0) :named even))
(assert (! (< x 100) :named spare))
(check-sat)
(get-unsat-core)

; ===== calendar
; day and week by div and mod
(set-logic QF_LIA)
(set-info :status sat)
(declare-const d Int)
(declare-const w Int)
(declare-const y Int)
(assert (= w (div d 7)))
(assert (= y (mod d 7)))
(assert (= (+ (* 3 w) y) 40))
(assert (> y 2))
(check-sat)

; ===== boolean_sum
; a pseudo-Boolean sum by if-then-else
(set-logic QF_LIA)
(set-info :status sat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
(assert (= (+ (ite a 1 0) (ite b 2 0) (ite c 4 0) (ite d (- 3) 0)) 3))
(assert (or (not a) (not b)))
(assert (=> d c))
(check-sat)

; ===== negative_div_chain
; div of div with negative divisors
(set-logic QF_LIA)
(set-info :status sat)
(declare-const x Int)
(declare-const y Int)
(assert (= y (div (div x (- 3)) (- 4))))
(assert (distinct y (div x 12)))
(assert (< (- 40) x (- 20)))
(check-sat)

; ===== chessboard_knights
; a knight's move by absolute differences
(set-logic QF_LIA)
(set-info :status sat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(declare-const d Int)
(assert (and (<= 1 a 8) (<= 1 b 8) (<= 1 c 8) (<= 1 d 8)))
(assert (= (+ (abs (- a c)) (abs (- b d))) 3))
(assert (distinct a c))
(assert (distinct b d))
(assert (> (+ a b) (+ c d 2)))
(check-sat)
