; ===== replace_empty_pattern_prepends
; replacing the empty string puts the new text in front
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (distinct (str.replace x "" y) (str.++ y x)))
(check-sat)

; ===== replace_in_empty_string
; replacing inside the empty string
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const p String)
(declare-const r String)
(assert (= (str.replace "" p r) "new"))
(assert (not (= (str.len p) 3)))
(assert (= r (str.++ p "new")))
(check-sat)

; ===== replace_first_only
; only the first occurrence is replaced
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (= x (str.++ "ab" "ab")))
(assert (distinct (str.replace x "b" "c") "acab"))
(check-sat)

; ===== replace_absent_pattern
; replacing what is not there changes nothing
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(declare-const z String)
(assert (not (str.contains x y)))
(assert (distinct (str.replace x y z) x))
(check-sat)

; ===== replace_grows_pattern
; a replacement that contains its pattern
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (= (str.replace x y (str.++ y y)) "abcbcd"))
(assert (= (str.len y) 2))
(check-sat)

; ===== replace_all_empty_pattern
; replace_all of the empty string changes nothing
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (not (= (str.replace_all x "" y) x)))
(check-sat)

; ===== replace_all_shrinks
; removing every occurrence
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= (str.replace_all x "a" "") "bb"))
(assert (= (str.len x) 4))
(assert (str.prefixof "ab" x))
(check-sat)

; ===== replace_all_not_again
; what replace_all puts in is not replaced again
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const y String)
(assert (= y (str.replace_all "aaa" "aa" "a")))
(assert (distinct y "aa"))
(check-sat)

; ===== indexof_empty_pattern
; the empty string is found where the search starts
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const i Int)
(assert (<= 0 i (str.len x)))
(assert (distinct (str.indexof x "" i) i))
(check-sat)

; ===== indexof_past_the_end
; a search from beyond the end fails, for the empty string too
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(declare-const i Int)
(assert (or (< i 0) (> i (str.len x))))
(assert (distinct (str.indexof x y i) (- 1)))
(check-sat)

; ===== indexof_at_the_end
; a search from the very end finds the empty string only
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (= (str.indexof x y (str.len x)) (str.len x)))
(assert (= (str.len x) 3))
(check-sat)

; ===== indexof_second_occurrence
; the next occurrence after the first
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= (str.indexof x "a" 0) 1))
(assert (= (str.indexof x "a" 2) 3))
(assert (= (str.len x) 4))
(check-sat)

; ===== indexof_is_first
; no occurrence at the start, for an index beyond it
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(declare-const i Int)
(assert (= x (str.++ "ab" y)))
(assert (= i (str.indexof x "ab" 0)))
(assert (> i 0))
(check-sat)

; ===== substr_corners
; substr out of range or of no length is empty
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const i Int)
(declare-const n Int)
(assert (or (< i 0) (>= i (str.len x)) (<= n 0)))
(assert (distinct (str.substr x i n) ""))
(check-sat)

; ===== substr_is_cut_at_the_end
; a substr that runs over the end
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const i Int)
(assert (<= 0 i (str.len x)))
(assert (distinct (str.len (str.substr x i 100)) (- (str.len x) i)))
(assert (< (str.len x) 50))
(check-sat)

; ===== substr_split
; a string from two substrings and a middle
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const i Int)
(assert (= x (str.++ (str.substr x 0 i) "-" (str.substr x (+ i 1) 9))))
(assert (= (str.len x) 5))
(assert (distinct (str.at x 0) (str.at x 4) "-"))
(check-sat)

; ===== at_out_of_range
; str.at out of range is empty
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const i Int)
(assert (>= i (str.len x)))
(assert (not (= (str.at x i) (str.at x (- i)) "")))
(assert (> i 0))
(check-sat)

; ===== at_positions
; characters at several positions
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const i Int)
(assert (= (str.at x i) (str.at x (+ i 2)) "o"))
(assert (= (str.at x (- i 1)) ""))
(assert (= (str.len x) 4))
(assert (not (= (str.at x 1) "o")))
(check-sat)

; ===== to_int_corners
; what is not all digits is -1
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const a Bool)
(declare-const b Bool)
(declare-const x String)
(assert (= x (ite a (ite b "" "-5") (ite b "1 2" "0x1"))))
(assert (distinct (str.to_int x) (- 1)))
(check-sat)

; ===== to_int_leading_zeros
; leading zeros do not count
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= (str.to_int x) 7))
(assert (= (str.len x) 3))
(check-sat)

; ===== from_int_of_negative
; from_int of a negative number is empty
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const i Int)
(declare-const x String)
(assert (< i 0))
(assert (= x (str.from_int i)))
(assert (> (str.len (str.++ x x)) 0))
(check-sat)

; ===== from_int_has_no_leading_zero
; the decimal of a number above 9 never starts with 0
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const i Int)
(assert (> i 9))
(assert (str.prefixof "0" (str.from_int i)))
(assert (< i 50))
(check-sat)

; ===== int_round_trip
; a string that does not survive the round trip
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (distinct (str.from_int (str.to_int x)) x))
(assert (>= (str.to_int x) 0))
(assert (<= (str.len x) 3))
(check-sat)

; ===== digits_concatenated
; the number of concatenated digits
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (= (str.to_int (str.++ x y)) 120))
(assert (= (str.to_int y) 20))
(check-sat)

; ===== to_code_corners
; to_code of what is not one character is -1
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (distinct (str.len x) 1))
(assert (distinct (str.to_code x) (- 1)))
(check-sat)

; ===== from_code_out_of_range
; from_code out of range is empty
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const c Int)
(assert (or (< c 0) (> c 196607)))
(assert (distinct (str.from_code c) ""))
(check-sat)

; ===== code_order
; the order of codes is the order of characters
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (= (str.to_code y) (+ (str.to_code x) 3)))
(assert (str.< x "d"))
(assert (str.< "d" y))
(assert (not (= x "")))
(check-sat)

; ===== code_round_trip
; from_code undoes to_code on single characters
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (= (str.len x) 1))
(assert (distinct (str.from_code (str.to_code x)) x))
(check-sat)

; ===== is_digit_range
; digits have codes 48 to 57
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (str.is_digit x))
(assert (or (< (str.to_code x) 48) (> (str.to_code x) 57) (= (str.to_int x) (- 1))))
(check-sat)

; ===== is_digit_alone
; one digit is, two digits are not
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (str.is_digit x))
(assert (str.is_digit y))
(assert (not (str.is_digit (str.++ x y))))
(assert (str.< x y))
(check-sat)

; ===== lexicographic_prefix
; a proper prefix comes first
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (= y (str.++ x "a")))
(assert (not (str.< x y)))
(check-sat)

; ===== lexicographic_between
; strings between two others, strictly and weakly
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (and (str.< "ab" x) (str.< x "b")))
(assert (str.<= y x))
(assert (str.<= "ad" y))
(assert (= (str.len x) 2))
(assert (= (str.len y) 3))
(check-sat)

; ===== order_is_total
; two characters below each other are equal
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (= (str.len x) (str.len y) 1))
(assert (str.<= x y))
(assert (str.<= y x))
(assert (distinct x y))
(check-sat)

; ===== prefix_and_suffix_overlap
; a prefix and a suffix that overlap
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (str.prefixof "aba" x))
(assert (str.suffixof "bab" x))
(assert (= (str.len x) 4))
(check-sat)

; ===== prefix_is_not_symmetric
; prefixes of each other are equal
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (str.prefixof x y))
(assert (str.prefixof y x))
(assert (not (str.suffixof x y)))
(check-sat)

; ===== empty_is_everywhere
; the empty string is prefix, suffix and substring
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (not (and (str.prefixof "" x) (str.suffixof "" x) (str.contains x ""))))
(check-sat)

; ===== contains_first_letter
; containment of a word that starts with a letter
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(declare-const z String)
(assert (str.contains x y))
(assert (= y (str.++ "c" z)))
(assert (not (str.contains x "c")))
(assert (< (str.len x) 4))
(check-sat)

; ===== word_equation_rotates
; x commutes with a letter
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= (str.++ x "a") (str.++ "a" x)))
(assert (= (str.len x) 3))
(check-sat)

; ===== word_equation_without_solution
; x cannot turn an a into a b
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (= (str.++ x "a") (str.++ "b" x)))
(assert (< (str.len x) 6))
(check-sat)

; ===== concat_n_ary_lengths
; the length of a concatenation of four
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (distinct (str.len (str.++ x y x "ab")) (+ (* 2 (str.len x)) (str.len y) 2)))
(check-sat)

; ===== escapes_and_quotes
; escaped characters and a doubled quote
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (= x "\u{e9}""\u0041"))
(assert (= (str.len (str.++ x y)) 4))
(assert (= (str.to_code y) 955))
(check-sat)

; ===== concat_with_ite_and_let
; if-then-else and let over strings
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(declare-const n Int)
(assert (let ((z (ite (> n 1) (str.++ x y) (str.++ y x)))) (and (= z "left") (= (str.at z n) "e"))))
(assert (not (str.prefixof x "left")))
(assert (not (= x y)))
(check-sat)

; ===== define_fun_reverse_pair
; a defined swap applied twice
(set-logic QF_SLIA)
(set-info :status unsat)
(define-fun swap ((s String)) String (str.++ (str.at s 1) (str.at s 0)))
(declare-const x String)
(assert (= (str.len x) 2))
(assert (distinct (swap (swap x)) x))
(check-sat)

; ===== uninterpreted_string
; a function from strings to integers
(set-logic ALL)
(set-info :status sat)
(declare-fun f (String) Int)
(declare-const x String)
(declare-const y String)
(assert (= (f (str.++ x "a")) 1))
(assert (= (f (str.++ "a" y)) 2))
(assert (= (str.len x) (str.len y) (f "")))
(assert (distinct x y ""))
(check-sat)

; ===== core_of_strings
; a core over lengths and prefixes
(set-option :produce-unsat-cores true)
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (! (= x (str.++ "ab" y)) :named shape))
(assert (! (= (str.len x) 3) :named long))
(assert (! (str.suffixof "cd" x) :named tail))
(assert (! (not (= y "x")) :named spare))
(check-sat)
(get-unsat-core)

; ===== palindrome
; a palindrome of five characters
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= (str.len x) 5))
(assert (= (str.at x 0) (str.at x 4)))
(assert (= (str.at x 1) (str.at x 3)))
(assert (= (str.substr x 1 2) "no"))
(check-sat)

; ===== replace_moves_text
; replacing one part by another of the same string
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (= x (str.++ y "-" y)))
(assert (= (str.replace x y "") "-ab"))
(check-sat)

; ===== nested_replace
; two replacements in a row that do not commute
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= x (str.++ "a" (str.at x 1))))
(assert (distinct (str.replace (str.replace x "a" "b") "b" "c") (str.replace (str.replace x "b" "c") "a" "b")))
(check-sat)

; ===== prefix_by_substr
; prefixes and suffixes cut out by position
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (str.prefixof (str.substr y 1 2) x))
(assert (str.suffixof (str.substr y 0 2) x))
(assert (= y "xyz"))
(assert (< (str.len x) 5))
(check-sat)

; ===== csv_fields
; the field between two commas
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const line String)
(declare-const field String)
(declare-const i Int)
(assert (= i (str.indexof line "," 0)))
(assert (= field (str.substr line (+ i 1) (- (str.indexof line "," (+ i 1)) (+ i 1)))))
(assert (= line (str.++ "a," field ",b")))
(assert (= (str.len field) 2))
(check-sat)
