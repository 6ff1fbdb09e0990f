// real arithmetic with sine, cosine and tangent
// Here: real arithmetic with sine, cosine and tangent, which are no part of the standard but of z3 and cvc5.
grammar Reals;

type_real : 'Real' ;
real_const : '0.0' | '1.0' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
uop_real : '-' | 'sin' | 'cos' | 'tan' ;
bop_real : '-' | '+' | '*' | '/' ;
real_term : real_const | var
    | '(' uop_real real_term ')'
    | '(' bop_real real_term real_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_real_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_real_bool real_term real_term ')' ;
decls : '(declare-const a' type_real ')\n'
    ('(declare-const b' type_real ')\n'){vars>1}
    ('(declare-const c' type_real ')\n'){vars>2}
    ('(declare-const d' type_real ')\n'){vars>3}
    ('(declare-const e' type_real ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
