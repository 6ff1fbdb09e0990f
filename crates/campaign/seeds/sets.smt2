; ===== union_of_parts
; a set is the union of what it shares with another and of the rest
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Set Int))
(declare-const t (Set Int))
(assert (distinct s (set.union (set.inter s t) (set.minus s t))))
(check-sat)

; ===== one_element_more
; a new element makes a set larger by one
(set-logic ALL)
(set-info :status sat)
(declare-const s (Set Int))
(declare-const x Int)
(assert (not (set.member x s)))
(assert (= (set.card (set.union s (set.singleton x))) 3))
(assert (set.member (+ x 1) s))
(check-sat)

; ===== subset_of_smaller
; a set of two elements is in no set of one
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Set Int))
(declare-const t (Set Int))
(assert (= (set.card s) 2))
(assert (= (set.card t) 1))
(assert (set.subset s t))
(check-sat)

; ===== apart_and_together
; two sets without common elements, and their sizes
(set-logic ALL)
(set-info :status sat)
(declare-const s (Set Int))
(declare-const t (Set Int))
(assert (= (set.inter s t) (as set.empty (Set Int))))
(assert (= (set.card (set.union s t)) 3))
(assert (set.member 1 s))
(assert (set.member 2 t))
(check-sat)

; ===== bits_in_a_set
; elements of a small sort
(set-logic ALL)
(set-info :status sat)
(declare-const s (Set (_ BitVec 2)))
(declare-const t (Set (_ BitVec 2)))
(declare-const x (_ BitVec 2))
(assert (set.member x (set.minus s t)))
(assert (set.member (bvadd x #b01) (set.inter s t)))
(assert (not (set.subset t s)))
(check-sat)

; ===== every_bit_is_there
; both truth values are in a set of two
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Set Bool))
(declare-const p Bool)
(assert (set.member p s))
(assert (set.member (not p) s))
(assert (distinct s (set.union (set.singleton true) (set.singleton false))))
(check-sat)

; ===== what_is_taken_away
; nothing that is taken away is left
(set-logic ALL)
(set-info :status unsat)
(declare-const s (Set Int))
(declare-const t (Set Int))
(declare-const x Int)
(assert (set.member x t))
(assert (set.member x (set.minus s t)))
(check-sat)

; ===== equal_by_elements
; a set is equal to one that is written out
(set-logic ALL)
(set-info :status sat)
(declare-const s (Set Int))
(declare-const x Int)
(assert (= s (set.union (set.singleton x) (set.singleton 4))))
(assert (set.subset (set.singleton 3) s))
(assert (not (set.member 5 s)))
(check-sat)

; ===== choice_of_sets
; a set that depends on a condition
(set-logic ALL)
(set-info :status sat)
(declare-const s (Set Int))
(declare-const t (Set Int))
(declare-const p Bool)
(assert (= (ite p s t) (set.singleton 7)))
(assert (= (set.card (ite p t s)) 0))
(assert (not (set.member 7 s)))
(check-sat)

; ===== three_in_a_row
; subsets of subsets
(set-logic ALL)
(set-info :status sat)
(declare-const a (Set Int))
(declare-const b (Set Int))
(declare-const c (Set Int))
(assert (set.subset a b))
(assert (set.subset b c))
(assert (distinct a b c))
(assert (= (set.card c) 2))
(check-sat)
