// integers and reals
// Here: integers and reals, and the way from one to the other.
grammar RealInts;

type_int : 'Int' ;
type_real : 'Real' ;
int_const : '0' | '1' ;
real_const : '0.0' | '1.0' ;
var_int : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_real : 'b' | {vars>3}? 'd' ;
uop_int : '-' | 'abs' ;
bop_int : '-' | '+' | '*' | 'div' | 'mod' ;
int_term : int_const | var_int
    | '(' uop_int int_term ')'
    | '(' bop_int int_term int_term ')'
    | '(to_int' real_term ')' ;
bop_real : '-' | '+' | '*' | '/' ;
real_term : real_const | var_real
    | '(-' real_term ')'
    | '(' bop_real real_term real_term ')'
    | '(to_real' int_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_number_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_number_bool int_term int_term ')'
    | '(' binop_number_bool real_term real_term ')'
    | '(is_int' real_term ')' ;
decls : '(declare-const a' type_int ')\n'
    '(declare-const b' type_real ')\n'
    ('(declare-const c' type_int ')\n'){vars>2}
    ('(declare-const d' type_real ')\n'){vars>3}
    ('(declare-const e' type_int ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_NIRA)\n' decls assertion{asserts} '(check-sat)\n' ;
