; right: sat
; wrong: unsat
(declare-const x String)
(assert (= x "b"))
(assert (= (str.replace x "" "a") "ab"))
(check-sat)
