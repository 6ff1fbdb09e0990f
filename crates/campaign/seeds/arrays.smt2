; ===== read_over_write
; a read at an index written twice
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(declare-const v Int)
(declare-const w Int)
(assert (= i (+ j 1)))
(assert (distinct (select (store (store a i v) j w) (+ j 1)) v))
(check-sat)

; ===== write_same_index_twice
; the second write wins
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const v Int)
(declare-const w Int)
(assert (distinct (store (store a i v) i w) (store a i w)))
(check-sat)

; ===== writes_commute_apart
; writes at different indices commute
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(declare-const v Int)
(declare-const w Int)
(assert (< i j))
(assert (distinct (store (store a i v) j w) (store (store a j w) i v)))
(check-sat)

; ===== writes_do_not_commute_together
; writes that do not commute
(set-logic QF_ALIA)
(set-info :status sat)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(declare-const v Int)
(declare-const w Int)
(assert (= b (store (store a i v) j w)))
(assert (distinct b (store (store a j w) i v)))
(assert (> (select b i) (select a j)))
(check-sat)

; ===== extensionality_difference
; arrays that differ nowhere among two indices
(set-logic QF_AX)
(set-info :status unsat)
(declare-sort Index 0)
(declare-sort Element 0)
(declare-const a (Array Index Element))
(declare-const b (Array Index Element))
(declare-const i Index)
(assert (= (store a i (select b i)) b))
(assert (= (select a i) (select b i)))
(assert (distinct a b))
(check-sat)

; ===== extensionality_used
; arrays equal but for one place
(set-logic QF_AX)
(set-info :status sat)
(declare-sort Index 0)
(declare-sort Element 0)
(declare-const a (Array Index Element))
(declare-const b (Array Index Element))
(declare-const i Index)
(declare-const j Index)
(assert (= (store a i (select b i)) b))
(assert (distinct a b))
(assert (= (select a j) (select b j)))
(check-sat)

; ===== swap_twice
; swapping two places twice
(set-logic QF_AX)
(set-info :status unsat)
(declare-sort Index 0)
(declare-sort Element 0)
(declare-const a (Array Index Element))
(declare-const b (Array Index Element))
(declare-const c (Array Index Element))
(declare-const i Index)
(declare-const j Index)
(assert (= b (store (store a i (select a j)) j (select a i))))
(assert (= c (store (store b i (select b j)) j (select b i))))
(assert (not (= a c)))
(check-sat)

; ===== write_of_read_is_nothing
; writing back what was read
(set-logic QF_AX)
(set-info :status unsat)
(declare-sort Index 0)
(declare-sort Element 0)
(declare-const a (Array Index Element))
(declare-const i Index)
(declare-const j Index)
(assert (distinct (store (store a i (select a i)) j (select a j)) a))
(check-sat)

; ===== boolean_elements
; an array of Booleans as a set
(set-logic QF_AX)
(set-info :status sat)
(declare-sort S 0)
(declare-const a (Array S Bool))
(declare-const b (Array S Bool))
(declare-const x S)
(declare-const y S)
(declare-const z S)
(assert (distinct x y z))
(assert (and (select a x) (not (select b x))))
(assert (= (select a y) (not (select a z))))
(assert (= (store a x false) (store b y (select a y))))
(check-sat)

; ===== boolean_index
; an array indexed by Booleans has two places
(set-logic QF_AX)
(set-info :status unsat)
(declare-sort S 0)
(declare-const a (Array Bool S))
(declare-const b (Array Bool S))
(assert (= (select a true) (select b true)))
(assert (= (select a false) (select b false)))
(assert (distinct a b))
(check-sat)

; ===== nested_arrays
; a write into a row of a matrix
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-const m (Array Int (Array Int Int)))
(declare-const n (Array Int (Array Int Int)))
(declare-const i Int)
(declare-const j Int)
(declare-const k Int)
(assert (= n (store m i (store (select m i) j 7))))
(assert (or (distinct (select (select n i) j) 7) (and (distinct k i) (distinct (select n k) (select m k)))))
(check-sat)

; ===== nested_arrays_alias
; rows of a matrix that differ in one place
(set-logic QF_ALIA)
(set-info :status sat)
(declare-const m (Array Int (Array Int Int)))
(declare-const i Int)
(declare-const j Int)
(assert (= (select m i) (store (select m j) 0 5)))
(assert (distinct (select m i) (select m j)))
(assert (= (select (select m j) 1) i (- 2 i)))
(check-sat)

; ===== constant_array
; a constant array with one write
(set-logic ALL)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (= a (store ((as const (Array Int Int)) 3) i 4)))
(assert (distinct i j))
(assert (distinct (select a j) 3))
(check-sat)

; ===== constant_array_of_reals
; a write that a constant array does not need
(set-logic ALL)
(set-info :status unsat)
(declare-const a (Array Int Real))
(declare-const b (Array Int Real))
(declare-const i Int)
(assert (= a ((as const (Array Int Real)) 0.5)))
(assert (= b (store a i 0.5)))
(assert (or (distinct a b) (distinct (select b (* 2 i)) 0.5)))
(check-sat)

; ===== constant_array_writes
; three writes into a constant array
(set-logic ALL)
(set-info :status sat)
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(declare-const k Int)
(assert (= a (store (store (store ((as const (Array Int Int)) 0) i 1) j 2) k 3)))
(assert (= (+ (select a 0) (select a 1) (select a 2)) 6))
(assert (= (select a i) 1))
(assert (> k j))
(check-sat)

; ===== array_as_memory
; a little-endian word in memory
(set-logic QF_ABV)
(set-info :status sat)
(declare-const m (Array (_ BitVec 4) (_ BitVec 8)))
(declare-const p (_ BitVec 4))
(define-fun word ((q (_ BitVec 4))) (_ BitVec 16) (concat (select m (bvadd q #x1)) (select m q)))
(assert (= (word p) #xbeef))
(assert (= (word (bvadd p #x1)) #x01be))
(assert (= (bvand p #x3) #x3))
(check-sat)

; ===== array_as_memory_overlap
; overlapping words disagree
(set-logic QF_ABV)
(set-info :status unsat)
(declare-const m (Array (_ BitVec 4) (_ BitVec 8)))
(declare-const n (Array (_ BitVec 4) (_ BitVec 8)))
(declare-const p (_ BitVec 4))
(assert (= n (store (store m p #x11) (bvadd p #x1) #x22)))
(assert (= (select n (bvsub (bvadd p #x2) #x1)) (bvadd (select n p) #x10)))
(check-sat)

; ===== array_wraps_around
; a write one place before index zero
(set-logic QF_ABV)
(set-info :status unsat)
(declare-const a (Array (_ BitVec 3) (_ BitVec 2)))
(declare-const b (Array (_ BitVec 3) (_ BitVec 2)))
(declare-const i (_ BitVec 3))
(assert (= i #b000))
(assert (= b (store a (bvsub i #b001) #b01)))
(assert (distinct (select b #b111) #b01))
(check-sat)

; ===== small_arrays_differ
; distinct arrays over one-bit indices
(set-logic QF_ABV)
(set-info :status sat)
(declare-const a (Array (_ BitVec 1) (_ BitVec 1)))
(declare-const b (Array (_ BitVec 1) (_ BitVec 1)))
(declare-const c (Array (_ BitVec 1) (_ BitVec 1)))
(declare-const d (Array (_ BitVec 1) (_ BitVec 1)))
(assert (distinct a b c d))
(assert (= (select a #b0) (select b #b0)))
(assert (= (select c (bvnot (select a #b1))) (select d #b1)))
(check-sat)

; ===== too_many_small_arrays
; there are four arrays from one bit to one bit
(set-logic QF_ABV)
(set-info :status unsat)
(declare-const a (Array (_ BitVec 1) (_ BitVec 1)))
(declare-const b (Array (_ BitVec 1) (_ BitVec 1)))
(declare-const c (Array (_ BitVec 1) (_ BitVec 1)))
(declare-const d (Array (_ BitVec 1) (_ BitVec 1)))
(declare-const e (Array (_ BitVec 1) (_ BitVec 1)))
(assert (distinct a b c d e))
(check-sat)

; ===== array_of_real
; running sums in an array of reals
(set-logic AUFLIRA)
(set-info :status sat)
(declare-const a (Array Int Real))
(declare-const b (Array Int Real))
(declare-const i Int)
(assert (= b (store a i (+ (select a i) 0.5))))
(assert (= (select b (+ i 1)) (* 2.0 (select b i))))
(assert (distinct (select a i) 0.0))
(assert (not (is_int (select b 2))))
(check-sat)

; ===== array_ite
; an if-then-else between arrays
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(declare-const i Int)
(declare-const v Int)
(declare-const p Bool)
(assert (= (select a i) (select b i) v))
(assert (distinct (select (ite p (store a i (+ v 1)) b) i) (ite p (+ v 1) v)))
(check-sat)

; ===== array_core
; a core over reads and writes
(set-option :produce-unsat-cores true)
(set-logic QF_ALIA)
(set-info :status unsat)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (! (= b (store a i 1)) :named write))
(assert (! (= (select b j) 2) :named read))
(assert (! (= i j) :named alias))
(assert (! (= (select a 5) 0) :named spare))
(check-sat)
(get-unsat-core)

; ===== array_and_function
; congruence through equal reads
(set-logic QF_AUFLIA)
(set-info :status unsat)
(declare-fun f (Int) Int)
(declare-const a (Array Int Int))
(declare-const i Int)
(declare-const j Int)
(assert (= (select a i) j))
(assert (= (select (store a j 4) i) (select (store a j 5) i)))
(assert (distinct (f (select (store a j 9) i)) (f j)))
(check-sat)

; ===== array_of_functions_values
; a function that permutes an array
(set-logic QF_AUFLIA)
(set-info :status sat)
(declare-fun p (Int) Int)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(assert (and (= (p 0) 1) (= (p 1) 2) (= (p 2) 0)))
(assert (= (select b 0) (select a (p 0))))
(assert (= (select b 1) (select a (p 1))))
(assert (= (select b 2) (select a (p 2))))
(assert (< (select b 2) (select b 0) (select b 1)))
(assert (distinct (select a 3) (p (select a 3))))
(check-sat)

; ===== rotate_three_places
; three places rotated by stores
(set-logic QF_ALIA)
(set-info :status sat)
(declare-const a (Array Int Int))
(declare-const b (Array Int Int))
(assert (= b (store (store (store a 0 (select a 1)) 1 (select a 2)) 2 (select a 0))))
(assert (< (select b 0) (select b 1) (select b 2)))
(assert (distinct a b))
(check-sat)

; ===== linked_list_in_array
; a cycle of links in an array
(set-logic QF_ALIA)
(set-info :status sat)
(declare-const next (Array Int Int))
(declare-const p Int)
(declare-const q Int)
(declare-const r Int)
(assert (= (select next p) q))
(assert (= (select next q) r))
(assert (= (select next r) p))
(assert (distinct p q r))
(assert (= (+ p q r) 4))
(check-sat)

; ===== histogram
; counting into an array
(set-logic QF_ALIA)
(set-info :status sat)
(declare-const c (Array Int Int))
(declare-const d (Array Int Int))
(declare-const x Int)
(declare-const y Int)
(define-fun inc ((a (Array Int Int)) (i Int)) (Array Int Int) (store a i (+ (select a i) 1)))
(assert (= d (inc (inc c x) y)))
(assert (= (select d x) (+ (select c x) 2)))
(assert (= (- (select c y) x) 3))
(check-sat)
