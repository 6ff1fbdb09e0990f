; ===== unit_lengths
; the length of units and of the empty sequence
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x (Seq Int))
(declare-const a Int)
(declare-const b Int)
(assert (= x (seq.++ (seq.unit a) (as seq.empty (Seq Int)) (seq.unit b))))
(assert (distinct (seq.len x) 2))
(check-sat)

; ===== nth_of_units
; elements of a sequence by position
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x (Seq Int))
(declare-const i Int)
(assert (= x (seq.++ (seq.unit 4) (seq.unit 5) (seq.unit i))))
(assert (= (seq.nth x 1) (+ (seq.nth x 2) 3)))
(check-sat)

; ===== nth_in_range_is_determined
; equal sequences have equal elements
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x (Seq Int))
(declare-const y (Seq Int))
(declare-const i Int)
(assert (= x y))
(assert (= (seq.len x) 3))
(assert (= i 2))
(assert (distinct (seq.nth x i) (seq.nth y 2)))
(check-sat)

; ===== at_out_of_range_is_empty
; seq.at beyond the end
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x (Seq Int))
(declare-const i Int)
(assert (>= i (seq.len x)))
(assert (distinct (seq.at x i) (as seq.empty (Seq Int))))
(check-sat)

; ===== extract_middle
; the middle of a sequence
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x (Seq Int))
(assert (= (seq.extract x 1 2) (seq.++ (seq.unit 7) (seq.unit 8))))
(assert (= (seq.len x) 4))
(assert (= (seq.at x 0) (seq.unit 9)))
(check-sat)

; ===== extract_length
; the length of an extract within range
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x (Seq Int))
(declare-const i Int)
(assert (<= 0 i 3))
(assert (= (seq.len x) 5))
(assert (distinct (seq.len (seq.extract x i 2)) 2))
(check-sat)

; ===== prefix_and_suffix_of_sequence
; a prefix and a suffix that overlap
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x (Seq Int))
(assert (seq.prefixof (seq.++ (seq.unit 1) (seq.unit 2)) x))
(assert (seq.suffixof (seq.++ (seq.unit 2) (seq.unit 3)) x))
(assert (= (seq.len x) 3))
(check-sat)

; ===== contains_unit
; a sequence of two units contains no other
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x (Seq Int))
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(assert (= x (seq.++ (seq.unit a) (seq.unit b))))
(assert (seq.contains x (seq.unit c)))
(assert (distinct c a))
(assert (distinct c b))
(check-sat)

; ===== indexof_unit
; positions of an element
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x (Seq Int))
(assert (= x (seq.++ (seq.unit 3) (seq.unit 1) (seq.unit 3))))
(assert (= (seq.indexof x (seq.unit 3) 1) (+ 1 (seq.indexof x (seq.unit 1) 0))))
(check-sat)

; ===== replace_first_unit
; only the first unit is replaced
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x (Seq Int))
(declare-const a Int)
(assert (= x (seq.replace (seq.++ (seq.unit a) (seq.unit a)) (seq.unit a) (as seq.empty (Seq Int)))))
(assert (distinct x (seq.unit a)))
(check-sat)

; ===== units_are_injective
; equal concatenations of units
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(declare-const d Int)
(assert (= (seq.++ (seq.unit a) (seq.unit b)) (seq.++ (seq.unit c) (seq.unit d))))
(assert (or (distinct a c) (distinct b d)))
(check-sat)

; ===== sequence_of_bits
; a sequence of bit-vectors
(set-logic ALL)
(set-info :status sat)
(declare-const x (Seq (_ BitVec 4)))
(declare-const b (_ BitVec 4))
(assert (= x (seq.++ (seq.unit b) (seq.unit (bvnot b)))))
(assert (= (bvadd (seq.nth x 0) #x3) (seq.nth x 1)))
(assert (= (seq.len x) 2))
(check-sat)

; ===== sequence_of_sequences
; a sequence of sequences
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x (Seq (Seq Int)))
(declare-const y (Seq Int))
(assert (= x (seq.++ (seq.unit y) (seq.unit (seq.unit 2)))))
(assert (= (seq.len (seq.nth x 0)) (seq.len x)))
(check-sat)

; ===== sequence_of_booleans
; a sequence of Booleans
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x (Seq Bool))
(assert (= (seq.len x) 2))
(assert (distinct (seq.nth x 0) (seq.nth x 1)))
(assert (seq.nth x 1))
(check-sat)
