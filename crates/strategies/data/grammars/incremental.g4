// integers on an assertion stack
// Here: linear integer arithmetic, asserted on a stack and asked about again and again.
grammar Incremental;

type_int : 'Int' ;
int_const : '0' | '1' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
bop_int : '-' | '+' ;
int_term : int_const | var
    | '(' bop_int int_term int_term ')' ;
binop_int_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(' binop_int_bool int_term int_term ')'
    | '(not' bool_term ')'
    | '(or' bool_term bool_term ')' ;
assertion : '(assert' bool_term ')\n' ;
check : '(check-sat)\n' ;
step : assertion check
    | '(push 1)\n' assertion check '(pop 1)\n' ;
decls : '(declare-const a' type_int ')\n'
    ('(declare-const b' type_int ')\n'){vars>1}
    ('(declare-const c' type_int ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_int ')\n'){vars>4} ;
start : '(set-logic QF_LIA)\n' decls assertion{asserts} step+ ;
