; ===== xor_chain_parity
; xor is left-associative and keeps parity
(set-logic QF_UF)
(set-info :status unsat)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(declare-const s Bool)
(assert (xor p q r s))
(assert (= p q))
(assert (= r s))
(check-sat)

; ===== xor_of_three_forces_all
; an odd xor next to equalities
(set-logic QF_UF)
(set-info :status sat)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (xor p q r))
(assert (= p q))
(assert (=> r (and p (not (= q r false)))))
(check-sat)

; ===== implies_is_right_associative
; p => q => r groups to the right
(set-logic QF_UF)
(set-info :status sat)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (=> p q r))
(assert (not (=> (=> p q) r)))
(check-sat)

; ===== implies_chain_transitive
; a chain of implications with its ends apart
(set-logic QF_UF)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
(assert (and (=> a b) (=> b c) (=> c d)))
(assert (not (=> a d)))
(check-sat)

; ===== equality_is_chainable
; chained Boolean equality against its pairwise reading
(set-logic QF_UF)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
(assert (= a b c d))
(assert (distinct (and a c) (or b d)))
(check-sat)

; ===== distinct_three_booleans
; three Booleans cannot be pairwise distinct
(set-logic QF_UF)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(assert (distinct a b c))
(assert (or a (not b)))
(check-sat)

; ===== distinct_two_booleans_is_xor
; distinct of two Booleans is exclusive or
(set-logic QF_UF)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(assert (xor (distinct a b) (xor a b)))
(check-sat)

; ===== ite_as_condition
; an if-then-else as the condition of another
(set-logic QF_UF)
(set-info :status sat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
(assert (ite (ite a b c) d (not d)))
(assert (ite a (not b) c))
(assert (= d (xor a b)))
(check-sat)

; ===== ite_same_branches
; an if-then-else with equal branches is that branch
(set-logic QF_UF)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(assert (not (= (ite a (or b c) (or c b)) (or b c))))
(check-sat)

; ===== de_morgan_n_ary
; de Morgan over four arguments
(set-logic QF_UF)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
(assert (distinct (not (and a b c d)) (or (not a) (not b) (not c) (not d))))
(check-sat)

; ===== pigeons_three_holes_two
; three pigeons in two holes
(set-logic QF_UF)
(set-info :status unsat)
(declare-const p11 Bool)
(declare-const p12 Bool)
(declare-const p21 Bool)
(declare-const p22 Bool)
(declare-const p31 Bool)
(declare-const p32 Bool)
(assert (and (or p11 p12) (or p21 p22) (or p31 p32)))
(assert (not (and p11 p21)))
(assert (not (and p11 p31)))
(assert (not (and p21 p31)))
(assert (not (and p12 p22)))
(assert (not (and p12 p32)))
(assert (not (and p22 p32)))
(check-sat)

; ===== pigeons_three_holes_three
; exactly one of three, three times over
(set-logic QF_UF)
(set-info :status sat)
(declare-const a1 Bool)
(declare-const a2 Bool)
(declare-const a3 Bool)
(declare-const b1 Bool)
(declare-const b2 Bool)
(declare-const b3 Bool)
(define-fun one ((x Bool) (y Bool) (z Bool)) Bool
  (and (or x y z) (=> x (not (or y z))) (=> y (not z))))
(assert (one a1 a2 a3))
(assert (one b1 b2 b3))
(assert (not (or (and a1 b1) (and a2 b2) (and a3 b3))))
(check-sat)

; ===== let_shadows_constant
; a let binding hides a declared constant
(set-logic QF_UF)
(set-info :status unsat)
(declare-const x Bool)
(declare-const y Bool)
(assert (let ((x (not x)) (y x)) (and x y)))
(check-sat)

; ===== let_binds_in_parallel
; bindings of one let do not see each other
(set-logic QF_UF)
(set-info :status sat)
(declare-const x Bool)
(declare-const y Bool)
(assert (not (= x y)))
(assert (let ((x y) (y x)) (let ((z (and x (not y)))) (or z (and y (not x))))))
(check-sat)

; ===== define_fun_nested
; definitions over definitions: a full adder
(set-logic QF_UF)
(set-info :status sat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const s Bool)
(declare-const co Bool)
(define-fun parity ((x Bool) (y Bool) (z Bool)) Bool (xor x (xor y z)))
(define-fun majority ((x Bool) (y Bool) (z Bool)) Bool (or (and x y) (and x z) (and y z)))
(assert (= s (parity a b c)))
(assert (= co (majority a b c)))
(assert (and s co))
(check-sat)

; ===== adder_carry_without_two
; a carry needs two ones
(set-logic QF_UF)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(define-fun majority ((x Bool) (y Bool) (z Bool)) Bool (or (and x y) (and x z) (and y z)))
(assert (majority a b c))
(assert (=> a (not (or b c))))
(assert (=> b (not (or a c))))
(check-sat)

; ===== quoted_symbols
; quoted symbols, one equal to its plain spelling
(set-logic QF_UF)
(set-info :status sat)
(declare-const |a b| Bool)
(declare-const plain Bool)
(declare-const |;(| Bool)
(assert (xor |a b| |plain|))
(assert (= plain |;(|))
(assert (or (not |;(|) (not |a b|)))
(check-sat)

; ===== named_core_of_three
; a core that leaves one assertion out
(set-option :produce-unsat-cores true)
(set-logic QF_UF)
(set-info :status unsat)
(declare-const p Bool)
(declare-const q Bool)
(declare-const r Bool)
(assert (! (or p q) :named either))
(assert (! (=> r p) :named irrelevant))
(assert (! (not p) :named no_p))
(assert (! (not q) :named no_q))
(check-sat)
(get-unsat-core)

; ===== named_inside_term
; a name given to a subterm and used later
(set-option :produce-unsat-cores true)
(set-logic QF_UF)
(set-info :status unsat)
(declare-const p Bool)
(declare-const q Bool)
(assert (! (and (! (or p q) :named either) (not p)) :named top))
(assert (! (=> either (not q)) :named bottom))
(check-sat)
(get-unsat-core)

; ===== tseitin_cycle
; parity constraints around a cycle of odd charge
(set-logic QF_UF)
(set-info :status unsat)
(declare-const e1 Bool)
(declare-const e2 Bool)
(declare-const e3 Bool)
(declare-const e4 Bool)
(assert (xor e1 e2))
(assert (= e2 e3))
(assert (= e3 e4))
(assert (= e4 e1))
(check-sat)

; ===== majority_votes
; majorities that overlap
(set-logic QF_UF)
(set-info :status sat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
(declare-const e Bool)
(define-fun maj ((x Bool) (y Bool) (z Bool)) Bool (ite x (or y z) (and y z)))
(assert (maj a b c))
(assert (not (maj b c d)))
(assert (maj (not c) d e))
(assert (xor a d))
(check-sat)

; ===== nand_latch
; two crossed gates that hold their state
(set-logic QF_UF)
(set-info :status sat)
(declare-const s Bool)
(declare-const r Bool)
(declare-const q Bool)
(declare-const n Bool)
(assert (= q (not (and s n))))
(assert (= n (not (and r q))))
(assert (and s r))
(assert (distinct q n))
(check-sat)

; ===== implication_network
; two-literal clauses with one way out
(set-logic QF_UF)
(set-info :status sat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
(assert (and (=> a b) (=> b (not c)) (or c d) (=> d (not a))))
(assert (or a (and c (not b))))
(assert (= (=> c d) (or (not c) b)))
(check-sat)
