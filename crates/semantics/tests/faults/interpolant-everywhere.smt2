; right: sat
; wrong: output
; only right: (define-fun i () Bool (or (let ((q false)) (and true (and p q))) (let ((q true)) (and true (and p q)))))
; only wrong: (define-fun i () Bool (and (let ((q false)) (and true (and p q))) (let ((q true)) (and true (and p q)))))
(declare-const p Bool)
(declare-const q Bool)
(assert (and p q))
(check-sat)
(get-interpolant i p)
(get-model)
