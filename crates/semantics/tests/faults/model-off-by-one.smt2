; right: sat
; wrong: invalid-model
(declare-const p Bool)
(declare-const x (_ BitVec 8))
(assert (= (bvadd x #x01) #x06))
(check-sat)
(get-model)
