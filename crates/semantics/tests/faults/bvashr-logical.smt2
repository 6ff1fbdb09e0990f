; right: sat
; wrong: unsat
(declare-const x (_ BitVec 4))
(assert (= (bvashr x #x1) #xc))
(check-sat)
