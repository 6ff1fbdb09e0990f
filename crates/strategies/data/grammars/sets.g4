// sets of integers (cvc5)
// Here: of integers, with cardinality, as cvc5 has them.
grammar Sets;

type_set : '(Set Int)' ;
type_int : 'Int' ;
int_const : '0' | '1' ;
var_set : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_int : 'b' | {vars>3}? 'd' ;
bop_set : 'set.union' | 'set.inter' | 'set.minus' ;
set_term : '(as set.empty (Set Int))' | var_set
    | '(set.singleton' int_term ')'
    | '(' bop_set set_term set_term ')' ;
bop_int : '-' | '+' ;
int_term : int_const | var_int
    | '(' bop_int int_term int_term ')'
    | '(set.card' set_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_set_bool : '=' | 'distinct' | 'set.subset' ;
binop_int_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_set_bool set_term set_term ')'
    | '(' binop_int_bool int_term int_term ')'
    | '(set.member' int_term set_term ')' ;
decls : '(declare-const a' type_set ')\n'
    '(declare-const b' type_int ')\n'
    ('(declare-const c' type_set ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_set ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
