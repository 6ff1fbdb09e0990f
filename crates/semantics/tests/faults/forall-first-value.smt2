; right: unsat
; wrong: sat
(declare-const x (_ BitVec 2))
(assert (forall ((y (_ BitVec 2))) (= (bvadd x y) x)))
(check-sat)
