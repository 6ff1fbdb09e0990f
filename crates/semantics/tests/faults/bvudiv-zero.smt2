; right: unsat
; wrong: sat
(declare-const x (_ BitVec 8))
(assert (not (= (bvudiv x #x00) #xff)))
(check-sat)
