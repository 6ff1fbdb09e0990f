; right: sat
; wrong: output
; only right: (< x 7)
; only wrong:
(declare-const x Int)
(declare-const p Bool)
(assert (and (> x (+ 1 2)) (= 1 1)))
(assert (and p (< x 7)))
(check-sat)
(simplify (and p (< x 7)))
(get-value ((and p (< x 7))))
(apply simplify)
(get-model)
