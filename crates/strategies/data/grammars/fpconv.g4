// conversions of floating-point numbers
// Here: floating-point numbers of half precision, to and from bit-vectors, reals and single precision.
grammar FPConversions;

type_fp : '(_ FloatingPoint 5 11)' ;
type_bv : '(_ BitVec 16)' ;
fp_const : '(_ +zero 5 11)' | '(_ NaN 5 11)' ;
bv_const : '#x0000' | '#xffff' ;
real_const : '0.0' | '0.5' ;
var_fp : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_bv : 'b' | {vars>3}? 'd' ;
rm : 'RNE' | 'RNA' | 'RTP' | 'RTN' | 'RTZ' ;
uop_fp : 'fp.abs' | 'fp.neg' ;
bop_fp : 'fp.rem' | 'fp.min' | 'fp.max' ;
uop_rm_fp : 'fp.sqrt' | 'fp.roundToIntegral' ;
bop_rm_fp : 'fp.add' | 'fp.sub' | 'fp.mul' | 'fp.div' ;
bv_op : 'bvadd' | 'bvmul' | 'bvand' ;
to_bv : '(_ fp.to_ubv 16)' | '(_ fp.to_sbv 16)' ;
from_bv : '(_ to_fp 5 11)' | '(_ to_fp_unsigned 5 11)' ;
fp_term : fp_const | var_fp
    | '(' uop_fp fp_term ')'
    | '(' bop_fp fp_term fp_term ')'
    | '(' uop_rm_fp rm fp_term ')'
    | '(' bop_rm_fp rm fp_term fp_term ')'
    | '((_ to_fp 5 11)' bv_term ')'
    | '(' from_bv rm bv_term ')'
    | '((_ to_fp 5 11)' rm '((_ to_fp 8 24)' rm fp_term '))'
    | '((_ to_fp 5 11)' rm real_const ')' ;
bv_term : bv_const | var_bv
    | '(' bv_op bv_term bv_term ')'
    | '(' to_bv rm fp_term ')' ;
binop_fp_bool : '=' | 'distinct' | 'fp.eq' | 'fp.lt' | 'fp.leq' | 'fp.gt' | 'fp.geq' ;
uop_fp_bool : 'fp.isNormal' | 'fp.isSubnormal' | 'fp.isZero' | 'fp.isInfinite' | 'fp.isNaN'
    | 'fp.isNegative' | 'fp.isPositive' ;
binop_bv_bool : '=' | 'bvult' | 'bvsle' ;
binop_real_bool : '=' | '<' | '<=' ;
bool_term : '(' binop_fp_bool fp_term fp_term ')'
    | '(' uop_fp_bool fp_term ')'
    | '(not' bool_term ')'
    | '(and' bool_term bool_term ')'
    | '(' binop_bv_bool bv_term bv_term ')'
    | '(' binop_real_bool '(fp.to_real' fp_term ')' real_const ')' ;
decls : '(declare-const a' type_fp ')\n'
    '(declare-const b' type_bv ')\n'
    ('(declare-const c' type_fp ')\n'){vars>2}
    ('(declare-const d' type_bv ')\n'){vars>3}
    ('(declare-const e' type_fp ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_BVFPLRA)\n' decls assertion{asserts} '(check-sat)\n' ;
