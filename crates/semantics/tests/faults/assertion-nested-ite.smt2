; right: sat
; wrong: crash
(declare-const a Bool)
(declare-const b Bool)
(declare-const x (_ BitVec 4))
(assert (= x (ite a (ite b #x1 #x2) #x3)))
(check-sat)
