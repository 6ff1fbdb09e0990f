; right: sat
; wrong: unsat
(declare-const x String)
(assert (= x "007"))
(assert (= (str.to_int x) 7))
(check-sat)
