; right: unsat
; wrong: invalid-core
(set-option :produce-unsat-cores true)
(declare-const x (_ BitVec 4))
(assert (! (bvugt x #x3) :named a))
(assert (! (bvult x #x2) :named b))
(assert (! (= x x) :named c))
(check-sat)
(get-unsat-core)
