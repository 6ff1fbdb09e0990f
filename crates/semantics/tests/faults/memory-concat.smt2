; right: sat
; wrong: memory
(declare-const x String)
(assert (= (str.++ x "b" x) "b"))
(check-sat)
