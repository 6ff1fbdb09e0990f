; ===== map_of_two
; a map that sends two elements to one
(set-logic HO_ALL)
(set-info :status sat)
(declare-const s (Set Int))
(declare-const a Int)
(assert (= s (set.union (set.singleton a) (set.singleton (- 3)))))
(assert (distinct a (- 3)))
(assert (= (set.map (lambda ((x Int)) (* x x)) s) (set.singleton 9)))
(check-sat)

; ===== map_is_no_larger
; a map does not make a set larger
(set-logic HO_ALL)
(set-info :status unsat)
(declare-const s (Set Int))
(assert (= (set.card s) 1))
(assert (set.member 4 (set.map (lambda ((x Int)) (+ x 1)) s)))
(assert (set.member 5 (set.map (lambda ((x Int)) (+ x 1)) s)))
(check-sat)

; ===== what_a_filter_keeps
; a filter keeps only what fulfils its test
(set-logic HO_ALL)
(set-info :status unsat)
(declare-const s (Set Int))
(assert (set.member 2 (set.filter (lambda ((x Int)) (> x 3)) s)))
(check-sat)

; ===== a_filter_on_both_sides
; some elements are kept and some are not
(set-logic HO_ALL)
(set-info :status sat)
(declare-const s (Set Int))
(declare-const a Int)
(assert (= (set.filter (lambda ((x Int)) (> x 3)) s) (set.singleton 7)))
(assert (set.member a s))
(assert (< a 0))
(check-sat)

; ===== filter_of_a_map
; what is left of what was mapped
(set-logic HO_ALL)
(set-info :status sat)
(declare-const s (Set Int))
(assert (= (set.filter (lambda ((x Int)) (< x 0)) (set.map (lambda ((x Int)) (- x)) s)) (set.singleton (- 4))))
(assert (set.member (- 1) s))
(check-sat)

; ===== range_of_three
; a range has an element for each integer between its ends
(set-logic ALL)
(set-info :status unsat)
(declare-const a Int)
(assert (distinct (set.card (set.range a (+ a 2))) 3))
(check-sat)

; ===== range_with_a_hole
; a range without one of its elements
(set-logic ALL)
(set-info :status sat)
(declare-const s (Set Int))
(declare-const a Int)
(assert (= s (set.minus (set.range 1 4) (set.singleton a))))
(assert (not (set.member 2 s)))
(check-sat)

; ===== range_backwards
; a range whose ends are in the wrong order is empty
(set-logic ALL)
(set-info :status unsat)
(declare-const a Int)
(assert (set.member a (set.range 3 1)))
(check-sat)

; ===== fold_of_a_sequence
; the sum of the elements of a sequence
(set-logic ALL)
(set-info :status sat)
(declare-const q (Seq Int))
(declare-const a Int)
(assert (= q (seq.++ (seq.unit 1) (seq.unit a))))
(assert (= (seq.foldl (lambda ((y Int) (x Int)) (+ y x)) 0 q) 5))
(check-sat)

; ===== map_of_a_sequence
; a map does not change the length of a sequence
(set-logic ALL)
(set-info :status unsat)
(declare-const q (Seq Int))
(declare-const a Int)
(assert (= q (seq.unit a)))
(assert (distinct (seq.len (seq.map (lambda ((x Int)) (+ x 1)) q)) 1))
(check-sat)

; ===== elements_with_their_places
; elements of a sequence together with their places
(set-logic ALL)
(set-info :status sat)
(declare-const q (Seq Int))
(declare-const a Int)
(assert (= q (seq.++ (seq.unit a) (seq.unit 4))))
(assert (= (seq.mapi (lambda ((i Int) (x Int)) (+ i x)) 3 q) (seq.++ (seq.unit 5) (seq.unit 8))))
(check-sat)

; ===== a_bag_counts
; a bag knows how often an element is in it
(set-logic ALL)
(set-info :status sat)
(declare-const b (Bag Int))
(declare-const a Int)
(assert (= (bag.count a b) 2))
(assert (= (bag.card b) 3))
(assert (= (bag.count (+ a 1) b) 1))
(check-sat)

; ===== disjoint_union_of_bags
; counts in a disjoint union are added
(set-logic ALL)
(set-info :status unsat)
(declare-const b (Bag Int))
(declare-const c (Bag Int))
(assert (= (bag.count 1 b) 2))
(assert (= (bag.count 1 c) 1))
(assert (distinct (bag.count 1 (bag.union_disjoint b c)) 3))
(check-sat)

; ===== two_ways_to_take_away
; subtracting counts and removing elements differ
(set-logic ALL)
(set-info :status sat)
(declare-const b (Bag Int))
(assert (distinct (bag.difference_subtract b (bag 1 1)) (bag.difference_remove b (bag 1 1))))
(check-sat)

; ===== set_of_a_bag
; each element once is no more than the bag
(set-logic ALL)
(set-info :status unsat)
(declare-const b (Bag Int))
(assert (not (bag.subbag (bag.setof b) b)))
(check-sat)

; ===== join_of_relations
; pairs that meet in the middle
(set-logic ALL)
(set-info :status sat)
(declare-const r (Set (Tuple Int Int)))
(declare-const a Int)
(assert (= r (set.singleton (tuple 1 a))))
(assert (set.member (tuple 1 3) (rel.join r (set.singleton (tuple 2 3)))))
(check-sat)

; ===== closure_is_transitive
; a transitive closure has the long way too
(set-logic ALL)
(set-info :status unsat)
(declare-const r (Set (Tuple Int Int)))
(assert (set.member (tuple 1 2) r))
(assert (set.member (tuple 2 3) r))
(assert (not (set.member (tuple 1 3) (rel.tclosure r))))
(check-sat)

; ===== transposed_twice
; a relation that is transposed twice is itself
(set-logic ALL)
(set-info :status unsat)
(declare-const r (Set (Tuple Int Int)))
(assert (set.member (tuple 1 2) r))
(assert (not (set.member (tuple 1 2) (rel.transpose (rel.transpose r)))))
(check-sat)

; ===== roots_of_a_field
; a square root of minus one modulo five
(set-logic ALL)
(set-info :status sat)
(declare-const x (_ FiniteField 5))
(assert (= (ff.mul x x) (as ff4 (_ FiniteField 5))))
(check-sat)

; ===== no_root_of_a_field
; two has no square root modulo five
(set-logic ALL)
(set-info :status unsat)
(declare-const x (_ FiniteField 5))
(assert (= (ff.mul x x) (as ff2 (_ FiniteField 5))))
(check-sat)
