// finite fields of three and five elements (z3 from 5.4.0 on, cvc5 with CoCoA)
grammar Fields;

type_three : '(_ FiniteField 3)' ;
type_five : '(_ FiniteField 5)' ;
var_three : 'b' | {vars>3}? 'd' ;
var_five : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
bop_field : 'ff.add' | 'ff.mul' ;
three : '(as ff1 (_ FiniteField 3))' | '(as ff0 (_ FiniteField 3))' | var_three
    | '(' bop_field three three ')'
    | '(ff.neg' three ')' ;
five : '(as ff1 (_ FiniteField 5))' | '(as ff2 (_ FiniteField 5))' | var_five
    | '(' bop_field five five ')'
    | '(ff.neg' five ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(=' five five ')'
    | '(=' three three ')' ;
decls : '(declare-const a' type_five ')\n'
    '(declare-const b' type_three ')\n'
    ('(declare-const c' type_five ')\n'){vars>2}
    ('(declare-const d' type_three ')\n'){vars>3}
    ('(declare-const e' type_five ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
