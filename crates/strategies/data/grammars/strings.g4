// strings and regular expressions
// Here: with regular expressions, and integers only where a string needs them.
grammar Strings;

type_str : 'String' ;
str_const : '""' | '"a"' ;
int_const : '0' | '1' ;
var : 'a' | {vars>1}? 'b' | {vars>2}? 'c' | {vars>3}? 'd' | {vars>4}? 'e' ;
top_str : 'str.replace' | 'str.replace_all' ;
regex_const : 're.none' | 're.all' | 're.allchar' ;
uop_regex : 're.*' | 're.+' | 're.opt' | 're.comp' ;
bop_regex : 're.++' | 're.union' | 're.inter' | 're.diff' ;
regex_term : regex_const
    | '(' uop_regex regex_term ')'
    | '(' bop_regex regex_term regex_term ')'
    | '(str.to_re' str_term ')'
    | '(re.range' str_term str_term ')' ;
str_term : str_const | var
    | '(str.++' str_term str_term ')'
    | '(' top_str str_term str_term str_term ')'
    | '(str.at' str_term int_term ')'
    | '(str.substr' str_term int_term int_term ')'
    | '(str.from_int' int_term ')' ;
int_term : int_const
    | '(str.len' str_term ')'
    | '(str.to_int' str_term ')'
    | '(str.indexof' str_term str_term int_term ')' ;
binop_bool : 'and' | 'or' | 'xor' | '=>' | '=' | 'distinct' ;
binop_str_bool : '=' | 'distinct' | 'str.<' | 'str.<=' | 'str.prefixof' | 'str.suffixof' | 'str.contains' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' binop_str_bool str_term str_term ')'
    | '(str.is_digit' str_term ')'
    | '(str.in_re' str_term regex_term ')' ;
decls : '(declare-const a' type_str ')\n'
    ('(declare-const b' type_str ')\n'){vars>1}
    ('(declare-const c' type_str ')\n'){vars>2}
    ('(declare-const d' type_str ')\n'){vars>3}
    ('(declare-const e' type_str ')\n'){vars>4} ;
assertion : '(assert' bool_term ')\n' ;
start : '(set-logic QF_SLIA)\n' decls assertion{asserts} '(check-sat)\n' ;
