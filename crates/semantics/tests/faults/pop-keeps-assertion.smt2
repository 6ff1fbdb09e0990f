; right: sat
; wrong: unsat
(declare-const x Bool)
(assert x)
(push 1)
(assert (not x))
(pop 1)
(check-sat)
