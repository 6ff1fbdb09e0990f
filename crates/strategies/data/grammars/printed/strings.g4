// as the thesis prints it, without `set-logic`: strings and regular expressions
// `re.range` of one string is printed; solvers reject it.
grammar Strings;

type_str : 'String' ;
str_const : '""' | '"a"' ;
int_const : '0' | '1' ;
regex_const : 're.none' | 're.all' | 're.allchar' ;
var : 'a' | 'b' ;
top_str : 'str.replace' | 'str.replace_all' ;
uop_int_str : 'str.from_int' ;
uop_regex : 're.comp' | 're.+' | 're.opt' ;
bop_regex : 're.union' | 're.inter' | 're.++' | 're.diff' ;
uop_str_regex : 'str.to_re' | 're.range' ;
binop_bool : 'and' | 'or' | 'xor' | '=' | 'distinct' ;
bop_str_bool : '=' | 'distinct' | 'str.<=' | 'str.prefixof' | 'str.suffixof' | 'str.contains' ;
str_term : str_const | var
    | '(' top_str str_term str_term str_term ')'
    | '(str.at' str_term int_term ')'
    | '(str.substr' str_term int_term int_term ')'
    | '(' uop_int_str int_term ')' ;
int_term : int_const
    | '(str.to_int' str_term ')'
    | '(str.indexof' str_term str_term int_term ')' ;
regex_term : regex_const
    | '(' uop_regex regex_term ')'
    | '(' bop_regex regex_term regex_term ')'
    | '(' uop_str_regex str_term ')'
    | '(re.*' regex_const ')' ;
bool_term : '(not' bool_term ')'
    | '(' binop_bool bool_term bool_term ')'
    | '(ite' bool_term bool_term bool_term ')'
    | '(' bop_str_bool str_term str_term ')'
    | '(str.is_digit' str_term ')'
    | '(str.in_re' str_term regex_term ')' ;
decl_csts : '(declare-const a' type_str ')\n' '(declare-const b' type_str ')\n' ;
assert_stmt : '(assert' bool_term ')\n' ;
check_sat : '(check-sat)\n' ;
start : decl_csts assert_stmt check_sat ;
