// sequences of integers with map and fold (z3)
grammar SeqMaps;

type_seq : '(Seq Int)' ;
type_int : 'Int' ;
int_const : '0' | '1' | '2' ;
var_seq : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_int : 'b' | {vars>3}? 'd' ;
image : 'x' | '0' | '(+ x' int_const ')' | '(- x)' | '(* x x)' | '(ite (> x' int_const ') x' int_const ')' ;
indexed : '(+ i x)' | '(- i)' | '(ite (= i' int_const ') x' int_const ')' | '(* i x)' ;
folded : '(+ y x)' | '(- x y)' | 'x' | '(+ 1 y)' | '(ite (> x y) x y)' ;
seq_term : '(as seq.empty (Seq Int))' | var_seq
    | '(seq.unit' int_term ')'
    | '(seq.++' seq_term seq_term ')'
    | '(seq.map (lambda ((x Int))' image ')' seq_term ')'
    | '(seq.mapi (lambda ((i Int) (x Int))' indexed ')' int_term seq_term ')'
    | '(seq.extract' seq_term int_term int_term ')' ;
bop_int : '-' | '+' ;
int_term : int_const | var_int
    | '(' bop_int int_term int_term ')'
    | '(seq.len' seq_term ')'
    | '(seq.nth' seq_term int_term ')'
    | '(seq.foldl (lambda ((y Int) (x Int))' folded ')' int_term seq_term ')'
    | '(seq.foldli (lambda ((i Int) (y Int) (x Int))' folded ')' int_term int_term seq_term ')' ;
binop_bool : 'and' | 'or' | '=>' | '=' ;
binop_int_bool : '=' | '<' | '<=' | '>' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(' binop_int_bool int_term int_term ')'
    | '(=' seq_term seq_term ')'
    | '(seq.contains' seq_term seq_term ')'
    | '(seq.prefixof' seq_term seq_term ')' ;
decls : '(declare-const a' type_seq ')\n'
    '(declare-const b' type_int ')\n'
    ('(declare-const c' type_seq ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_seq ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic ALL)\n' decls assertion{asserts} '(check-sat)\n' ;
