// uninterpreted sorts and functions
grammar UF;

type_u : 'U' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
u_term : var
    | '(f' u_term ')'
    | '(g' u_term u_term ')'
    | '(ite' bool_term u_term u_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_equal : '=' | 'distinct' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_equal u_term u_term ')'
    | '(p' u_term ')' ;
decls : '(declare-const a' type_u ')\n'
    ('(declare-const b' type_u ')\n'){vars>1}
    ('(declare-const c' type_u ')\n'){vars>2}
    ('(declare-const d' type_u ')\n'){vars>3}
    ('(declare-const e' type_u ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_UF)\n(declare-sort U 0)\n(declare-fun f (U) U)\n(declare-fun g (U U) U)\n(declare-fun p (U) Bool)\n' decls assertion{asserts} '(check-sat)\n' ;
