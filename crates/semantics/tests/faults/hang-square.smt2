; right: sat
; wrong: hang
(declare-const x Int)
(assert (= (* x x) 4))
(check-sat)
