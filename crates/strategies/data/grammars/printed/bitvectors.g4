// as the thesis prints it, without `set-logic`: bit-vectors, and the numbers they stand for
grammar Bitvectors;

type_bv : '(_ BitVec 64)' ;
bv_const : '#x0000000000000000' | '#x1111111111111111' ;
var : 'a' | 'b' ;
uop_bv : 'bvnot' | 'bvneg' ;
bop_bv : 'bvand' | 'bvor' | 'bvadd' | 'bvmul' | 'bvudiv' | 'bvurem' | 'bvshl' | 'bvlshr' ;
bv_term : bv_const | var
    | '(' uop_bv bv_term ')'
    | '(' bop_bv bv_term bv_term ')' ;
int_const : '0' | '1' ;
int_term : int_const | '(bv2nat' bv_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=' | 'distinct' ;
binop_bv_bool : 'bvult' | '=' | 'distinct' ;
binop_bv_int : '=' | 'distinct' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_bv_bool bv_term bv_term ')'
    | '(' binop_bv_int int_term int_term ')' ;
decl_csts : '(declare-const a' type_bv ')\n' '(declare-const b' type_bv ')\n' ;
assert_stmt : '(assert' bool_term ')\n' ;
check_sat : '(check-sat)\n' ;
start : decl_csts assert_stmt check_sat ;
