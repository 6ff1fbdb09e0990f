// as the thesis prints it, without `set-logic`: the Boolean operators
grammar Core;

type_bool : 'Bool' ;
bool_const : 'true' | 'false' ;
var : 'a' | 'b' ;
binop_bool : 'and' | 'or' | 'xor' | '=' | 'distinct' ;
bool_term : bool_const | var
    | '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')' ;
decl_csts : '(declare-const a' type_bool ')\n' '(declare-const b' type_bool ')\n' ;
assert_stmt : '(assert' bool_term ')\n' ;
check_sat : '(check-sat)\n' ;
start : decl_csts assert_stmt check_sat ;
