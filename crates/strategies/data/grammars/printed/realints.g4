// as the thesis prints it, without `set-logic`: integers and reals with sin, cos and tan
// No printed production uses an `int_term`, nor what it is made of; only the types and declarations are left of the integers.
// `to_real` of a real is printed.
grammar RealInts;

type_real : 'Real' ;
type_int : 'Int' ;
real_const : '0.0' | '1.0' ;
var_b : 'b' ;
uop_real : 'sin' | 'cos' | 'tan' ;
binop_real : '-' | '+' | '*' | '/' | 'mod' ;
real_term : real_const | var_b
    | '(' uop_real real_term ')'
    | '(' binop_real real_term real_term ')'
    | '(to_real' real_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=' | 'distinct' ;
binop_real_bool : '=' | '>' | '<' | '>=' | '<=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_real_bool real_term real_term ')' ;
decl_csts : '(declare-const a' type_int ')\n' '(declare-const b' type_real ')\n' ;
assert_stmt : '(assert' bool_term ')\n' ;
check_sat : '(check-sat)\n' ;
start : decl_csts assert_stmt check_sat ;
