; ArraysEx, constant arrays, and z3's arrays of several indices.
(theory Arrays)
(sort Array *)
(fun select ((Array A B) A) B :par (A B))
(fun store ((Array A B) A B) (Array A B) :par (A B))
(fun const (B) (Array A B) :par (A B))

(fun select (A A) A :par (A) :rule select :only z3)
(fun store (A A A) A :par (A) :rule store :only z3)
(fun eqrange ((Array A B) (Array A B) A A) Bool :par (A B) :only cvc5)
(fun default ((Array A B)) B :par (A B) :only z3)
(fun array-ext ((Array A B) (Array A B)) A :par (A B) :only z3)
(fun (_ map f) (A) A :par (A) :rule array-map :only z3)
(fun K (A) A :par (A) :rule unchecked :only z3)
