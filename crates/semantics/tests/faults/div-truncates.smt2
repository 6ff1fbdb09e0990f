; right: sat
; wrong: unsat
(declare-const x Int)
(assert (= x (- 7)))
(assert (= (div x 2) (- 4)))
(check-sat)
