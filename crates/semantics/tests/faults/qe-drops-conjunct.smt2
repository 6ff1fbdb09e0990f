; right: sat
; wrong: output
; only right: (or (let ((q false)) (and (or p q) (not q))) (let ((q true)) (and (or p q) (not q))))
; only wrong: (or (let ((q false)) (or p q)) (let ((q true)) (or p q)))
(declare-const p Bool)
(assert (exists ((q Bool)) (and (or p q) (not q))))
(check-sat)
(apply qe)
(get-model)
