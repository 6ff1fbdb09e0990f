; right: sat
; wrong: output
; only right: (y 7)
; only wrong: (y 0)
(set-option :opt.priority box)
(declare-const x (_ BitVec 3))
(declare-const y (_ BitVec 3))
(assert (= (bvand x y) #b000))
(maximize x)
(maximize y)
(check-sat)
(get-objectives)
(get-model)
