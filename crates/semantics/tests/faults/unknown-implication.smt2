; right: sat
; wrong: unknown
(declare-const x Bool)
(assert (=> x false))
(check-sat)
