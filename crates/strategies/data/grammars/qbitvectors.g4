// bit-vectors of 8 bits under quantifiers
grammar QuantifiedBitvectors;

type_bv : '(_ BitVec 8)' ;
bv_const : '#x00' | '#xff' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
uop_bv : 'bvnot' | 'bvneg' ;
bop_bv : 'bvand' | 'bvor' | 'bvxor' | 'bvadd' | 'bvsub' | 'bvmul' | 'bvudiv' | 'bvurem'
    | 'bvsdiv' | 'bvsrem' | 'bvsmod' | 'bvshl' | 'bvlshr' | 'bvashr' ;
quantifier : 'forall' | 'exists' ;
bv_term : bv_const | var
    | '(' uop_bv bv_term ')'
    | '(' bop_bv bv_term bv_term ')' ;
bound_term : 'x' | bv_const | var
    | '(' uop_bv bound_term ')'
    | '(' bop_bv bound_term bound_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_bv_bool : '=' | 'distinct' | 'bvult' | 'bvule' | 'bvslt' | 'bvsle' ;
bound_bool : '(not' bound_bool ')'
    | '(' binop_bool bound_bool bound_bool ')'
    | '(' binop_bv_bool bound_term bound_term ')' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_bv_bool bv_term bv_term ')'
    | '(' quantifier '((x (_ BitVec 8)))' bound_bool ')' ;
decls : '(declare-const a' type_bv ')\n'
    ('(declare-const b' type_bv ')\n'){vars>1}
    ('(declare-const c' type_bv ')\n'){vars>2}
    ('(declare-const d' type_bv ')\n'){vars>3}
    ('(declare-const e' type_bv ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic BV)\n' decls assertion{asserts} '(check-sat)\n' ;
