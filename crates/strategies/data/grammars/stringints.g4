// strings and integers together
// Here: strings and integers, each with variables of its own.
grammar StringInts;

type_str : 'String' ;
type_int : 'Int' ;
str_const : '""' | '"0"' ;
int_const : '0' | '1' ;
var_str : 'a' | {vars>2}? 'c' | {vars>4}? 'e' ;
var_int : 'b' | {vars>3}? 'd' ;
top_str : 'str.replace' | 'str.replace_all' ;
regex_const : 're.none' | 're.all' | 're.allchar' ;
uop_regex : 're.*' | 're.+' | 're.opt' | 're.comp' ;
bop_regex : 're.++' | 're.union' | 're.inter' | 're.diff' ;
regex_term : regex_const
    | '(' uop_regex regex_term ')'
    | '(' bop_regex regex_term regex_term ')'
    | '(str.to_re' str_term ')'
    | '(re.range' str_term str_term ')' ;
re_replace : 'str.replace_re' | 'str.replace_re_all' ;
str_term : str_const | var_str
    | '(str.++' str_term str_term ')'
    | '(' top_str str_term str_term str_term ')'
    | '(' re_replace str_term regex_term str_term ')'
    | '(str.at' str_term int_term ')'
    | '(str.substr' str_term int_term int_term ')'
    | '(str.from_int' int_term ')'
    | '(str.from_code' int_term ')' ;
bop_int : '-' | '+' ;
int_term : int_const | var_int
    | '(-' int_term ')'
    | '(' bop_int int_term int_term ')'
    | '(str.len' str_term ')'
    | '(str.to_int' str_term ')'
    | '(str.to_code' str_term ')'
    | '(str.indexof' str_term str_term int_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_str_bool : '=' | 'distinct' | 'str.<' | 'str.<=' | 'str.prefixof' | 'str.suffixof' | 'str.contains' ;
binop_int_bool : '=' | 'distinct' | '<' | '<=' | '>' | '>=' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_str_bool str_term str_term ')'
    | '(str.is_digit' str_term ')'
    | '(str.in_re' str_term regex_term ')'
    | '(' binop_int_bool int_term int_term ')' ;
decls : '(declare-const a' type_str ')\n'
    '(declare-const b' type_int ')\n'
    ('(declare-const c' type_str ')\n'){vars>2}
    ('(declare-const d' type_int ')\n'){vars>3}
    ('(declare-const e' type_str ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_SLIA)\n' decls assertion{asserts} '(check-sat)\n' ;
