// sets of integers with ranges, map and filter (z3 from 5.4.0 on)
grammar SetRanges;

type_set : '(Set Int)' ;
type_int : 'Int' ;
int_const : '0' | '1' | '2' ;
var_set : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_int : 'b' | {vars>3}? 'd' ;
bop_set : 'set.union' | 'set.inter' | 'set.minus' ;
image : 'x' | '0' | '(+ x' int_const ')' | '(- x)' | '(* x x)' ;
test : '(> x' int_const ')' | '(= x' int_const ')' | '(not (= x' var_int '))' ;
set_term : '(as set.empty (Set Int))' | var_set
    | '(set.range' int_term int_term ')'
    | '(set.singleton' int_term ')'
    | '(' bop_set set_term set_term ')'
    | '(set.map (lambda ((x Int))' image ')' set_term ')'
    | '(set.filter (lambda ((x Int))' test ')' set_term ')' ;
bop_int : '-' | '+' ;
int_term : int_const | var_int
    | '(' bop_int int_term int_term ')'
    | '(set.card' set_term ')' ;
binop_bool : 'and' | 'or' | '=>' | '=' ;
binop_int_bool : '=' | '<' | '<=' | '>' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(' binop_int_bool int_term int_term ')'
    | '(=' set_term set_term ')'
    | '(set.subset' set_term set_term ')'
    | '(set.member' int_term set_term ')' ;
decls : '(declare-const a' type_set ')\n'
    '(declare-const b' type_int ')\n'
    ('(declare-const c' type_set ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_set ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
