; right: unsat sat
; wrong: output
; only right: (p q)
; only wrong: (p)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (not (and p q)))
(check-sat-assuming (p r q))
(get-unsat-assumptions)
(check-sat)
(get-model)
