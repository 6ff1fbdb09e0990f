// as the thesis prints it, without `set-logic`: floating-point numbers of double precision
// The second `fp.leq` and `fp.lt` and the second line for `bop_rm_fp` are left out: they give every script twice. Of `fp.fma`,
// which has three arguments, the printed line gives two.
grammar FP;

type_fp : '(_ FloatingPoint 11 53)' ;
fp_const : '(fp #b0 #b' '0'{11} ' #b' '0'{52} ')'
    | '(fp #b1 #b' '1'{11} ' #b' '1'{52} ')' ;
var : 'a' | 'b' ;
rm : 'RNE' | 'RNA' | 'RTP' | 'RTN' | 'RTZ' ;
bop_bool : '=' | 'distinct' | 'fp.leq' | 'fp.lt' | 'fp.eq' | 'fp.geq' | 'fp.gt' ;
uop_fp : 'fp.abs' | 'fp.neg' ;
bop_fp : 'fp.rem' | 'fp.min' | 'fp.max' ;
top_rm_fp : 'fp.add' | 'fp.sub' | 'fp.mul' | 'fp.div' | 'fp.fma' ;
bop_rm_fp : 'fp.sqrt' | 'fp.roundToIntegral' ;
fp_term : fp_const | var
    | '(' uop_fp fp_term ')'
    | '(' top_rm_fp rm fp_term fp_term ')'
    | '(' bop_rm_fp rm fp_term ')'
    | '(' bop_fp fp_term fp_term ')' ;
bool_term : '(' bop_bool fp_term fp_term ')' ;
decl_csts : '(declare-const a' type_fp ')\n' '(declare-const b' type_fp ')\n' ;
assert_stmt : '(assert' bool_term ')\n' ;
check_sat : '(check-sat)\n' ;
start : decl_csts assert_stmt check_sat ;
