; right: sat
; wrong: unsat
(declare-const x (_ FloatingPoint 3 5))
(declare-const y (_ FloatingPoint 3 5))
(assert (= y (fp #b0 #b101 #x0)))
(assert (= x (fp #b0 #b011 #x0)))
(assert (= (fp.rem x y) x))
(check-sat)
