; ===== enumeration_is_finite
; four distinct values of three
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((Color 0)) (((red) (green) (blue))))
(declare-const a Color)
(declare-const b Color)
(declare-const c Color)
(declare-const d Color)
(assert (distinct a b c d))
(check-sat)

; ===== enumeration_colouring
; a cycle of five in three colours
(set-logic QF_DT)
(set-info :status sat)
(declare-datatypes ((Color 0)) (((red) (green) (blue))))
(declare-const a Color)
(declare-const b Color)
(declare-const c Color)
(declare-const d Color)
(declare-const e Color)
(assert (not (or (= a b) (= b c) (= c d) (= d e) (= e a))))
(assert (=> (= a red) (= c d)))
(assert ((_ is blue) e))
(check-sat)

; ===== testers_are_exclusive
; no value has two constructors
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((T 0)) (((left (l Bool)) (right (r Bool)) (none))))
(declare-const x T)
(assert (or (and ((_ is left) x) ((_ is right) x))
      (not (or ((_ is left) x) ((_ is right) x) ((_ is none) x)))))
(check-sat)

; ===== selector_of_constructor
; selectors undo constructors
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((T 0)) (((pair (fst Bool) (snd Bool)))))
(declare-const x T)
(declare-const y T)
(assert (= x (pair (fst y) (not (snd y)))))
(assert (= (snd x) (snd y)))
(check-sat)

; ===== single_constructor_rebuilds
; a record is made of its fields
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((R 0)) (((mk (a Bool) (b Bool) (c Bool)))))
(declare-const x R)
(assert (distinct x (mk (a x) (b x) (c x))))
(check-sat)

; ===== list_is_acyclic
; a list is not its own tail
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((List 0)) (((nil) (cons (head Bool) (tail List)))))
(declare-const x List)
(declare-const y List)
(declare-const p Bool)
(declare-const q Bool)
(assert (= x (cons p y)))
(assert (= y (cons q x)))
(check-sat)

; ===== list_lengths
; lists with equal tails and different heads
(set-logic QF_DT)
(set-info :status sat)
(declare-datatypes ((List 0)) (((nil) (cons (head Bool) (tail List)))))
(declare-const x List)
(declare-const y List)
(assert (= (tail x) (tail y)))
(assert (distinct x y))
(assert ((_ is cons) (tail (tail x))))
(assert ((_ is nil) (tail (tail (tail y)))))
(assert (and ((_ is cons) x) ((_ is cons) y) ((_ is cons) (tail x))))
(check-sat)

; ===== wrong_selector_is_a_function
; a selector of the wrong constructor gives one value per argument
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((List 0)) (((nil) (cons (head Bool) (tail List)))))
(declare-const x List)
(declare-const y List)
(assert (and ((_ is nil) x) ((_ is nil) y)))
(assert (distinct (head x) (head y)))
(check-sat)

; ===== tree_of_integers
; a search tree of three nodes
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((Tree 0)) (((leaf) (node (left Tree) (key Int) (right Tree)))))
(declare-const t Tree)
(assert (and ((_ is node) t) ((_ is node) (left t)) ((_ is node) (right t))))
(assert (< (key (left t)) (key t) (key (right t))))
(assert (= (+ (key (left t)) (key (right t))) (* 3 (key t))))
(assert (= (left (left t)) leaf))
(check-sat)

; ===== tree_is_acyclic
; a tree inside itself
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((Tree 0)) (((leaf) (node (left Tree) (key Int) (right Tree)))))
(declare-const t Tree)
(declare-const u Tree)
(assert (= t (node u 1 leaf)))
(assert (or (= u (node leaf 2 t)) (= u t)))
(check-sat)

; ===== parametric_pair
; a parametric pair at two types
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((Pair 2)) ((par (A B) ((pair (first A) (second B))))))
(declare-const x (Pair Int Bool))
(declare-const y (Pair Int Bool))
(declare-const z (Pair (Pair Int Bool) Int))
(assert (= z (pair x 3)))
(assert (= (first z) y))
(assert (distinct (first x) (first y)))
(check-sat)

; ===== parametric_list
; a parametric list of integers
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
(declare-const x (List Int))
(declare-const y (List Int))
(assert (= x (cons 1 (cons 2 y))))
(assert (not (= y (as nil (List Int)))))
(assert (> (head y) (head (tail x))))
(check-sat)

; ===== parametric_option
; a parametric option of integers
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((Option 1)) ((par (T) ((none) (some (get T))))))
(declare-const x (Option Int))
(declare-const y (Option Int))
(declare-const z (Option Int))
(assert (distinct x y z))
(assert (and ((_ is some) x) ((_ is some) y)))
(assert (=> (= z (as none (Option Int))) (< (get x) (get y) 0)))
(assert (not ((_ is some) z)))
(check-sat)

; ===== mutual_recursion
; trees and forests, acyclic through each other
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((Tree 0) (Forest 0))
  (((node (children Forest))) ((empty) (grow (first Tree) (rest Forest)))))
(declare-const t Tree)
(declare-const f Forest)
(assert (= t (node f)))
(assert (= f (grow (node empty) (grow t empty))))
(check-sat)

; ===== mutual_recursion_shapes
; three different trees
(set-logic QF_DT)
(set-info :status sat)
(declare-datatypes ((Tree 0) (Forest 0))
  (((node (children Forest))) ((empty) (grow (first Tree) (rest Forest)))))
(declare-const s Tree)
(declare-const t Tree)
(declare-const u Tree)
(assert (distinct s t u))
(assert (= (first (children t)) s))
(assert (= (rest (children u)) (children t)))
(assert (and ((_ is grow) (children t)) ((_ is grow) (children u))))
(check-sat)

; ===== match_total
; a match that covers every constructor
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((Shape 0)) (((dot) (line (len Int)) (box (w Int) (h Int)))))
(declare-const s Shape)
(define-fun size ((x Shape)) Int (match x ((dot 0) ((line l) (abs l)) ((box a b) (+ (abs a) (abs b))))))
(assert (< (size s) 0))
(check-sat)

; ===== match_with_default
; a match with a variable as its last case
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((Shape 0)) (((dot) (line (len Int)) (box (w Int) (h Int)))))
(declare-const s Shape)
(declare-const t Shape)
(define-fun rank ((x Shape)) Int (match x (((line l) l) (other (ite ((_ is dot) other) 1 2)))))
(assert (= (+ (rank s) (rank t)) 7))
(assert ((_ is box) s))
(assert (= (len t) 5))
(check-sat)

; ===== match_swaps
; a match that swaps fields
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((P 0)) (((p (x Int) (y Int)))))
(declare-const a P)
(declare-const b P)
(assert (= b (match a (((p u v) (p v (+ u 1)))))))
(assert (= (x b) (y b) 4))
(assert (distinct a b))
(check-sat)

; ===== record_update
; a record updated field by field
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((Acc 0)) (((acc (owner Int) (balance Int)))))
(declare-const a Acc)
(declare-const b Acc)
(declare-const c Acc)
(define-fun pay ((r Acc) (n Int)) Acc (acc (owner r) (+ (balance r) n)))
(assert (= b (pay a 5)))
(assert (= c (pay b (- 5))))
(assert (distinct a c))
(check-sat)

; ===== datatype_with_array
; a datatype that holds an array
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((Buf 0)) (((buf (data (Array Int Int)) (size Int)))))
(declare-const b Buf)
(declare-const c Buf)
(assert (= c (buf (store (data b) (size b) 9) (+ (size b) 1))))
(assert (= (select (data c) 2) 9))
(assert (> (select (data b) 2) (size c)))
(check-sat)

; ===== array_of_datatype
; an array of an enumeration
(set-logic ALL)
(set-info :status unsat)
(declare-datatypes ((Light 0)) (((stop) (go))))
(declare-const a (Array Int Light))
(declare-const i Int)
(assert (distinct (select a i) stop))
(assert (distinct (select a (+ i 1)) go))
(assert (= (select a i) (select a (+ 1 i))))
(check-sat)

; ===== uninterpreted_over_datatype
; a function over an enumeration of two
(set-logic QF_UFDT)
(set-info :status unsat)
(declare-datatypes ((Bit 0)) (((zero) (one))))
(declare-fun f (Bit) Bit)
(declare-const x Bit)
(assert (distinct (f (f (f x))) (f x)))
(check-sat)

; ===== uninterpreted_over_datatype_sat
; a permutation of an enumeration
(set-logic QF_UFDT)
(set-info :status sat)
(declare-datatypes ((Day 0)) (((mon) (tue) (wed))))
(declare-fun next (Day) Day)
(declare-const d Day)
(assert (distinct (next mon) (next tue) (next wed)))
(assert (= (next (next (next d))) d))
(assert (distinct (next d) d))
(check-sat)

; ===== field_of_bits
; a record of bit-vectors
(set-logic ALL)
(set-info :status sat)
(declare-datatypes ((Ins 0)) (((add (d (_ BitVec 2)) (s (_ BitVec 2))) (jmp (to (_ BitVec 4))))))
(declare-const i Ins)
(define-fun code ((x Ins)) (_ BitVec 5) (ite ((_ is add) x) (concat #b0 (d x) (s x)) (concat #b1 (to x))))
(assert (= (bvand (code i) #b10110) #b00110))
(assert (bvult (s i) (d i)))
(check-sat)

; ===== datatype_core
; a core over testers
(set-option :produce-unsat-cores true)
(set-logic QF_DT)
(set-info :status unsat)
(declare-datatypes ((T 0)) (((a) (b) (c (t T)))))
(declare-const x T)
(declare-const y T)
(assert (! (not ((_ is a) x)) :named not_a))
(assert (! (not ((_ is b) x)) :named not_b))
(assert (! (not ((_ is c) x)) :named not_c))
(assert (! ((_ is c) y) :named spare))
(check-sat)
(get-unsat-core)
