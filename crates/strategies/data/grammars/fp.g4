// floating-point numbers of double precision
grammar FP;

type_fp : '(_ FloatingPoint 11 53)' ;
fp_const : '(fp #b0 #b' '0'{11} ' #b' '0'{52} ')'
    | '(fp #b1 #b' '1'{11} ' #b' '1'{52} ')' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
rm : 'RNE' | 'RNA' | 'RTP' | 'RTN' | 'RTZ' ;
uop_fp : 'fp.abs' | 'fp.neg' ;
bop_fp : 'fp.rem' | 'fp.min' | 'fp.max' ;
uop_rm_fp : 'fp.sqrt' | 'fp.roundToIntegral' ;
bop_rm_fp : 'fp.add' | 'fp.sub' | 'fp.mul' | 'fp.div' ;
fp_term : fp_const | var
    | '(' uop_fp fp_term ')'
    | '(' bop_fp fp_term fp_term ')'
    | '(' uop_rm_fp rm fp_term ')'
    | '(' bop_rm_fp rm fp_term fp_term ')'
    | '(fp.fma' rm fp_term fp_term fp_term ')' ;
binop_fp_bool : '=' | 'distinct' | 'fp.eq' | 'fp.lt' | 'fp.leq' | 'fp.gt' | 'fp.geq' ;
uop_fp_bool : 'fp.isNormal' | 'fp.isSubnormal' | 'fp.isZero' | 'fp.isInfinite' | 'fp.isNaN'
    | 'fp.isNegative' | 'fp.isPositive' ;
bool_term : '(' binop_fp_bool fp_term fp_term ')'
    | '(' uop_fp_bool fp_term ')'
    | '(not' bool_term ')'
    | '(and' bool_term bool_term ')' ;
decls : '(declare-const a' type_fp ')\n'
    ('(declare-const b' type_fp ')\n'){vars>1}
    ('(declare-const c' type_fp ')\n'){vars>2}
    ('(declare-const d' type_fp ')\n'){vars>3}
    ('(declare-const e' type_fp ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_FP)\n' decls assertion{asserts} '(check-sat)\n' ;
