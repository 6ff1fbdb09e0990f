// lists of an enumeration
// Here: lists of colours.
grammar Datatypes;

type_list : 'List' ;
type_colour : 'Colour' ;
colour_const : 'red' | 'green' ;
var_list : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_colour : 'b' | {vars>3}? 'd' ;
colour_term : colour_const | var_colour
    | '(head' list_term ')'
    | '(ite' bool_term colour_term colour_term ')' ;
list_term : 'nil' | var_list
    | '(cons' colour_term list_term ')'
    | '(tail' list_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_equal : '=' | 'distinct' ;
tester : 'nil' | 'cons' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_equal list_term list_term ')'
    | '(' binop_equal colour_term colour_term ')'
    | '((_ is' tester ')' list_term ')' ;
decls : '(declare-const a' type_list ')\n'
    '(declare-const b' type_colour ')\n'
    ('(declare-const c' type_list ')\n'){vars>2}
    ('(declare-const d' type_colour ')\n'){vars>3}
    ('(declare-const e' type_list ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_DT)\n(declare-datatypes ((Colour 0) (List 0)) (((red) (green)) ((nil) (cons (head Colour) (tail List)))))\n' decls assertion{asserts} '(check-sat)\n' ;
