// binary relations over integers (cvc5)
grammar Relations;

type_rel : '(Set (Tuple Int Int))' ;
type_int : 'Int' ;
int_const : '0' | '1' ;
var_rel : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_int : 'b' | {vars>3}? 'd' ;
bop_rel : 'set.union' | 'set.inter' | 'set.minus' | 'rel.join' ;
rel_term : '(as set.empty (Set (Tuple Int Int)))' | var_rel
    | '(set.singleton (tuple' int_term int_term '))'
    | '(' bop_rel rel_term rel_term ')'
    | '(rel.transpose' rel_term ')'
    | '(rel.tclosure' rel_term ')'
    | '((_ rel.project 1 0)' rel_term ')' ;
bop_int : '-' | '+' ;
int_term : int_const | var_int
    | '(' bop_int int_term int_term ')'
    | '(set.card' rel_term ')' ;
binop_bool : 'and' | 'or' | '=>' | '=' ;
binop_int_bool : '=' | '<' | '<=' | '>' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(' binop_int_bool int_term int_term ')'
    | '(=' rel_term rel_term ')'
    | '(set.subset' rel_term rel_term ')'
    | '(set.member (tuple' int_term int_term ')' rel_term ')' ;
decls : '(declare-const a' type_rel ')\n'
    '(declare-const b' type_int ')\n'
    ('(declare-const c' type_rel ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_rel ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic HO_ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
