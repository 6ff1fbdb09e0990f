; ===== congruence_power
; f three times and five times is the identity, so f is
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort S 0)
(declare-fun f (S) S)
(declare-const a S)
(assert (= (f (f (f a))) a))
(assert (= (f (f (f (f (f a))))) a))
(assert (distinct (f a) a))
(check-sat)

; ===== congruence_even_powers
; f twice and four times is the identity, f need not be
(set-logic QF_UF)
(set-info :status sat)
(declare-sort S 0)
(declare-fun f (S) S)
(declare-const a S)
(declare-const b S)
(assert (= (f (f a)) a))
(assert (= (f (f (f (f b)))) b))
(assert (distinct (f a) a b (f b)))
(check-sat)

; ===== predicate_separates
; equal arguments and a predicate that tells them apart
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort S 0)
(declare-fun p (S S) Bool)
(declare-const a S)
(declare-const b S)
(declare-const c S)
(assert (= a b c))
(assert (p a b))
(assert (not (p c a)))
(check-sat)

; ===== function_over_bool
; a function of a Boolean has at most two values
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort S 0)
(declare-fun g (Bool) S)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (distinct (g p) (g q) (g r)))
(check-sat)

; ===== function_over_bool_formula
; formulas as arguments of a function
(set-logic QF_UF)
(set-info :status sat)
(declare-sort S 0)
(declare-fun g (Bool S) S)
(declare-const a S)
(declare-const b S)
(declare-const p Bool)
(declare-const q Bool)
(assert (= (g (and p q) a) b))
(assert (= (g (or p q) a) a))
(assert (distinct a b))
(check-sat)

; ===== three_iterations_of_bool_function
; f(f(f(x))) = f(x) for every f over Booleans
(set-logic QF_UF)
(set-info :status unsat)
(declare-fun f (Bool) Bool)
(declare-const x Bool)
(assert (distinct (f (f (f x))) (f x)))
(check-sat)

; ===== distinct_many
; five pairwise distinct elements and a function that folds them
(set-logic QF_UF)
(set-info :status sat)
(declare-sort S 0)
(declare-fun h (S) S)
(declare-const a S)
(declare-const b S)
(declare-const c S)
(declare-const d S)
(declare-const e S)
(assert (distinct a b c d e))
(assert (= (h a) (h b) (h c)))
(assert (distinct (h c) (h d) (h e)))
(check-sat)

; ===== distinct_too_many_names
; pairwise distinct elements among equal ones
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort S 0)
(declare-const a S)
(declare-const b S)
(declare-const c S)
(declare-const d S)
(declare-const x S)
(assert (distinct a b c d))
(assert (or (= x a) (= x b)))
(assert (or (= x c) (= x d)))
(check-sat)

; ===== equality_diamonds
; a chain of diamonds whose ends must be equal
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort U 0)
(declare-const x0 U)
(declare-const x1 U)
(declare-const x2 U)
(declare-const x3 U)
(declare-const y0 U)
(declare-const z0 U)
(declare-const y1 U)
(declare-const z1 U)
(declare-const y2 U)
(declare-const z2 U)
(assert (or (and (= x0 y0) (= y0 x1)) (and (= x0 z0) (= z0 x1))))
(assert (or (and (= x1 y1) (= y1 x2)) (and (= x1 z1) (= z1 x2))))
(assert (or (and (= x2 y2) (= y2 x3)) (and (= x2 z2) (= z2 x3))))
(assert (not (= x0 x3)))
(check-sat)

; ===== binary_congruence_swap
; a function that need not commute
(set-logic QF_UF)
(set-info :status sat)
(declare-sort U 0)
(declare-fun m (U U) U)
(declare-const a U)
(declare-const b U)
(declare-const e U)
(assert (= (m a e) (m e a) a))
(assert (= (m b e) b))
(assert (distinct (m a b) (m b a) e))
(check-sat)

; ===== associativity_instance
; one instance of associativity used through congruence
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort U 0)
(declare-fun m (U U) U)
(declare-const a U)
(declare-const b U)
(declare-const c U)
(declare-const d U)
(assert (= (m (m a b) c) (m a (m b c))))
(assert (= (m b c) d))
(assert (= (m a b) a))
(assert (distinct (m a c) (m a d)))
(check-sat)

; ===== sort_with_parameter
; a declared sort of arity two and an alias of it
(set-logic QF_UF)
(set-info :status sat)
(declare-sort Pair 2)
(declare-sort A 0)
(define-sort Twice (X) (Pair X X))
(declare-fun fst ((Twice A)) A)
(declare-fun mk (A A) (Twice A))
(declare-const a A)
(declare-const b A)
(assert (= (fst (mk a b)) a))
(assert (distinct (mk a b) (mk b a)))
(check-sat)

; ===== ite_over_sort
; an if-then-else between elements under a function
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort U 0)
(declare-fun f (U) U)
(declare-const a U)
(declare-const b U)
(declare-const p Bool)
(assert (= (f a) (f b) a))
(assert (not (= (f (ite p a b)) (ite (not p) a a))))
(check-sat)

; ===== nested_let_sharing
; shared subterms by nested lets
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort U 0)
(declare-fun f (U U) U)
(declare-const a U)
(declare-const b U)
(assert (= a (f a a)))
(assert (let ((t (f a a))) (let ((u (f t t))) (let ((v (f u t))) (and (= b v) (distinct b a))))))
(check-sat)

; ===== injective_on_three
; a left inverse makes a function injective
(set-option :produce-unsat-cores true)
(set-logic QF_UF)
(set-info :status unsat)
(declare-sort U 0)
(declare-fun f (U) U)
(declare-fun g (U) U)
(declare-const a U)
(declare-const b U)
(declare-const c U)
(assert (! (= (g (f a)) a) :named inverse_a))
(assert (! (= (g (f b)) b) :named inverse_b))
(assert (! (= (g (f c)) c) :named inverse_c))
(assert (! (= (f a) (f b)) :named collide))
(assert (! (distinct a b) :named apart))
(check-sat)
(get-unsat-core)

; ===== define_sort_alias
; an alias of an alias of a sort
(set-logic QF_UF)
(set-info :status sat)
(declare-sort U 0)
(define-sort V () U)
(define-sort W () V)
(declare-fun f (V) W)
(declare-const a U)
(declare-const b W)
(assert (= (f a) b))
(assert (not (= (f b) b)))
(assert (=> (= a b) (= (f a) a)))
(check-sat)

; ===== boolean_results_as_arguments
; predicates inside functions inside predicates
(set-logic QF_UF)
(set-info :status sat)
(declare-sort U 0)
(declare-fun p (U) Bool)
(declare-fun k (Bool) U)
(declare-const a U)
(assert (= (k (p a)) a))
(assert (= (p (k (not (p a)))) (not (p a))))
(assert (distinct (k true) (k false)))
(check-sat)

; ===== partial_inverse
; an inverse at two points only
(set-logic QF_UF)
(set-info :status sat)
(declare-sort U 0)
(declare-fun f (U) U)
(declare-fun g (U) U)
(declare-const a U)
(declare-const b U)
(declare-const c U)
(assert (and (= (g (f a)) a) (= (g (f b)) b)))
(assert (distinct a b c))
(assert (= (f c) (f a)))
(assert (distinct (g (f c)) c))
(check-sat)

; ===== two_sorts
; functions back and forth between two sorts
(set-logic QF_UF)
(set-info :status sat)
(declare-sort A 0)
(declare-sort B 0)
(declare-fun to (A) B)
(declare-fun back (B) A)
(declare-const x A)
(declare-const y A)
(declare-const u B)
(assert (= (back (to x)) (back u)))
(assert (distinct (to x) u (to y)))
(assert (= (to (back u)) (ite (= x y) u (to x))))
(check-sat)

; ===== ternary_congruence
; a function of three arguments that ignores the last
(set-logic QF_UF)
(set-info :status sat)
(declare-sort U 0)
(declare-fun t (U U U) U)
(declare-const a U)
(declare-const b U)
(declare-const c U)
(assert (= (t a b c) (t a b a) c))
(assert (distinct (t b a c) (t a b b)))
(assert (distinct a b c))
(check-sat)
