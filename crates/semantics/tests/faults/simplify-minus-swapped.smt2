; right: sat
; wrong: output
; only right: (+ 3 (- x y) 4)
; only wrong: (+ 3 (- y x) 4)
(declare-const x Int)
(declare-const y Int)
(assert (= (- x y) (- 7 4)))
(check-sat)
(get-value ((- x y)))
(simplify (+ (- 7 4) (- x y) (* 2 (+ 1 1))))
(apply simplify)
(get-model)
