; ===== floor_of_negative
; to_int rounds down, below zero too
(set-logic QF_LIRA)
(set-info :status unsat)
(declare-const x Real)
(assert (< (- 2.5) x (- 2)))
(assert (distinct (to_int x) (- 3)))
(check-sat)

; ===== floor_bounds
; x - 1 < floor x <= x
(set-logic QF_LIRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const n Int)
(assert (= n (to_int x)))
(assert (or (> (to_real n) x) (<= (to_real n) (- x 1.0))))
(check-sat)

; ===== is_int_after_to_real
; a converted integer is an integer
(set-logic QF_LIRA)
(set-info :status unsat)
(declare-const n Int)
(declare-const m Int)
(assert (not (is_int (+ (to_real n) (to_real m)))))
(check-sat)

; ===== is_int_of_half
; halves that are integers or not
(set-logic QF_LIRA)
(set-info :status sat)
(declare-const n Int)
(declare-const h Real)
(assert (= (* 2.0 h) (to_real n)))
(assert (not (is_int h)))
(assert (is_int (+ h 0.5)))
(assert (> n 6))
(check-sat)

; ===== half_an_odd_number
; half an odd number is no integer
(set-logic QF_LIRA)
(set-info :status unsat)
(declare-const n Int)
(assert (= (mod n 2) 1))
(assert (is_int (/ (to_real n) 2.0)))
(check-sat)

; ===== floor_is_not_additive
; floor of a sum above the sum of floors
(set-logic QF_LIRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (> (to_int (+ x y)) (+ (to_int x) (to_int y))))
(assert (< x 0.5))
(check-sat)

; ===== floor_of_sum_bounded
; floor of a sum exceeds the sum of floors by at most one
(set-logic QF_LIRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (> (- (to_int (+ x y)) (to_int x)) (+ 1 (to_int y))))
(check-sat)

; ===== ceiling_by_negation
; ceiling and floor apart by one
(set-logic QF_LIRA)
(set-info :status sat)
(declare-const x Real)
(declare-const c Int)
(declare-const f Int)
(assert (= c (- (to_int (- x)))))
(assert (= f (to_int x)))
(assert (= (+ c f) 15))
(check-sat)

; ===== rational_between_integers
; a real between consecutive integers
(set-logic QF_LIRA)
(set-info :status sat)
(declare-const a Int)
(declare-const b Int)
(declare-const r Real)
(assert (< (to_real a) r (to_real b)))
(assert (= b (+ a 1)))
(assert (= (* 3.0 r) (+ (to_real a) (to_real b) 0.5)))
(check-sat)

; ===== no_integer_between
; no integer in an open unit interval
(set-logic QF_LIRA)
(set-info :status unsat)
(declare-const a Int)
(declare-const n Int)
(declare-const r Real)
(assert (= r (to_real a)))
(assert (< r (to_real n)))
(assert (< (to_real n) (+ r 1.0)))
(assert (<= 0 a 40))
(check-sat)

; ===== scaled_floor
; the first decimal digit stays below ten
(set-logic QF_LIRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const d Int)
(assert (= d (- (to_int (* 10.0 x)) (* 10 (to_int x)))))
(assert (or (< d 0) (> d 9)))
(check-sat)

; ===== digit_of_decimal
; the third decimal digit of a real
(set-logic QF_LIRA)
(set-info :status sat)
(declare-const x Real)
(declare-const d Int)
(assert (= d (mod (to_int (* 1000.0 x)) 10)))
(assert (= d 7))
(assert (< 1.23 x 1.24))
(check-sat)

; ===== ite_mixed
; rounding to nearest with if-then-else
(set-logic QF_LIRA)
(set-info :status sat)
(declare-const x Real)
(define-fun nearest ((r Real)) Int
  (ite (< (- r (to_real (to_int r))) 0.5) (to_int r) (+ 1 (to_int r))))
(assert (= (nearest x) (- 2)))
(assert (= (nearest (* 2.0 x)) (- 5)))
(check-sat)

; ===== uninterpreted_mixed
; a function from integers to reals
(set-logic AUFLIRA)
(set-info :status unsat)
(declare-fun f (Int) Real)
(declare-const i Int)
(declare-const j Int)
(declare-const x Real)
(assert (= i (to_int x)))
(assert (= x (to_real j)))
(assert (distinct (f i) (f j)))
(check-sat)

; ===== uninterpreted_mixed_steps
; a function that grows by less than one
(set-logic AUFLIRA)
(set-info :status sat)
(declare-fun f (Int) Real)
(declare-const i Int)
(assert (< (f i) (f (+ i 1)) (f (+ i 2))))
(assert (is_int (f (+ i 2))))
(assert (= (to_int (f i)) (to_int (f (+ i 1)))))
(assert (= (f 0) 2.5))
(check-sat)

; ===== mixed_product
; an integer times a real
(set-logic QF_NIRA)
(set-info :status sat)
(declare-const n Int)
(declare-const x Real)
(assert (= (* (to_real n) x) 2.5))
(assert (< (- 1.0) x 0.0))
(check-sat)
