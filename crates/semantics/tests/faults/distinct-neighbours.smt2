; right: unsat
; wrong: sat
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(assert (distinct a b c))
(check-sat)
