// linear integer arithmetic under quantifiers
grammar QuantifiedInts;

type_int : 'Int' ;
int_const : '0' | '1' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
bop_int : '-' | '+' ;
quantifier : 'forall' | 'exists' ;
int_term : int_const | var
    | '(-' int_term ')'
    | '(' bop_int int_term int_term ')' ;
bound_term : 'x' | int_const | var
    | '(-' bound_term ')'
    | '(' bop_int bound_term bound_term ')'
    | '(' divide bound_term divisor ')' ;
divide : 'div' | 'mod' ;
divisor : '2' | '3' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_int_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bound_bool : '(not' bound_bool ')'
    | '(' binop_bool bound_bool bound_bool ')'
    | '(' binop_int_bool bound_term bound_term ')' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_int_bool int_term int_term ')'
    | '(' quantifier '((x Int))' bound_bool ')' ;
decls : '(declare-const a' type_int ')\n'
    ('(declare-const b' type_int ')\n'){vars>1}
    ('(declare-const c' type_int ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_int ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic LIA)\n' decls assertion{asserts} '(check-sat)\n' ;
