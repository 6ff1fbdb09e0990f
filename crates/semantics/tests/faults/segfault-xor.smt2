; right: sat
; wrong: crash
(declare-const a Bool)
(declare-const b Bool)
(assert (xor a b))
(check-sat)
