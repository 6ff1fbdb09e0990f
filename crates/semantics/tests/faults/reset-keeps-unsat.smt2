; right: unsat sat
; wrong: unsat unsat
(declare-const x Bool)
(assert (and x (not x)))
(check-sat)
(reset)
(declare-const y Bool)
(assert y)
(check-sat)
