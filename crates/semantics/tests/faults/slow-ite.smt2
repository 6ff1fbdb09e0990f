; right: sat
; wrong: slow sat
(declare-const x Bool)
(assert (ite x x (not x)))
(check-sat)
