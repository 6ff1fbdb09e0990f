; Functions as values.
(theory HigherOrder)
(sort -> *)
(fun @ (A A) A :par (A) :rule apply)
