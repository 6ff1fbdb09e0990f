// integer arithmetic
// Here: integer arithmetic, products and quotients of variables included.
grammar Ints;

type_int : 'Int' ;
int_const : '0' | '1' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
uop_int : '-' | 'abs' ;
bop_int : '-' | '+' | '*' | 'div' | 'mod' ;
int_term : int_const | var
    | '(' uop_int int_term ')'
    | '(' bop_int int_term int_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_int_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_int_bool int_term int_term ')' ;
decls : '(declare-const a' type_int ')\n'
    ('(declare-const b' type_int ')\n'){vars>1}
    ('(declare-const c' type_int ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_int ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_NIA)\n' decls assertion{asserts} '(check-sat)\n' ;
