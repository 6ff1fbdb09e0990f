; right: sat
; wrong: output
; only right: (y 0)
; only wrong: (y 7)
(declare-const x (_ BitVec 3))
(declare-const y (_ BitVec 3))
(assert (= (bvand x y) #b000))
(maximize x)
(maximize y)
(check-sat)
(get-objectives)
(get-model)
