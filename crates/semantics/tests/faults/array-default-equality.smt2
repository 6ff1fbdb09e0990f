; right: unsat
; wrong: sat
(declare-const a (Array Int Int))
(assert (= a (store ((as const (Array Int Int)) 0) 1 5)))
(assert (= a ((as const (Array Int Int)) 0)))
(check-sat)
