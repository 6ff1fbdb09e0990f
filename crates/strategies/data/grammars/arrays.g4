// arrays over bit-vectors of 64 bits
grammar Arrays;

type_array : '(Array (_ BitVec 64) (_ BitVec 64))' ;
type_bv : '(_ BitVec 64)' ;
bv_const : '#x0000000000000000' | '#x1111111111111111' ;
var_array : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_bv : 'b' | {vars>3}? 'd' ;
uop_bv : 'bvnot' | 'bvneg' ;
bop_bv : 'bvand' | 'bvor' | 'bvadd' | 'bvmul' | 'bvudiv' | 'bvurem' | 'bvshl' | 'bvlshr' ;
bv_term : bv_const | var_bv
    | '(' uop_bv bv_term ')'
    | '(' bop_bv bv_term bv_term ')'
    | '(select' array_term bv_term ')' ;
array_term : var_array
    | '(store' array_term bv_term bv_term ')' ;
binop_equal : '=' | 'distinct' ;
bool_term : '(' binop_equal array_term array_term ')'
    | '(' binop_equal bv_term bv_term ')'
    | '(not' bool_term ')'
    | '(and' bool_term bool_term ')' ;
decls : '(declare-const a' type_array ')\n'
    '(declare-const b' type_bv ')\n'
    ('(declare-const c' type_array ')\n'){vars>2}
    ('(declare-const d' type_bv ')\n'){vars>3}
    ('(declare-const e' type_array ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_ABV)\n' decls assertion{asserts} '(check-sat)\n' ;
