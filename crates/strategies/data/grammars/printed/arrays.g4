// as the thesis prints it, without `set-logic`: arrays from bit-vectors to bit-vectors
grammar Arrays;

type_arr : '(Array (_ BitVec 64) (_ BitVec 64))' ;
type_bv : '(_ BitVec 64)' ;
bv_const : '#x0000000000000000' | '#x1111111111111111' ;
var_a : 'a' ;
var_b : 'b' ;
uop_bv : 'bvnot' | 'bvneg' ;
bop_bv : 'bvand' | 'bvor' | 'bvadd' | 'bvmul' | 'bvudiv' | 'bvurem' | 'bvshl' | 'bvlshr' ;
bv_term : bv_const | var_b
    | '(' uop_bv bv_term ')'
    | '(' bop_bv bv_term bv_term ')'
    | '(select' arr_term bv_term ')' ;
arr_term : var_a
    | '(store' var_a bv_term bv_term ')' ;
bop_arr : '=' | 'distinct' ;
bool_term : '(' bop_arr arr_term arr_term ')' ;
decl_csts : '(declare-const a' type_arr ')\n' '(declare-const b' type_bv ')\n' ;
assert_stmt : '(assert' bool_term ')\n' ;
check_sat : '(check-sat)\n' ;
start : decl_csts assert_stmt check_sat ;
