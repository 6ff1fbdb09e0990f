; ===== star_of_word
; repetitions of a word
(set-logic QF_S)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x (re.+ (str.to_re "ab"))))
(assert (str.contains x "bab"))
(check-sat)

; ===== star_has_even_length
; repetitions of a word of length two
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (str.in_re x (re.* (str.to_re "ab"))))
(assert (= (mod (str.len x) 2) 1))
(assert (< (str.len x) 9))
(check-sat)

; ===== range_of_one
; a range from a to a is one word
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(assert (str.in_re x (re.range "a" "a")))
(assert (distinct x "a"))
(check-sat)

; ===== range_reversed_is_empty
; a range the wrong way around is empty
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(assert (str.in_re x (re.++ re.all (re.range "z" "a") re.all)))
(check-sat)

; ===== loop_of_choice
; a loop over a choice of words of two lengths
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x ((_ re.loop 1 3) (re.union (str.to_re "ab") (str.to_re "c")))))
(assert (= (str.len x) 4))
(assert (str.suffixof "b" x))
(check-sat)

; ===== complement_of_all
; the complement of everything
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (or (str.in_re x (re.comp re.all)) (str.in_re y re.none)))
(check-sat)

; ===== complement_excludes
; words without a letter
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x (re.comp (re.++ re.all (str.to_re "a") re.all))))
(assert (str.in_re x (re.++ re.allchar (str.to_re "b") re.allchar)))
(assert (str.< x "c"))
(check-sat)

; ===== difference_of_languages
; words over three letters less those with two in a row
(set-logic QF_S)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x (re.diff (re.+ (re.range "a" "c")) (re.++ re.all (str.to_re "aa") re.all))))
(assert (str.in_re x (re.++ (str.to_re "a") re.allchar (str.to_re "a"))))
(check-sat)

; ===== intersection_of_stars
; a common multiple of two repetitions
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x (re.inter (re.* (str.to_re "aa")) (re.* (str.to_re "aaa")))))
(assert (> (str.len x) 0))
(assert (< (str.len x) 8))
(check-sat)

; ===== intersection_is_empty
; words that start in one way and end in another, too short for both
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(assert (str.in_re x (re.inter (re.++ (str.to_re "ab") re.all) (re.++ re.all (str.to_re "cd")))))
(assert (str.in_re x (re.++ re.allchar re.allchar re.allchar)))
(check-sat)

; ===== loop_bounds
; a loop from two to three
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (str.in_re x ((_ re.loop 2 3) (re.range "0" "9"))))
(assert (or (< (str.len x) 2) (> (str.len x) 3)))
(check-sat)

; ===== loop_bounds_reversed
; a loop from three to two is empty
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(assert (str.in_re x ((_ re.loop 3 2) (str.to_re "a"))))
(check-sat)

; ===== power_and_option
; an exact power and an optional tail
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x (re.++ ((_ re.^ 3) (str.to_re "xy")) (re.opt (str.to_re "z")))))
(assert (= (str.len x) 7))
(check-sat)

; ===== power_of_zero
; the power zero is the empty word
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(assert (str.in_re x ((_ re.^ 0) (str.to_re "xy"))))
(assert (distinct x ""))
(check-sat)

; ===== star_of_none
; the star of the empty language is the empty word
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (str.in_re x (re.* re.none)))
(assert (= (str.++ x y) (str.++ y "a")))
(check-sat)

; ===== union_of_words
; one of three words, by its length and order
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (str.in_re x (re.union (str.to_re "one") (str.to_re "two") (str.to_re "three"))))
(assert (str.in_re y (re.union (str.to_re "one") (str.to_re "two") (str.to_re "three"))))
(assert (= (str.len x) (str.len y)))
(assert (str.< x y))
(check-sat)

; ===== identifier_shape
; an identifier: letter, then letters and digits
(set-logic QF_SLIA)
(set-info :status sat)
(define-fun word ((s String)) Bool
  (str.in_re s (re.++ (re.range "a" "z") (re.* (re.union (re.range "a" "z") (re.range "0" "9"))))))
(declare-const x String)
(declare-const y String)
(assert (word x))
(assert (not (word y)))
(assert (word (str.++ x y)))
(assert (> (str.to_int y) 9))
(check-sat)

; ===== not_in_language
; every single character is in allchar
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (= (str.len x) 1))
(assert (not (str.in_re x re.allchar)))
(check-sat)

; ===== regex_of_variable
; membership in the language of one unknown word
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(declare-const y String)
(assert (str.in_re x (str.to_re y)))
(assert (distinct x y))
(check-sat)

; ===== replace_re_shortest_leftmost
; replace_re takes the leftmost shortest match
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (= x (str.replace_re "xaay" (re.+ (str.to_re "a")) "b")))
(assert (distinct x "xbay"))
(check-sat)

; ===== replace_re_empty_match
; replace_re with an empty match puts the text in front
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (= x (str.replace_re "aab" (re.* (str.to_re "a")) "c")))
(assert (distinct x "caab"))
(check-sat)

; ===== replace_re_all_nonempty
; replace_re_all ignores empty matches
(set-logic QF_SLIA)
(set-info :status unsat)
(declare-const x String)
(assert (= x (str.replace_re_all "aab" (re.* (str.to_re "a")) "c")))
(assert (distinct x "ccb"))
(check-sat)

; ===== replace_re_unknown
; replace_re that leaves a string as it is
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (= (str.replace_re x (re.++ (str.to_re "a") re.allchar) "") x))
(assert (str.contains x "a"))
(assert (str.prefixof "b" x))
(check-sat)

; ===== comp_of_comp
; the complement of a complement
(set-logic QF_S)
(set-info :status unsat)
(declare-const x String)
(assert (xor (str.in_re x (re.comp (re.comp (re.+ (str.to_re "ab"))))) (str.in_re x (re.+ (str.to_re "ab")))))
(check-sat)

; ===== time_of_day
; hours and minutes by ranges
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x (re.++ (re.range "0" "2") (re.range "0" "9") (str.to_re ":") ((_ re.loop 2 2) (re.range "0" "9")))))
(assert (str.prefixof "2" x))
(assert (not (str.in_re x (re.++ (str.to_re "2") (re.range "4" "9") re.all))))
(assert (= (str.to_int (str.substr x 3 2)) 59))
(check-sat)

; ===== no_adjacent_repeats
; words over two letters without a repeat
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(assert (str.in_re x (re.* (re.union (str.to_re "a") (str.to_re "b")))))
(assert (not (str.contains x "aa")))
(assert (not (str.contains x "bb")))
(assert (= (str.len x) 4))
(check-sat)

; ===== optional_sign
; a number with an optional sign
(set-logic QF_SLIA)
(set-info :status sat)
(declare-const x String)
(declare-const y String)
(assert (= x (str.++ y "42")))
(assert (str.in_re x (re.++ (re.opt (str.to_re "-")) (re.+ (re.range "0" "9")))))
(assert (= (str.to_int x) (- 1)))
(assert (= (str.len x) 4))
(check-sat)
