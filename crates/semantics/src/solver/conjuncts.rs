//! Splits assertions into a list of conjuncts: smaller formulas that together have the same meaning.
//!
//! Conjunctions are split, also below negation, `let`, annotations and definitions. A conjunct below a `let` keeps
//! the bindings; an applied definition becomes a `let` of its parameters.

use smelt_smtlib::{Arena, Symbol, Term, View, sym};

use crate::eval::{Interpretation, Meaning};

/// No more pieces than this are made: bindings are repeated around each.
const MAX_PIECES: usize = 4_000;
/// No piece is made below more bindings than this.
const MAX_BINDINGS: usize = 200;

/// Bindings in force, outermost first: a linked list in a vector.
type Wrap = Option<usize>;

/// Bindings around a piece.
struct Bindings {
    outer: Wrap,
    bound: Vec<(Symbol, Term)>,
    /// How many there are with the outer ones.
    size: usize,
}

struct Splitter<'a> {
    arena: &'a mut Arena,
    interpretation: &'a Interpretation,
    wraps: Vec<Bindings>,
    not: Option<smelt_smtlib::Fun>,
}

/// The conjuncts of some assertions.
pub(super) fn split(arena: &mut Arena, interpretation: &Interpretation, assertions: &[Term]) -> Vec<Term> {
    let not = arena.signatures().named(sym::NOT).next();
    let not = not.map(|op| arena.fun(sym::NOT, Some(op), &[], None));
    let mut splitter = Splitter { arena, interpretation, wraps: Vec::new(), not };
    let mut pieces = Vec::new();
    for &a in assertions {
        splitter.assertion(a, &mut pieces);
    }
    let mut seen = std::collections::HashSet::new();
    pieces.retain(|p| seen.insert(*p));
    pieces
}

impl Splitter<'_> {
    fn assertion(&mut self, assertion: Term, pieces: &mut Vec<Term>) {
        let mut work: Vec<(Term, bool, Wrap)> = vec![(assertion, true, None)];
        while let Some((term, positive, wrap)) = work.pop() {
            let parts =
                if pieces.len() + work.len() < MAX_PIECES { self.parts(term, positive, wrap) } else { None };
            match parts {
                Some(parts) => work.extend(parts.into_iter().rev()),
                None => pieces.push(self.piece(term, positive, wrap)),
            }
        }
    }

    /// Terms whose conjunction means the same; `None` if the term cannot be split.
    fn parts(&mut self, term: Term, positive: bool, wrap: Wrap) -> Option<Vec<(Term, bool, Wrap)>> {
        match self.arena.view(term) {
            View::Annotated(v) => Some(vec![(v.term(), positive, wrap)]),
            View::Let(v) => {
                let bindings: Vec<(Symbol, Term)> = v.bindings().collect();
                let body = v.body();
                let wrap = self.wrap(wrap, bindings)?;
                Some(vec![(body, positive, Some(wrap))])
            }
            View::App(fun, args) => {
                let f = self.arena.fun_view(fun);
                if f.op.is_none() {
                    let args = args.to_vec();
                    return self.definition(f.name, &args, positive, wrap);
                }
                match (f.name, positive, args) {
                    (sym::NOT, _, &[t]) => Some(vec![(t, !positive, wrap)]),
                    (sym::AND, true, _) => Some(args.iter().map(|&t| (t, true, wrap)).collect()),
                    (sym::OR, false, _) => Some(args.iter().map(|&t| (t, false, wrap)).collect()),
                    (sym::IMPLIES, false, [premises @ .., last]) => {
                        let premises = premises.iter().map(|&t| (t, true, wrap));
                        Some(premises.chain([(*last, false, wrap)]).collect())
                    }
                    (sym::EQUAL, true, _) if args.len() > 2 => {
                        let args = args.to_vec();
                        let sort = self.arena.sort_of(term);
                        let pair = |w: &[Term]| (self.arena.app(fun, w, sort), true, wrap);
                        Some(args.windows(2).map(pair).collect())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn definition(
        &mut self,
        name: Symbol,
        args: &[Term],
        positive: bool,
        wrap: Wrap,
    ) -> Option<Vec<(Term, bool, Wrap)>> {
        let interpretation = self.interpretation;
        let Some(Meaning::Definition { params, body, .. }) = interpretation.meaning(name) else {
            return None;
        };
        if params.len() != args.len() || recursive(self.arena, *body, name) {
            return None;
        }
        if params.is_empty() {
            // A closed term: it does not refer to the bindings here.
            return Some(vec![(*body, positive, None)]);
        }
        let sorted =
            params.iter().zip(args).all(|(p, &a)| self.arena.canonical(p.1) == self.arena.sort_of(a));
        if !sorted {
            return None;
        }
        let bindings = params.iter().zip(args).map(|(p, &a)| (p.0, a)).collect();
        let wrap = self.wrap(wrap, bindings)?;
        Some(vec![(*body, positive, Some(wrap))])
    }

    fn wrap(&mut self, outer: Wrap, bindings: Vec<(Symbol, Term)>) -> Option<usize> {
        let size = outer.map_or(0, |w| self.wraps[w].size) + bindings.len();
        if size > MAX_BINDINGS {
            return None;
        }
        self.wraps.push(Bindings { outer, bound: bindings, size });
        Some(self.wraps.len() - 1)
    }

    fn piece(&mut self, term: Term, positive: bool, wrap: Wrap) -> Term {
        let mut piece = match self.not {
            Some(not) if !positive => self.arena.app(not, &[term], smelt_smtlib::Sort::BOOL),
            _ => term,
        };
        let mut at = wrap;
        while let Some(i) = at {
            let Bindings { outer, bound, .. } = &self.wraps[i];
            piece = self.arena.let_term(bound, piece);
            at = *outer;
        }
        piece
    }
}

/// Whether a definition mentions itself. Recursion through other definitions ends at the evaluator's depth limit.
fn recursive(arena: &Arena, body: Term, name: Symbol) -> bool {
    let applies = |t: Term| matches!(arena.view(t), View::App(fun, _) if arena.fun_view(fun).name == name);
    arena.parts_first([body]).into_iter().any(applies)
}
