; right: sat
; wrong: unknown
(declare-const x Bool)
(assert (or x (not x)))
(check-sat)
