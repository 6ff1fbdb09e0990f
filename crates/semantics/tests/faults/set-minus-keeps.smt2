; right: sat
; wrong: unsat
(declare-const s (Set Bool))
(declare-const t (Set Bool))
(assert (set.member true s))
(assert (set.member true t))
(assert (not (set.member true (set.minus s t))))
(check-sat)
