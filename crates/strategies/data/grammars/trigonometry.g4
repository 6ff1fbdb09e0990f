// sin, cos and tan of integers
// Without `set-logic`, and an integer stands where a real is wanted: the formula of Figure 7.1 of the thesis is one of these.
grammar Trigonometry;

int_const : '0' | '1' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
uop_real : 'sin' | 'cos' | 'tan' ;
bop_real : '-' | '+' | '*' | '/' ;
real_term : int_const | var
    | '(' uop_real real_term ')'
    | '(' bop_real real_term real_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_real_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_real_bool real_term real_term ')' ;
decls : '(declare-const a Int)\n'
    ('(declare-const b Int)\n'){vars>1}
    ('(declare-const c Int)\n'){vars>2}
    ('(declare-const d Int)\n'){vars>3}
    ('(declare-const e Int)\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : decls assertion{asserts} '(check-sat)\n' ;
