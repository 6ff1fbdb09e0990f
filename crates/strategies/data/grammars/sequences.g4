// sequences of integers (z3, cvc5)
// Here: of integers, as z3 and cvc5 have them.
grammar Sequences;

type_seq : '(Seq Int)' ;
type_int : 'Int' ;
int_const : '0' | '1' ;
var_seq : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_int : 'b' | {vars>3}? 'd' ;
bop_int : '-' | '+' ;
seq_term : '(as seq.empty (Seq Int))' | var_seq
    | '(seq.unit' int_term ')'
    | '(seq.++' seq_term seq_term ')'
    | '(seq.at' seq_term int_term ')'
    | '(seq.extract' seq_term int_term int_term ')'
    | '(seq.replace' seq_term seq_term seq_term ')' ;
int_term : int_const | var_int
    | '(' bop_int int_term int_term ')'
    | '(seq.len' seq_term ')'
    | '(seq.nth' seq_term int_term ')'
    | '(seq.indexof' seq_term seq_term int_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_seq_bool : '=' | 'distinct' | 'seq.prefixof' | 'seq.suffixof' | 'seq.contains' ;
binop_int_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_seq_bool seq_term seq_term ')'
    | '(' binop_int_bool int_term int_term ')' ;
decls : '(declare-const a' type_seq ')\n'
    '(declare-const b' type_int ')\n'
    ('(declare-const c' type_seq ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_seq ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
