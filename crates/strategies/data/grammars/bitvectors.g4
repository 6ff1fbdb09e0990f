// bit-vectors of 64 bits
grammar Bitvectors;

type_bv : '(_ BitVec 64)' ;
bv_const : '#x0000000000000000' | '#x1111111111111111' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
uop_bv : 'bvnot' | 'bvneg' ;
bop_bv : 'bvand' | 'bvor' | 'bvxor' | 'bvadd' | 'bvsub' | 'bvmul' | 'bvudiv' | 'bvurem'
    | 'bvsdiv' | 'bvsrem' | 'bvsmod' | 'bvshl' | 'bvlshr' | 'bvashr' ;
bv_term : bv_const | var
    | '(' uop_bv bv_term ')'
    | '(' bop_bv bv_term bv_term ')'
    | '(concat ((_ extract 31 0)' bv_term ') ((_ extract 63 32)' bv_term '))' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_bv_bool : '=' | 'distinct' | 'bvult' | 'bvule' | 'bvslt' | 'bvsle' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_bv_bool bv_term bv_term ')' ;
decls : '(declare-const a' type_bv ')\n'
    ('(declare-const b' type_bv ')\n'){vars>1}
    ('(declare-const c' type_bv ')\n'){vars>2}
    ('(declare-const d' type_bv ')\n'){vars>3}
    ('(declare-const e' type_bv ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_BV)\n' decls assertion{asserts} '(check-sat)\n' ;
