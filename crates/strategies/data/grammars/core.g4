// the Boolean operators
grammar Core;

type_bool : 'Bool' ;
bool_const : 'true' | 'false' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
bool_term : bool_const | var
    | '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')' ;
decls : '(declare-const a' type_bool ')\n'
    ('(declare-const b' type_bool ')\n'){vars>1}
    ('(declare-const c' type_bool ')\n'){vars>2}
    ('(declare-const d' type_bool ')\n'){vars>3}
    ('(declare-const e' type_bool ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_UF)\n' decls assertion{asserts} '(check-sat)\n' ;
