; right: unsat sat
; wrong: output
; only right: (step s0 (cl (= (> (- x y) 1) (> (- x y) 1))) :rule all_simplify)
; only wrong: (step s0 (cl (= (> (- x y) 1) (> (- y x) 1))) :rule all_simplify)
(declare-const x Int)
(declare-const y Int)
(push 1)
(assert (> (- x y) 1))
(assert (= x y))
(check-sat)
(get-proof)
(pop 1)
(check-sat)
(get-model)
