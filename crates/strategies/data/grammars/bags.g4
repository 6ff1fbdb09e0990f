// bags of integers (cvc5)
grammar Bags;

type_bag : '(Bag Int)' ;
type_int : 'Int' ;
int_const : '0' | '1' | '2' ;
var_bag : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_int : 'b' | {vars>3}? 'd' ;
bop_bag : 'bag.union_disjoint' | 'bag.union_max' | 'bag.inter_min' | 'bag.difference_subtract' | 'bag.difference_remove' ;
image : 'x' | '0' | '(+ x' int_const ')' | '(* x x)' ;
test : '(> x' int_const ')' | '(= x' int_const ')' ;
bag_term : '(as bag.empty (Bag Int))' | var_bag
    | '(bag' int_term int_term ')'
    | '(' bop_bag bag_term bag_term ')'
    | '(bag.setof' bag_term ')'
    | '(bag.map (lambda ((x Int))' image ')' bag_term ')'
    | '(bag.filter (lambda ((x Int))' test ')' bag_term ')' ;
bop_int : '-' | '+' ;
int_term : int_const | var_int
    | '(' bop_int int_term int_term ')'
    | '(bag.card' bag_term ')'
    | '(bag.count' int_term bag_term ')' ;
binop_bool : 'and' | 'or' | '=>' | '=' ;
binop_int_bool : '=' | '<' | '<=' | '>' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(' binop_int_bool int_term int_term ')'
    | '(=' bag_term bag_term ')'
    | '(bag.subbag' bag_term bag_term ')'
    | '(bag.member' int_term bag_term ')' ;
decls : '(declare-const a' type_bag ')\n'
    '(declare-const b' type_int ')\n'
    ('(declare-const c' type_bag ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_bag ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic HO_ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
